"""The benchmark of randomization: what is compared, what is counted, and the arithmetic of its figures."""

import time
from types import SimpleNamespace

import pytest
import torch
import warp as wp

from surefoot.randomization.presets import preset_ranges
from surefoot.replaced import replaced
from surefoot_bridge.actuators.parameters import PER_ENVIRONMENT, PER_JOINT
from surefoot_devtools.benchmarking.counting import count_allocations, count_launches, read_tracker_report
from surefoot_devtools.benchmarking.randomization_suite import RandomizationSuite, growth, holds, limits
from surefoot_devtools.benchmarking.stock_terms import (
    STOCK_TERMS,
    matched_ranges,
    stock_event_terms,
    values_per_environment,
    without_stock_term,
)
from surefoot_devtools.benchmarking.timing import Stopwatch, median_us, random_environments
from surefoot_devtools.benchmarking.traffic import actuator_parameters, bytes_moved, sizes_of_arguments
from surefoot_robots import get_robot

GO2 = get_robot("unitree_go2")

both_engines = pytest.mark.parametrize("physics", ["newton_mjwarp", "ovphysx"])


@wp.kernel
def double(values: wp.array(dtype=float), doubled: wp.array2d(dtype=wp.int8)):
    index = wp.tid()
    doubled[0, index] = wp.int8(2.0 * values[index])


@both_engines
def test_a_matched_parameter_has_the_range_of_the_standard_preset_and_a_number_for_each_element(physics):
    preset = preset_ranges("standard", GO2)
    for name, asked in matched_ranges(GO2, physics).items():
        assert (asked.operation, asked.low, asked.high) == (
            preset[name].operation,
            preset[name].low,
            preset[name].high,
        )
        assert not asked.shared


def test_newton_matches_96_numbers_of_go2():
    # feet 4; base: mass 1, inertia 1, centre of mass 3; gravity 3;
    # 12 joints: link mass and inertia, armature, two frictions, two gains
    assert values_per_environment(GO2, matched_ranges(GO2, "newton_mjwarp")) == 4 + 5 + 3 + 12 * 7


def test_physx_draws_no_bodies_and_no_gravity_at_resets_but_three_contact_and_three_friction_parameters():
    names = matched_ranges(GO2, "ovphysx")
    assert values_per_environment(GO2, names) == 3 * 4 + 12 * (1 + 3 + 2)
    assert not {"base_mass", "link_mass", "base_com", "gravity"} & set(names)


@both_engines
def test_what_has_no_stock_term_is_named_and_nothing_is_both(physics):
    left_out = without_stock_term(GO2, physics)
    assert {"command_delay", "battery_voltage", "motor_strength", "gyro_bias"} <= set(left_out)
    assert not set(left_out) & set(matched_ranges(GO2, physics))
    assert not [name for name in left_out if name.startswith("push_")]


@both_engines
def test_stock_terms_draw_every_matched_parameter_in_its_range(physics):
    terms = stock_event_terms(GO2, physics)
    matched = matched_ranges(GO2, physics)
    assert {name for term in terms for name in STOCK_TERMS[term]} >= set(matched)
    assert all(term.mode == "reset" and term.min_step_count_between_reset == 0 for term in terms.values())
    feet = terms["feet"].params
    assert feet["static_friction_range"] == (0.3, 1.2)
    assert feet["asset_cfg"].body_names == list(GO2.foot_bodies)
    assert terms["gains"].params["stiffness_distribution_params"] == (0.9, 1.1)
    assert terms["gains"].params["damping_distribution_params"] == (0.67, 1.33)
    assert terms["joint_friction"].params["friction_distribution_params"] == pytest.approx((0.0, 0.4))


def test_in_newton_the_stock_terms_change_the_same_bodies_and_gravity_as_the_preset():
    terms = stock_event_terms(GO2, "newton_mjwarp")
    assert terms["base_mass"].params["asset_cfg"].body_names == [GO2.base_body]
    assert len(terms["link_mass"].params["asset_cfg"].body_names) == GO2.num_joints
    assert terms["link_mass"].params["mass_distribution_params"] == (0.9, 1.1)
    assert terms["base_com"].params["com_range"] == dict.fromkeys("xyz", (-0.05, 0.05))
    low, high = terms["gravity"].params["gravity_distribution_params"]
    assert low == pytest.approx([-0.5, -0.5, -10.31])
    assert high == pytest.approx([0.5, 0.5, -9.31])


def test_growth_is_the_line_through_two_measurements():
    assert growth((10, 25.0), (110, 225.0)) == pytest.approx((5.0, 2.0))


