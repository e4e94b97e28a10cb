"""FutureSight: what will a legal candidate cost? A physical model, fitted from the chip's probe.

Takes work, route, geometry and the chip's *measured* rates, gives microseconds with the terms they
are made of. Never prefers a route by name, never touches a device. Holds no chip's rate; but what
a unit holds and how it issues (SCHEDULERS, UNIT_REGISTERS, WORKGROUPS, FULL: NVIDIA's) and what was
fitted (below) stand for every GPU.

A candidate is first turned into `Counts` (bytes, instructions, dependent sums, …: arithmetic on
its loops), then into time by `Constants`:

    body = (memory^P + issue^P + load^P + unpack^P + chain^P + wait^P)^(1/P)   what overlaps
    us   = toll x launches + body / waves' use + folds + drains + restarts

A restart is a wait wherever a stream of reads ends and another begins elsewhere. `unpack` stands
where converting codes to fp32 has a pipe of its own (lanes form); a CPU's conversions are issued
like everything else. `wait` is a GEMV's on a GPU: what one SIMD group waits for and issues from
its start to its end, times the workgroups that follow each other in its place. It counts latencies
and issue slots, whose lengths the probe gives; how many (`*_WAITS`, `*ALONE`, `*_TURNS`), STREAMS
and DRIFT were fitted to what H200s raced of Qwen3-8B and SmolLM2-135M.

Rates come from `chip.measured` (dispatch_us and dot4_tops are for others to read). A missing one
drops its term, which lowers the prediction, or another stands in and may raise it: read_gbps for
cached_gbps, latency_ns for restart_ns, one instruction rate or one chain for the other:

| key | unit | what the probe does |
|---|---|---|
| read_gbps | GB/s | bytes more per time of reading sets above 4 x cache_bytes, best geometry |
| cached_gbps | GB/s | the same of one more pass over a set of cache_bytes / 16 |
| latency_ns | ns | one load that depends on the one before, random, working set above 4 x cache |
| restart_ns | ns | cost per pair of reading two 1 KiB rows side by side instead of in turn |
| toll_us | us | one launch more in a replayed graph of tiny chained launches (slope, not total) |
| dispatch_us | us | one tiny launch alone, submitted and waited for |
| fp32_fma_tops | T/s | independent fp32 multiply-adds in registers; a multiply-add counts two |
| fma_chain_ns | ns | acc += a * b, each waiting for the one before (one accumulator vector) |
| sum_chain_ns | ns | rows form: a block of an in-cache GEMV with one accumulator, at most |
| unpack_gwps | G weights/s | rows form: a Q8_0 GEMV in cache; lanes: acc += float(byte) * x there |
| dot4_tops | T/s | independent int8 dot products of four into int32; one counts eight (optional) |

All rates are of the chip as tinygrad uses it: on DEV=CPU that is one thread. read_gbps and one of
unpack_gwps and fp32_fma_tops must be there.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from boltbeam.models.plan import cached_positions
from boltbeam.predict.case import (
    LAYOUTS,
    SIMD,
    Case,
    Layout,
    layout,
    multiplies_int8,
    period,
    registers,
    stream_registers,
    trips,
    wanted_registers,
)
from boltbeam.types import (
    Candidate,
    ChipFacts,
    Geometry,
    Outcome,
    Route,
    Table,
    Verdict,
    WorkItem,
)

P = 2.0
"""How sharply the slowest of memory, issue and chain wins: 1 adds them, infinity: the worst."""
DRIFT = 0.1
"""How much sharper for every doubling of the workgroups that follow each other in a place: units
fall out of step, and what some wait for others do meanwhile."""
TURNS = 16.0
"""SIMD groups of a unit at which waiting and working overlap like that; fewer do both in turn."""
UNPACK_INSTRUCTIONS = {"rows": 6, "lanes": 3}
"""Instructions per vector of weights in what the probe times as `unpack_gwps`. Rows form: a Q8_0
GEMV, with a share of its scales and sums; lanes form: load and widen, convert, multiply-add."""

AHEAD = 2.0
"""Rows side by side end the stream that a CPU's prefetcher follows. Beyond so many blocks per trip
the loads of later blocks are out before the first have come."""

TILE = 32
"""Positions of one step of an attention in tiles."""
THREAD_REGISTERS = 255
UNIT_REGISTERS = 64
"""Registers of a thread at most; and of a unit, for each thread of the largest workgroup (CUDA:
65,536 for 1,024)."""
REGISTER_STEP = 8
"""Registers are given out in steps of so many a thread (CUDA: 256 a SIMD group)."""
NEARLY = 0.94
"""Share of the registers it wants with which ptxas still does."""
WORKGROUPS = 32
FULL = 2
"""Workgroups that a unit holds at once, at most (CUDA: 32); and largest ones (2,048 threads for
1,024)."""
LINE_BYTES = 128
"""Memory is fetched in lines of this size (what GPUs coalesce to)."""

CODE_OPS = {
    "Q4_0": 4.0,
    "Q4_1": 3.0,
    "Q5_0": 8.0,
    "Q5_1": 7.0,
    "Q8_0": 2.0,
    "Q4_K": 3.0,
    "Q5_K": 7.0,
    "Q6_K": 8.0,
    "F16": 2.0,
    "BF16": 2.0,
    "F32": 1.0,
}
"""Vector instructions from packed bytes to fp32 codes: load, widen, mask, shift, merge, convert."""
HEADER_OPS = {
    "Q4_0": 3.0,
    "Q4_1": 5.0,
    "Q5_0": 4.0,
    "Q5_1": 6.0,
    "Q8_0": 3.0,
    "Q4_K": 67.0,
    "Q5_K": 67.0,
    "Q6_K": 50.0,
}
"""Scalar instructions per block: convert scales and minima, multiply minima by the block's sum."""


