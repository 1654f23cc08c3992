"""What a network was trained to see and to move, kept in each checkpoint, so that another task's is refused."""

from __future__ import annotations

from typing import Any

from surefoot_bridge.errors import SurefootError


class ContractError(SurefootError):
    """A checkpoint was trained for another robot or task."""


def policy_contract(env: Any, obs_groups: dict[str, list[str]]) -> dict[str, Any]:
    """Describe the interface between the environment and the network.

    Args:
        env: The vector environment; what it does not have (managers, robots) is left out.
        obs_groups: Observation groups of each network, in order of concatenation.

    Returns:
        ``robot``, ``joints`` (of each articulation, in order), ``observations`` (of each group, term and size in
        order), ``observation_sets`` and ``actions`` (term and size in order), as plain lists and strings.
    """
    base = getattr(env, "unwrapped", env)
    contract: dict[str, Any] = {
        "robot": getattr(base.cfg, "robot_name", None),
        "observation_sets": {name: list(groups) for name, groups in obs_groups.items()},
        "actions": [["actions", int(env.num_actions)]],
    }
    if hasattr(base, "observation_manager"):
        contract["observations"] = {
            group: [[name, [dim * history]] for name, dim, history in base.observation_terms(group)]
            for group in base.observation_manager.active_terms
        }
        actions = base.action_manager
        contract["actions"] = [
            [name, int(size)] for name, size in zip(actions.active_terms, actions.action_term_dim, strict=True)
        ]
        contract["joints"] = {name: list(robot.joint_names) for name, robot in base.scene.articulations.items()}
    return contract


def contract_of(network: str, contract: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a contract that concerns one network.

    Args:
        network: A name in ``observation_sets``: ``actor`` or ``critic``.
        contract: The contract of all networks.
    """
    groups = contract["observation_sets"][network]
    part = {**contract, "observation_sets": {network: groups}}
    if "observations" in contract:
        part["observations"] = {group: contract["observations"][group] for group in groups}
    return part


def check_contract(saved: dict[str, Any], current: dict[str, Any]) -> None:
    """Refuse a checkpoint whose contract differs from the environment's.

    Raises:
        ContractError: Naming each part that differs, as saved and as it is here.
    """
    differences = [
        f"  {key}: saved {saved.get(key)}, here {current.get(key)}"
        for key in sorted(set(saved) | set(current))
        if saved.get(key) != current.get(key)
    ]
    if differences:
        raise ContractError(
            "The checkpoint was trained for another robot or task:\n"
            + "\n".join(differences)
            + "\nUse the task it was trained for, or train anew."
        )
