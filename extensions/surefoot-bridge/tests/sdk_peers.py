"""Programs with Unitree's own SDKs, each to be run as a process: they talk to the emulated firmware or the bridge.

``far`` is the C++ SDK behind far-unitree-sdk; ``python`` is unitree_sdk2py with cyclonedds 0.10.2.
"""

import json
import os
import sys
import time

FAR_CONFIGURATION = (
    '<CycloneDDS><Domain Id="any"><General><Interfaces><NetworkInterface name="lo"/></Interfaces>'
    "<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    '<MaxAutoParticipantIndex>30</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>'
    "</Domain></CycloneDDS>"
)
COMMANDED = {"q": 0.125, "kp": 1.0}
"""Each motor's number times this is what it is told."""


def far(kind):
    """Read a report and command the motors from the C++ SDK. Its domain is always 0."""
    import unitree_interface as sdk

    create = {"unitree_go2": sdk.UnitreeInterface.create_go2, "unitree_g1": sdk.UnitreeInterface.create_g1}[kind]
    robot = create("lo", dds_config=FAR_CONFIGURATION)
    time.sleep(2.0)
    state, command = robot.read_low_state(), robot.create_zero_command()
    n = len(state.motor.q)
    command.q_target = [COMMANDED["q"] * i for i in range(n)]
    command.kp = [COMMANDED["kp"] * i for i in range(n)]
    robot.write_low_command(command)
    time.sleep(1.0)
    return {"q": list(state.motor.q), "quat": list(state.imu.quat), "mode_machine": state.mode_machine}


def python(kind, domain):
    """Do the same, and ask the motion switcher, from the Python SDK."""
    from unitree_sdk2py.comm.motion_switcher.motion_switcher_client import MotionSwitcherClient
    from unitree_sdk2py.core.channel import ChannelFactoryInitialize, ChannelPublisher, ChannelSubscriber
    from unitree_sdk2py.idl import default
    from unitree_sdk2py.idl.unitree_go.msg import dds_ as go
    from unitree_sdk2py.idl.unitree_hg.msg import dds_ as hg
    from unitree_sdk2py.utils.crc import CRC

    types, make = (
        (go, default.unitree_go_msg_dds__LowCmd_)
        if kind == "unitree_go2"
        else (hg, default.unitree_hg_msg_dds__LowCmd_)
    )
    ChannelFactoryInitialize(int(domain), "lo")
    reports, crc = [], CRC()
    subscriber = ChannelSubscriber("rt/lowstate", types.LowState_)
    subscriber.Init(reports.append, 10)
    publisher = ChannelPublisher("rt/lowcmd", types.LowCmd_)
    publisher.Init()
    switcher = MotionSwitcherClient()
    switcher.SetTimeout(5.0)
    switcher.Init()
    modes = [switcher.CheckMode()[1]["name"]]
    switcher.ReleaseMode()
    modes.append(switcher.CheckMode()[1]["name"])
    command, last = make(), reports[-1]
    if kind == "unitree_go2":
        command.head[0], command.head[1], command.level_flag = 0xFE, 0xEF, 0xFF
    else:
        command.mode_machine = last.mode_machine
    for i in range(12 if kind == "unitree_go2" else 29):
        motor = command.motor_cmd[i]
        motor.mode, motor.q, motor.kp = 1, COMMANDED["q"] * i, COMMANDED["kp"] * i
    command.crc = crc.Crc(command)
    for _ in range(20):
        publisher.Write(command)
        time.sleep(0.01)
    return {
        "q": [motor.q for motor in last.motor_state],
        "checksums": all(crc.Crc(report) == report.crc for report in reports[-20:]),
        "modes": modes,
    }


def far_switcher(kind):
    """Answer the motion switcher from the C++ SDK for a while."""
    import unitree_interface as sdk

    create = {"unitree_go2": sdk.UnitreeInterface.create_go2, "unitree_g1": sdk.UnitreeInterface.create_g1}[kind]
    robot = create("lo", dds_config=FAR_CONFIGURATION)
    robot.enable_motion_switcher_responder()
    print("READY", flush=True)
    time.sleep(15.0)
    return {}


