"""Proof before timing: contents, guard bands, float64, every element."""
