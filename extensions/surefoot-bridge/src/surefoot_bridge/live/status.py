"""The control loop's side of the panel."""

import math
import os
import subprocess
import sys
import time
from contextlib import suppress
from typing import Optional, Sequence

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.log.ring import shared_file
from surefoot_bridge.robots import Reading
from surefoot_bridge.safety import Response, Rule, SafetyVerdict
from surefoot_bridge.side_process import start_side_process
from surefoot_bridge.state import Mode

from .process import Order
from .snapshot import SharedSnapshot

_PERIOD_S = 0.1
_END_S = 1.0  # that the process may take for its last words; a terminal that stands still would have it wait for ever
_STANDARD_OUTPUT = 1


class LiveStatus:
    """Shows the state of a run while it runs. :meth:`show` is for the control loop: it stores numbers, and never waits.

    Args:
        contract: The contract.
        rules: The rules of safety, in the order of their verdicts.
        stage: The stage, for a person.
        duration_s: How long the run lasts [s].
        simulated: Whether the loop's clock is a simulated one, which may be slower than real time.
        output: Where to show it; the standard output by default.
    """

    def __init__(
        self,
        contract: Contract,
        rules: Sequence[Rule],
        *,
        stage: str,
        duration_s: float,
        simulated: bool = False,
        output: Optional[int] = None,
    ) -> None:
        self._duration_s, self._simulated = duration_s, simulated
        self._responses = np.array([rule.response for rule in rules])
        self._begun_s = self._due_s = -math.inf
        self._mode = self._response = self._rule = -1
        self._mode_since_s = self._rule_since_s = 0.0
        self._failed = False
        descriptor = shared_file()
        try:
            self._shared = SharedSnapshot(descriptor, len(contract.command.names), begin=True)
            words = {
                "stage": stage,
                "modes": [mode.name.lower() for mode in Mode],
                "damped_mode": int(Mode.DAMPED),
                "rules": [[rule.name, rule.description] for rule in rules],
                "responses": [response.name.lower() for response in Response],
                "damp": int(Response.DAMP),
                "motors": list(contract.robot.sdk_joint_names),
                "temperature_limit_c": contract.safety.motor_temperature_limit_c,
                "command_names": list(contract.command.names),
                "report_hz": contract.timing.low_level_hz,
            }
            sys.stdout.flush()
            self._process = start_side_process(
                "live.process",
                Order(descriptor, os.getpid(), simulated, words),
                descriptors=[descriptor],
                output=_STANDARD_OUTPUT if output is None else output,
            )
        finally:
            os.close(descriptor)  # the memory stays mapped

    def show(self, now: float, mode: int, verdict: SafetyVerdict, reading: Reading, command: np.ndarray) -> None:
        """Show a tick: ten of a second of real time, and each that changes mode or response.

        Args:
            now: The loop's clock [s].
            mode: Code of the mode.
            verdict: What safety says.
            reading: The robot's report.
            command: The velocity command, (num_components,).
        """
        response = int(verdict.response)
        real_s = time.monotonic() if self._simulated else now
        if self._failed or (real_s < self._due_s and mode == self._mode and response == self._response):
            return
        self._due_s = real_s + _PERIOD_S
        try:
            self._store(now, mode, response, verdict, reading, command)
        except Exception:  # a picture is no reason to drop a robot
            self._failed = True

    def close(self) -> None:
        """End it. Harmless when done again."""
        self._shared.end()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "LiveStatus":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _store(
        self, now: float, mode: int, response: int, verdict: SafetyVerdict, reading: Reading, command: np.ndarray
    ) -> None:
        if math.isinf(self._begun_s):
            self._begun_s = now
        if mode != self._mode:
            self._mode, self._mode_since_s = mode, now
        gravest = np.where(verdict.active, self._responses, 0)
        rule = int(np.argmax(gravest))
        rule = rule if gravest[rule] else -1
        if rule != self._rule:
            self._rule, self._rule_since_s = rule, now
        self._response = response
        state = reading.state
        motor = int(np.argmax(state.motor_temperature_c))
        self._shared.store(
            (
                now,
                self._duration_s - (now - self._begun_s),
                mode,
                now - self._mode_since_s,
                rule,
                now - self._rule_since_s,
                response,
                now - reading.received_s,
                float(state.time_s),
                float(state.sequence),
                float(state.battery_share),
                motor,
                float(state.motor_temperature_c[motor]),
                float(state.imu_ang_vel_rad_s[2]),
            ),
            command.tolist(),
        )
