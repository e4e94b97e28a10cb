"""The ledger: its lines, how a verdict is decided, what holds now, and what a reviewer must see.

Never touches a device, never imports tinygrad.
"""
