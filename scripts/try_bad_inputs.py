"""Type what people type by mistake, into both programs: ``python scripts/try_bad_inputs.py --json FILE``.

Each must be answered by one line with the value, the valid ones and the remedy, and exit status 2, within a second
where no engine is needed, and leave the disk as it was. The inputs stand in ``scripts/bad_inputs``, a file a program.
"""

import argparse
import sys
from pathlib import Path

from surefoot.files import atomic_write
from surefoot.report import provenance, write_report
from surefoot_bridge.command_line import ended
from surefoot_devtools.bad_inputs import bare_seconds, tables, try_inputs

HEAD = ("# What mistakes are answered with", "", "| typed | answer |", "|---|---|")


def main() -> int:
    """Try all inputs; 0 when each answer is as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="try inputs with this text in them")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the answers as a page for the docs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write a report")
    args = parser.parse_args()
    chosen = [table.only(args.only) for table in tables()]
    rows = [row for table in chosen for row in try_inputs(table, progress=lambda line: print(line, flush=True))]
    quick = [row["seconds"] for row in rows if not row["engine"]]
    figures = {
        "inputs": len(rows),
        "clear": sum(row["clear"] for row in rows),
        "slowest_s": max(quick, default=0.0),
        "python_that_does_nothing_s": bare_seconds(),
    }
    print(", ".join(f"{name} {value:g}" for name, value in figures.items()))
    ok = figures["clear"] == figures["inputs"]
    if args.json is not None:
        write_report(args.json, ok=ok, figures=figures, rows=rows, provenance=provenance())
    if args.markdown is not None:
        lines = [f"| `{row['input']}` | {row['answer'].replace('|', chr(92) + '|')} |" for row in rows]
        with atomic_write(args.markdown, "w") as page:
            page.write("\n".join([*HEAD, *lines, ""]))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(ended("try_bad_inputs.py", main))
