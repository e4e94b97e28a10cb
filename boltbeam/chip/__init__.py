"""The chip in this machine: what its drivers declare, and what generated kernels measure."""
