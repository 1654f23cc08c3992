from functools import lru_cache

import numpy as np
from go2_rig import Go2Run

from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode

SCRIPT = """
0.5  stand
3.5  walk
4.5  velocity 0.5 0 0
9.5  velocity 0 0 0.5
11.5 velocity 0 0 0
12.5 stand
16.6 sit
18.8 passive
"""


@lru_cache(maxsize=None)
def run():
    return Go2Run(SCRIPT, 19.2)


def test_the_shipped_go2_policy_stands_walks_turns_and_sits_without_a_fall():
    report = run().report
    modes = [change.mode for change in report.modes if change.mode != Mode.CROUCH]  # no need where it stands still
    assert modes == [Mode[name] for name in ["PASSIVE", "STAND", "WALK", "STOP", "STAND", "SIT", "PASSIVE"]]
    assert [event.message for event in report.events if event.response >= Response.STOP] == []
    assert report.in_order
    assert report.incidents == ()
    _w, x, y, _z = run().base[:, 3:].T
    tilt_rad = np.arccos(1.0 - 2.0 * (x**2 + y**2))
    assert tilt_rad.max() < 0.5
    assert run().base[run().between(3.4, 12.5), 2].min() > 0.25


def test_it_walks_as_fast_and_turns_as_far_as_it_is_told():
    walking, turning = run().base[run().between(5.5, 9.5)], run().base[run().between(10.0, 11.5)]
    speed = np.linalg.norm(walking[-1, :2] - walking[0, :2]) / 4.0
    assert 0.4 < speed < 0.6
    yaw = np.unwrap(2.0 * np.arctan2(turning[:, 6], turning[:, 3]))
    assert 0.35 < (yaw[-1] - yaw[0]) / 1.5 < 0.65


def test_hand_overs_jump_neither_in_targets_nor_in_gains():
    told, n = run().told, 12
    change = np.abs(np.diff(told, axis=0))
    # Stand begins from nothing: stiffness up to 80 along 3 x^2 - 2 x^3 over 0.5 s, at most 1.5 * 80 * 0.002 / 0.5.
    until = run().between(0.0, 18.7)
    assert change[until, 2 * n : 3 * n].max() <= 1.5 * 80.0 * 0.002 / 0.5 + 1e-6
    assert change[until, 3 * n : 4 * n].max() <= 1.5 * 5.0 * 0.002 / 0.5 + 1e-6
    # To stand and to sit the furthest joint has 1.2 rad to go in 1.8 s at 1.5 times the mean speed.
    for quiet in (run().between(0.5, 3.5), run().between(16.6, 18.7)):
        assert change[quiet, :n].max() < 0.004
    # While the policy takes over, a target is never further from that of standing than the hand-over has got.
    standing = told[run().between(3.48, 3.49)][0, :n]
    for passed_s in (0.02, 0.05, 0.1):
        share = 3.0 * (passed_s / 0.5) ** 2 - 2.0 * (passed_s / 0.5) ** 3
        away = np.abs(told[run().between(3.5, 3.5 + passed_s), :n] - standing).max()
        assert away <= share * 2.5  # no action of this policy is more than 2.5 rad away
