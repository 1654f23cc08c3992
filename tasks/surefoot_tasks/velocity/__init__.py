"""Walking with a commanded velocity: one task per robot and terrain."""

ROBOTS = {"Go2": "unitree_go2", "G1": "unitree_g1"}
"""Robots by the last part of their task's id."""


def register() -> None:
    """Register every velocity task; their configurations are built when a task is looked up."""
    import gymnasium

    for label in ROBOTS:
        gymnasium.register(
            id=f"Surefoot-Velocity-Flat-{label}",
            entry_point="surefoot.envs.env:SurefootEnv",
            disable_env_checker=True,
            kwargs={
                "env_cfg_entry_point": f"{__name__}.tasks:{label.lower()}_flat_env_cfg",
                "rsl_rl_cfg_entry_point": f"{__name__}.tasks:{label.lower()}_flat_agent_cfg",
                "default_agent": "rsl_rl",
            },
        )
