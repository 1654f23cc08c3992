"""The command line: ``surefoot-bridge <subcommand>``, one module to a subcommand, imported only when it is called."""

import importlib
import os
import sys
import traceback
from contextlib import suppress
from typing import Callable, Dict, List, Optional, Sequence

from .arguments import subcommand
from .errors import SurefootError

EXIT_HELD, EXIT_FELL_SHORT, EXIT_COULD_NOT_RUN, EXIT_INTERRUPTED = 0, 1, 2, 130

PROGRAM = "surefoot-bridge"
COMMANDS: Dict[str, str] = {
    "check": "Check a bundle and say what is in it.",
    "run": "Run a bundle on a robot: a real one, an emulated one, or one in MuJoCo.",
    "emulate": "Emulate a robot on the network, for the bridge to talk to.",
    "guardian": "Show, end or be what damps a robot without a bridge.",
    "stages": "Show which stages its logs have opened to a bundle.",
    "log": "Say what is in a log, and draw it.",
    "key": "Make the keys with which bundles are signed and logs are sealed.",
}
"""Line of help of each subcommand, which is a module of :mod:`surefoot_bridge.commands` with ``main(argv) -> int``."""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run one subcommand.

    Args:
        argv: The arguments after the program's name; those of this process when None.

    Returns:
        The exit status: 0 held, 1 measured and fell short, 2 could not run, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    plain = [argument for argument in arguments if argument != "--verbose"]
    return ended(PROGRAM, lambda: _dispatch(plain), verbose=plain != arguments)


def ended(program: str, work: Callable[[], int], *, verbose: bool = False) -> int:
    """Do a program's work and return its exit status; whatever goes wrong is said in one line.

    A reader that has gone away (``| head -1``) ends it without a word.

    Args:
        program: Its name, with which the line begins.
        work: The work; it returns the status.
        verbose: Whether what has led to an error is told before the line: where it was, and what libraries said.
    """
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")  # a path may hold what no character set has
    status, said, caught = EXIT_HELD, "", None
    try:
        status = work()
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        status, said = EXIT_INTERRUPTED, "interrupted"
    except BrokenPipeError:
        _print_nowhere()
        return status or EXIT_INTERRUPTED
    except Exception as error:
        status, said, caught = status or EXIT_COULD_NOT_RUN, _sentence(error, program), error
        unexpected = not isinstance(error, (SurefootError, OSError))
        verbose = verbose or unexpected  # what led to a fault of ours is seen once, and may never be again
    with suppress(OSError):  # nobody may be there to hear it
        if verbose and caught is not None:
            traceback.print_exception(type(caught), caught, caught.__traceback__)
        if said:
            print(f"{program}: {said}", file=sys.stderr, flush=True)
    return status


def _sentence(error: Exception, program: str) -> str:
    if isinstance(error, SurefootError):
        return str(error)
    if not isinstance(error, OSError):
        return f"{type(error).__name__}: {error}. This is a fault of {program}; what led to it is above."
    if error.filename is None:
        _print_nowhere()
        return f"The output cannot be written: {error.strerror or error}. Send it elsewhere."
    return f"{error.filename}: {error.strerror}. Give another place, or have this one made accessible to you."


def _print_nowhere() -> None:
    """Print nowhere from now on: Python would try at its end what did not work before, and complain."""
    with suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(arguments: List[str]) -> int:
    if arguments and arguments[0] == "--version":
        from importlib.metadata import version

        print(f"{PROGRAM} {version(PROGRAM)}")
        return EXIT_HELD
    name, rest = subcommand(
        PROGRAM,
        "The robot's side of Surefoot: runs a trained policy on the robot's own computer.",
        COMMANDS,
        arguments,
        more=f"{PROGRAM} SUBCOMMAND --help says more; {PROGRAM} --version which version this is.",
    )
    return EXIT_HELD if name is None else importlib.import_module(f"{__package__}.commands.{name}").main(rest)


if __name__ == "__main__":
    sys.exit(main())
