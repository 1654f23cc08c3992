"""Counts launches of the Go2's task in Newton, maybe with a reward that reads the host; prints what is over budget."""

from tests.sim.children import answer


def reads_the_host(env):
    """A reward that a user might write: it waits for the device in every control step."""
    height = env.locomotion.base_height_m
    return height * (height.mean().item() > 0.3)


def main(planted: str) -> dict:
    """Count as ``scripts/benchmark.py launches`` does."""
    from surefoot_devtools.benchmarking.environment import opened
    from surefoot_devtools.benchmarking.launches_suite import figures_of, over_budget
    from surefoot_devtools.benchmarking.launches_worker import adapt, count_task

    def plant(cfg):
        from isaaclab.managers import RewardTermCfg

        adapt(cfg)
        if planted == "planted":
            cfg.rewards.planted = RewardTermCfg(func=reads_the_host, weight=1.0)

    common = {"physics": "newton_mjwarp", "device": "cpu", "num_envs": 8, "seed": 1}
    with opened("ours", **common, preset="standard", change=plant) as (env, agent):
        agent.num_steps_per_env = 4
        count = count_task(env, agent, ours=True, steps=4)
    figures = figures_of(count)
    return {
        "figures": figures,
        "over": over_budget(figures),
        "rewards": {row["term"]: row for row in count.rows if (row["phase"], row["manager"]) == ("step", "rewards")},
    }


if __name__ == "__main__":
    answer(main)
