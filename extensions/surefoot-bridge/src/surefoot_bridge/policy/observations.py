"""From a robot's reports to what its policy sees, as the contract says."""

from dataclasses import dataclass
from typing import Dict, List, Mapping, Tuple

import numpy as np

from surefoot_bridge.contract import SOURCES, Contract, Source
from surefoot_bridge.state import RobotState, gravity_in_frame
from surefoot_bridge.state.batch import begun, require_shape, some

_QUATERNION_DIM = 4


@dataclass(frozen=True)
class ObservationState:
    """What is remembered from one control step to the next.

    Attributes:
        shown: The last observation, in which each term holds its own history, (..., dim), float32.
        fresh: Where an episode begins, so that the next reading fills the history, (...,), bool.
    """

    shown: np.ndarray
    fresh: np.ndarray


class Observations:
    """What the policy of a contract sees, for any batch shape. It holds no state of its own.

    The newest step of each term is ``clip(scale (x - default))``; ``default`` is the default pose for ``joint_pos`` and
    0 otherwise. The older steps are those of the last observation, one step on. The first reading of an episode stands
    for all before it, and the last action is 0 then, as in training.

    Joints and feet are in the policy's order; a report has joints in the order of the robot's interface, and feet as
    the contract names them. The arithmetic is in float64, the observation in float32.

    Args:
        contract: The contract.
    """

    def __init__(self, contract: Contract) -> None:
        self.dim = contract.network.observation_dim
        """Length of an observation."""
        self.term_slices: Dict[str, slice] = {}
        """Where each term stands, by its name, in their order."""
        self.contact_force_n = contract.observation.foot_contact_force_n
        """Force from which a foot is in contact [N]."""
        self._read: Dict[Source, Tuple[str, str, int]] = {}  # field of the report, its name in messages, and width
        starts: Dict[Source, int] = {}  # of each source, in a row of all that they are made from
        row_dim, start, now_dim = 0, 0, 0
        self._taken: List[Tuple[Source, np.ndarray]] = []  # of each term its source, and the places in that
        constants: List[np.ndarray] = []
        shift: List[np.ndarray] = []
        fill: List[np.ndarray] = []
        for term in contract.observation.terms:
            in_sdk_order = SOURCES[term.source].frame == "joints"
            order = contract.policy_order if in_sdk_order else range(term.dim)
            self._taken.append((term.source, np.array(order, dtype=np.int64)))
            if term.source not in starts:
                starts[term.source] = row_dim
                row_dim += term.dim
                array, width = SOURCES[term.source].array, _QUATERNION_DIM if term.source == "gravity" else term.dim
                self._read[term.source] = (array, f"report.{array}" if array else term.source, width)
            default = contract.robot.default_joint_pos_rad if term.source == "joint_pos" else np.zeros(term.dim)
            largest = np.inf if term.clip_at is None else term.clip_at
            if term.source == "last_action":  # clip(scale clip(a, A), B) = clip(scale a, min(|scale| A, B)), exactly
                largest = min(largest, abs(term.scale) * contract.action.clip_at)
            constants.append(np.array([default, *([number] * term.dim for number in (term.scale, largest))]))
            stop = start + term.dim * term.history
            now = now_dim + np.arange(term.dim)
            shift += [np.arange(start + term.dim, stop), self.dim + now]  # oldest step out, newest in
            fill.append(np.tile(now, term.history))
            self.term_slices[term.name] = slice(start, stop)
            start, now_dim = stop, now_dim + term.dim
        self._column = self.columns(starts)
        self.default, self.scale, self.high = np.concatenate(constants, axis=1)
        """Of each number of the newest step what it is compared to, its factor and its largest size."""
        self.low = -self.high
        self.shift = np.concatenate(shift)
        """Where each number of the observation stands in the last one with the newest step behind it, (dim,)."""
        self._fill = np.concatenate(fill)  # places in the newest step

    @property
    def sources(self) -> Tuple[Source, ...]:
        """What is shown, each source once."""
        return tuple(self._read)

    def columns(self, starts: Mapping[Source, int]) -> np.ndarray:
        """Return where each number of the newest step stands in a row in which each source begins somewhere."""
        return np.concatenate([starts[source] + places for source, places in self._taken])

    def initial(self, batch_shape: Tuple[int, ...]) -> ObservationState:
        """Return the state before the first reading of an episode.

        Args:
            batch_shape: Shape of the batch; ``()`` for one robot.
        """
        return ObservationState(np.zeros((*batch_shape, self.dim), np.float32), np.ones(batch_shape, dtype=bool))

    def reset(self, state: ObservationState, mask: np.ndarray) -> ObservationState:
        """Return the state in which the next reading of some robots is the first of an episode.

        Args:
            state: The state.
            mask: True where an episode begins, of the batch shape, bool.

        Raises:
            SurefootError: If it is no such mask.
        """
        return ObservationState(state.shown.copy(), begun(state.fresh, mask))

    def __call__(
        self, state: ObservationState, report: RobotState, command: np.ndarray, last_action: np.ndarray
    ) -> Tuple[np.ndarray, ObservationState]:
        """Return what the policy sees.

        Args:
            state: The state after the last control step.
            report: The robot's report; only what the terms show is read.
            command: What the controller is asked to do, in the order of the contract's ``command.names``, (..., names).
            last_action: The policy's last output in its own order, clipped or not, (..., num_joints). It is not read
                where an episode begins.

        Returns:
            The observation (..., dim), float32, and the next state. They share no memory with each other or the inputs.

        Raises:
            SurefootError: If an array is not of the shape that contract and state demand.
        """
        inputs: Dict[Source, np.ndarray] = {"last_action": last_action, "command": command}
        fresh = state.fresh
        require_shape("state.shown", state.shown, fresh.shape, self.dim)
        for source, (array, name, width) in self._read.items():
            if array:
                inputs[source] = getattr(report, array)
            require_shape(name, inputs[source], fresh.shape, width)
        begins = some(fresh)

        if "gravity" in inputs:
            inputs["gravity"] = gravity_in_frame(np.asarray(report.imu_quat_wxyz, dtype=np.float64))
        if "foot_contact" in inputs:
            inputs["foot_contact"] = report.foot_force_n > self.contact_force_n
        if begins:
            inputs["last_action"] = np.where(fresh[..., None], 0.0, last_action)
        row = np.concatenate([inputs[source] for source in self._read], axis=-1)
        now = (row.take(self._column, axis=-1) - self.default) * self.scale
        now = np.minimum(np.maximum(now, self.low), self.high).astype(np.float32)

        observation = np.concatenate((state.shown, now), axis=-1).take(self.shift, axis=-1)
        if begins:
            observation = np.where(fresh[..., None], now.take(self._fill, axis=-1), observation)
        return observation, ObservationState(observation.copy(), np.zeros(fresh.shape, dtype=bool))
