"""Measures the launches of a captured token: each kind alone, empty, in part, left out, and all.

Takes a captured token whose launches are known, gives a census Token. Where kernels start early,
everything is measured with each started when the one before has ended, and the token both ways.
Never predicts a time, never looks at what is computed: proofs are elsewhere, and the KV cache is
spoiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from boltbeam.measure import clocks, timing
from boltbeam.measure.rotation import ROTATED_CAP_BYTES, copies_for
from boltbeam.predict.census import Kind, Token
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_code, tinygrad_lanes
from boltbeam.seam.tinygrad_code import turned
from boltbeam.seam.tinygrad_launches import Launched, copied, exchanged
from boltbeam.token.token_sources import About, Source
from boltbeam.types import ChipFacts

BATCH_US, GRAPH_BATCH_US = 3000.0, 10_000.0
"""A batch lasts at least so long; longer where waiting for a graph is not in its launches."""
ROUNDS = 9
ROUNDS_MIN = 3
SECONDS = 20.0
"""Rounds go on for so long at most, after ROUNDS_MIN."""
LAUNCHES_MIN = 64
"""In a graph of one kind on a GPU: replaying a short one would cost more than its launches."""
ROTATED_MIN = 1 << 20
"""Tables below this are not turned through copies: their floor is nothing beside a launch."""
CODE_COPIES_MAX = 64
"""Copies of a program's code that a graph of one kind turns through, about; 1: none does."""
CODE_ROUNDS = 4
"""A graph on a GPU goes through them so often: hardly more are then taken than asked for."""


@dataclass
class _Kind:
    """Launches of one program for one op, ready to be timed."""

    launches: list[Launched]
    about: list[About]
    alone: timing.Deployed
    hollow: timing.Deployed
    without: timing.Deployed | None
    """The whole token with these launches empty."""
    cut: timing.Deployed | None
    part: float | None
    copies: int
    turned_bytes: int
    """That the launches read, over all copies."""
    code_copies: int


def measure(source: Source, chip: ChipFacts) -> Token:
    """Time everything in turns, round by round. Nothing else may use the chip meanwhile."""
    tape = source.tape
    hollow = [tape.hollow(x) for x in tape.launches]
    kinds = list(_kinds(source, chip, hollow))
    whole = _deployed(source, tape.whole(), 1)
    calls, late = [x.call for x in tape.launches], tape.starts_early
    empty = _deployed(source, tape.graph(hollow, late), 1)
    benches: dict[tuple[int, str], timing.Deployed] = {(-1, "us"): whole, (-1, "hollow"): empty}
    if tape.has_graphs:
        benches[-1, "rebuilt"] = _deployed(source, tape.graph(calls, late), 1)
    if late:
        benches[-1, "early"] = _deployed(source, tape.graph(calls), 1)
    for i, k in enumerate(kinds):
        benches |= {(i, "us"): k.alone, (i, "hollow"): k.hollow}
        if k.cut is not None:
            benches[i, "part"] = k.cut
        if k.without is not None:
            benches[i, "without"] = k.without
    us = _rounds(benches, GRAPH_BATCH_US if tape.has_graphs else BATCH_US)
    return Token(
        engine=source.engine,
        context=source.context,
        position=source.position,
        kinds=tuple(_found(i, k, us, chip, source) for i, k in enumerate(kinds)),
        token_us=us[-1, "us"],
        rebuilt_us=us.get((-1, "rebuilt"), ()),
        early_us=us.get((-1, "early"), ()),
        hollow_us=us[-1, "hollow"],
        timer=timing.timer(tape.device),
        load=timing.host_load(),
        clock_mhz=clocks.state(tape.device).clock_mhz,
    )


def _rounds(
    benches: dict[tuple[int, str], timing.Deployed], batch_us: float
) -> dict[tuple[int, str], tuple[float, ...]]:
    """Microseconds of each bench, one batch a round."""
    counts = {name: b.replays_for(batch_us) for name, b in benches.items()}
    us: dict[tuple[int, str], list[float]] = {name: [] for name in benches}
    for _ in timing.rounds(ROUNDS, ROUNDS_MIN, SECONDS):
        for name, bench in benches.items():
            us[name].append(bench.batch_us(counts[name]))
    return {name: tuple(u) for name, u in us.items()}


def _kinds(source: Source, chip: ChipFacts, hollow: Sequence[Any]) -> Iterator[_Kind]:
    """Graphs of every kind, in order of first use. `hollow`: every launch of the token, empty.

    Empty launches turn through copies of their code too, as the empty token has it: what a change
    from program to program costs is in the gaps, and would be in the kernels' times once more.
    """
    groups: dict[tuple[Any, str], list[int]] = {}
    for i, (x, a) in enumerate(zip(source.tape.launches, source.about, strict=True)):
        groups.setdefault((x.program.key, a.op), []).append(i)
    total = sum(a.bytes for a in source.about)
    turns = _code_copies(source, [x.program for x in source.tape.launches])
    empty_turns = _code_copies(source, [call.src[0] for call in hollow])
    for at in groups.values():
        empty = {i: hollow[i] for i in at}
        yield _kind(source, chip, empty, total, (turns[at[0]], empty_turns[at[0]]))


def _code_copies(source: Source, programs: Sequence[Any]) -> list[int]:
    """`code_copies` of the programs of a token, launch by launch."""
    renderer = tg.open_device(source.tape.device).renderer
    nbytes = {p.key: tinygrad_code.nbytes(p, renderer) for p in dict.fromkeys(programs)}
    return code_copies([p.key for p in programs], nbytes)