def python_robot(kind, domain):
    """Receive commands with the Python SDK."""
    from unitree_sdk2py.core.channel import ChannelFactoryInitialize, ChannelSubscriber
    from unitree_sdk2py.idl.unitree_go.msg import dds_ as go
    from unitree_sdk2py.idl.unitree_hg.msg import dds_ as hg
    from unitree_sdk2py.utils.crc import CRC

    ChannelFactoryInitialize(int(domain), "lo")
    commands, crc = [], CRC()
    subscriber = ChannelSubscriber("rt/lowcmd", (go if kind == "unitree_go2" else hg).LowCmd_)
    subscriber.Init(commands.append, 10)
    until = time.monotonic() + 20.0
    while len(commands) < 10 and time.monotonic() < until:
        time.sleep(0.01)
    last = commands[-1]
    motors = {
        name: [getattr(motor, name) for motor in last.motor_cmd] for name in ("mode", "q", "dq", "kp", "kd", "tau")
    }
    header = [*last.head, last.level_flag] if kind == "unitree_go2" else [last.mode_pr, last.mode_machine]
    return {"checksums": all(crc.Crc(each) == each.crc for each in commands), "header": header, **motors}


def record(kind, domain):
    """Record an exchange with the emulated firmware in the Python SDK's own bytes: what it received and sent."""
    from unitree_sdk2py.comm.motion_switcher.motion_switcher_client import MotionSwitcherClient
    from unitree_sdk2py.core.channel import ChannelFactoryInitialize, ChannelPublisher, ChannelSubscriber
    from unitree_sdk2py.idl import default
    from unitree_sdk2py.idl.unitree_api.msg import dds_ as api
    from unitree_sdk2py.idl.unitree_go.msg import dds_ as go
    from unitree_sdk2py.idl.unitree_hg.msg import dds_ as hg
    from unitree_sdk2py.utils.crc import CRC

    is_go = kind == "unitree_go2"
    types, make = (go, default.unitree_go_msg_dds__LowCmd_) if is_go else (hg, default.unitree_hg_msg_dds__LowCmd_)
    ChannelFactoryInitialize(int(domain), "lo")
    topics = {
        "report": ("rt/lowstate", types.LowState_),
        "request": ("rt/api/motion_switcher/request", api.Request_),
        "response": ("rt/api/motion_switcher/response", api.Response_),
    }
    if not is_go:
        topics["battery"] = ("rt/lf/bmsstate", hg.BmsState_)
    heard, subscribers = {name: [] for name in topics}, []
    for name, (topic, message) in topics.items():
        subscribers.append(ChannelSubscriber(topic, message))
        subscribers[-1].Init(heard[name].append, 10)
    publisher = ChannelPublisher("rt/lowcmd", types.LowCmd_)
    publisher.Init()
    switcher = MotionSwitcherClient()
    switcher.SetTimeout(5.0)
    switcher.Init()
    assert switcher.CheckMode()[1]["name"] == "normal"
    while not all(heard.values()):
        time.sleep(0.01)
    command = make()
    if is_go:
        command.head[0], command.head[1], command.level_flag = 0xFE, 0xEF, 0xFF
    else:
        command.mode_machine = heard["report"][-1].mode_machine
    for i in range(12 if is_go else 29):
        motor = command.motor_cmd[i]
        motor.mode, motor.q, motor.dq, motor.kp, motor.kd, motor.tau = (1, *(0.125 * i + part for part in range(5)))
    command.crc = CRC().Crc(command)
    for _ in range(20):
        publisher.Write(command)
        time.sleep(0.01)
    sent = {name: messages[-1].serialize().hex() for name, messages in heard.items()}
    return {
        **sent,
        "command": command.serialize().hex(),
        "right": CRC().Crc(heard["report"][-1]) == heard["report"][-1].crc,
    }


if __name__ == "__main__":
    programs = (far, far_switcher, python, python_robot, record)
    said = {program.__name__: program for program in programs}[sys.argv[1]](*sys.argv[2:])
    print("SAID " + json.dumps(said), flush=True)
    os._exit(0)  # the SDKs' threads do not end
