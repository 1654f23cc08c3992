"""Packages of one's own: a robot from the file that describes it, a task from a template."""
