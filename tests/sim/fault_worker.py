"""``surefoot train`` with a NaN written into the engine's state of one environment during the second iteration.

Usage: python fault_worker.py ENVIRONMENT ARGUMENTS-OF-SUREFOOT...
"""

import os
import sys

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch loads, as `surefoot train` does

import torch

from surefoot import cli
from surefoot.learning.runner import SurefootRunner

STEP = 30  # in the second iteration of 24 steps


def break_state(robot, environment: int) -> None:
    position = robot.data.joint_pos.torch[environment : environment + 1].clone()
    position[0, 0] = float("nan")
    robot.write_joint_position_to_sim_index(position=position, env_ids=torch.tensor([environment], dtype=torch.int32))


if __name__ == "__main__":
    environment = int(sys.argv[1])
    collect = SurefootRunner._collect

    def collect_with_fault(self: SurefootRunner, obs):
        env, step = self.env, self.env.step

        def stepping(actions):
            if self.simulation.common_step_counter == STEP:
                break_state(self.simulation.scene["robot"], environment)
            return step(actions)

        env.step = stepping
        try:
            return collect(self, obs)
        finally:
            env.step = step

    SurefootRunner._collect = collect_with_fault
    sys.exit(cli.main(sys.argv[2:]))
