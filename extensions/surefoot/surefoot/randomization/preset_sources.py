"""Where the ranges of the presets come from."""

from __future__ import annotations

from typing import NamedTuple


class RangeSource(NamedTuple):
    """Where ranges come from: a short key, the file or table that states them, and what was taken from it."""

    key: str
    location: str
    used_for: str


SOURCES = (
    RangeSource(
        "agibot_x1",
        "liuskywalkerjskd/agibot_x1_train@06dcfaca750d34e76d024f8c174d62118a5ec7ab, a copy of AgibotTech's, "
        "humanoid/envs/x1/x1_dh_stand_config.py",
        "X1 humanoid: gains, torque, joint friction, encoder offset, lags in steps of 1 ms, duration of pushes",
    ),
    RangeSource(
        "berkeley_humanoid",
        "HybridRobotics/isaac_berkeley_humanoid@3845a40903fd096495e81b1139c462510365bae3 "
        "exts/berkeley_humanoid/berkeley_humanoid/tasks/locomotion/velocity/velocity_env_cfg.py",
        "Berkeley Humanoid: friction, restitution, encoder offset",
    ),
    RangeSource(
        "booster_gym",
        "hdadong/booster_gym@f30dd1e5a07951b742d925373332e792ced292e5 envs/T1.yaml and "
        "guilhermeDias13/booster_gym@35917b66b32633d70b68dce4fbd7ad98a60f72ff envs/t1.py, copies of BoosterRobotics'",
        "T1 humanoid: base mass, centre of mass, friction, interval of pushes, delay of up to 9 steps of 2 ms",
    ),
    RangeSource(
        "chrl",
        "Learning agility and adaptive legged locomotion via curricular hindsight reinforcement learning, Scientific "
        "Reports 14 (2024), s41598-024-79292-4, table 1",
        "quadruped: payload",
    ),
    RangeSource(
        "extreme_parkour",
        "chengxuxin/extreme-parkour@dcb2447cbc8649cf7be59bcd6f3e9c40488ae835 "
        "legged_gym/legged_gym/envs/base/legged_robot_config.py",
        "A1: motor strength",
    ),
    RangeSource(
        "haarnoja",
        "Haarnoja et al., Learning agile soccer skills for a bipedal robot, arXiv 2304.13653, as quoted in "
        "mcgill-robotics/Humanoid-MuJoCo@038e4cef957c5fe8026a94464968bb7bd376e0b0 simulation/simulation_parameters.py",
        "OP3 humanoid: orientation of the IMU, delay of observations",
    ),
    RangeSource(
        "himloco",
        "OpenRobotLab/HIMLoco@a14b66e46958e081d86abad51dc1e206b4cfea29 "
        "legged_gym/legged_gym/envs/base/legged_robot_config.py, @24a20be875ef6dba6015565bb090808b96ac2b81 "
        "legged_robot.py beside it",
        "A1, Go1, Aliengo: gains, motor strength, delay within a control step, force on the base",
    ),
    RangeSource(
        "human2humanoid",
        "LeCAR-Lab/human2humanoid@43665822657d8c856658add6ae1db4e8521d1f1b "
        "legged_gym/legged_gym/cfg/domain_rand/domain_rand_teleop.yaml",
        "H1 humanoid: link masses, centre of mass, gains, pushes",
    ),
    RangeSource(
        "humanoid_gym",
        "roboterax/humanoid-gym@807b3e1926c9195d4d2c7a4eaed95fa022e9cec5 humanoid/envs/custom/humanoid_config.py",
        "XBot-L humanoid: payload",
    ),
    RangeSource(
        "isaaclab",
        "isaaclab 3.0.0 isaaclab_tasks/core/velocity/velocity_env_cfg.py",
        "dynamic below static friction",
    ),
    RangeSource(
        "legged_gym",
        "leggedrobotics/legged_gym@054812147280e14bf0b99aac610e104472f45060 "
        "legged_gym/envs/base/legged_robot_config.py",
        "ANYmal, A1: sensor noise, pushes",
    ),
    RangeSource(
        "minitaur",
        "bulletphysics/bullet3@fb6987d161b4ac0089e4703e8f7787cd0446a372 examples/pybullet/gym/pybullet_envs/minitaur/"
        "envs/env_randomizers/minitaur_env_randomizer_config.py, by authors of Tan et al., RSS 2018",
        "Minitaur: masses, inertias, viscous friction, battery",
    ),
    RangeSource(
        "mjlab",
        "mjlab 1.6.0 mjlab/tasks/velocity/velocity_env_cfg.py, the same file of "
        "mujocolab/mjlab@008c69ccea812cd35673e357850349e69e31ad15 for the orientation of the IMU",
        "Go1, G1: centre of mass, encoder offset, orientation of the IMU, pushes",
    ),
    RangeSource(
        "mujoco",
        "mujoco 3.12, XML reference, geom friction: 1 0.005 0.0001 by default",
        "torsional and rolling friction of contacts that are not tuned",
    ),
    RangeSource(
        "parkour",
        "ZiwenZhuang/parkour@1ffd6d7c057366da353dd431b5bbd9791f73603f legged_gym/legged_gym/envs/go2/go2_config.py",
        "Go2: latency of proprioception, interval of pushes",
    ),
    RangeSource(
        "playground",
        "playground 0.2.0 mujoco_playground/_src/locomotion/{go1,g1,t1}/{randomize,joystick}.py",
        "Go1, G1, T1: friction, masses, centre of mass, joint friction, armature, encoder offset, gains, pushes",
    ),
    RangeSource(
        "rl_locomotion",
        "antonilo/rl_locomotion@6a4e88210144e1c6a32c6f0a49cf56823e89a6c8 "
        "raisimGymTorch/env/envs/rsg_a1_task/Environment.hpp",
        "A1: gains, centre of mass",
    ),
    RangeSource(
        "unitree_go2",
        "surefoot_robots/unitree_go2/sources.py, decisions on armature and joint friction",
        "disagreement between published models of one robot",
    ),
    RangeSource(
        "unitree_mujoco",
        "7Swaize/unitree_mujoco@0c191b9f3462d08516c5251eae1e3ab2c64528ec, a copy of Unitree Robotics', "
        "unitree_robots/go2/go2.xml",
        "Go2: feet with contacts of six dimensions, torsional friction 0.02 m, rolling friction 0.01 m",
    ),
    RangeSource(
        "unitree_rl_gym",
        "unitreerobotics/unitree_rl_gym@bd00c6a2a175613eb0599ac796c4240e4ffc527d legged_gym/envs/g1/g1_config.py",
        "G1: pushes",
    ),
    RangeSource(
        "unitree_rl_lab",
        "unitreerobotics/unitree_rl_lab@18b29ee716e4218b61048fc2f84b6d45b9381308 "
        "source/unitree_rl_lab/unitree_rl_lab/tasks/locomotion/robots/{go2,g1/29dof}/velocity_env_cfg.py",
        "Go2, G1: friction, restitution, payload, pushes",
    ),
    RangeSource(
        "walk_these_ways",
        "Improbable-AI/walk-these-ways@c7060d13d30ef861aa1e5bd73a2adeef65951b4f "
        "go1_gym/envs/base/{legged_robot_config,legged_robot}.py, @728058d24303cd209e5d82d8d2c0c240a40d2841 "
        "scripts/train.py",
        "Go1: friction, restitution, gains, motor strength, joint friction, encoder offset, fixed lag, gravity",
    ),
)
