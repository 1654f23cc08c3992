"""What holds for every reward term: equal to its reference in torch, independence of robots, NaN, its docstring."""

import inspect
import re

import pytest
import torch
from tests.references import rewards as reference
from tests.unit.reward_rig import evaluate

import surefoot_rewards
from surefoot.envs.fused.inputs import arguments_of, parameters_of

NUM_ENVS, NUM_JOINTS, NUM_FEET = 7, 12, 4
every_term = pytest.mark.parametrize("name", surefoot_rewards.TERMS)

# One entry for each argument name in the package: a name means the same quantity everywhere.
PER_ENVIRONMENT = {
    "lin_vel_b": (3,),
    "ang_vel_b": (3,),
    "projected_gravity_b": (3,),
    "command": (3,),
    "base_height_m": (),
    "joint_pos": (NUM_JOINTS,),
    "joint_vel": (NUM_JOINTS,),
    "joint_acc": (NUM_JOINTS,),
    "torque_nm": (NUM_JOINTS,),
    "action": (NUM_JOINTS,),
    "prev_action": (NUM_JOINTS,),
    "prev_prev_action": (NUM_JOINTS,),
    "sole_height_m": (NUM_FEET,),
    "swing_peak_m": (NUM_FEET,),
    "foot_force_n": (NUM_FEET,),
    "air_time_s": (NUM_FEET,),
    "contact_time_s": (NUM_FEET,),
    "last_air_time_s": (NUM_FEET,),
    "last_contact_time_s": (NUM_FEET,),
    "foot_vel_w": (NUM_FEET, 3),
}
PER_ENVIRONMENT_BOOL = {"moving": (), "terminated": (), "foot_contact": (NUM_FEET,), "touchdown": (NUM_FEET,)}
SHARED = {
    "default_joint_pos": torch.linspace(-1.0, 1.0, NUM_JOINTS),
    "lower_limit_rad": torch.full((NUM_JOINTS,), -0.5),
    "upper_limit_rad": torch.full((NUM_JOINTS,), 0.5),
    "velocity_limit_rad_s": torch.full((NUM_JOINTS,), 1.0),
    "effort_limit_nm": torch.full((NUM_JOINTS,), 1.0),
    "selected_joints": torch.arange(NUM_JOINTS) % 3 == 0,
    "mirror_foot": torch.tensor([1, 0, 3, 2]),
    "diagonal_foot": torch.tensor([3, 2, 1, 0]),
    "foot_offset": torch.tensor([0.0, 0.5, 0.5, 0.0]),
    "std": 0.5,
    "std_s": 0.5,
    "share": 0.5,
    "lowest_std": 0.3,
    "highest_std": 0.9,
    "target_m": 0.3,
    "soft_ratio": 0.5,
    "threshold_s": 0.2,
    "max_s": 0.8,
    "max_error_s": 0.7,
    "threshold_n": 0.3,
    "max_excess_n": 1.0,
    "duty_factor": 0.6,
    "sharpness": 8.0,
    "step_dt": 0.02,
    "frequency_hz": 2.0,
    "motion_s2": 0.5,
    "deviation_per_rad": 2.0,
    "effort": 3.0,
    "tilt_std": 2.0,
    "height_std_m": 1.5,
    "pose_std_rad": 2.5,
    "rest_std_rad_s": 3.0,
}


def _draw(name: str) -> dict:
    """Draw an input for each argument by its name; an argument without an entry above fails here."""
    generator = torch.Generator().manual_seed(0)
    drawn = {}
    for argument in arguments_of(surefoot_rewards.TERMS[name]):
        if argument in PER_ENVIRONMENT:
            drawn[argument] = torch.randn(NUM_ENVS, *PER_ENVIRONMENT[argument], generator=generator)
        elif argument in PER_ENVIRONMENT_BOOL:
            drawn[argument] = torch.rand(NUM_ENVS, *PER_ENVIRONMENT_BOOL[argument], generator=generator) < 0.5
        elif argument == "episode_steps":
            drawn[argument] = torch.randint(1000, (NUM_ENVS,), generator=generator)
        else:
            drawn[argument] = SHARED[argument]
    return drawn


def _rows(inputs: dict, rows: slice) -> dict:
    shared = SHARED.keys()
    return {name: value if name in shared else value[rows] for name, value in inputs.items()}


@every_term
def test_a_term_is_what_its_reference_in_torch_is(name):
    inputs = _draw(name)
    before = {argument: value.clone() for argument, value in inputs.items() if isinstance(value, torch.Tensor)}
    value = evaluate(name, inputs)
    assert (value.shape, value.dtype) == ((NUM_ENVS,), torch.float32)
    torch.testing.assert_close(value, getattr(reference, name)(**inputs), rtol=1e-5, atol=1e-5)
    assert value.isfinite().all()
    assert value.unique().numel() > 1, "an input that gives all environments the same value proves nothing"
    for argument, given in before.items():
        assert torch.equal(inputs[argument], given), argument


@every_term
def test_a_batch_gives_what_its_environments_give_one_by_one(name):
    inputs = _draw(name)
    singles = torch.cat([evaluate(name, _rows(inputs, slice(i, i + 1))) for i in range(NUM_ENVS)])
    assert torch.equal(evaluate(name, inputs), singles)


@every_term
def test_inputs_of_zero_give_a_finite_value(name):
    zeros = {key: value if key in SHARED else torch.zeros_like(value) for key, value in _draw(name).items()}
    assert evaluate(name, zeros).isfinite().all()


@every_term
def test_a_nan_in_one_environment_stays_in_that_environment_and_stays_visible(name):
    inputs = _draw(name)
    for argument in PER_ENVIRONMENT.keys() & inputs.keys():
        poisoned = inputs | {argument: inputs[argument].clone()}
        poisoned[argument][2] = torch.nan
        value = evaluate(name, poisoned)
        assert value[2].isnan(), argument
        assert value[[0, 1, 3, 4, 5, 6]].isfinite().all(), argument


@every_term
def test_the_docstring_gives_sentence_equation_units_zero_condition_and_source(name):
    term = surefoot_rewards.TERMS[name]
    docstring = inspect.getdoc(term.func)
    assert re.match(r"(Reward|Penalise)\b.*?\.\n", docstring, re.DOTALL), "first sentence: Reward ... or Penalise ..."
    for label in ("Equation", "Units", "Zero", "Source"):
        assert len(re.findall(rf"^{label}: \S", docstring, re.MULTILINE)) == 1, label
    for argument in arguments_of(term):
        assert re.search(rf"^ +{argument}: \S", docstring, re.MULTILINE), argument


@every_term
def test_what_a_term_is_not_given_by_its_name_is_a_number_and_comes_last(name):
    arguments, parameters = arguments_of(surefoot_rewards.TERMS[name]), parameters_of(surefoot_rewards.TERMS[name])
    assert [*arguments][len(arguments) - len(parameters) :] == parameters
    assert {arguments[parameter] for parameter in parameters} <= {float}


def test_every_public_function_of_a_family_is_a_term_under_its_own_name():
    assert {"foot_slip", "joint_limits", "stand_still", "track_yaw_rate_exp", "trot_contacts"} <= set(
        dir(surefoot_rewards)
    )
    shared = {"at_least", "at_most", "one_if", "exp_kernel", "proportional_std"}
    assert not shared & surefoot_rewards.TERMS.keys()
    assert surefoot_rewards.foot_slip is surefoot_rewards.TERMS["foot_slip"]
