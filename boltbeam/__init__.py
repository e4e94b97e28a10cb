"""boltbeam: searched, proved and recorded decode kernels for GGUF models in tinygrad."""

__version__ = "0.1.0"
