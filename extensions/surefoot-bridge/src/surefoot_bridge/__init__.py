"""The robot's side of Surefoot: Python 3.8 or newer and NumPy, no simulator.

The command line begins in :mod:`.command_line`, a program of one's own with :func:`.bundle.load_bundle`. Each package
shows its names in its ``__init__`` and imports only those before it in this list, and ``errors``, ``clock`` and the
other modules beside them: ``contract``; ``state``, ``actuators``; ``log``, ``policy``; ``robots``; ``bundle``,
``safety``, ``guardian``; ``stages``, ``control``, ``live``; ``operators``; ``runtime``; ``commands``. Transports, as
``unitree`` is one, come by entry points: nothing here imports them.
"""
