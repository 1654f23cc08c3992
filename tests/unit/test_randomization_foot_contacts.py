"""Torsional and rolling friction of feet: what is nominal, what acts where, and what the contacts need for it."""

from types import SimpleNamespace

import mujoco
import pytest

from surefoot.randomization.catalogue import make_catalogue
from surefoot.randomization.foot_contacts import TURNING_FRICTION, open_foot_contacts
from surefoot.randomization.nominal_model import acting_friction
from surefoot.randomization.parameter import absolute
from surefoot.randomization.presets import preset_ranges
from surefoot.randomization.randomization_cfg import RandomizationCfg
from surefoot.randomization.support import support_of
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

GO2 = get_robot("unitree_go2")
FEET = "/.*/(FL_foot|FR_foot|RL_foot|RR_foot)/.*"


def opened(cfg: RandomizationCfg, given=None, rank: int = 0) -> dict | None:
    robot = SimpleNamespace(spawn=SimpleNamespace(collision_props=given))
    open_foot_contacts(robot, cfg, GO2, rank=rank)
    return robot.spawn.collision_props


@pytest.mark.parametrize(("condim", "acting"), [(3, (0.8, 0.0, 0.0)), (4, (0.8, 0.02, 0.0)), (6, (0.8, 0.02, 0.01))])
def test_friction_acts_in_as_many_dimensions_as_contacts_have(condim, acting):
    text = f'<mujoco><worldbody><geom size="1" condim="{condim}" friction="0.8 0.02 0.01"/></worldbody></mujoco>'
    assert acting_friction(mujoco.MjModel.from_xml_string(text), 0) == acting


def test_turning_friction_is_in_metres_and_nominally_none():
    catalogue = {item.name: item for item in make_catalogue(GO2)}
    for name in TURNING_FRICTION:
        assert (catalogue[name].unit, catalogue[name].nominal, catalogue[name].minimum) == ("m", (0.0,) * 4, 0.0)


def test_standard_reaches_the_feet_of_unitrees_own_model():
    ranges = preset_ranges("standard", GO2)
    assert [(ranges[name].low, ranges[name].high) for name in TURNING_FRICTION] == [(0.0, 0.02), (0.0, 0.01)]


def test_physx_has_one_patch_for_all_and_no_rolling_friction():
    assert [support_of(name, "ovphysx").level for name in TURNING_FRICTION] == ["scene-wide", "unsupported"]
    assert [support_of(name, "newton_mjwarp").level for name in TURNING_FRICTION] == ["supported", "supported"]


def test_contacts_of_feet_have_six_dimensions_only_where_their_turning_friction_is_random():
    assert opened(RandomizationCfg(preset="none")) is None
    assert opened(RandomizationCfg(preset="mild", ranges=dict.fromkeys(TURNING_FRICTION))) is None
    for cfg in (RandomizationCfg(preset="mild"), RandomizationCfg(ranges={TURNING_FRICTION[1]: absolute(0.0, 0.01)})):
        props = opened(cfg)
        assert props is not None
        assert [part.condim for part in props[FEET]] == [6]
    given = {FEET: ["a patch"]}
    assert len(opened(RandomizationCfg(preset="mild"), given)[FEET]) == 2
    assert given == {FEET: ["a patch"]}


@pytest.mark.parametrize(("rank", "radius_m"), [(0, 0.03), (1, 0.01), (2, 0.03)])
def test_training_processes_take_the_radii_of_patches_in_turn(rank, radius_m):
    (part,) = opened(RandomizationCfg(foot_patch_radii_m=(0.03, 0.01)), rank=rank)[FEET]
    assert part.min_torsional_patch_radius == radius_m


def test_a_radius_of_zero_is_no_patch_and_a_patch_joins_contacts_of_six_dimensions():
    assert opened(RandomizationCfg(foot_patch_radii_m=(0.03, 0.0)), rank=1) is None
    parts = opened(RandomizationCfg(preset="mild", foot_patch_radii_m=[0.03]))[FEET]
    assert (parts[0].condim, parts[1].min_torsional_patch_radius) == (6, 0.03)


@pytest.mark.parametrize("radii_m", [(0.03, -0.01), [float("nan")], [1e400], ["0.03"], [True], 0.03, "abc", None])
def test_a_patch_radius_that_cannot_be_is_refused(radii_m):
    with pytest.raises(SurefootError) as refusal:
        opened(RandomizationCfg(foot_patch_radii_m=radii_m))
    assert str(refusal.value) == (
        f"env.randomization.foot_patch_radii_m is {radii_m!r}; it must be a list of radii in metres, each 0 or "
        "larger, one for each training process in turn, such as [0.03,0.0]."
    )
