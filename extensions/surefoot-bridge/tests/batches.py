"""Take batches of robots apart, and compare them with single ones."""

from dataclasses import fields, is_dataclass

import numpy as np

from surefoot_bridge.state import RobotState, each


def arrays(value):
    """All arrays in a nest of dataclasses and tuples, in order."""
    if isinstance(value, tuple):
        return [array for item in value for array in arrays(item)]
    if is_dataclass(value):
        return [array for item in fields(value) for array in arrays(getattr(value, item.name))]
    return [np.asarray(value() if callable(value) else value)]  # what a verdict finds when it is asked


def robot(value, i):
    """The part of one robot of a batch."""
    if isinstance(value, RobotState):
        return each(value, lambda array: array[i])
    if is_dataclass(value):
        return type(value)(**{item.name: robot(getattr(value, item.name), i) for item in fields(value)})
    if isinstance(value, tuple):
        parts = [robot(item, i) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value[i]


def assert_alike(singles, batch):
    """Results of single robots equal those of their batch bit for bit."""
    for ours, theirs in zip(zip(*map(arrays, singles)), arrays(batch)):
        assert {array.dtype for array in ours} == {theirs.dtype}
        np.testing.assert_array_equal(np.stack(ours), theirs)
