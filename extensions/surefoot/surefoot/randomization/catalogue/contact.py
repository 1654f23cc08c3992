"""Contacts of the feet with the ground."""

from __future__ import annotations

from functools import partial

from surefoot.randomization.declaration import ASSUMPTION, Declared, Support, between, by_kind
from surefoot.randomization.nominal_model import read_nominal_model

_ONE_PATCH = (
    "PhysX takes the radius of a contact patch when shapes are made, and has no way to change it by environment; "
    "env.randomization.foot_patch_radii_m sets one for each training process"
)
_RIGID = Support("unsupported", "PhysX contacts are rigid")
_foot = partial(Declared, over="foot", acts_on="contact", in_engine=True)

PARAMETERS = (
    _foot("foot_friction", "-", "static friction of each foot on the ground",
          lambda spec: read_nominal_model(spec).foot_friction, minimum=0.0,
          mild=between(0.4, 1.0, "playground: 0.4 to 1 for Go1 and G1", shared=True),
          standard=by_kind(quadruped=between(0.3, 1.2,
                                             "unitree_rl_lab: 0.3 to 1.2 for Go2, on ground of 1", shared=True),
                           humanoid=between(0.2, 1.25, "berkeley_humanoid: 0.2 to 1.25, on ground of 1", shared=True)),
          harsh=between(0.1, 2.0, "booster_gym: 0.1 to 2; walk_these_ways: 0.1 to 3", "log_uniform")),
    _foot("foot_dynamic_friction_ratio", "-", "dynamic over static friction", 1.0, minimum=0.0, maximum=1.0,
          newton=Support("unsupported", "MuJoCo has one friction coefficient"),
          standard=between(0.75, 1.0, "isaaclab: 0.6 under a static coefficient of 0.8"),
          harsh=between(0.6, 1.0, f"{ASSUMPTION}: beyond the 0.75 of isaaclab")),
    # MuJoCo's convention: the largest torque about the normal, or about an axis in the ground, is the coefficient times
    # the normal force.
    _foot("foot_torsional_friction", "m", "torque against a foot's spin per force",
          lambda spec: read_nominal_model(spec).foot_torsional_friction_m, minimum=0.0,
          physx=Support("scene-wide", _ONE_PATCH),
          mild=by_kind(quadruped=between(0.0, 0.5 * 0.02,
                                         "unitree_mujoco: 0.02 m and 0.01 m for Go2, here half", shared=True)),
          standard=by_kind(quadruped=between(0.0, 0.02, "unitree_mujoco: 0.02 m and 0.01 m for Go2", shared=True),
                           humanoid=between(0.0, 0.005, "mujoco: 0.005 m by default", shared=True)),
          harsh=between(0.0, 2.0 * 0.02, f"{ASSUMPTION}: twice the 0.02 m and 0.01 m of unitree_mujoco", shared=True)),
    _foot("foot_rolling_friction", "m", "torque against a foot's roll per force",
          lambda spec: read_nominal_model(spec).foot_rolling_friction_m, minimum=0.0,
          physx=Support("unsupported", "PhysX has no rolling friction"),
          mild=by_kind(quadruped=between(0.0, 0.5 * 0.01,
                                         "unitree_mujoco: 0.02 m and 0.01 m for Go2, here half", shared=True)),
          standard=by_kind(quadruped=between(0.0, 0.01, "unitree_mujoco: 0.02 m and 0.01 m for Go2", shared=True),
                           humanoid=between(0.0, 1e-4, "mujoco: 0.0001 m by default", shared=True)),
          harsh=between(0.0, 2.0 * 0.01, f"{ASSUMPTION}: twice the 0.02 m and 0.01 m of unitree_mujoco", shared=True)),
    _foot("foot_restitution", "-", "restitution of each foot", 0.0, minimum=0.0, maximum=1.0,
          newton=Support("unsupported", "MuJoCo has no restitution; contacts have stiffness and damping"),
          standard=by_kind(quadruped=between(0.0, 0.15, "unitree_rl_lab: 0 to 0.15 for Go2", shared=True),
                           humanoid=between(0.0, 0.1, "berkeley_humanoid: 0 to 0.1", shared=True)),
          harsh=between(0.0, 0.4, "walk_these_ways: 0 to 0.4; agibot_x1: 0 to 0.4")),
    _foot("contact_stiffness_ratio", "-", "stiffness of each foot's contacts over nominal", 1.0, minimum=0.01,
          physx=_RIGID,
          standard=between(0.5, 1.0,
                           f"{ASSUMPTION}: nominal is the stiffest contact that the time step resolves", "log_uniform"),
          harsh=between(0.25, 1.0, f"{ASSUMPTION}: soft floors", "log_uniform")),
    _foot("contact_damping_ratio", "-", "damping of each foot's contacts over nominal", 1.0, minimum=0.01,
          physx=_RIGID,
          standard=between(0.8, 1.2, f"{ASSUMPTION}: stays near critical damping"),
          harsh=between(0.7, 1.3, f"{ASSUMPTION}: half as much again as standard")),
)  # fmt: skip
