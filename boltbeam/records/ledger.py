"""Ledger files: one line per verdict or decision, one new file per search, probe or decision.

Takes rows and decisions, gives JSONL text and back, in layers. Never modifies a file that exists,
never writes a path or a host name.

The text is canonical: keys in the order of the model's fields, empty values left out, four
significant digits, LF. `dump(load(line))` is the line, so a review sees only what changed.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from boltbeam.files import PACKAGE
from boltbeam.records.benches import Bench
from boltbeam.records.claims import Closing, Prediction
from boltbeam.records.entries import SCHEMA_VERSION, Decision, LedgerRow
from boltbeam.types import BoltbeamError, Measured, first_fault

Entry = LedgerRow | Decision | Prediction | Closing | Bench
T = TypeVar("T")
E = TypeVar("E", LedgerRow, Decision, Prediction, Closing, Bench)
DECISION_KINDS = ("plan", "refute", "rollback", "reopen")
NO_ROWS: dict[object, type[Prediction] | type[Closing] | type[Bench]] = {
    "prediction": Prediction,
    "closing": Closing,
    "bench": Bench,
}
"""Kinds of lines that are neither rows nor decisions, each with its fields."""
ADVICE = "ledger files are never edited: restore it from git, or move it away"
HEAD = re.compile(
    rf'\{{"schema_version": {SCHEMA_VERSION}(?P<mark>, "id": "(?P<id>[0-9a-f]{{12}})"), '
    r'"kind": "(?P<kind>[a-z]+)", "date": "(?P<date>[^"\\]*)"(?:, "chip": "(?P<chip>[^"\\]*)")?'
)
"""How every canonical line begins: enough to sort and pick lines before their fields are read."""


# ---- one line ----------------------------------------------------------------------------------


def dump(entry: Entry) -> str:
    """The canonical line of an entry, without the newline."""
    return _TEXT.encode(_plain(entry))


def _plain(value: Any) -> Any:
    """As JSON has it, without what a line leaves out."""
    if isinstance(value, BaseModel):
        held, out = value.__dict__, {}
        for name, default, told in _fields(type(value)):
            v = held[name]
            if (v is not default or told) and (v or told or v != default):
                out[name] = v if type(v) in _SCALARS else _plain(v)
        return out
    if isinstance(value, Mapping):
        return {k: v if type(v := value[k]) in _SCALARS else _plain(v) for k in sorted(value)}
    if type(value) in (tuple, list) and value and type(value[0]) not in _SCALARS:
        return [_plain(v) for v in value]
    return value


_SCALARS = frozenset((str, float, int, bool))
_EMPTY = frozenset((str, tuple, dict))
"""Types whose empty value is not written where it is the default."""
_TEXT = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


@cache
def _fields(model: type[BaseModel]) -> tuple[tuple[str, Any, bool], ...]:
    """Fields of a model in the order of the keys, with their defaults, and whether a default is
    told all the same: one that says something is."""
    defaults = (
        (name, info.get_default(call_default_factory=True))
        for name, info in model.model_fields.items()
    )
    return tuple((n, d, not (d is None or (not d and type(d) in _EMPTY))) for n, d in defaults)


def is_canonical(line: str, entry: Entry) -> bool:
    """`dump(entry) == line`; pydantic's own text decides first, in half the time."""
    return _quick(line, entry) == line or dump(entry) == line


def _quick(line: str, entry: Entry) -> str:
    """What pydantic writes, spaced as a line is; '' where `dump` could be another than the line.

    It writes numbers below 0.0001 in a way of its own, and names in the order in which they came.
    It leaves out every default, also those that `dump` tells; or every key that was not there, and
    then keys that tell nothing must not be.
    """
    if not isinstance(entry, LedgerRow) or "0.0000" in line or _SMALL.search(line):
        return ""
    f, probed = entry.funnel, entry.measured.values()
    told = f is None or (bool(f.proved and f.timed) and _in_order(f.illegal, f.pruned, f.nearest))
    if probed:
        told = told and all("source" in m.model_fields_set for m in probed)
    if not told or (probed and _TELLS_NOTHING.search(line)):
        return ""
    text = entry.__pydantic_serializer__.to_json(
        entry, indent=0, exclude_unset=bool(probed), exclude_defaults=not probed
    )  # a line feed behind every separator, and none elsewhere
    return text.replace(b",\n", b", ").replace(b"\n", b"").decode()


