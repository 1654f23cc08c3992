"""One test for each scenario and engine; collected by the plugin, never by itself."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from surefoot.evaluation.running.request import VerifyRequest
    from surefoot.evaluation.running.verification import Verified

_VERIFIED = pytest.StashKey["Verified"]()


def _request(config: pytest.Config, folder: Path) -> VerifyRequest:
    from surefoot.evaluation.running.request import VerifyRequest

    return VerifyRequest(
        bundle=Path(str(config.getoption("--surefoot-bundle"))),
        suite=str(config.getoption("--surefoot-suite")),
        engines=str(config.getoption("--surefoot-engines")),
        gate=str(config.getoption("--surefoot-gate") or "standard"),
        folder=folder,
        trials=config.getoption("--surefoot-trials"),
        stop_early=True,
        pages=config.getoption("--surefoot-report") is not None,
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each scenario in each engine."""
    from surefoot.evaluation.running.plan import plan_of
    from surefoot_bridge.errors import SurefootError

    try:
        plan = plan_of(_request(metafunc.config, Path()))
    except SurefootError as error:
        raise pytest.UsageError(str(error)) from error
    judged = [scenario.name for scenario in plan.suite.scenarios if not scenario.is_searched]
    cases = [(name, engine) for engine in plan.engines for name in judged]
    metafunc.parametrize(("scenario", "engine"), cases, ids=[f"{scenario}-{engine}" for scenario, engine in cases])


@pytest.fixture(scope="session")
def verified(request: pytest.FixtureRequest) -> Iterator[Verified]:
    """Run the suite once for all tests of it."""
    from surefoot.evaluation.running.verification import verify

    folder = request.config.getoption("--surefoot-report")
    if folder is not None:
        yield verify(_request(request.config, Path(folder)))
        return
    with TemporaryDirectory(prefix="surefoot_") as temporary:
        yield verify(_request(request.config, Path(temporary)))


def test_scenario(verified: Verified, scenario: str, engine: str) -> None:
    """The lower bound of the success rate reaches the scenario's threshold."""
    verdict = verified.gate.of(scenario, engine)
    assert verdict.passed, verdict.sentence
