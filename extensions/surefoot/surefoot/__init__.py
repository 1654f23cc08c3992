"""Training, proving and deploying policies for legged robots on Isaac Lab.

Importing this package starts no simulator and loads none of Isaac Lab's heavy modules; the command line decides first
which engine runs, then the modules that need it are imported.
"""
