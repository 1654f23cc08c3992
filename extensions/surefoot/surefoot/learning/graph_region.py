"""A part of training that asks the same of a GPU each time: recorded once as a graph, and launched as a whole."""

from __future__ import annotations

import logging
from collections.abc import Callable

import torch

_LOG = logging.getLogger(__name__)

EAGER_RUNS = 3
"""Runs before one is recorded: libraries choose their kernels and ask for memory in them, the optimiser for its
moments."""


class GraphRegion:
    """Runs a function, on a GPU by one launch as soon as it is recorded; anywhere else as it is written.

    What the function reads and writes must lie where it lay when it was recorded, it must not ask for a value of the
    device, and it returns nothing. Random numbers differ from launch to launch as they do without a graph.

    Args:
        name: What it does, for a message.
        function: What to run.
        device: Where it runs.
        may_record: Whether it can be recorded; not where processes wait for each other in it.
    """

    def __init__(self, name: str, function: Callable[[], None], device: str, *, may_record: bool = True) -> None:
        self.name = name
        self._function = function
        self._device = torch.device(device)
        self._may_record = may_record and self._device.type == "cuda"
        self._eager_runs = 0
        self._graph: torch.cuda.CUDAGraph | None = None
        self._stream: torch.cuda.Stream | None = None

    @property
    def is_recorded(self) -> bool:
        """Whether the next run is the launch of a graph."""
        return self._graph is not None

    def forget(self) -> None:
        """Drop the graph, because what it reads or writes lies elsewhere now."""
        self._graph, self._eager_runs = None, 0

    def run(self) -> None:
        """Run it."""
        if not self._may_record:
            self._function()
            return
        if self._graph is None and self._eager_runs >= EAGER_RUNS:
            self._record()
        if self._graph is None:
            self._run_beside()
        else:
            self._graph.replay()

    def _run_beside(self) -> None:
        """Run it on the stream that it will be recorded on: gradients are summed up on the one they were first on."""
        if self._stream is None:
            self._stream = torch.cuda.Stream(self._device)
        present = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(present)
        with torch.cuda.stream(self._stream):
            self._function()
        present.wait_stream(self._stream)
        self._eager_runs += 1

    def _record(self) -> None:
        graph = torch.cuda.CUDAGraph()
        try:
            # Other threads may go on asking the device for what they need.
            with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
                self._function()
        except RuntimeError as error:
            self._may_record = False
            reason = str(error).strip().splitlines()[0]
            _LOG.warning("%s runs kernel by kernel, which is slower, because no graph holds it: %s", self.name, reason)
        else:
            self._graph = graph
