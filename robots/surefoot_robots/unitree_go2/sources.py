"""Sources of the Unitree Go2's numbers and the decisions where they disagree."""

from surefoot_robots.provenance import Decision, Source

SOURCES = (
    Source(
        "menagerie",
        "google-deepmind/mujoco_menagerie@75df466bb0e39d8d7fa66b556513cfc676919924 unitree_go2/go2.xml",
        "BSD-3-Clause",
        "bodies, inertias, joint axes and ranges, effort limits, armature, friction loss, collision shapes, IMU site",
    ),
    Source(
        "isaaclab",
        "isaaclab 3.0.0 isaaclab_assets/robots/unitree.py",
        "BSD-3-Clause",
        "gains, effort and velocity limits, saturation torque, default pose",
    ),
    Source(
        "unitree_rl_lab",
        "unitreerobotics/unitree_rl_lab@e72a072c4db68b79a816b3b89bf3b6a0525d113e "
        "source/unitree_rl_lab/unitree_rl_lab/assets/robots/unitree.py, deploy/robots/go2/config/config.yaml",
        "Apache-2.0",
        "joint order of the SDK; gains and pose of deployed policies; its states FixStand and Passive: standing pose "
        "and gains",
    ),
    Source(
        "unitree_rl_lab fork",
        "FO-ODE/unitree_rl_lab@96987bf deploy/robots/go2/config/config.yaml",
        "Apache-2.0",
        "durations of FixStand, damping of Passive",
    ),
    Source(
        "urdf",
        "fan-ziqi/robot_lab@09f7fb4aa93fdeac3eb91d8c155f67cab7a10e46 "
        "source/robot_lab/data/Robots/unitree/go2_description/urdf/go2_description.urdf",
        "Apache-2.0",
        "velocity limits, mass cross-check",
    ),
    Source(
        "sdk",
        "unitreerobotics/unitree_sdk2_python@9b05080718804ba05a2f9b9fb1b08011542f1580 "
        "example/go2/low_level/go2_stand_example.py",
        "BSD-3-Clause",
        "rate of low-level commands; sensors in the state message; sitting pose and its duration",
    ),
)