def _in_order(*named: Mapping[str, Any]) -> bool:
    """The names of each are sorted, as `dump` has them."""
    return all(len(d) < 2 or list(d) == sorted(d) for d in named)


_SMALL = re.compile(r"e-\d[,}\]]")
"""An exponent of one digit, where Python writes two: `1e-7`."""
_TELLS_NOTHING = re.compile(r': (?:""|null|\[\]|\{\})')


def content_id(entry: Entry) -> str:
    """Id that follows from everything else on the line: 12 hex digits."""
    text = dump(entry.model_copy(update={"id": ""}))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _text_id(line: str, head: re.Match[str]) -> str:
    """What `content_id` gives for a canonical line, from its text alone."""
    start, end = head.span("mark")
    return hashlib.sha256((line[:start] + line[end:]).encode()).hexdigest()[:12]


def faults(line: str, entry: Entry) -> list[str]:
    """`canonical` where the entry is written otherwise, `id` where its id is not its content's."""
    head = HEAD.match(line) if is_canonical(line, entry) else None
    if head is not None:
        return [] if _text_id(line, head) == entry.id else ["id"]
    return ["id", "canonical"] if content_id(entry) != entry.id else ["canonical"]


def sealed(entry: E) -> E:
    """The entry with its id."""
    return entry.model_copy(update={"id": content_id(entry)})


def load(line: str, where: str = "ledger line") -> Entry:
    """Inverse of dump. Raises BoltbeamError (one line, starts with `where`) on anything else."""
    entry, head = parse(line, where), HEAD.match(line)
    fits = head is not None and head["id"] == entry.id == _text_id(line, head)
    if not fits and entry.id != content_id(entry):
        raise BoltbeamError(f"{where}: id {entry.id or '(none)'} does not fit the line; {ADVICE}")
    return entry


def parse(line: str, where: str) -> Entry:
    """Like load, but the id is not verified."""
    head = HEAD.match(line)
    if "\\u" in line and _SURROGATE.search(line):
        raise BoltbeamError(f"{where}: half a character (an escaped surrogate); {ADVICE}")
    if head is not None:
        try:
            return _model(head["kind"]).model_validate_json(line)
        except ValidationError:
            pass  # told below, in words
    try:
        data = json.loads(line, parse_constant=_no_constant, object_pairs_hook=_each_once)
    except json.JSONDecodeError as e:
        said = f"{e.msg[0].lower()}{e.msg[1:]} at character {e.colno}"
        raise BoltbeamError(f"{where}: not JSON ({said}); {ADVICE}") from None
    except (ValueError, RecursionError) as e:
        raise BoltbeamError(f"{where}: not JSON ({e}); {ADVICE}") from None
    if not isinstance(data, dict):
        raise BoltbeamError(f"{where}: not a JSON object; {ADVICE}")
    version = data.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise BoltbeamError(f"{where}: schema {version} is newer than this boltbeam; upgrade it")
    try:
        return _model(data.get("kind")).model_validate(data)
    except ValidationError as e:
        raise BoltbeamError(f"{where}: {first_fault(e)}") from None


def _model(
    kind: object,
) -> type[LedgerRow] | type[Decision] | type[Prediction] | type[Closing] | type[Bench]:
    if not isinstance(kind, str):
        return LedgerRow  # which refuses it
    return Decision if kind in DECISION_KINDS else NO_ROWS.get(kind, LedgerRow)


