"""Names, checks and process plumbing of the physics engines; no engine is started."""

import _thread
import ctypes
import importlib.util
import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from surefoot import engines
from surefoot.engines import devices, physics
from surefoot_bridge.errors import SurefootError


def _run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments], capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def no_cuda(monkeypatch):
    monkeypatch.setattr(devices, "_cuda_device_count", lambda: 0)


@pytest.fixture
def two_cuda_devices(monkeypatch):
    monkeypatch.setattr(devices, "_cuda_device_count", lambda: 2)


def test_an_unknown_engine_is_refused_with_the_nearest_name_first(no_cuda):
    with pytest.raises(SurefootError, match="Unknown engine 'newtn'; valid: newton, physx, isaacsim"):
        engines.check_physics("newtn", "cpu")


def test_an_engine_may_be_named_in_short(no_cuda):
    assert engines.check_physics("physx", "cpu") == engines.check_physics("ovphysx", "cpu") == "ovphysx"
    assert engines.short_name("newton_mjwarp") == "newton"


def test_torch_is_not_asked_for_devices_where_there_is_no_driver(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", _only_libgl)
    monkeypatch.setitem(sys.modules, "torch", None)  # an import would fail
    assert engines.default_device() == "cpu"


def test_isaac_sim_is_refused_where_it_is_not_installed(no_cuda, monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "isaacsim" else find_spec(name))
    with pytest.raises(SurefootError, match="'isaacsim', which is not installed; installed: physx, newton"):
        engines.check_physics("isaacsim_physx", "cpu")


def test_isaac_sim_is_refused_on_a_cpu(two_cuda_devices, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    with pytest.raises(SurefootError, match="--device cuda:0, or --engine physx"):
        engines.check_physics("isaacsim_physx", "cpu")


def test_a_machine_without_a_system_library_is_told_the_package_that_has_it(no_cuda, monkeypatch):
    libraries = {"libGL.so.1": "libgl1", "libnowhere.so.7": "libnowhere7"}
    monkeypatch.setattr(physics, "_SYSTEM_LIBRARIES", libraries)
    monkeypatch.setattr(ctypes, "CDLL", _only_libgl)
    with pytest.raises(SurefootError, match=r"libraries libnowhere.so.7, which .* with: apt-get install libnowhere7\."):
        engines.check_physics("ovphysx", "cpu")


def _only_libgl(name: str) -> None:
    if name != "libGL.so.1":
        raise OSError(name)


def test_cuda_is_refused_where_there_is_none(no_cuda):
    with pytest.raises(SurefootError, match="finds no CUDA device on this machine; valid: cpu"):
        engines.check_physics("newton_mjwarp", "cuda:0")


def test_a_cuda_index_beyond_the_last_device_is_refused(two_cuda_devices):
    with pytest.raises(SurefootError, match="Unknown device 'cuda:2'; valid: cuda:"):
        engines.check_device("cuda:2")


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "cpu:0", ""])
def test_a_name_that_is_no_device_is_refused(device, two_cuda_devices):
    with pytest.raises(SurefootError, match="Unknown device"):
        engines.check_device(device)


def test_a_device_comes_back_with_its_index(two_cuda_devices):
    assert [engines.check_device(name) for name in ("cpu", "cuda", "cuda:1")] == ["cpu", "cuda:0", "cuda:1"]


def test_the_default_engine_is_physx_on_a_cpu_and_newton_on_cuda():
    assert engines.default_physics("cpu") == "ovphysx"
    assert engines.default_physics("cuda:0") == "newton_mjwarp"


def test_the_default_device_is_cuda_only_where_there_is_one(no_cuda):
    assert engines.default_device() == "cpu"


def test_importing_the_engines_imports_neither_torch_nor_warp_nor_isaac_lab():
    result = _run(
        """
        import sys
        import surefoot.engines
        print([name for name in ("torch", "warp", "isaaclab") if name in sys.modules])
        """
    )
    assert result.stdout.strip() == "[]", result.stderr


def test_pinned_arrays_can_be_allocated_on_a_machine_without_cuda():
    result = _run(
        """
        import warp as wp
        from surefoot.engines import install_shims
        wp.config.quiet = True
        install_shims()
        once = wp.zeros
        install_shims()
        assert wp.zeros is once
        print(wp.zeros(3, dtype=wp.float32, device="cpu", pinned=True).numpy(),
              wp.full(2, 7.0, dtype=wp.float32, device="cpu", pinned=True).numpy())
        """
    )
    assert result.stdout.strip() == "[0. 0. 0.] [7. 7.]", result.stderr


