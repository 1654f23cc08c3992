"""The compiled core and NumPy make the same messages, to the bit."""

import numpy as np
import pytest

from surefoot_bridge.core import Core, load_core
from surefoot_bridge.state import joint_command
from surefoot_bridge.unitree.dds.checksum import checksum, checksum_by_numpy
from surefoot_bridge.unitree.dds.messages import GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT
from surefoot_bridge.unitree.motor_slots import MotorSlots

if load_core().functions is None:
    pytest.skip(f"The core is {load_core().note}", allow_module_level=True)

CASES = pytest.mark.parametrize("cases", [2000, pytest.param(100_000, marks=pytest.mark.slow)])


@CASES
@pytest.mark.parametrize(("message", "joints"), [(GO_COMMAND, 12), (HG_COMMAND, 29)])
def test_commands_are_the_same_and_none_is_where_a_number_is_not_finite(message, joints, cases):
    rng = np.random.default_rng(21)
    ours, theirs = np.zeros(1, message.layout), np.zeros(1, message.layout)
    motors = rng.permutation(joints)
    by_core = MotorSlots(ours[0]["motor_cmd"], motors)
    by_numpy = MotorSlots(theirs[0]["motor_cmd"], motors, core=Core(None, "NumPy"))
    refused = 0
    for _ in range(cases):
        command = rng.normal(size=5 * joints) * 10.0 ** rng.integers(-46, 30)
        if rng.random() < 0.1:
            command[rng.integers(5 * joints)] = rng.choice([np.nan, np.inf, -1e39, 3.4028235677973366e38, -0.0])
        filled = [slots.fill(joint_command(command)) for slots in (by_core, by_numpy)]
        assert filled[0] == filled[1]
        assert ours.tobytes() == theirs.tobytes()
        refused += not filled[0]
    assert 0.02 < refused / cases < 0.2


@CASES
@pytest.mark.parametrize("message", [GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT])
def test_checksums_are_the_same(message, cases):
    rng = np.random.default_rng(22)
    for _ in range(cases):
        made = np.frombuffer(rng.bytes(message.layout.itemsize), np.uint8).copy().view(message.layout)
        assert checksum(made) == checksum_by_numpy(made)