DECISIONS = (
    Decision(
        "effort limit",
        "menagerie, isaaclab: hip and thigh 23.7, calf 45.43 N m; unitree_rl_lab, robot_lab: 23.5 N m for all",
        "23.7 and 45.43 N m",
        "The calf drives through a further reduction of 45.43 / 23.7 = 1.917, which its lower speed limit "
        "(30.1 / 15.7 = 1.917) confirms; one limit for all denies it half its torque.",
    ),
    Decision(
        "velocity limit",
        "urdf, isaaclab: hip and thigh 30.1, calf 15.7 rad/s; unitree_rl_lab, robot_lab: 30 rad/s for all",
        "30.1 and 15.7 rad/s",
        "Consistent with the reduction of the calf, see effort limit.",
    ),
    Decision(
        "saturation torque",
        "isaaclab: equal to the effort limit; no other source states one",
        "equal to the effort limit",
        "The only stated value. It lets torque fall from standstill on, which is the cautious side.",
    ),
    Decision(
        "armature",
        "menagerie: 0.01 kg m^2; unitree_rl_lab: 0.005 kg m^2; isaaclab: none",
        "0.01 kg m^2",
        "Belongs to the same model as the masses and the friction. Neither source derives its value or tells hip from "
        "calf, so randomize it by a factor of two either way.",
    ),
    Decision(
        "joint friction",
        "menagerie: friction loss 0.2 N m; unitree_rl_lab: friction 0.01; isaaclab: 0",
        "0.2 N m",
        "The only value that is surely a torque: the friction of unitree_rl_lab is a PhysX coefficient, whose unit "
        "depends on the version.",
    ),
    Decision(
        "joint damping",
        "menagerie: 2.0 N m s/rad; all others: none",
        "0",
        "Acts on top of the velocity gain of 0.5 and would make it five times as large; it steadies position servos in "
        "simulation and was measured on no robot.",
    ),
    Decision(
        "total mass",
        "menagerie: 15.206 kg; urdf: 16.087 kg",
        "15.206 kg",
        "Stays with the inertias of the same model; the difference of 6 % is inside the range of mass randomization.",
    ),
    Decision(
        "gains",
        "isaaclab, unitree_rl_lab policies: 25 and 0.5; unitree_rl_lab stand-up controller: 60 to 80 and 4 to 5",
        "25 N m/rad and 0.5 N m s/rad",
        "Gains of deployed policies; the stand-up controller is another mode.",
    ),
    Decision(
        "default pose",
        "isaaclab, unitree_rl_lab: hip +-0.1, thigh 0.8 front and 1.0 rear, calf -1.5; menagerie: 0, 0.9, -1.8; "
        "stand-up controller: 0, 0.8, -1.5 rad",
        "hip +-0.1, thigh 0.8 and 1.0, calf -1.5 rad",
        "Pose of deployed policies. Base level, the front feet stand 9.6 mm lower than the rear ones.",
    ),
    Decision(
        "action scale",
        "isaaclab, unitree_rl_lab: 0.25 rad",
        "0.25 rad for every joint",
        "With a gain of 25 an action of 1 asks for 6.25 N m, about a quarter of the hip's limit.",
    ),
    Decision(
        "contact dimension",
        "menagerie: 6 for feet, 1 (frictionless) for other geoms",
        "3 for all",
        "PhysX has no rolling friction, one torsional radius for a whole scene, and no frictionless pair for one "
        "partner only. Torsional and rolling friction of feet are randomized, up to menagerie's 0.02 m and 0.01 m.",
    ),
    Decision(
        "cylinders",
        "menagerie: cylinders for hips, calves and the lidar, a sphere below the lidar for the head",
        "calves: capsules of the same radius and length over all; hips: spheres of the same radius; "
        "lidar and head: one upright capsule of 0.05 m radius from 0.11 m below to 0.06 m above the base frame",
        "PhysX bounds and collides a cylinder as a general convex body: on a CPU they cost 5 % of a physics step, and "
        "they touch the ground in falls only. Edges are rounded off, by up to 6 mm at the calves and 18 mm at the top "
        "of the lidar; the hips' spheres reach 26 mm further sideways, which a fall sideways notices.",
    ),
    Decision(
        "upper calf collision shape",
        "menagerie: radius 0.012 m at x = 0.008 m on the front left leg, 0.013 m at 0.010 m on the three others",
        "0.013 m at 0.010 m on all four",
        "The robot is symmetric; a policy trained with symmetry augmentation needs a symmetric model.",
    ),
    Decision(
        "feet",
        "menagerie: sphere geom of the calf body",
        "body of 0.04 kg, a solid sphere of 0.022 m radius, taken out of the calf",
        "Contact of a foot can be told from contact of the calf in every engine. The composite of calf and foot keeps "
        "mass, centre of mass and inertia.",
    ),
    Decision(
        "softness of contacts and joint limits in MuJoCo and Newton",
        "MuJoCo's defaults: pyramidal friction cone with impratio 1, time constants of 0.02 s",
        "elliptic cone with impratio 100, time constants of 0.01 s",
        "With the defaults loaded feet creep sideways by centimetres a second and fast joints overshoot their limits; "
        "PhysX does neither. Two time steps of 5 ms are the stiffest contact that training resolves.",
    ),
    Decision(
        "motor temperature limit",
        "none states one; the state message holds a temperature for each motor",
        "80 degrees Celsius",
        "An assumption on the cautious side: below what neodymium magnets of the common grade stand, and far above the "
        "30 to 49 degrees of a standing Go2 that hanlinniu/unitree_sdk2_python shows in an example.",
    ),
)
