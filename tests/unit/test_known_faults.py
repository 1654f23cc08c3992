"""Faults of randomization that this field is known for, and that no other test of a part sees."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import warp as wp
from tests.unit.actuator_rig import TIMING, Rig

from surefoot.actuators.actuator import JointActuator
from surefoot.actuators.actuator_cfg import make_actuator_cfg
from surefoot.learning import training
from surefoot.randomization import appliers
from surefoot.randomization.adaptive.bounds import AdaptiveCfg
from surefoot.randomization.bodies import BodyComposer
from surefoot.randomization.catalogue import make_catalogue
from surefoot.randomization.layout import TableLayout
from surefoot.randomization.nominal_model import read_nominal_model
from surefoot.randomization.parameter import scale, to_value
from surefoot.randomization.presets import preset_ranges
from surefoot.randomization.randomization import Randomization
from surefoot.randomization.table import RandomizationTable
from surefoot.ranks import rank_variables
from surefoot_bridge.actuators.parameters import PER_ENVIRONMENT, PER_JOINT
from surefoot_robots import get_robot

GO2 = get_robot("unitree_go2")
NUM_ENVS = 16
EVERYONE = torch.arange(NUM_ENVS, dtype=torch.int32)


def make_table(ranges, *, num_envs=NUM_ENVS):
    return RandomizationTable(TableLayout.build(make_catalogue(GO2), ranges), num_envs=num_envs, device="cpu", seed=1)


def test_a_hundred_resets_leave_every_value_in_its_range():
    table = make_table(preset_ranges("harsh", GO2))
    lowest, highest = table.values.clone(), table.values.clone()
    for _ in range(100):
        table.draw(EVERYONE)
        lowest, highest = torch.minimum(lowest, table.values), torch.maximum(highest, table.values)

    for parameter, resolved in zip(table.layout.parameters, table.layout.ranges, strict=True):
        columns = table.layout.column_slice(parameter.name)
        ends = np.array(
            [
                [to_value(resolved.range.operation, nominal, draw) for draw in draws]
                for nominal, *draws in zip(parameter.nominal, resolved.low, resolved.high, strict=True)
            ]
        )  # (num_elements, 2)
        slack = 1e-5 * np.abs(ends).max()
        assert (lowest[:, columns].numpy() >= ends.min(axis=1) - slack).all(), parameter.name
        assert (highest[:, columns].numpy() <= ends.max(axis=1) + slack).all(), parameter.name


def test_bodies_written_a_hundred_times_are_those_written_once():
    """Into the arrays of an engine that starts with the nominal bodies, as Newton's are."""
    model, table = read_nominal_model(GO2), make_table(preset_ranges("harsh", GO2))
    composer = BodyComposer(GO2, model.body_names, table.warp_values, table.layout.first_column)
    bodies = {"mass_kg": wp.float32, "com_m": wp.vec3f, "inertia_kgm2": wp.mat33f}
    held = {
        name: wp.array(np.stack([getattr(model, name)] * NUM_ENVS), dtype=dtype, device="cpu")
        for name, dtype in bodies.items()
    }
    composer.compose(table.mask_of(None), **held)
    once = {name: values.numpy().copy() for name, values in held.items()}
    for _ in range(99):
        composer.compose(table.mask_of(None), **held)

    for name, values in held.items():
        np.testing.assert_array_equal(values.numpy(), once[name])
        assert len(np.unique(once[name][:, 0].reshape(NUM_ENVS, -1), axis=0)) == NUM_ENVS


def make_actuator():
    """The actuator of a Go2; Isaac Lab hands explicit actuators gains of zero, which the engine's own drives have."""
    zeros = torch.zeros(NUM_ENVS, GO2.num_joints)
    names = list(GO2.joint_names)
    options = {"joint_names": names, "joint_ids": slice(None), "num_envs": NUM_ENVS, "device": "cpu"}
    return JointActuator(make_actuator_cfg(GO2), **options, stiffness=zeros, damping=zeros)


