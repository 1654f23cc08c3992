"""Bring a command within the limits of a robot, whatever it asks."""

import numpy as np

from surefoot_bridge.state import joint_torque, parts, target_rate

from .bounds import Bounds
from .measures import Facts
from .rules import Response


def clamp(facts: Facts, response: np.ndarray, held_rad: np.ndarray, bounds: Bounds) -> np.ndarray:
    """Return what the joints may be told, (..., 5 num_joints).

    It is finite, and of each joint: the target is in its range and moves no further than the rate allows; gains,
    velocity and feed-forward torque are in their ranges; the torque that it asks at the joint's last known state is at
    most what the stage allows. A number that is within its limits is not changed.

    Where too much torque is asked of a joint, its target moves towards where the joint is, as far as is needed and as
    range and rate let it; what is too much even then is taken from the stiffness. Where damping (with the feed-forward
    torque) alone asks for too much, it is lowered until it asks for all the torque that is allowed: a joint that is too
    fast is braked as hard as it may be, and its target pulls no further.

    Args:
        facts: What was judged; :attr:`Facts.wanted` is clamped.
        response: What is done, (...,). Hold puts the targets that are held in place of those asked for. Damp leaves
            damping only, and zero nothing; both let the targets follow the joints.
        held_rad: The targets that are held [rad], (..., num_joints).
        bounds: Limits of the robot.
    """
    n, q, dq = bounds.num_joints, facts.seen.joint_pos_rad, facts.seen.joint_vel_rad_s
    hold, damp, zero = ((response == code)[..., None] for code in (Response.HOLD, Response.DAMP, Response.ZERO))
    still, limp = hold | damp | zero, damp | zero
    target, velocity, stiffness, damping, torque = parts(facts.wanted)
    target = np.where(hold, np.where(stiffness > 0.0, held_rad, q), np.where(limp, q, target))
    velocity, torque = np.where(still, 0.0, velocity), np.where(still, 0.0, torque)
    stiffness = np.where(limp, 0.0, stiffness)
    damping = np.where(damp, bounds.damped_nms_per_rad, np.where(zero, 0.0, damping))
    sent = np.concatenate([target, velocity, stiffness, damping, torque], axis=-1)
    sent = np.minimum(np.maximum(sent, bounds.command_low), bounds.command_high)

    low, high = bounds.command_low[:n], bounds.command_high[:n]
    moved, period_s = facts.seen.moved_rad, bounds.control_period_s
    reach = np.maximum(bounds.rate_rad_s * period_s - moved, 0.0)
    lowest, highest = np.maximum(facts.previous_rad - reach, low), np.minimum(facts.previous_rad + reach, high)
    target = sent[..., :n]
    too_fast = target_rate(target, facts.previous_rad, moved, period_s) > bounds.rate_rad_s
    sent[..., :n] = np.where(too_fast, np.minimum(np.maximum(target, lowest), highest), target)

    asked, rest = joint_torque(sent, q, dq)
    too_much = np.abs(asked) > bounds.torque_nm
    if not too_much.any():
        return sent
    allowed = bounds.torque_nm
    target, velocity, stiffness, damping, torque = parts(sent)
    brake = np.where(np.abs(rest) > allowed, allowed / np.abs(rest), 1.0)  # 1/inf is 0: no damping at all
    damping, torque = damping * brake, torque * brake
    rest = damping * (velocity - dq) + torque
    # Without stiffness the torque has no say in the target; fmin and fmax leave it alone then.
    nearest = np.fmin(np.fmax(target, q - (allowed + rest) / stiffness), q + (allowed - rest) / stiffness)
    nearest = np.minimum(np.maximum(nearest, np.minimum(lowest, target)), np.maximum(highest, target))
    error = nearest - q
    softest = np.fmax((np.sign(error) * allowed - rest) / error, 0.0)
    softer = np.where(np.abs(stiffness * error + rest) > allowed, np.minimum(stiffness, softest), stiffness)
    joints = np.concatenate([nearest, velocity, softer, damping, torque], axis=-1)
    return np.where(np.concatenate([too_much] * 5, axis=-1), joints, sent)
