"""What a network was trained to see and to move, kept in each checkpoint, so that another task's is refused."""

from __future__ import annotations

from typing import Any

from surefoot_bridge.errors import SurefootError


class SignatureMismatchError(SurefootError):
    """A checkpoint was trained for another robot or task."""


def network_signature(env: Any, obs_groups: dict[str, list[str]]) -> dict[str, Any]:
    """Describe the interface between the environment and the network.

    Args:
        env: The vector environment; what it does not have (managers, robots) is left out.
        obs_groups: Observation groups of each network, in order of concatenation.

    Returns:
        ``robot``, ``joints`` (of each articulation, in order), ``observations`` (of each group, term and size in
        order), ``observation_sets`` and ``actions`` (term and size in order), as plain lists and strings.
    """
    base = getattr(env, "unwrapped", env)
    signature: dict[str, Any] = {
        "robot": getattr(base.cfg, "robot_name", None),
        "observation_sets": {name: list(groups) for name, groups in obs_groups.items()},
        "actions": [["actions", int(env.num_actions)]],
    }
    if hasattr(base, "observation_manager"):
        signature["observations"] = {
            group: [[name, [dim * history]] for name, dim, history in base.observation_terms(group)]
            for group in base.observation_manager.active_terms
        }
        actions = base.action_manager
        signature["actions"] = [
            [name, int(size)] for name, size in zip(actions.active_terms, actions.action_term_dim, strict=True)
        ]
        signature["joints"] = {name: list(robot.joint_names) for name, robot in base.scene.articulations.items()}
    return signature


def signature_part(network: str, signature: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a signature that concerns one network.

    Args:
        network: A name in ``observation_sets``: ``actor`` or ``critic``.
        signature: That of all networks.
    """
    groups = signature["observation_sets"][network]
    part = {**signature, "observation_sets": {network: groups}}
    if "observations" in signature:
        part["observations"] = {group: signature["observations"][group] for group in groups}
    return part


def check_signature(saved: dict[str, Any], current: dict[str, Any]) -> None:
    """Refuse a checkpoint whose signature differs from the environment's.

    Raises:
        SignatureMismatchError: Naming each part that differs, as saved and as it is here.
    """
    differences = [
        f"  {key}: saved {saved.get(key)}, here {current.get(key)}"
        for key in sorted(set(saved) | set(current))
        if saved.get(key) != current.get(key)
    ]
    if differences:
        raise SignatureMismatchError(
            "The checkpoint was trained for another robot or task:\n"
            + "\n".join(differences)
            + "\nUse the task it was trained for, or train anew."
        )
