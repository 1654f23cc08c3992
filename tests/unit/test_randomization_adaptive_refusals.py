"""Adaptive ranges refuse what cannot be meant, with the value and the rule."""

import pytest
import torch
from tests.unit.adaptive_rig import FRICTION, PAYLOAD, RANGES, ids, make_adaptive, make_table

from surefoot.randomization.adaptive.bounds import AdaptiveCfg
from surefoot.randomization.adaptive.ranges import AdaptiveRanges
from surefoot.randomization.parameter import scale
from surefoot_bridge.errors import SurefootError


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"scheme": "some"}, "Unknown scheme of adaptive ranges 'some'; valid: none, bounds, all."),
        ({"boundary_share": 0.0}, r"boundary_share is 0.0; it must be in \(0, 1\], it is a probability."),
        ({"boundary_share": float("nan")}, "boundary_share is nan"),
        ({"episodes_per_decision": 0}, "episodes_per_decision is 0; it must be a whole number of at least 1."),
        ({"episodes_per_decision": 2.5}, "episodes_per_decision is 2.5"),
        ({"widen_above": 1.1}, r"widen_above is 1.1; it must be in \(0, 1\], it is a success rate."),
        ({"narrow_below": 0.9}, r"narrow_below is 0.9; it must be in \[0, 0.9\), below widen_above."),
        ({"rate": 0.0}, r"Adaptive ranges \(bounds\): rate is 0.0; it must be in \(0, 1\]."),
        ({"rate": 1.0, "scheme": "all"}, r"Adaptive ranges \(all\): rate is 1.0; it must be in \(0, 1\)."),
        ({"floor": -0.1}, r"floor is -0.1; it must be in \[0, 1.0\], up to the ceiling."),
        ({"floor": 0.6, "ceiling": 0.5}, r"floor is 0.6; it must be in \[0, 0.5\]"),
        ({"ceiling": float("inf")}, "ceiling is inf; it must be above 0 and finite."),
        ({"initial_share": 1.1}, r"initial_share is 1.1; it must be in \[0.0, 1.0\], from floor to ceiling."),
        ({"initial_share": 0.0, "scheme": "all"}, "initial_share is 0.0; it must be above 0, because factors leave"),
    ],
)
def test_a_configuration_that_cannot_be_meant_is_refused(fields, message):
    with pytest.raises(SurefootError, match=message):
        AdaptiveCfg(**fields)


def test_a_ceiling_beyond_what_exists_is_refused_with_the_value_that_it_reaches():
    # 0.8 + 1.2 * (0.1 - 0.8) = -0.04
    with pytest.raises(SurefootError, match=r"at the ceiling 1.2, friction reaches -0.04 -, which is outside \[0, inf"):
        make_adaptive(ranges=FRICTION, ceiling=1.2)
    _, table = make_adaptive(ranges=FRICTION, ceiling=1.1, initial_share=1.1)  # 0.8 - 0.77 exists
    assert table.view("friction").min() >= 0.03 - 1e-6


def test_a_table_in_which_nothing_adapts_is_refused():
    fixed = {"surface": RANGES["surface"], "size": RANGES["size"], "mass": scale(1.0, 1.0)}
    for scheme in ("bounds", "all"):
        with pytest.raises(SurefootError, match="Adaptive ranges need a parameter that is drawn at a reset"):
            make_adaptive(ranges=fixed, scheme=scheme)


def test_success_that_is_not_by_environment_is_refused():
    adaptive, _ = make_adaptive()
    with pytest.raises(SurefootError, match=r"Success has shape \(2,\); it must be by environment, \(64,\)."):
        adaptive.record(ids(1, 2), torch.ones(2, dtype=torch.bool))


def test_a_seed_that_does_not_fit_a_word_is_refused():
    with pytest.raises(SurefootError, match="Seed -1 and rank 0 must be in"):
        AdaptiveRanges(AdaptiveCfg(), make_table(), seed=-1)


def test_the_state_of_other_bounds_or_environments_is_refused():
    state = make_adaptive(ranges=FRICTION)[0].state_dict()
    with pytest.raises(SurefootError, match=r"have bounds \['friction/low', 'friction/high'\], these have \['payload"):
        make_adaptive(ranges=PAYLOAD)[0].load_state_dict(state)
    with pytest.raises(SurefootError, match="are of 64 environments, these of 3"):
        make_adaptive(3, FRICTION)[0].load_state_dict(state)
    of_friction = make_adaptive(ranges=FRICTION, scheme="all")[0].state_dict()
    with pytest.raises(SurefootError, match=r"have parameters \['friction'\], these have \['payload'\]"):
        make_adaptive(ranges=PAYLOAD, scheme="all")[0].load_shares(of_friction)


def test_memories_are_as_long_as_the_ceiling_of_the_ranges_asks():
    layout = make_table(ranges={"payload": RANGES["payload"], "mass": RANGES["mass"]}).layout
    shares = [AdaptiveCfg(scheme=scheme, ceiling=1.5).largest_share for scheme in ("none", "bounds")]

    assert [layout.largest_value("payload", share=share) for share in shares] == [3.0, 4.5]
    # Nominally 2 kg, times 1.25 at the declared end and 1.25^1.5 half as far again, because the range is logarithmic.
    assert layout.largest_value("mass", share=1.5) == pytest.approx(2.0 * 1.25**1.5)
