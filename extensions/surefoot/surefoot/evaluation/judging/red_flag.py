"""A red flag: what is wrong with a policy, how sure that is, and what to try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from surefoot.engines import short_name

Sureness = Literal["sure", "likely", "possible"]

_ORDER: tuple[Sureness, ...] = ("sure", "likely", "possible")


@dataclass(frozen=True, kw_only=True)
class RedFlag:
    """What is wrong with a policy.

    Attributes:
        rule: Identifier of the rule, which stays the same from version to version.
        title: What is wrong, in a few words.
        meaning: What it means, in a sentence or two.
        remedies: What to try, best first.
        sureness: ``sure`` where the 95 % interval of what was measured lies beyond the rule's limit, ``likely`` where
            only the value does, ``possible`` where there are too few trials to tell; that of the surest finding.
        evidence: What was found, one sentence for each scenario and engine.
        scenarios: Scenarios that show it.
        engines: Engines that show it.
    """

    rule: str
    title: str
    meaning: str
    remedies: tuple[str, ...]
    sureness: Sureness
    evidence: tuple[str, ...]
    scenarios: tuple[str, ...]
    engines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What raises a flag, in a scenario and an engine."""

    scenario: str
    engine: str
    sureness: Sureness
    words: str


def raised(rule: str, title: str, meaning: str, remedies: Sequence[str], findings: Sequence[Finding]) -> RedFlag:
    """Return the flag that findings raise.

    Args:
        rule: Identifier of the rule.
        title: What is wrong.
        meaning: What it means.
        remedies: What to try.
        findings: What was found, at least one.
    """
    return RedFlag(
        rule=rule,
        title=title,
        meaning=meaning,
        remedies=tuple(remedies),
        sureness=next(sure for sure in _ORDER if any(finding.sureness == sure for finding in findings)),
        evidence=tuple(f"{finding.scenario} in {short_name(finding.engine)}: {finding.words}." for finding in findings),
        scenarios=tuple(dict.fromkeys(finding.scenario for finding in findings)),
        engines=tuple(dict.fromkeys(finding.engine for finding in findings)),
    )
