"""Control steps by a graph, in Newton, against those without."""

import pytest
from tests.sim.children import TASK, ask

pytestmark = pytest.mark.sim


@pytest.mark.parametrize(
    "task",
    [
        TASK,
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("Surefoot-Velocity-Flat-G1", "Surefoot-Velocity-Rough-Go2")
        ),
    ],
)
def test_steps_by_a_graph_go_on_as_without_one_bit_for_bit(task: str) -> None:
    seen = ask("captured_step_probe", "as_it_is", task)
    assert seen["by_graph"]
    assert seen["obstacles"] == []
    assert seen["resets"] >= 25
    assert seen["differing_steps"] == []
    assert seen["differing_state"] == []


def test_a_reward_that_reads_the_host_is_named_with_its_line_and_steps_are_taken_without_a_graph() -> None:
    seen = ask("captured_step_probe", "planted")
    assert not seen["by_graph"]
    assert {obstacle.split(" (")[0] for obstacle in seen["obstacles"]} == {"reads_the_host"}
    assert all("captured_step_probe.py:" in obstacle for obstacle in seen["obstacles"])
    assert seen["differing_steps"] == []
