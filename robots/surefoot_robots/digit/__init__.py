"""Agility Robotics Digit: humanoid, modelled with 22 actuated joints."""
