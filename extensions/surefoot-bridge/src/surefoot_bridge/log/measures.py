"""Brings a log down to a few numbers."""

from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence, Tuple, Union

import numpy as np

from surefoot_bridge.state import tilt

from .reader import Log, Topic, read_log
from .summary import CommandRange, EventCount, JointPeaks, LogSummary, ModeBand, Spread


def summarise(log: Union[Log, str, Path, Sequence[Union[str, Path]]]) -> LogSummary:
    """Return what a log says in a few numbers.

    Args:
        log: The log, or what :func:`~surefoot_bridge.log.read_log` reads.

    Raises:
        SurefootError: If it cannot be read.
    """
    if not isinstance(log, Log):
        log = read_log(log)
    start_s, end_s = span(log)
    # A control loop without /timing still has its reports, one each tick.
    ticks = log["/timing"] if len(log["/timing"]) else log["/robot_state"]
    periods = np.diff(ticks.time_s)
    bands = mode_bands(log)
    state = log["/robot_state"]
    safety = log["/safety"]
    return LogSummary(
        files=tuple(path.name for path in log.paths),
        started_utc=log.started_utc,
        robot=log.robot,
        stage=log.stage,
        bundle=log.bundle,
        contract_sha256=log.contract_sha256,
        finished=log.finished,
        lost_bytes=log.lost_bytes,
        damaged_bytes=log.damaged_bytes,
        dropped=int(safety["value"][safety["name"] == "log_dropped"].sum()),
        notes=log.notes,
        duration_s=end_s - start_s,
        messages={name: len(topic) for name, topic in log.topics.items()},
        period_s=_spread(periods),
        jitter_s=_spread(np.abs(periods - np.median(periods))) if periods.size else None,
        lateness_s=_spread(log["/timing"]["lateness_s"]),
        phases_s=dict(_phases(log)),
        modes=bands,
        mode_s={
            mode: sum(band.end_s - band.start_s for band in bands if band.mode == mode)
            for mode in dict.fromkeys(band.mode for band in bands)
        },
        events=tuple(sorted(_event_counts(safety, start_s), key=lambda event: -event.count)),
        commands=tuple(_command_ranges(log)),
        joints=tuple(_joint_peaks(log, state, start_s)),
        tilt_rad=_extreme(np.max, tilt(state["imu_quat_wxyz"])),
        battery_share=_extreme(np.min, state["battery_share"]),
    )


def span(log: Log) -> Tuple[float, float]:
    """Return the first and the last time of any message [s], on the clock of the control loop; zeros for none."""
    # The mode at the start of a part may have been entered long before it.
    times = [topic.time_s for name, topic in log.topics.items() if len(topic) and name != "/mode"]
    times = times or [log["/mode"].time_s]
    every = np.concatenate(times)
    every = every[np.isfinite(every)]
    return (float(every.min()), float(every.max())) if every.size else (0.0, 0.0)


def mode_bands(log: Log) -> Tuple[ModeBand, ...]:
    """Return the modes in their order, from the start of the log."""
    start_s, end_s = span(log)
    topic = log["/mode"]
    starts = np.clip(topic.time_s, start_s, end_s) - start_s
    ends = np.append(starts[1:], end_s - start_s)
    entries = zip(topic["mode"], starts, ends, topic["reason"])
    return tuple(ModeBand(str(mode), float(begun), float(ended), str(why)) for mode, begun, ended, why in entries)


def _phases(log: Log) -> Iterator[Tuple[str, Spread]]:
    for name, durations in zip(log.phases, log["/timing"]["phase_s"].T):
        spread = _spread(durations)
        if spread is not None:
            yield name, spread


def _event_counts(safety: Topic, start_s: float) -> Iterator[EventCount]:
    for name in dict.fromkeys(safety["name"]):
        places = np.flatnonzero(safety["name"] == name)
        # An event before the first tick knows no time of the loop's clock.
        seconds = np.nan_to_num(safety.time_s[places] - start_s, nan=0.0)
        yield EventCount(
            name=str(name),
            response=str(safety["response"][places[-1]]),
            count=len(places),
            first_s=float(seconds[0]),
            last_s=float(seconds[-1]),
            message=str(safety["message"][places[0]]),
        )


def _command_ranges(log: Log) -> Iterator[CommandRange]:
    part = log.contract.command
    for name, trained, values in zip(part.names, part.trained, log["/observation"]["command"].T):
        yield CommandRange(name, _extreme(np.min, values), _extreme(np.max, values), trained.low, trained.high)


def _joint_peaks(log: Log, state: Topic, start_s: float) -> Iterator[JointPeaks]:
    limits = np.array(log.contract.safety.torque_limit_nm)[list(log.contract.sdk_order)]
    for i, name in enumerate(log.contract.robot.sdk_joint_names):
        torques = np.abs(state["joint_torque_nm"][:, i])
        peak = _extreme(np.max, torques)
        yield JointPeaks(
            name=name,
            torque_nm=peak,
            torque_share=None if peak is None else peak / float(limits[i]),
            torque_at_s=None if peak is None else float(state.time_s[np.flatnonzero(torques == peak)[0]]) - start_s,
            speed_rad_s=_extreme(np.max, np.abs(state["joint_vel_rad_s"][:, i])),
            temperature_c=_extreme(np.max, state["motor_temperature_c"][:, i]),
            lowest_rad=_extreme(np.min, state["joint_pos_rad"][:, i]),
            highest_rad=_extreme(np.max, state["joint_pos_rad"][:, i]),
        )


def _spread(values: np.ndarray) -> Optional[Spread]:
    finite = _finite(values)
    if not finite.size:
        return None
    return Spread(float(np.median(finite)), float(np.percentile(finite, 99)), float(finite.max()))


def _extreme(which: Callable[[np.ndarray], np.ndarray], values: np.ndarray) -> Optional[float]:
    finite = _finite(values)
    return float(which(finite)) if finite.size else None


def _finite(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]
