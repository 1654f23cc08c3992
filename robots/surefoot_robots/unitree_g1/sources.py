"""Sources of the Unitree G1's numbers and the decisions where they disagree."""

from surefoot_robots.provenance import Decision, Source

SOURCES = (
    Source(
        "menagerie",
        "google-deepmind/mujoco_menagerie@75df466bb0e39d8d7fa66b556513cfc676919924 unitree_g1/g1.xml",
        "BSD-3-Clause",
        "bodies, inertias, joint axes and ranges, foot contact points and friction, friction loss, sites",
    ),
    Source(
        "mjlab",
        "mjlab 1.6.0 src/mjlab/asset_zoo/robots/unitree_g1/g1_constants.py, xmls/g1.xml",
        "Apache-2.0",
        "armatures of the motors, effort and velocity limits, gains, default pose, collision shapes",
    ),
    Source(
        "unitree_rl_lab",
        "unitreerobotics/unitree_rl_lab@e72a072c4db68b79a816b3b89bf3b6a0525d113e "
        "source/unitree_rl_lab/unitree_rl_lab/assets/robots/unitree.py, deploy/robots/g1/config/config.yaml, "
        "deploy/include/unitree/dds_wrapper/robots/g1/defines.h",
        "Apache-2.0",
        "joint order of the SDK; gains and pose of deployed policies, as alternatives",
    ),
    Source(
        "unitree_rl_lab later",
        "unitreerobotics/unitree_rl_lab@1a762ac deploy/robots/g1_29dof/config/config.yaml",
        "Apache-2.0",
        "its states FixStand and Passive: standing pose, its duration, gains that stand, damping",
    ),
    Source(
        "isaaclab",
        "isaaclab 3.0.0 isaaclab_assets/robots/unitree.py",
        "BSD-3-Clause",
        "cross-check of limits and gains",
    ),
    Source(
        "urdf",
        "fan-ziqi/robot_lab@09f7fb4aa93fdeac3eb91d8c155f67cab7a10e46 "
        "source/robot_lab/data/Robots/unitree/g1_description/urdf/g1_29dof_rev_1_0.urdf",
        "Apache-2.0",
        "cross-check of limits",
    ),
    Source(
        "sdk",
        "unitreerobotics/unitree_sdk2_python@21e44b7c4c1a11b2b2e426ef2930fd13ce2c6a36 "
        "example/g1/low_level/g1_low_level_example.py",
        "BSD-3-Clause",
        "rate of low-level commands; sensors in the state message",
    ),
)

