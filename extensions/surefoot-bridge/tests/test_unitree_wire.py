"""The wire stays as it is: an exchange of the emulated robot with Unitree's public SDK package, recorded byte for byte.

``python sdk_peers.py record KIND DOMAIN`` recorded it beside ``Peer(KIND, own_controller="normal")``, whose ``changes``
held it to ``robot_state(KIND, 7.0)``, with unitree-sdk2py-dimos 1.0.3 and cyclonedds 0.10.2: the reports, answers and
battery that the SDK received, and the commands and requests that it sent. Here the bytes go through DDS again, without
the SDK.
"""

import json
import time
from pathlib import Path

import numpy as np
import pytest
from unitree_peer import DOMAIN, address, await_true, needs_dds, robot_state
from wire_bytes import Wire

from surefoot_bridge.unitree.dds.checksum import checksum
from surefoot_bridge.unitree.dds.messages import HG_BATTERY, REQUEST, RESPONSE
from surefoot_bridge.unitree.dds.participant import Participant, Subscriber
from surefoot_bridge.unitree.emulation.firmware import Firmware
from surefoot_bridge.unitree.kinds import BATTERY_TOPIC, COMMAND_TOPIC, KINDS, REPORT_TOPIC
from surefoot_bridge.unitree.remote import remote_bytes, remote_of
from surefoot_bridge.unitree.reports import Reports
from surefoot_bridge.unitree.service import request_topic, response_topic

pytestmark = [needs_dds, pytest.mark.parametrize("robot", ["unitree_go2", "unitree_g1"])]

SWITCHER = "motion_switcher"
REMOTE = remote_bytes(["L2", "B"], ly=0.5)


def recorded(robot, name):
    return bytes.fromhex(json.loads(Path(__file__).with_name("wire").joinpath(f"{robot}.json").read_text())[name])


@pytest.fixture
def participant():
    made = Participant("lo", DOMAIN)
    yield made
    made.close()


def test_the_emulated_robot_reports_in_the_bytes_that_the_sdk_has_understood(robot, participant):
    firmware = Firmware(address(robot))
    try:
        firmware.remote = REMOTE
        firmware.report(robot_state(robot, 7.0))
        wire = Wire(participant, REPORT_TOPIC, KINDS[robot].report)
        wire.publisher.message[:] = firmware._reports.message
        assert wire.sent() == recorded(robot, "report")
        if firmware._battery is not None:
            wire = Wire(participant, BATTERY_TOPIC, HG_BATTERY)
            wire.publisher.message[:] = firmware._battery.message
            assert wire.sent() == recorded(robot, "battery")
    finally:
        firmware.close()


def test_a_recorded_report_is_read_as_the_sdk_has_read_it(robot, participant):
    reports = Reports(participant, KINDS[robot], simulated=False, note=pytest.fail)
    Wire(participant, REPORT_TOPIC, KINDS[robot].report).send(recorded(robot, "report"))
    assert await_true(lambda: reports.take(time.monotonic()) and not reports.wrong)
    n = len(KINDS[robot].joint_names)
    message = reports.message[0]
    assert message["motor_state"]["q"][:n].tolist() == (0.125 * np.arange(n)).tolist()
    assert message["imu_state"]["quaternion"].tolist() == [0.5, -0.5, 0.5, 0.5]
    assert message["tick"] == 7000
    assert remote_of(reports.remote).stops
    assert remote_of(reports.remote).ly == 0.5


def test_a_command_in_the_sdks_bytes_is_obeyed_and_ours_are_the_same(robot, participant):
    firmware, n = Firmware(address(robot)), len(KINDS[robot].joint_names)
    try:
        wire = Wire(participant, COMMAND_TOPIC, KINDS[robot].command)
        ours = Subscriber(participant, COMMAND_TOPIC, KINDS[robot].command, depth=8, reliable=True)
        assert await_true(lambda: wire.publisher.num_subscribers >= 3)  # the wire's own and ours among them
        time.sleep(0.2)
        wire.send(recorded(robot, "command"))
        obeyed = []
        assert await_true(lambda: obeyed.extend(firmware.commands()) or obeyed)
        parts = ("joint_pos_rad", "joint_vel_rad_s", "stiffness_nm_per_rad", "damping_nms_per_rad", "torque_nm")
        for part, name in enumerate(parts):
            assert getattr(obeyed[0], name).tolist() == (0.125 * np.arange(n) + part).tolist()
        sample = ours.take()[-1:].copy()
        assert checksum(sample) == sample[0]["crc"]
        wire.publisher.message[:] = sample
        assert wire.sent() == recorded(robot, "command")
    finally:
        firmware.close()


def test_the_sdks_question_to_the_motion_switcher_is_answered_in_the_bytes_that_it_has_understood(robot, participant):
    firmware = Firmware(address(robot), own_controller="normal")
    try:
        asked, answers = (
            Wire(participant, request_topic(SWITCHER), REQUEST),
            Wire(participant, response_topic(SWITCHER), RESPONSE),
        )
        told = []

        def answered():
            firmware.answer()
            told.extend(answers.taken())
            return recorded(robot, "response") in told

        def asks():
            asked.send(recorded(robot, "request"))
            return await_true(answered, 0.5)

        # Asked again, as the switcher does: what was sent before the two have discovered each other is lost.
        assert any(asks() for _ in range(10))
    finally:
        firmware.close()
