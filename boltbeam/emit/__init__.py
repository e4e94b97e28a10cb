"""Emitters: one file per family, found through the literal table in `emitters()`."""