DECISIONS = (
    Decision(
        "armature",
        "menagerie, unitree_rl_lab: 0.01 for all; mjlab: 0.0036 to 0.0251 by motor; isaaclab: 0.03 legs, 0.001 others",
        "mjlab: 0.003609725 (5020), 0.01017752 (7520-14), 0.025101925 (7520-22), 0.00425 kg m^2 (4010)",
        "Derived from rotor inertias and gear ratios of each motor; the others are one number for unlike motors.",
    ),
    Decision(
        "gains",
        "unitree_rl_lab: legs 100 to 150 and 2 to 4, ankles 40 and 2, waist 200 and 5, arms 40 and 10; isaaclab: arms "
        "3000, waist 5000; mjlab: armature (2 pi 10 Hz)^2 with damping ratio 2; menagerie: 500, untuned",
        "mjlab's rule",
        "Torques are computed outside the engine at 200 Hz. An explicit velocity gain is stable only below twice the "
        "inertia over the time step: at a wrist (0.005 kg m^2) below 2 N m s/rad, so a gain of 10 cannot be used. "
        "mjlab's rule keeps each joint below 63 % of that bound. Ankles stay below m g h = 225 N m/rad: a policy, "
        "not the gains, has to balance.",
    ),
    Decision(
        "default pose",
        "mjlab: hip -0.312, knee 0.669, ankle -0.363, shoulders 0.2, elbows 0.6; unitree_rl_lab, isaaclab: hip -0.1, "
        "knee 0.3, ankle -0.2; menagerie: straight legs",
        "mjlab",
        "Belongs to the gains. Bent knees let the legs lengthen and shorten; the centre of mass is 3 mm from the "
        "middle of the soles.",
    ),
    Decision(
        "action scale",
        "mjlab: a quarter of the effort limit over the stiffness; unitree_rl_lab: 0.25 rad",
        "mjlab's rule: 0.07 to 0.55 rad",
        "An action of 1 asks each joint for a quarter of its torque, whatever its gain.",
    ),
    Decision(
        "effort limit of hip roll",
        "menagerie, mjlab, urdf: 139 N m; isaaclab: 88 N m",
        "139 N m",
        "Hip roll has the motor of the knee (7520-22).",
    ),
    Decision(
        "effort limit of ankles, waist roll and waist pitch",
        "menagerie, mjlab, isaaclab: 50 N m; urdf: 35 N m; unitree_rl_lab: 20 (ankle) and 300 N m (waist), "
        "caps in simulation",
        "50 N m",
        "Two 5020 motors of 25 N m act on each of these joints.",
    ),
    Decision(
        "velocity limit",
        "mjlab: 32 (7520-14), 20 (7520-22), 37 (5020), 22 rad/s (4010); urdf: 30 for ankle and waist roll and pitch; "
        "isaaclab: 32 for hip roll; unitree_rl_lab: 100 rad/s, a simulation cap",
        "mjlab",
        "By motor, like armatures and effort limits.",
    ),
    Decision(
        "saturation torque",
        "isaaclab: 180 N m legs, 80 N m feet; no other source states one",
        "equal to the effort limit",
        "isaaclab's one value for 88 and 139 N m motors matches neither. The torque-speed line through the effort "
        "limit at standstill is the cautious side and the rule of the other robots.",
    ),
    Decision(
        "joint friction",
        "menagerie: friction loss 0.3 N m; all others: none",
        "0.3 N m; 0.1 N m at wrist pitch and yaw",
        "The only stated value, and not a measured one. At the 5 N m wrist motors it would be 6 % of the effort limit, "
        "against 1.2 % at the 25 N m arm motors; 0.1 N m keeps it small there.",
    ),
    Decision(
        "joint damping",
        "none in any source",
        "0",
        "No source states one.",
    ),
    Decision(
        "collision shapes of bodies",
        "menagerie: meshes; mjlab: spheres and capsules in the same frames",
        "mjlab",
        "Primitives give the same contact in every engine.",
    ),
    Decision(
        "collision shapes of feet",
        "menagerie: 4 spheres of 5 mm, lowest point 35 mm below the ankle; mjlab: 7 capsules of 10 mm, also 35 mm",
        "2 capsules of 10 mm along the edges of the sole, ending above menagerie's contact points",
        "On flat ground the contact points are menagerie's, with 2 shapes for PhysX to test and not 7; on edges and "
        "stairs the whole length of the sole bears.",
    ),
    Decision(
        "friction of feet",
        "menagerie, mjlab: 0.6",
        "0.6",
        "Both agree. Torsional and rolling friction are left out (condim 3): PhysX has no rolling friction and one "
        "torsional radius for a whole scene.",
    ),
    Decision(
        "feet",
        "all: geoms of the ankle roll link",
        "body of 0.1 kg, a plate of 0.19 x 0.08 x 0.02 m at the sole, taken out of the ankle roll link",
        "Contact of a foot has a body of its own in every engine. The composite keeps mass, centre of mass and "
        "inertia.",
    ),
    Decision(
        "ankles, waist roll and waist pitch",
        "all: serial joints; the robot: parallel linkages of two motors",
        "serial joints with the armature of two motors",
        "The SDK commands serial joint coordinates in its default mode.",
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
        "An assumption, the same as for the Go2's motors.",
    ),
)
