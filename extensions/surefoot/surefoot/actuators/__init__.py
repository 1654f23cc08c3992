"""Actuator models: one Warp kernel per physics substep for all joints of all environments.

:mod:`~surefoot.actuators.kernels` holds that kernel and its equations, :mod:`~surefoot.actuators.state_kernels` what
happens once per control step, :mod:`~surefoot.actuators.network` learnt actuators, and
:mod:`surefoot_bridge.actuators.equations` the same equations in NumPy for tests and emulated robots. The Isaac Lab side
(:mod:`~surefoot.actuators.actuator`, :mod:`~surefoot.actuators.action`) is imported only where a simulation runs.
"""
