"""Unitree's messages as NumPy types, laid out in memory as the structures of the SDK are.

Fields and their order are those of the IDL files in unitreerobotics/unitree_sdk2 (``include/unitree/idl``, BSD-3): a
checksum is taken over the memory, so that padding counts too. The sizes are those that the SDK's own checksum packs.
"""

from typing import NamedTuple

import numpy as np

STRING = np.dtype([("pointer", "u8")])
"""A C string."""

OCTETS = np.dtype([("maximum", "u4"), ("length", "u4"), ("pointer", "u8"), ("release", "?")], align=True)
"""A sequence of bytes."""


class Message(NamedTuple):
    """A type of message."""

    type_name: bytes
    layout: np.dtype


def _imu(temperature: str) -> np.dtype:
    return np.dtype(
        [
            ("quaternion", "f4", 4),
            ("gyroscope", "f4", 3),
            ("accelerometer", "f4", 3),
            ("rpy", "f4", 3),
            ("temperature", temperature),
        ],
        align=True,
    )


_GO_HEADER = [
    ("head", "u1", 2),
    ("level_flag", "u1"),
    ("frame_reserve", "u1"),
    ("sn", "u4", 2),
    ("version", "u4", 2),
    ("bandwidth", "u2"),
]

_GO_MOTOR_COMMAND = np.dtype(
    [("mode", "u1"), ("q", "f4"), ("dq", "f4"), ("tau", "f4"), ("kp", "f4"), ("kd", "f4"), ("reserve", "u4", 3)],
    align=True,
)

_GO_MOTOR_STATE = np.dtype(
    [
        ("mode", "u1"),
        *((name, "f4") for name in ("q", "dq", "ddq", "tau_est", "q_raw", "dq_raw", "ddq_raw")),
        ("temperature", "u1"),
        ("lost", "u4"),
        ("reserve", "u4", 2),
    ],
    align=True,
)

_GO_BATTERY = np.dtype(
    [
        ("version_high", "u1"),
        ("version_low", "u1"),
        ("status", "u1"),
        ("soc", "u1"),
        ("current", "i4"),
        ("cycle", "u2"),
        ("bq_ntc", "u1", 2),
        ("mcu_ntc", "u1", 2),
        ("cell_vol", "u2", 15),
    ],
    align=True,
)

GO_COMMAND = Message(
    b"unitree_go::msg::dds_::LowCmd_",
    np.dtype(
        [
            *_GO_HEADER,
            ("motor_cmd", _GO_MOTOR_COMMAND, 20),
            ("bms_cmd", np.dtype([("off", "u1"), ("reserve", "u1", 3)])),
            ("wireless_remote", "u1", 40),
            ("led", "u1", 12),
            ("fan", "u1", 2),
            ("gpio", "u1"),
            ("reserve", "u4"),
            ("crc", "u4"),
        ],
        align=True,
    ),
)

GO_REPORT = Message(
    b"unitree_go::msg::dds_::LowState_",
    np.dtype(
        [
            *_GO_HEADER,
            ("imu_state", _imu("u1")),
            ("motor_state", _GO_MOTOR_STATE, 20),
            ("bms_state", _GO_BATTERY),
            ("foot_force", "i2", 4),
            ("foot_force_est", "i2", 4),
            ("tick", "u4"),
            ("wireless_remote", "u1", 40),
            ("bit_flag", "u1"),
            ("adc_reel", "f4"),
            ("temperature_ntc1", "u1"),
            ("temperature_ntc2", "u1"),
            ("power_v", "f4"),
            ("power_a", "f4"),
            ("fan_frequency", "u2", 4),
            ("reserve", "u4"),
            ("crc", "u4"),
        ],
        align=True,
    ),
)

_HG_MOTOR_COMMAND = np.dtype(
    [("mode", "u1"), ("q", "f4"), ("dq", "f4"), ("tau", "f4"), ("kp", "f4"), ("kd", "f4"), ("reserve", "u4")],
    align=True,
)

_HG_MOTOR_STATE = np.dtype(
    [
        ("mode", "u1"),
        *((name, "f4") for name in ("q", "dq", "ddq", "tau_est")),
        ("temperature", "i2", 2),
        ("vol", "f4"),
        ("sensor", "u4", 2),
        ("motorstate", "u4"),
        ("reserve", "u4", 4),
    ],
    align=True,
)

HG_COMMAND = Message(
    b"unitree_hg::msg::dds_::LowCmd_",
    np.dtype(
        [
            ("mode_pr", "u1"),
            ("mode_machine", "u1"),
            ("motor_cmd", _HG_MOTOR_COMMAND, 35),
            ("reserve", "u4", 4),
            ("crc", "u4"),
        ],
        align=True,
    ),
)

HG_REPORT = Message(
    b"unitree_hg::msg::dds_::LowState_",
    np.dtype(
        [
            ("version", "u4", 2),
            ("mode_pr", "u1"),
            ("mode_machine", "u1"),
            ("tick", "u4"),
            ("imu_state", _imu("i2")),
            ("motor_state", _HG_MOTOR_STATE, 35),
            ("wireless_remote", "u1", 40),
            ("reserve", "u4", 4),
            ("crc", "u4"),
        ],
        align=True,
    ),
)

HG_BATTERY = Message(
    b"unitree_hg::msg::dds_::BmsState_",
    np.dtype(
        [
            ("version_high", "u1"),
            ("version_low", "u1"),
            ("fn", "u1"),
            ("cell_vol", "u2", 40),
            ("bmsvoltage", "u4", 3),
            ("current", "i4"),
            ("soc", "u1"),
            ("soh", "u1"),
            ("temperature", "i2", 12),
            ("cycle", "u2"),
            ("manufacturer_date", "u2"),
            ("bmsstate", "u4", 5),
            ("reserve", "u4", 3),
        ],
        align=True,
    ),
)

REQUEST = Message(
    b"unitree_api::msg::dds_::Request_",
    np.dtype(
        [
            ("id", "i8"),
            ("api_id", "i8"),
            ("lease_id", "i8"),
            ("priority", "i4"),
            ("noreply", "?"),
            ("parameter", STRING),
            ("binary", OCTETS),
        ],
        align=True,
    ),
)

RESPONSE = Message(
    b"unitree_api::msg::dds_::Response_",
    np.dtype([("id", "i8"), ("api_id", "i8"), ("code", "i4"), ("data", STRING), ("binary", OCTETS)], align=True),
)
