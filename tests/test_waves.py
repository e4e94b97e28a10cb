"""Search in waves with a device that answers from a formula: winners climb."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import cuda_kernels
import pytest
from known_shapes import qwen3_8b

from boltbeam import registry
from boltbeam.models.synth import synth
from boltbeam.predict import bubblebeam, chips
from boltbeam.records import record
from boltbeam.search import filters, search
from boltbeam.search.search_items import Considered, ItemResult, Request
from boltbeam.types import (
    Candidate,
    ChipFacts,
    Geometry,
    Measured,
    Measurement,
    ModelFacts,
    Outcome,
    Proof,
    Protocol,
    Verdict,
)

RATES = {
    "fp32_fma_tops": 60.0,
    "unpack_gwps": 8000.0,
    "toll_us": 1.0,
    "latency_ns": 500.0,
    "cached_gbps": 5000.0,
    "fma_chain_ns": 2.0,
}


class Formula:
    """Every candidate is right; the more groups and the fewer rows, the faster."""

    reused = 0
    clock = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self.proved: list[str] = []

    def prove(
        self, candidates: Sequence[Candidate], seed: int, heard: Callable[[float], None]
    ) -> dict[str, Proof | Outcome]:
        self.proved += [c.key for c in candidates]
        return {c.key: Proof(ok=True, reason="ok", source_hash=c.key) for c in candidates}

    def race(
        self, candidates: Sequence[Candidate], seed: int, stay: Collection[str] = ()
    ) -> dict[str, float | Outcome]:
        return {c.key: self.us(c) for c in candidates}

    def us(self, c: Candidate) -> float:
        return 10 + c.geometry.get("rows", 1) + 16 / c.geometry.get("groups", 1)

    def compare(self, candidate: Candidate, protocol: Protocol, comparisons: int) -> Measurement:
        us = self.us(candidate)
        return Measurement(
            protocol=protocol.id,
            candidate_us=(us,) * 9,
            incumbent_us=(2 * us,) * 9,
            aa_spread=0.001,
            stop_reason="a formula",
            copies=1,
        )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModelFacts:
    from boltbeam.models import gguf_model

    path = tmp_path_factory.mktemp("waves") / "tiny.gguf"
    synth("tiny-qwen3", path)
    return gguf_model.read(path)


@pytest.fixture(scope="module")
def chip() -> ChipFacts:
    h200 = chips.get("h200")
    made = {
        n: Measured(value=v, unit="x", how="assumed by a test", date="2026-11-29")
        for n, v in RATES.items()
    }
    return h200.model_copy(update={"measured": {**h200.measured, **made}})


def best_of(item: ItemResult) -> float:
    found = item.fastest()
    assert found is not None
    return item.raced_us[found.candidate.key]


def test_the_race_climbs_from_its_starts(model: ModelFacts, chip: ChipFacts) -> None:
    device = Formula()
    found = search.search(Request(model=model, chip=chip), device, lambda *_: None)  # type: ignore[arg-type]
    assert found.choice is not None and not found.stopped
    item = next(i for i in found.items if i.work.op == "down")
    before = filters.filter_all(Request(model=model, chip=chip))[1]
    starts = [c.candidate.key for i in before if i.work == item.work for c in i.kept]
    first = min(item.raced_us[k] for k in starts if k in item.raced_us)
    assert len(item.kept) > len(starts) and best_of(item) <= first
    assert all(c.predicted_us for c in item.kept)  # an audit ranks those that the climb added too
    assert len(device.proved) == len(set(device.proved))


class Maze(Formula):
    """Of the starts of each work item the third is slower by 2 %; only its neighbours are fast."""

    def __init__(self) -> None:
        super().__init__()
        self.starts: dict[str, list[Candidate]] = {}

    def race(
        self, candidates: Sequence[Candidate], seed: int, stay: Collection[str] = ()
    ) -> dict[str, float | Outcome]:
        starts = self.starts.setdefault(candidates[0].work.key, list(candidates))
        return {c.key: self.maze_us(c, starts) for c in candidates}

    def maze_us(self, c: Candidate, starts: list[Candidate]) -> float:
        if c in starts:
            return 10 + 0.1 * [s for s in starts if s.route == c.route].index(c)
        mine = [s for s in starts if s.route == c.route]
        third = len(mine) > 2 and steps(c, mine[2]) == 1
        return 8.0 if third and all(steps(c, s) > 1 for s in mine if s != mine[2]) else 11.5


def steps(a: Candidate, b: Candidate) -> int:
    """Axes that differ."""
    return len(set(a.geometry.axes) ^ set(b.geometry.axes)) // 2


@pytest.mark.parametrize("leaders", [1, search.LEADERS])
def test_a_climb_begins_at_several_that_are_close(
    model: ModelFacts, chip: ChipFacts, leaders: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "LEADERS", leaders)
    device = Maze()
    found = search.search(Request(model=model, chip=chip), device, lambda *_: None)  # type: ignore[arg-type]
    item = next(i for i in found.items if i.work.op == "down")
    assert (best_of(item) == 8.0) == (leaders > 1)
    for item in found.items:
        kin = [search.kin(c.route) for c in search.leaders(item)]
        assert all(kin.count(one) <= leaders for one in kin)


def test_routes_with_the_same_axes_try_each_others_geometries(
    model: ModelFacts, chip: ChipFacts
) -> None:
    request = Request(model=model, chip=chip, numerics="q8")
    found = search.search(request, Formula(), lambda *_: None)  # type: ignore[arg-type]
    item = next(i for i in found.items if i.work.op == "gate_up")
    one = next(c for c in item.kept if c.route.id == "gate_up_lanes_q8_f32")
    far = [c for c in item.kept if c.route.id == "gate_up_lanes_q8_q8"]
    other = next(c for c in far if steps(c.candidate, one.candidate) > 1)
    item.kept = [one, other]
    item.raced_us = dict.fromkeys((one.candidate.key, other.candidate.key), 1.0)
    first = {k: c for c in item.kept for k in [c.candidate.key]}
    keys = search.climb(item, request)
    tried = {(k.split("|")[1], k.split("|")[2]) for k in keys - set(first)}
    assert len({geometry for _, geometry in tried}) == len(tried)  # by one of the routes
    item.kept = [one, other]
    keys = search.climb(item, request, last=True)
    for a, b in ((one, other), (other, one)):
        twin = Candidate(work=item.work, route=a.route.id, geometry=b.candidate.geometry)
        legal = not bubblebeam.geometry_legal(item.work, a.route, twin.geometry, chip)
        assert (twin.key in keys) == legal
    assert [t.geometry for t in search.twins(item.work, one, [other.route], request)]


def test_words_are_exchanged_for_trips(model: ModelFacts, chip: ChipFacts) -> None:
    """Half the words and twice the trips at once: either alone may be the slower way there."""
    request = Request(model=model, chip=chip, numerics="q8")
    _, items = search.filter_all(request)
    c = next(c for i in items for c in i.kept if exchangeable(c))
    item = next(i for i in items if c in i.kept)
    now = dict(c.candidate.geometry.axes)
    near = [dict(n.geometry.axes) for n in search.neighbours(item.work, c, request)]
    moved = [{k: (now[k], v) for k, v in n.items() if v != now[k]} for n in near]
    assert {len(m) for m in moved} == {1, 2} and len({str(m) for m in moved}) == len(moved)
    for m in (m for m in moved if len(m) == 2):
        assert set(m) in map(set, search.EXCHANGED)
        (a, b), (x, y) = m.values()
        assert (a < b) == (x > y)


def test_an_axis_that_an_older_geometry_lacks_counts_as_0() -> None:
    """Its neighbours are those of the same kernel as it is spelled today, `lean=1` among them."""
    request = Request(model=qwen3_8b(), chip=chips.get("h200"), numerics="q8")
    work = cuda_kernels.work_item("rope_store+attention", "")
    route = registry.route("stream_lanes_rope_q8")
    text = "ahead=1 lanes=16 {}split=8 threads=256 unroll=4"
    old, now, lean = (Geometry.parse(text.format(axis)) for axis in ("", "lean=0 ", "lean=1 "))

    def near(geometry: Geometry) -> set[Geometry]:
        candidate = Candidate(work=work, route=route.id, geometry=geometry)
        c = Considered(candidate, route, None)
        return {n.geometry for n in search.neighbours(work, c, request)}

    assert near(old) == near(now) and lean in near(now) and now in near(lean)
    kernels = [cuda_kernels.rendered(route.id, work.op, "", str(g)) for g in (old, now, lean)]
    one, other, third = (list(k) for k in kernels)
    assert [t for _, t in one] == [t for _, t in other] and one[0][1] != third[0][1]
    assert [t for _, t in one[1:]] == [t for _, t in third[1:]]


def exchangeable(c: Considered) -> bool:
    geometry = c.candidate.geometry
    return geometry.get("words", 0) == 4 and geometry.get("unroll", 0) == 1


class Drift(Formula):
    """A machine whose clock falls by 2 % from race to race, and a formula without neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.races: list[list[str]] = []
        self.stayed: list[bool] = []
        self.crc: dict[str, int] = {}

    def race(
        self, candidates: Sequence[Candidate], seed: int, stay: Collection[str] = ()
    ) -> dict[str, float | Outcome]:
        assert not stay or set(stay) == {c.key for c in candidates}
        self.stayed.append(bool(stay))
        self.races.append([c.key for c in candidates])
        self.crc |= {c.key: crc(c) for c in candidates}
        mine = {c.work.key for c in candidates}
        slower = 1.02 ** sum(r[0].split("|")[0] in mine for r in self.races)
        return {c.key: slower * (10 + crc(c) / 1e3) for c in candidates}


