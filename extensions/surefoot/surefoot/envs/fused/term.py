"""A term of a manager that is a Warp function of one robot."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
import warp as wp
from isaaclab.managers import ManagerTermBase, ManagerTermBaseCfg

from surefoot_bridge.errors import SurefootError
from surefoot_robots import RobotSpec

from .dispatch import TermTable
from .inputs import SELECTED_JOINTS, BoundInputs, arguments_of, check_arguments, parameters_of

SELECTION = ("joint_pattern", "num_joints")
"""Parameters that say which joints a term selects: a pattern of :class:`~surefoot_robots.RobotSpec`, and how many."""


class _FunctionOfTerm:
    """Gives a term its function; it has no ``__dict__``, in which Isaac Lab's check of configurations gets lost."""

    __slots__ = ("_function",)

    def __init__(self, function: Any) -> None:
        self._function = function

    def __get__(self, term: object, owner: type) -> Any:
        return self._function


class RobotTerm(ManagerTermBase):
    """Base class of terms that :func:`make_term` makes.

    A manager that knows such terms computes all of them in one kernel and does not call them.
    """

    function: ClassVar[Any]
    """The function, of Warp's."""

    def __init__(self, cfg: ManagerTermBaseCfg, env: Any) -> None:
        super().__init__(cfg, env)
        check_arguments(self.function)


def make_term(base: type[RobotTerm], function: Any, module: str) -> type[RobotTerm]:
    """Make the term of a function, with the function's name.

    Args:
        base: Base class of the terms of a manager.
        function: The function, of Warp's.
        module: Where the term is found by its name.
    """
    content = {"function": _FunctionOfTerm(function), "__doc__": function.__doc__, "__module__": module}
    term: Any = type(function.key, (base,), content)

    def call(self: Any, env: Any, **params: Any) -> Any:
        return base.__call__(self, env, **params)

    # The manager reads the names of a term's parameters from its signature.
    own: list[str] = parameters_of(function)
    own += SELECTION if SELECTED_JOINTS in arguments_of(function) else ()
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in ("self", "env", *own)]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    term.__call__ = call
    return term


class Terms:
    """The table of some terms, kept up to date with their configurations, which a curriculum may change.

    Args:
        names: The terms' names.
        cfgs: Their configurations; the sequence is kept.
        of_terms: The function of each, None for a term of torch.
        functions: The kernel's functions.
        spec: The robot.
        device: Where the table is.
        check: Refuses parameters of a function with a ``ValueError``; None where all are taken.
    """

    def __init__(
        self,
        names: Sequence[str],
        cfgs: Sequence[Any],
        of_terms: Sequence[wp.Function | None],
        functions: Sequence[wp.Function],
        spec: RobotSpec,
        device: str,
        *,
        check: Callable[[str, Mapping[str, float]], None] | None = None,
    ) -> None:
        self._names, self._cfgs, self._check = names, cfgs, check
        self._own = own = {index: function for index, function in enumerate(of_terms) if function is not None}
        self._parameters = {index: parameters_of(function) for index, function in own.items()}
        place = {function.key: kind for kind, function in enumerate(functions)}
        kinds = np.full(len(cfgs), -1, dtype=np.int32)
        selected = np.zeros((len(cfgs), spec.num_joints), dtype=bool)
        for index, function in own.items():
            kinds[index] = place[function.key]
            if SELECTED_JOINTS in arguments_of(function):
                chosen = spec.resolve(*(cfgs[index].params[name] for name in SELECTION))
                selected[index] = [name in chosen for name in spec.joint_names]
        width = max(map(len, self._parameters.values()), default=0)
        self.struct: Any = TermTable()
        """The table, for a launch; its arrays stay where they are."""
        self.struct.kind = wp.array(kinds, dtype=int, device=device)
        self.struct.selected_joints = wp.array(selected, dtype=bool, device=device)
        self.struct.weight = wp.zeros(len(cfgs), dtype=float, device=device)
        self.struct.parameters = wp.zeros((len(cfgs), max(1, width)), dtype=float, device=device)
        self._held: list[Any] = []

    @property
    def active(self) -> list[wp.Function]:
        """Functions of the terms whose weight is not zero; a kernel computes no others."""
        return [function for index, function in self._own.items() if getattr(self._cfgs[index], "weight", 1.0) != 0.0]

    def update(self) -> bool:
        """Upload weights and parameters if they have changed since the last time; returns whether they have.

        Raises:
            SurefootError: If a parameter would make NaN of finite input.
        """
        cfgs = self._cfgs
        values: list[Any] = [getattr(cfg, "weight", 1.0) for cfg in cfgs]
        values += [cfgs[index].params[name] for index, names in self._parameters.items() for name in names]
        if values == self._held:
            return False
        parameters = np.zeros(self.struct.parameters.shape, dtype=np.float32)
        for index, names in self._parameters.items():
            given = {name: float(cfgs[index].params[name]) for name in names}
            try:
                if self._check is not None:
                    self._check(self._own[index].key, given)
            except ValueError as error:
                raise SurefootError(f"The term {self._names[index]!r} cannot be computed: {error}") from error
            parameters[index, : len(names)] = list(given.values())
        self.struct.parameters.assign(parameters)
        self.struct.weight.assign(np.array(values[: len(cfgs)], dtype=np.float32))
        self._held = values
        return True


def functions_of_terms(cfgs: Sequence[Any]) -> list[wp.Function | None]:
    """Return the function of each term, None for a term of torch."""
    return [cfg.func.function if isinstance(cfg.func, RobotTerm) else None for cfg in cfgs]


def with_others(library: Sequence[wp.Function], of_terms: Sequence[wp.Function | None]) -> tuple[wp.Function, ...]:
    """Return the functions that a kernel needs: the library's, so that one kernel serves all tasks, and others'."""
    known = {id(function) for function in library}
    others = {id(function): function for function in of_terms if function is not None and id(function) not in known}
    return (*library, *others.values())


class Launch:
    """A launch of a kernel whose first arguments are the inputs and the table of terms; recorded, so that it is cheap.

    Args:
        kernel: The kernel.
        dim: Its threads.
        inputs: What its terms read.
        terms: Their table.
        arguments: The kernel's further arguments, which stay where they are.
        device: Where it runs.
    """

    def __init__(
        self, kernel: wp.Kernel, dim: Any, inputs: BoundInputs, terms: Terms, arguments: Sequence[Any], device: str
    ) -> None:
        self._inputs, self._terms = inputs, terms
        every = [inputs.struct, terms.struct, *arguments]
        launch = wp.launch(kernel, dim=dim, inputs=every, device=device, record_cmd=True)
        self.recorded = cast("wp.Launch", launch)  # what Warp returns when it records
        """Warp's, to set further arguments."""

    def upload(self) -> bool:
        """Upload weights and parameters that have changed; returns whether any has.

        Raises:
            SurefootError: If a parameter would make NaN of finite input.
        """
        changed = self._terms.update()
        if changed:
            self._inputs.keep_to(self._terms.active)
        return changed

    def run(self) -> None:
        """Bring inputs and table up to date, and launch.

        Raises:
            SurefootError: If a term reads what the task does not declare, or has a parameter that makes NaN.
        """
        self.upload()
        if self._inputs.refresh():
            self.recorded.set_param_at_index(0, self._inputs.struct)
        self.recorded.launch()
