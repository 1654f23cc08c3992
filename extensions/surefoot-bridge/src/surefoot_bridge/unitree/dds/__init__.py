"""Cyclone DDS, the network of Unitree's robots, and the messages on it."""
