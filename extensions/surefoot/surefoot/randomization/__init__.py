"""Randomization of a simulation's physical parameters: one table, drawn by one kernel, held as the values in force."""
