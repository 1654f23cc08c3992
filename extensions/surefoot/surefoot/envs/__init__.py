"""The environment class of every Surefoot task; its modules are imported only where a simulation runs."""
