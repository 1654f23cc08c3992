"""Surefoot's tasks. Importing this package registers them with Gymnasium and imports nothing heavy."""

from surefoot_tasks import standing, velocity
from surefoot_tasks.registration import register

for family in (velocity, standing):
    register(family)