def crc(c: Candidate) -> int:
    """A number below 1000 that neighbours do not share."""
    return zlib.crc32(c.key.encode()) % 1000


def test_who_leads_was_in_the_last_race(model: ModelFacts, chip: ChipFacts) -> None:
    """Times of different races cannot tell 1 %; those that are close meet once more."""
    device = Drift()
    found = search.search(Request(model=model, chip=chip), device, lambda *_: None)  # type: ignore[arg-type]
    item = next(i for i in found.items if i.work.op == "down")
    at = max(n for n, r in enumerate(device.races) if set(r) & set(item.raced_us))
    last = device.races[at]
    assert set(last) == item.final and len(last) > 1 and device.stayed[at]
    faces = {(c.route.takes, c.route.gives) for c in map(item.considered, last)}
    assert len(last) <= search.FINALISTS * len(faces)
    for takes, gives in faces:
        fastest = item.fastest(takes, gives)
        assert fastest is not None and fastest.candidate.key in last
        same = [k for k in last if item.considered(k).route.takes == takes]
        same = [k for k in same if item.considered(k).route.gives == gives]
        assert device.crc[fastest.candidate.key] == min(device.crc[k] for k in same)


def test_who_is_far_behind_is_not_in_the_last_race(model: ModelFacts, chip: ChipFacts) -> None:
    request, device = Request(model=model, chip=chip), Drift()
    found = search.search(request, device, lambda *_: None)  # type: ignore[arg-type]
    item = next(i for i in found.items if i.work.op == "down")
    route = item.considered(item.racers[0]).route
    a, b, c = [k for k in item.racers if item.considered(k).route == route][:3]
    item.raced_us = {a: 1.0, b: 1.02, c: 1.05}
    assert set(search.finalists(item)) == {a, b}


