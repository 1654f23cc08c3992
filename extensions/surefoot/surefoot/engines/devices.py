"""Which processor the simulation and the network run on."""

import ctypes
import re

from surefoot_bridge.errors import SurefootError, unknown_name


def default_device() -> str:
    """Return the first CUDA device where there is one, else ``"cpu"``."""
    return "cuda:0" if _cuda_device_count() > 0 else "cpu"


def check_device(device: str) -> str:
    """Check that a device exists on this machine.

    Args:
        device: ``"cpu"``, ``"cuda"`` (the first CUDA device) or ``"cuda:<index>"``.

    Returns:
        The device with its index spelled out, ``"cpu"`` or ``"cuda:<index>"``.

    Raises:
        SurefootError: If the name is not a device's, or this machine has no such device.
    """
    match = re.fullmatch(r"cpu|cuda(?::(\d+))?", device)
    if match is None:
        raise unknown_name("device", device, _device_names())
    if device == "cpu":
        return "cpu"
    count = _cuda_device_count()
    if count == 0:
        raise SurefootError(
            f"Device {device!r} was asked for, but torch finds no CUDA device on this machine; valid: cpu. "
            "Use --device cpu, or check the NVIDIA driver with nvidia-smi."
        )
    index = int(match.group(1) or 0)
    if index >= count:
        raise unknown_name("device", device, _device_names(), "It is not on this machine.")
    return f"cuda:{index}"


def _device_names() -> list[str]:
    return ["cpu", *(f"cuda:{index}" for index in range(_cuda_device_count()))]


def _cuda_device_count() -> int:
    """Return how many devices torch can use; it is not imported where there is no driver, which takes it seconds."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0