def chip_of(entry: Entry) -> str:
    """The chip that an entry speaks of: the name of its file's folder."""
    return entry.scope.chip if isinstance(entry, Decision) else entry.chip


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""Lines are UTF-8 as it stands: nothing of theirs is written as two halves."""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        names = [k for k, _ in pairs]
        raise ValueError(f"'{next(k for k in names if names.count(k) > 1)}' stands twice")
    return data


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


# ---- one file ----------------------------------------------------------------------------------


def file_text(entries: Iterable[Entry]) -> str:
    """Lines of one file; the entries must be sealed."""
    return "".join(dump(e) + "\n" for e in entries)


def file_name(text: str, date: str) -> str:
    """`2026-11-29-1a2b3c4d.jsonl`: the day, and the hash of the content."""
    return f"{date[:10]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.jsonl"


def read_lines(path: Path, label: str) -> list[str]:
    """The lines of one file. Raises BoltbeamError where it is no text or was cut off."""
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as e:
        raise BoltbeamError(f"{label}: cannot be read ({e}); {ADVICE}") from None
    if lines[-1]:
        raise BoltbeamError(f"{label}:{len(lines)}: the last line is cut off; {ADVICE}")
    return lines[:-1]


def write_file(folder: Path, entries: Sequence[Entry]) -> Path:
    """Write one new file below `folder`/<chip>, whole or not at all. OSError when it cannot be."""
    chips = {chip_of(e) for e in entries}
    if len(chips) != 1 or not re.fullmatch(r"[a-z0-9][\w.-]*", chip := next(iter(chips))):
        raise ValueError(f"one file holds one chip, not {sorted(chips)}")
    text = file_text(entries)
    path = folder / chip / file_name(text, entries[0].date)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():  # the name is the content's hash: the same lines are there already
        return path
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as f:
            f.write(text.encode())
            f.flush()
            os.fsync(f.fileno())
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return path


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection: ten thousand frozen lines are all alive, and looking costs a third.

    Nor afterwards, for what lives then: it goes when nobody names it any more.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was:
            gc.enable()


# ---- layers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """One folder of ledger files: packaged, user, checkout or given (by --ledger)."""

    name: str
    path: Path
    writable: bool = True


@dataclass(frozen=True)
class Stored:
    """A line and where it stands; `layer` counts from the lowest.

    Its id was verified against its text; the fields are read when somebody asks for the entry.
    """

    text: str = field(repr=False)
    layer: int
    file: str
    """Layer's name and the path below it: `user/cpu-x86/2026-11-29-….jsonl`."""
    line: int
    id: str
    kind: str
    date: str
    chip: str

    @property
    def work(self) -> str:
        """The work key that the text names, or ''."""
        return _told(_WORK, self.text)

    @property
    def route(self) -> str:
        """The route that a row's text names, or ''."""
        return _told(_ROUTE, self.text) if self.is_row else ""

    @property
    def pct_of_floor(self) -> float | None:
        """The share of the floor that a row's text names."""
        said = _told(_SHARE, self.text) if self.is_row else ""
        return float(said) if said else None

    @property
    def blocks(self) -> tuple[str, ...]:
        """The candidate's and the incumbent's blocks as the text has them; () without both."""
        found = tuple(_BLOCKS.findall(self.text)) if self.is_row else ()
        return found if len(found) == 2 and all(found) else ()

    @property
    def turns(self) -> tuple[str, ...]:
        """The turns of a bench's engines as its text has them; () for all other lines."""
        return tuple(_TURNS.findall(self.text)) if self.kind == "bench" else ()

    @property
    def aa_pairs(self) -> str:
        """The incumbent's A/A pairs as a row's text has them, or ''."""
        return _told(_AA_PAIRS, self.text) if self.is_row else ""

    @cached_property
    def entry(self) -> Entry:
        return parse(self.text, f"{self.file}:{self.line}")

    @cached_property
    def is_readable(self) -> bool:
        """False where the id fits the text, but the text is no entry."""
        try:
            return bool(self.entry)
        except BoltbeamError:
            return False

    @property
    def is_decision(self) -> bool:
        return self.kind in DECISION_KINDS

    @property
    def is_row(self) -> bool:
        """False for decisions, predictions and their closings, and benches."""
        return self.kind not in DECISION_KINDS and self.kind not in NO_ROWS

    @property
    def row(self) -> LedgerRow:
        """The entry of a line that says what was measured."""
        assert isinstance(self.entry, LedgerRow)
        return self.entry

    @property
    def decision(self) -> Decision:
        assert isinstance(self.entry, Decision)
        return self.entry

    @classmethod
    def read(
        cls, text: str, layer: int, file: str, line: int, by: Callable[[str, str], Entry] = load
    ) -> Stored:
        """Raises BoltbeamError for a line whose id does not fit it; `by` parse, it need not."""
        head = HEAD.match(text)
        if head is not None and head["id"] == _text_id(text, head):
            chip = head["chip"] or file.split("/")[-2]
            return cls(text, layer, file, line, head["id"], head["kind"], head["date"], chip)
        entry = by(text, f"{file}:{line}")
        return cls(text, layer, file, line, entry.id, entry.kind, entry.date, chip_of(entry))


