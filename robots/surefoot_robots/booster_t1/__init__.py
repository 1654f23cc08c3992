"""Booster T1: humanoid with 23 actuated joints."""
