"""Configurations of the registered velocity tasks, by the names that the registration gives.

Looking one up also installs what this machine needs, so that Isaac Lab's own commands run our tasks too.
"""

from __future__ import annotations

from surefoot.engines import install_shims
from surefoot_robots import get_robot

from .agent_cfg import VelocityPpoCfg, make_ppo_cfg
from .env_cfg import VelocityEnvCfg, make_velocity_env_cfg

install_shims()


def go2_flat_env_cfg() -> VelocityEnvCfg:
    """Environment of ``Surefoot-Velocity-Flat-Go2``."""
    return make_velocity_env_cfg(get_robot("unitree_go2"), terrain="flat")


def go2_flat_agent_cfg() -> VelocityPpoCfg:
    """Agent of ``Surefoot-Velocity-Flat-Go2``."""
    return make_ppo_cfg(get_robot("unitree_go2"), experiment_name="Surefoot-Velocity-Flat-Go2")


def g1_flat_env_cfg() -> VelocityEnvCfg:
    """Environment of ``Surefoot-Velocity-Flat-G1``."""
    return make_velocity_env_cfg(get_robot("unitree_g1"), terrain="flat")


def g1_flat_agent_cfg() -> VelocityPpoCfg:
    """Agent of ``Surefoot-Velocity-Flat-G1``."""
    return make_ppo_cfg(get_robot("unitree_g1"), experiment_name="Surefoot-Velocity-Flat-G1")
