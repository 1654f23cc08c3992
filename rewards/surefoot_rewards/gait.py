"""When the feet meet the ground: swing duration, left-right evenness, trot, and an externally given rhythm.

Feet stand in the order of ``RobotSpec.foot_bodies``. ``air_time_s`` and ``contact_time_s`` count the running phase of a
foot, each 0 while the other runs; ``last_*`` is the length of the last complete phase.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from surefoot_rewards.kernel import exp_kernel


def feet_air_time(
    last_air_time_s: Tensor, touchdown: Tensor, moving: Tensor, *, threshold_s: float, max_s: float
) -> Tensor:
    """Reward, at touchdown, swings that lasted longer than a threshold, and penalise shorter ones.

    Equation: ``[moving] sum_f [touchdown of f] (min(t_f, max) - threshold)``.
    Units: s.
    Zero: when the command asks to stand, when no foot touches down, and for a swing that lasted the threshold.
    Source: Rudin et al., CoRL 2021; the upper bound keeps leaps from paying more than steps.

    Args:
        last_air_time_s: Duration of the swing that ended last, (num_envs, num_feet).
        touchdown: True where a foot touches down in this step, (num_envs, num_feet).
        moving: True where the command asks for motion, (num_envs,).
        threshold_s: Duration that is worth nothing [s].
        max_s: Duration beyond which nothing more is gained [s].

    Returns:
        Reward, (num_envs,).
    """
    return (last_air_time_s.clamp(max=max_s) - threshold_s).mul_(touchdown).sum(dim=-1) * moving


def gait_symmetry(
    last_air_time_s: Tensor, last_contact_time_s: Tensor, moving: Tensor, *, mirror_foot: Tensor, max_s: float
) -> Tensor:
    """Penalise a limp: left and right feet with different swing or stance durations.

    Equation: ``[moving] 1/2 sum_f ((a_f - a_m(f))^2 + (c_f - c_m(f))^2)`` with ``a``, ``c`` the durations clipped at
    ``max`` and ``m(f)`` the foot across; a left-right pair counts once.
    Units: s^2.
    Zero: when the command asks to stand, and when both feet of each pair had equal swings and equal stances.
    Source: derived from the variance over all feet of Isaac Lab's ``feet_air_time_variance``, by pair here, so that
    front and rear may differ.

    Args:
        last_air_time_s: Duration of the last complete swing, (num_envs, num_feet).
        last_contact_time_s: Duration of the last complete stance, (num_envs, num_feet).
        moving: True where the command asks for motion, (num_envs,).
        mirror_foot: Index of the foot across, from the robot's mirror map, (num_feet,), int64.
        max_s: Duration at which both are clipped [s], so that one long stand does not outlast its cause.

    Returns:
        Penalty, (num_envs,).
    """
    air = last_air_time_s.clamp(max=max_s)
    contact = last_contact_time_s.clamp(max=max_s)
    air_difference = air - air.index_select(-1, mirror_foot)
    contact_difference = contact - contact.index_select(-1, mirror_foot)
    return 0.5 * (air_difference.square_() + contact_difference.square_()).sum(dim=-1) * moving


def diagonal_pairs_sync(
    air_time_s: Tensor,
    contact_time_s: Tensor,
    moving: Tensor,
    *,
    diagonal_foot: Tensor,
    mirror_foot: Tensor,
    std_s: float,
    max_error_s: float,
) -> Tensor:
    """Reward a trot: diagonal feet swing and stand together while the feet across do the opposite.

    Equation: ``[moving] exp(-mean_f e_f / std^2)`` with
    ``e_f = (a_f - a_d(f))^2 + (c_f - c_d(f))^2 + (a_f - c_m(f))^2``, where ``a`` and ``c`` are air and contact times,
    ``d(f)`` is the diagonal foot, ``m(f)`` the foot across, and each difference is clipped to ``max_error``.
    Units: dimensionless, in [0, 1]; times in s.
    Zero: when the command asks to stand; approached as the differences grow past ``std``; 1 in a perfect trot.
    Source: the gait reward of Isaac Lab's Spot task, one exponential here in place of a product over pairs.

    Args:
        air_time_s: Time since each foot left the ground, 0 in stance, (num_envs, num_feet).
        contact_time_s: Time since each foot touched down, 0 in swing, (num_envs, num_feet).
        moving: True where the command asks for motion, (num_envs,).
        diagonal_foot: Index of the diagonal foot, (num_feet,), int64.
        mirror_foot: Index of the foot across, (num_feet,), int64.
        std_s: Time difference at which the reward has fallen to about 1/e [s].
        max_error_s: Largest difference that is counted [s], so that a bad start does not flatten the kernel for long.

    Returns:
        Reward, (num_envs,).
    """
    air, contact = air_time_s, contact_time_s
    bound = max_error_s**2
    error = (air - air.index_select(-1, diagonal_foot)).square_().clamp_(max=bound)  # (num_envs, num_feet)
    error += (contact - contact.index_select(-1, diagonal_foot)).square_().clamp_(max=bound)
    error += (air - contact.index_select(-1, mirror_foot)).square_().clamp_(max=bound)
    return exp_kernel(error.mean(dim=-1), std=std_s) * moving


def trot_contacts(foot_contact: Tensor, moving: Tensor, *, diagonal_foot: Tensor, mirror_foot: Tensor) -> Tensor:
    """Reward the contact pattern of a trot: diagonal feet alike, feet across unlike.

    It asks for no frequency and no duty factor, and tells a trot from a pronk at any of them: all feet alike, as in a
    pronk or in standing, are worth half.

    Equation: ``[moving] mean_f (1/2 [c_f = c_d(f)] + 1/2 [c_f != c_m(f)])`` with ``c_f`` the contact of foot ``f``,
    ``d(f)`` the diagonal foot, ``m(f)`` the foot across.
    Units: dimensionless, in [0, 1].
    Zero: when the command asks to stand, and in a bound, where diagonal feet differ and feet across are alike.
    Source: derived from the definition of a trot (Hildebrand, "Symmetrical gaits of horses", Science 1965).

    Args:
        foot_contact: True where a foot touches the ground, (num_envs, num_feet).
        moving: True where the command asks for motion, (num_envs,).
        diagonal_foot: Index of the diagonal foot, (num_feet,), int64.
        mirror_foot: Index of the foot across, (num_feet,), int64.

    Returns:
        Reward, (num_envs,).
    """
    alike = foot_contact == foot_contact.index_select(-1, diagonal_foot)  # (num_envs, num_feet)
    unlike = foot_contact != foot_contact.index_select(-1, mirror_foot)
    return 0.5 * (alike.float() + unlike.float()).mean(dim=-1) * moving


def periodic_gait(
    foot_contact: Tensor,
    phase: Tensor,
    moving: Tensor,
    *,
    foot_offset: Tensor,
    duty_factor: float,
    sharpness: float,
) -> Tensor:
    """Reward feet that touch the ground when a phase clock expects stance and leave it when it expects swing.

    A foot's stance begins where ``phase + offset`` passes 0 and lasts ``duty_factor`` of the cycle. Offsets that are
    equal for diagonal feet and 1/2 apart for feet across make a trot, or a walk on two feet.

    Equation: ``[moving] mean_f (c_f s_f + (1 - c_f)(1 - s_f))`` with ``c_f`` the contact and
    ``s_f = sigmoid(sharpness * (cos(2 pi (phase + offset_f) - pi duty) - cos(pi duty)))`` the expected stance.
    Units: dimensionless, in [0, 1]; phases in cycles.
    Zero: when the command asks to stand; approached, for large ``sharpness``, when each foot does the opposite.
    Source: Siekmann et al., "Sim-to-Real Learning of All Common Bipedal Gaits via Periodic Reward Composition", ICRA
    2021: an indicator blurred at its ends. The exponent of a von Mises density takes the place of their difference of
    two von Mises distribution functions: periodic as well, 1/2 at both ends of the stance, and in closed form.

    Args:
        foot_contact: True where a foot touches the ground, (num_envs, num_feet).
        phase: Phase of the clock, one per 1.0, (num_envs,).
        moving: True where the command asks for motion, (num_envs,).
        foot_offset: Phase offset of each foot [cycles], (num_feet,).
        duty_factor: Share of the cycle that a foot stands, in (0, 1).
        sharpness: Concentration of the transition; 0 expects nothing, large values a hard indicator.

    Returns:
        Reward, (num_envs,).
    """
    foot_phase = phase.unsqueeze(-1) + foot_offset  # (num_envs, num_feet)
    distance = torch.cos((foot_phase - 0.5 * duty_factor).mul_(2.0 * math.pi)).sub_(math.cos(math.pi * duty_factor))
    expected_stance = torch.sigmoid(distance.mul_(sharpness))
    return torch.where(foot_contact, expected_stance, 1.0 - expected_stance).mean(dim=-1) * moving
