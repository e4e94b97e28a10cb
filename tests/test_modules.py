"""The house: a module imports only from those before it, and the light ones never load tinygrad."""

import ast
from pathlib import Path

import boltbeam

ROOT = Path(boltbeam.__file__).parent
ORDER = ["types", "registry", "ledger"]


def imports(path: Path) -> set[str]:
    """Names of boltbeam modules that a file imports anywhere, lazily or not."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("boltbeam"):
            rest = node.module.split(".")[1:]
            found |= {rest[0]} if rest else {a.name for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("boltbeam.")}
    return found
