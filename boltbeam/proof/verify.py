"""Proof before timing: is a generated kernel right on every element, every time, as deployed?

Takes launches, sample inputs and a float64 oracle, gives a Proof with a stable reason code. Never
times anything, never accepts an output that nothing was compared with.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit import dependent
from boltbeam.emit.core import Buf, Launch, Target
from boltbeam.proof import compare_outputs
from boltbeam.proof.compare_outputs import Agreement, Expected, Mismatch
from boltbeam.proof.guarded import LARGE_BYTES, Bytes, Guarded, as_bytes, first_difference
from boltbeam.proof.oracle import Arrays, Cases
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_graph, tinygrad_render
from boltbeam.types import Geometry, Proof, Route, WorkItem

Inputs = Callable[[int], Arrays]
"""Case number -> contents of every input and in-place buffer; the same number, the same bytes."""
Reference = Callable[[Arrays], Expected]
"""Contents -> (values, magnitudes), both by output name, float64."""

REASONS = (
    "ok",
    "compile-error",
    "guard",
    "input-changed",
    "nondeterministic",
    "unwritten",
    "stale-output",
    "out-of-bounds-read",
    "ignored-input",
    "nan",
    "error-bound",
    "no-reference",
    "replay",
)
"""Every reason a Proof can carry, in the order in which they are looked for."""

POISON = (0xFF, 0x7B)
"""Bytes that outputs hold before a launch: NaN (-1 as integer), and 1.3e36 (61,000 as half)."""
BANDS = (0xFF, 0x00)
"""Bytes of the guard bands: NaN, zero. A kernel that reads them answers differently."""
REPEATS = 4
"""Launches on the same inputs that must agree to the bit."""


class _Fault(Exception):
    """A proof that fails, on its way out of the checks."""

    def __init__(self, reason: str, where: str = "", worst: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.where, self.worst = reason, where, worst


def prove(
    work: WorkItem,
    route: Route,
    geometry: Geometry,
    target: Target,
    seed: int,
    sum_relative: float,
) -> Proof:
    """Prove one candidate on its full shape.

    `sum_relative` is the protocol's share of Σ|w·x| that an exact kernel may be off by (1e-5).
    """
    from boltbeam import emit

    try:
        launches = emit.launches(work, route, geometry, target)
    except Exception as e:
        return Proof(ok=False, reason="compile-error", where=_first_line(e))
    inputs, _ = external(launches)
    names = tuple(sorted({b.name for b in inputs} | state_names(work, launches)))
    bufs = {b.name: b for launch in launches for b in (*launch.outs, *launch.ins)}
    cases = Cases.of(work, route, tuple(bufs[n] for n in names), seed)
    return prove_launches(
        launches, cases.inputs, cases.reference, target.device, sum_relative, cases.extra
    )


def prove_launches(
    launches: Sequence[Launch],
    inputs: Inputs,
    reference: Reference,
    device: str,
    sum_relative: float,
    extra: Sequence[int] = (),
) -> Proof:
    """Prove a chain of launches against `reference`; see REASONS for what can be wrong.

    `extra`: case numbers that are compared too, beside 0 and 1.
    """
    done: list[str] = []
    try:
        rig = _Rig(launches, device, inputs(0))
        source = rendered(launches, device)
        rig.run()
    except Exception as e:
        return Proof(ok=False, reason="compile-error", where=_first_line(e))
    identity = {
        "source_hash": digest(source),
        "emitter_hash": emitter_hash(launches),
        "intrinsics": tuple(
            sorted({t for launch in launches for t in tinygrad_render.intrinsics(launch)})
        ),
    }
    total = Agreement()
    try:
        for name, check in _checks(rig, inputs, reference, sum_relative, extra):
            total |= check()
            done.append(name)
    except _Fault as fault:
        return Proof(
            ok=False,
            reason=fault.reason,
            where=fault.where,
            worst=fault.worst,
            checks=tuple(done),
            **identity,
        )
    return Proof(
        ok=True,
        reason="ok",
        worst=total.worst,
        excused=total.excused,
        checks=tuple(done),
        **identity,
    )


def external(launches: Sequence[Launch]) -> tuple[tuple[Buf, ...], tuple[Buf, ...]]:
    """(inputs, outputs): buffers read before any launch wrote them, and all that are written."""
    written: dict[str, Buf] = {}
    read: dict[str, Buf] = {}
    for launch in launches:
        for buf in launch.ins:
            if buf.name not in written:
                read[buf.name] = buf
        written |= {b.name: b for b in launch.outs}
    return tuple(read.values()), tuple(written.values())


def state_names(work: WorkItem, launches: Sequence[Launch]) -> set[str]:
    """Outputs whose old content the work item reads: the residual, the cache, the id list."""
    _, outs = external(launches)
    state = {"cache", "ids", "pos"} | (set() if work.ops[0] == "embed" else {"x"})
    return {b.name for b in outs} & state


def emitter_hash(launches: Sequence[Launch]) -> str:
    """Hash of the source of every emitter module that a launch was built with."""
    names: set[str] = set()
    todo = {launch.build.__module__ for launch in launches} | {"boltbeam.emit.core"}
    todo |= {dependent.__name__ for launch in launches if hasattr(launch.build, dependent.WAITS)}
    while todo:
        name = todo.pop()
        names.add(name)
        held = {getattr(v, "__module__", None) for v in vars(sys.modules[name]).values()}
        todo |= {m for m in held if m and m.startswith("boltbeam.emit.")} - names
    return digest("\n".join(inspect.getsource(sys.modules[n]) for n in sorted(names)))


def rendered(launches: Sequence[Launch], device: str) -> str:
    """Text of all launches as tinygrad renders them for an opened device."""
    return "\n".join(tinygrad_render.source(launch, device) for launch in launches)


def digest(text: str) -> str:
    """First 16 hex digits of sha256: how a row cites a source."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _first_line(e: Exception) -> str:
    return f"{type(e).__name__}: {str(e).strip().splitlines()[0] if str(e).strip() else ''}"[:300]


