"""Runs ``surefoot`` with many argument lists in one process and prints exit status and standard error of each.

Usage: python refusal_worker.py JSON-LIST-OF-ARGUMENT-LISTS; the answer is the last line of the output.
"""

import io
import json
import sys
from contextlib import redirect_stderr

from surefoot import cli
from surefoot.learning import memory

if __name__ == "__main__":
    memory.available_gib = lambda: 4.0  # the same on every machine
    answers = []
    for arguments in json.loads(sys.argv[1]):
        with redirect_stderr(io.StringIO()) as error:
            status = cli.main(arguments)
        answers.append((status, error.getvalue()))
    print(json.dumps(answers))