_NATIVE_AND_PYTHON_OUTPUT = """
    import ctypes, os, sys
    from surefoot.engines import native_log
    libc = ctypes.CDLL(None)
    libc.puts(b"native before")
    with native_log(sys.argv[1]):
        libc.puts(b"native inside")
        os.write(2, b"native error\\n")
        print("python inside")
        print("python error", file=sys.stderr)
        {body}
    libc.puts(b"native after")
    print("python after")
"""


def test_native_output_goes_to_the_file_and_pythons_own_to_the_terminal(tmp_path):
    log = tmp_path / "logs" / "native.log"
    result = _run(_NATIVE_AND_PYTHON_OUTPUT.format(body="pass"), str(log))
    assert result.returncode == 0, result.stderr
    assert sorted(result.stdout.splitlines()) == ["native after", "native before", "python after", "python inside"]
    assert result.stderr.splitlines() == ["python error"]
    assert sorted(log.read_text().splitlines()) == ["native error", "native inside"]


def test_an_exception_shows_the_end_of_the_native_log(tmp_path):
    result = _run(_NATIVE_AND_PYTHON_OUTPUT.format(body="raise RuntimeError('broken')"), str(tmp_path / "native.log"))
    assert result.returncode == 1
    assert "native inside" in result.stderr
    assert "native error" in result.stderr
    assert "RuntimeError: broken" in result.stderr


def test_a_native_crash_still_shows_where_python_was(tmp_path):
    result = _run(_NATIVE_AND_PYTHON_OUTPUT.format(body="libc.abort()"), str(tmp_path / "native.log"))
    assert result.returncode == -6
    assert "Fatal Python error: Aborted" in result.stderr


def test_a_log_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SurefootError, match="cannot be written"), engines.native_log(tmp_path / "file" / "native.log"):
        pass


def test_an_inner_exception_leaves_the_descriptors_where_they_were(tmp_path):
    def outputs() -> list[int]:
        return [os.fstat(fd).st_ino for fd in (1, 2)]

    def fail_inside() -> None:
        with engines.native_log(tmp_path / "native.log"):
            assert outputs() == [(tmp_path / "native.log").stat().st_ino] * 2
            raise SurefootError("inner")

    before = outputs()
    with pytest.raises(SurefootError, match="inner"):
        fail_inside()
    assert outputs() == before


@pytest.mark.parametrize(
    ("name", "class_name"), [("ovphysx", "OvPhysxCfg"), ("newton_mjwarp", "NewtonCfg"), ("isaacsim_physx", "PhysxCfg")]
)
def test_each_engine_has_a_configuration_of_isaac_lab(name, class_name):
    assert type(engines.make_physics_cfg(name)).__name__ == class_name


def test_a_configuration_of_an_unknown_engine_is_refused():
    with pytest.raises(SurefootError, match="Unknown engine 'bullet'"):
        engines.make_physics_cfg("bullet")


def _started(start, poll_s: float) -> tuple[int, threading.Event]:
    """Id of a thread that ``start`` starts and that sleeps ``poll_s`` at a time, and what ends it."""
    end, known = threading.Event(), threading.Event()
    ids = []

    def poll() -> None:
        ids.append(threading.get_native_id())
        known.set()
        while not end.is_set():
            time.sleep(poll_s)

    start(poll)
    assert known.wait(10.0)
    return ids[0], end


def _unknown_to_python(function) -> None:
    _thread.start_new_thread(function, ())  # threading does not know such a thread, as it does not know an engine's


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="only Linux has this scheduling policy")
def test_a_native_thread_that_polls_gets_only_the_time_that_is_left_over():
    polling, end_polling = _started(_unknown_to_python, 5e-5)
    waiting, end_waiting = _started(_unknown_to_python, 0.01)
    somebodys, end_somebodys = _started(lambda poll: threading.Thread(target=poll, daemon=True).start(), 5e-5)
    try:
        assert polling in engines.keep_polling_threads_idle()
        policies = [os.sched_getscheduler(task) for task in (polling, waiting, somebodys, threading.get_native_id())]
    finally:
        for end in (end_polling, end_waiting, end_somebodys):
            end.set()
    assert policies == [os.SCHED_IDLE, os.SCHED_OTHER, os.SCHED_OTHER, os.SCHED_OTHER]
