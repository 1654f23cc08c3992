"""The Go2 velocity task on flat or rough ground, ours or Isaac Lab's stock one, opened for a measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from surefoot import task_config
from surefoot.task_registry import check_task

OUR_TASK = "Surefoot-Velocity-Flat-Go2"
OUR_ROUGH_TASK = "Surefoot-Velocity-RoughScan-Go2"
"""Its actor sees a height scan, as that of the stock rough task."""

ROBOT = "unitree_go2"
"""The robot of both tasks."""

Side = Literal["ours", "stock"]


@contextmanager
def opened(
    side: Side,
    *,
    physics: str,
    device: str,
    num_envs: int,
    seed: int,
    preset: str | None = None,
    our_task: str = OUR_TASK,
    change: Callable[[Any], object] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Start the simulator and yield the environment, reset once, and the agent's configuration.

    Args:
        side: Whose task.
        physics: Engine.
        device: Device.
        num_envs: Environments in this process.
        seed: Seed of the environment.
        preset: Preset of our randomization; None for what the stock task has of it.
        our_task: Which of our velocity tasks; stock has the Go2's alone, on flat ground or on rough.
        change: Is given the environment's configuration, to change it.
    """
    from surefoot.engines import install_shims

    install_shims()
    import torch

    from surefoot.randomization.randomization_cfg import RandomizationCfg
    from surefoot_devtools.benchmarking.stock_task import open_ground, stock_env_cfg, stock_randomization, stock_task

    torch.set_float32_matmul_precision("high")  # as `surefoot train` and Isaac Lab's scripts do
    cfg, agent = task_config.resolve_task(check_task(our_task), physics)
    task = our_task
    if side == "stock":
        task = stock_task(cfg)
        cfg, agent = stock_env_cfg(cfg, physics=physics)
    else:
        open_ground(cfg)
        cfg.randomization = stock_randomization() if preset is None else RandomizationCfg(preset=preset)
    agent.device = device
    cfg.scene.num_envs = num_envs
    cfg.seed = seed
    if change is not None:
        change(cfg)
    with task_config.opened(task, cfg, device=device) as env:
        yield env, agent
