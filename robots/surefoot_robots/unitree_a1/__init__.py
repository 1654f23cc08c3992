"""Unitree A1: quadruped with 12 actuated joints."""