INT8_OPS = {
    "Q4_0": (2.5, 6.0, 4.0),
    "Q4_1": (2.5, 7.0, 5.0),
    "Q5_0": (6.0, 6.0, 5.0),
    "Q5_1": (6.0, 7.0, 6.0),
    "Q8_0": (1.0, 5.0, 2.0),
    "Q4_K": (2.5, 7.0, 24.0),
    "Q5_K": (5.5, 7.0, 26.0),
    "Q6_K": (4.5, 7.0, 10.0),
}
"""Lanes form with dot4: instructions per four weights (with their product), per strip of weights
that share a scale, and per load unit (scales and minima), without its loads. Counted in sm_90's
machine code of kernels of one and two rows a group: within a seventh of what nvdisasm lists."""
ZERO_POINT = frozenset({"Q4_0", "Q5_0", "Q6_K"})
"""Formats whose zero point asks for the sum of the activation's codes, once for all rows."""
LOAD_SLOTS = 4.0
"""Issue slots that pass while one load is taken: four SIMD groups of a unit issue side by side,
and one pipe serves their loads."""
SCHEDULERS = 4.0
ALONE, APART_ALONE = 2.5, 2.0
"""Issue slots of a unit side by side (NVIDIA: four SIMD groups); and slots that one group alone
needs for an instruction, as most wait for one just before: `fma_chain_ns` is 4 to 5 of them; and
for a turn of the many loads of a scattered block."""
APART_TURNS, HALVES_TURNS = 1.3, 1.8
"""How many times as often a load is taken where blocks lie on half-words, as their words do not end
where lines do; and where each half-word is a load of its own. Fitted to audits of Q6_K alone."""
TRIP_WAITS, AHEAD_WAITS = 2.0, 0.75
"""Memory latencies of a trip: its weights, then the activation and words that did not fit; and of
a trip whose weights were asked for while the one before was summed."""
ROUND_WAITS, NORM_WAITS = 2.0, 3.0
"""Memory latencies of a workgroup beside its trips: arguments and first addresses, the reduction,
what the sums are added to; and of a norm in front: its load, and sums across two barriers.
`Counts.folds` counts the reduction once more, some nanoseconds; all this was fitted beside it."""
LAUNCH_WAITS, BEST_WAITS = 1.5, 6.0
"""Memory latencies of a launch that nothing overlaps, its first loads and last workgroup; and of
one more launch behind it, of a workgroup that compares what all others found."""
STREAMS = 1000.0
"""Rows that a unit reads side by side until memory takes twice as long. Each is a place of its own
in memory, which is read piece by piece, and of which a page is opened for every piece."""
BARRIER_OPS = 30.0
"""Instructions per thread of a workgroup where a CPU imitates it: registers saved at a barrier and
read again, and the thread's part of the reductions through local memory."""


@dataclass(frozen=True)
class Counts:
    """What a candidate does, counted from its loops."""

    bytes: float = 0.0
    """Read from memory: weights, and the keys and values of the cache once."""
    cached: float = 0.0
    """Read while still in a cache: activations just written, keys read again."""
    instructions: float = 0.0
    """Vector instructions (rows form) or SIMD-group instructions (lanes form) in all."""
    loads: float = 0.0
    """Loads of a SIMD group, each as often as it takes turns (lanes form)."""
    converted: float = 0.0
    """Weights that become fp32 one by one."""
    chained: float = 0.0
    """Multiply-adds that wait for each other, along the busiest thread."""
    folds: float = 0.0
    """Dependent steps of horizontal sums that nothing hides."""
    drains: float = 0.0
    """Memory latencies that stand alone: a launch of many threads begins and ends with a wait."""
    restarts: float = 0.0
    """Times a stream of reads ends and another begins elsewhere, where nothing hides the wait."""
    launches: float = 0.0
    in_flight: float = math.inf
    """Bytes on their way at once, at most."""
    use: float = 1.0
    """Share of the chip that is busy: whole waves, and lanes that have weights."""
    turns: float = math.inf
    """SIMD groups of a unit that work while others wait; those that read ahead count twice."""
    rounds: float = 1.0
    """Workgroups that follow each other in one place of a unit."""
    waits: float = 0.0
    """Memory latencies one after the other, in the unit that ends last."""
    path: float = 0.0
    """Issue slots of all units that pass while one SIMD group alone does what it has to, and those
    that follow in its place."""
    apart: float = 0.0
    """Issue slots beside those of `instructions` that SIMD groups alone need for scattered blocks:
    of all groups. `path` is made of them."""
    beyond: float = 0.0
    """Issue slots that a SIMD group of the costliest of several tables needs more than others."""

    def __add__(self, other: Counts) -> Counts:
        """One after the other in one launch; each has its own share of the chip and of the time."""
        mine, its = self._weight, other._weight
        bytes_both = self.bytes + other.bytes
        waited = self.bytes / self.in_flight + other.bytes / other.in_flight
        return Counts(
            bytes_both,
            self.cached + other.cached,
            self.instructions + other.instructions,
            self.loads + other.loads,
            self.converted + other.converted,
            self.chained + other.chained,
            self.folds + other.folds,
            max(self.drains, other.drains),
            self.restarts + other.restarts,
            max(self.launches, other.launches),
            bytes_both / waited if waited else min(self.in_flight, other.in_flight),
            (mine + its) / (mine / self.use + its / other.use) if mine + its else self.use,
            self.turns if mine > its else other.turns,
            max(self.rounds, other.rounds),
            self.waits + other.waits,
            self.path + other.path,
            self.apart + other.apart,
            max(self.beyond, other.beyond),
        )

    @property
    def _weight(self) -> float:
        """Roughly how much of a launch's time this is."""
        return self.bytes + self.cached + self.instructions


