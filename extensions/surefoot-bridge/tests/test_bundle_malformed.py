"""Numbers, names and counts that no bundle has are refused in one clear message, at once."""

import json
import time

import numpy as np
import pytest
from bundles import refused, write_files

from surefoot_bridge.errors import MOST_CHARACTERS, SurefootError, first_few
from surefoot_bridge.policy.npz import read_npz, write_npz


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("100000000000", "files.golden.npz.size_bytes is 100000000000; it must be 0 to 67108864."),
        ("1" + 30 * "0", "files.golden.npz.size_bytes is a whole number of 100 bits; the largest is 2^53"),
        ("1e11", "files.golden.npz.size_bytes is 100000000000.0; it must be a whole number."),
        ("-1", "files.golden.npz.size_bytes is -1; it must be 0 to 67108864."),
    ],
)
def test_a_size_that_no_file_has_is_refused_without_making_room_for_it(folder, size, message):
    data = json.loads((folder / "manifest.json").read_text())
    data["files"]["golden.npz"]["size_bytes"] = "HERE"
    (folder / "manifest.json").write_text(json.dumps(data).replace('"HERE"', size))
    refused(folder, message)


@pytest.mark.parametrize(
    ("path", "token", "message"),
    [
        ("training.iterations", "1e400", "training.iterations is inf; the largest is 1e+15"),
        ("training.iterations", "1" + 400 * "0", "training.iterations is a whole number of 1329 bits"),
        ("timing.low_level_hz", "1e300", "timing.low_level_hz is 1e+300; the largest is 1e+15"),
        ("timing.low_level_hz", "1e6", "timing.low_level_hz is 1000000.0; it must be at most 10000."),
        ("timing.control_period_s", "2", "timing.control_period_s is 2.0; it must be at most 1."),
        ("gains.handover_s", "1e6", "gains.handover_s is 1000000.0; it must be at most 60."),
        ("robot.name", r'"\ud800"', r"robot.name is '\ud800', with half a character (a lone surrogate)"),
        ("robot.revision", "[" * 100 + "]" * 100, "lie more than 32 deep in each other"),
    ],
)
def test_a_number_beyond_every_robot_is_refused_where_the_contract_is_read(folder, path, token, message):
    data = json.loads((folder / "contract.json").read_text())
    part, name = path.split(".")
    data[part][name] = "HERE"
    write_files(folder, {"contract.json": json.dumps(data).replace('"HERE"', token).encode()})
    refused(folder, message)


@pytest.mark.parametrize("file", ["contract.json", "manifest.json"])
def test_half_a_character_as_a_key_is_refused(folder, file):
    text = (folder / file).read_text().replace("{", r'{"\ud800": 1,', 1)
    if file == "contract.json":
        write_files(folder, {file: text.encode()})
    else:
        (folder / file).write_text(text)
    refused(folder, r"a key of it is '\ud800', with half a character")


@pytest.mark.parametrize("file", ["policy.npz", "golden.npz"])
@pytest.mark.parametrize(("count", "message"), [(400, "... and 390 more."), (20_000, "at most 512 arrays are read")])
def test_thousands_of_unknown_arrays_are_refused_within_a_second_in_a_few_lines(folder, file, count, message):
    arrays = read_npz((folder / file).read_bytes(), where=file)
    arrays.update({f"unknown{i}": np.zeros(1, np.float32) for i in range(count)})
    write_files(folder, {file: write_npz(arrays)})
    began = time.process_time()
    refused(folder, message)
    assert time.process_time() - began < 1.0


def test_a_contract_with_thousands_of_unknown_fields_or_joints_is_refused_in_a_few_lines(folder):
    data = json.loads((folder / "contract.json").read_text())
    unknown = {**data, **{f"field{i}": 0 for i in range(20_000)}}
    write_files(folder, {"contract.json": json.dumps(unknown).encode()})
    refused(folder, "field0 is unknown", "... and 1 more.")  # ten by name, and one line that counts the others
    data["robot"]["joint_names"] = ["a"] * 20_000
    write_files(folder, {"contract.json": json.dumps(data).encode()})
    refused(folder, "robot.joint_names has 20000 items; at most 128.")


def test_a_message_is_cut_where_nobody_reads_on_and_lists_say_how_many_more_there_are():
    assert first_few([str(i) for i in range(12)]) == [*(str(i) for i in range(10)), "... and 2 more."]
    assert first_few(["a"] * 10) == ["a"] * 10
    assert str(SurefootError("x" * (MOST_CHARACTERS + 5))).endswith("x... and 5 characters more")
    assert str(SurefootError("x" * MOST_CHARACTERS)) == "x" * MOST_CHARACTERS
