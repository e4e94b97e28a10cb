"""The report: what its figures show, the figures, the tables behind them, the page.

Never touches a device, never imports tinygrad.
"""
