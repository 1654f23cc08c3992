"""An evaluation as JUnit XML, which CI services show: a test for each scenario in each engine."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

from surefoot.evaluation.judging.gate import GateVerdict, ScenarioVerdict
from surefoot.evaluation.results.result import Evaluation
from surefoot.evaluation.trials.outcome import ScenarioOutcome

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(evaluation: Evaluation, verdict: GateVerdict) -> str:
    """Return the text of the file.

    What the gate does not count is skipped if it falls short, as is what an engine does not score. What could not run
    is an error, as is what did not get its turn.
    """
    root = ElementTree.Element("testsuites", name=f"{evaluation.policy.task}, suite {evaluation.suite.name}")
    totals = Counter[str]()
    for engine in dict.fromkeys(row.engine for row in verdict.rows):
        rows = [row for row in verdict.rows if row.engine == engine]
        suite = ElementTree.SubElement(root, "testsuite", name=engine)
        counts = Counter(tests=len(rows))
        for row in rows:
            case = ElementTree.SubElement(suite, "testcase", classname=f"surefoot.{engine}", name=row.scenario)
            counts[_add_verdict(case, row)] += 1
            _add_figures(case, row, evaluation.of(row.scenario, engine))
        _set(suite, counts)
        totals += counts
    _set(root, totals)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_verdict(case: ElementTree.Element, row: ScenarioVerdict) -> str:
    """Add what is not well, and return what it counts as."""
    if row.passed:
        return "passed"
    kind = "failure" if row.judgement == "fail" else "error"
    if not row.counts:
        kind = "skipped"
    sentence = _NOT_IN_XML.sub("\ufffd", row.sentence)
    item = ElementTree.SubElement(case, kind, message=sentence.splitlines()[0])
    if kind != "skipped":
        item.set("type", row.judgement)
        item.text = sentence
    return {"failure": "failures", "error": "errors"}.get(kind, kind)


def _add_figures(case: ElementTree.Element, row: ScenarioVerdict, outcome: ScenarioOutcome | None) -> None:
    if outcome is None or not outcome.trials:
        return
    figures = {
        "trials": f"{outcome.trials}",
        "successes": f"{outcome.successes}",
        "interval_low": f"{row.interval.low:.6g}",
        "interval_high": f"{row.interval.high:.6g}",
        "threshold": f"{outcome.threshold if row.threshold is None else row.threshold:g}",
    }
    properties = ElementTree.Element("properties")
    for name, value in figures.items():
        ElementTree.SubElement(properties, "property", name=name, value=value)
    case.insert(0, properties)


def _set(element: ElementTree.Element, counts: Counter[str]) -> None:
    for name in ("tests", "failures", "errors", "skipped"):
        element.set(name, str(counts[name]))