def _told(key: re.Pattern[str], text: str) -> str:
    """The value of the first such key; `"` behind a backslash is text, and begins no key."""
    found = (m for m in key.finditer(text) if text[m.start() - 1] != "\\")
    return next((m[1] for m in found), "")


_WORK = re.compile(r'"work": "([^"\\]*)"')
_BLOCKS = re.compile(r'(?<!\\)"(?:candidate|incumbent)_us": \[([^\]]*)\]')
_TURNS = re.compile(r'"samples_s": \[([^\]]*)\]')
_AA_PAIRS = re.compile(r'"aa_pct": \[([^\]]*)\]')
_ROUTE = re.compile(r'"route": "([^"\\]*)"')
_SHARE = re.compile(r'"pct_of_floor": (\d+(?:\.\d+)?(?:e[+-]\d+)?)')


def read_stored(path: Path, layer: int, label: str) -> list[Stored]:
    """The lines of one file, unread. BoltbeamError on a line whose id does not fit it."""
    lines = enumerate(read_lines(path, label), 1)
    return [Stored.read(text, layer, label, n) for n, text in lines]


def readable(data: bytes, file: str) -> Iterator[Stored]:
    """Every line of a file that can be read, also those whose id does not fit them."""
    for n, text in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        with contextlib.suppress(BoltbeamError):
            yield Stored.read(text, 0, file, n, parse)


DECISIONS = "decisions"
"""Key of the decisions among rows by route; no route has this name."""


