"""The actuator model in NumPy: what its motors are described by, and the equations of one physics substep."""
