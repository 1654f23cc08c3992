"""A folder is a bundle when it holds exactly the files that its manifest lists, byte for byte, signed where asked."""

import json
import os
import shutil
from dataclasses import asdict

import pytest

from surefoot_bridge.bundle import Manifest, identity, new_key, read_files, sign_bundle, write_manifest
from surefoot_bridge.bundle.manifest import canonical, read_manifest
from surefoot_bridge.bundle.signature import check_signature
from surefoot_bridge.errors import SurefootError

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # SHA-256 of "abc", FIPS 180-2


@pytest.fixture
def folder(tmp_path):
    """A bundle of two files."""
    path = tmp_path / "bundle"
    path.mkdir()
    (path / "a.txt").write_bytes(b"abc")
    (path / "b.bin").write_bytes(bytes(100))
    write_manifest(path, {"onnx_action": 1e-7})
    return path


def manifest_data(folder):
    return json.loads((folder / "manifest.json").read_text())


def rewrite(folder, data):
    (folder / "manifest.json").write_text(json.dumps(data))


def refused(folder, *messages):
    with pytest.raises(SurefootError) as error:
        read_files(folder)
    for message in messages:
        assert message in str(error.value)


def test_a_manifest_lists_every_file_with_its_hash_and_length(folder):
    manifest, files = read_files(folder)
    assert asdict(manifest)["files"]["a.txt"] == {"sha256": ABC, "size_bytes": 3}
    assert files == {"a.txt": b"abc", "b.bin": bytes(100)}
    assert manifest.parity == {"onnx_action": 1e-7}
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.bin", "manifest.json"]


def test_the_identity_is_that_of_the_content_and_not_of_the_layout_of_the_file(folder):
    manifest, _ = read_files(folder)
    data = manifest_data(folder)
    data["files"] = dict(reversed(data["files"].items()))
    rewrite(folder, data)
    assert identity(read_files(folder)[0]) == identity(manifest)
    assert len(identity(manifest)) == 12
    (folder / "a.txt").write_bytes(b"abx")
    assert identity(write_manifest(folder, {"onnx_action": 1e-7})) != identity(manifest)


def test_the_canonical_text_has_sorted_keys_and_no_space():
    manifest = Manifest(1, {}, {"b": 0.5, "a": 1e-7})
    assert canonical(manifest) == b'{"files":{},"format":1,"parity":{"a":1e-07,"b":0.5}}'


def test_a_changed_file_is_refused_with_what_was_expected_and_found(folder):
    (folder / "a.txt").write_bytes(b"abx")
    found = "b2bdab4230154046ad0b7dfa830a9260caa5bd6ae230e582a2244ab4bf0b4ca5"
    refused(folder, f"a.txt has SHA-256 {found}; expected {ABC}.")


def test_truncated_longer_missing_and_extra_files_are_named_together(folder):
    (folder / "c.txt").write_bytes(b"c")
    (folder / "d.txt").write_bytes(b"d")
    write_manifest(folder, {})
    (folder / "a.txt").write_bytes(b"ab")
    (folder / "b.bin").write_bytes(bytes(101))
    (folder / "c.txt").unlink()
    (folder / "e.txt").write_bytes(b"e")
    refused(
        folder,
        "a.txt is truncated: 2 of 3 bytes.",
        "b.bin is longer than its 100 bytes.",
        "c.txt is missing.",
        "e.txt is extra",
    )


@pytest.mark.parametrize(
    "name", ["../a.txt", "..", ".", "", "/etc/passwd", "x/a.txt", "x\\a.txt", ".hidden", "C:a", "a\n", "manifest.json"]
)
def test_names_that_could_lead_out_of_the_folder_are_refused(folder, name):
    data = manifest_data(folder)
    data["files"][name] = {"sha256": ABC, "size_bytes": 3}
    (folder.parent / "a.txt").write_bytes(b"abc")
    rewrite(folder, data)
    refused(folder, f"files names {name!r}")


def test_links_are_refused_wherever_they_lead(folder):
    (folder.parent / "a.txt").write_bytes(b"abc")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(folder.parent / "a.txt")
    refused(folder, "a.txt is a link")
    with pytest.raises(SurefootError, match=r"a\.txt is a link"):
        write_manifest(folder, {})


def test_folders_pipes_and_odd_names_are_refused_without_being_read(folder):
    (folder / "sub").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / ".hidden").write_bytes(b"")
    refused(folder, "sub is no plain file", "pipe is no plain file", "'.hidden' is no name")


def test_nobody_is_told_to_remove_what_lies_in_a_folder_that_is_no_bundle(tmp_path):
    (tmp_path / "work").mkdir()
    refused(tmp_path, "is no bundle: it has no manifest.json")


def test_a_folder_may_be_reached_by_a_link(folder):
    link = folder.parent / "current"
    link.symlink_to(folder)
    assert read_files(link) == read_files(folder)


