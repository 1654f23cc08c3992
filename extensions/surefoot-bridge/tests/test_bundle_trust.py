"""Whom a bundle comes from is checked before anything of it is opened, and before code of it all the more."""

from importlib.util import find_spec

import pytest
from bundles import add_exports, refused, write_bundle

from surefoot_bridge import bundle as bundle_module
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.signature import new_key, sign_bundle


@pytest.fixture
def folder(tmp_path):
    """A bundle of a perceptron, without exported forms."""
    write_bundle(tmp_path / "bundle")
    return tmp_path / "bundle"


class TestSignature:
    @pytest.fixture
    def keys(self):
        pytest.importorskip("cryptography", reason="cryptography is not installed")
        return new_key()

    def test_a_bundle_signed_by_the_required_key_is_loaded(self, folder, keys):
        sign_bundle(folder, keys[0])
        assert load_bundle(folder, runtime="numpy", require_signature_by=keys[1]).signed_by == keys[1]
        assert load_bundle(folder, runtime="numpy").signed_by is None  # nobody asked

    def test_none_and_one_by_another_key_are_refused_before_anything_is_opened(self, folder, keys, monkeypatch):
        monkeypatch.setattr(bundle_module, "load_policy", lambda *args, **kwargs: pytest.fail("it was opened"))
        refused(folder, "is not signed", require_signature_by=keys[1])
        sign_bundle(folder, new_key()[0])
        refused(folder, "required is one by", require_signature_by=keys[1])


class TestTorchScript:
    """TorchScript is code: on a robot it is opened only when someone who is trusted has signed it."""

    @pytest.fixture
    def bundle(self, tmp_path):
        _, network = write_bundle(tmp_path / "bundle")
        add_exports(tmp_path / "bundle", network, "torchscript")
        return tmp_path / "bundle"

    @pytest.mark.parametrize("runtime", [None, "torchscript"])
    def test_unsigned_it_is_refused_on_hardware_and_the_way_out_is_named(self, bundle, runtime, monkeypatch):
        monkeypatch.setattr(bundle_module, "load_policy", lambda *args, **kwargs: pytest.fail("it was opened"))
        message = "take the runtime onnx or numpy, which run no code of the bundle and need no such trust"
        refused(bundle, "policy.pt is TorchScript, which is code", message, runtime=runtime, on_hardware=True)

    def test_it_is_opened_in_simulation_where_allowed_and_where_signed(self, bundle):
        assert load_bundle(bundle).policy.runtime == "torchscript"
        allowed = load_bundle(bundle, on_hardware=True, allow_unsigned_torchscript=True)
        assert allowed.policy.runtime == "torchscript"
        if find_spec("cryptography") is None:
            pytest.skip("cryptography is not installed")
        private, public = new_key()
        sign_bundle(bundle, private)
        signed = load_bundle(bundle, on_hardware=True, require_signature_by=public)
        assert (signed.policy.runtime, signed.signed_by) == ("torchscript", public)

    def test_numpy_needs_no_signature_on_hardware(self, bundle):
        assert load_bundle(bundle, on_hardware=True, runtime="numpy").policy.runtime == "numpy"

    def test_a_changed_file_is_refused_before_it_is_opened(self, bundle, monkeypatch):
        monkeypatch.setattr(bundle_module, "load_policy", lambda *args, **kwargs: pytest.fail("it was opened"))
        data = bytearray((bundle / "policy.pt").read_bytes())
        data[len(data) // 2] ^= 1
        (bundle / "policy.pt").write_bytes(data)
        refused(bundle, "policy.pt has SHA-256", runtime="torchscript")
