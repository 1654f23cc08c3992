"""For each parameter an experiment in the running engine whose outcome physics predicts.

Environments hold rising values of one parameter and are nominal otherwise. All of them do the same, and the motion is
compared with a prediction: a number where theory gives one, else the direction in which the motion changes from each
environment to the next.
"""

from surefoot.randomization.catalogue import DECLARED

from . import actuators, bodies, contact, initial_state, joints, sensors, world
from .outcome import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    name: vars(kind)[name]
    for kind in (contact, bodies, joints, actuators, sensors, world, initial_state)
    for name in DECLARED
    if name in vars(kind)
}
"""Experiments by parameter: the functions of these modules that have a parameter's name."""
