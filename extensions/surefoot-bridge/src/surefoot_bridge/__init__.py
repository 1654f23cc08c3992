"""The robot's side of Surefoot: Python 3.8 or newer and NumPy, no simulator."""
