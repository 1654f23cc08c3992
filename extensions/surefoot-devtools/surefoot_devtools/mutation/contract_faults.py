"""Faults of contracts as people make them: an order mixed up, a sign, a unit, a stale pose, a layout misunderstood."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from surefoot_bridge.bundle import CONTRACT_FILE

from .contract_bundle import Files, content
from .contract_edits import rotated, setter, swapped
from .contract_mutant import ContractMutant, contract_mutant
from .contract_observation import observation_mutants

_FOR_EACH_JOINT = (
    ("robot", "default_joint_pos_rad"),
    *(("handling", key) for key in ("stand_rad", "sit_rad", "crouch_rad")),
    *(("handling", key) for key in ("stiffness_nm_per_rad", "damping_nms_per_rad")),
    ("handling", "damped_nms_per_rad"),
    ("gains", "stiffness_nm_per_rad"),
    ("gains", "damping_nms_per_rad"),
    ("action", "scale_rad"),
    ("safety", "joint_pos_limit_rad"),
    ("safety", "joint_vel_limit_rad_s"),
    ("safety", "torque_limit_nm"),
    ("safety", "target_rate_limit_rad_s"),
)


def fault_mutants(data: Any) -> Iterator[ContractMutant]:
    """Yield the faults that fit a contract."""
    yield from _joint_order(data)
    yield from _pose_gains_and_action(data)
    yield from observation_mutants(data)
    yield from _timing_command_and_memory(data)
    yield from _limits()
    yield from _texts()


def _joint_order(data: Any) -> Iterator[ContractMutant]:
    joints, sdk = data["robot"]["joint_names"], data["robot"]["sdk_joint_names"]
    half = len(joints) // 2

    def put(name: str, change: Callable[[list[Any]], list[Any]]) -> Callable[[Any], None]:
        return lambda data: data["robot"].__setitem__(name, change(data["robot"][name]))

    for name, title in (("joint_names", "the policy"), ("sdk_joint_names", "the interface")):
        yield contract_mutant("joint order", f"two joints of {title} in each other's place", put(name, swapped(0, 1)))
        yield contract_mutant("joint order", f"joints of {title} turned round", put(name, lambda names: names[::-1]))
        yield contract_mutant("joint order", f"halves of {title}'s joints swapped", put(name, rotated(half)))
    if joints != sdk:
        yield contract_mutant("joint order", "policy in the interface's order", put("joint_names", lambda _: sdk))
        yield contract_mutant(
            "joint order", "interface in the policy's order", put("sdk_joint_names", lambda _: joints)
        )

    def rename(one: str, other: str) -> Callable[[Any], None]:
        names = {one: other, other: one}

        def edit(data: Any) -> None:
            for key in ("joint_names", "sdk_joint_names"):
                data["robot"][key] = [names.get(name, name) for name in data["robot"][key]]

        return edit

    yield contract_mutant("joint order", "two joints have each other's name in both orders", rename(*joints[:2]))
    yield contract_mutant("joint order", "the same for joints of two limbs", rename(joints[0], joints[half]))

    def everywhere(data: Any) -> None:
        for part, key in (("robot", "joint_names"), *_FOR_EACH_JOINT):
            data[part][key] = rotated(half)(data[part][key])

    yield contract_mutant("joint order", "halves swapped in every list of joints", everywhere)


def _pose_gains_and_action(data: Any) -> Iterator[ContractMutant]:
    pose = data["robot"]["default_joint_pos_rad"]
    bent = next((i for i, angle in enumerate(pose) if angle), 0)
    for part, key, title in (
        ("robot", "default_joint_pos_rad", "default pose"),
        ("action", "scale_rad", "scale of the action"),
        ("gains", "stiffness_nm_per_rad", "stiffness"),
        ("gains", "damping_nms_per_rad", "damping"),
    ):
        yield _each_joint("signs", f"{title} of one joint with the other sign", part, key, lambda x: -x, only=bent)
        yield _each_joint("signs", f"{title} of all joints with the other sign", part, key, lambda x: -x)
        for word, change in (("a fifth more", lambda x: 1.2 * x), ("zero", lambda _: 0.0), ("1e-4 more", _little_more)):
            kind = "pose, gains and action"
            yield _each_joint(kind, f"{title} of one joint {word}", part, key, change, only=bent)
            yield _each_joint(kind, f"{title} of all joints {word}", part, key, change)
    for name, value in (("clip_at", 0.5), ("clip_at", 1.0), ("clip_at", 100.0), ("low_pass_hz", 5.0)):
        title = f"action.{name} is {value}"
        yield contract_mutant("pose, gains and action", title, setter("action", name, value), path=f"action.{name}")
    yield contract_mutant(
        "pose, gains and action", "actions are velocities", setter("action", "kind", "joint_velocity")
    )

    def swap_gains(data: Any) -> None:
        gains = data["gains"]
        names = "stiffness_nm_per_rad", "damping_nms_per_rad"
        gains[names[0]], gains[names[1]] = gains[names[1]], gains[names[0]]

    yield contract_mutant("pose, gains and action", "stiffness and damping in each other's place", swap_gains)


def _timing_command_and_memory(data: Any) -> Iterator[ContractMutant]:
    for factor in (0.5, 0.99, 1.05, 2.0):
        period = factor * data["timing"]["control_period_s"]
        title = f"a control period of {period:g} s"
        yield contract_mutant("timing", title, setter("timing", "control_period_s", period))
    for factor in (0.001, 0.5, 1.01, 2.0):
        rate = factor * data["timing"]["low_level_hz"]
        change = setter("timing", "low_level_hz", rate)
        yield contract_mutant("timing", f"commands at {rate:g} Hz", change, path="timing.low_level_hz")

    def permute(data: Any) -> None:
        for key in ("names", "trained"):
            data["command"][key] = rotated(1)(data["command"][key])

    yield contract_mutant("command", "components of the command in another order", permute)
    wider = [{"low": 3 * ends["low"], "high": 3 * ends["high"]} for ends in data["command"]["trained"]]
    change = setter("command", "trained", wider)
    yield contract_mutant("command", "ranges of the command thrice as wide", change, path="command.trained")
    for title, part in _memories(data["network"]["recurrent"]):
        yield contract_mutant("memory", title, setter("network", "recurrent", part))


def _memories(memory: Any) -> Iterator[tuple[str, Any]]:
    """Yield what may be said of the network's memory and is not so."""
    if memory is None:
        for kind in ("gru", "lstm"):
            yield (
                f"a memory ({kind}) that is not there",
                {
                    "kind": kind,
                    "num_layers": 1,
                    "hidden_dim": 64,
                    "reset": "zeros",
                },
            )
        return
    yield "no memory", None
    yield "a cell of the other kind", {**memory, "kind": "gru" if memory["kind"] == "lstm" else "lstm"}
    yield "one layer more", {**memory, "num_layers": memory["num_layers"] + 1}
    yield "a state twice as long", {**memory, "hidden_dim": 2 * memory["hidden_dim"]}
    for reset in ("never", "learnt"):
        yield f"a state that begins otherwise ({reset})", {**memory, "reset": reset}


