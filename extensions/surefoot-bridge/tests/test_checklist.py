"""What is shown and confirmed before the first torque."""

import io
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bundles import write_bundle
from contracts import small_contract
from safety_cases import CONTRACT, FALLS, good_report

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Reading
from surefoot_bridge.runtime.checklist import acknowledge, checklist, describe, misplaced_joints
from surefoot_bridge.stages import STAGES


class Answer(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def bundle(tmp_path):
    """A bundle of the made-up robot."""
    write_bundle(tmp_path / "bundle")
    return load_bundle(tmp_path / "bundle", runtime="numpy")


def listed(bundle, stage="tethered", **options):
    return checklist(bundle, STAGES[stage], **{"robot": "made_up here", "on_hardware": True, **options})


def report(**changes):
    return Reading(good_report(**changes), 0.0, wrong_crc=False)


def test_the_list_says_what_will_move_with_which_limits(bundle):
    text = describe(listed(bundle, reading=report(), log="logs", guardian=True))
    for part in (
        "Stage tethered: made_up here",
        bundle.identity,
        "no signature was asked for",
        "runtime          numpy",
        "Made-Up in ovphysx, 300 iterations, seed 1",
        "randomization standard, commit 000000000000",
        "ovphysx, randomization none, 200 episodes: success_rate 1",
        "lin_vel_x_m_s    -0.3 to 0.3",
        "at most 80% of each joint's limit",
        "walking ends at 80, damped at 90 degrees Celsius",
        "battery          90%",
        "3 joints by name, c first",
        "each is within its range",
        "watches the bridge",
    ):
        assert part in text, part


def test_the_first_stage_asks_for_a_gantry_and_later_ones_do_not(bundle):
    assert "[ ] The robot hangs in a gantry" in describe(listed(bundle))
    text = describe(listed(bundle, "outdoor", opened_by="20261128T1200_made_up"))
    assert "gantry" not in text
    assert "opened by        20261128T1200_made_up" in text
    assert "[ ] Before the motors go limp it is seen to that its belly lies on the ground." in text


@pytest.mark.parametrize("stage", STAGES)
def test_a_robot_that_falls_without_its_policy_is_asked_for_a_gantry_in_every_stage(bundle, stage):
    text = describe(listed(bundle, stage))
    assert "then it stops, stands, sits and becomes passive" in text
    assert "A gantry is at hand" not in text
    text = describe(listed(replace(bundle, contract=FALLS), stage))
    assert "then it balances by its policy for 120 s at most: hang it up and ask for passive" in text
    assert "[ ] A gantry is at hand that carries the robot, and somebody who hangs it up within 120 s" in text


def test_what_the_robots_network_asks_for_comes_first(bundle):
    text = describe(listed(bundle, more=("Unitree's app is closed.",)))
    assert text.index("app is closed") < text.index("gantry")


def test_a_rehearsal_says_so_and_confirms_nothing(bundle):
    text = describe(listed(bundle, on_hardware=False))
    assert "(a rehearsal: no real robot moves)" in text
    assert "[ ]" not in text


def test_the_word_has_to_be_typed(bundle):
    output = io.StringIO()
    acknowledge(listed(bundle), source=Answer("ready\n"), output=output)
    assert "Type 'ready' and Enter if all of this holds: " in output.getvalue()
    for other in ("", "yes\n", "\n", "not ready\n"):
        with pytest.raises(SurefootError, match=r"not acknowledged: '.*' is not 'ready'\. Nothing was moved\."):
            acknowledge(listed(bundle), source=Answer(other), output=io.StringIO())


def test_a_real_robot_is_acknowledged_by_nothing_but_a_person(bundle):
    with pytest.raises(SurefootError, match="by the person who stands beside it, not by --acknowledge"):
        acknowledge(listed(bundle), word="ready", source=Answer("ready\n"), output=io.StringIO())
    with pytest.raises(SurefootError, match=r"no terminal\. Run this in a terminal \(ssh -t\)\.$"):
        acknowledge(listed(bundle), source=io.StringIO("ready\n"), output=io.StringIO())


def test_a_rehearsal_may_be_acknowledged_beforehand(bundle):
    rehearsal, output = listed(bundle, on_hardware=False), io.StringIO()
    acknowledge(rehearsal, word="ready", source=io.StringIO(), output=output)
    assert output.getvalue().startswith("Stage tethered")
    with pytest.raises(SurefootError, match="'go' is not 'ready'"):
        acknowledge(rehearsal, word="go", source=io.StringIO(), output=io.StringIO())
    with Path(os.devnull).open() as nobody, pytest.raises(SurefootError, match="or give --acknowledge ready"):
        acknowledge(rehearsal, source=nobody, output=io.StringIO())


def test_a_joint_that_is_where_it_cannot_be_is_named(bundle):
    reading = report(joint_pos_rad=np.array([0.0, 2.1, -2.05]))  # c, a, b; the range of each is -2 to 2
    assert misplaced_joints(CONTRACT, reading, 0.087) == ("a is at 2.100 rad; its range is -2.000 to 2.000.",)
    assert "a is at 2.100 rad" in describe(listed(bundle, reading=reading))


def test_joints_in_another_order_are_found_by_where_they_are():
    limits = list(CONTRACT.safety.joint_pos_limit_rad)
    limits[2] = replace(limits[2], low=-2.0, high=-0.5)  # c is bent, as a calf is
    robot = replace(CONTRACT.robot, default_joint_pos_rad=(0.1, 0.2, -1.0))
    bent = dict.fromkeys(("stand_rad", "sit_rad", "crouch_rad"), (0.1, 0.2, -1.0))
    contract = small_contract(
        robot=robot,
        handling=replace(CONTRACT.handling, **bent),
        safety=replace(CONTRACT.safety, joint_pos_limit_rad=tuple(limits)),
    )
    in_order = report(joint_pos_rad=np.array([-1.0, 0.1, 0.2]))
    assert misplaced_joints(contract, in_order, 0.087) == ()
    shuffled = report(joint_pos_rad=np.array([0.1, 0.2, -1.0]))
    assert misplaced_joints(contract, shuffled, 0.087) == ("c is at 0.100 rad; its range is -2.000 to -0.500.",)


def test_a_joint_that_is_not_measured_is_named():
    (message,) = misplaced_joints(CONTRACT, report(joint_pos_rad=np.array([0.0, np.nan, 0.0])), 0.087)
    assert message.startswith("a is at nan rad")
