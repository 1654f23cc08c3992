"""Train a policy, the same as ``surefoot train``, for those who look for a script first."""

import sys

from surefoot.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", *sys.argv[1:]]))
