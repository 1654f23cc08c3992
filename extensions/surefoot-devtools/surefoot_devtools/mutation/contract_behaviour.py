"""What a robot's joints are told with one bundle's parts and with another's, on the same recorded reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from surefoot_bridge.bundle import CONTRACT_FILE, Golden
from surefoot_bridge.contract import Contract, read_contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import RUNTIMES, Observations, Policy, RuntimeName, Targets, load_policy
from surefoot_bridge.state import JointCommand, RobotState, each, stack

_BY_JOINT = ("joint_pos_rad", "joint_vel_rad_s", "joint_torque_nm", "motor_temperature_c")


@dataclass(frozen=True)
class Chain:
    """What stands between a robot's report and its joints."""

    contract: Contract
    policy: Policy


def open_chain(files: Mapping[str, bytes], runtime: RuntimeName) -> Chain:
    """Open contract and policy without any of a bundle's checks but that they can be read.

    Raises:
        SurefootError: If they cannot.
    """
    try:
        text = files[CONTRACT_FILE].decode()
    except (KeyError, UnicodeDecodeError) as error:
        raise SurefootError(f"There is no contract that can be read: {error}.") from error
    contract = read_contract(text, where=CONTRACT_FILE)
    try:
        return Chain(contract, load_policy(runtime, files, contract.network, where="the files"))
    except KeyError as error:
        raise SurefootError(f"There is no {error}.") from error


@dataclass(frozen=True)
class Ride:
    """Reports of a robot and commands, which are shown to a policy in turn, or each by itself.

    Attributes:
        report: Reports, (num_steps, ...) each.
        command: What the policy is asked to do, (num_steps, num_commands).
        begins: True where an episode begins, (num_steps,).
        applied: Actions that the joints get instead of the policy's, (num_steps, num_joints); NaN where they get its.
    """

    report: RobotState
    command: np.ndarray
    begins: np.ndarray
    applied: np.ndarray

    @staticmethod
    def of(golden: Golden) -> Ride:
        """Return the ride that a golden trace recorded."""
        own = (golden.applied_action == golden.action).all(axis=1, keepdims=True)
        return Ride(golden.report, golden.command, golden.begins, np.where(own, np.nan, golden.applied_action))


def drive(chain: Chain, ride: Ride) -> tuple[np.ndarray, np.ndarray, np.ndarray, JointCommand]:
    """Run observation, policy and targets over recorded reports, each fed with what came out of the one before.

    Returns:
        Observations (num_steps, observation_dim), actions and those that were applied (num_steps, action_dim), float32,
        and what the joints are told, (num_steps, num_joints) each.

    Raises:
        SurefootError: If the parts fit neither each other nor the reports.
    """
    observations, targets, policy = Observations(chain.contract), Targets(chain.contract), chain.policy
    observer, memory, target = observations.initial(()), policy.initial(()), targets.initial(())
    last = np.zeros(len(chain.contract.robot.joint_names), np.float32)
    observed, acted, applied, told = [], [], [], []
    begin = np.array(True)
    for step in range(len(ride.begins)):
        if ride.begins[step]:
            observer, memory = observations.reset(observer, begin), policy.reset(memory, begin)
            target = targets.reset(target, begin)
        here = each(ride.report, lambda array, step=step: array[step])
        observation, observer = observations(observer, here, ride.command[step], last)
        action, memory = policy(observation, memory)
        last = action if np.isnan(ride.applied[step, 0]) else ride.applied[step].astype(np.float32)
        joint_command, target = targets(target, last)
        observed.append(observation)
        acted.append(action)
        applied.append(last)
        told.append(joint_command)
    return np.stack(observed), np.stack(acted), np.stack(applied), stack(tuple(told))


def answer(chain: Chain, ride: Ride) -> JointCommand:
    """Return what the joints are told in the first step of an episode, for each report by itself."""
    batch = (len(ride.begins),)
    observations, targets = Observations(chain.contract), Targets(chain.contract)
    none = np.zeros((*batch, len(chain.contract.robot.joint_names)), np.float32)
    observation, _ = observations(observations.initial(batch), ride.report, ride.command, none)
    action, _ = chain.policy(observation, chain.policy.initial(batch))
    return targets(targets.initial(batch), action)[0]


SPREAD = 4096
"""Commands from all of the trained range under which behaviour is measured beside the golden trace."""


