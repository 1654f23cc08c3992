"""Logs of walks for tests of stages: a robot of three joints that walks as well or as badly as is asked."""

import time

import numpy as np
from contracts import small_contract
from safety_cases import command, good_report

from surefoot_bridge.contract import TimingPart
from surefoot_bridge.log import LogOptions, open_log

BUNDLE = "0123456789ab"
KEY = bytes(range(32))
STEP_S = 0.1
CONTRACT = small_contract(timing=TimingPart(STEP_S, 50.0))  # a tick for each slow control step: short logs


def walk_log(
    folder,
    *,
    seconds=61.0,
    speed=0.3,
    fast_from=1.0,
    stage="tethered",
    bundle=BUNDLE,
    contract=None,
    late=(),
    events=(),
    modes=(),
    tilted_rad=0.0,
    temperature_c=40.0,
    finish=True,
    steps=True,
    seal_key=KEY,
    num_parts=1,
):
    """Write a log in which the robot stands for a second and then walks; returns its folder.

    ``speed`` is asked for from ``fast_from`` on, ``late`` are ticks that miss their deadline, ``events`` are (time,
    name, response), ``modes`` (time, mode); times are from the start of the log. Without ``steps`` it hangs.
    """
    contract = contract or CONTRACT
    rotation = {} if num_parts == 1 else {"rotate_bytes": 1, "flush_s": 0.01}
    log = open_log(
        folder,
        contract,
        bundle=bundle,
        stage=stage,
        phases=("all",),
        seal_key=seal_key,
        options=LogOptions(min_free_bytes=0, queue_s=30.0, **rotation),  # no tick has to wait
    )
    quat = np.array([np.cos(tilted_rad / 2), np.sin(tilted_rad / 2), 0.0, 0.0])
    todo = sorted([*((at, "mode", name) for at, name in modes), *((at, "event", entry) for at, *entry in events)])
    log.mode(100.0, "stand", previous="passive", reason="asked")
    shock = 2.0 if steps else 0.2  # its standard deviation: it comes and goes from tick to tick
    for i in range(round((1.0 + seconds) / STEP_S) + 1):
        now = i * STEP_S
        if i == round(1.0 / STEP_S):
            log.mode(100.0 + now, "walk", previous="stand", reason="asked")
        while todo and todo[0][0] <= now:
            _, kind, what = todo.pop(0)
            if kind == "mode":
                log.mode(100.0 + now, what)
            else:
                log.event(100.0 + now, what[0], "Something happened.", response=what[1])
        tick = {
            "state": good_report(
                i,
                imu_quat_wxyz=quat,
                motor_temperature_c=np.full(3, temperature_c),
                imu_lin_acc_m_s2=np.array([0.0, 0.0, 9.81 + (shock if i % 2 else -shock)]),
            ),
            "command": np.array([speed if now >= fast_from else 0.0, 0.0, 0.0]),
            "observation": np.zeros(contract.network.observation_dim, np.float32),
            "joint_command": command(),
            "lateness_s": STEP_S + 0.001 if i in late else 1e-4,
            "phase_s": np.zeros(1),
        }
        assert log.write(100.0 + now, **tick)
        while len(list(log.folder.glob("*.mcap"))) < min(num_parts, i):  # it begins a file at each flush
            time.sleep(0.005)
    if finish:
        assert log.close().state == "closed"
    else:
        while log.status().queued:
            time.sleep(0.01)
    return log
