"""What a log holds: its topics, their fields, and the JSON schema of each, which viewers such as Foxglove read.

``/contract`` begins every file. Each other message has ``time_s``, the clock of the control loop. Joints are in the
order of the robot's own interface, as in :mod:`surefoot_bridge.state`; observations and actions are in the policy's. A
number that JSON has no word for stands as the text ``NaN``, ``Infinity`` or ``-Infinity``.
"""

from dataclasses import dataclass
from typing import Any, Dict, Literal, Mapping, Optional, Sequence, Tuple

from surefoot_bridge.contract import Contract

LOG_SCHEMA = 1
"""Version of the topics and fields below. A reader refuses every other."""

Kind = Literal["float64", "float32", "int64", "text", "texts"]
Size = Literal["joints", "foot_sensors", "observation", "action", "command", "phases", "four", "three"]


@dataclass(frozen=True)
class LogField:
    """One field of a message.

    Attributes:
        name: Its name, with its unit.
        kind: What its entries are.
        meaning: One phrase for readers of the schema.
        size: What it has one entry for; None for a single value.
    """

    name: str
    kind: Kind
    meaning: str
    size: Optional[Size] = None


TIME = LogField("time_s", "float64", "clock of the control loop [s]")

TOPICS: Dict[str, Tuple[LogField, ...]] = {
    "/contract": (
        LogField("log_schema", "int64", "version of the topics of this log"),
        LogField("session", "text", "the same for all files of one log"),
        LogField("part", "int64", "number of this file in its log, from 0"),
        LogField("started_utc", "text", "when this file was begun"),
        LogField("robot", "text", "name of the robot"),
        LogField("stage", "text", "how far the robot was trusted"),
        LogField("bundle", "text", "identity of the bundle"),
        LogField("contract_sha256", "text", "SHA-256 of the text of the contract"),
        LogField("phases", "texts", "phases of a tick, in the order of /timing"),
        LogField("contract", "text", "the contract in full"),
    ),
    "/robot_state": (
        TIME,
        LogField("robot_time_s", "float64", "when it was measured, on the robot's clock [s]"),
        LogField("sequence", "int64", "number of the report"),
        LogField("battery_share", "float64", "charge of the battery, 0 to 1"),
        LogField("joint_pos_rad", "float64", "joint positions [rad]", "joints"),
        LogField("joint_vel_rad_s", "float64", "joint velocities [rad/s]", "joints"),
        LogField("joint_torque_nm", "float64", "estimated joint torques [N m]", "joints"),
        LogField("motor_temperature_c", "float64", "temperatures of the motors [degrees Celsius]", "joints"),
        LogField("imu_quat_wxyz", "float64", "rotation from the IMU's frame to the world, scalar first", "four"),
        LogField("imu_ang_vel_rad_s", "float64", "angular velocity in the IMU's frame [rad/s]", "three"),
        LogField("imu_lin_acc_m_s2", "float64", "specific force in the IMU's frame [m/s^2]", "three"),
        LogField("foot_force_n", "float64", "normal forces of the foot sensors [N]", "foot_sensors"),
    ),
    "/observation": (
        TIME,
        LogField("command", "float64", "what the policy was asked to do, each component in its unit", "command"),
        LogField("observation", "float32", "what the policy was shown", "observation"),
    ),
    "/action": (TIME, LogField("action", "float32", "what the policy answered, not clipped", "action")),
    "/joint_command": (
        TIME,
        LogField("joint_pos_rad", "float64", "position targets [rad]", "joints"),
        LogField("joint_vel_rad_s", "float64", "velocity targets [rad/s]", "joints"),
        LogField("stiffness_nm_per_rad", "float64", "position gains [N m/rad]", "joints"),
        LogField("damping_nms_per_rad", "float64", "velocity gains [N m s/rad]", "joints"),
        LogField("torque_nm", "float64", "feed-forward torques [N m]", "joints"),
    ),
    "/timing": (
        TIME,
        LogField("lateness_s", "float64", "start of the tick minus when it was due [s]"),
        LogField("phase_s", "float64", "duration of each phase of the tick [s]", "phases"),
    ),
    "/safety": (
        TIME,
        LogField("name", "text", "the rule that began to act, or another kind of event"),
        LogField("response", "text", "what was done about it: none, clamp, stop, hold, stand, damp or zero"),
        LogField("component", "text", "the joint or axis that it is about; empty for none"),
        LogField("value", "float64", "what was measured or asked; NaN for none"),
        LogField("limit", "float64", "what was allowed; NaN for none"),
        LogField("message", "text", "one sentence for a person"),
    ),
    "/mode": (
        TIME,
        LogField("mode", "text", "mode of the state machine from now on"),
        LogField("previous", "text", "mode until now; empty at the start"),
        LogField("reason", "text", "why it changed"),
    ),
}
"""Fields of each topic, single values first."""


def sizes(contract: Contract, phases: Sequence[str], num_foot_sensors: int) -> Dict[Size, int]:
    """Return how many entries each kind of list has for a robot."""
    return {
        "joints": len(contract.robot.joint_names),
        "foot_sensors": num_foot_sensors,
        "observation": contract.network.observation_dim,
        "action": contract.network.action_dim,
        "command": len(contract.command.names),
        "phases": len(phases),
        "four": 4,
        "three": 3,
    }


def json_schema(topic: str) -> Dict[str, Any]:
    """Return the JSON schema of a topic's messages, in the words that Foxglove's reader of schemas knows."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": schema_name(topic),
        "type": "object",
        "properties": {item.name: _property(item) for item in TOPICS[topic]},
        "required": [item.name for item in TOPICS[topic]],
    }


def schema_name(topic: str) -> str:
    """Return the name of a topic's schema: ``surefoot.robot_state.v1``."""
    return f"surefoot.{topic[1:]}.v{LOG_SCHEMA}"


def channel_metadata(topic: str, contract: Contract, phases: Sequence[str]) -> Mapping[str, str]:
    """Return the names of what a topic's lists have entries for, for people who look at a channel in a viewer."""
    robot = contract.robot
    names: Dict[Size, Sequence[str]] = {
        "joints": robot.sdk_joint_names,
        "foot_sensors": robot.foot_names,
        "action": robot.joint_names,
        "command": contract.command.names,
        "phases": phases,
    }
    used = {item.size for item in TOPICS[topic]}
    return {size: ",".join(entries) for size, entries in names.items() if size in used}


def _property(item: LogField) -> Dict[str, Any]:
    types = {"float64": "number", "float32": "number", "int64": "integer", "text": "string", "texts": "string"}
    entry = {"type": types[item.kind]}
    if item.size is None and item.kind != "texts":
        return {**entry, "description": item.meaning}
    return {"type": "array", "items": entry, "description": item.meaning}
