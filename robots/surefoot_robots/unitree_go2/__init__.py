"""Unitree Go2: quadruped with 12 actuated joints."""
