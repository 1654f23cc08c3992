"""Plant known faults in a copy of the code, for tests to catch: ``python scripts/mutate_randomization.py --json FILE``.

The checkout itself is only read. Exit status: 0 all faults were caught, 1 some were not, 2 could not run.
"""

import argparse
import signal
import sys
from pathlib import Path

from surefoot.report import provenance, write_report
from surefoot_bridge.command_line import ended
from surefoot_devtools.mutation.campaign import figures, run_campaign, table
from surefoot_devtools.mutation.mutant import FAULTS
from surefoot_devtools.mutation.mutants import select_mutants

CHECKOUT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Plant, print a table, write the report; 0 when every fault was caught."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", type=int, nargs="+", metavar="N", help="plant these only, by number")
    parser.add_argument("--list", action="store_true", help="print what would be planted, and stop")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write a report")
    args = parser.parse_args()
    mutants = select_mutants(args.fault)
    if args.list:
        for mutant in mutants:
            print(f"{mutant.fault:2d} {FAULTS[mutant.fault]}: {mutant.title}", *mutant.tests, sep="\n     ")
        return 0
    outcomes = run_campaign(CHECKOUT, mutants, say=lambda line: print(line, file=sys.stderr, flush=True))
    counts = figures(outcomes)
    ok = counts["caught"] == counts["planted"]
    print(table(outcomes))
    print(f"caught {counts['caught']} / {counts['planted']}")
    if args.json is not None:
        rows = [outcome.row() for outcome in outcomes]
        write_report(args.json, ok=ok, figures=counts, rows=rows, provenance=provenance(device="cpu"))
    return 0 if ok else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the copy is removed then too
    sys.exit(ended("mutate_randomization.py", main, interrupted="interrupted; the copy is removed"))
