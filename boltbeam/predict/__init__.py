"""What may run and what it will cost: chips, BubbleBeam, FutureSight, the roofline, their audit.

Never touches a device, never imports tinygrad.
"""