@dataclass(frozen=True)
class Constants:
    """Nanoseconds per counted thing on one chip. None: nobody measured it, the term is absent."""

    byte_ns: float
    cached_byte_ns: float | None
    instruction_ns: float
    """Issue slot of a SIMD group: the best instruction rate that was measured."""
    convert_ns: float | None
    chain_ns: float | None
    fold_ns: float | None
    restart_ns: float | None
    latency_ns: float | None
    toll_us: float | None


@dataclass(frozen=True)
class Prediction:
    """Microseconds per run, and the terms they are made of."""

    us: float
    terms: dict[str, float]


# ---- fit ---------------------------------------------------------------------------------------


def missing(chip: ChipFacts) -> tuple[str, ...]:
    """Facts and rates without which nothing can be predicted for this chip."""
    out = [] if chip.rate("read_gbps") else ["read_gbps"]
    if not chip.rate("unpack_gwps") and not chip.rate("fp32_fma_tops"):
        out.append("unpack_gwps")
    return (*out, *([] if chip.get("simd_width") else ["simd_width"]))


def fit(chip: ChipFacts) -> Constants | None:
    """Constants from the chip's measured rates; None where `missing` names something."""
    if missing(chip):
        return None
    width, read = float(chip.get("simd_width")), chip.rate("read_gbps")
    unpack, fma = chip.rate("unpack_gwps"), chip.rate("fp32_fma_tops")
    form = "lanes" if chip.get("workgroups") else "rows"
    slots = [width / (unpack * UNPACK_INSTRUCTIONS[form])] if unpack else []
    if fma:
        issued = 2 * width / (fma * 1e3)
        # compilers save some of UNPACK_INSTRUCTIONS on a GPU, but never a multiply-add
        alone = form == "lanes" and not chip.get("imitated")
        slots = [issued] if alone else [*slots, issued]
    assert read is not None
    cached = chip.rate("cached_gbps")
    chains = [c for c in (chip.rate("fma_chain_ns"), chip.rate("sum_chain_ns")) if c]
    chain = min(chains, default=None)
    return Constants(
        byte_ns=1 / read,
        cached_byte_ns=1 / cached if cached else None,
        instruction_ns=min(slots),
        convert_ns=1 / unpack if unpack else None,
        chain_ns=chain,
        fold_ns=chain,
        restart_ns=chip.rate("restart_ns") or chip.rate("latency_ns"),
        latency_ns=chip.rate("latency_ns"),
        toll_us=chip.rate("toll_us"),
    )


# ---- predict -----------------------------------------------------------------------------------


def predict(
    work: WorkItem, route: Route, geometry: Geometry, chip: ChipFacts, constants: Constants
) -> Prediction:
    """Time of one run, cold, in microseconds."""
    return time_of(count(work, route, geometry, chip), constants)


def time_of(counts: Counts, k: Constants) -> Prediction:
    """Counts to microseconds."""
    byte_ns = k.byte_ns
    if k.latency_ns and counts.in_flight < math.inf:
        byte_ns = max(byte_ns, k.latency_ns / max(counts.in_flight, 1.0))
    terms = {
        "memory": (counts.bytes * byte_ns + counts.cached * (k.cached_byte_ns or byte_ns)) / 1e3,
        "issue": counts.instructions * k.instruction_ns / 1e3,
    }
    if counts.loads:
        terms["load"] = counts.loads * LOAD_SLOTS * k.instruction_ns / 1e3
    if k.convert_ns and counts.converted:
        terms["unpack"] = counts.converted * k.convert_ns / 1e3
    if k.chain_ns:
        terms["chain"] = counts.chained * k.chain_ns / 1e3
    if counts.path:
        terms["wait"] = counts.waits * (k.latency_ns or 0.0) + counts.path * k.instruction_ns
        terms["wait"] /= 1e3
    p = 1 + (P - 1) * min(1.0, counts.turns / TURNS) + DRIFT * math.log2(counts.rounds)
    body = sum([t**p for t in terms.values()]) ** (1 / p) / counts.use
    if counts.use < 1:
        terms["waves"] = body * (1 - counts.use)
    for name, amount, each in (
        ("folds", counts.folds, k.fold_ns),
        ("drains", counts.drains, k.latency_ns),
        ("restarts", counts.restarts, k.restart_ns),
    ):
        if each and amount:
            terms[name] = amount * each / 1e3
            body += terms[name]
    if k.toll_us:
        terms["toll"] = counts.launches * k.toll_us
        body += terms["toll"]
    return Prediction(body, terms)


