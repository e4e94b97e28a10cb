"""Reads registry/*.toml: formats, families with their routes, chips, protocols, public priors.

Takes TOML files that people write, gives frozen values. Never holds a status: that is derived from
the ledger. A misspelt key, a wrong type or a duplicate id is one line with file, line and key.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from boltbeam.files import PACKAGE
from boltbeam.types import (
    INTERFACES,
    OPS,
    BoltbeamError,
    ChipFacts,
    Fact,
    Family,
    Format,
    Frozen,
    Measured,
    Protocol,
    Route,
    fault_in_words,
)

T = TypeVar("T", bound=BaseModel)

KINDS = ("search", "scheduler")
FORMS = ("rows", "lanes")
NUMERICS = ("exact", "q8_activations")
WEIGHTS = ("file", "planes")


class Tolerances(Frozen):
    """Bounds of the gates; calibrated once, then left alone."""

    kernel_relative: float
    """|y − y64| may be this times Σ|w·x|, plus the rounding of the output."""
    stock_relative: float
    """The same for stock's own expressions, whose weights are rounded to half."""
    tie_gap_exact: float
    """A token may differ where the reference's own gap (nats) is at most this: exact routes."""
    tie_gap_q8: float
    """The same for plans with int8 activations."""
    ties_max: int
    """So many tie-breaks are allowed in `ties_positions` positions."""
    ties_positions: int
    logit_error_exact: float
    """Median over steps of max |difference| ÷ max |reference logit|: exact plans at most this."""
    logit_error_q8: float
    """The same for plans with int8 activations."""
    kl_factor: float
    """Mean KL of a q8 plan to the exact one, over that of a float64 emulation of q8."""


class Prior(Frozen):
    """A verdict somebody published: it warns; it never promotes, prunes or refutes."""

    verdict: Literal["promoted", "refuted"]
    title: str
    chip: str
    """Id of the chip it was found on: a verdict is scoped."""
    ops: tuple[str, ...]
    """Primitive ops it speaks about, or spans of them: `down+norm`."""
    formats: tuple[str, ...] = ()
    """Formats it speaks about; empty: any."""
    model: str = ""
    number: float | None = None
    unit: str = ""
    reason: str
    contradicted_by: str = ""
    source: str


class _FormatFile(Frozen):
    format: tuple[Format, ...]


class _ProtocolFile(Frozen):
    protocol: tuple[Protocol, ...]
    tolerances: Tolerances


class _PriorFile(Frozen):
    prior: tuple[Prior, ...]


def registry_dir() -> Path:
    """The checkout's registry, or the one inside an installed wheel."""
    packaged = PACKAGE / "_data" / "registry"
    return packaged if packaged.is_dir() else PACKAGE.parent / "registry"


@cache
def recorded_engines() -> Mapping[str, Path]:
    """Header hash of a model file -> its tokens by an independent engine, which a checkout has."""
    found = sorted((PACKAGE.parent / "tests/data").glob("*.tokens.json"))
    return {json.loads(f.read_text(encoding="utf-8"))["header_hash"]: f for f in found}


# ---- the parts of the registry -----------------------------------------------------------------


@cache
def formats() -> dict[str, Format]:
    """All storage formats by name."""
    file = registry_dir() / "formats.toml"
    return _by_id(file, load(file, _FormatFile).format, "format", "name")


@cache
def families() -> dict[str, Family]:
    """All families by id, each with its routes."""
    out: dict[str, Family] = {}
    seen: dict[str, str] = {}
    for file in sorted((registry_dir() / "families").glob("*.toml")):
        family = load_family(file)
        if family.id in out:
            raise BoltbeamError(f"{_name(file)}: key 'id': family '{family.id}' exists already")
        for i, route in enumerate(family.routes):
            if route.id in seen:
                where = _where(file, ("route", i, "id"))
                raise BoltbeamError(
                    f"{where}: route '{route.id}' stands in {seen[route.id]} already"
                )
            seen[route.id] = _name(file)
        out[family.id] = family
    return out


@cache
def routes() -> dict[str, Route]:
    """All routes by id, in the order of families and files."""
    return {r.id: r for f in families().values() for r in f.routes}


@cache
def chips() -> dict[str, ChipFacts]:
    """Known chips by id; the file's name is a second name for a chip (see `chip_files`)."""
    return _by_id(registry_dir() / "chips", chip_files().values(), "chip", "id")


@cache
def chip_files() -> dict[str, ChipFacts]:
    """Known chips by the name of their file: `rtx-5090`."""
    return {f.stem: load(f, ChipFacts) for f in sorted((registry_dir() / "chips").glob("*.toml"))}


