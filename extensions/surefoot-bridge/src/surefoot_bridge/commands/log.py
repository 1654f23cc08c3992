"""``surefoot-bridge log info FILE``: says what is in a log, and draws it."""

from dataclasses import asdict
from typing import Sequence

from surefoot_bridge.arguments import FILE_OR_FOLDER, OUTPUT, Parser, Place, subcommand

_PURPOSE = "Say what is in a log, and draw it."


def main(argv: Sequence[str]) -> int:
    """Run ``log``: 0 if the log was read."""
    name, rest = subcommand("surefoot-bridge log", _PURPOSE, {"info": "say what is in a log, and draw it"}, argv)
    if name is None:
        return 0
    parser = Parser("surefoot-bridge log info", _PURPOSE)
    parser.add_argument("log", nargs="+", type=FILE_OR_FOLDER, metavar="FILE", help="folder of a log, or files of one")
    parser.add_argument("--json", type=OUTPUT, metavar="FILE", help="also write the figures")
    parser.add_argument(
        "--plot", type=Place("file to write", (".png", ".html")), metavar="FILE", help="also draw it, as .png or .html"
    )
    arguments = parser.values(rest)
    from surefoot_bridge.log import plot, read_log, summarise
    from surefoot_bridge.log.report import describe, figures_of

    from .report import write_report

    log = read_log(arguments.log if len(arguments.log) > 1 else arguments.log[0])
    summary = summarise(log)
    print(describe(summary), end="")
    if arguments.json is not None:
        of_all = {"summary": asdict(summary)}
        write_report(arguments.json, ok=True, figures=figures_of(summary), rows=summary.joints, more=of_all)
    if arguments.plot is not None:
        print(f"Drawn: {plot(log, arguments.plot)}")
    return 0
