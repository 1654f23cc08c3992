"""Walking with a commanded velocity: tasks for each robot, one to a kind of ground and of actor."""

from surefoot_robots import get_robot, list_robots

GROUNDS = ("Flat", "Rough", "RoughScan")
"""Parts of task ids: flat ground; a field of many kinds of ground; the same for an actor that sees it."""


def task_id(label: str, ground: str = "Flat") -> str:
    """Return the id of a task of the robot with a label, on one of :data:`GROUNDS`."""
    return f"Surefoot-Velocity-{ground}-{label}"


def register() -> None:
    """Register every robot's velocity tasks; their configurations are built when a task is looked up."""
    import gymnasium

    for robot in list_robots():
        for ground in GROUNDS:
            name = f"{__name__}.tasks:{robot}_{ground.lower()}"
            gymnasium.register(
                id=task_id(get_robot(robot).label, ground),
                entry_point="surefoot.envs.env:SurefootEnv",
                disable_env_checker=True,
                kwargs={
                    "env_cfg_entry_point": f"{name}_env_cfg",
                    "rsl_rl_cfg_entry_point": f"{name}_agent_cfg",
                    "default_agent": "rsl_rl",
                },
            )
