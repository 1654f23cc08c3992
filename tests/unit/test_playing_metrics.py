"""Figures of synthetic episodes whose values are worked by hand."""

import math

import pytest
import torch

from surefoot.playing.metrics import EpisodeMetrics, StepSample

STEP_DT = 0.02


def _metrics(num_episodes=1, num_feet=1):
    return EpisodeMetrics(num_episodes, num_feet, step_dt=STEP_DT, robot_mass_kg=10.0, device="cpu")


def _sample(num_episodes=1, num_feet=1, **changes):
    """A robot that stands still on all feet, without torque, as it was told to."""
    state = {
        "command": torch.zeros(num_episodes, 3),
        "base_lin_vel_b": torch.zeros(num_episodes, 3),
        "base_ang_vel_b": torch.zeros(num_episodes, 3),
        "fell": torch.zeros(num_episodes, dtype=torch.bool),
        "stands": torch.ones(num_episodes, dtype=torch.bool),
        "foot_contact": torch.ones(num_episodes, num_feet, dtype=torch.bool),
        "sole_height_m": torch.zeros(num_episodes, num_feet),
        "joint_torque_nm": torch.zeros(num_episodes, 2),
        "joint_vel": torch.zeros(num_episodes, 2),
        "settled": True,
    }
    return StepSample(**(state | changes))


def _walk(metrics, contacts, heights, command=(1.0, 0.0, 0.0)):
    """Let one foot of one robot go through a sequence of contacts and heights."""
    for contact, height in zip(contacts, heights, strict=True):
        metrics.update(
            _sample(
                command=torch.tensor([command]),
                foot_contact=torch.tensor([[bool(contact)]]),
                sole_height_m=torch.tensor([[height]]),
            )
        )


def test_a_robot_that_obeys_has_no_error_and_does_not_fall():
    metrics = _metrics()
    metrics.update(_sample())
    figures = metrics.figures()
    assert figures["success_rate"] == 1.0
    assert figures["rms_lin_vel_error"] == 0.0
    assert figures["rms_yaw_rate_error"] == 0.0


def test_the_linear_error_is_the_larger_of_the_two_axes():
    metrics = _metrics()
    # Errors along x: 0.3 and 0.1, RMS sqrt((0.09 + 0.01) / 2) = sqrt(0.05). Along y: 0.2 and 0.2. Yaw: 0 and 0.4.
    metrics.update(_sample(base_lin_vel_b=torch.tensor([[0.3, 0.2, 9.0]])))
    metrics.update(
        _sample(base_lin_vel_b=torch.tensor([[-0.1, -0.2, 9.0]]), base_ang_vel_b=torch.tensor([[9.0, 9.0, 0.4]]))
    )
    figures = metrics.figures()
    assert figures["rms_vx_error"] == pytest.approx(math.sqrt(0.05), abs=1e-7)
    assert figures["rms_vy_error"] == pytest.approx(0.2, abs=1e-7)
    assert figures["rms_lin_vel_error"] == figures["rms_vx_error"]
    assert figures["rms_yaw_rate_error"] == pytest.approx(math.sqrt(0.08), abs=1e-7)


def test_steps_that_have_not_settled_do_not_count():
    metrics = _metrics()
    metrics.update(_sample(base_lin_vel_b=torch.tensor([[9.0, 0.0, 0.0]]), settled=False))
    metrics.update(_sample(base_lin_vel_b=torch.tensor([[0.1, 0.0, 0.0]])))
    assert metrics.figures()["rms_lin_vel_error"] == pytest.approx(0.1, abs=1e-7)


def test_nothing_counts_from_the_fall_on_and_the_fall_is_timed():
    metrics = _metrics(num_episodes=2)
    for step in range(10):
        fell = torch.tensor([step == 4, False])
        velocity = torch.zeros(2, 3)
        velocity[0, 0] = 0.1 if step < 4 else 7.0
        metrics.update(_sample(2, fell=fell, base_lin_vel_b=velocity))
    figures, rows = metrics.figures(), metrics.rows()
    assert figures["success_rate"] == 0.5
    assert figures["falls"] == 1
    # Four samples of 0.1 and ten of 0: sqrt(4 * 0.01 / 14).
    assert figures["rms_vx_error"] == pytest.approx(math.sqrt(0.04 / 14), abs=1e-7)
    assert [row["fell"] for row in rows] == [True, False]
    assert [row["walked_s"] for row in rows] == pytest.approx([0.08, 0.2])


