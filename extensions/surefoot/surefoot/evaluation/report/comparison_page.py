"""The page of a comparison."""

from __future__ import annotations

from surefoot.evaluation.judging.evaluation_comparison import Comparison
from surefoot.evaluation.report.comparison_text import HEAD, MEASURES_HEAD, in_words

from .page import template


def comparison_page(comparison: Comparison) -> str:
    """Return the page: HTML with all that it shows in it."""
    return template("comparison.html").render(
        words=in_words(comparison),
        names=comparison.names,
        state="fail" if comparison.worse else "pass",
        head=HEAD,
        measures_head=MEASURES_HEAD,
    )
