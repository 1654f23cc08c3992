"""Alarms of a robot and jumps of clocks end a walk, and the log says why in words."""

from dataclasses import replace

import pytest
from loop_rig import WALKING, Rig

from surefoot_bridge.state import Mode


def told(report, rule):
    (event,) = [event for event in report.events if event.rule == rule]
    return event.message


@pytest.mark.parametrize("alarm", ["other_commander", "own_controller"])
def test_a_robot_that_somebody_else_commands_is_damped_and_it_is_said_who(tmp_path, alarm):
    rig = Rig(tmp_path, *WALKING)
    read = rig.robot.read

    def alarmed():
        reading = read()
        if reading is not None and rig.clock.now() >= 2.5:
            reading = replace(reading, alarms={alarm: f"It is program {rig.clock.now():.3f}."})
        return reading

    rig.robot.read = alarmed
    report = rig.run(3.0)
    assert report.mode == Mode.DAMPED
    assert told(report, alarm) == "It is program 2.500."
    assert [change.mode for change in report.modes] == [Mode.PASSIVE, Mode.STAND, Mode.WALK, Mode.DAMPED]
    assert rig.at(2.51)[6:9].tolist() == [0.0, 0.0, 0.0]  # no stiffness


def test_a_robot_whose_clock_was_set_by_a_minute_is_damped_and_it_is_said_why(tmp_path):
    for step_s, rule in ((60.0, "clock_jump"), (-60.0, "clock_jump_back")):
        rig = Rig(tmp_path / rule, *WALKING)
        read = rig.robot.read

        def jumped(read=read, rig=rig, step_s=step_s):
            reading = read()
            if reading is not None and rig.clock.now() >= 2.5:
                state = replace(reading.state, time_s=reading.state.time_s + step_s)
                reading = replace(reading, state=state)
            return reading

        rig.robot.read = jumped
        report = rig.run(3.0)
        assert report.mode == Mode.DAMPED
        words = told(report, rule)
        assert "its clock was set" in words
        assert words.split(". ")[1] == f"robot: {step_s + 0.005:g} s, limit {'' if step_s > 0 else '-'}0.5 s."


def test_a_computer_that_slept_finds_its_robot_damped_and_it_is_said_why(tmp_path):
    rig = Rig(tmp_path, *WALKING)
    infer = rig.loop.controller.policy

    class Asleep:
        def __getattr__(self, name):
            return getattr(infer, name)

        def __call__(self, observation, memory):
            if rig.clock.now() == pytest.approx(2.5):
                rig.clock.spend(30.0)
            return infer(observation, memory)

    rig.loop.controller.policy = Asleep()
    report = rig.run(33.0)
    assert report.mode == Mode.DAMPED
    assert "loop: this computer slept or was held up" in told(report, "clock_jump")
