"""``surefoot-bridge log info FILE``."""

import argparse
import json
import sys
from pathlib import Path
from typing import List, Optional

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import write_whole
from surefoot_bridge.log import plot, read_log, summarise
from surefoot_bridge.log.report import describe, report


def main(argv: Optional[List[str]] = None) -> int:
    """Run ``log``.

    Args:
        argv: What stands behind ``surefoot-bridge log``; the command line's by default.

    Returns:
        0 if the log was read, 2 if it cannot be, or a result cannot be written.
    """
    parser = argparse.ArgumentParser(prog="surefoot-bridge log", description="look at the logs of a robot")
    commands = parser.add_subparsers(dest="log_command", required=True)
    info = commands.add_parser("info", help="say what is in a log")
    info.add_argument("log", nargs="+", type=Path, metavar="FILE", help="folder of a log, or files of one")
    info.add_argument("--json", type=Path, metavar="FILE", help="also write the figures")
    info.add_argument("--plot", type=Path, metavar="FILE", help="also draw it, as .png or .html")
    arguments = parser.parse_args(argv)
    try:
        log = read_log(arguments.log if len(arguments.log) > 1 else arguments.log[0])
        summary = summarise(log)
        print(describe(summary), end="")
        if arguments.json is not None:
            write_whole(arguments.json, (json.dumps(report(summary), indent=2, allow_nan=False) + "\n").encode())
        if arguments.plot is not None:
            print(f"Drawn: {plot(log, arguments.plot)}")
    except SurefootError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"Error: {error.filename}: {error.strerror}. Give a folder that is there.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
