"""Whole tokens: a plan bound to a model, engines in fresh processes, gates, promotion."""
