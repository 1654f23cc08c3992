"""What of a verification has been done, and how long the rest will take."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from surefoot.evaluation.engines.choice import MUJOCO

ASSUMED_COST = {MUJOCO: 0.02}
"""Processor time of one simulated second of a trial [s] until some of it has been measured. On two shared cores it was
0.015 to 0.02 in MuJoCo, 0.03 in PhysX and 0.15 to 0.2 in Newton, with 50 Go2 side by side."""

_ASSUMED_ELSEWHERE = 0.1
"""The same in PhysX and Newton: between both."""

_TOLD_S = 20.0
"""Simulated time after which what was measured is believed [s]."""


@dataclass
class _UnderWay:
    """A request that a worker is at: the simulated time that it asks for [s], and how far it is."""

    name: str
    work_s: float
    since_s: float
    share: float = 0.0


@dataclass
class EngineTally:
    """What has been done in one engine.

    Attributes:
        engine: Its name.
        processes: Processes that run trials.
        work_s: Simulated time of all trials that are to be run [s].
        done_s: Simulated time of those that were [s].
        busy_s: Time that workers took for them [s].
    """

    engine: str
    processes: int
    work_s: float = 0.0
    done_s: float = 0.0
    busy_s: float = 0.0
    under_way: dict[object, _UnderWay] = field(default_factory=dict)

    def left_s(self, now_s: float) -> float:
        """Return how long the rest will take [s], by what the part that is done took."""
        going = self.under_way.values()
        done_s = self.done_s + sum(item.share * item.work_s for item in going)
        cost = ASSUMED_COST.get(self.engine, _ASSUMED_ELSEWHERE)
        if done_s > _TOLD_S:
            cost = (self.busy_s + sum(now_s - item.since_s for item in going)) / done_s
        return max(self.work_s - done_s, 0.0) * cost / self.processes


@dataclass
class Tally:
    """What has been done.

    Attributes:
        engines: By engine, what is to be done there.
        trials: Number of trials that were run.
        spent_s: Where their time went, by the names of :class:`~surefoot.evaluation.running.timing.TimeSpent` [s].
        clock: A clock that goes forward [s].
    """

    engines: dict[str, EngineTally] = field(default_factory=dict)
    trials: int = 0
    spent_s: Counter[str] = field(default_factory=Counter)
    clock: Callable[[], float] = time.monotonic

    @property
    def done_s(self) -> float:
        """Simulated time of the trials that were run [s]."""
        return sum(engine.done_s for engine in self.engines.values())

    def begin(self, engine: str, key: object, name: str, work_s: float) -> None:
        """Let a worker begin with a request for so much simulated time."""
        self.engines[engine].under_way[key] = _UnderWay(name, work_s, self.clock())

    def advance(self, engine: str, key: object, share: float) -> None:
        """Let it be as far as that, in [0, 1]."""
        self.engines[engine].under_way[key].share = share

    def finish(self, engine: str, key: object, *, trials: int, spent_s: dict[str, float]) -> None:
        """Let it be through with it."""
        tally = self.engines[engine]
        over = tally.under_way.pop(key)
        tally.done_s += over.work_s
        tally.busy_s += self.clock() - over.since_s
        self.trials += trials
        self.spent_s.update(spent_s)

    def left_s(self) -> float:
        """Return how long the rest will take [s]: MuJoCo has all processors first, then the others run side by side."""
        now_s = self.clock()
        left = {name: engine.left_s(now_s) for name, engine in self.engines.items()}
        return left.pop(MUJOCO, 0.0) + max(left.values(), default=0.0)

    def running(self) -> str:
        """Return what runs, in words."""
        names = {item.name: None for engine in self.engines.values() for item in engine.under_way.values()}
        return ", ".join(names)
