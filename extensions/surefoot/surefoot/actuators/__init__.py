"""Actuator models: one Warp kernel per physics substep for all joints of all environments.

:mod:`~surefoot.actuators.kernels` holds the kernel, :mod:`~surefoot.actuators.reference` the same equations in
NumPy for tests and for MuJoCo C. The Isaac Lab side (:mod:`~surefoot.actuators.actuator`,
:mod:`~surefoot.actuators.action`) is imported only where a simulation runs.
"""
