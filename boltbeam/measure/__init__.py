"""How a kernel is timed: locks, clocks, cold operands, blocks in turns, what timed runs compute."""
