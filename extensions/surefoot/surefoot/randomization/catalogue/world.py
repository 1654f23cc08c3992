"""Gravity, and pushes that come again within an episode."""

from __future__ import annotations

from functools import partial

from surefoot.randomization.declaration import ASSUMPTION, Declared, Support, around, between, by_kind

GRAVITY_M_S2 = 9.81
"""Standard gravity, as Isaac Lab and MuJoCo set it."""

NEVER_S = 1e9
"""Time to the next push where there are none [s]."""

_ONE_GRAVITY = "PhysX has one gravity for the whole scene; a wrench on every body in every substep would be slow"
_world = partial(Declared, acts_on="world")
_kick = partial(_world, occasion="push_velocity")
_force = partial(_world, occasion="push_force", in_engine=True)

PARAMETERS = (
    _world("gravity", "m/s^2", "acceleration of gravity in the world frame", (0.0, 0.0, -GRAVITY_M_S2), over="xyz",
           in_engine=True, physx=Support("scene-wide", _ONE_GRAVITY),
           standard=by_kind(quadruped=around(0.5, "walk_these_ways: 1 m/s^2, here half"),
                            humanoid=around(0.3, f"{ASSUMPTION}: a floor that slopes by 2 degrees")),
           harsh=by_kind(quadruped=around(1.0, "walk_these_ways: 1 m/s^2"),
                         humanoid=around(0.6, f"{ASSUMPTION}: twice standard"))),
    _kick("push_velocity", "m/s", "velocity that a push adds to the base", over="xyz",
          mild=around((0.5, 0.5, 0.0), "unitree_rl_lab: 0.5 m/s for Go2 and G1"),
          standard=around((1.0, 1.0, 0.0), "legged_gym: 1 m/s; human2humanoid: 1 m/s; playground: 1 m/s for T1"),
          harsh=around((1.5, 1.5, 0.4), "unitree_rl_gym: 1.5 m/s for G1; mjlab: 0.4 m/s vertically")),
    _kick("push_velocity_interval", "s", "time to the next such push", NEVER_S, over="environment", minimum=0.02,
          mild=between(5.0, 10.0, "unitree_rl_lab: 5 to 10 s for Go2, 5 s for G1"),
          standard=by_kind(quadruped=between(5.0, 15.0, "unitree_rl_lab: 5 to 10 s; legged_gym: 15 s"),
                           humanoid=between(5.0, 10.0, "unitree_rl_lab: 5 s; playground: 5 to 10 s for G1")),
          harsh=by_kind(quadruped=between(2.0, 15.0, "parkour: 2 s for Go2; legged_gym: 15 s"),
                        humanoid=between(2.0, 10.0, "mjlab: 1 to 3 s; playground: 5 to 10 s for G1"))),
    _force("push_force", "N", "force of a push on the base in the world frame", over="xyz",
           standard=by_kind(quadruped=around((30.0, 30.0, 0.0), "himloco: 30 N"),
                            humanoid=around((50.0, 50.0, 0.0), f"{ASSUMPTION}: a quadruped's by weight, below 80 N")),
           harsh=around((80.0, 80.0, 20.0), f"{ASSUMPTION}: 80 N, the most that is asked of a policy")),
    _force("push_point", "m", "where it acts, in the base's frame", over="xyz",
           standard=by_kind(quadruped=around((0.1, 0.05, 0.05), f"{ASSUMPTION}: within the trunk"),
                            humanoid=between((-0.05, -0.05, 0.0), (0.05, 0.05, 0.3),
                                             f"{ASSUMPTION}: from the pelvis up to the chest"))),
    _force("push_duration", "s", "how long it acts", over="environment", minimum=0.0,
           standard=by_kind(quadruped=between(0.05, 0.2, "playground: 0.05 to 0.2 s for kicks of Go1"),
                            humanoid=between(0.05, 0.25, "agibot_x1: 0.05 to 0.25 s")),
           harsh=between(0.05, 0.25, "agibot_x1: 0.05 to 0.25 s")),
    _force("push_force_interval", "s", "time to the next such push", NEVER_S, over="environment", minimum=0.02,
           standard=by_kind(quadruped=between(6.0, 10.0, "himloco: 8 s, here around it"),
                            humanoid=between(5.0, 10.0, "booster_gym: 5 s and above")),
           harsh=by_kind(quadruped=between(4.0, 10.0, f"{ASSUMPTION}: more often than himloco's 8 s"),
                         humanoid=between(3.0, 10.0, f"{ASSUMPTION}: more often than booster_gym's 5 s"))),
)  # fmt: skip
