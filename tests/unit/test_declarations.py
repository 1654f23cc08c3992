"""What can be added is declared once: the table of CONTRIBUTING.md, held against the tree."""

from pathlib import Path

import pytest

from surefoot.evaluation.scenarios.scenario import VARIED
from surefoot.randomization.catalogue import DECLARED
from surefoot_bridge.actuators.parameters import PER_ENVIRONMENT, PER_JOINT

ROOT = Path(__file__).parents[2]
PACKAGES = ("extensions/surefoot/surefoot", "extensions/surefoot-bridge/src/surefoot_bridge", "tasks/surefoot_tasks")


def files_with(word: str) -> set[str]:
    """Modules of the packages in which a word stands, without the packages' own paths."""
    return {
        str(path.relative_to(ROOT / package))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if word in path.read_text(encoding="utf-8")
    }


@pytest.mark.parametrize(
    ("word", "files"),
    [
        pytest.param("cold_friction", {"evaluation/scenarios/scenario.py"}, id="a scenario variation"),
        pytest.param("battery_sag_per_s", {"evaluation/scenarios/scenario.py"}, id="another one"),
        pytest.param("step_depth_m", {"terrains/kinds.py"}, id="a terrain"),
        pytest.param("motor_hot", {"safety/rules.py"}, id="a safety rule"),
        pytest.param(
            "encoder_velocity_noise",
            {
                "randomization/catalogue/sensors.py",
                "sensors/kernels.py",
                "randomization_checks/effects/sensors.py",
                "evaluation/trials/sensor_noise.py",
            },
            id="a parameter of the sensors",
        ),
        pytest.param(
            "static_friction_ratio",
            {
                "randomization/catalogue/joints.py",
                "actuators/kernels.py",
                "actuators/parameters.py",
                "actuators/equations.py",
                "randomization_checks/effects/joints.py",
            },
            id="a parameter of the actuators",
        ),
    ],
)
def test_what_is_added_stands_where_it_is_declared_where_it_acts_and_where_it_is_proved(word, files):
    assert files_with(word) == files


def test_every_parameter_has_an_experiment_of_its_name_but_those_of_sensors_that_no_task_reads():
    folder = ROOT / PACKAGES[0] / "randomization_checks/effects"
    experiments = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    without = {name for name in DECLARED if f"def {name}(bench: Bench) -> Outcome:" not in experiments}
    assert without == {"contact_miss", "contact_false"}


def test_actuators_read_parameters_that_are_declared():
    assert {*PER_JOINT, *PER_ENVIRONMENT} <= set(DECLARED)


def test_a_scenario_variation_sets_parameters_that_are_declared():
    assert {name for item in VARIED.values() for name in item.sets} <= set(DECLARED)
