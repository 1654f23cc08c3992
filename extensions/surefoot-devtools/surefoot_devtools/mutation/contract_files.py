"""Faults of a bundle's files: swapped, damaged or missing ones, an edited golden trace, an edited manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from surefoot_bridge.bundle import CONTRACT_FILE, GOLDEN_FILE, WEIGHTS_FILE
from surefoot_bridge.bundle.manifest import MANIFEST_FILE
from surefoot_bridge.policy import RUNTIMES, RuntimeName
from surefoot_bridge.policy.npz import read_npz, write_npz

from .contract_bundle import Files, Link, content
from .contract_mutant import WITHOUT_NEW_TRACE, ContractMutant, replacing

_BY_NUMPY: RuntimeName = "numpy"
_UNREAD = "the replay does not read these numbers, and the policy neither"


def file_mutants(files: Mapping[str, bytes], other: Mapping[str, bytes]) -> Iterator[ContractMutant]:
    """Yield the faults of a bundle's files.

    Args:
        files: Content of the bundle's files by name.
        other: Those of a bundle for the same robot with another network.
    """
    runtime_of: dict[str, RuntimeName] = {file: name for name, (file, _, _) in RUNTIMES.items()}
    for name in sorted(files):
        if name == MANIFEST_FILE:
            continue
        data, runtime = files[name], runtime_of.get(name, _BY_NUMPY)
        yield _other_content(f"{name} cut off in the middle", name, data[: len(data) // 2], runtime)
        yield _other_content(f"{name} empty", name, b"", runtime)
        yield _other_content(f"{name} with a bit turned over", name, _with_bit(data), runtime)
        yield _other_content(f"{name} of another bundle", name, other[name], runtime)
        yield ContractMutant(
            "files swapped or damaged",
            f"{name} missing",
            lambda files, name=name: {key: value for key, value in files.items() if key != name},
            runtime,
        )
    policies = [name for name in runtime_of if name in files]
    for one in policies:
        for two in policies:
            if one != two:
                yield _other_content(f"{two} under the name of {one}", one, files[two], runtime_of[one])
    for names in ((CONTRACT_FILE, WEIGHTS_FILE), (CONTRACT_FILE, GOLDEN_FILE), (WEIGHTS_FILE, GOLDEN_FILE)):
        title, changed = f"{' and '.join(names)} of another bundle", {name: other[name] for name in names}
        # With both hashes written anew, weights and trace of another bundle are that bundle.
        tiers = WITHOUT_NEW_TRACE if CONTRACT_FILE in names else WITHOUT_NEW_TRACE[:2]
        yield replacing("files swapped or damaged", title, changed, tiers=tiers)
    terms = json.loads(files[CONTRACT_FILE])["observation"]["terms"]
    sees_feet = any(term["source"] == "foot_contact" for term in terms)
    yield from _golden(read_npz(files[GOLDEN_FILE], where=GOLDEN_FILE), sees_feet=sees_feet)
    yield from _manifest(json.loads(files[MANIFEST_FILE]))


def _other_content(title: str, name: str, data: bytes, runtime: RuntimeName) -> ContractMutant:
    harmless = "what is read differs by less than the tolerance, if at all" if "bit" in title else ""
    return replacing("files swapped or damaged", title, {name: data}, runtime=runtime, harmless=harmless)


def _with_bit(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0x40]) + data[middle + 1 :]


def _golden(arrays: Mapping[str, np.ndarray], *, sees_feet: bool) -> Iterator[ContractMutant]:
    """Yield edits of the golden trace."""
    steps = len(arrays["begins"])
    per_step = [name for name, array in arrays.items() if len(array) == steps]

    def mutant(title: str, edit: Callable[[dict[str, np.ndarray]], Any], harmless: str = "") -> ContractMutant:
        def change(files: Files) -> Files:
            changed = {name: array.copy() for name, array in arrays.items()}
            edit(changed)
            return {**files, GOLDEN_FILE: write_npz(changed)}

        return ContractMutant("golden trace", title, change, tiers=WITHOUT_NEW_TRACE, harmless=harmless)

    def rows(chosen: Any) -> Callable[[dict[str, np.ndarray]], Any]:
        return lambda changed: changed.update({name: changed[name][chosen] for name in per_step})

    for name in per_step:
        array = arrays[name]
        if array.size == 0:
            continue
        if array.dtype == np.bool_:
            yield mutant(f"{name} turned over at step 7", lambda changed, name=name: _turn(changed[name], 7))
        else:
            unread = _UNREAD if name in _not_replayed(sees_feet=sees_feet) else ""
            at = (steps // 2, *(0,) * (array.ndim - 1))
            yield mutant(
                f"{name} another in one number",
                lambda changed, name=name, at=at: changed[name].__setitem__(at, _other(name, changed[name], at)),
                unread,
            )
            yield mutant(
                f"{name} not a number at one step",
                lambda changed, name=name, at=at: _break(changed, name, at),
                unread if array.dtype.kind == "i" else "",
            )
        yield mutant(f"{name} left out", lambda changed, name=name: changed.pop(name))
    for name in arrays:
        if name.startswith("columns."):
            yield mutant(f"{name} turned round", lambda changed, name=name: changed.update({name: changed[name][::-1]}))
            yield mutant(f"{name} left out", lambda changed, name=name: changed.pop(name))
    yield mutant("cut off below 500 steps", rows(slice(0, 499)))
    yield mutant("a step left out", rows(np.delete(np.arange(steps), steps // 2)))
    yield mutant("a step twice", rows(np.sort(np.append(np.arange(steps), steps // 2))))
    yield mutant("turned round", rows(slice(None, None, -1)))
    if steps > 500:
        yield mutant("its last step left out", rows(slice(0, steps - 1)), "the steps that are left are those recorded")
    if arrays["begins"].sum() > 1:
        second = int(np.flatnonzero(arrays["begins"])[1])
        yield mutant("its second episode does not begin", lambda changed: _turn(changed["begins"], second))
    yield mutant("an array that nobody knows", lambda changed: changed.update(extra=np.zeros(3)))
    yield mutant(
        "of a contract with another hash",
        lambda changed: changed.update(contract_sha256=np.frombuffer(b"0" * 64, np.uint8)),
        "written anew, it is the right hash again",
    )


def _not_replayed(*, sees_feet: bool) -> list[str]:
    names = ["joint_torque_nm", "motor_temperature_c", "imu_lin_acc_m_s2", "battery_share"]
    if not sees_feet:
        names.append("foot_force_n")
    return [f"report.{name}" for name in names]


def _turn(array: np.ndarray, step: int) -> None:
    array[step] = ~array[step]


def _other(name: str, array: np.ndarray, at: tuple[int, ...]) -> Any:
    """Return another number for a place: such that the robot would have seen something else."""
    if name == "report.foot_force_n":  # contact is all that is seen of a force
        return 0.0 if array[at] > 10.0 else 1000.0
    return array[at[0] - 1] if array.dtype.kind == "i" else array[at] + array.dtype.type(0.01)


def _break(arrays: dict[str, np.ndarray], name: str, at: tuple[int, ...]) -> None:
    arrays[name][at] = 0 if arrays[name].dtype.kind == "i" else np.nan


def _manifest(data: Any) -> Iterator[ContractMutant]:
    """Yield edits of the manifest, and of the folder that it describes."""

    def mutant(title: str, change: Callable[[Files], Files], harmless: str = "") -> ContractMutant:
        return ContractMutant("manifest and folder", title, change, tiers=("copied",), harmless=harmless)

    def edited(title: str, edit: Callable[[Any], Any], harmless: str = "") -> ContractMutant:
        def change(files: Files) -> Files:
            changed = json.loads(content(files, MANIFEST_FILE))
            edit(changed)
            return {**files, MANIFEST_FILE: json.dumps(changed).encode()}

        return mutant(title, change, harmless)

    for name in data["files"]:
        yield edited(f"{name} not listed", lambda manifest, name=name: manifest["files"].pop(name))
        yield edited(
            f"{name} one byte shorter than it is",
            lambda manifest, name=name: manifest["files"][name].update(
                size_bytes=manifest["files"][name]["size_bytes"] - 1
            ),
        )
        yield mutant(
            f"{name} a link to the same content elsewhere", lambda files, name=name: {**files, name: Link(name)}
        )
    entry = next(iter(data["files"].values()))
    for name in ("../outside.json", "/etc/hostname", "sub/policy.pt", "policy.pt\x00"):
        yield edited(f"lists {name!r}", lambda manifest, name=name: manifest["files"].update({name: entry}))
    yield edited("of a newer format", lambda manifest: manifest.update(format=2))
    yield edited("without its format", lambda manifest: manifest.pop("format"))
    yield edited(
        "states another parity",
        lambda manifest: manifest.update(parity={"numpy_action": 0.5}),
        "parity is told to people; the replay measures anew",
    )
    yield mutant("a file that is not listed", lambda files: {**files, "extra.bin": b"x"})
    yield mutant("a folder in the bundle", lambda files: {**files, "sub/extra.bin": b"x"})
    yield mutant("a hidden file", lambda files: {**files, ".hidden": b"x"})
    yield mutant("no manifest", lambda files: {name: data for name, data in files.items() if name != MANIFEST_FILE})
    yield mutant("a manifest that is no JSON", lambda files: {**files, MANIFEST_FILE: b"{"})
