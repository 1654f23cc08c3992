"""For each parameter an experiment in the running engine whose outcome physics predicts.

Environments hold rising values of one parameter and are nominal otherwise. All of them do the same, and the motion is
compared with a prediction: a number where theory gives one, else the direction in which the motion changes from each
environment to the next.
"""

from .actuators import ACTUATORS
from .bodies import BODIES
from .contact import CONTACT
from .initial_state import INITIAL_STATE
from .joints import JOINTS
from .outcome import Experiment
from .sensors import SENSORS
from .world import WORLD

EXPERIMENTS: dict[str, Experiment] = {**CONTACT, **BODIES, **JOINTS, **ACTUATORS, **SENSORS, **WORLD, **INITIAL_STATE}
"""Experiments by parameter."""
