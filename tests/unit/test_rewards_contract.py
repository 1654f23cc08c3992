"""What holds for every reward term: shape, type, independence of environments, untouched inputs, its docstring."""

import inspect
import re

import pytest
import torch

import surefoot_rewards

NUM_ENVS, NUM_JOINTS, NUM_FEET = 7, 12, 4
TERMS = [*surefoot_rewards.TERMS.values()]
every_term = pytest.mark.parametrize("term", TERMS, ids=lambda term: term.__name__)

# One entry for each argument name in the package: a name means the same quantity everywhere.
PER_ENVIRONMENT = {
    "lin_vel_b": (3,),
    "ang_vel_b": (3,),
    "projected_gravity_b": (3,),
    "command": (3,),
    "base_height_m": (),
    "phase": (),
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
    "std_standing": torch.linspace(0.5, 1.0, NUM_JOINTS),
    "std_moving": torch.linspace(1.0, 2.0, NUM_JOINTS),
    "mirror_foot": torch.tensor([1, 0, 3, 2]),
    "diagonal_foot": torch.tensor([3, 2, 1, 0]),
    "foot_offset": torch.tensor([0.0, 0.5, 0.5, 0.0]),
    "std": 0.5,
    "std_s": 0.5,
    "share": 0.5,
    "lowest_std": 0.2,
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
}


def _draw(term) -> dict:
    """Draw an input for each argument by its name; an argument without an entry above fails here."""
    generator = torch.Generator().manual_seed(0)
    drawn = {}
    for name in inspect.signature(term).parameters:
        if name in PER_ENVIRONMENT:
            drawn[name] = torch.randn(NUM_ENVS, *PER_ENVIRONMENT[name], generator=generator)
        elif name in PER_ENVIRONMENT_BOOL:
            drawn[name] = torch.rand(NUM_ENVS, *PER_ENVIRONMENT_BOOL[name], generator=generator) < 0.5
        else:
            drawn[name] = SHARED[name]
    return drawn


def _rows(inputs: dict, rows: slice) -> dict:
    shared = SHARED.keys()
    return {name: value if name in shared else value[rows] for name, value in inputs.items()}


@every_term
def test_a_batch_gives_what_its_environments_give_one_by_one(term):
    inputs = _draw(term)
    batch = term(**inputs)
    singles = torch.cat([term(**_rows(inputs, slice(i, i + 1))) for i in range(NUM_ENVS)])
    torch.testing.assert_close(batch, singles, rtol=1e-6, atol=1e-6)
    assert batch.unique().numel() > 1, "an input that gives all environments the same value proves nothing"


@every_term
def test_the_value_is_one_finite_float_for_each_environment(term):
    value = term(**_draw(term))
    assert value.shape == (NUM_ENVS,)
    assert value.dtype == torch.float32
    assert value.isfinite().all()


@every_term
def test_no_environments_give_no_values(term):
    assert term(**_rows(_draw(term), slice(0, 0))).shape == (0,)


@every_term
def test_inputs_are_left_as_they_were(term):
    inputs = _draw(term)
    before = {name: value.clone() for name, value in inputs.items() if isinstance(value, torch.Tensor)}
    term(**inputs)
    for name, value in before.items():
        assert torch.equal(inputs[name], value), name


@every_term
def test_inputs_of_zero_give_a_finite_value(term):
    zeros = {name: value if name in SHARED else torch.zeros_like(value) for name, value in _draw(term).items()}
    assert term(**zeros).isfinite().all()


@every_term
def test_a_nan_in_one_environment_stays_in_that_environment_and_stays_visible(term):
    inputs = _draw(term)
    for name in PER_ENVIRONMENT.keys() & inputs.keys():
        poisoned = inputs | {name: inputs[name].clone()}
        poisoned[name][2] = torch.nan
        value = term(**poisoned)
        assert value[2].isnan(), name
        assert value[[0, 1, 3, 4, 5, 6]].isfinite().all(), name


@every_term
def test_the_docstring_gives_sentence_equation_units_zero_condition_and_source(term):
    docstring = inspect.getdoc(term)
    assert re.match(r"(Reward|Penalise)\b.*?\.\n", docstring, re.DOTALL), "first sentence: Reward ... or Penalise ..."
    for label in ("Equation", "Units", "Zero", "Source"):
        assert len(re.findall(rf"^{label}: \S", docstring, re.MULTILINE)) == 1, label
    for name in inspect.signature(term).parameters:
        assert re.search(rf"^ +{name}: \S", docstring, re.MULTILINE), name


@every_term
def test_parameters_that_are_numbers_can_only_be_given_by_name(term):
    for parameter in inspect.signature(term).parameters.values():
        if parameter.annotation == "float":
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY, parameter.name


def test_every_public_function_of_a_family_is_a_term_under_its_own_name():
    families = [value for value in vars(surefoot_rewards).values() if inspect.ismodule(value)]
    defined = sorted(
        name
        for module in families
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    )
    defined = [name for name in defined if name not in ("exp_kernel", "proportional_std")]
    assert defined == sorted(surefoot_rewards.TERMS) == sorted(set(dir(surefoot_rewards)) & set(defined))