def test_the_verdict_needs_every_figure():
    for device in ("cpu", "cuda:0"):
        figures = limits(device)
        assert holds(figures, device)
        for name, limit in figures.items():
            assert not holds({**figures, name: 0.99 * limit}, device)
    assert not holds(limits("cpu") | {"draw_ratio_vs_stock": 0.4}, "cuda:0")


def test_one_environment_at_least_resets():
    suite = RandomizationSuite("ovphysx", "cpu", 4096, 1, 1.0, print)
    assert suite.counts == [40, 409, 4096]
    assert suite.rollouts == [8, 40]
    assert RandomizationSuite("ovphysx", "cpu", 16, 1, 1.0, print).rollouts == [1, 1]


def test_bytes_are_counted_as_often_as_an_array_is_passed_over():
    assert (
        bytes_moved({"read": 100.0, "written_too": 10.0, "table": 400.0}, {"written_too": 2.0, "table": 0.25}) == 220.0
    )


def test_sizes_of_a_launch_are_those_of_its_arrays_by_name():
    values, doubled = wp.zeros(6, dtype=float, device="cpu"), wp.zeros((1, 6), dtype=wp.int8, device="cpu")
    launch = wp.launch(double, dim=6, inputs=[values], outputs=[doubled], device="cpu", record_cmd=True)
    assert sizes_of_arguments(launch) == {"values": 24.0, "doubled": 6.0}


def test_the_columns_that_a_substep_reads_are_parameters_of_the_actuator():
    read = actuator_parameters()
    assert {"stiffness", "command_delay"} <= read <= {*PER_JOINT, *PER_ENVIRONMENT}
    assert "battery_sag" not in read  # acts once per control step


def test_plain_and_recorded_launches_and_torch_operations_are_counted_and_views_are_not():
    values, doubled = wp.zeros(6, dtype=float, device="cpu"), wp.zeros((1, 6), dtype=wp.int8, device="cpu")
    arguments = {"dim": 6, "inputs": [values], "outputs": [doubled], "device": "cpu"}
    recorded = wp.launch(double, record_cmd=True, **arguments)
    tensor = torch.zeros(3, 4)

    def call():
        wp.launch(double, **arguments)
        wp.launch(double, record_cmd=True, **arguments)  # records and launches nothing
        recorded.launch()
        tensor[1].add_(1.0)  # a view and an operation

    launches = count_launches(call)
    assert launches.kernels == {"double": 2}
    assert launches.torch_operations == {"aten.add_": 1}
    assert launches.total == 3
    assert count_launches(lambda: None).total == 0


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events")
def test_allocations_of_torch_and_of_warp_are_counted_where_there_are_any():
    tensor, ids = torch.zeros(64), torch.arange(40, dtype=torch.int32)

    def call():
        wp.empty(5, dtype=float, device="cpu")
        tensor[ids] = 0.0  # torch makes long integers of the indices

    assert count_allocations(call) == {"torch aten::empty_strided": 1, "warp cpu": 1}
    assert count_allocations(lambda: tensor.zero_()).total() == 0


def test_the_report_of_warps_tracker_is_read_by_device():
    report = (
        "Allocation Tracking Report\n  Total allocations:\n    cpu              4 (856 B)\n"
        "    cuda:0          12 (1.00 KB)\n  Peak usage:\n    cpu              428 B\n  Live allocations:\n    (none)\n"
    )
    assert read_tracker_report(report) == {"warp cpu": 4, "warp cuda:0": 12}


def test_a_method_that_calls_a_timed_one_is_timed_once(monkeypatch):
    clock = iter(range(100))  # each look at it takes a second
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    owner = SimpleNamespace(inner=lambda: None)
    owner.outer = lambda: owner.inner()
    with Stopwatch().timing((owner, "inner"), (owner, "outer")) as stopwatch:
        owner.outer()  # looks at the clock twice, and the inner one not at all
    assert stopwatch.total_s == 1.0
    owner.outer()
    assert stopwatch.total_s == 1.0


def test_replaced_attributes_come_back_on_objects_and_classes():
    class Setter:
        def write(self):
            return "written"

    one = Setter()
    with replaced((one, "write", lambda: "object")):
        assert (one.write(), Setter().write()) == ("object", "written")
    with replaced((Setter, "write", lambda self: "class")):
        assert one.write() == "class"
    assert one.write() == "written"
    assert "write" not in vars(one)


def test_environments_that_reset_together_are_different_ones_in_order():
    sets = random_environments(50, 20, "cpu", seed=1)
    first, second = next(sets), next(sets)
    assert first.dtype == torch.int32
    assert len(set(first.tolist())) == 20
    assert first.tolist() == sorted(first.tolist())
    assert first.tolist() != second.tolist()


def test_the_median_time_of_a_call_is_in_microseconds():
    assert 1e4 <= median_us(lambda: time.sleep(0.01), "cpu", repeats=3) < 1e6