def count(work: WorkItem, route: Route, geometry: Geometry, chip: ChipFacts) -> Counts:
    """What the candidate does, op by op; a span's ops share one launch."""
    case = Case(work, route, chip, geometry)
    total = Counts(launches=1.0)
    for op in work.ops:
        tables = [t for o, t in case.multiplied if o == op]
        if tables and route.form == "lanes":
            total = total + _lanes_gemv(case, tables)
        elif tables:
            for table in tables:
                total = total + _rows_gemv(case, op, table)
        else:
            total = total + _repeated(_small(case, op), _prologues(case, op))
    total = replace(total, launches=float(_launches(case)))
    if chip.get("imitated"):
        return _imitated(case, total)
    return _in_turn(case, total) if route.form == "lanes" and case.matrices else total


def _in_turn(c: Case, counts: Counts) -> Counts:
    """Workgroups of a GEMV in their units: how many follow each other, and what each waits for.

    A unit holds as many workgroups as have registers there. The unit with the most of them ends
    last, and does `lost` times an average unit's instructions. Its rounds wait one after the other:
    a round is one trip after the other, and its beginning and end. What waits is one more way to be
    slow, beside memory and issue: many SIMD groups hide it, few do not.
    """
    units, workgroups = float(c.chip.get("units") or 1), _workgroups(c)
    wanted = wanted_registers(c)
    held, together = _held(c, wanted)
    most = math.ceil(workgroups / units)
    rounds = max(1.0, most / together)
    lost = most * units / workgroups
    trip = AHEAD_WAITS if c.axis("ahead", 0) else TRIP_WAITS
    waits = max(trips(c, t) for t in c.matrices) * trip + ROUND_WAITS
    waits += NORM_WAITS * (c.work.ops[0] == "norm")
    groups = c.threads / float(c.chip.get("simd_width") or 32)
    path = ALONE * counts.instructions + counts.apart
    path = rounds * path / (workgroups * groups) + counts.beyond
    streams = min(most, together) * c.threads / (c.axis("lanes", 32) * c.axis("split"))
    streams *= c.axis("rows") * (len(c.matrices) if "gate_up" in c.work.ops else 1)
    spilled = 8.0 * max(0.0, wanted - held) * c.threads * workgroups
    return replace(
        counts,
        bytes=counts.bytes * (1 + streams / STREAMS) + spilled,
        instructions=counts.instructions * lost,
        loads=counts.loads * lost,
        drains=LAUNCH_WAITS + BEST_WAITS * ("argmax" in c.work.ops),
        in_flight=math.inf,
        use=1.0,
        turns=math.inf,
        rounds=rounds,
        waits=rounds * waits,
        path=path * units * SCHEDULERS,
    )


