"""The benchmark of rough ground: what stands beside what, the making of fields, and the arithmetic of its figures."""

from surefoot.task_config import resolve_task
from surefoot.task_registry import check_task
from surefoot_devtools.benchmarking.environment import OUR_ROUGH_TASK
from surefoot_devtools.benchmarking.stock_task import open_ground, stock_env_cfg, stock_task
from surefoot_devtools.benchmarking.terrain_suite import holds, terrain_figures
from surefoot_devtools.benchmarking.terrain_worker import FieldRequest, measure
from surefoot_devtools.benchmarking.worker import Measurement


def measured(env_steps_per_s: float, scan_share: float = 0.0) -> Measurement:
    return Measurement(env_steps_per_s, 0.7, scan_share, 1000.0, 10.0)


def test_the_stock_rough_task_has_our_robot_engine_and_resets_and_its_own_ground_and_rays() -> None:
    ours = resolve_task(check_task(OUR_ROUGH_TASK), "ovphysx")[0]
    open_ground(ours)
    stock, _ = stock_env_cfg(ours, physics="ovphysx")
    assert stock_task(ours) == "Isaac-Velocity-Rough-UnitreeGo2"
    assert stock.scene.robot.spawn == ours.scene.robot.spawn
    assert stock.sim.physics == ours.sim.physics
    assert stock.events.reset_base.params["pose_range"]["x"] == (-0.5, 0.5)
    assert (stock.scene.terrain.terrain_generator.num_rows, stock.scene.terrain.terrain_generator.num_cols) == (10, 20)
    assert stock.scene.height_scanner.prim_path == "{ENV_REGEX_NS}/Robot/Geometry/base"
    assert stock.observations.policy.height_scan is not None
    assert ours.observations.policy.height_scan is not None
    assert ours.field.first_phase == "mixed"
    assert ours.field.first_levels == stock.scene.terrain.max_init_terrain_level + 1


def test_ratios_are_of_the_best_and_a_rough_step_is_longer_by_what_is_fewer() -> None:
    best = {
        "stock": measured(2000.0, 0.10),
        "ours": measured(4000.0, 0.02),
        "ours_in_one_process": measured(3000.0),
        "ours_flat": measured(5000.0),
    }
    figures = terrain_figures(best, 1024, report=lambda line: None)
    assert figures["ratio_vs_stock_1024"] == 2.0
    assert figures["ratio_vs_stock_1024_in_one_process"] == 1.5
    assert figures["rough_over_flat_1024"] == 1.25
    assert (figures["stock_scan_share_1024"], figures["ours_scan_share_1024"]) == (0.10, 0.02)
    assert holds(figures, [1024], 1.8)
    assert not holds(figures, [1024], 2.1)
    assert not holds({**figures, "rough_over_flat_1024": 1.31}, [1024], 1.8)


def test_a_row_of_twenty_tiles_is_made_and_measured() -> None:
    made = measure(FieldRequest("ours", "ovphysx", levels=1))
    assert made.area_m2 == 20 * 6.0**2
    assert made.triangles > 2 * made.area_m2 / 0.05**2  # two to each cell of 5 cm, and a rim
    assert 0.0 < made.held_mb <= made.peak_mb
    assert made.seconds > 0.0