class Behaviour:
    """What the joints are told with a bundle's own parts; others are measured against it.

    It is measured over the golden trace, and for reports of it under random commands from the whole trained range. The
    reports come from a robot whose joints, feet and command are in the order of the bundle's contract. A robot may
    hand them over in their places, or look each up by the name that a contract has for it: both are measured, and the
    larger difference counts.

    Args:
        files: Content of the bundle's files by name.
        golden: The golden trace.
    """

    def __init__(self, files: Mapping[str, bytes], golden: Golden) -> None:
        self._files = files
        self._robot = read_contract(files[CONTRACT_FILE].decode(), where=CONTRACT_FILE)
        generator = np.random.default_rng(7)
        steps = generator.integers(golden.num_steps, size=SPREAD)
        low, high = (np.array([getattr(ends, end) for ends in self._robot.command.trained]) for end in ("low", "high"))
        spread = Ride(
            each(golden.report, lambda array: array[steps]),
            generator.uniform(low, high, (SPREAD, len(low))),
            np.ones(SPREAD, dtype=bool),
            np.full((SPREAD, 1), np.nan),
        )
        self._rides = (Ride.of(golden), spread)
        self._told: dict[RuntimeName, tuple[JointCommand, JointCommand]] = {}

    def deviation(self, files: Mapping[str, bytes], runtime: RuntimeName) -> float | None:
        """Return how far the joints are told something else with these files, or at another rate.

        Args:
            files: Content of the files by name.
            runtime: By what both policies are run.

        Returns:
            Largest difference of a number that a joint is told, absolute up to a value of 1 and relative above, or of
            the control period, as a share of it. None if the parts cannot be run: then no joint is told anything.
        """
        if runtime not in self._told:
            self._told[runtime] = _tell(open_chain(self._files, runtime), self._rides)
        if all(files.get(name) == self._files[name] for name in (CONTRACT_FILE, RUNTIMES[runtime][0])):
            return 0.0  # the same contract and policy are told the same
        robot = self._robot
        try:
            chain = open_chain(files, runtime)
            found = [_tell(chain, self._rides)]
            if _named(chain.contract) != _named(robot):
                found.append(self._told_by_name(chain, robot))
        except SurefootError:
            return None
        differences = [_difference(*pair) for told in found for pair in zip(self._told[runtime], told, strict=True)]
        period = robot.timing.control_period_s
        return max(*differences, abs(chain.contract.timing.control_period_s / period - 1.0))

    def _told_by_name(self, chain: Chain, robot: Contract) -> tuple[JointCommand, JointCommand]:
        """Return what the robot's joints are told if all is looked up by name, in the robot's own order."""
        contract = chain.contract
        joints = _places(contract.robot.sdk_joint_names, robot.robot.sdk_joint_names, "joint")
        commands = _places(contract.command.names, robot.command.names, "component of the command")
        rides = []
        for ride in self._rides:
            report = replace(ride.report, **{name: getattr(ride.report, name)[:, joints] for name in _BY_JOINT})
            if report.foot_force_n.shape[1]:
                feet = _places(contract.robot.foot_names, robot.robot.foot_names, "foot")
                report = replace(report, foot_force_n=report.foot_force_n[:, feet])
            rides.append(replace(ride, report=report, command=ride.command[:, commands]))
        back = np.argsort(joints)
        first, second = _tell(chain, (rides[0], rides[1]))
        return each(first, lambda array: array[:, back]), each(second, lambda array: array[:, back])


def _tell(chain: Chain, rides: tuple[Ride, Ride]) -> tuple[JointCommand, JointCommand]:
    """Return what the joints are told over the golden trace and under the other commands."""
    return drive(chain, rides[0])[3], answer(chain, rides[1])


def _named(contract: Contract) -> tuple[tuple[str, ...], ...]:
    return contract.robot.sdk_joint_names, contract.robot.foot_names, contract.command.names


def _places(names: tuple[str, ...], there: tuple[str, ...], what: str) -> list[int]:
    unknown = [name for name in names if name not in there]
    if unknown or len(names) != len(there):
        raise SurefootError(f"The robot has other names for each {what}: {', '.join(there)}.")
    return [there.index(name) for name in names]


def _difference(expected: JointCommand, found: JointCommand) -> float:
    largest = 0.0
    for item in fields(JointCommand):
        one, other = getattr(expected, item.name), getattr(found, item.name)
        if one.shape != other.shape:
            raise SurefootError(f"{other.shape[-1]} joints are told something; the robot has {one.shape[-1]}.")
        off = np.abs(other - one) / np.maximum(1.0, np.abs(one))
        largest = max(largest, float(np.nan_to_num(off, nan=np.inf).max()))
    return largest
