"""Unitree's messages: their size in memory, their checksum, and how they become bytes."""

import numpy as np
import pytest

from surefoot_bridge.unitree.commands import begin_command
from surefoot_bridge.unitree.dds.checksum import checksum
from surefoot_bridge.unitree.dds.marshalling import is_fixed_size, operations
from surefoot_bridge.unitree.dds.messages import (
    GO_COMMAND,
    GO_REPORT,
    HG_BATTERY,
    HG_COMMAND,
    HG_REPORT,
    OCTETS,
    REQUEST,
    RESPONSE,
    STRING,
)


def crc_by_definition(words):
    """Each word from its highest bit to its lowest, as `Crc32Core` of the SDK has it."""
    crc = 0xFFFFFFFF
    for word in words:
        for bit in range(31, -1, -1):
            top = crc >> 31
            crc = (crc << 1) & 0xFFFFFFFF
            if top:
                crc ^= 0x04C11DB7
            if int(word) >> bit & 1:
                crc ^= 0x04C11DB7
    return crc


def test_messages_are_as_large_as_the_sdk_packs_them():
    sizes = [message.layout.itemsize for message in (GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT)]
    assert sizes == [812, 1180, 1004, 2092]


def test_the_checksum_is_the_last_word_of_every_message():
    for message in (GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT):
        assert message.layout.fields["crc"][1] == message.layout.itemsize - 4


def test_the_checksum_is_that_of_its_definition():
    rng = np.random.default_rng(1)
    for message in (GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT):
        made = np.frombuffer(rng.bytes(message.layout.itemsize), np.uint8).copy().view(message.layout)
        assert checksum(made) == crc_by_definition(made.view(np.uint32)[:-1])


def test_the_checksum_covers_every_bit_but_its_own():
    message = np.zeros(1, HG_COMMAND.layout)
    right = checksum(message)
    for byte in (0, 2, 3, 500, HG_COMMAND.layout.itemsize - 5):  # 2 and 3 are padding
        message.view(np.uint8)[byte] ^= 0x80
        assert checksum(message) != right
        message.view(np.uint8)[byte] ^= 0x80
    message["crc"] = 1
    assert checksum(message) == right


def test_the_checksum_of_zero_words_is_known():
    one_word = np.zeros(1, np.dtype([("word", "u4"), ("crc", "u4")]))
    assert checksum(one_word) == 0xC704DD7B  # CRC-32/MPEG-2 of four zero bytes


def test_a_structure_becomes_one_instruction_for_each_field():
    inner = np.dtype([("a", "u1"), ("b", "f4")], align=True)
    layout = np.dtype([("x", "i2"), ("y", inner, 2), ("z", "u4", 3), ("text", STRING), ("flag", "?"), ("more", OCTETS)])
    x, y, z = 0, 2, 2 + 2 * 8
    text = z + 12
    assert operations(layout).tolist() == [
        0x01020004, x,  # two bytes, signed
        0x01010000, y, 0x01030002, y + 4,  # one byte; four bytes, floating point
        0x01010000, y + 8, 0x01030002, y + 12,
        0x01080300, z, 3,  # an array of three times four bytes
        0x01050000, text,  # a string
        0x010E0000, text + 8,  # a truth value
        0x01070100, text + 9,  # a sequence of bytes
        0,
    ]  # fmt: skip


def test_only_messages_of_the_motion_switcher_hold_strings():
    fixed = [is_fixed_size(message.layout) for message in (GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT, HG_BATTERY)]
    assert fixed == [True] * 5
    assert [is_fixed_size(message.layout) for message in (REQUEST, RESPONSE)] == [False, False]


def test_a_go2_command_begins_as_in_the_sdk_examples():
    message = np.zeros(1, GO_COMMAND.layout)
    begin_command(message, num_motors=12)
    motors = message[0]["motor_cmd"]
    assert message.tobytes()[:4] == b"\xfe\xef\xff\x00"
    assert motors["mode"].tolist() == [1] * 20
    assert motors["q"].tolist() == [0.0] * 12 + [float(np.float32(2.146e9))] * 8
    assert motors["dq"].tolist() == [0.0] * 12 + [16000.0] * 8
    assert not motors["kp"].any()
    assert not motors["kd"].any()


def test_a_g1_command_enables_its_motors_and_no_other():
    message = np.zeros(1, HG_COMMAND.layout)
    begin_command(message, num_motors=29)
    assert message[0]["mode_pr"] == 0
    assert message[0]["motor_cmd"]["mode"].tolist() == [1] * 29 + [0] * 6


@pytest.mark.parametrize("message", [GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT, HG_BATTERY, REQUEST, RESPONSE])
def test_every_instruction_points_into_the_message(message):
    words = operations(message.layout).tolist()
    at, places = 0, []
    while words[at]:
        places.append(words[at + 1])
        at += 3 if words[at] >> 16 & 0xFF == 0x08 else 2
    assert at == len(words) - 1
    assert places == sorted(places)
    assert places[-1] < message.layout.itemsize
