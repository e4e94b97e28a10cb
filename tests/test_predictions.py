"""Predictions: as typed, as lines of the ledger, closed by a search, and how often right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from test_waves import Formula

from boltbeam import registry
from boltbeam.models import plan as plans
from boltbeam.models.gguf_model import read
from boltbeam.records import claims, decisions, ledger, ledger_check, ledger_review
from boltbeam.records.claims import Closing, Compared, Prediction
from boltbeam.records.entries import Interval, Member, Scope
from boltbeam.records.intervals import apart
from boltbeam.records.ledger import Layer, Layers, sealed
from boltbeam.records.record import Environment
from boltbeam.search import predictions
from boltbeam.search.predictions import Claim
from boltbeam.search.search import Found, search
from boltbeam.search.search_items import Request
from boltbeam.types import BoltbeamError, Candidate, ChipFacts, Measurement, Outcome, Protocol
from boltbeam.types import Verdict as V

CHIP = ChipFacts(id="cpu-test", name="test", device="CPU")
PROTOCOLS = registry.protocols()


# ---- as typed ------------------------------------------------------------------------------------


def test_a_prediction_as_typed() -> None:
    assert claims.stated("down >= 5%") == ("down", 0.05, None)
    assert claims.stated("norm+qkv≥12.5 %", "norm+qkv < 1%") == ("norm+qkv", 0.125, 0.01)


@pytest.mark.parametrize(
    ("predict", "kill", "says"),
    [
        ("5%", "", 'write it as "OP >= N%"'),
        ("down > 5%", "", 'write it as "OP >= N%"'),
        ("down < 5%", "", 'write it as "OP >= N%"'),
        ("dwon >= 5%", "", "OP is one of embed, norm"),
        ("down >= 500%", "", 'write it as "OP >= N%"'),
        ("down >= 0%", "", "above 0 %"),
        ("down >= 5%", "down >= 1%", 'write it as "OP < N%"'),
        ("down >= 5%", "head < 1%", "about head, the prediction about down"),
        ("down >= 5%", "down < 6%", "above the prediction"),
    ],
)
def test_anything_else_is_one_clear_line(predict: str, kill: str, says: str) -> None:
    with pytest.raises(BoltbeamError, match=f"^--(predict|kill) .*{says}") as e:
        claims.stated(predict, kill)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize(
    ("gain", "answer", "killed"),
    [
        ((0.06, 0.08, 0.1), "right", False),
        ((0.02, 0.03, 0.04), "wrong", False),
        ((0.0, 0.01, 0.04), "wrong", None),
        ((-0.1, 0.0, 0.005), "wrong", True),
        ((0.02, 0.06, 0.1), "undecided", False),
    ],
)
def test_only_an_interval_on_one_side_decides(
    gain: tuple[float, float, float], answer: str, killed: bool | None
) -> None:
    low, mid, high = gain
    made = prediction(kill=0.01)
    assert claims.answer(made, Interval(low=low, mid=mid, high=high), ()) == (answer, killed)


def prediction(gain: float = 0.05, kill: float | None = None, **known: object) -> Prediction:
    base = {"schema_version": 1, "date": "2026-11-29T10:00:00Z", "chip": CHIP.id, "op": "down"}
    given = {**base, "gain": gain, "kill": kill, "incumbent": "stock", **known}
    return sealed(Prediction.model_validate(given))


# ---- closed by a search --------------------------------------------------------------------------


class Timed(Formula):
    """The formula's times; a candidate takes `share` of what it is compared with."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.asked: list[tuple[str, str] | None] = []

    def compare(
        self,
        candidate: Candidate,
        protocol: Protocol,
        comparisons: int,
        incumbent: tuple[str, str] | None = None,
    ) -> Measurement | Outcome:
        self.asked.append(incumbent)
        if self.share == 0:
            return Outcome(verdict=V.failed, reason="crash", detail="segmentation fault")
        us, n = self.us(candidate), protocol.blocks_min
        wobble = [1 + 1e-4 * (-1) ** i for i in range(n)]
        again = (0.1, -0.1) * (n // 2) + (0.0,) * (n % 2)
        return Measurement(
            protocol=protocol.id,
            candidate_us=tuple(us * w for w in wobble),
            incumbent_us=(us / self.share,) * n,
            aa_spread=float(apart([1 + pct / 100 for pct in again])),
            aa_pct=again,
            stop_reason="decided",
            copies=1,
        )


World = tuple[Request, Layers]


@pytest.fixture
def world(tiny: Callable[..., Path], tmp_path: Path) -> World:
    request = Request(model=read(tiny()), chip=CHIP, context=128, ops=("down",), fused=False)
    return request, Layers((Layer("given", tmp_path),))


def run(request: Request, layers: Layers, device: Timed) -> tuple[Prediction, Found, Closing]:
    env = Environment.here(CHIP.id, ["boltbeam", "search", "/home/me/x.gguf"])
    made = predictions.predicted(Claim("down", 0.05, 0.01), request, ["down"], layers, env)
    layers.write([made])
    found = search(request, device, lambda *_: None)  # type: ignore[arg-type]
    closing = predictions.closed(made, found, device, layers)  # type: ignore[arg-type]
    layers.write([closing])
    return made, found, closing


@pytest.mark.parametrize(
    ("share", "answer", "killed"),
    [(0.5, "right", False), (0.97, "wrong", False), (1.2, "wrong", True)],
)
def test_against_stock(world: World, share: float, answer: str, killed: bool) -> None:
    request, layers = world
    made, _, closing = run(request, layers, Timed(share))
    assert (closing.answer, closing.killed, closing.prediction) == (answer, killed, made.id)
    assert closing.gain is not None and closing.gain.mid == pytest.approx(1 - share, abs=1e-3)
    assert made.incumbent == "stock" and "home" not in made.command
    assert ledger_check.check(layers.top, PROTOCOLS).problems == []
    assert [r.answer for r in predictions.records(layers)] == [answer]
    for entry in (made, closing):
        assert entry.id in ledger_review.in_words(entry)


def promote(request: Request, layers: Layers, found: Found, geometry: str = "") -> str:
    """A plan in force whose `down` is the search's best kernel, or its route with a geometry."""
    item = next(i for i in found.items if i.work.op == "down")
    best = item.fastest()
    assert best is not None
    member = Member(
        work=item.work.key,
        count=item.work.count,
        route=best.route.id,
        geometry=geometry or str(best.candidate.geometry),
        row="0" * 12,
    )
    key = plans.model_plan_key(request.model, request.context)
    decision = decisions.promote_plan(
        Scope(chip=CHIP.id, plan_key=key), [member], {"g": decisions.Gate(passed=True)}, [128],
        replaces=None, reason="test",
    )  # fmt: skip
    layers.write([decision])
    return decision.id


def test_against_the_plan_in_force(world: World) -> None:
    request, layers = world
    found = search(request, Timed(0.5), lambda *_: None)  # type: ignore[arg-type]
    plan = promote(request, layers, found, "lanes=16 rows=9")
    device = Timed(0.9)
    made, _, closing = run(request, layers, device)
    assert made.incumbent == plan and device.asked[-1] == (closing.routes[0], "lanes=16 rows=9")
    assert closing.answer == "right" and "rows=9" in closing.compared[0].incumbent


def test_the_kernel_in_force_gains_nothing_over_itself(world: World) -> None:
    request, layers = world
    found = search(request, Timed(0.5), lambda *_: None)  # type: ignore[arg-type]
    promote(request, layers, found)
    _, _, closing = run(request, layers, Timed(0.5))
    assert (closing.answer, closing.killed) == ("wrong", True)
    assert closing.gain == Interval(low=0, mid=0, high=0)
    wrong = ledger_check.check(layers.top, PROTOCOLS).problems
    assert {p.code for p in wrong} == {"evidence"}  # only the made-up row of the plan


def test_what_could_not_be_timed_is_untested(world: World) -> None:
    request, layers = world
    _, _, closing = run(request, layers, Timed(0))
    assert closing.answer == "untested" and "crash" in closing.reason
    assert ledger_check.check(layers.top, PROTOCOLS).problems == []


def test_an_op_that_is_not_searched_is_refused_before_the_run(world: World) -> None:
    request, layers = world
    env = Environment.here(CHIP.id)
    with pytest.raises(BoltbeamError, match="no such work item; it has down"):
        predictions.predicted(Claim("head", 0.05), request, ["down"], layers, env)
    assert not list(ledger.files(layers.top))


# ---- lines that lie ------------------------------------------------------------------------------


def compared(blocks: int = 9, **changes: object) -> Compared:
    us = {"candidate_us": (50.0,) * blocks, "incumbent_us": (100.0,) * blocks}
    known = {"work": "w", "count": 1, "route": "r", "geometry": "", "incumbent": "stock", **us}
    again = {"aa_spread": 0.001, "aa_pct": (0.1,) * blocks, "protocol": "abba-planned-v1"}
    return Compared.model_validate({**known, **again, **changes})


def closing(p: Prediction, one: Compared | None = None, **changes: object) -> Closing:
    one = one or compared()
    gain = claims.gain_of([(one, ledger_check.ratio_of(one, PROTOCOLS))])
    base = {"schema_version": 1, "date": "2026-11-29T11:00:00Z", "chip": CHIP.id, "op": "down"}
    known = {"prediction": p.id, "answer": "right", "gain": gain, "compared": (one,)}
    return sealed(Closing.model_validate({**base, **known, **changes}))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"prediction": "f" * 12}, "which is nowhere"),
        ({"op": "head"}, "is about head"),
        ({"date": "2026-11-29T09:00:00Z"}, "before it was made"),
        ({"answer": "wrong"}, "its gain says right"),
        ({"gain": Interval(low=0.01, mid=0.02, high=0.03)}, "does not follow from its blocks"),
    ],
)
def test_a_closing_that_does_not_follow_is_found(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    made = prediction()
    ledger.write_file(tmp_path, [made, closing(made, **changes)])
    problems = ledger_check.check(tmp_path, PROTOCOLS).problems
    assert [p.code for p in problems] == ["prediction"] and says in problems[0].message


@pytest.mark.parametrize(
    ("one", "code"),
    [
        (compared(2), "planned"),
        (compared(2, stop_reason=ledger_check.CUT_SHORT), "planned"),
        (compared(10), "planned"),
        (compared(aa_spread=0.0001), "aa"),
        (compared(protocol="abba-v1"), "protocol"),
    ],
)
def test_a_closing_is_held_to_its_protocol(tmp_path: Path, one: Compared, code: str) -> None:
    """Blocks picked by hand are refused, although the gain and the answer follow from them."""
    made = prediction()
    ledger.write_file(tmp_path, [made, closing(made, one)])
    assert [p.code for p in ledger_check.check(tmp_path, PROTOCOLS).problems] == [code]
    for pairs in ((), one.aa_pct[1:]):
        with pytest.raises(ValueError, match="A/A ratio of every block"):
            Compared.model_validate({**dict(one), "aa_pct": pairs})


def test_one_prediction_is_closed_once(tmp_path: Path) -> None:
    made = prediction()
    again = closing(made, date="2026-11-29T12:00:00Z")
    ledger.write_file(tmp_path, [made, closing(made)])
    assert ledger_check.check(tmp_path, PROTOCOLS).problems == []
    ledger.write_file(tmp_path, [again])
    (problem,) = ledger_check.check(tmp_path, PROTOCOLS).problems
    assert problem.code == "prediction" and "closed in" in problem.message


@pytest.mark.parametrize(
    "line",
    ['{"kind": "prediction", "gain": 1.5}', '{"kind": "closing", "answer": "right"}'],
)
def test_lines_that_cannot_be_are_refused(line: str) -> None:
    with pytest.raises(BoltbeamError, match=r"^here: "):
        ledger.parse(line, "here")


def test_the_tally_counts_by_chip_and_route() -> None:
    right, wrong, open_ = prediction(), prediction(0.6), prediction(0.7)
    found = [
        predictions.Record(right, closing(right, routes=("a",))),
        predictions.Record(wrong, closing(wrong, routes=("a",), answer="wrong")),
        predictions.Record(open_, None),
    ]
    none, a = predictions.tally(found)
    assert (none["route"], none["open"], none["right_share"]) == ("", 1, None)
    assert (a["route"], a["right"], a["wrong"], a["right_share"]) == ("a", 1, 1, 0.5)


def test_the_command_line(cli: Callable[..., object], tiny: Callable[..., Path]) -> None:
    model = str(tiny())
    for words, says in (
        (["--predict", "down"], "write it as"),
        (["--kill", "down < 1%"], "say --predict too"),
        (["--predict", "down >= 5%", "--dry-run"], "a dry run measures nothing"),
    ):
        done = cli("search", "--model", model, *words)
        assert done.code == 2 and says in done.err and done.err.count("\n") == 1  # type: ignore[attr-defined]
    listed = cli("predictions", "--format", "json")
    assert listed.code == 0 and '"tally": []' in listed.out  # type: ignore[attr-defined]
