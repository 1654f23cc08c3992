"""Proof that the tests see what they are for: faults are planted in a copy of the code, and named tests must fail."""