class Slow(Drift):
    """Only last races take time: ten seconds each."""

    def clock(self) -> float:  # type: ignore[override]
        return 10.0 * sum(self.stayed)


def test_last_races_end_with_the_budget(model: ModelFacts, chip: ChipFacts) -> None:
    def ended(budget_s: float | None) -> tuple[int, search.Found]:
        device, request = Slow(), Request(model=model, chip=chip, budget_s=budget_s)
        found = search.search(request, device, lambda *_: None)  # type: ignore[arg-type]
        return sum(device.stayed), found

    assert ended(None)[0] > 2
    races, found = ended(15 / search.WAVES_SHARE)
    assert races == 2 and found.stopped == "budget" and found.plan is not None
    assert all(i.stopped == "budget" for i in found.items if search.finalists(i) and not i.final)


def test_no_budget_still_plans_a_whole_token(model: ModelFacts, chip: ChipFacts) -> None:
    request = Request(model=model, chip=chip, budget_s=-1.0)
    found = search.search(request, Formula(), lambda *_: None)  # type: ignore[arg-type]
    assert found.stopped == "budget" and found.choice is not None


class Ceiling(Formula):
    """Cold times on a chip whose read rate every probe finds at `gbps`."""

    def __init__(self, chip: ChipFacts, gbps: float) -> None:
        super().__init__()
        self.chip, self.gbps, self.probes = chip, gbps, 0

    def compare(self, candidate: Candidate, protocol: Protocol, comparisons: int) -> Measurement:
        return (
            super().compare(candidate, protocol, comparisons).model_copy(update={"cold_ratio": 3.0})
        )

    def probe(self, again: int = 0) -> ChipFacts | Outcome:
        assert again == 1
        self.probes += 1
        return reading(self.chip, self.gbps) if self.gbps else failure()


