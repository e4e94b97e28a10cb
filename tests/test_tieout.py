"""The sum closes, toll is told from rate, the residue is judged, the list is in order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from token_cases import chip, kind, token

from boltbeam.models.plan import timed_position
from boltbeam.predict import tieout
from boltbeam.predict.census import Kind
from boltbeam.predict.tieout import Todo, tie_out
from boltbeam.token import token_launches
from boltbeam.types import BoltbeamError

LAUNCH_US = 1.5


def lossy(
    bytes: int, toll: float = 0.0, slower: float = 0.0, part: float = 0.5, **more: int
) -> Kind:
    """A kernel that loses `toll` on every launch and a share `slower` on every byte."""
    floor = bytes / 4000 / 1e3

    def takes(share: float) -> float:
        return LAUNCH_US + toll + share * floor * (1 + slower)

    made = kind(takes(1), bytes, LAUNCH_US, **more)
    return made.model_copy(update={"part": part, "part_us": (takes(part),)})


# ---- the sum -----------------------------------------------------------------------------------

TIMES = st.floats(0.1, 1e5)
KINDS = st.builds(
    kind,
    us=TIMES,
    bytes=st.integers(0, 1 << 34),
    launch_us=TIMES,
    count=st.integers(1, 100),
    part=st.none() | st.floats(0.1, 0.9),
    part_us=st.tuples(TIMES),
)


@given(st.lists(KINDS, min_size=1, max_size=5), TIMES, TIMES)
def test_the_terms_are_the_token(kinds: list[Kind], gap: float, us: float) -> None:
    kinds = [k.model_copy(update={"part_us": ()}) if k.part is None else k for k in kinds]
    found = tie_out(token(*kinds, gap_us=gap, us=us), chip())
    terms = found.floor_us + found.loss_us + found.gaps_us + found.residue_us
    assert terms == pytest.approx(us, rel=1e-6, abs=1e-3)
    split = found.toll_us + found.rate_us + found.unknown_us
    assert split == pytest.approx(found.loss_us, rel=1e-6, abs=1e-3)
    for row in found.rows:
        whole = row.floor_us + row.loss_us + row.kind.launch_us
        assert whole == pytest.approx(row.kind.alone_us, rel=1e-6, abs=1e-3)
        assert row.toll_us is None or 0 <= row.toll_us <= max(0.0, row.loss_us)


def test_what_no_launch_explains_is_the_residue() -> None:
    k = lossy(40_000_000, toll=1.0)
    exact = token(k, gap_us=2.0)
    assert tie_out(exact, chip()).residue_us == pytest.approx(0, abs=1e-9)
    longer = token(k, gap_us=2.0, us=exact.us * 1.25)
    assert tie_out(longer, chip()).residue == pytest.approx(0.2)
    shorter = token(k, gap_us=2.0, us=exact.us * 0.8)  # gaps that overlap
    assert tie_out(shorter, chip()).residue == pytest.approx(-0.25)


def test_what_a_launch_costs_in_its_place_says_where_the_residue_is() -> None:
    """And explains none of it away: the residue is that of kernels alone."""
    k = lossy(40_000_000, toll=1.0)
    alone = token(k, gap_us=2.0)
    found = tie_out(token(k, gap_us=2.0, us=alone.us + 36 * 3.0, place_us=3.0), chip())
    assert found.residue_us == pytest.approx(36 * 3.0) == found.place_us
    assert found.rows[0].place_us == pytest.approx(3.0)
    (todo,) = (t for t in found.todo if "in its place" in t.where)
    assert todo.us == pytest.approx(108) and "3 µs a launch more than alone" in todo.what
    assert "in their places the launches cost +108.0" in str(tieout.sums(found))
    side_by_side = tie_out(token(k, gap_us=2.0, place_us=-1.0), chip())
    assert side_by_side.place_us == pytest.approx(-36)
    assert "in its place" not in str(side_by_side.todo)
    slow = token(k.model_copy(update={"us": (k.us[0] * 5,)}), gap_us=2.0, us=alone.us)
    assert not tie_out(slow, chip(id="nv-sm90-132sm")).closes  # measured wrongly alone: it shows


def test_what_starts_early_saves_is_a_term() -> None:
    """Of two whole tokens that were put together alike; what the captured one takes beside that,
    and what kernels one after the other do not explain, is the residue."""
    late = token(lossy(40_000_000, toll=1.0), gap_us=2.0)
    early = late.model_copy(
        update={
            "token_us": (late.us - 37,),
            "rebuilt_us": (late.us + 10,),
            "early_us": (late.us - 40,),
        }
    )
    found = tie_out(early, chip())
    assert found.early_us == pytest.approx(50) and found.residue_us == pytest.approx(10 + 3)
    terms = found.floor_us + found.loss_us + found.gaps_us - found.early_us + found.residue_us
    assert terms == pytest.approx(found.token_us)
    (row,) = (r for r in tieout.sums(found) if r["term"] == "- early starts")
    assert row["µs"] == pytest.approx(-50)
    (gaps,) = (t for t in found.todo if t.where.startswith("gaps"))
    assert gaps.us == pytest.approx(found.gaps_us - 50) and "save 50 µs" in gaps.what
    plain = tie_out(late, chip())
    assert plain.early_us is None and "early" not in str(tieout.sums(plain))


@pytest.mark.parametrize(("token_us", "stride"), [(1865.0, 8), (1000.0, 16), (100.0, 128)])
def test_a_tokens_replays_stand_where_its_launches_are_timed_alone(
    token_us: float, stride: int
) -> None:
    """Nearly: as many trips of attention, whatever power of two of positions a trip takes."""
    alone, replays = timed_position(512), math.ceil(token_launches.GRAPH_BATCH_US / token_us)
    for positions in (stride << n for n in range(6) if stride << n <= 256):
        trips = {math.ceil((alone + i) / positions) for i in range(replays)}
        assert trips == {math.ceil(alone / positions)}, positions
    assert {math.ceil((256 + i) / stride) for i in range(replays)} != {256 // stride}


def test_places_below_their_own_noise_are_nothing_to_do() -> None:
    k = lossy(40_000_000, toll=1.0)
    made = token(k, gap_us=2.0, place_us=3.0)
    (kind,) = made.kinds
    rounds = tuple(kind.without_us[0] + d for d in (-400.0, -200.0, 0.0, 200.0, 400.0))
    noisy = made.model_copy(
        update={
            "rebuilt_us": made.rebuilt_us * 5,
            "kinds": (kind.model_copy(update={"without_us": rounds}),),
        }
    )
    found = tie_out(noisy, chip())
    assert found.rows[0].place_us == pytest.approx(3.0) and found.rows[0].doubt_us > 5
    assert "in its place" not in str(found.todo)


def test_where_the_host_launches_every_kernel_there_are_no_places() -> None:
    made = token(lossy(40_000_000))
    bare = made.model_copy(
        update={
            "rebuilt_us": (),
            "kinds": tuple(k.model_copy(update={"without_us": ()}) for k in made.kinds),
        }
    )
    found = tie_out(bare, chip())
    assert found.place_us is None and found.rows[0].place_us is None
    assert "in their places" not in str(tieout.sums(found))


@pytest.mark.parametrize(("id", "closes"), [("nv-sm90-132sm", False), ("gpu-test", True)])
def test_the_residue_is_held_to_its_limit_on_an_h200(id: str, closes: bool) -> None:
    exact = token(lossy(40_000_000))
    off = token(lossy(40_000_000), us=exact.us * 1.06)
    assert tie_out(exact, chip(id=id)).closes
    assert tie_out(off, chip(id=id)).closes is closes
    assert tie_out(off, chip(id=id)).limit == (None if closes else 0.05)


def test_a_rate_that_nobody_measured_ties_out_nothing() -> None:
    with pytest.raises(BoltbeamError, match="read_gbps was never measured"):
        tie_out(token(kind()), chip(None))


# ---- toll or rate ------------------------------------------------------------------------------


@pytest.mark.parametrize("bytes", [9_437_184, 28_311_552, 510_504_960])
@pytest.mark.parametrize("part", [0.5, 66 / 133])
def test_a_toll_is_the_same_whatever_is_read(bytes: int, part: float) -> None:
    """Gate, up and vocabulary are 18 times apart and lose the same 1.3 us."""
    (row,) = tie_out(token(lossy(bytes, toll=1.3, part=part)), chip()).rows
    assert row.loss == "toll"
    assert row.toll_us == pytest.approx(1.3, rel=1e-6) and row.loss_us == pytest.approx(1.3)


@pytest.mark.parametrize("bytes", [9_437_184, 510_504_960])
def test_a_rate_grows_with_the_bytes(bytes: int) -> None:
    (row,) = tie_out(token(lossy(bytes, slower=0.13)), chip()).rows
    assert row.loss == "rate" and row.toll_us == pytest.approx(0, abs=1e-6)
    assert row.rate_us == pytest.approx(0.13 * row.floor_us)


def test_both_are_told_apart() -> None:
    (row,) = tie_out(token(lossy(20_000_000, toll=2.0, slower=0.5)), chip()).rows
    assert row.toll_us == pytest.approx(2.0) and row.rate_us == pytest.approx(2.5)
    assert row.loss == "rate"


def test_what_mends_a_toll_is_told_by_whether_it_reads() -> None:
    """A matrix whose half takes as long lacks bytes in flight; a small launch lacks neighbours."""
    reading, small = lossy(40_000_000, toll=5.0, op="gate_up"), lossy(400_000, toll=5.0, op="o")
    said = {op(t): t.mend for t in tie_out(token(reading, small), chip()).todo}
    assert "bytes in flight in each workgroup" in said["gate_up"]
    assert "fuse it with its neighbours" in said["o"]


def test_what_reads_nothing_is_all_toll() -> None:
    (row,) = tie_out(token(kind(us=4.0, bytes=0)), chip()).rows
    assert (row.floor_us, row.loss_us, row.toll_us, row.loss) == (0, 3.0, 3.0, "toll")


def test_what_cannot_be_cut_is_not_known() -> None:
    (row,) = (found := tie_out(token(kind(us=11.0)), chip())).rows
    assert row.toll_us is None and row.loss is None and row.rate_us is None
    assert found.unknown_us == pytest.approx(36 * 5.0)


def test_reads_that_hit_a_cache_lose_less_than_nothing() -> None:
    (row,) = tie_out(token(kind(us=3.0, part=0.5, part_us=(2.0,))), chip()).rows
    assert row.loss_us == pytest.approx(-3.0) and row.loss is None and row.toll_us == 0


# ---- to do -------------------------------------------------------------------------------------


def op(t: Todo) -> str:
    """`norm` of `73 × norm (…)`."""
    return t.where.split(" × ")[-1].split()[0]


def test_the_list_begins_with_the_biggest() -> None:
    one_thread = kind(us=232.0, bytes=8192, count=73, op="norm", groups=1, threads=1)
    big = lossy(28_311_552, slower=1.0, count=72, op="gate_up")
    small = lossy(9_437_184, toll=1.3, count=36, op="o")
    found = tie_out(token(one_thread, small, big, gap_us=0.5), chip())
    assert [op(t) for t in found.todo] == ["norm", "gate_up"]
    norm, gate_up = found.todo
    assert "one-thread" in norm.mend and "cooperative" in norm.mend
    assert norm.us == pytest.approx(73 * 231, rel=0.001)
    assert "more bytes in flight" in gate_up.mend and gate_up.what.endswith("a rate")
    after = tie_out(token(small, big, gap_us=0.5), chip())
    assert [op(t) for t in after.todo] == ["gate_up", "gaps", "o"]
    gaps = after.todo[1]
    assert gaps.us == pytest.approx(0.5 * 108) and "fuse" in gaps.mend
    assert all(t.share >= tieout.LEAST for t in found.todo)
    assert tieout.doing(found)[0].startswith("1. 16,863 µs, ") and "73 × norm" in norm.where
    fine = token(lossy(500_000_000), gap_us=0.0)
    assert tieout.doing(tie_out(fine, chip())) == [
        "Nothing that is worth a line: the token is its floor."
    ]