def test_what_is_no_bundle_is_refused(folder, tmp_path):
    refused(tmp_path / "none", "There is no such folder.")
    archive = shutil.make_archive(str(tmp_path / "bundle"), "zip", folder)
    refused(archive, "A bundle is a folder; unpack it first.")
    (folder / "manifest.json").unlink()
    refused(folder, "has no manifest.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "is of format 2; this surefoot-bridge reads 1. Install a newer surefoot-bridge."),
        ({"format": 0}, "is of format 0"),
        ({"format": True}, "format is True; it must be a whole number"),
        ({"extra": 1}, "extra is unknown"),
        ({"parity": None}, "parity is None"),
        ({"files": {"a.txt": {"sha256": ABC}}}, "files.a.txt.size_bytes is missing"),
        ({"files": {"a.txt": {"sha256": "AB", "size_bytes": 3}}}, "files.a.txt.sha256 is 'AB'"),
        ({"files": {"a.txt": {"sha256": ABC, "size_bytes": -1}}}, "files.a.txt.size_bytes is -1"),
    ],
)
def test_a_manifest_that_is_not_of_the_format_is_refused(folder, change, message):
    rewrite(folder, {**manifest_data(folder), **change})
    refused(folder, message, "manifest.json")


def test_a_manifest_that_is_no_text_or_names_a_file_twice_is_refused():
    with pytest.raises(SurefootError, match="here is no text in UTF-8"):
        read_manifest(b"\xff", where="here")
    entry = f'"a.txt": {{"sha256": "{ABC}", "size_bytes": 3}}'
    with pytest.raises(SurefootError, match=r"the key 'a\.txt' stands more than once"):
        read_manifest(f'{{"format": 1, "files": {{{entry}, {entry}}}, "parity": {{}}}}'.encode(), where="here")


def test_a_new_manifest_removes_the_signature_of_the_old_one(folder):
    (folder / "manifest.json.sig").write_bytes(b"old")
    write_manifest(folder, {})
    assert not (folder / "manifest.json.sig").exists()


class TestSignature:
    def check(self, folder, key):
        manifest, files = read_files(folder)
        check_signature(manifest, files.get("manifest.json.sig"), key, folder=folder)

    def test_a_signed_bundle_is_accepted_by_the_key_that_signed_it(self, folder, keys):
        signature = sign_bundle(folder, keys[0])
        assert signature.public_key == keys[1]
        self.check(folder, keys[1])

    def test_none_is_refused_where_one_is_required(self, folder, keys):
        with pytest.raises(SurefootError, match=r"is not signed: it has no manifest\.json\.sig"):
            self.check(folder, keys[1])

    def test_one_by_another_key_is_refused(self, folder, keys):
        other = new_key()
        sign_bundle(folder, other[0])
        with pytest.raises(SurefootError, match=r"is by the key .*; required is one by") as error:
            self.check(folder, keys[1])
        assert other[1] in str(error.value)
        assert keys[1] in str(error.value)

    def test_one_by_another_key_that_calls_itself_the_required_one_is_refused(self, folder, keys):
        sign_bundle(folder, new_key()[0])
        path = folder / "manifest.json.sig"
        path.write_text(json.dumps({**json.loads(path.read_text()), "public_key": keys[1]}))
        with pytest.raises(SurefootError, match=r"is no signature by .* of this manifest\.json"):
            self.check(folder, keys[1])

    def test_one_of_another_manifest_is_refused(self, folder, keys):
        sign_bundle(folder, keys[0])
        kept = (folder / "manifest.json.sig").read_bytes()
        (folder / "a.txt").write_bytes(b"abx")
        write_manifest(folder, {"onnx_action": 1e-7})
        (folder / "manifest.json.sig").write_bytes(kept)
        with pytest.raises(SurefootError, match=r"is no signature by .* of this manifest\.json"):
            self.check(folder, keys[1])

    def test_parity_figures_are_signed_too(self, folder, keys):
        sign_bundle(folder, keys[0])
        data = manifest_data(folder)
        data["parity"]["onnx_action"] = 2e-7
        rewrite(folder, data)
        with pytest.raises(SurefootError, match="is no signature by"):
            self.check(folder, keys[1])

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "is no JSON"),
            ('{"algorithm": "none", "public_key": "", "signature": ""}', "algorithm is 'none'; valid: ed25519"),
            ('{"algorithm": "ed25519", "public_key": "AA==", "signature": ""}', "public_key in .* is 'AA=='"),
        ],
    )
    def test_what_is_no_signature_is_refused(self, folder, keys, content, message):
        (folder / "manifest.json.sig").write_text(content)
        with pytest.raises(SurefootError, match=message):
            self.check(folder, keys[1])

    def test_a_private_key_that_is_none_is_refused_and_not_shown(self, folder, keys):
        with pytest.raises(SurefootError, match="The private key must be 32 bytes in base64") as error:
            sign_bundle(folder, "c2VjcmV0")
        assert "c2VjcmV0" not in str(error.value)

    def test_a_bundle_whose_files_were_changed_is_not_signed(self, folder, keys):
        (folder / "a.txt").write_bytes(b"abx")
        with pytest.raises(SurefootError, match=r"a\.txt has SHA-256"):
            sign_bundle(folder, keys[0])
