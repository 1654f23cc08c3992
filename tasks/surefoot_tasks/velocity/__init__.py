"""Walking with a commanded velocity: one task per robot and terrain."""

from surefoot_robots import get_robot, list_robots


def task_id(label: str) -> str:
    """Return the id of the task on flat ground of the robot with a label."""
    return f"Surefoot-Velocity-Flat-{label}"


def register() -> None:
    """Register every robot's velocity task; their configurations are built when a task is looked up."""
    import gymnasium

    for robot in list_robots():
        gymnasium.register(
            id=task_id(get_robot(robot).label),
            entry_point="surefoot.envs.env:SurefootEnv",
            disable_env_checker=True,
            kwargs={
                "env_cfg_entry_point": f"{__name__}.tasks:{robot}_flat_env_cfg",
                "rsl_rl_cfg_entry_point": f"{__name__}.tasks:{robot}_flat_agent_cfg",
                "default_agent": "rsl_rl",
            },
        )
