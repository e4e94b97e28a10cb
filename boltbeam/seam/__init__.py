"""tinygrad's internals and the compilers below it: all that may break with another tinygrad."""
