"""Rotors, friction and encoders of joints."""

from __future__ import annotations

from functools import partial

from surefoot.randomization.declaration import ASSUMPTION, Declared, around, between, by_kind, of_joints, times

_joint = partial(Declared, over="joint", acts_on="joint")

PARAMETERS = (
    _joint("armature", "kg.m^2", "rotor inertia", of_joints("armature_kgm2"), minimum=0.0, in_engine=True,
           mild=by_kind(quadruped=times(0.7, 1.4,
                                        "unitree_go2: a factor of 2 between models, here its root", "log_uniform"),
                        humanoid=times(1.0, 1.05, "playground: 1 to 1.05 for G1")),
           standard=by_kind(quadruped=times(0.5, 2.0, "unitree_go2: a factor of 2 between models", "log_uniform"),
                            humanoid=times(0.95, 1.1, "playground: 1 to 1.05 for G1, here both ways because a "
                                              "derived value errs either way")),
           harsh=by_kind(humanoid=times(0.95, 1.2, f"{ASSUMPTION}: lower ones make explicit velocity gains unstable"))),
    _joint("coulomb_friction", "N.m", "kinetic friction", of_joints("friction_nm"), minimum=0.0,
           mild=by_kind(quadruped=times(0.5, 1.5, "unitree_go2: none to 0.2 N m, here half of the way"),
                        humanoid=times(0.75, 1.5, "playground: 0.5 to 2 for G1, here half")),
           standard=by_kind(quadruped=times(0.0, 2.0, "unitree_go2: none to 0.2 N m, here as far upwards"),
                            humanoid=times(0.5, 2.0, "playground: 0.5 to 2 for G1")),
           harsh=by_kind(quadruped=times(0.0, 3.5, "walk_these_ways: 0 to 0.7 N m, to which Go2's 0.2 N m are scaled"),
                         humanoid=times(0.33, 3.0, "agibot_x1: 0.1 to 0.9 N m, to which G1's 0.3 N m are scaled"))),
    _joint("static_friction_ratio", "-", "static over kinetic friction", 1.0, minimum=1.0,
           standard=between(1.0, 1.3, f"{ASSUMPTION}: breaking greased gears loose takes somewhat more"),
           harsh=between(1.0, 1.5, f"{ASSUMPTION}: gears in the cold")),
    _joint("viscous_friction", "N.m.s/rad", "viscous friction", of_joints("viscous_nms_rad"), minimum=0.0,
           standard=by_kind(quadruped=between(0.0, 0.05, "minitaur: 0 to 0.05 N m s/rad"),
                            humanoid=between(0.0, 0.1, "agibot_x1: 0.05 to 0.1 N m s/rad")),
           harsh=by_kind(quadruped=between(0.0, 0.1, "agibot_x1: 0.05 to 0.1 N m s/rad"))),
    _joint("encoder_offset", "rad", "reading of each encoder less the position", mirror="joint", errs=("joint_pos",),
           law="constant",
           mild=by_kind(quadruped=around(0.01, "walk_these_ways: 0.02 rad, here half"),
                        humanoid=around(0.015, "mjlab: 0.015 rad")),
           standard=by_kind(quadruped=around(0.02, "walk_these_ways: 0.02 rad"),
                            humanoid=around(0.035, "agibot_x1: 0.035 rad")),
           harsh=around(0.05, "playground: 0.05 rad; berkeley_humanoid: 0.05 rad")),
)  # fmt: skip
