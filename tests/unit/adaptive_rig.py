"""Adaptive ranges on a table of a few parameters, for the tests of adaptive ranges."""

from types import SimpleNamespace

import torch

from surefoot.randomization.adaptive.bounds import AdaptiveCfg
from surefoot.randomization.adaptive.ranges import AdaptiveRanges
from surefoot.randomization.layout import EVENTS, TableLayout
from surefoot.randomization.parameter import Parameter, absolute, offset, one_of, scale
from surefoot.randomization.table import RandomizationTable

NOMINAL = {"friction": 0.8, "mass": 2.0, "payload": 0.0, "surface": 1.0, "size": 1.0, "noise": 0.0}
RANGES = {
    "friction": absolute(0.1, 1.2),
    "mass": scale(0.5, 1.25, distribution="log_uniform"),
    "payload": absolute(0.0, 3.0),
    "surface": one_of(0.2, 0.4, 0.8),
    "size": absolute(0.5, 2.0),
    "noise": absolute(0.1, 0.3),
    "push_velocity_interval": absolute(0.06, 0.1),
    "push_velocity": offset(-1.0, (1.0, 0.0)),
    "push_force": absolute(-40.0, 40.0),  # never adapts: its interval is not random, so that it never comes
}
PAYLOAD = {"payload": RANGES["payload"]}
FRICTION = {"friction": RANGES["friction"]}


def make_catalogue():
    def make(name, nominal, **fields):
        elements = tuple("xy"[: len(nominal)]) if len(nominal) > 1 else ("",)
        values = {"unit": "-", "description": name, "over": "environment", "acts_on": "world", "mirror": "scalar"}
        return Parameter(name=name, elements=elements, nominal=nominal, **(values | fields))

    occasions = {"size": {"occasion": "startup"}}
    minima = {name: {"minimum": 0.0} for name in ("friction", "payload", "noise")}
    return (
        *(make(name, (value,), **occasions.get(name, {}), **minima.get(name, {})) for name, value in NOMINAL.items()),
        *(make(f"{event}_interval", (1e9,), occasion=event) for event in EVENTS),
        *(make(event, (0.0, 0.0), occasion=event) for event in EVENTS),
    )


def make_table(num_envs=64, ranges=RANGES, seed=1, rank=0, device="cpu"):
    layout = TableLayout.build(make_catalogue(), ranges)
    return RandomizationTable(layout, num_envs=num_envs, device=device, seed=seed, rank=rank)


def make_adaptive(num_envs=64, ranges=RANGES, rank=0, device="cpu", **fields):
    table = make_table(num_envs, ranges, rank=rank, device=device)
    return AdaptiveRanges(AdaptiveCfg(**fields), table, seed=1, rank=rank), table


def ids(*envs, device="cpu"):
    return torch.tensor(envs, dtype=torch.int32, device=device)


def everyone(table):
    return torch.arange(table.num_envs, dtype=torch.int32, device=table.device)


def succeed(table, *failing):
    success = torch.ones(table.num_envs, dtype=torch.bool, device=table.device)
    success[list(failing)] = False
    return success


def share_of(table, name):
    place = [parameter.name for parameter in table.layout.parameters].index(name)
    return table.share[place].tolist()


def rule_of(cfg):
    """Write the kernel's rule out from a configuration, for the reference."""
    widen, narrow = (1.0, cfg.rate), (1.0, -cfg.rate)
    if cfg.scheme == "all":
        widen, narrow = (1.0 + cfg.rate, 0.0), (1.0 - cfg.rate, 0.0)
    return SimpleNamespace(
        episodes_per_decision=cfg.episodes_per_decision,
        widen_above=cfg.widen_above,
        narrow_below=cfg.narrow_below,
        widen_factor=widen[0],
        widen_step=widen[1],
        narrow_factor=narrow[0],
        narrow_step=narrow[1],
        floor=cfg.floor,
        ceiling=cfg.ceiling,
    )
