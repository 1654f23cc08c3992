"""The known faults of randomization, as they would be written into this code, and the tests that must fail of them."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot_bridge.errors import unknown_name

from .mutant import FAULTS, Mutant


def select_mutants(faults: Sequence[int] | None) -> tuple[Mutant, ...]:
    """Return the mutants of some faults, or of all.

    Raises:
        SurefootError: If there is no fault of a number.
    """
    for fault in faults or ():
        if fault not in FAULTS:
            raise unknown_name("fault", str(fault), map(str, FAULTS))
    return tuple(mutant for mutant in MUTANTS if not faults or mutant.fault in faults)


_SUREFOOT = "extensions/surefoot/surefoot"
_ACTUATORS = f"{_SUREFOOT}/actuators"
_RANDOMIZATION = f"{_SUREFOOT}/randomization"
_KNOWN = "tests/unit/test_known_faults.py::"
_TABLE = "tests/unit/test_randomization_table.py::"
_NEWTON = "tests/unit/test_newton_derived.py::"
_ENGINE = "tests/sim/test_known_faults.py::"

MUTANTS = (
    Mutant(
        1,
        "an offset is added to the value in force",
        f"{_RANDOMIZATION}/kernels.py",
        "        values.table[env, place] = column.gain * draw + column.bias\n",
        "        start = column.bias\n"
        "        if start != 0.0:\n"
        "            start = values.table[env, place]\n"
        "        values.table[env, place] = column.gain * draw + start\n",
        (f"{_KNOWN}test_a_hundred_resets_leave_every_value_in_its_range",),
    ),
    Mutant(
        1,
        "the base's centre of mass is moved from where the engine has it",
        f"{_RANDOMIZATION}/bodies.py",
        "        base_com = table_vector(table, env, columns.base_com)\n",
        "        base_com = com_m[env, body] + table_vector(table, env, columns.base_com) - com\n",
        (f"{_KNOWN}test_bodies_written_a_hundred_times_are_those_written_once",),
    ),
    Mutant(
        2,
        "Newton's solver is not told of new masses",
        f"{_RANDOMIZATION}/appliers/newton.py",
        "        if self._changes_inertia:\n            self.derived.update(env_mask)\n",
        "",
        (f"{_ENGINE}test_newtons_robots_move_as_robots_of_the_masses_that_were_drawn",),
    ),
    Mutant(
        2,
        "the inverse of a body's mass stays",
        f"{_RANDOMIZATION}/newton_inertia/kernels.py",
        "        newton.body_inv_mass[index] = 1.0 / mass\n",
        "",
        (f"{_NEWTON}test_a_pendulum_has_the_constants_worked_out_by_hand",),
    ),
    Mutant(
        2,
        "the inverse weights of bodies stay",
        f"{_RANDOMIZATION}/newton_inertia/kernels.py",
        "        solver.body_invweight0[world, item] = wp.vec2(float(weight[0]), float(weight[1]))\n",
        "",
        (f"{_NEWTON}test_changed_worlds_equal_mujoco_and_the_reference_and_others_keep_every_bit",),
    ),
    Mutant(
        2,
        "a heavier link keeps its inertia",
        f"{_RANDOMIZATION}/bodies.py",
        "inertia = (table[env, columns.link_inertia_ratio + joint] * link_mass / mass) * inertia",
        "inertia = table[env, columns.link_inertia_ratio + joint] * inertia",
        ("tests/unit/test_randomization_bodies.py::test_the_kernel_composes_what_the_reference_composes",),
    ),
    Mutant(
        3,
        "a push is written into the buffer that shows velocities",
        f"{_RANDOMIZATION}/pushes.py",
        "self._robot.write_root_com_velocity_to_sim_mask(root_velocity=self._pushed_vel_w, env_mask=self._is_pushed)",
        "wp.copy(self._robot.data.root_com_vel_w.warp, self._pushed_vel_w)",
        (f"{_ENGINE}test_a_push_in_physx_moves_the_base_by_velocity_times_time",),
    ),
    Mutant(
        3,
        "the kernel of pushes writes into what it reads",
        f"{_RANDOMIZATION}/pushes.py",
        "    pushed_vel_w[env] = velocity\n",
        "    root_com_vel_w[env] = velocity\n",
        ("tests/unit/test_randomization_pushes.py::test_a_push_by_velocity_adds_to_the_velocity_where_it_is_due",),
    ),
    Mutant(
        4,
        "what a range of no width leaves out of the draws is zero",
        f"{_RANDOMIZATION}/table.py",
        "        self.values = nominal.repeat(num_envs, 1)\n",
        "        self.values = torch.zeros(shape, device=device)\n",
        (f"{_KNOWN}test_a_factor_of_one_leaves_every_actuator_unchanged",),
    ),
    Mutant(
        4,
        "gains are those that the engine's own drives have, which are zero",
        f"{_ACTUATORS}/actuator.py",
        "            stiffness=per_joint(cfg.stiffness),\n",
        "            stiffness=stiffness[0].cpu().numpy(),\n",
        (f"{_KNOWN}test_a_factor_of_one_leaves_every_actuator_unchanged",),
    ),
    Mutant(
        5,
        "no nominal value of zero is refused",
        f"{_RANDOMIZATION}/parameter.py",
        '        if is_chosen and asked.operation == "scale" and nominal == 0.0:\n',
        '        if is_chosen and asked.operation == "scale" and nominal != nominal:\n',
        (f"{_TABLE}test_a_range_that_cannot_be_meant_is_refused",),
    ),
    Mutant(
        6,
        "values of the start-up are not written",
        f"{_RANDOMIZATION}/randomization.py",
        "        self.applier.apply_startup()\n",
        "",
        (f"{_KNOWN}test_values_are_written_at_start_up_once_and_at_every_reset",),
    ),
    Mutant(
        6,
        "values of the start-up are not drawn",
        f"{_RANDOMIZATION}/table.py",
        "        self._draw(everyone, self._every_block)\n",
        "        self._draw(everyone, self._reset_blocks)\n",
        (f"{_TABLE}test_the_kernel_draws_what_the_reference_draws",),
    ),
    Mutant(
        7,
        "the key of the draws has a constant in place of the seed",
        f"{_RANDOMIZATION}/table.py",
        "for word in (self.seed, self.rank)]",
        "for word in (0, self.rank)]",
        (f"{_TABLE}test_seeds_and_ranks_have_values_of_their_own",),
    ),
    Mutant(
        7,
        "the run's seed does not reach the environment, only the agent that is made after it",
        f"{_SUREFOOT}/learning/training.py",
        "    env_cfg.seed = settings.seed + Ranks.from_environment().rank\n",
        "",
        (f"{_KNOWN}test_an_environment_is_configured_with_the_runs_seed_and_another_in_each_process",),
    ),
    Mutant(
        8,
        "the number of the environment is not in the counter of the draws",
        f"{_RANDOMIZATION}/kernels.py",
        "Words(wp.uint32(env), ",
        "Words(wp.uint32(0), ",
        (f"{_TABLE}test_every_environment_has_values_of_its_own",),
    ),
    Mutant(
        8,
        "masses of all worlds are written into the first",
        f"{_RANDOMIZATION}/newton_inertia/kernels.py",
        "    solver.body_mass[world, body] = mass\n",
        "    solver.body_mass[0, body] = mass\n",
        (f"{_NEWTON}test_changed_worlds_equal_mujoco_and_the_reference_and_others_keep_every_bit",),
    ),
    Mutant(
        8,
        "what is derived from mass is written into the first world",
        f"{_RANDOMIZATION}/newton_inertia/kernels.py",
        "        solver.dof_invweight0[world, item] = ",
        "        solver.dof_invweight0[0, item] = ",
        (f"{_NEWTON}test_changed_worlds_equal_mujoco_and_the_reference_and_others_keep_every_bit",),
    ),
    Mutant(
        9,
        "a factor multiplies the value in force, so that torque limits and speeds wander",
        f"{_RANDOMIZATION}/kernels.py",
        "        values.table[env, place] = column.gain * draw + column.bias\n",
        "        value = column.gain * draw + column.bias\n"
        "        if column.gain != 1.0:\n"
        "            value = values.table[env, place] * draw\n"
        "        values.table[env, place] = value\n",
        (f"{_KNOWN}test_a_hundred_resets_leave_every_value_in_its_range",),
    ),
    Mutant(
        9,
        "the effort limit of a hot motor stays lowered",
        f"{_ACTUATORS}/kernels.py",
        "    limit = effort_limit[joint] * derating(heat[env, joint], derated_share)\n",
        "    effort_limit[joint] *= derating(heat[env, joint], derated_share)\n    limit = effort_limit[joint]\n",
        (f"{_KNOWN}test_a_motor_that_was_hot_has_its_whole_effort_limit_after_every_reset",),
    ),
    Mutant(
        10,
        "velocity and effort of a command act at once",
        f"{_ACTUATORS}/kernels.py",
        "    return older + newer_share * (newer - older)\n",
        "    delayed = older + newer_share * (newer - older)\n"
        "    return wp.vec3f(delayed[0], commands[env, 0, joint][1], commands[env, 0, joint][2])\n",
        ("tests/unit/test_actuator_delay.py::test_all_three_channels_lag_by_exactly_the_delay",),
    ),
    Mutant(
        11,
        "efforts of all environments go to the first",
        f"{_ACTUATORS}/kernels.py",
        "    joint_effort[env, column] = result[1]\n",
        "    joint_effort[0, column] = result[1]\n",
        ("tests/unit/test_actuator_kernel.py::test_the_kernel_equals_its_reference_on_random_parameters_and_states",),
    ),
    Mutant(
        11,
        "commands of all environments go to the first",
        f"{_ACTUATORS}/state_kernels.py",
        "    commands[env, 0, joint] = wp.vec3f(position[env, joint]",
        "    commands[0, 0, joint] = wp.vec3f(position[env, joint]",
        ("tests/unit/test_actuator_delay.py::test_the_kernels_memory_equals_the_reference_over_many_pushes",),
    ),
    Mutant(
        12,
        "the key of the draws has a constant in place of the rank",
        f"{_RANDOMIZATION}/table.py",
        "for word in (self.seed, self.rank)]",
        "for word in (self.seed, 0)]",
        (f"{_TABLE}test_seeds_and_ranks_have_values_of_their_own",),
    ),
    Mutant(
        12,
        "every process seeds its environments alike",
        f"{_SUREFOOT}/learning/training.py",
        "    env_cfg.seed = settings.seed + Ranks.from_environment().rank\n",
        "    env_cfg.seed = settings.seed\n",
        (f"{_KNOWN}test_an_environment_is_configured_with_the_runs_seed_and_another_in_each_process",),
    ),
    Mutant(
        12,
        "processes keep the networks that each has made",
        f"{_SUREFOOT}/learning/runner.py",
        "            self.alg.broadcast_parameters()\n",
        "            pass\n",
        (f"{_KNOWN}test_two_processes_train_one_network",),
    ),
)
"""Every fault once or more. The tests are the quickest that see it; an engine runs only where nothing else can."""
