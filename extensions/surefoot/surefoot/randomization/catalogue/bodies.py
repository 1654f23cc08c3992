"""Masses, centres of mass and inertias; :mod:`surefoot.randomization.bodies` makes bodies of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from surefoot.randomization.declaration import ASSUMPTION, Declared, around, between, by_kind, times
from surefoot.randomization.nominal_model import read_nominal_model
from surefoot.randomization.parameter import Range
from surefoot_robots import RobotSpec

_body = partial(Declared, acts_on="body", in_engine=True)


def _base(spec: RobotSpec) -> int:
    return read_nominal_model(spec).body_names.index(spec.base_body)


def _link_mass(spec: RobotSpec) -> Sequence[float]:
    model = read_nominal_model(spec)
    return [float(model.mass_kg[model.joint_of_body.index(joint)]) for joint in range(spec.num_joints)]


def _load(spec: RobotSpec) -> Range:
    return between(*spec.tuning.payload_box_m, f"{ASSUMPTION}: where the robot carries a load")


PARAMETERS = (
    _body("base_mass", "kg", "mass of the base without payload",
          lambda spec: float(read_nominal_model(spec).mass_kg[_base(spec)]), over="environment", minimum=1e-3,
          mild=times(0.9, 1.1, "playground: 0.9 to 1.1 of each link's mass"),
          standard=times(0.8, 1.2, "minitaur: 0.8 to 1.2; booster_gym: 0.8 to 1.2"),
          harsh=times(0.7, 1.3, "human2humanoid: 0.7 to 1.3 of links")),
    _body("base_inertia_ratio", "-", "inertia of the base beyond its mass", 1.0, over="environment", minimum=0.05,
          standard=between(0.75, 1.25, "minitaur: 0.5 to 1.5, here half"),
          harsh=between(0.5, 1.5, "minitaur: 0.5 to 1.5")),
    _body("base_com", "m", "centre of mass of the base in its frame",
          lambda spec: read_nominal_model(spec).com_m[_base(spec)].tolist(), over="xyz",
          mild=around(0.025, "mjlab: 0.025 m, vertically 0.03 m"),
          standard=around(0.05, "playground: 0.05 m for Go1; agibot_x1: 0.05 m"),
          harsh=by_kind(quadruped=around((0.1, 0.05, 0.05),
                                         "rl_locomotion: 0.1 and 0.05 m; playground: 0.05 m for Go1"),
                        humanoid=around(0.1, "booster_gym: 0.1 m; human2humanoid: 0.1 m"))),
    _body("payload_mass", "kg", "point mass that the base carries", 0.0, over="environment", minimum=0.0,
          mild=between(0.0, 1.5, "unitree_rl_lab: -1 to 3 kg on Go2 and G1, here half"),
          standard=between(0.0, 3.0, "unitree_rl_lab: -1 to 3 kg on Go2 and G1"),
          harsh=between(0.0, 5.0, "chrl: -1 to 5 kg on a quadruped; humanoid_gym: -5 to 5 kg on a humanoid")),
    _body("payload_position", "m", "where the payload is, in the base's frame", over="xyz",
          mild=_load,
          standard=_load),
    _body("link_mass", "kg", "mass of the link that each joint moves", _link_mass, over="joint", minimum=1e-3,
          mild=times(0.95, 1.05, "playground: 0.9 to 1.1, here half"),
          standard=times(0.9, 1.1, "playground: 0.9 to 1.1 for Go1 and G1; agibot_x1: 0.9 to 1.1"),
          harsh=by_kind(quadruped=times(0.8, 1.2, "minitaur: 0.8 to 1.2"),
                        humanoid=times(0.7, 1.3, "human2humanoid: 0.7 to 1.3"))),
    _body("link_inertia_ratio", "-", "inertia of each link beyond its mass", 1.0, over="joint", minimum=0.05,
          standard=between(0.75, 1.25, "minitaur: 0.5 to 1.5, here half"),
          harsh=between(0.5, 1.5, "minitaur: 0.5 to 1.5")),
)  # fmt: skip
