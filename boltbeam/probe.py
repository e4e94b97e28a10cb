"""Measures the chip in this machine with generated kernels: the constants that predictions need.

Takes a device, gives ChipFacts with `measured` filled. Never reports a published
figure, never a default: what could not be measured here is missing.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam import chip_facts, clocks, emit, registry, sample_data, timing
from boltbeam import probe_kernels as kernels
from boltbeam import tinygrad_adapter as tg
from boltbeam.emit.core import Launch, Target
from boltbeam.locks import PATIENCE_S, lock
from boltbeam.probe_kernels import Shape
from boltbeam.types import ChipFacts, Geometry, Measured, Table, WorkItem

Array = NDArray[Any]

SET_FACTOR = 4.25
"""A memory-bound working set is this many last-level caches."""
SET_BYTES_UNKNOWN = 512 << 20
"""Working set where nobody declares the cache."""
SAMPLES = 5
BATCH_US = 4000.0


def open_device(alias: str) -> tuple[str, str]:
    """(tinygrad device of `cpu`, `cl`, `nv`, …; why not a better one). Raises NoDevice."""
    return chip_facts.open_device(alias)


def local_chip(device: str) -> ChipFacts:
    """Declared facts of tinygrad's `device`, nothing measured. Raises NoDevice in one line."""
    chip_facts.require(device)
    return chip_facts.facts(device)


def measured_chip(device: str) -> ChipFacts:
    """The facts with all rates measured now; takes under 20 s."""
    facts = local_chip(device)
    return facts.model_copy(update={"measured": measure_chip(facts)})


def measure_chip(chip: ChipFacts) -> dict[str, Measured]:
    """All rates of an opened chip, by the keys that FutureSight reads."""
    bench = _Bench(chip)
    found: dict[str, Measured] = {}
    with lock(chip.id, timeout_s=PATIENCE_S):
        for part in (_launches, _arithmetic, _memory):
            found |= dict(part(bench))
    return found


@dataclass
class _Result:
    """Microseconds per launch of the best geometry, and which it was."""

    us: list[float]
    shape: Shape
    tried: int

    @property
    def best_us(self) -> float:
        return min(self.us)

    @property
    def spread(self) -> float:
        return median(self.us) / min(self.us) - 1


class _Bench:
    """Runs probe launches on one chip."""

    def __init__(self, chip: ChipFacts) -> None:
        self.chip, self.device = chip, chip.device
        self.rows_form = not chip.get("workgroups")
        self.units = int(chip.get("units") or 1)
        self.on_cpu = chip.device == "CPU" or chip.id.startswith("cl-pocl")
        self.slow_lanes = self.on_cpu and not self.rows_form
        """Workgroups that a CPU imitates: few threads, each with a stretch of its own."""
        self.date = datetime.datetime.now(datetime.UTC).date().isoformat()

    def deploy(self, launch: Launch, contents: dict[str, Any], works: int) -> timing.Deployed:
        """Capture `works` launches in a row, chained through their output."""
        ins = [contents[b.name] for b in launch.ins]
        outs = [contents.get(b.name) or tg.empty(b, self.device) for b in launch.outs]

        def step() -> None:
            now = outs
            for _ in range(works):
                now = tg.call(launch, [*now, *ins])
            tg.realize(now)

        replay = tg.jit(step)
        replay()
        replay()
        return timing.Deployed(replay, self.device, works, 1, 0)

    def sample(self, deployed: timing.Deployed, n: int = SAMPLES) -> list[float]:
        replays = deployed.replays_for(BATCH_US)
        return [deployed.batch_us(replays) for _ in range(n)]

    def best(
        self,
        shapes: Sequence[Shape],
        launch: Callable[[Shape], Launch],
        contents: dict[str, Any],
        works: int,
        amount: Callable[[Shape], float] = lambda _s: 1.0,
    ) -> _Result:
        """The shape with the highest amount per time, sampled again after all had their turn."""
        runs = [(s, self.deploy(launch(s), contents, works)) for s in shapes]
        shape, run = min(runs, key=lambda sr: min(self.sample(sr[1], 2)) / amount(sr[0]))
        return _Result(self.sample(run), shape, len(shapes))

    def tensor(self, values: Array) -> Any:
        return tg.upload(values, self.device)

    def measured(self, value: float, unit: str, how: str, spread: float) -> Measured:
        return Measured(
            value=float(f"{value:.4g}"),
            unit=unit,
            how=how,
            spread=float(f"{spread:.3g}"),
            clock_mhz=self.clock_mhz(),
            date=self.date,
        )

    def clock_mhz(self) -> float | None:
        if self.on_cpu:
            told = chip_facts.cpu_info().get("cpu MHz")
            return float(told) if told else None
        return clocks.state(self.device).clock_mhz

    def shapes(self, rows: Sequence[int], lanes: Sequence[tuple[int, int, int]]) -> list[Shape]:
        """Rows form: accumulators; lanes form: (accumulators, groups per unit, threads)."""
        if self.rows_form:
            return [Shape(n) for n in rows]
        if self.slow_lanes:
            return [Shape(n, self.units * g, 1, True) for n, g in ((16, 1), (64, 4))]
        top = int(self.chip.get("max_threads") or 256)
        return [Shape(n, self.units * g, t) for n, g, t in lanes if t <= top]

    @property
    def single(self) -> Shape:
        """One thread with one accumulator."""
        return Shape(1) if self.rows_form else Shape(1, 1, 1)


