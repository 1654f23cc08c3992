"""Whom a bundle comes from is checked before anything of it is opened, and asked for before it moves a real robot."""

import pytest
from bundles import refused

from surefoot_bridge.bundle import bundle as bundle_module
from surefoot_bridge.bundle import load_bundle, new_key, sign_bundle


def test_a_bundle_signed_by_the_required_key_is_loaded(folder, keys):
    sign_bundle(folder, keys[0])
    assert load_bundle(folder, runtime="numpy", require_signature_by=keys[1]).signed_by == keys[1]
    assert load_bundle(folder, runtime="numpy").signed_by is None  # nobody asked


def test_none_and_one_by_another_key_are_refused_before_anything_is_opened(folder, keys, monkeypatch):
    monkeypatch.setattr(bundle_module, "load_policy", lambda *args, **kwargs: pytest.fail("it was opened"))
    refused(folder, "is not signed", require_signature_by=keys[1])
    sign_bundle(folder, new_key()[0])
    refused(folder, "required is one by", require_signature_by=keys[1])


@pytest.mark.parametrize("word", [None, "unsigned"])
def test_a_bundle_without_a_signature_does_not_move_a_real_robot(folder, word, monkeypatch):
    monkeypatch.setattr(bundle_module, "load_policy", lambda *args, **kwargs: pytest.fail("it was opened"))
    refused(folder, "No signature is required of", "--unsigned UNSIGNED", on_hardware=True, unsigned_word=word)


def test_who_types_the_word_goes_without_a_signature(folder):
    assert load_bundle(folder, on_hardware=True, unsigned_word="UNSIGNED", runtime="numpy").signed_by is None
