"""Simulators that trials run in: PhysX and Newton by Isaac Lab, and MuJoCo C."""
