"""Proof, in a running engine, that each randomized parameter acts as it is declared."""
