"""The state of a running environment, so that a run continues exactly where it stopped.

Isaac Lab 3.0.0 has no ``state_dict`` on its environment, managers or sensors. This is the one module that reaches into
their private fields; it names each of them, and a field that is gone or has another shape is an error at load.

PhysX and Newton keep contact caches and solver warm starts that cannot be read or written; writing a state clears them.
A restored state therefore continues differently from one that was never restored. The remedy is that the running
process restores *itself* at each checkpoint from what it has just saved, so that it and any process that resumes leave
from one state. Bit-identity of the two is proven by ``tests/sim/test_resume.py``, in each engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from surefoot.snapshot import (
    Stateful,
    StateMismatchError,
    capture,
    capture_fields,
    numeric_fields,
    require_same_keys,
    restore,
    restore_fields,
)

if TYPE_CHECKING:
    from isaaclab.assets import Articulation
    from isaaclab.envs import ManagerBasedRLEnv

_ENV_FIELDS = (
    "common_step_counter",
    "_sim_step_counter",
    "episode_length_buf",
    "reset_buf",
    "reset_terminated",
    "reset_time_outs",
    "reward_buf",
    "obs_buf",
)
_MANAGER_FIELDS = {
    "action_manager": ("_action", "_prev_action"),
    "command_manager": (),
    "event_manager": (
        "_interval_term_time_left",
        "_reset_term_last_triggered_step_id",
        "_reset_term_last_triggered_once",
    ),
    "observation_manager": ("_group_obs_term_delay_buffer", "_group_obs_term_history_buffer"),
    "reward_manager": ("_episode_sum_buf", "_step_reward", "_reward_buf"),
    "termination_manager": ("_term_dones", "_last_episode_dones", "_truncated_buf", "_terminated_buf"),
    "curriculum_manager": (),
}
_FINITE_DIFFERENCES = ("_previous_joint_vel", "_previous_body_com_vel")
"""Velocities of the substep before, from which articulation data forms accelerations."""
_DIFFERENCED = ("_joint_acc", "_body_com_acc_w")
"""Timestamped buffers whose time stamp is the start of the next difference."""


def capture_env_state(env: ManagerBasedRLEnv) -> dict[str, Any]:
    """Copy everything that the next step of ``env`` depends on, apart from the generators.

    Args:
        env: The unwrapped environment, after a step.

    Returns:
        Nested mappings of CPU tensors and numbers, for :func:`restore_env_state`.

    Raises:
        StateMismatchError: If the scene holds an asset whose state this module does not know.
    """
    _refuse_unknown_assets(env)
    for sensor in env.scene.sensors.values():
        _ = sensor.data  # lazily computed: bring it up to date while the engine still holds this step's contacts
    return {
        "env": capture_fields(env, _ENV_FIELDS),
        "articulations": {name: _capture_articulation(item) for name, item in env.scene.articulations.items()},
        "fields": {path: capture_fields(owner, fields) for path, owner, fields in _owners(env)},
        "curriculum": {
            "values": capture(env.curriculum_manager._curriculum_state),
            "reward_weights": [float(cfg.weight) for cfg in env.reward_manager._term_cfgs],
        },
        "stateful": {path: owner.state_dict() for path, owner in _stateful_owners(env)},
    }


def restore_env_state(env: ManagerBasedRLEnv, state: dict[str, Any]) -> None:
    """Put ``env`` into a captured state.

    Args:
        env: The unwrapped environment of the same task and number of environments.
        state: What :func:`capture_env_state` returned.

    Raises:
        StateMismatchError: If the state was saved by a task with other terms, sensors or sizes.
    """
    fields = {path: (owner, names) for path, owner, names in _owners(env)}
    stateful = dict(_stateful_owners(env))
    require_same_keys(env.scene.articulations, state["articulations"], "articulations")
    held = _holders(fields, state["fields"])
    require_same_keys(stateful, state["stateful"], "environment")

    # Masses before poses: an engine that keeps the pose of a centre of mass rounds the pose of a body when it moves.
    for path, owner in stateful.items():
        owner.load_state_dict(state["stateful"][path])
    for name, articulation in env.scene.articulations.items():
        _restore_articulation(articulation, state["articulations"][name])
    env.sim.forward()
    for path in held:
        (owner, names), saved = fields[path], state["fields"][path]
        lazy = [name for name in saved if getattr(owner, name, ...) is None]  # allocated on first use
        require_same_keys([*names, *lazy], saved, path)
        restore_fields(owner, saved, path)
    env.curriculum_manager._curriculum_state.update(state["curriculum"]["values"])
    weights = state["curriculum"]["reward_weights"]
    for cfg, weight in zip(env.reward_manager._term_cfgs, weights, strict=True):
        cfg.weight = weight
    # Rewards and done flags are made anew by each step, so they are set rather than written through.
    saved = dict(state["env"])
    for name in ("reset_buf", "reset_terminated", "reset_time_outs", "reward_buf"):
        setattr(env, name, saved.pop(name).to(env.device))
    env.obs_buf = {group: obs.to(env.device) for group, obs in saved.pop("obs_buf").items()}
    restore_fields(env, saved, "env")


def _holders(fields: dict[str, tuple[Any, Any]], saved: dict[str, dict[str, Any]]) -> list[str]:
    """Return the paths of objects with fields, live or saved; what holds none may come and go between versions.

    Raises:
        StateMismatchError: If an object with fields is on one side only.
    """
    held = [path for path, (_, names) in fields.items() if names or saved.get(path)]
    require_same_keys(held, {path: values for path, values in saved.items() if values or path in held}, "environment")
    return held


def _owners(env: ManagerBasedRLEnv) -> Iterator[tuple[str, Any, tuple[str, ...] | list[str]]]:
    """Yield (path, object, field names) of every object whose fields are copied one by one."""
    for manager_name, names in _MANAGER_FIELDS.items():
        manager = getattr(env, manager_name)
        yield manager_name, manager, names
        for term_name, term in _terms(manager):
            yield f"{manager_name}.{term_name}", term, numeric_fields(term)
    for term_name, term in env.command_manager._terms.items():
        ranges = getattr(term.cfg, "ranges", None)
        if ranges is not None:  # curricula widen them in place
            yield f"command_manager.{term_name}.ranges", ranges, _plain_fields(ranges)
    for name, sensor in env.scene.sensors.items():
        yield f"sensors.{name}", sensor, numeric_fields(sensor)
        data: Any = sensor._data  # pyright: ignore[reportAttributeAccessIssue] - every concrete sensor has it
        yield f"sensors.{name}.data", data, numeric_fields(data)
    for name, articulation in env.scene.articulations.items():
        actuators = articulation.actuators
        yield f"actuators.{name}", actuators, numeric_fields(actuators)
        for group_name, group in actuators._groups.items():
            yield f"actuators.{name}.{group_name}", group, numeric_fields(group)
        for composer in ("_instantaneous_wrench_composer", "_permanent_wrench_composer"):
            wrench = getattr(articulation, composer)
            yield f"wrenches.{name}.{composer}", wrench, numeric_fields(wrench)
    if env.scene.terrain is not None:
        yield "terrain", env.scene.terrain, numeric_fields(env.scene.terrain)


def _stateful_owners(env: ManagerBasedRLEnv) -> Iterator[tuple[str, Stateful]]:
    """Yield (path, object) of every object that has a state of its own, beside what Isaac Lab's base class holds."""
    for name, value in sorted(vars(env).items()):
        if isinstance(value, Stateful):
            yield f"env.{name}", value
    for manager_name in _MANAGER_FIELDS:
        for term_name, term in _terms(getattr(env, manager_name)):
            if isinstance(term, Stateful):
                yield f"{manager_name}.{term_name}", term
    for name, articulation in env.scene.articulations.items():
        for group_name, group in articulation.actuators._groups.items():
            if isinstance(group, Stateful):
                yield f"actuators.{name}.{group_name}", group