@cache
def protocols() -> dict[str, Protocol]:
    """Timing protocols by id."""
    file = registry_dir() / "protocols.toml"
    return _by_id(file, load(file, _ProtocolFile).protocol, "protocol", "id")


@cache
def tolerances() -> Tolerances:
    """Bounds of the numeric and the token gates."""
    return load(registry_dir() / "protocols.toml", _ProtocolFile).tolerances


@cache
def priors() -> tuple[Prior, ...]:
    """Published verdicts of others, scoped to their chip."""
    return load(registry_dir() / "priors.toml", _PriorFile).prior


def route(name: str) -> Route:
    """The route of that id. Raises BoltbeamError with a suggestion."""
    found = routes().get(name)
    if found is None:
        hint = did_you_mean(name, routes()) or "; `boltbeam registry list` names them"
        raise BoltbeamError(f"no route '{name}'{hint}")
    return found


def require_ops(ops: Iterable[str], known: Sequence[str]) -> None:
    """BoltbeamError: one of them is no op; says what there is."""
    for op in ops:
        if op not in known:
            hint = did_you_mean(op, known) or f"; there are {', '.join(known)}"
            raise BoltbeamError(f"--op {op}: no such op{hint}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` or an empty string."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


# ---- check -------------------------------------------------------------------------------------


class Known(Frozen):
    """What lies outside the registry and its routes need; None: not looked at."""

    emitters: frozenset[tuple[str, str]] | None = None
    """(form, family) pairs that can be emitted."""
    rules: frozenset[str] | None = None
    """Names of BubbleBeam's rules."""
    references: frozenset[str] | None = None
    """Primitive ops that the float64 reference computes."""
    goldens: frozenset[str] | None = None
    """Routes with a golden rendering."""


def check(known: Known | None = None) -> tuple[str, ...]:
    """Read everything; the problems found between files, one line each (none: all is well).

    Raises BoltbeamError on the first file that cannot be read.
    """
    formats(), protocols(), tolerances()
    problems: list[str] = []
    for family in families().values():
        for r in family.routes:
            where = f"families/{family.id}.toml: route '{r.id}'"
            problems += [f"{where}: {p}" for p in _route_problems(family, r)]
            problems += [f"{where}: {p}" for p in _missing(r, known or Known())]
    return tuple(problems + _prior_problems())


def _missing(r: Route, known: Known) -> Iterable[str]:
    """What a route needs outside the registry and does not have."""
    for name in r.rules:
        if known.rules is not None and name not in known.rules:
            yield f"key 'rules': no rule '{name}'{did_you_mean(name, known.rules)}"
    if r.kind != "search":
        return
    if known.emitters is not None and (r.form, r.family) not in known.emitters:
        yield f"no emitter for family '{r.family}', form '{r.form}'"
    ops = dict.fromkeys(op for span in r.ops for op in span.split("+"))
    for op in ops:
        if known.references is not None and op in OPS and op not in known.references:
            yield f"no float64 reference for op '{op}'"
    if known.goldens is not None and r.id not in known.goldens:
        yield "no golden rendering: pytest tests/test_routes.py --update-golden makes it"


def _route_problems(family: Family, r: Route) -> Iterable[str]:
    """What is wrong with one route taken by itself."""
    facts = [n for n in ChipFacts.model_fields if n not in ("id", "name", "device", "measured")]
    words: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("kind", (r.kind,), KINDS),
        ("form", (r.form,), FORMS),
        ("takes", (r.takes,), INTERFACES),
        ("gives", (r.gives,), INTERFACES),
        ("numerics", (r.numerics,), NUMERICS),
        ("weights", (r.weights,), WEIGHTS),
        ("formats", r.formats, formats()),
        ("needs", r.needs, facts),
        ("axes", r.axes, family.axes),
        ("ops", (o for span in r.ops for o in span.split("+")), (*OPS, "ast")),
    ]
    for key, given, known in words:
        known = list(known)
        for word in given:
            if word not in known:
                yield f"key '{key}': '{word}' is unknown{did_you_mean(word, known)}"
    if not r.note:
        yield "key 'note': every route says in a sentence what it is"
    if not r.ops:
        yield "key 'ops': a route does at least one op"
    if {r.takes, r.gives} != {"f32"} and r.numerics != "q8_activations":
        yield "key 'numerics': a route that takes or gives q8 has numerics 'q8_activations'"
    for axis, values in r.axes.items():
        if not values or sorted(set(values)) != list(values):
            yield f"key 'axes.{axis}': values must ascend and be distinct"


