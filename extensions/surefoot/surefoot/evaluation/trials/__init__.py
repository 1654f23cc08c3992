"""One trial of a scenario: its conditions, the engine's interface, what is recorded of it."""