def _terms(manager: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, object) of a manager's terms that are objects; plain functions hold no state."""
    if isinstance(getattr(manager, "_terms", None), dict):  # actions and commands
        yield from manager._terms.items()
        return
    if hasattr(manager, "_mode_term_names"):  # events
        for mode, names in manager._mode_term_names.items():
            for name, cfg in zip(names, manager._mode_term_cfgs[mode], strict=True):
                if _is_object(cfg.func):
                    yield f"{mode}.{name}", cfg.func
        return
    if hasattr(manager, "_group_obs_term_names"):  # observations
        for group, names in manager._group_obs_term_names.items():
            for name, cfg in zip(names, manager._group_obs_term_cfgs[group], strict=True):
                if _is_object(cfg.func):
                    yield f"{group}.{name}", cfg.func
        for index, instance in enumerate(manager._group_obs_class_instances):
            yield f"modifier{index}", instance
        return
    for name, cfg in zip(manager._term_names, manager._term_cfgs, strict=True):
        if _is_object(cfg.func):
            yield name, cfg.func


def _is_object(func: Any) -> bool:
    return not isinstance(func, type) and hasattr(func, "__dict__") and not hasattr(func, "__code__")


def _plain_fields(ranges: Any) -> list[str]:
    return [name for name in sorted(vars(ranges)) if isinstance(getattr(ranges, name), list | tuple | int | float)]


