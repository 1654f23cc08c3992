"""``surefoot compare``: two evaluations side by side."""

from __future__ import annotations

import argparse

from surefoot.files import NEW_FILE
from surefoot_bridge.arguments import FILE_OR_FOLDER
from surefoot_bridge.errors import SurefootError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot compare``."""
    parser.epilog = (
        "A and B are evaluation.json files, or bundles or folders of reports that hold one. Success rates are compared "
        "by Newcombe's interval, medians of measures by a bootstrap. Exit status: 0 no success rate of B is worse "
        "beyond what chance explains, 1 one is, 2 they cannot be compared."
    )
    parser.add_argument("a", type=FILE_OR_FOLDER, metavar="A", help="the older evaluation")
    parser.add_argument("b", type=FILE_OR_FOLDER, metavar="B", help="the newer evaluation")
    parser.add_argument("--markdown", type=NEW_FILE, metavar="FILE", help="write the comparison as Markdown")
    parser.add_argument("--html", type=NEW_FILE, metavar="FILE", help="write it as a page")
    parser.add_argument("--json", type=NEW_FILE, metavar="FILE", help="write figures and provenance")


def run(args: argparse.Namespace) -> int:
    """Compare as asked.

    Returns:
        0 if nothing is worse, 1 if a success rate is.

    Raises:
        SurefootError: If an evaluation cannot be read, or the two cannot be compared.
    """
    from surefoot.evaluation.results.evaluation_form import evaluation_data

    for path in (args.a, args.b):
        evaluation_data(path)
    from surefoot.evaluation.results.evaluation_file import read_evaluation

    one, other = (read_evaluation(path).judged for path in (args.a, args.b))
    for path, evaluation in ((args.a, one), (args.b, other)):
        if not evaluation.suite.scenarios:
            raise SurefootError(
                f"{path} holds searches over levels alone, which have no trials to compare; its report has figures."
            )
    from surefoot.evaluation.judging.evaluation_comparison import compare
    from surefoot.evaluation.report.comparison_page import comparison_page
    from surefoot.evaluation.report.comparison_text import comparison_markdown, comparison_rows
    from surefoot.files import atomic_write
    from surefoot.report import provenance, write_report

    comparison = compare(one, other, names=(str(args.a), str(args.b)))
    text = comparison_markdown(comparison)
    print(text, end="")
    if args.markdown is not None:
        with atomic_write(args.markdown, "w") as file:
            file.write(text)
    if args.html is not None:
        with atomic_write(args.html, "w") as file:
            file.write(comparison_page(comparison))
    if args.json is not None:
        changes = [row.change for row in comparison.rates]
        figures = {f"{change.replace(' ', '_')}": changes.count(change) for change in ("worse", "better")}
        figures |= {"compared": len(changes), "measures_that_differ": len(comparison.measures)}
        write_report(
            args.json,
            ok=not comparison.worse,
            figures=figures,
            rows=comparison_rows(comparison),
            provenance=provenance(),
        )
    return 1 if comparison.worse else 0
