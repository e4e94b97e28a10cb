"""Fixtures and hooks shared by all tests: devices by mark, the real model by environment."""

from __future__ import annotations

import os

os.environ.setdefault("DEV", "CPU")
