"""The safety layer: plain rules that override the policy, whatever it asks."""

from typing import Any, Tuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.state.batch import begun, every, some

from .bounds import bounds_of
from .clamp import clamp
from .events import Event, events
from .fast_check import FastCheck
from .inputs import SafetyInputs
from .limits import StageLimits
from .measures import NO_SEQUENCE, FactFinder, Facts, Seen
from .rules import Response, Rule, rule_index, safety_rules
from .state import SafetyState, SafetyVerdict

# Comparisons with a member of an enumeration take twice as long as those with its code.
_STOP, _HOLD, _STAND = np.int8(Response.STOP), np.int8(Response.HOLD), np.int8(Response.STAND)
_DAMP = np.int8(Response.DAMP)
_RECOVERY = 0.1  # share of time in which a hold is counted off again: a robot held for a tenth of its time walks on
_TIME_RESOLUTION_S = 1e-6  # sums of steps are that exact, and no tick is that short


class Safety:
    """The rules for a contract's robot in a stage, for any batch shape. It holds no state of its own.

    A rule acts once its condition has lasted for its grace, which counts from the first check that finds it. The most
    severe response of all rules that act is given. Clamp and hold end with their causes; where they last, a walking
    robot stands without its policy, from the targets before the first of them. Damp and zero are latched:
    only the operator's release ends them, and only if no rule asks for them at that moment. A release that is given
    all along counts once.

    Args:
        contract: The contract.
        limits: Limits of the stage.
    """

    def __init__(self, contract: Contract, limits: StageLimits) -> None:
        self.bounds = bounds_of(contract, limits)
        """Limits of commands, as arrays."""
        self._finder = FactFinder(contract, self.bounds)
        self.row = self._finder.row
        """Where the numbers of a check stand."""
        self.rules: Tuple[Rule, ...] = safety_rules(contract, limits, self._finder.report_components)
        """The rules, in the order of all results."""
        self._none = _nothing((len(self.rules),))
        self.fast_check = FastCheck(self._finder, self.bounds, self.rules)
        """What tells cheaply that a check finds nothing wrong."""
        self._columns = np.concatenate([self._finder.columns[rule.measure] for rule in self.rules])
        self._start = np.cumsum([0, *(len(rule.limit) for rule in self.rules)])
        limit = np.concatenate([rule.limit for rule in self.rules])
        trips = np.concatenate([[rule.trips] * len(rule.limit) for rule in self.rules])
        self._sign = np.where((trips == "down_to") | (trips == "below"), -1.0, 1.0)
        at = self._sign * limit  # with its sign turned where it bounds from below, it trips from here on
        self._threshold = np.where((trips == "above") | (trips == "below"), np.nextafter(at, np.inf), at)
        self._grace_s = np.array([rule.grace_s for rule in self.rules]) - _TIME_RESOLUTION_S
        self._code = np.array([rule.response for rule in self.rules], dtype=np.int8)
        rests = contract.handling.rests_without_gantry
        # A robot that falls without its policy is better off with one that is clamped.
        self._doubted_s = np.array([rule.doubted_s if rests else np.inf for rule in self.rules]) - _TIME_RESOLUTION_S
        self._clamps, self._stops = self._code == Response.CLAMP, self._code == Response.STOP
        self._longest_hold_s = limits.longest_hold_s
        self._longest_doubt_s = limits.longest_doubt_s
        self._after_hold = _STAND if rests else _DAMP
        self._walking_only = np.array([rule.walking_only for rule in self.rules])
        self._reads_report = np.array([rule.reads_report for rule in self.rules])
        robot = contract.robot
        self._default = np.array(robot.default_joint_pos_rad)[self.bounds.policy_place]

    def initial(self, batch_shape: Tuple[int, ...]) -> SafetyState:
        """Return the state before the first check.

        Until a report can be trusted, joints are taken to rest in the default pose.

        Args:
            batch_shape: Shape of the batch; ``()`` for one robot.
        """
        n, num_rules = self.bounds.num_joints, len(self.rules)
        pose = np.broadcast_to(self._default, (*batch_shape, n))
        seen = Seen(
            np.full((*batch_shape, 2), np.nan),
            np.full(batch_shape, NO_SEQUENCE, dtype=np.int64),
            pose.copy(),
            np.zeros((*batch_shape, n)),
            np.concatenate([pose, np.zeros((*batch_shape, 4 * n))], axis=-1),
            np.zeros((*batch_shape, n)),
        )
        none = np.zeros((*batch_shape, num_rules), dtype=bool)
        code, release = np.zeros(batch_shape, dtype=np.int8), np.zeros(batch_shape, dtype=bool)
        return SafetyState(
            seen,
            none,
            np.zeros(none.shape),
            none.copy(),
            code,
            code.copy(),
            pose.copy(),
            release,
            np.zeros(batch_shape),
        )

    def reset(self, state: SafetyState, mask: np.ndarray) -> SafetyState:
        """Return the state in which the next check of some robots is their first; what was latched is forgotten.

        Args:
            state: The state.
            mask: True where it begins anew, of the batch shape, bool.

        Raises:
            SurefootError: If it is no such mask.
        """
        anew = begun(np.zeros(state.latched.shape, dtype=bool), mask)
        first = self.initial(anew.shape)

        def chosen(new: np.ndarray, old: np.ndarray) -> np.ndarray:
            return np.where(anew.reshape(anew.shape + (1,) * (new.ndim - anew.ndim)), new, old)

        names = ("on", "lasted_s", "active", "response", "latched", "held_rad", "released", "held_s")
        seen = Seen(*(chosen(new, old) for new, old in zip(first.seen, state.seen)))
        return SafetyState(seen, *(chosen(getattr(first, name), getattr(state, name)) for name in names))

    def check(self, state: SafetyState, inputs: SafetyInputs, command: np.ndarray) -> SafetyVerdict:
        """Judge a report and the command that is about to be given.

        Args:
            state: The state after the last check.
            inputs: What there is to judge besides the command.
            command: What the joints are about to be told, flat, (..., 5 num_joints).

        Raises:
            SurefootError: If an array is not of the shape that contract and state demand.
        """
        row, sequence = self._finder.gather(state.latched.shape, inputs, command)
        release = np.array(inputs.operator_release, dtype=bool)[()]  # a scalar, if it is one, is ten times as fast
        with np.errstate(all="ignore"):
            if not some(state.response != 0) and not some(release):  # so nothing is latched either
                left = self.fast_check.look(state.seen, row, sequence)
                if left is not None:
                    return self.content(state, left, row, release, inputs.time_s)
            return self._judged(state, inputs, row, sequence, release)

    def content(
        self, state: SafetyState, left: Seen, row: np.ndarray, release: np.ndarray, time_s: Any
    ) -> SafetyVerdict:
        """Return the verdict where nothing was done at the last check, and nothing is wrong now.

        Args:
            state: The state after the last check.
            left: What :meth:`FastCheck.look` has returned.
            row: What it looked at.
            release: Whether the operator releases the robot, (...,), bool.
            time_s: When the check is made [s], (...,).
        """
        none, not_once = self._none if state.on.ndim == 1 else _nothing(state.on.shape)
        held = state.seen.command[..., : self.bounds.num_joints]
        response = state.response.copy()
        held_s = state.held_s
        if held_s.any() if held_s.ndim else held_s:  # a single number is asked in a tenth of the time
            held_s = np.maximum(held_s - _RECOVERY * (left.time_s - state.seen.time_s)[..., 0], 0.0)
        following = SafetyState(left, none, not_once, none, response, response, held, release, held_s)

        def look() -> np.ndarray:
            with np.errstate(all="ignore"):
                return self._finder.find(state.seen, row, left.sequence).numbers.take(self._columns, axis=-1)

        return SafetyVerdict(response, none, none, left.command.copy(), np.array(time_s, np.float64), following, look)

    def _judged(
        self, state: SafetyState, inputs: SafetyInputs, row: np.ndarray, sequence: np.ndarray, release: np.ndarray
    ) -> SafetyVerdict:
        """Return the verdict of the rules."""
        released = release & ~state.released
        seen = state.seen
        if some(released):  # a robot that was started anew counts its reports and its time from 0
            time_s = np.where(released[..., None] & [False, True], np.nan, seen.time_s)
            seen = seen._replace(time_s=time_s, sequence=np.where(released, NO_SEQUENCE, seen.sequence))
        facts = self._finder.find(seen, row, sequence)
        values = facts.numbers.take(self._columns, axis=-1)
        on, lasted_s, active = self._judge(state, inputs, facts, values)
        response = np.where(released, np.int8(0), state.latched) if some(released) else state.latched
        if some(active):
            response = np.maximum(response, np.maximum.reduce(active * self._code, axis=-1))
        held_s = state.held_s
        doubt = np.logical_or.reduce(active & (lasted_s >= self._doubted_s), axis=-1) & inputs.walking
        if some(doubt | (response == _HOLD)) or held_s.any():
            response, held_s = self._limit_hold(response, doubt, held_s, facts.elapsed_s[..., 0], inputs.walking)
        held, sent = self._tell(state, facts, response, on, inputs.walking)
        latched = np.where(response >= _DAMP, response, np.int8(0))
        n = self.bounds.num_joints
        moved = facts.seen.moved_rad + np.abs(sent[..., :n] - facts.previous_rad)
        left = facts.seen._replace(command=sent.copy(), moved_rad=moved)
        following = SafetyState(left, on, lasted_s, active, np.array(response), latched, held, release, held_s)
        return SafetyVerdict(
            response=np.array(response),
            active=active.copy(),
            tripped=active & ~state.active,
            sent=sent,
            time_s=np.array(inputs.time_s, dtype=np.float64),
            state=following,
            look=lambda: values,
        )

    def _judge(
        self, state: SafetyState, inputs: SafetyInputs, facts: Facts, values: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return which conditions hold, for how long they have, and which rules act, (..., num_rules) each."""
        beyond = ~(self._sign * values < self._threshold)
        if not some(beyond) and every(facts.current):
            return np.zeros(state.on.shape, dtype=bool), np.zeros(state.on.shape), np.zeros(state.on.shape, dtype=bool)
        on = np.logical_or.reduceat(beyond, self._start[:-1], axis=-1)
        passed_s = facts.elapsed_s
        if not every(facts.current):  # what nothing was measured of has not lasted longer either
            blind = self._reads_report & ~facts.current
            on, passed_s = np.where(blind, state.on, on), np.where(blind, 0.0, passed_s)
        lasted_s = np.where(on & state.on, state.lasted_s + passed_s, 0.0)
        concerned = ~self._walking_only | np.asarray(inputs.walking, dtype=bool)[..., None]
        return on, lasted_s, on & concerned & (lasted_s >= self._grace_s)

    def _limit_hold(
        self, response: np.ndarray, doubt: np.ndarray, held_s: np.ndarray, elapsed_s: np.ndarray, walking: Any
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Return the response with what becomes of a hold or doubt that lasts, and for how long it has [s], (...,)."""
        disobeyed, longest = (response == _HOLD) | doubt, self._longest_hold_s
        held_s = np.minimum(np.maximum(held_s + np.where(disobeyed, elapsed_s, -_RECOVERY * elapsed_s), 0.0), longest)
        tired = disobeyed & (held_s >= np.where(doubt, self._longest_doubt_s, longest) - _TIME_RESOLUTION_S)
        after = np.where(walking, self._after_hold, _STAND)
        return np.maximum(response, np.where(tired, after, np.int8(0)))[()], np.asarray(held_s)

    def forbids_walking(self, state: SafetyState) -> np.ndarray:
        """Return where a robot that began to walk would be stopped, (...,), bool.

        Args:
            state: The state after the last check.
        """
        return np.logical_or.reduce(self._stopping(state), axis=-1)

    def against_walking(self, state: SafetyState) -> Tuple[str, ...]:
        """Return the names of the rules that stop a single robot or would stop it if it walked.

        Args:
            state: The state after the last check.
        """
        against = self._stopping(state) | (state.active & (self._code >= _STOP))
        return tuple(rule.name for rule, is_against in zip(self.rules, against) if is_against)

    def _stopping(self, state: SafetyState) -> np.ndarray:
        return state.on & self._stops & (state.lasted_s >= self._grace_s)

    def _tell(
        self, state: SafetyState, facts: Facts, response: np.ndarray, on: np.ndarray, walking: Any
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Return the targets to hold (..., num_joints) and what the joints are told (..., 5 num_joints)."""
        n, held = self.bounds.num_joints, facts.previous_rad
        # A command that is clamped may be wrong as a whole: what is held are the targets from before the clamp began.
        doubtful = state.active & np.isfinite(self._doubted_s)
        still = (state.response == _HOLD) | np.logical_or.reduce(doubtful, axis=-1)
        if some(still):
            stiff = state.seen.command[..., 2 * n : 3 * n] > 0.0
            held = np.where(still[..., None] & stiff, state.held_rad, held)
        if not some(response >= _HOLD) and not some(on & self._clamps):
            return held, facts.wanted.copy()
        # The machine makes the robot stand from the next tick on; until then it is held, not moved by the policy again.
        response = np.where((response == _STAND) & walking, _HOLD, response)
        return held, clamp(facts, response, held, self.bounds)

    def events(self, verdict: SafetyVerdict) -> Tuple[Event, ...]:
        """Return what tripped in a check, each rule once when it begins to act.

        Args:
            verdict: What came of the check.
        """
        return events(self.rules, verdict.tripped, verdict.values, verdict.time_s)

    def rule(self, name: str) -> int:
        """Return the place of a rule in all results.

        Raises:
            SurefootError: If there is none of this name.
        """
        return rule_index(self.rules, name)

    def allowed_velocity(self, velocity_command: np.ndarray) -> np.ndarray:
        """Return what of a velocity command stage and training allow, (..., num_components); 0 for what is not finite.

        Args:
            velocity_command: What the operator asks for, (..., num_components).
        """
        finite = np.isfinite(velocity_command)
        asked = velocity_command if every(finite) else np.where(finite, velocity_command, 0.0)
        return np.minimum(np.maximum(asked, self.bounds.velocity_low), self.bounds.velocity_high)


def _nothing(shape: Tuple[int, ...]) -> Tuple[np.ndarray, np.ndarray]:
    """Return that no condition holds, and for how long that has been so, (..., num_rules) each, not to be changed."""
    nothing = np.zeros(shape, dtype=bool), np.zeros(shape)
    for array in nothing:
        array.flags.writeable = False
    return nothing
