"""Unitree H1: humanoid with 19 actuated joints."""