@dataclass
class Layers:
    """All layers, lowest first: the latest decision in the highest one wins."""

    layers: tuple[Layer, ...]
    _read: list[Stored] | None = field(default=None, repr=False)
    _routes: dict[str, list[Stored]] | None = field(default=None, repr=False)

    @classmethod
    def find(
        cls,
        cwd: Path | None = None,
        ledger_dir: Path | None = None,
        data_dir: Path | None = None,
        new: bool = False,
    ) -> Layers:
        """Packaged < the user's data folder < the checkout above `cwd` < `ledger_dir`.

        BoltbeamError: `ledger_dir` is no folder; one that will be written (`new`) may be missing.
        """
        if ledger_dir is not None and not ledger_dir.is_dir() and (ledger_dir.exists() or not new):
            what = "not a folder" if ledger_dir.exists() else "no such folder"
            raise BoltbeamError(f"--ledger {ledger_dir}: {what}; name one that holds ledger files")
        found = [Layer("packaged", p, writable=False) for p in _packaged()]
        found.append(Layer("user", (data_dir or user_data()) / "ledgers"))
        if above := checkout(cwd or Path.cwd()):
            found = [layer for layer in found if layer.path != above / "ledgers"]
            found.append(Layer("checkout", above / "ledgers"))
        if ledger_dir is not None:
            found.append(Layer("given", ledger_dir))
        return cls(tuple(found))

    def stored(self) -> list[Stored]:
        """Every entry once, lowest layer first, then by date. BoltbeamError on a bad line.

        A line that several layers hold (exported, or a folder named twice) counts in the highest.
        """
        if self._read is None:
            read = [s for i in range(len(self.layers)) for s in self._layer(i)]
            highest = {s.id: s for s in read}
            self._read = [s for s in read if highest[s.id] is s]
        return self._read

    def _layer(self, index: int) -> list[Stored]:
        layer = self.layers[index]
        out = []
        for path in files(layer.path):
            label = f"{layer.name}/{path.relative_to(layer.path).as_posix()}"
            out += read_stored(path, index, label)
        return sorted(out, key=lambda s: s.date)

    def nothing_in(self) -> list[str]:
        """Names of ledger files without any line, which `write` never leaves: empty, or no file."""
        return [
            f"{layer.name}/{path.relative_to(layer.path).as_posix()}"
            for layer in self.layers
            for path in sorted(layer.path.glob("*/*.jsonl"))
            if not path.is_file() or not path.stat().st_size
        ]

    def rows(
        self, *, chip: str = "", kind: str = "", work: str = "", route: str = ""
    ) -> list[LedgerRow]:
        """Rows that match, oldest first within a layer; an empty argument matches all."""
        return [s.row for s in self.lines(chip=chip, kind=kind, work=work, route=route)]

    def lines(
        self, *, chip: str = "", kind: str = "", work: str = "", route: str = ""
    ) -> list[Stored]:
        """The lines of `rows`, unread: their text says whether they match."""
        some = self._by_route().get(route, []) if route else self.stored()
        return [
            s
            for s in some
            if chip in ("", s.chip) and kind in ("", s.kind) and s.is_row and work in ("", s.work)
        ]

    def _by_route(self) -> dict[str, list[Stored]]:
        """Rows by their route, and all decisions: asking for every route reads the texts once."""
        if self._routes is None:
            self._routes = {}
            for s in self.stored():
                self._routes.setdefault(DECISIONS if s.is_decision else s.route, []).append(s)
        return self._routes

    def decisions(self, *, chip: str = "") -> list[Decision]:
        """Decisions in order of authority: the last one that speaks of a scope holds."""
        found = [(s.layer, s.decision) for s in self._by_route().get(DECISIONS, [])]
        by_id = {d.id: d for _, d in found}
        ordered = sorted(found, key=lambda f: (f[0], f[1].date, _depth(f[1], by_id), f[1].id))
        return [d for _, d in ordered if not chip or d.scope.chip == chip]

    @property
    def top(self) -> Path:
        """The folder that `write` tries first."""
        return next(x.path for x in reversed(self.layers) if x.writable)

    def write(self, entries: Sequence[Entry]) -> Path:
        """One new file in the highest layer that can be written -> its path.

        A folder given by --ledger must be writable. A full disk is an error in any layer.
        """
        if not entries:
            raise ValueError("nothing to write")
        path = self._highest(lambda folder: write_file(folder, entries))
        self._read = self._routes = None
        return path

    def require_writable(self) -> None:
        """BoltbeamError as `write`, before there is anything to write; nothing is left behind."""
        self._highest(require_room)

    def _highest(self, done: Callable[[Path], T]) -> T:
        """What can be done in the highest layer that can be written."""
        refused = []
        for layer in reversed([x for x in self.layers if x.writable]):
            try:
                return done(layer.path)
            except OSError as e:
                refused.append(f"{layer.path}: {e.strerror or e}")
                if layer.name == "given" or e.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                    break
        raise BoltbeamError(
            f"ledger: cannot write to {'; '.join(refused)}; nothing was written, "
            "name a writable folder with --ledger DIR"
        )


