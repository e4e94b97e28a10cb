"""Two searches side by side, by a device that answers from a formula: names, band and regret."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from test_waves import Formula

from boltbeam.commands import search_display
from boltbeam.models.gguf_model import read
from boltbeam.search import repeat
from boltbeam.search.search import Found, search
from boltbeam.search.search_items import Request
from boltbeam.types import Candidate, ChipFacts, GateFailed, Measurement, Outcome, Protocol, Verdict

CHIP = ChipFacts(id="cpu-test", name="test", device="CPU")


class Moody(Formula):
    """Races differ from one device to the next; beside each other a candidate takes `ratio` times
    as long as the other search's winner, give or take `noise`."""

    def __init__(self, likes: int, ratio: float = 1.0, noise: float = 1e-4) -> None:
        super().__init__()
        self.likes, self.ratio, self.noise = likes, ratio, noise
        self.timed: list[tuple[str, tuple[str, str]]] = []

    def us(self, c: Candidate) -> float:
        fits = c.work.op != "down" or c.geometry.get("split", 1) == self.likes
        return 10.0 + (0 if fits else 1)

    def compare(
        self,
        candidate: Candidate,
        protocol: Protocol,
        comparisons: int,
        incumbent: tuple[str, str] | None = None,
    ) -> Measurement | Outcome:
        if incumbent is None:
            return super().compare(candidate, protocol, comparisons)
        self.timed.append((candidate.key, incumbent))
        n = protocol.blocks_min
        wobble = [1 + self.noise * (-1) ** i for i in range(n)]
        return Measurement(
            protocol=protocol.id,
            candidate_us=tuple(10 * self.ratio * w for w in wobble),
            incumbent_us=(10.0,) * n,
            aa_spread=0.001,
            aa_pct=(0.1,) * n,
            stop_reason="decided",
            copies=1,
        )


@pytest.fixture
def request_(tiny: Callable[..., Path]) -> Request:
    ops = ("down", "head")
    return Request(model=read(tiny()), chip=CHIP, context=128, ops=ops, fused=False)


def found(request: Request, device: Formula) -> Found:
    return search(request, device, lambda *_: None)  # type: ignore[arg-type]


def beside(request: Request, device: Moody) -> repeat.Repeat:
    one, other = found(request, Moody(2)), found(request, Moody(4))
    return repeat.beside(one, other, device, lambda *_: None)  # type: ignore[arg-type]


def test_equal_names_need_no_clock(request_: Request) -> None:
    device = Moody(2)
    both = found(request_, device)
    same = repeat.beside(both, found(request_, Moody(2)), device, lambda *_: None)  # type: ignore[arg-type]
    assert {p.within for p in same.pairs} == {"yes"} and all(p.same for p in same.pairs)
    assert same.regret == 0 and not same.outside and not device.timed
    assert same.notes[0].startswith("2 of 2 winners are the same kernel")


@pytest.mark.parametrize(
    ("ratio", "noise", "within"),
    [
        (1.0, 1e-4, "yes"),
        (1.03, 1e-4, "no"),
        (0.97, 1e-4, "no"),
        (1.0, 0.1, "undecided"),
    ],
)
def test_other_names_are_timed_beside_each_other(
    request_: Request, ratio: float, noise: float, within: str
) -> None:
    device = Moody(2, ratio, noise)
    made = beside(request_, device)
    down = next(p for p in made.pairs if "down" in p.work)
    head = next(p for p in made.pairs if "head" in p.work)
    assert head.same and not down.same and down.within == within
    assert "split=2" in down.first and "split=4" in down.second
    ((timed, incumbent),) = device.timed
    assert down.second.split()[0] in timed and " ".join(incumbent) == down.first
    if noise < 0.01:
        assert down.regret == pytest.approx(max(ratio, 1 / ratio) - 1, rel=0.01, abs=1e-4)


def test_the_command_says_which_lie_outside(
    request_: Request, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(GateFailed, match="outside the band: down"):
        search_display.print_repeat(beside(request_, Moody(2, 1.03)), "json")
    told = json.loads(capsys.readouterr().out)
    assert (told["same"], told["items"], told["outside"]) == (1, 2, 1)
    assert {p["within"] for p in told["pairs"]} == {"yes", "no"}
    search_display.print_repeat(beside(request_, Moody(2)), "md")
    assert "1 of 2 winners are the same kernel; 1 other: within the band" in capsys.readouterr().out


def test_one_that_cannot_be_timed_says_so(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = Outcome(verdict=Verdict.failed, reason="crash", detail="gone")
    device = Moody(2)
    monkeypatch.setattr(device, "compare", lambda *_: crash)
    made = beside(request_, device)
    assert [p.why for p in made.pairs if p.within == "failed"] == ["crash: gone"]
    assert not made.outside and "could not be timed" in made.notes[0]
