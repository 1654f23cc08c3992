"""Plant faults in copies of a bundle, which must then be refused: ``python scripts/mutate_contract.py BUNDLE``.

The bundle itself is only read. Exit status: 0 every fault that changes what a joint is told was refused before the
first command to a motor, 1 some were not, 2 could not run.
"""

import argparse
import sys
from pathlib import Path

from surefoot.files import atomic_write
from surefoot.report import provenance, write_report
from surefoot_bridge.command_line import ended
from surefoot_devtools.mutation.contract_campaign import run_contract_campaign
from surefoot_devtools.mutation.contract_outcome import contract_figures
from surefoot_devtools.mutation.contract_page import contract_page, contract_table


def main() -> int:
    """Plant, print a table, write report and page; 0 when every fault that matters was caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="folder that surefoot export wrote")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write a report")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the table as a page")
    args = parser.parse_args()
    outcomes = run_contract_campaign(args.bundle, say=lambda line: print(line, file=sys.stderr, flush=True))
    ok = all(outcome.ok for outcome in outcomes)
    print(contract_table(outcomes))
    origin = provenance(seed=1, device="cpu")
    if args.json is not None:
        rows = [outcome.row() for outcome in outcomes]
        write_report(args.json, ok=ok, figures=contract_figures(outcomes), rows=rows, provenance=origin)
    if args.markdown is not None:
        with atomic_write(args.markdown, "w") as file:
            file.write(contract_page(args.bundle.resolve().name, outcomes, origin))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(ended("mutate_contract.py", main, interrupted="interrupted; the copies are removed"))
