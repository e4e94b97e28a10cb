"""The scheduler kind of route: tinygrad's own kernels with a searched list of Opts."""
