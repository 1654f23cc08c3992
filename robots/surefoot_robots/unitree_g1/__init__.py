"""Unitree G1: humanoid with 29 actuated joints."""
