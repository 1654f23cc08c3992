"""Run a trained policy; the same as ``surefoot play``."""

import sys

from surefoot.cli import main

if __name__ == "__main__":
    sys.exit(main(["play", *sys.argv[1:]]))
