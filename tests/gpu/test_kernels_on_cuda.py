"""The kernels on a CUDA device, against their NumPy references and the CPU, and in captured graphs."""

import numpy as np
import pytest
import torch
import warp as wp
from tests.unit.actuator_rig import randomized_rig
from tests.unit.test_fused_rewards import DT, stand_in, terms_of_the_task
from tests.unit.test_randomization_table import RANGES, make_table
from tests.unit.test_sensor_noise import NOISY
from tests.unit.test_sensor_readings import Rig as SensorRig

from surefoot.envs.fused.rewards import FusedRewardManager
from surefoot_bridge.actuators import equations as reference

pytestmark = pytest.mark.gpu

DEVICE = "cuda:0"
NUM_ENVS = 4096


def ids(*envs, device=DEVICE):
    return torch.tensor(envs, dtype=torch.int32, device=device)


def assert_same_table(on_gpu, on_cpu):
    for name, there in on_gpu.state_dict().items():
        np.testing.assert_allclose(
            there.cpu().numpy(), on_cpu.state_dict()[name].numpy(), rtol=3e-6, atol=1e-6, err_msg=name
        )


def test_a_table_on_cuda_holds_what_one_on_the_cpu_holds():
    on_gpu, on_cpu = make_table(NUM_ENVS, device=DEVICE), make_table(NUM_ENVS)
    for step in range(20):
        chosen = range(step, NUM_ENVS, 7 + step)
        for table, device in ((on_gpu, DEVICE), (on_cpu, "cpu")):
            table.draw(ids(*chosen, device=device))
            table.advance(0.02)
    assert_same_table(on_gpu, on_cpu)


def test_uniform_draws_are_the_same_bit_for_bit_on_cuda_and_on_the_cpu():
    on_gpu, on_cpu = make_table(NUM_ENVS, device=DEVICE), make_table(NUM_ENVS)
    for name in ("mass", "surface"):
        assert torch.equal(on_gpu.view(name).cpu(), on_cpu.view(name))


def test_a_captured_graph_draws_from_the_ranges_that_are_in_use_when_it_is_replayed():
    on_gpu, on_cpu = make_table(NUM_ENVS, device=DEVICE), make_table(NUM_ENVS)
    chosen = ids(*range(0, NUM_ENVS, 3))
    with wp.ScopedCapture(DEVICE) as capture:
        on_gpu.draw(chosen)
        on_gpu.advance(0.02)
    for share in (1.0, 0.25):
        for table in (on_gpu, on_cpu):
            table.share.fill_(share)
        wp.capture_launch(capture.graph)
        on_cpu.draw(chosen.cpu())
        on_cpu.advance(0.02)
    assert_same_table(on_gpu, on_cpu)
    mass = on_gpu.view("mass")[chosen.long()]
    assert mass.min() > 1.74  # a quarter of the way from 2 to 1
    assert mass.max() < 2.26


def test_a_draw_and_a_step_allocate_nothing_on_cuda():
    table, chosen = make_table(NUM_ENVS, device=DEVICE), ids(*range(0, NUM_ENVS, 3))
    rig = randomized_rig(NUM_ENVS, 12, device=DEVICE)
    sensors = SensorRig(NUM_ENVS, device=DEVICE, **NOISY).sensors
    shown = sensors.observe()

    def step():
        table.draw(chosen)
        table.advance(0.02)
        rig.substep()
        sensors.advance()
        sensors.observe(out=shown)

    step()
    before = torch.cuda.memory_stats()["allocation.all.allocated"], wp.get_mempool_used_mem_current(DEVICE)
    for _ in range(3):
        step()
    assert (torch.cuda.memory_stats()["allocation.all.allocated"], wp.get_mempool_used_mem_current(DEVICE)) == before


def test_the_actuator_kernel_on_cuda_gives_the_efforts_of_its_numpy_reference():
    rig, twin = randomized_rig(NUM_ENVS, 12, device=DEVICE), randomized_rig(NUM_ENVS, 12)
    parameters, motors, state = twin.reference()
    before = {name: getattr(twin, name).numpy().copy() for name in ("joint_pos", "joint_vel")}
    command = reference.delayed_command(state, parameters.command_delay, twin.timing)
    with wp.ScopedCapture(DEVICE) as capture:
        rig.substep()
    wp.capture_launch(capture.graph)
    twin.substep()
    error = reference.position_error(parameters, command[..., 0], before["joint_pos"])
    computed = (
        parameters.stiffness * error + parameters.damping * (command[..., 1] - before["joint_vel"]) + command[..., 2]
    )
    expected = reference.drive_joints(parameters, motors, state, computed, before["joint_vel"])
    np.testing.assert_allclose(rig.joint_effort.cpu().numpy(), expected.joint, rtol=2e-5, atol=2e-5)
    for name in ("computed_effort", "applied_effort", "heat", "voltage"):
        on_gpu, on_cpu = (getattr(side.actuator, name).cpu().numpy() for side in (rig, twin))
        np.testing.assert_allclose(on_gpu, on_cpu, rtol=2e-5, atol=2e-5, err_msg=name)


def test_noisy_sensors_on_cuda_show_what_those_on_the_cpu_show():
    on_gpu, on_cpu = SensorRig(NUM_ENVS, device=DEVICE, **NOISY), SensorRig(NUM_ENVS, **NOISY)
    motion = np.random.default_rng(1).normal(size=(6, NUM_ENVS, 3)).astype(np.float32)
    for step in range(6):
        for rig, device in ((on_gpu, DEVICE), (on_cpu, "cpu")):
            rig.ang_vel[:] = torch.from_numpy(motion[step]).to(device)
            if step == 3:
                rig.sensors.reset(ids(*range(0, NUM_ENVS, 5), device=device))
            rig.sensors.advance()
        np.testing.assert_allclose(
            on_gpu.sensors.observe().cpu().numpy(), on_cpu.sensors.observe().numpy(), rtol=1e-4, atol=2e-5
        )


def test_sixty_five_thousand_environments_fit_and_differ():
    table = make_table(65536, device=DEVICE, ranges={"mass": RANGES["mass"]})
    assert len(torch.unique(table.view("mass"))) > 65000
    table.draw(torch.arange(65536, dtype=torch.int32, device=DEVICE))
    assert table.episode.min() == table.episode.max() == 2


def test_rewards_on_cuda_are_those_on_the_cpu():
    managers = [FusedRewardManager(terms_of_the_task(), stand_in(device)) for device in (DEVICE, "cpu")]
    on_gpu, on_cpu = (manager.compute(DT) for manager in managers)
    torch.testing.assert_close(on_gpu.cpu(), on_cpu, rtol=1e-5, atol=1e-5)
