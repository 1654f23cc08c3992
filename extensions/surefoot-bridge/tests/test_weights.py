"""Weights come back as they were written, hash to what the documentation says, and are refused where they misfit."""

import hashlib
import io
import zipfile
from dataclasses import replace
from typing import Any, Dict

import numpy as np
import pytest
from bundles import random_network

from surefoot_bridge.contract import RecurrentPart
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Network, load_weights, save_weights
from surefoot_bridge.policy.npz import write_npz
from surefoot_bridge.policy.weights import LinearLayer, describe, digest, named_arrays

CELLS = (None, "gru", "lstm")


def arrays_of(network) -> Dict[str, Any]:
    return dict(named_arrays(network))


def one_layer(weight=2.0):
    """A network of one input and one output."""
    return Network(
        mean=np.array([1.0], np.float32),
        std=np.array([4.0], np.float32),
        layers=(LinearLayer(np.array([[weight]], np.float32), np.array([3.0], np.float32)),),
    )


@pytest.mark.parametrize("cell", CELLS)
def test_a_network_comes_back_as_it_was_written(cell):
    network = random_network(7, 3, cell=cell)
    again = load_weights(save_weights(network), "policy.npz")
    assert (again.activation, again.cell) == (network.activation, cell)
    before, after = arrays_of(network), arrays_of(again)
    assert list(before) == list(after)
    for name, array in before.items():
        np.testing.assert_array_equal(array, after[name], err_msg=name)
    assert digest(again) == digest(network)


def test_the_same_arrays_make_the_same_bytes_whenever_and_however_they_lie_in_memory():
    network = random_network(7, 3)
    fortran = replace(
        network,
        layers=tuple(LinearLayer(np.asfortranarray(item.weight), item.bias) for item in network.layers),
    )
    assert save_weights(fortran) == save_weights(network)
    assert digest(fortran) == digest(network)
    with zipfile.ZipFile(io.BytesIO(save_weights(network))) as archive:
        assert {item.date_time for item in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {item.compress_type for item in archive.infolist()} == {zipfile.ZIP_STORED}


def test_numpy_itself_reads_the_file():
    with np.load(io.BytesIO(save_weights(one_layer()))) as archive:
        assert archive.files == ["normalizer.mean", "normalizer.std", "mlp.elu.0.weight", "mlp.elu.0.bias"]


def test_the_digest_is_over_names_shapes_and_little_endian_bytes():
    expected = hashlib.sha256(
        b"normalizer.mean 1\n\x00\x00\x80\x3f"
        b"normalizer.std 1\n\x00\x00\x80\x40"
        b"mlp.elu.0.weight 1x1\n\x00\x00\x00\x40"
        b"mlp.elu.0.bias 1\n\x00\x00\x40\x40"
    ).hexdigest()
    assert digest(one_layer()) == expected


def test_one_bit_and_the_activation_change_the_digest():
    network = one_layer()
    assert digest(one_layer(np.nextafter(np.float32(2.0), np.float32(3.0)))) != digest(network)
    assert digest(replace(network, activation="tanh")) != digest(network)


def test_a_network_describes_itself_for_the_contract():
    part = describe(random_network(7, 3, cell="gru", cells=(2, 6)))
    assert (part.observation_dim, part.action_dim, part.recurrent) == (7, 3, RecurrentPart("gru", 2, 6, "zeros"))
    assert describe(one_layer()).recurrent is None


def changed(name, array):
    """The file of a GRU with one array changed, or taken away."""
    arrays = arrays_of(random_network(7, 3, cell="gru"))
    arrays.pop(name, None)
    if array is not None:
        arrays[name] = array
    return write_npz(arrays)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("normalizer.mean", None, "normalizer.mean is missing"),
        ("mlp.elu.1.bias", None, "mlp.elu.1.bias is missing"),
        ("memory.gru.0.bias_hh", None, "memory.gru.0.bias_hh is missing"),
        ("mlp.elu.4.weight", np.zeros((3, 3), np.float32), "mlp.elu.3.weight is missing"),
        ("extra", np.zeros(1, np.float32), "extra is unknown"),
        ("mlp.tanh.0.bias", np.zeros(16, np.float32), "mixes mlp of elu, tanh"),
        ("normalizer.std", np.ones(7), "normalizer.std is of type float64; it must be float32"),
        ("normalizer.std", np.ones(6, np.float32), r"normalizer.std has shape \(6,\); it must be \(7,\)"),
        ("normalizer.std", np.zeros(7, np.float32), "normalizer.std is 0.0 at 0; it must be > 0"),
        ("normalizer.mean", np.full(7, np.nan, np.float32), "normalizer.mean holds 7 numbers that are not finite"),
        (
            "mlp.elu.0.weight",
            np.zeros((16, 5), np.float32),
            r"mlp.elu.0.weight has shape \(16, 5\); it must be \(16, 6\)",
        ),
        (
            "memory.gru.1.weight_ih",
            np.zeros((24, 6), np.float32),
            r"memory.gru.1.weight_ih has shape \(24, 6\); it must be \(18, 6\)",
        ),
    ],
)
def test_an_array_that_does_not_fit_is_refused_by_name(name, array, message):
    with pytest.raises(SurefootError, match=message) as error:
        load_weights(changed(name, array), "here/policy.npz")
    assert "here/policy.npz" in str(error.value)


