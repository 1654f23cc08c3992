"""The Warp kernel of generalized advantage estimation."""

# A kernel is compiled by Warp, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportInvalidTypeForm=false

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def estimate_advantages(
    rewards: wp.array2d(dtype=float),
    dones: wp.array2d(dtype=wp.uint8),
    values: wp.array2d(dtype=float),
    last_values: wp.array(dtype=float),
    gamma: float,
    decay: float,
    # outputs
    returns: wp.array2d(dtype=float),
    advantages: wp.array2d(dtype=float),
) -> None:
    """One thread per environment, from its last step to its first (Schulman et al., 2016, eq. 16; arXiv:1506.02438).

    Args:
        rewards: Reward of each step, (steps, num_envs).
        dones: Not zero where the step ended an episode, (steps, num_envs).
        values: What the critic made of the state before each step, (steps, num_envs).
        last_values: And of that after the last one, (num_envs,).
        gamma: Discount of a step.
        decay: Lambda of the estimator.
        returns: Advantage and value, (steps, num_envs).
        advantages: The estimate, (steps, num_envs).
    """
    env = wp.tid()
    following = last_values[env]
    advantage = wp.float32(0.0)
    for back in range(rewards.shape[0]):
        step = rewards.shape[0] - 1 - back
        goes_on = wp.where(dones[step, env] == wp.uint8(0), 1.0, 0.0)
        value = values[step, env]
        error = rewards[step, env] + goes_on * gamma * following - value
        advantage = error + goes_on * gamma * decay * advantage
        returns[step, env] = advantage + value
        advantages[step, env] = returns[step, env] - value
        following = value
