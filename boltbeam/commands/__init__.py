"""What the commands do and print; `boltbeam.cli` only parses."""