def test_a_factor_of_one_leaves_every_actuator_unchanged():
    parameters = {item.name: item for item in make_catalogue(GO2)}
    scalable = [name for name in (*PER_JOINT, *PER_ENVIRONMENT) if all(parameters[name].nominal)]
    assert {"stiffness", "damping", "motor_strength", "stall_torque", "battery_voltage"} <= set(scalable)
    table = make_table(dict.fromkeys(scalable, scale(1.0, 1.0)))
    table.draw(EVERYONE)

    generator = torch.Generator().manual_seed(3)
    target, joint_pos, joint_vel = torch.randn(3, NUM_ENVS, GO2.num_joints, generator=generator)
    stiffness, damping = (torch.tensor(GO2.joint_values(name)) for name in ("stiffness", "damping"))
    efforts = []
    for bound in (table, None):
        actuator = make_actuator()
        if bound is not None:
            actuator.bind_table(bound.warp_values, bound.layout.first_column)
        actuator.start(TIMING)
        effort = torch.zeros_like(target)
        actuator.record_push(target, torch.zeros_like(target), torch.zeros_like(target)).launch()
        joints = actuator.engine_joint(GO2.joint_names)
        actuator.record(wp.from_torch(joint_pos), wp.from_torch(joint_vel), joints, out=wp.from_torch(effort)).launch()
        pd_law = stiffness * (target - joint_pos) - damping * joint_vel
        torch.testing.assert_close(actuator.computed_effort, pd_law, rtol=1e-5, atol=1e-5)
        efforts.append(effort)
    torch.testing.assert_close(efforts[0], efforts[1], rtol=0, atol=0)


def test_values_are_written_at_start_up_once_and_at_every_reset(monkeypatch):
    calls = []
    monkeypatch.setattr(appliers.NoApplier, "apply_startup", lambda _: calls.append("startup"))
    monkeypatch.setattr(appliers.NoApplier, "apply", lambda _, mask: calls.append(mask.numpy().nonzero()[0].tolist()))
    layout = TableLayout.build(make_catalogue(GO2), {"stiffness": scale(0.9, 1.1)})
    data = SimpleNamespace(__backend_name__="physx")  # an engine that nothing is written into
    robot = SimpleNamespace(num_instances=4, num_joints=GO2.num_joints, device="cpu", data=data)
    randomization = Randomization(layout, robot, GO2, adaptive=AdaptiveCfg(), step_dt=0.02, seed=1, rank=0)
    assert calls == ["startup", [0, 1, 2, 3]]

    for reset in ([2], [0, 3]):
        randomization.reset(torch.tensor(reset, dtype=torch.int32))
    assert calls[2:] == [[2], [0, 3]]
    randomization.load_state_dict(randomization.state_dict())
    assert calls[4:] == ["startup", [0, 1, 2, 3]]


def test_a_motor_that_was_hot_has_its_whole_effort_limit_after_every_reset():
    rig = Rig()
    for _ in range(100):
        rig.actuator.heat[:] = 1.25  # half of the way from 8 N.m to the 4 N.m of a hot motor
        assert rig.torque(1.0).motor == pytest.approx(6.0)
        rig.actuator.reset(None)
        assert rig.torque(1.0).motor == pytest.approx(8.0)


@pytest.mark.parametrize("rank", [0, 1])
def test_an_environment_is_configured_with_the_runs_seed_and_another_in_each_process(rank, monkeypatch):
    monkeypatch.setenv("RANK", str(rank))
    settings = SimpleNamespace(num_envs=8, processes=2, device="cpu", seed=7)
    agent = SimpleNamespace(seed=None, device=None)
    env = SimpleNamespace(
        seed=None, scene=SimpleNamespace(num_envs=0), sim=SimpleNamespace(device=None), terminations=SimpleNamespace()
    )
    training._apply_settings(SimpleNamespace(settings=settings, agent_cfg=agent, env_cfg=env))

    assert (env.seed, agent.seed) == (7 + rank, 7)


TRAIN_ONE_ITERATION = """
import hashlib, sys
import torch
from tests.unit.tiny_learning import TinyEnv, tiny_config
from surefoot.learning.runner import SurefootRunner

torch.manual_seed(int(sys.argv[1]))  # what the environment of each process does with its own seed
runner = SurefootRunner(TinyEnv(), tiny_config())
networks = [runner.alg.actor, runner.alg.critic]
tell = lambda: hashlib.sha256(b"".join(p.detach().numpy().tobytes() for n in networks for p in n.parameters()))
before = tell().hexdigest()
runner.learn(1)
print(before, tell().hexdigest())
torch.distributed.destroy_process_group()
"""


def test_two_processes_train_one_network(tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TRAIN_ONE_ITERATION, str(rank)],
            cwd=Path(__file__).parents[2],
            env={**os.environ, **rank_variables(rank, 2, str(tmp_path))},
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    (first_before, first), (second_before, second) = (output.splitlines()[-1].split() for output in outputs)
    assert first_before != second_before
    assert first == second != first_before
