"""Short motions that every engine performs alike; `recording` keeps them, `motion_checks` judges them.

Torques are computed here, from the state at the start of each time step: no engine's own joint drive takes part.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from surefoot.robot_checks.engine import TIMESTEP_S, Array, Engine, RobotState, stack, standing_state
from surefoot.robot_checks.recording import EngineRecord
from surefoot_robots import RobotSpec

HOLD_S = {"quadruped": 2.0, "humanoid": 0.3}
"""How long the default pose is held. A humanoid's gains let it tip over; the engines must agree on how it begins to."""

SLIDE_SPEED_M_S = 3.0
SLIDE_DIRECTIONS = {"slide_forward": (1.0, 0.0), "slide_diagonal": (math.sqrt(0.5), math.sqrt(0.5))}
"""Directions in which the robot is thrown; a pyramidal friction cone shows in the difference between them."""

_FLIGHT_HEIGHT_M = 10.0
"""High enough that no scenario in the air reaches the ground."""

Controller = Callable[[float, RobotState], Array]
"""Joint torques [N m] from the time [s] and the state."""


def record(engine: Engine, spec: RobotSpec) -> EngineRecord:
    """Perform every scenario."""
    hold = _position_control(spec, lambda _: _default(spec))
    airborne = standing_state(spec, height_above_stand_m=_FLIGHT_HEIGHT_M)
    trajectories = {
        "torque_response": _torque_response(engine, spec, airborne),
        "swing": _run(engine, airborne, _position_control(spec, lambda t: _swing(spec, t)), 0.3),
        "lower_limits": _run(engine, airborne, _position_control(spec, lambda t: _towards(spec, -1, t)), 1.2),
        "upper_limits": _run(engine, airborne, _position_control(spec, lambda t: _towards(spec, 1, t)), 1.2),
        "drop": _run(
            engine, standing_state(spec, height_above_stand_m=0.05), lambda *_: np.zeros(spec.num_joints), 1.0
        ),
        "hold": _run(engine, standing_state(spec), hold, HOLD_S[spec.kind]),
    }
    for name, direction in SLIDE_DIRECTIONS.items():
        thrown = replace(standing_state(spec), base_lin_vel_w=SLIDE_SPEED_M_S * np.array([*direction, 0.0]))
        trajectories[name] = _run(engine, thrown, hold, 0.1)
    return EngineRecord(model=engine.read_model(), trajectories=trajectories)


def _run(engine: Engine, start: RobotState, controller: Controller, duration_s: float) -> RobotState:
    """Return the trajectory of round(duration / time step) steps, with the start as its first state."""
    engine.reset(start)
    states = [engine.read()]
    for step in range(round(duration_s / TIMESTEP_S)):
        engine.step(controller(step * TIMESTEP_S, states[-1]))
        states.append(engine.read())
    return stack(states)


def _torque_response(engine: Engine, spec: RobotSpec, start: RobotState) -> RobotState:
    """Return the states after one step with 1 N m on each joint in turn, (num_joints, ...)."""
    states = []
    for effort in np.eye(spec.num_joints):
        engine.reset(start)
        engine.step(effort)
        states.append(engine.read())
    return stack(states)


def _position_control(spec: RobotSpec, target: Callable[[float], Array]) -> Controller:
    """Return the PD law with the robot's gains and effort limits."""
    stiffness = np.array(spec.joint_values("stiffness"))
    damping = np.array(spec.joint_values("damping"))
    limit = np.array(spec.joint_values("effort_limit_nm"))

    def control(time_s: float, state: RobotState) -> Array:
        return np.clip(stiffness * (target(time_s) - state.joint_pos) - damping * state.joint_vel, -limit, limit)

    return control


def _default(spec: RobotSpec) -> Array:
    return np.array(spec.joint_values("default_joint_pos"))


def _swing(spec: RobotSpec, time_s: float) -> Array:
    """Return targets that swing each joint by 0.2 rad at 3 Hz, each with a phase of its own."""
    phase = np.arange(spec.num_joints)
    return _default(spec) + 0.2 * (np.sin(2.0 * math.pi * 3.0 * time_s + phase) - np.sin(phase))


def _towards(spec: RobotSpec, side: int, time_s: float) -> Array:
    """Return targets that reach 0.3 rad beyond the lower (-1) or upper (1) limits after 0.8 s and stay there."""
    limit = np.array(spec.joint_values("lower_limit_rad" if side < 0 else "upper_limit_rad"))
    share = min(time_s / 0.8, 1.0)
    return (1.0 - share) * _default(spec) + share * (limit + 0.3 * side)
