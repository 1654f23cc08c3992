"""Poses and gains of a contract's robot without its policy."""

from dataclasses import replace

import numpy as np
from contracts import small_contract
from reports import random_report

from surefoot_bridge.control import Machine, hold_of
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, Request


def test_a_robot_of_which_nothing_but_its_contract_is_known_is_held_by_what_that_says():
    contract = small_contract()
    poses, gains = hold_of(contract)
    assert (poses.stand_rad, poses.sit_rad) == (contract.handling.stand_rad, contract.handling.sit_rad)
    assert (poses.stand_s, poses.sit_s) == (2.0, 1.8)
    assert gains.stiffness_nm_per_rad == contract.handling.stiffness_nm_per_rad
    assert gains.damping_nms_per_rad == contract.handling.damping_nms_per_rad
    assert gains.damped_nms_per_rad == (3.0, 3.0, 3.0)


def test_the_state_machine_moves_each_joint_to_its_place_in_the_standing_pose():
    contract = small_contract()  # policy a, b, c; interface c, a, b
    hold = hold_of(contract)
    machine = Machine(contract, *hold)
    lying = replace(random_report(np.random.default_rng(0), (), 3), joint_pos_rad=np.array([0.0, -0.2, -0.1]))
    policy = np.zeros(15)
    state, time_s = machine.initial(()), 0.0
    told, state = machine.step(state, lying, Request.STAND, policy, Response.NONE, time_s)
    while time_s < hold.poses.stand_s + 0.1:
        time_s += 0.005
        told, state = machine.step(state, lying, Request.KEEP, policy, Response.NONE, time_s)
    assert state.mode == Mode.STAND
    np.testing.assert_allclose(told[:3], [0.2, 0.0, 0.1], atol=1e-12)
    np.testing.assert_allclose(told[6:9], [60.02, 60.0, 60.01], atol=1e-12)
