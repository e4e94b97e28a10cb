"""How a probe times a kernel: captured, in batches, at two lengths, so that a slope is left.

Takes launches of `probe_kernels`, gives nanoseconds per unit of work with their spread. Never
divides a whole launch by its work: the launch would be in the figure.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.chip import chip_facts
from boltbeam.chip import probe_kernels as kernels
from boltbeam.chip.probe_kernels import Shape
from boltbeam.emit.core import Buf, Launch
from boltbeam.measure import clocks, timing
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_graph
from boltbeam.types import ChipFacts, Measured, Point, significant

Array = NDArray[Any]
PAIRS, PAIRS_FINAL = 3, 9
"""Pairs of a short and a long batch: while searching, and for what is reported."""
BATCH_US = 1000.0
LONG_US = 600.0
"""A launch is made so long that it works for this time; the short one is a quarter of it."""
PATIENCE, PATIENT_S = 8, 0.2
"""At most so many times the pairs asked for, and so many seconds, while others disturb."""
PATIENT_FOR_S = 4.0
"""A part of a quick probe that has lasted so long takes what it gets: a search waits for it."""
TRIES = 3
"""Slopes that are tried where more work seems to take no longer."""
FLEETING = 256
"""Workgroups a unit where each has little to do: a copy is fastest so on an H200, a read is not."""
AGREE = 0.01
"""The two shortest batches of a kind that differ by less were not disturbed."""


def quartiles(values: Sequence[float]) -> float:
    """Distance of the quartiles as a share of the median."""
    low, high = np.quantile(values, [0.25, 0.75])
    return float((high - low) / abs(median(values)))


@dataclass(frozen=True)
class Length:
    """What stands in `bounds`."""

    trips: int
    passes: int = 1
    start: int = 0


@dataclass(frozen=True)
class Slope:
    """Nanoseconds of one unit of work more, and how far the next best batches would move it."""

    ns: float
    spread: float


class Run:
    """Captured launches in a row, all of one length, which can be set."""

    def __init__(self, bench: Bench, launch: Launch, contents: Mapping[str, Any]) -> None:
        self._bench = bench
        self._bounds = bench.tensor(np.array([1, 1, 0], np.int32))
        self._now: Length | None = None
        self._replays: dict[Length, int] = {}
        self._deployed = bench.deploy(launch, {**contents, "bounds": self._bounds}, bench.repeats)

    def us(self, length: Length) -> float:
        """Microseconds per launch of one batch."""
        self._set(length)
        if length not in self._replays:
            self._replays[length] = self._deployed.replays_for(BATCH_US)
        return self._deployed.batch_us(self._replays[length])

    def once_us(self, length: Length) -> float:
        """Microseconds per launch of one replay, waited for."""
        self._set(length)
        return min(self._deployed.batch_us(1) for _ in range(2))

    def _set(self, length: Length) -> None:
        if length != self._now:
            bounds = np.array([length.trips, length.passes, length.start], np.int32)
            tg.write(self._bounds, bounds)
            self._now = length

    def longest(self, unit: Callable[[int], Length], most: int, long_us: float = LONG_US) -> int:
        """n so large that unit(n) takes `long_us` longer than nothing; at most `most`."""
        n, idle = 1, self.once_us(unit(0))
        while n < most:
            took = self.once_us(unit(n)) - idle
            if took >= long_us:
                break
            n = min(most, n * max(2, min(16, int(long_us / max(took, 1e-3)))))
        return n

    def slope(self, few: Length, many: Length, units: float, pairs: int) -> Slope | None:
        """Of `units` more work per launch from `few` to `many`; None: too disturbed."""
        patient_s = self._bench.patient_s
        return slope_of(lambda: self.us(few), lambda: self.us(many), units, pairs, patient_s)


def slope_of(
    few: Callable[[], float],
    many: Callable[[], float],
    units: float,
    pairs: int,
    patient_s: float = PATIENT_S,
) -> Slope | None:
    """From the shortest of interleaved batches of less and of more work (`units` more, in us)."""
    for _ in range(TRIES):
        (f1, f2), (m1, m2) = shortest(few, many, pairs, patient_s)
        if m1 > f1:
            others = [(m - f) / (m1 - f1) - 1 for m in (m1, m2) for f in (f1, f2)]
            return Slope((m1 - f1) * 1e3 / units, max(others) - min(others))
    return None


def shortest(
    one: Callable[[], float], other: Callable[[], float], pairs: int, patient_s: float = PATIENT_S
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The two shortest batches of each of two kinds that are run in turn.

    Whoever takes a core or the memory meanwhile only ever adds time: batches go on, up to
    PATIENCE times `pairs` or for `patient_s`, until the two shortest of each kind agree.
    """
    begun = time.monotonic()
    a: list[float] = []
    b: list[float] = []
    while len(a) < max(2, pairs) or (
        len(a) < PATIENCE * pairs and time.monotonic() - begun < patient_s and not _agree(a, b)
    ):
        a.append(one())
        b.append(other())
    (a1, a2), (b1, b2) = sorted(a)[:2], sorted(b)[:2]
    return (a1, a2), (b1, b2)


def _agree(*batches: list[float]) -> bool:
    return all(second <= (1 + AGREE) * first for first, second in (sorted(b)[:2] for b in batches))


