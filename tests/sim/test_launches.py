"""What a control step and training ask of the device, against their budget."""

import pytest
from tests.sim.children import ask

pytestmark = pytest.mark.sim


@pytest.fixture(scope="module")
def seen() -> dict:
    """The task as it is."""
    return ask("launches_probe", "as_it_is")


def test_a_control_step_and_training_keep_within_the_budget(seen: dict) -> None:
    assert seen["over"] == []
    assert seen["figures"]["launches_eager"] > 20.0  # something was counted
    assert {name: row["launches"] for name, row in seen["rewards"].items()} == {"": 1.0}


def test_a_reward_that_reads_the_host_breaks_the_budget_and_is_named(seen: dict) -> None:
    planted = ask("launches_probe", "planted")
    assert {"waits", "waits_terms"} <= {line.split(" is ")[0] for line in planted["over"]}
    assert (
        planted["rewards"]["planted"]["waits"]
        == planted["figures"]["waits_terms"]
        == planted["figures"]["waits"]
        == 1.0
    )
