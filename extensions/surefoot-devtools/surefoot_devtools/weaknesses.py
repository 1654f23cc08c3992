"""Policies of planted weakness, which the red flags must find: a healthy policy, wrapped, and nothing else changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from surefoot_bridge.bundle import Bundle
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import unknown_name
from surefoot_bridge.policy import Memory, Policy
from surefoot_robots import RobotSpec, get_robot

DELAY_S = 0.1
"""By how much answers of the delayed policy come late [s]."""

SMALL_COMMAND = 0.35
"""Commands [m/s and rad/s] below which the policy with a dead zone stands."""

SLOW_WAY = 0.08
"""Forward speed [m/s] of the policy that wanders."""

_DEPTH = 8
"""How many answers are remembered."""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What a weakness may look at, for any batch shape.

    Attributes:
        contract: The contract.
        spec: The robot.
        observation: What the policy is shown, (..., observation_dim).
        past: Answers of the healthy policy, this one first, (..., at least 8, num_joints).
        steps: How many answers came before in this episode, (..., 1).
    """

    contract: Contract
    spec: RobotSpec
    observation: np.ndarray
    past: np.ndarray
    steps: np.ndarray

    @property
    def action(self) -> np.ndarray:
        """The healthy policy's answer, (..., num_joints)."""
        return self.past[..., 0, :]

    @property
    def time_s(self) -> np.ndarray:
        """Time since the beginning of the episode [s], (..., 1)."""
        return self.steps * self.contract.timing.control_period_s

    @property
    def command(self) -> np.ndarray:
        """The command that is shown, in its own units, (..., 3)."""
        place, scale = term_of(self.contract, "command")
        return self.observation[..., place] / scale

    def joints(self, group: str) -> np.ndarray:
        """Return 1 for joints of a group of the robot's and 0 for all others, (num_joints,)."""
        chosen = self.spec.joints_of(group)
        return np.array([float(name in chosen) for name in self.contract.robot.joint_names], np.float32)

    def swing(self, group: str, frequency_hz: float) -> np.ndarray:
        """Return a sine of time for joints of a group of the robot's and 0 for all others, (..., num_joints)."""
        return self.joints(group) * np.sin(2.0 * np.pi * frequency_hz * self.time_s)


@dataclass(frozen=True, kw_only=True)
class Weakness:
    """A weakness.

    Attributes:
        description: What is wrong with the policy.
        flag: Rule of the red flags that must find it.
        shown: What the healthy policy is shown instead, by contract and observation; None for what is true.
        answer: What is answered instead of the healthy policy's answer; None for that.
    """

    description: str
    flag: str
    shown: Callable[[Contract, np.ndarray], np.ndarray] | None = None
    answer: Callable[[Moment], np.ndarray] | None = None


class WeakPolicy(Policy):
    """A healthy policy with a weakness; its memory goes in and comes out as that of any policy."""

    def __init__(self, policy: Policy, contract: Contract, weakness: Weakness) -> None:
        self.runtime, self.observation_dim, self.action_dim = policy.runtime, policy.observation_dim, policy.action_dim
        self.recurrent = policy.recurrent
        self._policy, self._contract, self._weakness = policy, contract, weakness
        self._spec = get_robot(contract.robot.name)

    def __call__(self, observation: np.ndarray, memory: Memory) -> tuple[np.ndarray, Memory]:
        """Return the weak policy's action, and the memory for the next step; shapes are those of any policy."""
        *inner, past, steps = memory.arrays
        weakness, shown = self._weakness, observation
        if weakness.shown is not None:
            shown = weakness.shown(self._contract, observation.copy())
        action, following = self._policy(shown, Memory(tuple(inner)))
        past = np.concatenate([action[..., None, :], past[..., :-1, :]], axis=-2)
        answer = action
        if weakness.answer is not None:
            answer = weakness.answer(
                Moment(
                    contract=self._contract,
                    spec=self._spec,
                    observation=observation,
                    past=past,
                    steps=steps[..., 0],
                )
            )
        return answer.astype(np.float32), Memory((*following.arrays, past, steps + np.float32(1.0)))

    def initial(self, batch_shape: tuple[int, ...]) -> Memory:
        """Return the memory at the start of an episode: zeros, and no answer yet."""
        past = np.zeros((*batch_shape, _DEPTH, self.action_dim), np.float32)
        return Memory((*self._policy.initial(batch_shape).arrays, past, np.zeros((*batch_shape, 1, 1), np.float32)))


def weakened(bundle: Bundle, name: str) -> Bundle:
    """Return a bundle whose policy has a weakness.

    Args:
        bundle: A healthy bundle.
        name: One of :data:`WEAKNESSES`.

    Raises:
        SurefootError: If there is no such weakness.
    """
    if name not in WEAKNESSES:
        raise unknown_name("weakness", name, WEAKNESSES)
    return replace(bundle, policy=WeakPolicy(bundle.policy, bundle.contract, WEAKNESSES[name]))


