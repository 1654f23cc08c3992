"""``surefoot train`` in a process of its own, with a checkpoint after one chosen iteration instead of each minute.

Usage: python train_worker.py ITERATION ARGUMENTS-OF-SUREFOOT...
"""

import os
import sys

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch loads, as `surefoot train` does

from surefoot import cli
from surefoot.learning.runner import SurefootRunner

if __name__ == "__main__":
    chosen = int(sys.argv[1])
    SurefootRunner._checkpoint_is_due = lambda self, *_: self.completed == chosen
    sys.exit(cli.main(sys.argv[2:]))
