"""Policy, operator and clock with faults; each wraps the real one."""

import time
from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from surefoot_bridge.clock import Clock, MonotonicClock, SimulatedClock
from surefoot_bridge.operators import Operator, OperatorInput
from surefoot_bridge.policy import Memory, Policy
from surefoot_bridge.state import Request

from .part_kinds import ANSWERS, CREEPS_BACK_S, RANDOM_STALLS, STALLS, WISHES, Answering, Wishing
from .remote_kinds import REMOTE_KINDS, FaultyRemote
from .timeline import Injection

_SLOW_S = {"policy_slow": 0.06, "policy_bit_slow": 0.008}
_STALL_S = {"loop_stalls": (0.05, 0.0), "loop_stalls_long": (1.0, 0.0), **STALLS}
_KEPT = 8  # answers, more than the longest delay has
_JUMP_S = {"loop_clock_ahead": 1.0, "loop_clock_back": -1.0}


class SpendingClock(MonotonicClock):
    """The computer's clock, on which what takes time really takes it."""

    def spend(self, duration_s: float) -> None:
        """Let time pass [s]."""
        time.sleep(duration_s)


TrueClock = SimulatedClock | SpendingClock


class FaultyPolicy(Policy):
    """A policy that fails while a fault is on.

    Args:
        policy: The policy.
        injection: The fault.
        clock: The true clock; a slow policy spends its time.
    """

    def __init__(self, policy: Policy, injection: Injection, *, clock: TrueClock) -> None:
        self.observation_dim, self.action_dim = policy.observation_dim, policy.action_dim
        self.recurrent, self.runtime = policy.recurrent, policy.runtime
        self._policy, self._injection, self._clock = policy, injection, clock
        self._generator = np.random.default_rng(injection.seed)
        self._past: deque[np.ndarray] = deque(maxlen=_KEPT)
        self._number = 0

    def __call__(self, observation: np.ndarray, memory: Memory) -> tuple[np.ndarray, Memory]:
        """Return what the fault makes of the policy's answer."""
        action, memory = self._policy(observation, memory)
        name = self._injection.fault.name
        if not self._injection.on(self._clock.now()):
            self._past.append(action)
            return action, memory
        if name in ANSWERS:
            spoilt = Answering(action, tuple(self._past) or (action,), self._number, self._generator, self._clock.spend)
            self._past.append(action)
            self._number += 1
            return ANSWERS[name](spoilt), memory
        if name in ("policy_raises", "policy_raises_once"):
            raise RuntimeError("an injected fault of the policy")
        if name in _SLOW_S:
            self._clock.spend(_SLOW_S[name])
        elif name in ("policy_nan", "policy_infinite"):
            action = action.copy()
            action[self._injection.seed % len(action)] = np.nan if name == "policy_nan" else np.inf
        elif name == "policy_huge":
            action = 1e6 * action
        elif name == "policy_random":
            action = self._generator.uniform(-10.0, 10.0, action.shape).astype(np.float32)
        elif name == "policy_frozen" and self._past:
            action = self._past[-1]
        elif name == "policy_shape":
            action = action[:-1]
        return action, memory


class FaultyOperator(Operator):
    """An operator who fails while a fault is on."""

    def __init__(self, operator: Operator, injection: Injection, *, clock: Clock) -> None:
        name, self._at_remote = injection.fault.name, injection.fault.name in REMOTE_KINDS
        if self._at_remote:
            operator = FaultyRemote(operator, name, injection.on, seed=injection.seed, clock=clock)
        self._operator, self._injection, self._clock = operator, injection, clock
        self._generator = np.random.default_rng(injection.seed)
        self._heard_s, self._sign = 0.0, 1.0

    def read(self, time_s: float) -> OperatorInput:
        """Return what the fault makes of what the operator wants."""
        wish, name = self._operator.read(time_s), self._injection.fault.name
        if self._at_remote or not self._injection.on(self._clock.now()):
            self._heard_s = wish.heartbeat_s
            return wish
        if name in WISHES:
            return WISHES[name](Wishing(wish, self._clock.now() - self._injection.start_s, self._heard_s))
        velocity = wish.velocity_command.copy()
        if name == "operator_raises":
            raise OSError("an injected fault: the joystick is gone")
        if name == "operator_stops":
            return replace(wish, stop=True)
        if name == "operator_silent":
            return replace(wish, heartbeat_s=self._heard_s)
        if name == "operator_nan":
            velocity[self._injection.seed % len(velocity)] = np.nan
        elif name == "operator_huge":
            velocity = 1000.0 * np.sign(velocity + 1e-9)
        elif name == "operator_flickers":
            self._sign = -self._sign
            velocity = self._sign * velocity
        elif name == "operator_babbles":
            return replace(wish, request=Request(int(self._generator.integers(len(Request)))))
        return replace(wish, velocity_command=velocity)

    def close(self) -> None:
        """Let go of the operator."""
        self._operator.close()


class FaultyClock(Clock):
    """A clock that stalls or jumps while a fault is on.

    Args:
        clock: The true clock.
        injection: The fault; None for a clock that is right.
    """

    def __init__(self, clock: TrueClock, injection: Injection | None) -> None:
        self._clock, self._injection = clock, injection
        self._generator = np.random.default_rng(0 if injection is None else injection.seed)
        self._stalled_s: float | None = None

    def now(self) -> float:
        """Return the time, wrong by a jump while that is on [s]."""
        true_s = self._clock.now()
        injection: Any = self._injection
        if injection is None or not injection.on(true_s):
            return true_s
        if injection.fault.name == "loop_clock_creeps":
            return true_s - CREEPS_BACK_S * ((true_s - injection.start_s) // 0.1)
        return true_s + _JUMP_S.get(injection.fault.name, 0.0)

    def sleep_until(self, time_s: float) -> None:
        """Return at a time of this clock [s], or as much later as the loop is held up."""
        self._clock.sleep_until(self._clock.now() + (time_s - self.now()))
        injection, now_s = self._injection, self._clock.now()
        if injection is None or not injection.on(now_s):
            return
        duration_s, again_s = _STALL_S.get(injection.fault.name, (0.0, 0.0))
        if self._stalled_s is None or (again_s > 0.0 and now_s - self._stalled_s >= again_s):
            self._stalled_s = now_s
            share = self._generator.uniform() if injection.fault.name in RANDOM_STALLS else 1.0
            self._clock.spend(share * duration_s)
