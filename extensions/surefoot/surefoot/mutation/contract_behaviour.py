"""What a robot's joints are told with one bundle's parts and with another's, on the same recorded reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from surefoot_bridge.bundle import CONTRACT_FILE
from surefoot_bridge.contract import Contract, read_contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.golden import Golden
from surefoot_bridge.observations import Observations
from surefoot_bridge.policy import Policy
from surefoot_bridge.runtimes import RUNTIMES, RuntimeName, load_policy
from surefoot_bridge.state import JointCommand, RobotState, each, stack
from surefoot_bridge.targets import Targets

_BY_JOINT = ("joint_pos_rad", "joint_vel_rad_s", "joint_torque_nm", "motor_temperature_c")


@dataclass(frozen=True)
class Chain:
    """What stands between a robot's report and its joints.

    Attributes:
        contract: The contract.
        policy: The policy.
    """

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


def drive(
    chain: Chain, report: RobotState, command: np.ndarray, begins: np.ndarray
) -> tuple[np.ndarray, np.ndarray, JointCommand]:
    """Run observation, policy and targets over recorded reports, each fed with what came out of the one before.

    Args:
        chain: Contract and policy.
        report: Reports, (num_steps, ...) each.
        command: What the policy is asked to do, (num_steps, num_commands).
        begins: True where an episode begins, (num_steps,).

    Returns:
        Observations (num_steps, observation_dim), actions (num_steps, action_dim) and what the joints are told,
        (num_steps, num_joints) each.

    Raises:
        SurefootError: If the parts fit neither each other nor the reports.
    """
    observations, targets, policy = Observations(chain.contract), Targets(chain.contract), chain.policy
    observer, memory, target = observations.initial(()), policy.initial(()), targets.initial(())
    action = np.zeros(len(chain.contract.robot.joint_names), np.float32)
    observed, acted, told = [], [], []
    begin = np.array(True)
    for step in range(len(begins)):
        if begins[step]:
            observer, memory = observations.reset(observer, begin), policy.reset(memory, begin)
            target = targets.reset(target, begin)
        here = each(report, lambda array, step=step: array[step])
        observation, observer = observations(observer, here, command[step], action)
        action, memory = policy(observation, memory)
        joint_command, target = targets(target, action)
        observed.append(observation)
        acted.append(action)
        told.append(joint_command)
    return np.stack(observed), np.stack(acted), stack(tuple(told))


class Behaviour:
    """What the joints are told with a bundle's own parts; others are measured against it.

    The reports come from a robot whose joints, feet and command are in the order of the bundle's contract. A robot may
    hand them over in their places, or look each up by the name that a contract has for it: both are measured, and the
    larger difference counts.

    Args:
        files: Content of the bundle's files by name.
        golden: The golden trace.
    """

    def __init__(self, files: Mapping[str, bytes], golden: Golden) -> None:
        self._files, self._golden = files, golden
        self._robot = read_contract(files[CONTRACT_FILE].decode(), where=CONTRACT_FILE)
        self._told: dict[RuntimeName, JointCommand] = {}

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
            original = open_chain(self._files, runtime)
            self._told[runtime] = drive(original, self._golden.report, self._golden.command, self._golden.begins)[2]
        expected = self._told[runtime]
        if all(files.get(name) == self._files[name] for name in (CONTRACT_FILE, RUNTIMES[runtime][0])):
            return 0.0  # the same contract and policy are told the same
        robot = self._robot
        try:
            chain = open_chain(files, runtime)
            by_place = drive(chain, self._golden.report, self._golden.command, self._golden.begins)[2]
            found = [by_place]
            if _named(chain.contract) != _named(robot):
                found.append(self._told_by_name(chain, robot))
        except SurefootError:
            return None
        differences = [_difference(expected, told) for told in found]
        period = robot.timing.control_period_s
        return max(*differences, abs(chain.contract.timing.control_period_s / period - 1.0))

    def _told_by_name(self, chain: Chain, robot: Contract) -> JointCommand:
        """Return what the robot's joints are told if all is looked up by name, in the robot's own order."""
        golden, contract = self._golden, chain.contract
        joints = _places(contract.robot.sdk_joint_names, robot.robot.sdk_joint_names, "joint")
        report = replace(golden.report, **{name: getattr(golden.report, name)[:, joints] for name in _BY_JOINT})
        if report.foot_force_n.shape[1]:
            feet = _places(contract.robot.foot_names, robot.robot.foot_names, "foot")
            report = replace(report, foot_force_n=report.foot_force_n[:, feet])
        command = golden.command[:, _places(contract.command.names, robot.command.names, "component of the command")]
        told = drive(chain, report, command, golden.begins)[2]
        return each(told, lambda array: array[:, np.argsort(joints)])


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
