"""Every randomized parameter acts as it is declared, in each engine that runs on a CPU."""

import json

import pytest
from tests.sim.children import TASK, surefoot

pytestmark = pytest.mark.sim

ENGINES = ("ovphysx", "newton_mjwarp")


@pytest.fixture(scope="module", params=ENGINES)
def report(request, tmp_path_factory):
    """What ``surefoot randomization prove`` reports of a Go2."""
    path = tmp_path_factory.mktemp("prove") / "report.json"
    where = ("--physics", request.param, "--device", "cpu", "--json", path)
    surefoot("randomization", "prove", TASK, *where, statuses=(0, 1))
    return json.loads(path.read_text())


def test_every_parameter_that_the_engine_supports_is_proved(report):
    failed = [row for row in report["rows"] if row.get("ok") is False]

    assert failed == []
    assert report["figures"]["parameters_proved"] == report["figures"]["parameters_declared"] >= 50


def test_what_is_not_proved_says_why(report):
    exceptions = {row["parameter"]: row for row in report["rows"] if row["status"] not in ("proved", "failed")}

    assert len(exceptions) + report["figures"]["parameters_declared"] == 57
    assert all(row["status"] in ("scene-wide", "unsupported") and row["reason"] for row in exceptions.values())
