"""Subcommands as functions, for notebooks and scripts: the same options, checks and files as on the command line.

An option is a keyword, ``--num-envs 64`` is ``num_envs=64``; a switch is True or False; what is refused is raised.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from surefoot.cli import COMMANDS
from surefoot.processes import prepare_environment
from surefoot_bridge.arguments import Parser
from surefoot_bridge.errors import unknown_name


def train(*overrides: str, **options: Any) -> int:
    """Train a policy: ``train(task="Surefoot-Velocity-Flat-Go2", iterations=20)``.

    Args:
        overrides: ``"env.PATH=VALUE"`` or ``"agent.PATH=VALUE"``.
        options: Those of ``surefoot train``.

    Returns:
        0 trained, 1 values stopped being finite, 130 interrupted.

    Raises:
        SurefootError: If an option is wrong or a part is missing.
    """
    return _call("train", overrides, options)


def play(*run: Any, **options: Any) -> int:
    """Run a trained policy and print its figures: ``play("runs/...", episodes=10, video=False)``.

    Args:
        run: Run directory or checkpoint; none with ``pretrained``.
        options: Those of ``surefoot play``.

    Returns:
        0 the policy walks, 1 a figure misses its bound.

    Raises:
        SurefootError: If an option is wrong or a part is missing.
    """
    return _call("play", run, options)


def export(*run: Any, **options: Any) -> int:
    """Turn a policy into a bundle: ``export("runs/...", output="bundle")``.

    Args:
        run: Run directory or checkpoint; none with ``pretrained``.
        options: Those of ``surefoot export``.

    Returns:
        0.

    Raises:
        SurefootError: If an option is wrong, or the policy cannot be exported.
    """
    return _call("export", run, options)


def verify(bundle: Any, **options: Any) -> int:
    """Hold a bundle against scenarios: ``verify("bundle", suite="quick")``.

    Args:
        bundle: Folder of the bundle.
        options: Those of ``surefoot verify``.

    Returns:
        Without a gate 0 every scenario ran, 2 one could not; with one 0 passed, 1 not; 130 interrupted.

    Raises:
        SurefootError: If it could not begin, or a file could not be written.
    """
    return _call("verify", (bundle,), options)


def _call(name: str, positional: tuple[Any, ...], options: dict[str, Any]) -> int:
    prepare_environment()
    module = importlib.import_module(COMMANDS[name].module)
    parser = Parser(f"surefoot {name}", COMMANDS[name].summary)
    module.add_arguments(parser)
    # argparse has no public way to ask which options there are.
    declared = {
        flag[2:].replace("-", "_"): action.dest
        for action in parser._actions
        for flag in action.option_strings
        if flag.startswith("--")
    }
    for option in options:
        if option not in declared or option == "help":
            raise unknown_name(f"option of surefoot {name}", option, sorted(set(declared) - {"help"}))
    defaults = {option: parser.get_default(declared[option]) for option in options}
    words = [word for option, value in options.items() for word in _words(option, value, defaults[option])]
    return module.run(parser.values([*words, "--", *map(str, positional)]))


def _words(option: str, value: Any, default: Any) -> Iterator[str]:
    """Yield an option as the command line has it; nothing for its default."""
    flag = f"--{option.replace('_', '-')}"
    if value is None or value == default:
        return
    if isinstance(value, bool):
        yield flag if value else f"--no-{flag[2:]}"
    elif isinstance(value, (list, tuple)):
        if default == []:
            yield from (f"{flag}={item}" for item in value)
        else:
            yield from (flag, *map(str, value))
    else:
        yield f"{flag}={value}"
