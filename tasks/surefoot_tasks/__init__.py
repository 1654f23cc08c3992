"""Surefoot's tasks. Importing this package registers them with Gymnasium and imports nothing heavy."""

from surefoot_tasks import standing, velocity

velocity.register()
standing.register()
