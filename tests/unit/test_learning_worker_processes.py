"""Processes that share the environments of a run: how many, and what happens when one fails."""

import argparse
import os
from pathlib import Path

import pytest

from surefoot.commands import train
from surefoot.learning.run_state import of_process
from surefoot.learning.worker_processes import WorkerProcesses, default_processes
from surefoot.ranks import RENDEZVOUS, Ranks
from surefoot_bridge.errors import SurefootError


@pytest.mark.parametrize(
    ("cores", "device", "num_envs", "expected"),
    [
        (2, "cpu", 1024, 2),
        (8, "cpu", 1024, 8),
        (16, "cpu", 1024, 8),  # 128 environments each at least
        (6, "cpu", 1024, 4),  # 1024 cannot be shared evenly by 6 or 5
        (2, "cpu", 255, 1),
        (16, "cpu", 1021, 1),  # a prime
        (16, "cuda:0", 4096, 1),
    ],
)
def test_each_core_gets_a_process_with_an_equal_share_of_enough_environments(
    monkeypatch, cores, device, num_envs, expected
):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(cores))
    assert default_processes(device, num_envs) == expected


def arguments(*words: str) -> dict:
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    return vars(parser.parse_args(words))


def test_a_process_that_ends_before_it_is_ready_is_named_with_its_last_words():
    before = dict(os.environ)
    with (
        pytest.raises(SurefootError, match="Training process 1 ended with exit status 2: surefoot: Unknown task 'no'"),
        WorkerProcesses(2, "surefoot.commands.train_worker", arguments("--task", "no")) as workers,
    ):
        assert os.environ["WORLD_SIZE"] == "2"
        folder = Path(os.environ[RENDEZVOUS])
        workers.wait_until_ready()
    assert dict(os.environ) == before
    assert not folder.exists()


def test_each_process_goes_on_from_its_own_simulation_and_another_number_of_them_from_new_episodes():
    content = {"actor": "network", "simulation": "first", "other_processes": [{"simulation": "second"}]}
    first, second, alone = (of_process(content, ranks) for ranks in (Ranks(0, 0, 2), Ranks(1, 1, 2), Ranks()))
    assert (first["simulation"], second["simulation"], alone["simulation"]) == ("first", "second", None)
    assert {state["actor"] for state in (first, second, alone)} == {"network"}