def test_a_state_that_is_not_finite_is_a_fall_and_spoils_no_figure():
    metrics = _metrics(num_episodes=2)
    velocity = torch.zeros(2, 3)
    velocity[0, 0] = torch.nan
    metrics.update(_sample(2, base_lin_vel_b=velocity))
    figures = metrics.figures()
    assert figures["success_rate"] == 0.5
    assert figures["rms_lin_vel_error"] == 0.0


def test_the_clearance_of_a_swing_is_its_highest_sole():
    metrics = _metrics()
    _walk(metrics, [1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0.01, 0.05, 0.02, 0, 0.03, 0.09, 0.03, 0])
    assert metrics.figures()["mean_swing_clearance_m"] == pytest.approx(0.07, abs=1e-6)  # of 0.05 and 0.09


def test_a_swing_whose_beginning_was_not_seen_does_not_count():
    metrics = _metrics()
    _walk(metrics, [0, 0, 0, 1, 0, 0, 0, 1], [0.5, 0.5, 0.5, 0, 0.04, 0.04, 0.04, 0])
    assert metrics.figures()["mean_swing_clearance_m"] == pytest.approx(0.04, abs=1e-6)


def test_a_bounce_of_two_steps_is_no_swing_and_an_unfinished_swing_neither():
    metrics = _metrics()
    _walk(metrics, [1, 0, 0, 1, 0, 0, 0], [0, 0.001, 0.001, 0, 0.5, 0.5, 0.5])
    assert "mean_swing_clearance_m" not in metrics.figures()


def test_a_swing_under_a_slow_command_does_not_count():
    metrics = _metrics()
    _walk(metrics, [1, 0, 0, 0, 1], [0, 0.05, 0.05, 0.05, 0], command=(0.1, 0.1, 1.0))
    assert "mean_swing_clearance_m" not in metrics.figures()


def test_the_stride_frequency_and_the_duty_factor_of_a_metronome():
    metrics = _metrics()
    # Ten strides of 0.5 s: 15 steps of contact, 10 of swing; a touch-down after each swing.
    contacts = ([1] * 15 + [0] * 10) * 10 + [1]
    _walk(metrics, contacts, [0.0 if contact else 0.1 for contact in contacts])
    figures = metrics.figures()
    assert figures["stride_frequency_hz"] == pytest.approx(10 / (251 * STEP_DT))
    assert figures["duty_factor"] == pytest.approx(151 / 251)


def test_the_cost_of_transport_counts_positive_work_over_weight_and_path():
    metrics = _metrics()
    state = {
        "command": torch.tensor([[1.0, 0.0, 0.0]]),
        "base_lin_vel_b": torch.tensor([[0.6, 0.8, 5.0]]),  # 1 m/s over ground
        "joint_torque_nm": torch.tensor([[3.0, -4.0]]),
        "joint_vel": torch.tensor([[2.0, 1.0]]),  # 6 W put in, 4 W taken out
    }
    for _ in range(50):
        metrics.update(_sample(**state))
    figures = metrics.figures()
    assert figures["cost_of_transport"] == pytest.approx(6.0 / (10.0 * 9.81 * 1.0), rel=1e-6)
    assert figures["mean_abs_torque_nm"] == pytest.approx(3.5)
    assert figures["rms_torque_nm"] == pytest.approx(math.sqrt(12.5))


def test_joined_rollouts_give_the_figures_of_one_rollout():
    torch.manual_seed(0)
    whole, first, second = _metrics(5, 2), _metrics(2, 2), _metrics(3, 2)
    for step in range(40):
        sample = _sample(
            5,
            2,
            command=torch.tensor([[1.0, 0.0, 0.0]]).expand(5, 3),
            base_lin_vel_b=torch.randn(5, 3),
            base_ang_vel_b=torch.randn(5, 3),
            fell=torch.tensor([False, step == 30, False, False, step == 10]),
            foot_contact=torch.rand(5, 2) < 0.3,
            sole_height_m=torch.rand(5, 2),
            joint_torque_nm=torch.randn(5, 2),
            joint_vel=torch.randn(5, 2),
        )
        whole.update(sample)
        for metrics, rows in ((first, slice(0, 2)), (second, slice(2, 5))):
            fields = {name: value[rows] for name, value in vars(sample).items() if name != "settled"}
            metrics.update(StepSample(**fields, settled=True))
    joined = EpisodeMetrics.joined([first, second])
    assert joined.figures() == pytest.approx(whole.figures())
    assert joined.rows() == whole.rows()