def _limits() -> Iterator[ContractMutant]:
    def wide(data: Any) -> None:
        data["safety"]["joint_pos_limit_rad"] = [{"low": -10.0, "high": 10.0} for _ in data["robot"]["joint_names"]]

    yield contract_mutant("limits", "joints may go anywhere", wide, path="safety")
    for name in ("joint_vel_limit_rad_s", "torque_limit_nm", "target_rate_limit_rad_s"):
        yield _each_joint("limits", f"safety.{name} ten times as high", "safety", name, lambda x: 10.0 * x)
    for name, value in (("tilt_limit_rad", 3.2), ("motor_temperature_limit_c", 500.0)):
        yield contract_mutant("limits", f"safety.{name} is {value}", setter("safety", name, value), path="safety")


def _texts() -> Iterator[ContractMutant]:
    """Yield texts that are no contract."""

    def text(title: str, change: Callable[[bytes], bytes]) -> ContractMutant:
        def changed(files: Files) -> Files:
            return {**files, CONTRACT_FILE: change(content(files, CONTRACT_FILE))}

        return ContractMutant("text of the contract", title, changed)

    yield text("cut off in the middle", lambda data: data[: len(data) // 2])
    yield text("empty", lambda _: b"")
    yield text("in another encoding", lambda data: data.decode().encode("utf-16"))
    yield text("a field that stands twice", lambda data: data.replace(b"{", b'{"schema": 1,', 1))
    yield text("a number that is NaN", lambda data: _with_number(data, "NaN"))
    yield text("a number that overflows", lambda data: _with_number(data, "1e999"))
    yield text("a list around it", lambda data: b"[" + data + b"]")


def _with_number(data: bytes, number: str) -> bytes:
    contract = json.loads(data)
    contract["gains"]["handover_s"] = "HERE"
    return json.dumps(contract).replace('"HERE"', number).encode()


def _each_joint(
    kind: Any, title: str, part: str, key: str, change: Callable[[float], float], *, only: int | None = None
) -> ContractMutant:
    def edit(data: Any) -> None:
        values = data[part][key]
        data[part][key] = [change(value) if only in (None, i) else value for i, value in enumerate(values)]

    return contract_mutant(kind, title, edit, path=f"{part}.{key}")


def _little_more(value: float) -> float:
    return value + 1e-4 * max(1.0, abs(value))
