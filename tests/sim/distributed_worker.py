"""``surefoot train`` in one of several processes, which at the end says what its network and its environments are.

Usage: torchrun ... distributed_worker.py FOLDER ARGUMENTS-OF-SUREFOOT...
"""

import hashlib
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch loads, as `surefoot train` does

import torch

from surefoot import cli
from surefoot.learning.runner import SurefootRunner


def digest(*tensors: torch.Tensor) -> str:
    return hashlib.sha256(b"".join(tensor.detach().numpy().tobytes() for tensor in tensors)).hexdigest()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    learn = SurefootRunner.learn

    def learn_and_tell(self: SurefootRunner, *args, **kwargs):
        share = self.simulation.command_manager.get_term("base_velocity").range_share
        share.fill_(0.2 * (1 + self.ranks.rank))  # as if each had judged by itself
        first_observation = digest(self.env.get_observations()["policy"])
        ending = learn(self, *args, **kwargs)
        told = {
            "first_observation": first_observation,
            "range_share": share.item(),
            "networks": digest(*self.alg.actor.state_dict().values(), *self.alg.critic.state_dict().values()),
        }
        (folder / f"rank{self.ranks.rank}.json").write_text(json.dumps(told))
        return ending

    SurefootRunner.learn = learn_and_tell
    sys.exit(cli.main(sys.argv[2:]))
