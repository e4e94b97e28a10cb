"""Reads registry/*.toml: formats now; families, routes, chips, protocols follow.

Takes TOML files, gives frozen values. Never holds a status: that is derived from the ledger.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from boltbeam.types import Format


def registry_dir() -> Path:
    """The checkout's registry, or the one inside an installed wheel."""
    here = Path(__file__).resolve().parent
    packaged = here / "_data" / "registry"
    return packaged if packaged.is_dir() else here.parent / "registry"


@cache
def formats() -> dict[str, Format]:
    """All storage formats by name."""
    data = tomllib.loads((registry_dir() / "formats.toml").read_text(encoding="utf-8"))
    return {f["name"]: Format(**f) for f in data["format"]}
