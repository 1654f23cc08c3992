"""What a robot's sensors give: latency, noise, bias, drift and lost packets, in one Warp kernel per control step.

:mod:`~surefoot.sensors.kernels` holds the kernels and the equations.
:class:`~surefoot.sensors.proprioception.Proprioception` is the sensors of all environments;
:mod:`~surefoot.sensors.layout` says where each quantity stands in the vector that a policy receives. The Isaac Lab side
(:mod:`~surefoot.sensors.observation`) is imported only where a simulation runs.
"""