# ---- running ---------------------------------------------------------------------------------


@dataclass
class _Rig:
    """The launches on guarded buffers. Everything in `given` is an input or in-place state."""

    launches: Sequence[Launch]
    device: str
    given: Mapping[str, NDArray[Any]]
    bufs: dict[str, Guarded] = field(default_factory=dict)
    loaded: dict[str, tuple[int, int]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    """Inputs of LARGE_BYTES that were intact after a launch with their contents: these are looked
    at after the first launch and the last one only, not after each."""

    def __post_init__(self) -> None:
        inputs, outs = external(self.launches)
        self.written = [b.name for b in outs]
        self.read_only = [b.name for b in inputs if b.name not in self.written]
        missing = sorted({b.name for b in inputs} - set(self.given))
        if missing:
            raise ValueError(f"no sample contents for {', '.join(missing)}")
        for buf in (*inputs, *outs):
            self.bufs.setdefault(buf.name, Guarded(buf, self.device))
        self.load(self.given, POISON[0], BANDS[0])

    @property
    def compared(self) -> list[str]:
        """Outputs that somebody reads afterwards: all but scratch."""
        return [n for n in self.written if not n.startswith("t.")]

    def load(self, arrays: Mapping[str, NDArray[Any]], poison: int, band: int) -> None:
        """Restore inputs and in-place state, poison every other output."""
        for name, buf in self.bufs.items():
            content = arrays.get(name)
            stamp = (id(content), band)
            if name in self.read_only and self.loaded.get(name) == stamp:
                continue  # proved unchanged after the last run
            old = self.loaded.get(name)
            if buf.large and old and old[0] == stamp[0] and name in self.read_only:
                buf.load_bands(band)
            else:
                buf.load(poison if content is None else content, band)
                self.seen.discard(name)
            self.loaded[name] = stamp
        self.given = arrays

    def launch(self) -> list[Any]:
        """Queue the launches; returns every tensor that must be realised."""
        now = {name: buf.tensor for name, buf in self.bufs.items()}
        for launch in self.launches:
            outs = tg.call(launch, [now[b.name] for b in (*launch.outs, *launch.ins)])
            now |= {b.name: t for b, t in zip(launch.outs, outs, strict=True)}
        return [now[n] for n in self.written]

    @cached_property
    def recording(self) -> Any:
        """The launches, scheduled and compiled once however often they run."""
        return tinygrad_graph.Recording.of(lambda: tg.realize(self.launch()))

    @cached_property
    def plain(self) -> Callable[[], Any]:
        plain: Callable[[], Any] = self.recording.plain()
        return plain

    def run(self) -> None:
        self.plain()
        tg.synchronize(self.device)

    def outputs(self, last: bool = False) -> dict[str, Bytes]:
        """Bytes of all outputs; raises a fault when a band or an input was written."""
        out = {}
        for name, buf in self.bufs.items():
            if name in self.seen and not last:
                continue
            if name in self.read_only and buf.nbytes >= LARGE_BYTES:
                self.seen.add(name)
            at = None
            if name in self.written:
                out[name], hit = buf.read()
            else:
                at, hit = buf.changed(self.given[name])
            if hit:
                raise _Fault("guard", hit)
            if at is not None:
                self.loaded.pop(name)
                raise _Fault("input-changed", self.where(name, at))
        return out

    def fresh(self, arrays: Mapping[str, NDArray[Any]], poison: int, band: int) -> dict[str, Bytes]:
        self.load(arrays, poison, band)
        self.run()
        return self.outputs()

    def where(self, name: str, byte: int) -> str:
        return f"{name}[{byte // (self.bufs[name].nbytes // self.bufs[name].buf.size)}]"

    def typed(self, outputs: Mapping[str, Bytes]) -> Arrays:
        """Outputs as numbers, scratch left out."""
        return {n: outputs[n].view(tg.NUMPY[self.bufs[n].buf.dtype]) for n in self.compared}

    def difference(self, a: Mapping[str, Bytes], b: Mapping[str, Bytes]) -> tuple[str, int] | None:
        """Name and first byte where two results differ, scratch left out."""
        for name in self.compared:
            at = first_difference(a[name], b[name])
            if at is not None:
                return name, at
        return None


# ---- the checks ------------------------------------------------------------------------------


def _checks(
    rig: _Rig,
    inputs: Inputs,
    reference: Reference,
    sum_relative: float,
    extra: Sequence[int],
) -> Iterator[tuple[str, Callable[[], Agreement]]]:
    first, second = inputs(0), inputs(1)
    base = rig.fresh(first, POISON[0], BANDS[0])

    def numeric(arrays: Arrays, got: Mapping[str, Bytes]) -> Agreement:
        found = compare_outputs.compare(rig.typed(got), reference(arrays), sum_relative)
        if isinstance(found, Mismatch):
            raise _Fault(found.reason, found.where, found.ratio)
        return found

    yield "repeat", lambda: _repeat(rig, first, base)
    yield "poison", lambda: _poison(rig, first, base)
    yield "bands", lambda: _bands(rig, first, base)
    yield "numeric", lambda: numeric(first, base)
    yield "inputs", lambda: _ignored(rig, first, second, base, reference, sum_relative)
    again = rig.fresh(second, POISON[1], BANDS[0])
    yield "fresh-inputs", lambda: numeric(second, again)
    for case in extra:
        arrays = inputs(case)
        got = rig.fresh(arrays, POISON[case % 2], BANDS[0])
        yield f"case-{case}", partial(numeric, arrays, got)
    # it begins with the tables that are loaded: further cases have those of the first
    turns = [(first, base), (second, again)] if extra else [(second, again), (first, base)]
    yield "replay", lambda: _replay(rig, (*turns, turns[0]))


def _repeat(rig: _Rig, arrays: Arrays, base: Mapping[str, Bytes]) -> Agreement:
    for _ in range(REPEATS - 1):
        where = rig.difference(base, rig.fresh(arrays, POISON[0], BANDS[0]))
        if where:
            raise _Fault("nondeterministic", rig.where(*where))
    return Agreement()


def _poison(rig: _Rig, arrays: Arrays, base: Mapping[str, Bytes]) -> Agreement:
    """What an output held before must not matter: neither left in place nor computed with."""
    other = rig.fresh(arrays, POISON[1], BANDS[0])
    for name in rig.compared:
        size = rig.bufs[name].nbytes // rig.bufs[name].buf.size
        a, b = base[name].reshape(-1, size), other[name].reshape(-1, size)
        left = np.flatnonzero((a == POISON[0]).all(axis=1) & (b == POISON[1]).all(axis=1))
        if left.size:
            raise _Fault("unwritten", f"{name}[{int(left[0])}]")
    where = rig.difference(base, other)
    if where:
        raise _Fault("stale-output", rig.where(*where))
    return Agreement()


def _bands(rig: _Rig, arrays: Arrays, base: Mapping[str, Bytes]) -> Agreement:
    where = rig.difference(base, rig.fresh(arrays, POISON[0], BANDS[1]))
    if where:
        raise _Fault("out-of-bounds-read", rig.where(*where))
    return Agreement()


def _ignored(
    rig: _Rig,
    first: Arrays,
    second: Arrays,
    base: Mapping[str, Bytes],
    reference: Reference,
    sum_relative: float,
) -> Agreement:
    """Exchange one input at a time: where the kernel stands still, the reference must as well."""
    # the largest last: each of its changes is a long copy, and what follows begins with `second`
    for name in sorted(rig.read_only, key=lambda n: rig.bufs[n].nbytes):
        mixed = {**first, name: second[name]}
        moved = rig.difference(base, rig.fresh(mixed, POISON[0], BANDS[0]))
        if moved is None and not np.array_equal(as_bytes(first[name]), as_bytes(second[name])):
            found = compare_outputs.compare(rig.typed(base), reference(mixed), sum_relative)
            if isinstance(found, Mismatch):
                raise _Fault("ignored-input", name, found.ratio)
    return Agreement()


def _replay(rig: _Rig, cases: Sequence[tuple[Arrays, Mapping[str, Bytes]]]) -> Agreement:
    """The captured graph, replayed on new contents, must give the bits of the plain launches."""

    # a graph of one launch is none; what changes its own input cannot run twice in a replay
    once = set(rig.written) & set(rig.given)
    captured = rig.recording.graph([()] if once else [(), ()])
    for i, (arrays, expected) in enumerate(cases, start=1):
        rig.load(arrays, POISON[0], BANDS[0])
        captured()
        tg.synchronize(rig.device)
        where = rig.difference(expected, rig.outputs(last=i == len(cases)))
        if where:
            raise _Fault("replay", rig.where(*where))
    return Agreement()