def require_room(folder: Path) -> None:
    """OSError where no file can be made below the folder, or below where it would be."""
    import tempfile

    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    with tempfile.TemporaryFile(dir=folder):
        pass


def _depth(decision: Decision, by_id: Mapping[str, Decision]) -> int:
    """How many decisions this one follows: orders those of the same second."""
    depth, seen = 0, {decision.id}
    while (before := by_id.get(decision.replaces)) is not None and before.id not in seen:
        decision, depth = before, depth + 1
        seen.add(before.id)
    return depth


def files(folder: Path) -> Iterator[Path]:
    """Ledger files below `folder`/<chip>/, in order of name."""
    yield from (path for path in sorted(folder.glob("*/*.jsonl")) if path.is_file())


def user_data() -> Path:
    """The user's data folder of boltbeam."""
    import platformdirs

    return platformdirs.user_data_path("boltbeam", appauthor=False)


def checkout(start: Path) -> Path | None:
    """The checkout of boltbeam at or above `start`."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / "registry").is_dir() and (folder / "ledgers").is_dir() and _is_ours(folder):
            return folder
    return None


def _is_ours(folder: Path) -> bool:
    try:
        data = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    project = data.get("project")
    return isinstance(project, dict) and project.get("name") == "boltbeam"


def _packaged() -> list[Path]:
    """Ledgers inside an installed wheel; an editable install has its checkout's."""
    if (packaged := PACKAGE / "_data" / "ledgers").is_dir():
        return [packaged]
    own = checkout(PACKAGE)
    return [own / "ledgers"] if own else []


# ---- what is new -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Confirmed:
    """A new row that says what an existing one said: not written, the old one stays evidence."""

    new: LedgerRow
    old: LedgerRow


def new_rows(
    candidates: Iterable[LedgerRow], existing: Iterable[LedgerRow]
) -> tuple[tuple[LedgerRow, ...], tuple[Confirmed, ...]]:
    """Split rows into those worth a line and those that only confirm the latest existing one.

    Worth a line: verdict, winner or scope changed, or the intervals exclude each other.
    """
    latest = {_identity(row): row for row in existing}
    write, confirmed = [], []
    for row in candidates:
        old = latest.get(_identity(row))
        if old is None or _news(row, old):
            write.append(row)
        else:
            confirmed.append(Confirmed(row, old))
    return tuple(write), tuple(confirmed)


def _identity(r: LedgerRow) -> tuple[str, ...]:
    return (r.kind, r.chip, r.work, r.plan_key, r.route, r.geometry, str(r.position or 0))


def _news(new: LedgerRow, old: LedgerRow) -> bool:
    said = ["verdict", "decision", "tokens", "incumbent", "numerics"]
    said += ["reason"] if new.timing == "untimed" else []
    if new.scope != old.scope or any(getattr(new, k) != getattr(old, k) for k in said):
        return True
    if new.funnel and old.funnel:  # a search without an audit says nothing about the last one
        timed: dict[str, Any] = {"nearest": {}, "race": ()}  # these differ a little every time
        counts = old.funnel.model_copy(update=timed | ({} if new.funnel.audit else {"audit": None}))
        return new.funnel.model_copy(update=timed) != counts
    if new.kind == "probe":
        return new.measured.keys() != old.measured.keys() or any(
            _apart(new.measured[k], old.measured[k]) for k in new.measured
        )
    if new.interval is None or old.interval is None:
        return new.interval != old.interval
    return new.interval.low > old.interval.high or new.interval.high < old.interval.low


def _apart(a: Measured, b: Measured) -> bool:
    """Two measurements differ by more than their spreads allow."""
    reach = abs(a.value) * (a.spread or 0) + abs(b.value) * (b.spread or 0)
    return abs(a.value - b.value) > reach