def _capture_articulation(articulation: Articulation) -> dict[str, Any]:
    data: Any = articulation.data
    state = {
        "root_pose": capture(data.root_link_pose_w.torch),
        "root_velocity": capture(data.root_com_vel_w.torch),
        "joint_pos": capture(data.joint_pos.torch),
        "joint_vel": capture(data.joint_vel.torch),
        "clock": float(data._sim_timestamp),
    }
    for name in _FINITE_DIFFERENCES:
        if hasattr(data, name):
            state[name] = capture(getattr(data, name))
    for name in _DIFFERENCED:
        if hasattr(data, name):
            buffer = getattr(data, name)
            state[name] = {"data": capture(buffer.data), "timestamp": float(buffer.timestamp)}
    return state


def _restore_articulation(articulation: Articulation, state: dict[str, Any]) -> None:
    """Write root and joints to the engine, then put the data object's own memory back over what the writers set."""
    data: Any = articulation.data
    device = articulation.device
    expected = {
        "root_pose": (articulation.num_instances, 7),
        "joint_pos": (articulation.num_instances, articulation.num_joints),
    }
    for name, shape in expected.items():
        if tuple(state[name].shape) != shape:
            raise StateMismatchError(
                f"{name}: the saved state has shape {tuple(state[name].shape)}, this environment needs {shape}. "
                "Resume with the number of environments of the saved run."
            )
    articulation.write_root_link_pose_to_sim_index(root_pose=state["root_pose"].to(device))
    articulation.write_root_com_velocity_to_sim_index(root_velocity=state["root_velocity"].to(device))
    articulation.write_joint_position_to_sim_index(position=state["joint_pos"].to(device))
    articulation.write_joint_velocity_to_sim_index(velocity=state["joint_vel"].to(device))
    data._sim_timestamp = state["clock"]
    for value in vars(data).values():
        if hasattr(value, "timestamp"):
            value.timestamp = -1.0  # read again from the engine when next asked for
    for name in _FINITE_DIFFERENCES:
        if name in state:
            restore(getattr(data, name), state[name], name)
    for name in _DIFFERENCED:
        if name in state:
            buffer = getattr(data, name)
            restore(buffer.data, state[name]["data"], name)
            buffer.timestamp = state[name]["timestamp"]


def _refuse_unknown_assets(env: ManagerBasedRLEnv) -> None:
    scene = env.scene
    unknown = [
        kind
        for kind in (
            "rigid_objects",
            "rigid_object_collections",
            "deformable_objects",
            "cable_objects",
            "surface_grippers",
        )
        if getattr(scene, kind, None)
    ]
    if unknown:
        raise StateMismatchError(
            f"Exact resume covers articulations and sensors; this scene also has {', '.join(unknown)}."
        )
