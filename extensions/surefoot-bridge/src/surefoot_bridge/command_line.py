"""The command line: ``surefoot-bridge <subcommand>``, one module to a subcommand, imported only when it is called."""

import errno
import importlib
import os
import sys
import traceback
from contextlib import suppress
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from .arguments import subcommand
from .errors import SurefootError

EXIT_HELD, EXIT_FELL_SHORT, EXIT_COULD_NOT_RUN, EXIT_INTERRUPTED = 0, 1, 2, 130


class Program(NamedTuple):
    """A program of subcommands, whose name is that of its distribution.

    Attributes:
        name: Its name.
        purpose: What it is for, in one sentence.
        summaries: Line of help of each subcommand.
        run: Runs a subcommand with its arguments, and returns the exit status.
        worded: Returns a refusal as it is said.
    """

    name: str
    purpose: str
    summaries: Mapping[str, str]
    run: Callable[[str, List[str]], int]
    worded: Callable[[str], str] = str

    def main(self, argv: Optional[Sequence[str]]) -> int:
        """Run one subcommand.

        Args:
            argv: The arguments after the program's name; those of this process when None.

        Returns:
            The exit status: 0 held, 1 measured and fell short, 2 could not run, 130 interrupted.
        """
        arguments = list(sys.argv[1:] if argv is None else argv)
        plain = [argument for argument in arguments if argument != "--verbose"]
        verbose = plain != arguments
        return ended(self.name, lambda: self._dispatch(plain), verbose=verbose, worded=self.worded)

    def _dispatch(self, arguments: List[str]) -> int:
        if arguments and arguments[0] == "--version":
            from importlib.metadata import version

            print(f"{self.name} {version(self.name)}")
            return EXIT_HELD
        more = f"{self.name} SUBCOMMAND --help says more; {self.name} --version which version this is."
        name, rest = subcommand(self.name, self.purpose, self.summaries, arguments, more=more)
        return EXIT_HELD if name is None else self.run(name, rest)


def ended(
    program: str,
    work: Callable[[], int],
    *,
    verbose: bool = False,
    worded: Callable[[str], str] = str,
    interrupted: str = "interrupted",
) -> int:
    """Do a program's work and return its exit status; whatever goes wrong is said in one line.

    A reader that has gone away (``| head -1``) ends it without a word.

    Args:
        program: Its name, with which the line begins.
        work: The work; it returns the status.
        verbose: Whether what has led to an error is told before the line: where it was, and what libraries said.
        worded: Returns a refusal as it is said.
        interrupted: What is said after Ctrl-C.
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
        status, said = EXIT_INTERRUPTED, interrupted
    except Exception as error:
        lost = _lost_output() if isinstance(error, OSError) and error.filename is None else None
        if isinstance(lost, BrokenPipeError):
            return status or EXIT_INTERRUPTED
        said, caught = _sentence(error, lost), error
        if not said:
            said = f"{type(error).__name__}: {error}. This is a fault of {program}; what led to it is above."
            verbose = True  # it is seen once, and may never be again
        status, said = status or EXIT_COULD_NOT_RUN, worded(said)
    with suppress(OSError):  # nobody may be there to hear it
        if verbose and caught is not None:
            traceback.print_exception(type(caught), caught, caught.__traceback__)
        if said:
            print(f"{program}: {said}", file=sys.stderr, flush=True)
    return status


def _sentence(error: Exception, lost: Optional[OSError]) -> str:
    """Return what is said of an error; nothing of one that nobody foresaw."""
    if isinstance(error, SurefootError):
        return str(error)
    if lost is not None:
        return f"The output cannot be written: {lost.strerror or lost}. Send it elsewhere."
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):  # of a library's file
        return f"The output cannot be written: {error.strerror}. Make room, or write elsewhere."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}. Give another place, or have this one made accessible to you."
    return ""


def _lost_output() -> Optional[OSError]:
    """Return why nothing can be printed, if so; nothing is from then on, which Python would try again at its end."""
    if sys.stdout is None:
        return None
    try:
        print(flush=True)  # an unbuffered output remembers no error
    except OSError as error:
        with suppress(OSError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None


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
    """Run one subcommand; see :meth:`Program.main`."""
    purpose = "The robot's side of Surefoot: runs a trained policy on the robot's own computer."
    program = Program("surefoot-bridge", purpose, COMMANDS, _run)
    return _outlived(lambda: program.main(argv)) if os.getpid() == 1 else program.main(argv)


def _outlived(work: Callable[[], int]) -> int:
    """Do the work of a container's first process in a child, and stay until all that it has started has ended.

    The system ends all others with the first process, and a guardian must outlive its bridge. The child gets by itself
    what a terminal sends.
    """
    import signal

    child = os.fork()
    if child == 0:
        return work()

    def pass_on(number: int, _frame: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, pass_on)
    status = EXIT_COULD_NOT_RUN
    with suppress(ChildProcessError):  # none is left
        while True:
            pid, ended_by = os.wait()
            if pid == child:
                status = 128 + os.WTERMSIG(ended_by) if os.WIFSIGNALED(ended_by) else os.WEXITSTATUS(ended_by)
    return status


def _run(name: str, arguments: List[str]) -> int:
    return importlib.import_module(f"surefoot_bridge.commands.{name}").main(arguments)


if __name__ == "__main__":
    sys.exit(main())
