"""Bundles of made-up robots for tests: a random network, a smooth motion, and what the package makes of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

import numpy as np
import pytest
from contracts import small_contract

from surefoot_bridge.bundle import Golden, load_bundle, read_golden, save_golden, write_manifest
from surefoot_bridge.bundle.agreement import spread_commands
from surefoot_bridge.bundle.golden import Columns, contract_digest
from surefoot_bridge.contract import Contract, read_contract, write_contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import RUNTIMES, Network, NumpyPolicy, Observations, Policy, Targets, save_weights
from surefoot_bridge.policy.forms import policy_files
from surefoot_bridge.policy.weights import GATES, Activation, CellKind, LinearLayer, RecurrentLayer, describe
from surefoot_bridge.state import JointCommand, RobotState, each, stack

NUM_STEPS = 520
RESET_AT = 260
CLIP_STEPS = 20
NEEDS = {"torchscript": "torch", "onnx": "onnxruntime", "numpy": "numpy"}


def random_network(
    observation_dim: int,
    action_dim: int,
    *,
    hidden: Tuple[int, ...] = (16, 8),
    activation: Activation = "elu",
    cell: Optional[CellKind] = None,
    cells: Tuple[int, int] = (2, 6),
    seed: int = 0,
) -> Network:
    """A network with a normaliser that is not trivial; ``cells`` are the number of recurrent layers and their size."""
    generator = np.random.default_rng(seed)

    def array(*shape: int) -> np.ndarray:
        return (generator.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    width, recurrent = observation_dim, []
    if cell is not None:
        for _ in range(cells[0]):
            rows = GATES[cell] * cells[1]
            recurrent.append(RecurrentLayer(array(rows, width), array(rows, cells[1]), array(rows), array(rows)))
            width = cells[1]
    layers = []
    for outputs in (*hidden, action_dim):
        layers.append(LinearLayer(array(outputs, width), array(outputs)))
        width = outputs
    std = generator.uniform(0.5, 2.0, observation_dim).astype(np.float32)
    mean = (0.1 * generator.standard_normal(observation_dim)).astype(np.float32)
    return Network(mean, std, tuple(layers), activation, cell, tuple(recurrent))


def motion(contract: Contract, num_steps: int = NUM_STEPS) -> Tuple[RobotState, np.ndarray]:
    """Reports of a robot that sways, (num_steps, ...), and commands (num_steps, 3)."""
    time_s = contract.timing.control_period_s * np.arange(num_steps)
    num_joints, num_feet = len(contract.robot.joint_names), len(contract.robot.foot_names)
    phase = time_s[:, None] * np.linspace(3.0, 5.0, num_joints) + np.arange(num_joints)
    roll, pitch = 0.2 * np.sin(2.0 * time_s), 0.1 * np.cos(3.0 * time_s)
    quat = np.stack(
        [
            np.cos(roll / 2) * np.cos(pitch / 2),
            np.sin(roll / 2) * np.cos(pitch / 2),
            np.cos(roll / 2) * np.sin(pitch / 2),
            np.sin(roll / 2) * np.sin(pitch / 2),
        ],
        axis=-1,
    )
    is_down = np.sin(6.0 * time_s[:, None] + np.pi * np.arange(num_feet)) > 0.0
    report = RobotState(
        time_s=7.5 + time_s,
        sequence=1000 + 4 * np.arange(num_steps),
        joint_pos_rad=0.2 + 0.3 * np.sin(phase),
        joint_vel_rad_s=np.cos(phase),
        joint_torque_nm=2.0 * np.sin(phase),
        motor_temperature_c=np.full((num_steps, num_joints), 40.0),
        imu_quat_wxyz=quat,
        imu_ang_vel_rad_s=np.stack([np.cos(2.0 * time_s), np.sin(3.0 * time_s), 0.1 * time_s], axis=-1),
        imu_lin_acc_m_s2=np.tile([0.0, 0.0, 9.81], (num_steps, 1)),
        foot_force_n=np.where(is_down, 30.0, 0.0),
        battery_share=np.linspace(1.0, 0.9, num_steps),
    )
    return report, np.stack([np.sin(time_s), 0.3 * np.cos(time_s), 0.5 * np.sin(0.5 * time_s)], axis=-1)


def record(contract: Contract, policy: Policy, *, reset_at: int = RESET_AT, num_steps: int = NUM_STEPS) -> Golden:
    """Run the package's own functions over the motion.

    Episodes begin at 0, at ``reset_at``, and ``CLIP_STEPS`` before the end; in the last one actions beyond the clip are
    applied.
    """
    report, command = motion(contract, num_steps)
    # The last episode goes to the ends of the command, and where every measurement that has a clip is clipped.
    command[-CLIP_STEPS:] = spread_commands(contract.command.trained, CLIP_STEPS)
    for name in ("joint_pos_rad", "joint_vel_rad_s", "imu_ang_vel_rad_s"):
        getattr(report, name)[-CLIP_STEPS:] *= 10.0
    begins = np.isin(np.arange(num_steps), (0, reset_at, num_steps - CLIP_STEPS))
    shares = np.random.default_rng(3).uniform(-1.0, 1.0, (num_steps, policy.action_dim)).astype(np.float32)
    shares[-2:] = [[-1.0], [1.0]]
    beyond = np.float32(1.5 * contract.action.clip_at) * shares
    observations, targets = Observations(contract), Targets(contract)
    observer, memory, target = observations.initial(()), policy.initial(()), targets.initial(())
    last_action = np.zeros(policy.action_dim, np.float32)
    observed, acted, applied, told = [], [], [], []
    for step in range(num_steps):
        if begins[step]:
            observer, memory = observations.reset(observer, begins[step]), policy.reset(memory, begins[step])
            target = targets.reset(target, begins[step])
        here = each(report, lambda array, step=step: array[step])
        observation, observer = observations(observer, here, command[step], last_action)
        action, memory = policy(observation, memory)
        last_action = action if step < num_steps - CLIP_STEPS else beyond[step]
        joint_command, target = targets(target, last_action)
        observed.append(observation)
        acted.append(action)
        applied.append(last_action)
        told.append(joint_command)
    joint_command = each(stack(tuple(told)), lambda array: np.asarray(array, np.float64))
    assert isinstance(joint_command, JointCommand)
    digest = contract_digest(write_contract(contract))
    columns = Columns(contract.robot.sdk_joint_names, contract.robot.foot_names, contract.command.names)
    stacked = (np.stack(arrays) for arrays in (observed, acted, applied))
    return Golden(report, command, begins, *stacked, joint_command, digest, columns)


def recording(
    cell: Optional[CellKind] = None, contract: Optional[Contract] = None
) -> Tuple[Contract, NumpyPolicy, Golden]:
    """Contract, policy and trace of a robot, by default of that of three joints."""
    contract = contract or small_contract()
    part = contract.network
    network = random_network(part.observation_dim, part.action_dim, cell=cell)
    contract = replace(contract, network=describe(network))
    policy = NumpyPolicy(network)
    return contract, policy, record(contract, policy)


def write_bundle(
    folder: Path, *, cell: Optional[CellKind] = None, contract: Optional[Contract] = None, seed: int = 0
) -> Tuple[Contract, Network]:
    """Write a bundle without exported forms; returns its contract and its network."""
    contract = contract or small_contract()
    part = contract.network
    network = random_network(part.observation_dim, part.action_dim, cell=cell, seed=seed)
    contract = replace(contract, network=describe(network))
    write_files(
        folder,
        {
            "contract.json": write_contract(contract).encode(),
            "policy.npz": save_weights(network),
            "golden.npz": save_golden(record(contract, NumpyPolicy(network))),
        },
    )
    return contract, network


def write_files(folder: Path, files: Dict[str, bytes]) -> None:
    """Put files into a bundle and make its manifest again."""
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    write_manifest(folder, {"numpy_action": 0.0})


def read_bundle_golden(folder: Path) -> Golden:
    """The golden trace of a bundle."""
    return read_golden((folder / "golden.npz").read_bytes(), "golden.npz")


def change_contract(folder: Path, change: Dict[str, Any], *, golden_too: bool) -> None:
    """Change fields of a bundle's contract (``{"gains.handover_s": 1.0}``) and make its manifest again.

    With ``golden_too`` the golden trace is told that it was recorded with the changed contract.
    """
    data = json.loads((folder / "contract.json").read_text())
    for path, value in change.items():
        *parts, last = path.split(".")
        part = data
        for name in parts:
            part = part[int(name) if name.isdigit() else name]
        part[last] = value
    text = write_contract(read_contract(json.dumps(data), where="changed"))
    files = {"contract.json": text.encode()}
    if golden_too:
        golden = replace(read_bundle_golden(folder), contract_sha256=contract_digest(text))
        files["golden.npz"] = save_golden(golden)
    write_files(folder, files)


def add_exports(folder: Path, network: Network, *runtimes: str) -> None:
    """Export the network beside its weights; skips the test where a runtime is missing."""
    for runtime in runtimes:
        pytest.importorskip(NEEDS[runtime], reason=f"{NEEDS[runtime]} is not installed")
    names = [RUNTIMES[runtime][0] for runtime in runtimes]
    write_files(folder, {name: data for name, data in policy_files(network).items() if name in names})


def refused(folder: Path, *messages: str, **options: Any) -> None:
    """Assert that a bundle is refused, by default with NumPy, and that the reason has all messages in it."""
    with pytest.raises(SurefootError) as error:
        load_bundle(folder, **{"runtime": "numpy", **options})
    for message in messages:
        assert message in str(error.value)