def _prior_problems() -> list[str]:
    out = []
    for p in priors():
        if p.chip not in chips():
            hint = did_you_mean(p.chip, chips())
            out.append(f"priors.toml: '{p.title}': key 'chip': '{p.chip}' is unknown{hint}")
        for op in (op for span in p.ops for op in span.split("+")):
            if op not in OPS:
                hint = did_you_mean(op, OPS)
                out.append(f"priors.toml: '{p.title}': key 'ops': '{op}' is unknown{hint}")
    return out


# ---- reading TOML ------------------------------------------------------------------------------

_KEYS = sorted(
    {
        key
        for model in (Format, Family, Route, ChipFacts, Fact, Measured, Protocol, Tolerances, Prior)
        for key in model.model_fields
    }
)
"""Every key that may stand in a registry file: what a misspelt one is compared with."""


def load(file: Path, model: type[T]) -> T:
    """One TOML file as a frozen value. Raises BoltbeamError with file, line and key."""
    return _validate(file, model, _read(file))


def load_family(file: Path) -> Family:
    """A family file: `[[route]]` tables under the family's own keys."""
    data = _read(file)
    raw = data.pop("route", [])
    if "routes" in data or not isinstance(raw, list):
        raise BoltbeamError(f"{_where(file, ('routes',))}: write each route as a [[route]] table")
    for i, r in enumerate(raw):
        if "family" in r:
            where = _where(file, ("route", i, "family"))
            raise BoltbeamError(f"{where}: a route's family is that of its file")
        r["family"] = data.get("id", "")
    return _validate(file, Family, {**data, "routes": raw})


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as e:
        raise BoltbeamError(f"registry: {_name(file)} cannot be read: {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise BoltbeamError(f"{_name(file)}: not UTF-8 at byte {e.start}") from e
    except tomllib.TOMLDecodeError as e:
        raise BoltbeamError(f"{_name(file)}: not TOML: {e}") from e


def _validate(file: Path, model: type[T], data: Mapping[str, Any]) -> T:
    try:
        return model.model_validate(data)
    except ValidationError as e:
        errors = e.errors()
        first = next((x for x in errors if x["type"] == "extra_forbidden"), errors[0])
        loc = tuple("route" if part == "routes" else part for part in first["loc"])
        hint = ""
        if first["type"] == "extra_forbidden":
            hint = did_you_mean(str(loc[-1]), [k for k in _KEYS if k != loc[-1]])
        raise BoltbeamError(f"{_where(file, loc)}: {fault_in_words(first)}{hint}") from e


def _name(file: Path) -> str:
    """The file as people write it: `families/gemv.toml`."""
    parent = file.parent.name
    return f"{parent}/{file.name}" if parent in ("families", "chips") else file.name


def _where(file: Path, loc: tuple[int | str, ...]) -> str:
    """`families/gemv.toml:12: key 'takes'`."""
    keys = [str(p) for p in loc if isinstance(p, str)]
    line = line_of(file.read_text(encoding="utf-8"), loc)
    return f"{_name(file)}:{line}: key '{keys[-1] if keys else ''}'"


def line_of(text: str, loc: tuple[int | str, ...]) -> int:
    """Line (from 1) of the key that `loc` names, or of the table that ought to hold it.

    `loc` is pydantic's path: ("route", 2, "axes", "rows"). Registry files use `[[table]]`,
    `[table.sub]`, `key = value` and dotted or inline keys, so a scan of headers finds the place.
    """
    best, best_depth = 1, -1
    here: list[int | str] = []
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*(\[\[?)([\w.\"-]+)\]\]?", line)
        key = re.match(r"\s*([\w\"-]+(?:\.[\w\"-]+)*)\s*=", line)
        if header:
            names = header[2].replace('"', "").split(".")
            if header[1] == "[[":
                counts[names[0]] = counts.get(names[0], -1) + 1
            at: list[int | str] = [names[0]]
            at += [counts[names[0]]] if names[0] in counts else []
            here = at + list(names[1:])
            path = here
        elif key:
            path = here + list(key[1].replace('"', "").split("."))
        else:
            continue
        depth = len(path)
        if tuple(path) == tuple(loc[:depth]) and depth > best_depth:
            best, best_depth = number, depth
    return best


def _by_id(file: Path, values: Iterable[T], what: str, key: str) -> dict[str, T]:
    out: dict[str, T] = {}
    for v in values:
        name = getattr(v, key)
        if name in out:
            raise BoltbeamError(f"{_name(file)}: key '{key}': {what} '{name}' stands twice")
        out[name] = v
    return out
