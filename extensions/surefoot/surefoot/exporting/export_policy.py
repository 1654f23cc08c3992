"""Turns a checkpoint into a bundle: contract, network in three forms, golden trace, manifest."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from surefoot.engines import Physics, check_physics
from surefoot.files import check_replaceable
from surefoot.learning.checkpoint import read_checkpoint
from surefoot.playing.run_files import TrainedPolicy
from surefoot.playing.session import open_session
from surefoot.task_config import resolve_task
from surefoot_bridge.bundle import (
    CONTRACT_FILE,
    GOLDEN_FILE,
    Bundle,
    load_bundle,
    save_golden,
    sign_bundle,
    write_manifest,
)
from surefoot_bridge.bundle.golden import contract_digest
from surefoot_bridge.bundle.manifest import MANIFEST_FILE
from surefoot_bridge.contract import Contract, write_contract
from surefoot_bridge.policy import RUNTIMES, Network
from surefoot_bridge.policy.forms import policy_files
from surefoot_bridge.policy.weights import describe

from .contract import check_sensed, make_contract
from .network import read_network
from .parity import Parity, measure_parity, rsl_rl_actor
from .provenance import scores, training_part
from .trace import Trace, record_trace

if TYPE_CHECKING:
    from surefoot.playing.session import PlaySession
    from surefoot.randomization.layout import TableLayout

RANDOM_ENVS = 16
"""Robots side by side in the comparison on random observations."""

RANDOM_STEPS = 500
"""Steps of that comparison."""

RATE_MARGIN = 1.5
"""Targets may move this many times as fast as they ever did in the golden trace where it walked. That holds starts,
turns and a fall: what moves faster still is no policy at work."""


@dataclass(frozen=True)
class Exported:
    """A bundle that was written.

    Attributes:
        bundle: The bundle, loaded back and replayed.
        parity: How far each form of the policy is from the trained one: on the golden trace, and on random input.
        fell_at: Step of the golden trace at which the robot had fallen.
    """

    bundle: Bundle
    parity: dict[str, Parity]
    fell_at: int


def export_policy(
    trained: TrainedPolicy,
    folder: Path,
    *,
    physics: Physics,
    device: str,
    private_key: str | None = None,
) -> Exported:
    """Record a policy in the engine and write its bundle: whole or not at all.

    Args:
        trained: The policy.
        folder: The bundle's folder; a bundle that is there is replaced.
        physics: Engine to record in, checked.
        device: Device, checked.
        private_key: Key to sign with, 32 bytes in base64.

    Raises:
        SurefootError: If the folder holds something else, the actor sees what the robot does not measure, or a form of
            the policy is off.
    """
    check_replaceable(folder, kind="bundle", marks=(MANIFEST_FILE,))
    log = trained.output / "logs" / "export.log"
    with open_session(
        trained, physics=physics, device=device, num_envs=1, seed=1, noise=False, randomization="none", log=log
    ) as session:
        groups = session.policy.obs_groups
        check_sensed(session.env, groups)
        trace = record_trace(session, groups[0])
        network = read_network(session.policy.state_dict(), session.agent_cfg["actor"])
        parity = {
            "golden": _parity_on_trace(session, network, trace),
            "random": _parity_on_noise(session, network),
        }
        contract = _contract(session, trained, network, trace)
    folder.parent.mkdir(parents=True, exist_ok=True)
    written = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        _write(written, contract, trace, policy_files(network), parity)
        if private_key is not None:
            sign_bundle(written, private_key)
        for runtime in RUNTIMES:  # each is replayed, and held against the plain weights
            load_bundle(written, runtime=runtime)
        _put(written, folder)
    finally:
        shutil.rmtree(written, ignore_errors=True)
    return Exported(load_bundle(folder), parity, trace.fell_at)


def _write(folder: Path, contract: Contract, trace: Trace, files: dict[str, bytes], parity: dict[str, Parity]) -> None:
    text = write_contract(contract)
    golden = save_golden(replace(trace.golden, contract_sha256=contract_digest(text)))
    for name, data in {**files, CONTRACT_FILE: text.encode(), GOLDEN_FILE: golden}.items():
        (folder / name).write_bytes(data)
    write_manifest(
        folder,
        {f"{name}.{file}": largest for name, item in parity.items() for file, largest in item.largest.items()},
    )


def _put(written: Path, folder: Path) -> None:
    """Put a finished folder in its place; what was there goes only when the new one is there."""
    written.chmod(0o755)
    if not folder.exists():
        written.rename(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
    folder.rename(old / folder.name)
    written.rename(folder)
    shutil.rmtree(old)


def _parity_on_trace(session: PlaySession, network: Network, trace: Trace) -> Parity:
    seen = torch.from_numpy(trace.golden.observation)[:, None]  # (num_steps, 1, observation_dim)
    return measure_parity(network, rsl_rl_actor(session.policy), seen, torch.from_numpy(trace.golden.begins)[:, None])


def _parity_on_noise(session: PlaySession, network: Network) -> Parity:
    """Compare on observations that are spread as the normaliser has seen them, with an episode that ends halfway."""
    generator = torch.Generator().manual_seed(1)
    mean, std = torch.from_numpy(network.mean), torch.from_numpy(network.std)
    noise = torch.randn(RANDOM_STEPS, RANDOM_ENVS, len(mean), generator=generator)
    begins = torch.zeros(RANDOM_STEPS, RANDOM_ENVS, dtype=torch.bool)
    begins[RANDOM_STEPS // 2, ::2] = True
    return measure_parity(network, rsl_rl_actor(session.policy), mean + std * noise, begins)


def _contract(session: PlaySession, trained: TrainedPolicy, network: Network, trace: Trace) -> Contract:
    layout, preset = _trained_randomization(session, trained)
    iterations = int(read_checkpoint(trained.checkpoint, "cpu")["completed_iterations"])
    spec = session.robot
    target = trace.golden.joint_command.joint_pos_rad[
        :, [spec.sdk_joint_names.index(name) for name in spec.joint_names]
    ]
    counted = (trace.walked & ~trace.golden.begins)[1:, None]
    rates = np.abs(np.diff(target, axis=0)) * counted / session.env.step_dt
    return make_contract(
        session.env,
        layout,
        network=describe(network),
        training=training_part(trained, layout, preset=preset, iterations=iterations),
        target_rate_limit_rad_s=tuple(float(rate) for rate in RATE_MARGIN * rates.max(axis=0)),
        scores=scores(trained.checkpoint.parent.parent),
    )


def _trained_randomization(session: PlaySession, trained: TrainedPolicy) -> tuple[TableLayout, str]:
    """Return the table of randomized parameters of the training, and its preset."""
    from surefoot.randomization.randomization import make_layout

    physics = check_physics(trained.settings.physics, trained.settings.device)
    cfg = resolve_task(trained.settings.task, physics, trained.settings.overrides)[0]
    layout = make_layout(cfg.randomization, session.robot, physics, initial_state=cfg.initial_state)
    return layout, cfg.randomization.preset