class Bench:
    """Runs probe launches on one chip."""

    def __init__(self, chip: ChipFacts, full: bool = False) -> None:
        self.chip, self.device, self.full = chip, chip.device, full
        self.rows_form = not chip.get("workgroups")
        self.units = int(chip.get("units") or 1)
        self.imitated = bool(chip.get("imitated"))
        """Workgroups that a CPU imitates: few threads, each with a stretch of its own."""
        self.on_cpu = self.rows_form or self.imitated
        self.repeats = 1 if self.on_cpu else 8
        """Launches per replay: a GPU must be busy longer than Python needs for the next replay."""
        self._begun = time.monotonic()
        self.date = datetime.datetime.now(datetime.UTC).date().isoformat()

    @property
    def patient_s(self) -> float:
        """How long a slope may wait for undisturbed batches."""
        late = time.monotonic() - self._begun > PATIENT_FOR_S
        return 0.0 if late and not self.full else PATIENT_S

    def deploy(self, launch: Launch, contents: Mapping[str, Any], works: int) -> timing.Deployed:
        """Capture `works` launches in a row, chained through their output."""
        return self.deploy_row([(launch, contents)] * works)

    def deploy_row(self, row: Sequence[tuple[Launch, Mapping[str, Any]]]) -> timing.Deployed:
        """Capture launches one after another; equal outputs are one tensor, so each waits."""
        outs: dict[Buf, Any] = {}
        for launch, contents in row:
            for b in launch.outs:
                if b not in outs:
                    given = contents.get(b.name)
                    outs[b] = tg.empty(b, self.device) if given is None else given

        def step() -> None:
            now = dict(outs)
            for launch, contents in row:
                held = [now[b] for b in launch.outs] + [contents[b.name] for b in launch.ins]
                now |= zip(launch.outs, tg.call(launch, held), strict=True)
            tg.realize(list(now.values()))

        replay = tinygrad_graph.capture(step)  # one graph, as tokens are deployed
        replay()
        return timing.Deployed(replay, self.device, len(row), 1, 0)

    def tensor(self, values: Array) -> Any:
        return tg.upload(values, self.device)

    def whole(self, words: float) -> int:
        """The next number of words that every geometry can share out."""
        unit = self.units << 16
        return max(1, round(words / unit)) * unit

    def floats(self, n: int) -> Any:
        """n floats on the device, written there by a kernel; `whole` gives such an n."""
        tensor = tg.reserve(Buf("y", n, "f32"), self.device)
        bounds = self.tensor(np.array([n // self.filler.step, 1, 0], np.int32))
        tg.realize(tg.call(kernels.fill(self.filler, n), [tensor, bounds]))
        return tensor

    @property
    def filler(self) -> Shape:
        """A geometry for stores that needs no search."""
        if self.rows_form:
            return Shape(64)
        if self.imitated:
            return Shape(16, self.units, order="thread")
        return Shape(4, self.units * 8, 256)

    # ---- what is reported --------------------------------------------------------------------

    def point(self, at: str, value: float, spread: float, in_flight: float | None = None) -> Point:
        return Point(
            at=at, value=value, spread=spread, clock_mhz=self.clock_mhz(), in_flight=in_flight
        )

    def measured(
        self, value: float, unit: str, how: str, spread: float, points: Sequence[Point] = ()
    ) -> Measured:
        return Measured(
            value=significant(value),
            unit=unit,
            how=how,
            spread=float(f"{spread:.3g}"),
            clock_mhz=self.clock_mhz(),
            date=self.date,
            points=tuple(points),
        )

    def clock_mhz(self) -> float | None:
        if self.on_cpu:
            told = chip_facts.cpu_info().get("cpu MHz")
            return float(told) if told else None
        return clocks.state(self.device).clock_mhz

    # ---- shapes ------------------------------------------------------------------------------

    @property
    def single(self) -> Shape:
        """One thread with one accumulator."""
        return Shape(1) if self.rows_form else Shape(1, 1, 1)

    def starts(self) -> list[Shape]:
        """Where a climb over geometries begins."""
        if self.rows_form:
            return [Shape(64)]
        if self.imitated:
            return [Shape(n, self.units, order="thread") for n in (16, 64)]
        top = int(self.chip.get("max_threads") or 256)
        u = self.units
        return [
            Shape(8, 2 * u, min(top, 1024)),
            Shape(4, 8 * u, min(top, 256), 4),
            Shape(4, 16 * u, min(top, 256), 4, "tile"),
        ]

    def copying_starts(self) -> list[Shape]:
        """Where a climb over geometries of copies begins, beside the best that reads."""
        if self.rows_form or self.imitated:
            return self.starts()
        top = int(self.chip.get("max_threads") or 256)
        return [*self.starts(), Shape(1, FLEETING * self.units, min(top, 128), 4)]

    def near(self, s: Shape) -> list[Shape]:
        """Shapes that differ from `s` in one axis, by one step."""
        if self.rows_form:
            return [Shape(n) for n in (s.lanes // 2, s.lanes * 2) if 16 <= n <= 512]
        u, top = self.units, int(self.chip.get("max_threads") or 256)
        most = 128 if self.imitated else 64
        most_groups = 16 * FLEETING if s.groups > 64 * u else 64
        axes: dict[str, list[Any]] = {
            "words": [w for w in (s.words // 2, s.words * 2) if 1 <= w <= 4],
            "lanes": [n for n in (s.lanes // 2, s.lanes * 2) if n >= 1],
            "groups": [g for g in (s.groups // 2, s.groups * 2) if u <= g <= most_groups * u],
            "threads": [t for t in (s.threads // 2, s.threads * 2) if 64 <= t <= top],
            "order": [o for o in ("strided", "tile", "group") if o != s.order],
        }
        if self.imitated:
            axes["threads"], axes["order"] = [], []
        made = [Shape(**{**vars(s), name: v}) for name, vs in axes.items() for v in vs]
        return [m for m in made if m.lanes * m.words <= most]

    @property
    def at_most(self) -> int:
        """Geometries that one climb may try."""
        if self.on_cpu:
            return 24 if self.full else 8
        return 96 if self.full else 24