def _held(c: Case, wanted: float) -> tuple[float, int]:
    """Registers that a thread gets of those it wants, and workgroups that a unit holds at once.

    Every scheduler has its share of the registers. Where a few less let it hold one more SIMD group
    ptxas does with them.
    """
    most, width = int(c.chip.get("max_threads") or c.threads), int(c.chip.get("simd_width") or 32)
    held = min(wanted, THREAD_REGISTERS, UNIT_REGISTERS * most / c.threads)
    share = UNIT_REGISTERS * most / SCHEDULERS / width
    groups = share // (math.ceil(held / REGISTER_STEP) * REGISTER_STEP)
    if share // (groups + 1) // REGISTER_STEP * REGISTER_STEP >= NEARLY * held:
        groups += 1
    beside = int(groups * SCHEDULERS * width) // c.threads
    return held, max(1, min(FULL * most // c.threads, beside, WORKGROUPS))


def _imitated(c: Case, counts: Counts) -> Counts:
    """Workgroups on a CPU: a thread is a turn of a loop, seldom a lane of a vector.

    A workgroup has a core for itself; the rates are those of all cores together.
    """
    cores, width = float(c.chip.get("units") or 1), float(c.chip.get("simd_width") or 1)
    if c.route.form == "rows":
        return replace(counts, use=1 / cores)
    barriers = _stream_trips(c) if c.route.family == "stream" else 1
    instructions = counts.instructions * width + BARRIER_OPS * c.threads * _workgroups(c) * barriers
    use = min(1.0, _workgroups(c) / cores)
    return replace(counts, instructions=instructions, loads=0.0, in_flight=math.inf, use=use)


def _workgroups(c: Case) -> int:
    """Workgroups of the largest launch (lanes form)."""
    if c.matrices:
        owned = c.matrices[:1] if "gate_up" in c.work.ops else c.matrices
        return sum(math.ceil(t.rows / (c.axis("rows") * c.axis("groups"))) for t in owned)
    small = {"attention": c.work.kv_heads * c.axis("split"), "argmax": c.axis("split")}
    return max(small.get(op, 1) for op in c.work.ops)


def _prologues(c: Case, op: str) -> int:
    """How often an op runs (lanes form): a norm in front of a GEMV in every workgroup of it, RoPE
    in front of attention in every split."""
    if c.route.form == "lanes" and op == "norm" and c.work.ops[0] == "norm" and c.matrices:
        return _workgroups(c)
    if c.route.form == "lanes" and op == "rope_store" and "attention" in c.work.ops:
        return c.axis("split")
    return 1


def _repeated(counts: Counts, times: int) -> Counts:
    """The same by several workgroups side by side: more work, the waits of one."""
    return replace(
        counts,
        cached=counts.cached * times,
        instructions=counts.instructions * times,
        loads=counts.loads * times,
        in_flight=counts.in_flight * times,
        use=min(1.0, counts.use * times),
    )


def _launches(c: Case) -> int:
    """Lanes form: attention merges its splits, argmax where it has many inputs."""
    if c.route.form == "rows":
        return 1
    if "attention" in c.work.ops and c.route.family == "solo":
        return 1
    if "attention" in c.work.ops or {"head", "argmax"} <= set(c.work.ops):
        return 2
    return 2 if "argmax" in c.work.ops and c.axis("split") > 1 else 1


def _rows_gemv(c: Case, op: str, t: Table) -> Counts:
    """A sequential walk over rows: one thread, rolled lane loops, accumulators in registers."""
    shape, width = LAYOUTS[t.format], c.chip.get("simd_width") or 1
    lanes, rows = c.axis("lanes", 16, op), c.axis("rows", 1, op)
    unroll, split = c.axis("unroll", 1, op), c.axis("split", 1, op)
    walked = min(lanes, 32 if t.format == "Q8_0" else 16)
    sets, vectors = lanes // walked, max(1.0, walked / width)
    pieces = shape.block // walked
    once = bool(shape.scaled) and bool(c.axis("scale", 1, op) or _int8(c, op))
    scaled = shape.block // shape.scaled if shape.scaled else 0
    adds = scaled * min(sets, pieces // scaled) if once else pieces
    per_piece = _piece_ops(c, op, t, rows) + (1.0 if shape.scaled and not once else 0.0)
    block = (pieces * per_piece + (adds if once else 0)) * vectors + 2.0 / unroll / rows
    block += HEADER_OPS.get(t.format, 0.0)
    steps, registers_held = math.log2(max(lanes, 2)), max(1.0, lanes / width)
    spilled = max(0.0, rows * split * registers_held - 2 * width)
    fold = 2 * steps + 6 + (split - 1) * registers_held
    blocks = t.cols // shape.block
    return Counts(
        bytes=t.rows * blocks * shape.bytes,
        instructions=t.rows * (blocks * (block + 2 * spilled / unroll) + fold),
        chained=t.rows * blocks * adds / (min(sets, adds) * split) / rows,
        folds=t.rows * (steps + (1 if split > 1 else 0)) / rows,
        restarts=t.rows / rows * min(1.0, AHEAD / unroll) if rows > 1 else 0.0,
        launches=1.0,
    )


def _int8(c: Case, op: str) -> bool:
    """The op multiplies integers: only the first of a span reads what the span takes."""
    return c.route.takes == "q8" and op == c.work.ops[0]


def _piece_ops(c: Case, op: str, t: Table, rows: int) -> float:
    """Instructions per vector of weights: unpack, load the activation, multiply-add."""
    load = 0.5 / rows if c.axis("share", 0, op) else 0.5
    if _int8(c, op):
        return CODE_OPS[t.format] + 2 * load + 3.0
    return CODE_OPS[t.format] + load + 1.0


def _lanes_gemv(c: Case, tables: Sequence[Table]) -> Counts:
    """Workgroups whose lanes read consecutive units of a row; waves over the chip's units."""
    total = Counts()
    lanes, split, unroll = c.axis("lanes", 32), c.axis("split"), c.axis("unroll")
    rows, width = c.axis("rows"), c.chip.get("simd_width") or 32
    owned = tables[:1] if "gate_up" in c.work.ops else tables  # both by the same lanes
    parallel = sum(t.rows for t in owned) / rows * lanes * split
    slots, alone = [], 0.0
    for t in tables:
        shape, walked = layout(c, t), trips(c, t)
        reduce = 2 * math.log2(max(lanes, 2)) + (4 if split > 1 else 0)
        ops, loads, shared = _unit_ops(c, t)
        each, per_row = walked * unroll * period(c, t), t.rows * lanes * split / width
        loads = each * (loads + shared[1] / rows)
        thread = each * (ops + shared[0] / rows) + loads + (walked * 4 / rows) + reduce
        taken = loads * _turns(c, t)
        apart = APART_ALONE * taken if _scattered(shape) else 0.0
        slots.append(rows * (ALONE * thread + apart))
        alone += per_row * apart
        total = total + Counts(
            bytes=t.rows * t.cols / shape.block * shape.bytes,
            instructions=per_row * thread,
            loads=per_row * taken,
            converted=0.0 if _dot4(c) else float(t.rows * t.cols),
            chained=walked * unroll,
            folds=math.log2(max(lanes, 2)),
            drains=1.0,
            launches=1.0,
        )
    if not c.chip.get("imitated"):
        if len(owned) == 1:
            return replace(total, apart=alone)
        average = sum(s * t.rows for s, t in zip(slots, owned, strict=True))
        beyond = max(slots) - average / sum(t.rows for t in owned)
        return replace(total, apart=alone, beyond=beyond)
    beside = min(parallel, _resident(c)) / float(c.chip.get("units") or 1) / width
    return replace(total, turns=beside * (1 + c.axis("ahead", 0)))


def _words(c: Case) -> int:
    return c.axis("words", 4)


def _unit_ops(c: Case, t: Table) -> tuple[float, float, tuple[float, float]]:
    """Per load unit of one row: instructions without loads, loads; and both of those that all rows
    of a thread share, for the activation."""
    shape = layout(c, t)
    words = shape.words_of(_words(c))
    weights = shape.block * words / shape.words
    loads, joined = _weight_loads(c, shape, words)
    if not _dot4(c):
        header = HEADER_OPS.get(t.format, 0.0) * weights / shape.block + 6.0
        return header + joined + weights * (CODE_OPS[t.format] + 1.0), loads, (0.0, weights / 4)
    quad, strip, unit = INT8_OPS[t.format]
    strips = max(1.0, weights / (4 * words))
    ones = weights / 4 + strips if t.format in ZERO_POINT else 0.0
    activation = weights / 4 / min(4.0, weights / 4 / strips) + strips
    return weights / 4 * quad + strips * strip + unit + joined, loads, (ones + 4.0, activation)


def _weight_loads(c: Case, shape: Layout, words: int) -> tuple[float, float]:
    """(loads, instructions that put words together) of a unit of one row."""
    wanted, beside = shape.beside
    if shape.align >= 4:
        wide = min(words, shape.align // 4, 4)
        return wanted * words / wide + beside / min(4, shape.align // 4), 0.0
    wide = c.axis("wide", 0)
    if wide == 0:
        return 2.0 * wanted * words + beside, float(wanted * words)
    if wide == 1:
        return wanted * (words + 1.0) + beside, wanted * words + 2.0 * beside
    each = {2: words + 0.5, 4: words / 2 + 0.75, 8: words / 4 + 1.0}.get(wide, words / 4 + 1.0)
    return wanted * each + 1.0 + beside / 4, wanted * words / 2 + beside / 2


def _turns(c: Case, t: Table) -> float:
    """How often a load of weights is taken: two lines in one turn; and lanes whose units are n
    words long read every nth word, n of them from the same bank of the cache. Of scattered blocks
    several loads find the same lines."""
    width, lanes, shape = c.chip.get("simd_width") or 32, c.axis("lanes", 32), layout(c, t)
    words = shape.words_of(_words(c))
    run = lanes * words * 4 / LINE_BYTES
    if period(c, t) > 1:
        run = lanes / (shape.words / words)  # each block of a run lies in a line of its own
    lines = min(max(1.0, width / lanes) * max(1.0, run), width)
    if shape.align >= 4:
        return max(float(words), lines / 2)
    each = APART_TURNS if c.axis("wide", 0) else HALVES_TURNS
    return each * (words if _scattered(shape) else max(float(words), lines / 2))


def _scattered(shape: Layout) -> bool:
    """Blocks that lie on half-words and are longer than a line (Q6_K): many small loads each."""
    return shape.align < 4 and shape.bytes > LINE_BYTES


def _dot4(c: Case) -> bool:
    """Packed codes are multiplied four at a time as int8."""
    return bool(c.chip.get("dot4")) and multiplies_int8(c)


def _resident(c: Case) -> float:
    """Threads the chip can hold at once: one full workgroup per unit, fewer with many registers."""
    full = float(c.chip.get("max_threads") or c.threads)
    share = min(1.0, 64.0 / registers(c)) if c.matrices else 1.0
    held = max(float(c.threads), full * share // c.threads * c.threads)
    return float(c.chip.get("units") or 1) * held


SMALL_WAITS = {"norm": 2.0, "post_norm": 2.0, "embed": 2.0}
"""Memory latencies one after the other: the sum of squares and then the row, the id and its row."""


def _small(c: Case, op: str) -> Counts:
    """Norm, RoPE, attention, embedding, argmax: few bytes, so mostly the toll and its lanes."""
    w, lanes, width = c.work, c.axis("lanes", 16, op), c.chip.get("simd_width") or 1
    amount = float(_elements(w, op))
    if c.route.form == "lanes" and op == "argmax" and "head" in w.ops:
        amount = 2.0 * _workgroups(c)  # the head leaves one best per workgroup
    cold = cached = 0.0
    if op == "attention":
        cache = 2.0 * amount / (w.heads // w.kv_heads)
        together = c.axis("share", 0, op) or c.route.form == "lanes"
        cold, cached = cache, 0.0 if together else 2.0 * amount - cache
    elif op == "embed":
        cold = 4.0 * amount
    else:
        cached = 4.0 * amount
    if c.route.form == "rows":
        return Counts(
            bytes=cold,
            cached=cached,
            instructions=3 * amount / min(lanes, width),
            chained=amount / lanes / 4,
            launches=1,
        )
    heads = w.heads if c.route.family == "solo" else w.kv_heads
    groups = {"attention": heads * c.axis("split"), "argmax": c.axis("split")}.get(op, 1)
    threads = float(c.threads * groups)
    if op == "attention":
        return _lanes_attention(c, cold, threads)
    alone = not c.matrices
    counts = Counts(
        bytes=cold,
        cached=cached,
        instructions=3 * amount / width,
        chained=amount / threads,
        folds=math.log2(max(c.threads, 2)),
        drains=1.0,
        launches=1,
        in_flight=threads * 16,
        use=min(1.0, max(0.01, threads / _resident(c))) if alone else 1.0,
    )
    if alone and op != "argmax":
        # a thread's loads are all written out: they leave at once, and only depend on a few others
        return replace(counts, in_flight=math.inf, use=1.0, drains=SMALL_WAITS.get(op, 1.0))
    return counts


MERGE_WAITS = 8.0
"""What partials and a second launch that merges them wait for: on an H200 2 to 5 us."""


def _lanes_attention(c: Case, cold: float, threads: float) -> Counts:
    """Splits side by side: what a thread does per position, and the waits that follow each other.

    Tiles (family attention) wait for keys and for values in every step; lane groups that stream
    wait once per trip, for both together.
    """
    w, width = c.work, c.chip.get("simd_width") or 32
    heads, seen = w.heads // w.kv_heads, _seen(w)
    if c.route.family == "solo":
        return _solo_attention(c, cold)
    if c.route.family == "stream":
        lanes, unroll = c.axis("lanes"), c.axis("unroll")
        size = w.head_dim / lanes
        thread = size * (3 + 2 * heads + heads / unroll) + heads * (2 * math.log2(lanes) + 12) + 14
        waits = _stream_trips(c) - c.axis("ahead", 0) / 2
        instructions = thread * lanes * seen * w.kv_heads
        groups = w.kv_heads * c.axis("split")
        states, turned = c.threads // lanes, heads
        if c.axis("lean", 0):  # one state a SIMD group, made by steps that each halve what is left
            states = c.threads // SIMD
            instructions += threads * heads * size * (1 - lanes / SIMD) * 4
            if "rope_store" in w.ops:  # all threads turn a head, those of a SIMD group one in turn
                turned = math.ceil((heads + 1) * SIMD / c.threads)
        instructions += states * heads * w.head_dim * 4 * groups + threads * 24 * turned
        flight = threads * unroll * size * 4
        held = stream_registers(c)
    else:
        waits = 2 * math.ceil(min(seen, w.context / c.axis("split")) / TILE)
        instructions = seen * w.kv_heads * w.head_dim * (4 + 4 * heads)
        flight, held = threads * 16, 64
    full = float(c.chip.get("max_threads") or c.threads) * min(1.0, 64.0 / held)
    resident = float(c.chip.get("units") or 1) * max(c.threads, full // c.threads * c.threads)
    waves = threads / resident
    return Counts(
        bytes=cold,
        instructions=instructions / width,
        folds=math.log2(max(c.threads, 2)),
        drains=waits + MERGE_WAITS + ("rope_store" in w.ops),
        launches=1,
        in_flight=min(flight, flight / max(waves, 1e-9)),
        use=waves / math.ceil(waves) if waves > 1 else 1.0,
    )


SOLO_WAITS = 6.0
"""What one launch of attention waits for but its trips: on an H200 6.6 us at 256 positions and
25.1 at 2,048 leave 4 at none."""
HIDING = 16.0
"""SIMD groups of a unit that hide the chains of each other's sums: a guess. On an H200 a workgroup
of eight needed 10 ns for a position."""


def _solo_attention(c: Case, cold: float) -> Counts:
    """A query head in each workgroup: what one unit does and reads is done by as many as there are
    heads, the others idle."""
    w, width, units = c.work, c.chip.get("simd_width") or 32, float(c.chip.get("units") or 1)
    lanes, unroll, seen = c.axis("lanes"), c.axis("unroll"), _seen(w)
    size, busy = w.head_dim / lanes, math.ceil(w.heads / units) * units
    thread = size * (5 + 1 / unroll) + 2 * math.log2(lanes) + 26
    merged = c.threads * (size + 8) + c.threads // width * w.head_dim
    busy *= max(1.0, HIDING * width / c.threads)
    return Counts(
        bytes=cold,
        cached=math.ceil(w.heads / units) * units * 4.0 * w.head_dim * seen,
        instructions=busy * (thread * lanes * seen + merged) / width,
        folds=math.log2(max(c.threads, 2)),
        drains=SOLO_WAITS + _stream_trips(c) + ("rope_store" in w.ops),
        launches=1,
        in_flight=float(c.threads) * w.heads * unroll * size * 4,
    )


def _stream_trips(c: Case) -> int:
    """Trips of a lane group that streams positions."""
    beside = c.threads // c.axis("lanes") * c.axis("split") * c.axis("unroll")
    return math.ceil(_seen(c.work) / beside)


def _seen(w: WorkItem) -> int:
    """Positions in the cache that the timed token reads: itself too where it was stored before."""
    return cached_positions(w.context, w.window) + ("rope_store" not in w.ops)


def _elements(w: WorkItem, op: str) -> int:
    """Multiply-adds or comparisons of a small op; attention: all keys and values per query head."""
    return {
        "norm": 3 * w.d_model,
        "post_norm": 4 * w.d_model,
        "rope_store": (w.heads + 2 * w.kv_heads) * w.head_dim,
        "attention": 2 * w.heads * w.head_dim * _seen(w),
        "argmax": 2 * w.vocab,
    }.get(op, w.d_model)


# ---- keep --------------------------------------------------------------------------------------

DOUBT = 3.0
"""How far off any one constant may be, either way: what would then be the best is timed as well."""
DOUBTED = (
    "byte_ns",
    "instruction_ns",
    "convert_ns",
    "chain_ns",
    "fold_ns",
    "restart_ns",
    "latency_ns",
)


def champions(counted: Sequence[tuple[str, Counts]], constants: Constants) -> list[str]:
    """Names of the candidates that would be predicted fastest if one constant were DOUBT times
    larger or smaller; no name twice. Near-copies of one favourite all fail together, these do not.
    """
    out: dict[str, None] = {}
    for name in DOUBTED:
        value = getattr(constants, name)
        for factor in (DOUBT, 1 / DOUBT) if value else ():
            other = replace(constants, **{name: value * factor})
            out[min(counted, key=lambda nc: (time_of(nc[1], other).us, nc[0]))[0]] = None
    return list(out)


def _uncommon(g: Geometry) -> float:
    """How far a workgroup's threads are from 256: breaks ties, which workgroups often are."""
    threads = g.get("lanes", 32) * g.get("groups", 8) * g.get("split", 1)
    return abs(math.log2(threads / 256))


LEVELS = (
    "ties with one that is timed",
    "rows and lanes are those of an earlier one",
    "an earlier one but for its groups",
)
"""What is said of a candidate that is left out by its turn, by its level in `_various`."""


def _various(candidates: Sequence[Candidate]) -> dict[str, int]:
    """Key -> level, in the order of turns: of lanes geometries those come first (0) that have other
    rows or lanes than any before, and near-copies last (2), which differ in `groups` alone:
    predictions tie over whole planes of these axes, and a race that starts on several finds its way
    by itself."""
    levels: dict[str, int] = {}
    seen: tuple[set[object], ...] = (set(), set())
    for c in candidates:
        g = c.geometry
        shape = (c.route, g.get("rows", 0), g.get("lanes", 0))
        whole = (c.route, *((n, v) for n, v in g.axes if n != "groups"))
        levels[c.key] = 0
        if g.get("groups", 0):
            levels[c.key] = 2 if whole in seen[1] else 1 if shape in seen[0] else 0
        seen[0].add(shape)
        seen[1].add(whole)
    return dict(sorted(levels.items(), key=lambda kl: kl[1]))


def keep(
    predicted: Sequence[tuple[Candidate, Prediction]],
    margin: float,
    at_most: int,
    first: Collection[str] = (),
) -> list[tuple[Candidate, Outcome | None]]:
    """Which candidates are worth timing: the best, then those with a key in `first`, then who is
    within `margin` (1.3 = 30 % slower) of the best; at most so many, none for a margin below 1.

    Of lanes geometries one of each kind comes before its near-copies.
    In the order of predictions; None = kept, else pruned, by one of three reasons:

    | reason | number | limit |
    |---|---|---|
    | predicted-slow | predicted ÷ best | `margin`, or the slowest kept that was not favoured |
    | near-copy | its turn, behind those of other rows or lanes | how many are timed |
    | predicted-rank | its turn, where it ties with one that is timed | how many are timed |
    """
    order = sorted(predicted, key=lambda cp: (cp[1].us, _uncommon(cp[0].geometry), cp[0].key))
    if not order:
        return []
    best = order[0][1].us
    near = [c for c, p in order if p.us <= margin * best]
    wanted = dict.fromkeys([order[0][0], *(c for c, _ in order if c.key in first), *near])
    levels = _various(list(wanted))
    turns = {key: turn for turn, key in enumerate(levels, 1)}
    kept = set(list(levels)[:at_most] if margin >= 1 else [])
    last = max((p.us / best for c, p in order if c.key in kept and c.key not in first), default=1.0)
    out: list[tuple[Candidate, Outcome | None]] = []
    for candidate, prediction in order:
        if candidate.key in kept:
            out.append((candidate, None))
            continue
        ratio = prediction.us / best
        if ratio > margin or candidate.key not in turns:
            out.append((candidate, _pruned("predicted-slow", ratio, margin)))
            continue
        turn, level = turns[candidate.key], levels[candidate.key]
        if ratio > last:
            said = f"rank {turn}, {at_most} are timed"
            out.append((candidate, _pruned("predicted-slow", ratio, last, said)))
        else:
            code = "near-copy" if level else "predicted-rank"
            said = f"{ratio:.4g} times the best; {LEVELS[level]}"
            out.append((candidate, _pruned(code, turn, at_most, said)))
    return out


def _pruned(reason: str, number: float, limit: float, detail: str = "") -> Outcome:
    return Outcome(verdict=Verdict.pruned, reason=reason, number=number, limit=limit, detail=detail)
