"""Proves policies: scenarios with success rates in several engines, a report people read, a gate that CI obeys."""