def test_big_endian_numbers_are_refused():
    buffer = io.BytesIO()
    arrays = arrays_of(one_layer())
    np.savez(buffer, **{**arrays, "normalizer.std": arrays["normalizer.std"].astype(">f4")})
    with pytest.raises(SurefootError, match=r"normalizer\.std is of type >f4"):
        load_weights(buffer.getvalue(), "policy.npz")


def test_an_lstm_is_not_taken_for_a_gru():
    arrays = arrays_of(random_network(7, 3, cell="lstm"))
    renamed = {name.replace("lstm", "gru"): array for name, array in arrays.items()}
    with pytest.raises(SurefootError, match=r"memory.gru.0.weight_ih has shape \(24, 7\); it must be \(18, 7\)"):
        load_weights(write_npz(renamed), "policy.npz")


@pytest.mark.parametrize(("old", "new"), [("mlp.elu", "mlp.gelu"), ("memory.gru", "memory.rnn")])
def test_unknown_kinds_are_refused(old, new):
    arrays = arrays_of(random_network(7, 3, cell="gru"))
    renamed = {name.replace(old, new): array for name, array in arrays.items()}
    with pytest.raises(SurefootError, match=f"Unknown {new.split('.')[0]} in policy.npz '{new.split('.')[1]}'; valid:"):
        load_weights(write_npz(renamed), "policy.npz")


class Touch:
    """Pickled, it makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_pickled_objects_are_refused_and_run_nothing(tmp_path):
    buffer = io.BytesIO()
    arrays = arrays_of(one_layer())
    np.savez(buffer, **{**arrays, "normalizer.mean": np.array([Touch(tmp_path / "ran")], object)})
    with pytest.raises(SurefootError, match="cannot be read as an npz file of plain arrays"):
        load_weights(buffer.getvalue(), "policy.npz")
    assert not (tmp_path / "ran").exists()


def test_files_that_are_no_plain_npz_are_refused():
    whole = save_weights(one_layer())
    flipped = bytearray(whole)
    flipped[whole.index(b"\x00\x00\x80\x3f")] ^= 1  # a bit of normalizer.mean: the zip's own checksum fails
    compressed, single, repeated, foreign = (io.BytesIO() for _ in range(4))
    np.savez_compressed(compressed, **arrays_of(one_layer()))
    np.save(single, np.zeros(3, np.float32))
    repeated.write(whole)
    with zipfile.ZipFile(repeated, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("normalizer.mean.npy", b"")
    foreign.write(whole)
    with zipfile.ZipFile(foreign, "a") as archive:
        archive.writestr("note.txt", b"")
    for data, message in (
        (b"", "cannot be read"),
        (whole[:-30], "cannot be read"),
        (whole[:40], "cannot be read"),
        (bytes(flipped), "cannot be read"),
        (single.getvalue(), "cannot be read"),
        (compressed.getvalue(), "is compressed"),
        (repeated.getvalue(), "normalizer.mean more than once"),
        (foreign.getvalue(), "holds 'note.txt', which is no array"),
    ):
        with pytest.raises(SurefootError, match=message):
            load_weights(data, "policy.npz")


def test_a_network_without_layers_or_with_a_cell_but_no_layer_of_it_is_refused():
    with pytest.raises(SurefootError, match="there is no layer"):
        replace(one_layer(), layers=())
    with pytest.raises(SurefootError, match="the cell is gru with 0 recurrent layers"):
        replace(one_layer(), cell="gru")
    with pytest.raises(SurefootError, match="Unknown activation 'elo'; valid: elu"):
        replace(one_layer(), activation="elo")
