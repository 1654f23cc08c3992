"""A bridge as a process of its own: commands a robot at 500 Hz with a guardian beside it, for tests that kill it."""

import json
import sys
import time

import numpy as np
import unitree_peer

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.guardian import start_guardian
from surefoot_bridge.state import JointCommand
from surefoot_bridge.unitree import opening

WALKING_GAIN = 20.0
"""Stiffness by which a command of this bridge is told from damping."""


def main(robot_name, domain, timeout_s, duration_s, stall_s):
    unitree_peer.DOMAIN = domain
    opening._TICKS_OVER_S = 0.1  # as in the fixture quick_opening
    robot = unitree_peer.opened(robot_name)
    robot.take_control()
    mode_machine = getattr(robot, "mode_machine", 0)
    guardian = start_guardian(robot.address, timeout_s=timeout_s, lock=robot.lock, mode_machine=mode_machine)
    print(json.dumps({"guardian": guardian.pid}), flush=True)
    zeros = np.zeros(len(robot.joint_names))
    command = JointCommand(zeros, zeros, zeros + WALKING_GAIN, zeros + 0.5, zeros)
    ended = "in order"
    begin_s = time.monotonic()
    while time.monotonic() < begin_s + duration_s:
        try:
            guardian.beat(time.monotonic())
        except SurefootError as error:
            ended = f"{type(error).__name__}: {error}"
            break
        robot.write(command)
        time.sleep(0.002)
    guardian.ending()
    robot.stop()
    time.sleep(stall_s)
    doubt = guardian.release()
    robot.close()
    print(json.dumps({"ended": ended, "doubt": doubt, "last_words": guardian.last_words}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]))
