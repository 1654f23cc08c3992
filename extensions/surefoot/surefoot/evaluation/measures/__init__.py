"""What is measured in a trial, step by step, and whether it succeeded."""
