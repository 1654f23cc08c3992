"""Speed of Surefoot's tasks against Isaac Lab's stock task, with everything that is physics held equal.

One measurement is one process (:mod:`~.worker`), so that no engine, cache or allocator is shared.
"""
