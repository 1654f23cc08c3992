"""Counting what is asked of a device: by scope, with its waits and allocations, and what is over budget."""

import pytest
import torch
import warp as wp

from surefoot_devtools.benchmarking.counting import Tally, count_launches
from surefoot_devtools.benchmarking.launches_suite import figures_of, over_budget
from surefoot_devtools.benchmarking.launches_worker import LaunchesCount


@pytest.mark.parametrize(
    "read",
    [
        lambda values: values.sum().item(),
        lambda values: bool((values > 0.0).any()),
        lambda values: values[values > 0.0],
        lambda values: values.index_put_((values > 0.0,), torch.tensor(1.0)),
        lambda values: (values > 0.0).nonzero(),
        lambda values: values.cpu(),
        lambda values: values.numpy(),
        lambda values: values.tolist(),
        lambda values: torch.tensor([1.0], device="cpu"),
        lambda values: wp.array([1.0], dtype=float, device="cpu"),
        lambda values: wp.from_torch(values).numpy(),
    ],
)
def test_what_makes_the_host_wait_for_the_device_is_one_wait(read):
    values = torch.ones(4)
    assert count_launches(lambda: read(values)).waits.total() == 1


def test_what_stays_on_the_device_is_no_wait():
    values, ids = torch.ones(4), torch.tensor([0, 2])

    def call():
        values[ids] = 2.0
        values.masked_fill_(values > 1.0, 0.0)
        wp.from_torch(values)

    assert count_launches(call).waits.total() == 0


def test_an_allocation_is_memory_that_was_not_given():
    values, out = torch.ones(4), torch.empty(4)

    def call():
        torch.mul(values, 2.0, out=out)
        values.add_(1.0)
        _ = values + 1.0
        torch.empty(3)
        wp.zeros(3, dtype=float, device="cpu")
        wp.from_torch(values)

    seen = count_launches(call)
    assert seen.allocations == {"aten.add": 1, "aten.empty": 1, "warp array": 1}
    assert seen.torch_operations == {"aten.mul": 1, "aten.add_": 1, "aten.add": 1}  # `empty` launches nothing
    assert seen.transfers == {"warp zero_": 1}
    assert seen.total == 4


def test_work_is_counted_in_the_innermost_scope_and_nowhere_outside_of_scopes():
    tally, values = Tally(), torch.ones(4)
    with tally.opened():
        values.add_(1.0)
        with tally.scope("rewards"):
            values.add_(1.0)
            with tally.scope("trot"):
                values.mul_(2.0)
    assert {path: counted.total for path, counted in tally.of.items()} == {("rewards",): 1, ("rewards", "trot"): 1}


def test_what_is_captured_in_a_graph_is_one_launch():
    tally, values = Tally(), torch.ones(4)
    with tally.opened(), tally.scope("physics"), tally.captured("graph"):
        for _ in range(10):
            values.add_(1.0)
    assert (tally.of["physics",].total, tally.of["physics",].kernels) == (1, {"graph": 1})


def test_figures_are_sums_over_the_scopes_of_a_phase_and_what_exceeds_its_budget_is_named():
    def row(phase, launches, waits, manager="resets"):
        counts = {"launches": launches, "waits": waits, "allocations": 1.0}
        return {"phase": phase, "manager": manager, "term": "", **counts}

    rows = [row("step", 10.0, 1.0), row("step", 5.0, 0.5, "rewards")]
    rows += [row("training", 7.0, 0.0), row("iteration", 100.0, 3.0)]
    figures = figures_of(LaunchesCount(rows=rows))
    assert (figures["launches_eager"], figures["waits"], figures["allocations"]) == (15.0, 1.5, 2.0)
    assert (figures["launches_training"], figures["launches_iteration"], figures["waits_iteration"]) == (
        7.0,
        100.0,
        3.0,
    )
    assert (figures["launches_terms"], figures["waits_terms"]) == (5.0, 0.5)
    budget = {"launches_eager": 15.0, "waits": 1.0}
    assert over_budget(figures, budget) == ["waits is 1.5 a control step, above 1"]