def failure() -> Outcome:
    return Outcome(verdict=Verdict.failed, reason="crash")


def reading(chip: ChipFacts, gbps: float) -> ChipFacts:
    rate = Measured(value=gbps, unit="GB/s", how="assumed by a test", date="2026-11-29")
    return chip.model_copy(update={"measured": {**chip.measured, "read_gbps": rate}})


def low(model: ModelFacts, chip: ChipFacts) -> ChipFacts:
    """A chip whose ceiling was measured so low that the largest table beats it."""
    _, items = filters.filter_all(Request(model=model, chip=chip, ops=("head",)))
    largest = max(i.work.bytes for i in items)
    return reading(chip, largest / 100 / 1e3)  # its floor: 100 us, and it takes less than 30


@pytest.mark.parametrize("gbps", [0.0, 0.001])
def test_what_beats_the_ceiling_never_wins(model: ModelFacts, chip: ChipFacts, gbps: float) -> None:
    """… though the second probe fails or finds even less, and there is only one."""
    wrong = low(model, chip)
    device = Ceiling(chip, gbps)
    request = Request(model=model, chip=wrong, ops=("head",))
    found = search.search(request, device, lambda *_: None)  # type: ignore[arg-type]
    impossible = {k for i in found.items for k in i.impossible}
    assert impossible and device.probes == 1
    assert found.request.chip.rate("read_gbps") == wrong.rate("read_gbps")
    chosen = {o.evidence for _, o in found.choice.members} if found.choice else set()
    assert not chosen & impossible


def test_a_ceiling_that_was_too_low_is_measured_again(model: ModelFacts, chip: ChipFacts) -> None:
    device = Ceiling(chip, 4000.0)
    request = Request(model=model, chip=low(model, chip))
    found = search.search(request, device, lambda *_: None)  # type: ignore[arg-type]
    assert device.probes == 1 and found.request.chip.rate("read_gbps") == 4000
    assert not any(i.impossible for i in found.items) and found.plan is not None
    verdicts = {no.verdict for i in found.items for _, no in i.timed.values()}
    assert verdicts == {Verdict.faster}


def test_an_exported_tree_names_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_commit.txt").write_text("0123456789abcdef0123456789abcdef01234567\n")
    monkeypatch.setattr(record, "PACKAGE", tmp_path)
    assert record._own_commit() == ("0123456789ab", None)
