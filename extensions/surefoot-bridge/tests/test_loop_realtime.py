import gc

import numpy as np
from go2_rig import BUNDLE, LIMITS, model_of

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.operators.script import Entry, ScriptOperator
from surefoot_bridge.realtime import realtime
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.runtime import Loop
from surefoot_bridge.state import Mode


def test_on_a_real_clock_every_tick_is_made_or_counted_as_missed():
    model, bundle = model_of("unitree_go2"), load_bundle(BUNDLE, runtime="numpy")
    clock = MonotonicClock()
    loop = Loop(
        bundle,
        MujocoRobot(model, clock=clock),
        ScriptOperator([Entry(0.2, "stand", ())], 3),
        limits=LIMITS,
        clock=clock,
        ask_realtime=True,
    )
    stood = []
    tick = loop._tick

    def watched(*args):
        tick(*args)
        stood.append(loop.state.machine.mode == Mode.STAND)
        if len(stood) == 500:  # in order would take the time to stand and to sit
            loop.request_end()
            loop.request_end()

    loop._tick = watched
    report = loop.run()
    assert report.ended_by == "It was told to end at once."
    assert any(stood)
    made_s = (report.ticks + report.jitter.missed) / 500.0
    np.testing.assert_allclose(report.duration_s, made_s, atol=0.05)
    assert report.jitter.lateness.count == report.ticks
    assert all(word in note for note in report.notes for word in ("refused",))


def test_real_time_is_asked_for_and_given_back_and_what_is_refused_is_said():
    before = gc.get_freeze_count()
    with realtime() as granted:
        assert granted.scheduled or any("Real-time scheduling" in note for note in granted.notes)
        assert granted.locked or any("Locking memory" in note for note in granted.notes)
        assert gc.get_freeze_count() > before
    assert gc.get_freeze_count() == 0
