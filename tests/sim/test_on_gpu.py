"""What is done on a card, rehearsed on a CPU."""

import json
import subprocess
import sys

import pytest
from tests.sim.children import ROOT

pytestmark = [pytest.mark.sim, pytest.mark.slow]


def test_all_parts_run_leave_a_report_and_a_checkpoint_and_go_on_from_there(tmp_path) -> None:
    command = [sys.executable, "scripts/on_gpu.py", "--rehearsal", "--output", str(tmp_path), "--minutes"]
    first = subprocess.run([*command, "30"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stdout + first.stderr
    parts = json.loads((tmp_path / "on_gpu.json").read_text())["parts"]
    assert [name for name, part in parts.items() if "result" not in part] == []
    rates = parts["steps Surefoot-Velocity-Flat-Go2 8"]["result"]["env_steps_per_s"]
    assert min(rates[way] for way in ("eager", "graph", "playback")) > 0.0
    assert (tmp_path / "Surefoot-Velocity-Rough-Go2.pt").stat().st_size < 16 * 2**20
    again = subprocess.run([*command, "0"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 0
    assert "min left" not in again.stdout