Found = Iterator[tuple[str, Measured]]
READERS = ((4, 16, 256), (8, 4, 256), (8, 8, 256), (16, 4, 512), (8, 2, 1024))
CACHED_GEMVS = (
    "lanes=16 rows=1 scale=1 share=0 split=1 unroll=3",
    "lanes=16 rows=1 scale=1 share=0 split=2 unroll=6",
)
WORKERS = ((8, 8, 256), (16, 4, 256), (4, 16, 256))


def _launches(b: _Bench) -> Found:
    """What a launch costs when it does nothing."""
    launch = kernels.nothing(b.rows_form)
    one = b.deploy(launch, {}, 1)
    alone = [one.batch_us(1) for _ in range(60)][10:]
    how = f"one empty launch, submitted and waited for, median of {len(alone)}"
    yield "dispatch_us", b.measured(median(alone), "us", how, _quartiles(alone))
    few, many = 32, 160
    short, long = b.deploy(launch, {}, few), b.deploy(launch, {}, many)
    a, z = b.sample(short, 9), b.sample(long, 9)
    slopes = [(y * many - x * few) / (many - few) for x, y in zip(a, z, strict=True)]
    how = f"captured graph of {many} against {few} chained empty launches, slope"
    yield "toll_us", b.measured(median(slopes), "us", how, _quartiles(slopes))


def _quartiles(values: Sequence[float]) -> float:
    low, high = np.quantile(values, [0.25, 0.75])
    return float((high - low) / abs(median(values)))


def _arithmetic(b: _Bench) -> Found:
    trips = 20_000 if b.rows_form or b.slow_lanes else 2_000
    cd = {"cd": b.tensor(np.array([0.5, 1.0], np.float32))}
    shapes = b.shapes((64, 128, 192), WORKERS)

    def work(s: Shape) -> float:
        return float(s.lanes * s.total)

    r = b.best(shapes, lambda s: kernels.multiply_add(s, trips), cd, 2, work)
    rate = 2 * work(r.shape) * trips / r.best_us / 1e6
    how = f"multiply-adds in registers, {r.shape}, best of {r.tried}"
    yield "fp32_fma_tops", b.measured(rate, "T/s", how, r.spread)

    r = b.best([b.single], lambda s: kernels.multiply_add(s, trips), cd, 2)
    how = f"{trips} multiply-adds, each of the one before"
    yield "fma_chain_ns", b.measured(r.best_us * 1e3 / trips, "ns", how, r.spread)
    yield from _unpack(b)
    if b.chip.get("dot4") and tg.is_cuda_source(b.device):
        words = {"words": b.tensor(np.array([0x01020304, 0x01010101], np.int32))}
        r = b.best(shapes, lambda s: kernels.dot4(s, trips), words, 2, work)
        rate = 8 * work(r.shape) * trips / r.best_us / 1e6
        how = f"dp4a in registers, {r.shape}, best of {r.tried}"
        yield "dot4_tops", b.measured(rate, "T/s", how, r.spread)


