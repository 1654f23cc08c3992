"""Counter-based random numbers: the same on the host and on a GPU, for any number of environments."""
