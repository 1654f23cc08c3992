"""Faults in real time: emulated robot, bridge and guardian as processes over DDS, as `inject_faults.py --live` does it.

A busy computer is coped with as the tool itself does: a trial during which an idle loop was held up is repeated.
"""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from emulation import needs_emulator
from go2_rig import BUNDLE
from log_rig import needs_mcap
from unitree_peer import DOMAIN, await_true, needs_dds

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.runtime.robot_control import GUARDIAN_TIMEOUT_S
from surefoot_devtools.fault_injection.live import LivePlan, run_live

pytestmark = [
    needs_dds,
    needs_emulator,
    needs_mcap,
    pytest.mark.skipif(not BUNDLE.is_dir(), reason="the shipped bundles are not beside this package"),
    pytest.mark.skipif(sys.platform != "linux", reason="the guardian's memory is Linux'"),
]

FAULTS = ("process_killed", "reports_corrupt", "operator_silent")


@pytest.fixture(scope="module")
def told():
    lines = []
    result = run_live(LivePlan(BUNDLE, FAULTS, domain=DOMAIN), progress=lines.append)
    return result, lines


def test_the_robot_is_safe_in_time_in_real_time_too_and_never_told_too_much(told, record_property):
    result, _ = told
    for row in result["by_kind"]:
        record_property(row["name"], row["slowest_s"])
        print(row)
    assert result["ok"], result["not_safe"]
    assert (result["complete"], result["kinds"], result["safe"], result["commands_outside_limits"]) == (True, 3, 3, 0)
    assert result["logs_readable"] == 3
    assert result["commands"] > 3 * 500


def test_each_is_answered_by_whom_it_should_be(told):
    killed, corrupt, silent = told[0]["by_kind"]
    assert (killed["made_at"], killed["worst"], killed["rules"]) == ("process", "damp", ["guardian"])
    assert killed["slowest_s"] <= GUARDIAN_TIMEOUT_S + 0.024 + killed["allowance_s"]
    assert (corrupt["made_at"], corrupt["worst"]) == ("robot", "damp")
    assert corrupt["slowest_s"] > 0.08  # 0.1 s of grace from the last report on that could be trusted
    assert {"report_crc", "report_lost"} <= set(corrupt["rules"])
    assert silent["made_at"] == "bridge"
    assert 0.45 < silent["slowest_s"] < 0.6  # after 0.5 s without a heartbeat, the last of which was before the fault
    assert "operator_lost" in silent["rules"]


def test_somebody_who_waits_is_told_what_is_left(told):
    assert told[1][0].startswith("0/3 trials, now process_killed; about 0.5 min left")
    assert told[1][-1].startswith("2/3 trials, now operator_silent; about 0.")


def test_sigterm_ends_a_run_with_what_there_is_and_leaves_no_process(tmp_path):
    code = (
        f"import sys, json; sys.path[:] = {sys.path!r}\n"
        "from pathlib import Path\n"
        "from surefoot_devtools.fault_injection.live import LivePlan, run_live\n"
        f"plan = LivePlan(Path({str(BUNDLE)!r}), ('process_hung', 'operator_silent'), domain={DOMAIN})\n"
        "result = run_live(plan, progress=lambda line: print(line, flush=True))\n"
        "print(json.dumps(result))\n"
    )
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "MARK_OF_TEST": mark}
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("0/2 trials, now process_hung")
        assert await_true(lambda: len(marked(mark)) >= 5, timeout_s=60.0)  # with robot, bridge, idle loop and guardian
        process.send_signal(signal.SIGTERM)
        result = json.loads(process.communicate(timeout=60.0)[0].splitlines()[-1])
    finally:
        process.kill()
        process.wait()
    assert (result["complete"], result["ok"], result["trials"]) == (False, False, 0)
    assert await_true(lambda: not marked(mark), timeout_s=20.0), marked(mark)


def marked(mark):
    """The processes that inherited a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append((folder.name, (folder / "cmdline").read_bytes()[-80:]))
        except OSError:
            continue
    return found


def test_an_unknown_fault_is_refused_before_anything_is_started():
    begun_s = time.monotonic()
    with pytest.raises(SurefootError, match="Unknown fault 'process_kiled'; valid: process_killed"):
        run_live(LivePlan(BUNDLE, ("process_kiled",), domain=DOMAIN))
    assert time.monotonic() - begun_s < 5.0