def term_of(contract: Contract, source: str) -> tuple[slice, float]:
    """Return where the observation holds a source, with its history, and the scale of it."""
    begin = 0
    for term in contract.observation.terms:
        end = begin + term.dim * term.history
        if term.source == source:
            return slice(begin, end), term.scale
        begin = end
    raise unknown_name("source of the observation", source, [term.source for term in contract.observation.terms])


def _swapped_legs(moment: Moment) -> np.ndarray:
    names = moment.contract.robot.joint_names
    return moment.action[..., [names.index(moment.spec.joint_mirror[name][0]) for name in names]]


def _delayed(moment: Moment) -> np.ndarray:
    return moment.past[..., round(DELAY_S / moment.contract.timing.control_period_s), :]


def _small_commands_cut(contract: Contract, observation: np.ndarray) -> np.ndarray:
    place, scale = term_of(contract, "command")
    command = observation[..., place]
    small = np.abs(command / scale).max(axis=-1, keepdims=True) < SMALL_COMMAND
    observation[..., place] = np.where(small, 0.0, command)
    return observation


def _zero_shifted(contract: Contract, observation: np.ndarray) -> np.ndarray:
    place, scale = term_of(contract, "command")
    command = observation[..., place]
    stands = np.abs(command).max(axis=-1, keepdims=True) == 0.0
    ahead = scale * np.array([SLOW_WAY, 0.0, 0.0], np.float32)
    observation[..., place] = np.where(stands, ahead, command)
    return observation


def _stiff_hips(moment: Moment) -> np.ndarray:
    return moment.action * (1.0 - moment.joints("abduction"))


def _low_steps(moment: Moment) -> np.ndarray:
    return moment.action * (1.0 - 0.38 * (moment.joints("knee") + moment.joints("hip")))


def _long_leg(moment: Moment) -> np.ndarray:
    leg = moment.spec.leg_joints(moment.contract.robot.foot_names[0])
    of_leg = np.array([float(name in leg) for name in moment.contract.robot.joint_names], np.float32)
    return moment.action + of_leg * moment.joints("knee")


def _wasteful(moment: Moment) -> np.ndarray:
    return moment.action + 1.5 * moment.swing("hip", 8.0)


def _sweeping(moment: Moment) -> np.ndarray:
    turns = np.abs(moment.command[..., 2:]) > 0.2
    return moment.action + np.where(turns, 1.9 * moment.swing("hip", 3.5), 0.0)


def _restless(moment: Moment) -> np.ndarray:
    stands = np.abs(moment.command).max(axis=-1, keepdims=True) < 0.1
    return np.where(stands, _wasteful(moment), moment.action)


def _trembling(moment: Moment) -> np.ndarray:
    return moment.action + np.where(moment.steps % 2 == 0, 0.8, -0.8)


_TABLE: dict[str, Weakness] = {
    "scaled_actions": Weakness(
        description="Actions are half as large.", flag="does_not_walk", answer=lambda moment: 0.5 * moment.action
    ),
    "swapped_legs": Weakness(
        description="Left legs get what is meant for right ones.", flag="does_not_walk", answer=_swapped_legs
    ),
    "half_trained": Weakness(
        description="Actions are three quarters as large, as of a policy that is not there yet.",
        flag="not_converged",
        answer=lambda moment: 0.75 * moment.action,
    ),
    "stiff_hips": Weakness(description="It never steps aside.", flag="balance", answer=_stiff_hips),
    "low_steps": Weakness(description="Thighs and knees move less.", flag="shuffling", answer=_low_steps),
    "long_leg": Weakness(description="A knee is 14 degrees too straight.", flag="limping", answer=_long_leg),
    "wasteful": Weakness(description="Thighs swing at 8 Hz for nothing.", flag="high_energy", answer=_wasteful),
    "sweeping": Weakness(
        description="Legs sweep back and forth at 3.5 Hz in turns, also those that stand.",
        flag="slips_turning",
        answer=_sweeping,
    ),
    "dead_zone": Weakness(
        description=f"Commands below {SMALL_COMMAND} m/s and rad/s are cut to 0.",
        flag="dead_zone",
        shown=_small_commands_cut,
    ),
    "delayed": Weakness(description=f"Answers come {DELAY_S * 1000:.0f} ms late.", flag="jerky", answer=_delayed),
    "trembling": Weakness(description="Targets alternate.", flag="jerky", answer=_trembling),
    "restless": Weakness(description="Thighs swing where it is to stand.", flag="hot_idle", answer=_restless),
    "wandering": Weakness(
        description=f"It walks at {SLOW_WAY} m/s where it is to stand.", flag="wanders", shown=_zero_shifted
    ),
}

WEAKNESSES: Mapping[str, Weakness] = MappingProxyType(_TABLE)
"""All weaknesses by name."""
