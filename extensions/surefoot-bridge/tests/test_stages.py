"""What each stage allows."""

from dataclasses import replace

import pytest
from contracts import small_contract

from surefoot_bridge.contract import Interval
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety.bounds import bounds_of
from surefoot_bridge.stages import STAGES, stage_of

CONTRACT = small_contract()


def test_the_first_stage_allows_three_tenths_of_a_metre_per_second():
    assert list(STAGES) == ["tethered", "indoor", "outdoor", "field"]
    limits = STAGES["tethered"].limits(CONTRACT)
    assert limits.largest_command == (0.3, 0.2, 0.4)
    assert limits.torque_share == 0.8


def test_no_stage_allows_less_than_the_one_before_it():
    stages = list(STAGES.values())
    for before, after in zip(stages, stages[1:]):
        assert after.previous == before.name
        low, high = before.limits(CONTRACT), after.limits(CONTRACT)
        assert all(one <= other for one, other in zip(low.largest_command, high.largest_command))
        assert low.torque_share <= high.torque_share
        assert before.duration_s < after.duration_s
        assert before.criteria.walked_s < after.criteria.walked_s


def test_more_than_four_fifths_of_the_torque_is_for_the_later_stages_only():
    assert [stage.torque_share for stage in STAGES.values()] == [0.8, 0.8, 0.9, 1.0]


def test_a_stage_lasts_long_enough_to_be_passed_in_one_run():
    for stage in STAGES.values():
        assert stage.criteria.walked_s <= 0.5 * stage.duration_s


def test_the_last_stage_allows_what_the_policy_was_trained_for():
    assert STAGES["field"].limits(CONTRACT).largest_command == (1.0, 0.5, 1.0)
    one_sided = replace(CONTRACT.command, trained=(Interval(-0.2, 1.5), Interval(-0.5, 0.5), Interval(-1.0, 1.0)))
    contract = replace(CONTRACT, command=one_sided)
    bounds = bounds_of(contract, STAGES["field"].limits(contract))
    assert (bounds.velocity_low[0], bounds.velocity_high[0]) == (-0.2, 1.5)


def test_a_command_for_which_a_stage_has_no_limit_is_refused():
    names = ("height_m", *CONTRACT.command.names[1:])
    contract = replace(CONTRACT, command=replace(CONTRACT.command, names=names))
    with pytest.raises(SurefootError, match=r"tethered has no limit for height_m .* some for lin_vel_x_m_s, lin_vel_y"):
        STAGES["tethered"].limits(contract)


def test_the_log_of_a_rehearsal_is_called_so():
    assert STAGES["indoor"].log_name(rehearsal=False) == "indoor"
    assert STAGES["indoor"].log_name(rehearsal=True) == "indoor (rehearsal)"


def test_an_unknown_stage_is_refused_with_the_known_ones():
    with pytest.raises(SurefootError, match="Unknown stage 'outdor'; valid: outdoor, tethered, indoor, field"):
        stage_of("outdor")
