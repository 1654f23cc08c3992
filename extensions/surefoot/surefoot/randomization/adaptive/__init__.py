"""Ranges that grow where the policy copes and shrink where it does not."""
