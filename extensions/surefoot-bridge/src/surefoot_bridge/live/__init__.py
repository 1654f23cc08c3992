"""What a person sees while the control loop runs: a panel in a terminal, a line now and then elsewhere.

The loop stores a few numbers into memory that it shares with a process of low priority; that one writes words, and may
wait for a terminal that stands still (Ctrl-S, a slow link) for as long as it likes. It imports no NumPy: it is there in
a few hundredths of a second and takes a few megabytes.
"""
