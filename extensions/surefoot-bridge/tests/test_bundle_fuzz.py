"""Whatever a bundle's files hold, the loader refuses it in words or loads it, and takes less than a second."""

import base64
import gc
import io
import json
import time
import warnings
import zipfile

import numpy as np
import pytest
from bundles import write_bundle

from surefoot_bridge.bundle import load_bundle, write_manifest
from surefoot_bridge.bundle.golden import contract_digest
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy.forms import policy_files
from surefoot_bridge.policy.npz import read_npz, write_npz, write_zip

pytest.importorskip("hypothesis", reason="hypothesis is not installed")

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

CASES = 2000
PROOF_CASES = 100_000
MOST_S = 1.0
"""Processor time of one load [s]."""

KEY = base64.b64encode(bytes(32)).decode()
"""A public key, which no bundle here is signed by."""

TEXTS = ("contract.json", "manifest.json", "manifest.json.sig")
ARRAYS = ("policy.npz", "golden.npz")
FILES = (*TEXTS, *ARRAYS, "policy.onnx", "policy.pt")
TOKENS = (
    *("1e400", "-1e400", "1e300", "1e30", "1" * 400, "-" + "9" * 5000, "NaN", "Infinity", "-0.0", "5e-324"),
    *(r'"\ud800"', r'"\udfff\ud800"', r'"\u0000"', '"\u0430"', '""', f'"{"x" * 10_000}"', "null", "true", "{}", "[]"),
    *("[" * 2000 + "]" * 2000, '{"a":' * 500 + "1" + "}" * 500, "[1,2,3]", '{"low": 1, "high": -1}', "0", "-1", "2"),
)
HEADERS = (
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 3), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
    "{'descr': '<U0', 'fortran_order': True, 'shape': (0, 0), }",
    "{'descr': [('a', '<f4', (9,))], 'fortran_order': False, 'shape': (3,), }",
    "{'descr': '<f4', 'shape': (3L,), 'fortran_order': False}",
    "(" * 900,
)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Content of the files of a bundle in every form, with a signature that is none, by name."""
    folder = tmp_path_factory.mktemp("original") / "bundle"
    _, network = write_bundle(folder)
    for name, data in policy_files(network).items():
        (folder / name).write_bytes(data)
    write_manifest(folder, {"policy.npz": 0.0})
    signature = {"algorithm": "ed25519", "public_key": KEY, "signature": base64.b64encode(bytes(64)).decode()}
    (folder / "manifest.json.sig").write_text(json.dumps(signature))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def changed_text(draw, data):
    """JSON with a value, a key or the length of a list changed somewhere."""
    content = json.loads(data)
    part, steps = content, draw(st.integers(0, 6))
    for _ in range(steps):
        places = list(part) if isinstance(part, dict) else list(range(len(part)))
        inner = [place for place in places if isinstance(part[place], (dict, list)) and part[place]]
        if not inner:
            break
        part = part[draw(st.sampled_from(inner))]
    place = draw(st.sampled_from(list(part) if isinstance(part, dict) else list(range(len(part)))))
    token = draw(st.one_of(st.sampled_from(TOKENS), st.floats().map(repr), st.integers().map(str)))
    kind = draw(st.sampled_from(("value", "value", "value", "key", "gone", "many")))
    if kind == "value":
        part[place] = "@value@"
    elif kind == "key" and isinstance(part, dict):
        part["@value@"] = part.pop(place)
        token = token if token.startswith('"') else f'"{token[:100]}"'
    elif kind == "many" and isinstance(part, dict):
        part.update({f"key{i}": 1 for i in range(draw(st.sampled_from((1, 100, 20_000))))})
    elif kind == "many":
        part += [part[place]] * draw(st.sampled_from((1, 100, 20_000)))
    else:
        del part[place]
    text = json.dumps(content).replace('"@value@"', token)
    return text.encode("utf-8", "surrogatepass")


def changed_arrays(draw, data):
    """An npz file with an array of another name, type, shape, number or header."""
    arrays = read_npz(data, where="the original")
    name = draw(st.sampled_from(sorted(arrays)))
    array = arrays[name]
    kind = draw(st.sampled_from(("name", "gone", "more", "type", "shape", "number", "header", "compressed", "twice")))
    if kind in ("name", "gone"):
        del arrays[name]
    if kind == "name":
        arrays[draw(st.text(max_size=20)).replace("/", "_")] = array
    elif kind == "more":
        arrays.update({f"more{i}": np.zeros(1) for i in range(draw(st.sampled_from((1, 50, 500))))})
    elif kind == "type" and array.dtype.kind != "U":
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            arrays[name] = np.asarray(array, draw(st.sampled_from(("U3", "?", "i8", "f2", "f8", ">f4", "c8"))))
    elif kind == "shape":
        arrays[name] = draw(st.sampled_from((array[:0], array.ravel(), array[None], array.T, array[:1], array[::-1])))
    elif kind == "number" and array.size and array.dtype.kind in "fi":
        changed = array.copy()
        number = draw(st.floats(width=32)) if array.dtype.kind == "f" else draw(st.integers(-(2**63), 2**63 - 1))
        changed.flat[draw(st.integers(0, array.size - 1))] = number
        arrays[name] = changed
    written = write_npz(arrays)
    if kind not in ("header", "compressed", "twice"):
        return written
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        members = {item: archive.read(item) for item in archive.namelist()}
    if kind == "header":
        header = draw(st.one_of(st.sampled_from(HEADERS), st.text(max_size=60))).encode("latin1", "replace") + b"\n"
        members[f"{name}.npy"] = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + array.tobytes()
        return write_zip(members)
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for item, content in [*members.items(), *([(f"{name}.npy", b"")] if kind == "twice" else [])]:
            archive.writestr(item, content, zipfile.ZIP_STORED if kind == "twice" else None)
    return buffer.getvalue()


def changed_bytes(draw, data):
    """Some bytes cut off, put in, or turned over."""
    at = draw(st.integers(0, len(data)))
    kind = draw(st.sampled_from(("cut", "more", "other", "whole", "again")))
    some = draw(st.binary(min_size=1, max_size=40))
    after = {"cut": b"", "more": some + data[at:], "other": some + data[at + len(some) :], "again": data[: 1 << 16]}
    return some if kind == "whole" else data[:at] + after[kind]


def changed_bundle(draw, original):
    """A bundle with one file changed; how far the change is hidden differs."""
    name = draw(st.sampled_from(FILES))
    data = original[name]
    ways = [changed_bytes]
    ways += [changed_text] * 3 if name in TEXTS else [changed_arrays] * 3 if name in ARRAYS else []
    files = {**original, name: draw(st.sampled_from(ways))(draw, data)}
    hidden = draw(st.sampled_from(("linked", "linked", "hashed", "copied")))
    return files, "copied" if name == "manifest.json" else hidden


def load(folder, files, hidden, key):
    """Write a bundle and load it; returns the processor time of the load [s]."""
    for path in folder.iterdir():
        path.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    if hidden == "linked":  # the trace says that it was recorded with the contract that is there
        try:
            arrays = read_npz(files["golden.npz"], where="golden.npz")
            digest = contract_digest(files["contract.json"].decode())
            arrays["contract_sha256"] = np.frombuffer(digest.encode(), np.uint8)
            (folder / "golden.npz").write_bytes(write_npz(arrays))
        except (SurefootError, UnicodeDecodeError):
            pass
    if hidden != "copied":
        signature = (folder / "manifest.json.sig").read_bytes()
        write_manifest(folder, {})
        (folder / "manifest.json.sig").write_bytes(signature)
    gc.disable()  # Hypothesis keeps what it drew: to look through all of that takes longer than a load
    message, began = "", time.process_time()
    try:
        load_bundle(folder, runtime="numpy", require_signature_by=key)
    except SurefootError as error:
        message = str(error)
    finally:
        took_s = time.process_time() - began
        gc.enable()
    assert len(message.encode()) < 10_000, "it can be printed, and read"
    return took_s


def fuzz(number, original, folder):
    """Load as many changed bundles as there are in a batch; each number is another one."""

    @seed(number)
    @settings(
        max_examples=CASES,
        deadline=None,  # processor time is asserted: the machine may be busy
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def loads_or_refuses(data):
        files, hidden = changed_bundle(data.draw, original)
        key = data.draw(st.sampled_from((None, None, None, KEY)))
        assert load(folder, files, hidden, key) < MOST_S

    loads_or_refuses()


def test_two_thousand_changed_bundles_are_refused_in_words_or_loaded_each_within_a_second(original, tmp_path):
    fuzz(0, original, tmp_path)


@pytest.mark.slow
def test_a_hundred_thousand_changed_bundles_are_refused_in_words_or_loaded(original, tmp_path):
    for number in range(PROOF_CASES // CASES):
        fuzz(number, original, tmp_path)
