"""Where each term stands in a policy's observation."""

import numpy as np
import pytest

from surefoot.sensors.layout import ObservationLayout, ProprioceptionTerm, TermSlice, standard_terms
from surefoot_bridge.errors import SurefootError

GYRO = ProprioceptionTerm("base_ang_vel", "gyro", 2)


def test_the_standard_terms_of_a_quadruped_fill_the_observation_that_its_policies_know() -> None:
    layout = ObservationLayout(standard_terms(3), num_joints=12)
    # 3 steps of 3 + 3 + 12 + 12 + 12 quantities, then the command.
    assert [(item.name, item.start, item.dim, item.history) for item in layout.slices] == [
        ("base_ang_vel", 0, 3, 3),
        ("projected_gravity", 9, 3, 3),
        ("joint_pos", 18, 12, 3),
        ("joint_vel", 54, 12, 3),
        ("last_action", 90, 12, 3),
        ("velocity_command", 126, 3, 1),
    ]
    assert layout.dim == 129
    assert layout.slices[-1].stop == 129
    assert (layout.row_dim, layout.delayed_dim, layout.depth) == (42, 30, 3)


def test_terms_stand_in_the_order_in_which_they_are_listed() -> None:
    terms = [ProprioceptionTerm("feet", "foot_contact"), GYRO, ProprioceptionTerm("order", "command")]
    layout = ObservationLayout(terms, num_joints=1, num_feet=2, command_dim=1)
    assert layout.slices == (
        TermSlice("feet", "foot_contact", 0, 2, 1),
        TermSlice("base_ang_vel", "gyro", 2, 3, 2),
        TermSlice("order", "command", 8, 1, 1),
    )
    # A row is gyro 0-2, gravity 3-5, position 6, velocity 7, action 8, feet 9-10; then the command.
    np.testing.assert_array_equal(layout.entry_column, [9, 10, 0, 1, 2, 0, 1, 2, 11])
    np.testing.assert_array_equal(layout.entry_age, [0, 0, 1, 1, 1, 0, 0, 0, 0])
    # A ring of two rows of 11, whose newest row is the first or the second; the command is behind them.
    np.testing.assert_array_equal(
        layout.entry_place, [[9, 10, 11, 12, 13, 0, 1, 2, 22], [20, 21, 0, 1, 2, 11, 12, 13, 22]]
    )


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([], "An observation without terms shows nothing; name at least one."),
        ([GYRO, GYRO], "Observation terms share the names base_ang_vel; give each its own."),
        (
            [ProprioceptionTerm("a", "gyros")],  # type: ignore[arg-type]
            "Unknown source of observation term 'a': 'gyros'; valid: gyro, gravity, joint_pos, joint_vel, "
            "last_action, foot_contact, command.",
        ),
        (
            [ProprioceptionTerm("a", "gyro", 0)],
            "Observation term 'a' has history 0; a term has at least 1 step.",
        ),
        (
            [ProprioceptionTerm("a", "command", 2)],
            "Observation term 'a' shows the command with history 2; a command has no history.",
        ),
        (
            [ProprioceptionTerm("a", "foot_contact")],
            "Observation term 'a' shows 'foot_contact', which this robot has none of; leave the term out.",
        ),
    ],
)
def test_terms_that_cannot_be_shown_are_refused(terms: list, message: str) -> None:
    with pytest.raises(SurefootError) as caught:
        ObservationLayout(terms, num_joints=2)
    assert str(caught.value) == message
