"""Velocity commands on an environment without a simulator."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
import warp as wp

from surefoot.envs.command_kernels import mark_moving
from surefoot.envs.mdp.commands import CommandRange, VelocityCommand
from surefoot.envs.mdp.commands_cfg import VelocityCommandCfg
from surefoot_bridge.errors import SurefootError
from surefoot_devtools.benchmarking.counting import count_launches

DT = 0.02


def stand_in(num_envs: int, *, seed: int = 1, rank: int = 0) -> SimpleNamespace:
    """What a command sees of an environment; robots stand still."""
    return SimpleNamespace(
        num_envs=num_envs,
        device="cpu",
        scene={"robot": None},
        sim=SimpleNamespace(vis_marker_registry=SimpleNamespace(clear_debug_vis_callback=lambda _: None)),
        random_key={"seed": seed, "rank": rank},
        extras={},
        common_step_counter=0,
        terrain_levels=None,
        locomotion=SimpleNamespace(base_lin_vel_b=torch.zeros(num_envs, 3), base_ang_vel_b=torch.zeros(num_envs, 3)),
    )


def make(env: SimpleNamespace, **changes) -> VelocityCommand:
    cfg = VelocityCommandCfg(
        asset_name="robot",
        resampling_time_range=(1.0, 3.0),
        rel_standing_envs=0.0,
        heading_command=False,
        debug_vis=False,
        ranges=VelocityCommandCfg.Ranges(lin_vel_x=(-1.0, 2.0), lin_vel_y=(-0.5, 0.5), ang_vel_z=(0.5, 1.0)),
    )
    for name, value in changes.items():
        setattr(cfg, name, value)
    return VelocityCommand(cfg, env)


def test_commands_fill_their_ranges_evenly():
    term = make(stand_in(4000))
    term.reset()
    command = term.command.numpy()
    low, high = np.array([-1.0, -0.5, 0.5]), np.array([2.0, 0.5, 1.0])
    assert ((command >= low) & (command <= high)).all()
    np.testing.assert_allclose(command.mean(axis=0), 0.5 * (low + high), atol=0.05)
    np.testing.assert_allclose(command.std(axis=0), (high - low) / np.sqrt(12.0), rtol=0.05)
    np.testing.assert_allclose([term.time_left.min(), term.time_left.max()], [1.0, 3.0], atol=0.01)
    assert np.abs(np.corrcoef(command.T) - np.eye(3)).max() < 0.05


def test_a_command_depends_on_seed_rank_environment_and_number_and_on_nothing_else():
    few, many, other, elsewhere = (
        make(stand_in(count, **key)) for count, key in ((3, {}), (9, {}), (9, {"seed": 2}), (9, {"rank": 1}))
    )
    for term in (few, many, other, elsewhere):
        term.reset([0, 2])
        term.reset([2])
    assert torch.equal(few.command, many.command[:3])
    assert torch.equal(few.time_left, many.time_left[:3])
    assert not torch.equal(many.command, other.command)
    assert not torch.equal(many.command, elsewhere.command)
    assert many.command[1].tolist() == [0.0] * 3  # not asked for
    assert not torch.equal(many.command[0], many.command[2])


def test_a_mask_draws_what_indices_draw():
    by_index, by_mask = (make(stand_in(64)) for _ in range(2))
    for chosen in ([], [5], list(range(64))):
        by_index.reset(torch.tensor(chosen, dtype=torch.int32))
        by_mask.begin(wp.array(np.isin(np.arange(64), chosen), dtype=wp.bool, device="cpu"))
        for name in ("vel_command_b", "time_left", "command_counter", "_draws"):
            assert torch.equal(getattr(by_index, name), getattr(by_mask, name)), name


def test_a_share_of_commands_stands_is_slow_or_has_one_component():
    term = make(stand_in(4000), rel_standing_envs=0.2)
    term.reset()
    still = (term.command == 0.0).all(dim=1)
    assert torch.equal(still, term.is_standing_env)
    assert still.float().mean().item() == pytest.approx(0.2, abs=0.03)

    term = make(stand_in(4000), single_share=0.5)
    term.reset()
    components = (term.command != 0.0).sum(dim=1)
    assert (components == 1).float().mean().item() == pytest.approx(0.5, abs=0.03)
    kept = (term.command[components == 1] != 0.0).float().mean(dim=0)
    assert kept.tolist() == pytest.approx([1 / 3] * 3, abs=0.04)

    term = make(stand_in(4000), slow_share=1.0)
    term.reset()
    assert term.command[:, 2].mean().item() == pytest.approx(0.75 / 2, abs=0.02)  # mean of a factor from 0 to 1


def test_the_share_of_the_range_scales_commands_and_what_is_hardly_motion_is_standing():
    env = stand_in(500)
    full, half, none = make(env), make(env, initial_range_share=0.5), make(env, initial_range_share=0.01)
    for term in (full, half, none):
        term.reset()
    torch.testing.assert_close(half.command, 0.5 * full.command)
    assert not none.command.any()  # at most 0.023 long


def test_a_phase_asks_for_a_share_of_the_range():
    env, share = stand_in(3), torch.tensor([1.0, 0.5, 0.0])
    env.terrain_levels = SimpleNamespace(command_share=share)
    of_phases, whole = make(env), make(stand_in(3))
    for term in (of_phases, whole):
        term.reset()
    torch.testing.assert_close(of_phases.command, share[:, None] * whole.command)


def test_the_next_command_comes_when_the_time_of_one_is_over():
    term = make(stand_in(8), resampling_time_range=(3 * DT, 3 * DT))
    term.reset()
    seen = []
    for _ in range(7):
        seen.append(term.command.clone())
        term.compute(DT)
    assert torch.equal(seen[0], seen[2])
    assert not torch.equal(seen[2], seen[4])
    assert term.command_counter.tolist() == [3] * 8


def test_metrics_are_mean_errors_of_the_episode_that_ended():
    """Robots stand: the error is the command. A second step of one of them follows it."""
    env = stand_in(2)
    term = make(env)
    term.reset()
    command = term.command.clone()
    term.compute(DT)
    env.locomotion.base_lin_vel_b[0], env.locomotion.base_ang_vel_b[0] = command[0], command[0]
    term.compute(DT)
    means = term.reset(torch.tensor([0], dtype=torch.int32))
    assert means["error_vel_xy"].item() == pytest.approx(0.5 * command[0, :2].norm().item())
    assert means["error_vel_yaw"].item() == pytest.approx(0.5 * command[0, 2].item())
    assert set(env.extras["log"]) == {"Metrics/success_rate"}
    assert term._step_count.tolist() == [0.0, 2.0]


def test_a_control_step_is_one_launch_that_waits_for_nothing():
    term, everyone = make(stand_in(8)), wp.ones(8, dtype=wp.bool, device="cpu")
    term.reset()
    for call in (lambda: term.compute(DT), lambda: term.begin(everyone)):
        seen = count_launches(call)
        assert (seen.total, seen.waits.total(), seen.allocations.total()) == (1, 0, 0)


def test_a_changed_range_holds_for_the_next_command():
    term = make(stand_in(8))
    term.reset()
    term.cfg.ranges.lin_vel_x = (5.0, 5.0)
    term.reset()
    assert term.command[:, 0].tolist() == [5.0] * 8


def test_a_heading_is_refused():
    ranges = VelocityCommandCfg.Ranges(
        lin_vel_x=(0.0, 1.0), lin_vel_y=(0.0, 0.0), ang_vel_z=(0.0, 0.0), heading=(0.0, 1.0)
    )
    with pytest.raises(SurefootError, match="set heading_command to False"):
        make(stand_in(2), heading_command=True, ranges=ranges)


def test_the_range_grows_while_the_robot_tracks_and_the_host_reads_nothing():
    env = stand_in(4)
    term = make(env, initial_range_share=0.95)
    env.command_manager, env.command = SimpleNamespace(get_term=lambda _: term), term.command
    rule = {"std": 0.5, "threshold": 0.7, "increment": 0.1, "interval_steps": 10}
    curriculum = CommandRange(SimpleNamespace(), env)
    env.common_step_counter = 9
    assert curriculum(env, None, **rule).item() == pytest.approx(0.95)  # not due
    env.common_step_counter = 10
    assert not count_launches(lambda: curriculum(env, None, **rule)).waits  # they stand, as asked
    assert term.range_share.item() == 1.0
    env.locomotion.base_lin_vel_b[:] = 1.0
    term._share.fill_(0.5)
    env.common_step_counter = 20
    assert curriculum(env, None, **rule).item() == 0.5


def test_a_robot_is_asked_to_move_by_a_command_of_some_length():
    command = wp.array([[0.05, 0.0, 0.0], [0.0, 0.0, -0.06], [0.04, 0.0, 0.04]], dtype=wp.vec3f, device="cpu")
    moving = wp.zeros(3, dtype=wp.bool, device="cpu")
    wp.launch(mark_moving, dim=3, inputs=[command], outputs=[moving], device="cpu")
    assert moving.numpy().tolist() == [False, True, True]
