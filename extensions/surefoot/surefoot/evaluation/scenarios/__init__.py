"""Scenarios and suites: what a YAML file may say, and what follows from it."""