def _unpack(b: _Bench) -> Found:
    """How fast packed codes become fp32 products. Rows form: by the emitter's own inner loop."""
    if b.rows_form:
        yield from _gemv_in_cache(b)
        return
    shapes = b.shapes((32, 64, 128), ((8, 8, 128), (4, 8, 256), (8, 4, 256)))
    n = math.lcm(*(s.lanes * s.threads for s in shapes)) * 2
    n *= max(1, 4096 // n)
    trips = 100
    contents = {
        "w": b.tensor(np.arange(n, dtype=np.uint8)),
        "x": b.tensor(np.full(n, 0.5, np.float32)),
    }

    def weights(s: Shape) -> float:
        return float(n * trips * max(1, s.groups))

    r = b.best(shapes, lambda s: kernels.unpack(s, n, trips), contents, 4, weights)
    how = f"bytes to float times activation, {n} of them in the nearest cache, {r.shape}"
    yield "unpack_gwps", b.measured(weights(r.shape) / r.best_us / 1e3, "G/s", how, r.spread)


def _gemv_in_cache(b: _Bench) -> Found:
    """Q8_0 tables of two sizes times a vector, again and again: the slope leaves the launch out.

    Every block ends in one sum, so the time of a block bounds what a sum in a chain costs there:
    a core that works on several rows at once hides part of the latency of a lone chain.
    """
    few, many = (_gemv_item(rows) for rows in (256, 1024))
    rates = {}
    for text in CACHED_GEMVS:
        short, long = _gemv_run(b, few, text), _gemv_run(b, many, text)
        pairs = zip(b.sample(short, 9), b.sample(long, 9), strict=True)
        rates[text] = [(many.weights - few.weights) / (y - x) / 1e3 for x, y in pairs if y > x]
    size = f"{many.tables[0].rows} against {few.tables[0].rows} rows of {many.d_model} in Q8_0"
    if not all(rates.values()):
        return  # so disturbed that more rows took no longer
    text = max(rates, key=lambda t: median(rates[t]))
    how = f"GEMV in cache, {text}, {size}, slope"
    yield "unpack_gwps", b.measured(median(rates[text]), "G/s", how, _quartiles(rates[text]))
    single = rates[CACHED_GEMVS[0]]
    how = f"time per block at most: GEMV in cache, {CACHED_GEMVS[0]}, {size}, slope"
    yield "sum_chain_ns", b.measured(32 / median(single), "ns", how, _quartiles(single))


def _gemv_item(rows: int) -> WorkItem:
    table = Table(role="output", rows=rows, cols=576, format="Q8_0")
    return WorkItem(
        op="head",
        tables=(table,),
        d_model=table.cols,
        heads=1,
        kv_heads=1,
        head_dim=64,
        rope_dim=64,
        norm_eps=1e-5,
        vocab=rows,
        context=64,
    )


def _gemv_run(b: _Bench, item: WorkItem, geometry: str) -> timing.Deployed:
    route, target = registry.route("gemv_rows_f32"), Target(b.device, b.chip)
    (launch,) = emit.launches(item, route, Geometry.parse(geometry), target)
    made = sample_data.arrays(item, launch.ins, np.random.default_rng(0), "random")
    contents = {x.name: b.tensor(made[x.name].view(tg.NUMPY[x.dtype])) for x in launch.ins}
    return b.deploy(launch, contents, 8)


def _memory(b: _Bench) -> Found:
    cache = b.chip.get("cache_bytes")
    wanted = int(cache * SET_FACTOR) if cache else SET_BYTES_UNKNOWN
    shapes = b.shapes((32, 64, 128), READERS)
    step = math.lcm(*(s.total * s.lanes for s in shapes))
    n = -(-wanted // 4 // step) * step
    x = {"x": b.tensor(np.full(n, 1e-3, np.float32))}
    r = b.best(shapes, lambda s: kernels.read(s, n), x, 2)
    how = f"sum of {n * 4 / 1e6:.0f} MB, {r.shape}, best of {r.tried} geometries"
    yield "read_gbps", b.measured(n * 4 / r.best_us / 1e3, "GB/s", how, r.spread)

    copies = [Shape(1)] if b.rows_form else [r.shape]
    c = b.best(copies, lambda s: kernels.copy(s, n), x, 2)
    how = f"copy of {n * 4 / 1e6:.0f} MB, read + written bytes, {c.shape}"
    yield "copy_gbps", b.measured(2 * n * 4 / c.best_us / 1e3, "GB/s", how, c.spread)

    if cache:
        m = max(1, cache // 16 // step) * step
        small = {"x": b.tensor(np.full(m, 1e-3, np.float32))}
        r = b.best(shapes, lambda s: kernels.read(s, m), small, 8)
        how = f"sum of the same {m * 4 / 1e6:.1f} MB, {r.shape}, best of {r.tried} geometries"
        yield "cached_gbps", b.measured(m * 4 / r.best_us / 1e3, "GB/s", how, r.spread)
    yield from _latency(b, wanted)


def _latency(b: _Bench, set_bytes: int) -> Found:
    lines, steps = set_bytes // 64, 8192
    order = np.random.default_rng(0).permutation(lines).astype(np.int64)
    index = np.zeros(lines * 16, np.int32)
    index[order * 16] = np.roll(order, -1) * 16
    contents = {"next": b.tensor(index)}
    r = b.best([b.single], lambda s: kernels.chase(s, lines * 16, steps), contents, 1)
    how = f"{steps} dependent loads at random in {set_bytes / 1e6:.0f} MB"
    yield "latency_ns", b.measured(r.best_us * 1e3 / steps, "ns", how, r.spread)
