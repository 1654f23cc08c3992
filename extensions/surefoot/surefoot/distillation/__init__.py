"""Distillation: a policy is taught what a teacher that sees the true velocity would do in its place."""