def code_copies(token: Sequence[Any], nbytes: dict[Any, int]) -> list[int]:
    """For each launch of a token of programs (names) how many copies of its code are as much code
    as runs from one launch of it to the next, in the median; at most CODE_COPIES_MAX.

    `nbytes`: of each program's code; 0 where it has none.
    """
    places: dict[Any, list[int]] = {}
    for i, name in enumerate(token):
        places.setdefault(name, []).append(i)
    found = {}
    for name, at in places.items():
        again = [*token, *token[: at[0]]]  # tokens are replayed: its first follows its last
        ends = pairwise((*at, len(again)))
        others = median(sum(nbytes[n] for n in set(again[a + 1 : b])) for a, b in ends)
        own = nbytes[name]
        found[name] = min(CODE_COPIES_MAX, 1 + math.ceil(others / own)) if own else 1
    return [found[name] for name in token]


def _kind(
    source: Source,
    chip: ChipFacts,
    empty: dict[int, Any],
    token_bytes: int,
    turns: tuple[int, int],
) -> _Kind:
    """As many copies of its tables and of its code as make caches see what they see in the token.

    `empty`: its launches in the token -> the same, empty; `turns`: copies of the code of both.
    """
    tape, late = source.tape, source.tape.starts_early
    launches, about = [tape.launches[i] for i in empty], [source.about[i] for i in empty]
    first = launches[0]
    read = sum(a.bytes for a in about)
    held = sum(x.buffers[i].nbytes for x, a in zip(launches, about, strict=True) for i in a.tables)
    copies, cache = 1, chip.cold_cache_bytes
    if read >= ROTATED_MIN and cache:
        enough = min(copies_for(read, cache), math.ceil(token_bytes / read))
        copies = max(1, min(enough, ROTATED_CAP_BYTES // held))
    chained = tape.chained(launches)
    elsewhere = [
        exchanged(call, {i: copied(x.buffers[i]) for i in a.tables})
        for _ in range(copies - 1)
        for call, x, a in zip(chained, launches, about, strict=True)
    ]
    calls = _enough([*chained, *elsewhere], source, about, turns[0])
    cut = tape.part(first, about[0].tables) if read else None
    part = None
    if cut is not None:
        programs = [c.replace(src=(cut[0], *c.src[1:])) for c in calls]
        part = _deployed(source, tape.graph(turned(programs, turns[0]), late), len(calls), about)
    calls = turned(calls, turns[0])
    hollow = turned(_enough(list(empty.values()), source, about, turns[1]), turns[1])
    others = [empty.get(i, x.call) for i, x in enumerate(tape.launches)]
    return _Kind(
        launches=launches,
        about=about,
        alone=_deployed(source, tape.graph(calls, late), len(calls), about),
        hollow=_deployed(source, tape.graph(hollow, late), len(hollow), about),
        without=_deployed(source, tape.graph(others, late), 1) if tape.has_graphs else None,
        cut=part,
        part=None if cut is None else cut[1],
        copies=copies,
        turned_bytes=read * copies,
        code_copies=len({c.src[0] for c in calls}),
    )


def _enough(
    calls: list[Any], source: Source, about: Sequence[About], code_copies: int
) -> list[Any]:
    """The calls again and again until a graph of them is long enough, where there are graphs."""
    if not source.tape.has_graphs:
        return calls
    times = math.ceil(max(LAUNCHES_MIN, CODE_ROUNDS * code_copies) / len(calls))
    if any(a.moves for a in about):
        times = max(1, min(times, source.room // len(calls)))
    return calls * times


def _deployed(
    source: Source, replay: Callable[[], Any], works: int, about: Sequence[About] | None = None
) -> timing.Deployed:
    moves = about is None or any(a.moves for a in about)
    return timing.Deployed(
        replay=replay,
        device=source.tape.device,
        works=works,
        copies=1,
        rotated_bytes=0,
        restore=source.restore,
        replays_max=max(1, source.room // works) if moves and source.restore else 1 << 30,
    )


def _found(
    i: int,
    k: _Kind,
    us: dict[tuple[int, str], tuple[float, ...]],
    chip: ChipFacts,
    source: Source,
) -> Kind:
    first, cache = k.launches[0], chip.cold_cache_bytes
    return Kind(
        op=k.about[0].op,
        kernel=first.name,
        count=len(k.launches),
        bytes=round(sum(a.bytes for a in k.about) / len(k.about)),
        groups=first.groups,
        threads=first.threads,
        us=us[i, "us"],
        hollow_us=us[i, "hollow"],
        without_us=us.get((i, "without"), ()),
        part=k.part,
        part_us=us.get((i, "part"), ()),
        copies=k.copies,
        code_copies=k.code_copies,
        cold_ratio=k.turned_bytes / cache if cache and k.turned_bytes >= ROTATED_MIN else None,
        accesses=_accesses(first, chip, source),
    )


def _accesses(launched: Launched, chip: ChipFacts, source: Source) -> Any:
    simd = chip.get("simd_width")
    if not chip.get("workgroups") or not simd or not launched.is_kernel:
        return ()
    nbytes = {i: b.nbytes for i, b in enumerate(launched.buffers)}
    return tinygrad_lanes.accesses(launched.program, nbytes, simd, source.tape.values)[:4]
