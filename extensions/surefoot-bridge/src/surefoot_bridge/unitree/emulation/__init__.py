"""An emulated Unitree robot: a simulated one behind the messages of the robot's own computer."""
