"""A pytest plugin that turns the scenarios of a bundle into tests: ``pytest --surefoot-bundle DIR``.

Options: ``--surefoot-suite`` (quick), ``--surefoot-engines`` (mujoco), ``--surefoot-gate`` (the thresholds of the
suite), ``--surefoot-trials``, ``--surefoot-report DIR``. Without a path on the command line only the scenarios are run;
with paths they are run besides.
"""

from __future__ import annotations

from pathlib import Path

import pytest

_TESTS = Path(__file__).with_name("test_scenarios.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("surefoot", "scenarios of a policy as tests")
    group.addoption("--surefoot-bundle", metavar="DIR", help="run the scenarios of a suite with this bundle")
    group.addoption("--surefoot-suite", default="quick", metavar="S", help="quick (default), standard, harsh or a file")
    group.addoption("--surefoot-engines", default="mujoco", metavar="E", help="engines with commas (default: mujoco)")
    group.addoption("--surefoot-gate", metavar="FILE", help="gate with thresholds (default: those of the suite)")
    group.addoption("--surefoot-trials", type=int, metavar="N", help="trials of each scenario")
    group.addoption("--surefoot-report", metavar="DIR", help="where to write the report")


def pytest_configure(config: pytest.Config) -> None:
    """Have the scenarios collected where a bundle is named."""
    if config.getoption("--surefoot-bundle") is None:
        return
    named = config.args if config.args_source == pytest.Config.ArgsSource.ARGS else []
    config.args = [*named, str(_TESTS)]
