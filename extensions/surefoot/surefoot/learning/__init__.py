"""Training: PPO with exact resume, a guard against faults, atomic checkpoints and interruption without loss.

``surefoot train`` is :mod:`~surefoot.commands.train`; nothing here imports Isaac Lab before it is called.
"""
