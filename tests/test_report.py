"""The page of pictures: whole, self-contained, honest about gaps, and legible in a browser."""

from __future__ import annotations

import re
import resource
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import Browser, browser
from cli_cases import Done, Shell, refused
from review_cases import CLEAN, kernel, newest, token
from review_cases import plan as plan_of
from test_ledger import CHIP, layers
from test_ledger_query import FUNNEL

from boltbeam.commands import report_page
from boltbeam.models import plan, synth
from boltbeam.pictures import report_data, report_sections
from boltbeam.records.decisions import refute
from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import sealed
from boltbeam.records.record import funnel_row, probe_row
from boltbeam.records.store import Store
from boltbeam.types import OPS, ChipFacts, Fact, Measured

pytest.importorskip("matplotlib", reason="pip install 'boltbeam[report]'")
Image = pytest.importorskip("PIL.Image", reason="comes with matplotlib")
pytest.importorskip("jinja2", reason="pip install 'boltbeam[report]'")

Cli = Callable[..., Done]
MODEL = synth.facts("smollm2-135m")
CONTEXT = 512
FOUND = plan.occurrences(MODEL, CONTEXT, OPS)[1]
KEY = plan.plan_key((o.work.key, o.work.count) for o in FOUND)
RATES = {"read_gbps": 20.0, "fp32_fma_tops": 0.1, "toll_us": 2.0, "unpack_gwps": 20.0}
HERE = ChipFacts(
    id=CHIP,
    name="a test",
    device="CPU",
    simd_width=Fact(value=16, source="a test"),
    workgroups=Fact(value=False, source="a test"),
)
FIGURES = 2 + 2 + 2 + 1 + 1 + 4
SECTIONS = ("roofline", "token", "funnel", "predictions", "contexts", "history")


class Ids(HTMLParser):
    """Every id of a page, and everything it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.loads: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "data") and not (value or "").startswith("#"):
                self.loads.append((tag, value or ""))
        if tag in ("script", "link", "iframe", "object", "embed", "img"):
            self.loads.append((tag, ""))


def whole_plan(folder: Path) -> dict[str, LedgerRow]:
    """A promoted plan of every primitive step, timed at two positions; rows by op."""
    made = {
        o.work.op: kernel(
            0.5, route="gemv_rows_f32", work=o.work.key, op=o.work.op, count=o.work.count
        )
        for o in FOUND
    }
    first, last = (
        sealed(token(ratio, "stock").model_copy(update={"plan_key": KEY, "position": at, "id": ""}))
        for ratio, at in ((0.9, 0), (1.0, 480))
    )
    slow = kernel(0.9, route="gemv_rows_f32", work=made["down"].work, geometry="lanes=8")
    rates = {k: Measured(value=v, unit="", how="a test", date="") for k, v in RATES.items()}
    funnels = [funnel_row(o.work.key, o.work.op, o.work.count, FUNNEL, CLEAN) for o in FOUND]
    decided = plan_of([*made.values()], first, plan_key=KEY)
    cited = sealed(decided.model_copy(update={"evidence": (*decided.evidence, last.id), "id": ""}))
    no = refute([slow], reason="slow", reopen_if="a new driver", date="2026-12-01T00:00:00Z")
    ls = layers(folder)
    ls.write([probe_row(rates, CLEAN), *made.values(), slow, first, last, *funnels, cited, no])
    return made | {"first": first, "last": last, "slow": slow}


def raced(work: str, predicted: float, us: float, why: str = "") -> dict[str, object]:
    """A candidate of an audit's race, as the run store keeps it."""
    return {
        "search": "5ea2c4",
        "work": work,
        "route": "gemv_rows_f32",
        "geometry": f"lanes=16 rows={predicted:.0f}",
        "audit": 1,
        "predicted_us": predicted,
        "measured_us": us,
        "pruned": why,
        "number": 1.9 if why else None,
        "number_limit": 1.3 if why else None,
    }


def bench(engine: str, tok_s: float, depth: int = 0, plan: str = "") -> dict[str, object]:
    about = {"engine": engine, "n_depth": depth, "avg_ts": tok_s, "context": CONTEXT}
    return {**about, "plan": plan, "test_time": "2026-11-29T10:00:00Z"}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> report_data.Pictures:
    folder = tmp_path_factory.mktemp("whole")
    down = whole_plan(folder)["down"].work
    candidates = [raced(down, 20, 21), raced(down, 25, 40), raced(down, 50, 19, "predicted-slow")]
    benches = [bench("stock", 160.0), bench("llama.cpp", 250.0), bench("llama.cpp", 240.0, 256)]
    return report_data.gather(MODEL, HERE, layers(folder), CONTEXT, candidates, benches)


@pytest.fixture(scope="module")
def page(pictures: report_data.Pictures, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "whole.html"
    path.write_text(report_page.page(pictures, MODEL.name), encoding="utf-8")
    return path


# ---- the numbers -------------------------------------------------------------------------------


def test_floor_loss_and_rest_add_up_to_the_token(pictures: report_data.Pictures) -> None:
    """Every member takes 20 µs a run, the token 5400 µs: the rest is a difference."""
    runs = sum(o.work.count for o in FOUND)
    assert pictures.kernels_us == pytest.approx(20.0 * runs)
    assert pictures.floor_us == pytest.approx(20.0 * runs)  # the rows' own floors
    (first, *_) = [t for t in pictures.tokens if t.who == "this plan"]
    whole = next(
        t.rows for t in report_sections.token(pictures).tables if t.title == "Whole tokens"
    )
    (rest,) = [
        r["difference ms"] for r in whole if (r["engine"], r["source"]) == (first.who, first.source)
    ]
    assert rest == pytest.approx((5400 - 20.0 * runs) / 1e3, rel=1e-3)
    assert {t.who for t in pictures.tokens} == {
        "this plan", "stock", "stock, bench", "llama.cpp, bench"}  # fmt: skip


@pytest.mark.parametrize("position", [0, 257, 480])
def test_only_a_token_near_its_kernels_has_gaps(
    pictures: report_data.Pictures, position: int
) -> None:
    """Kernels are timed just past half of the 512 positions."""
    whole = report_data.TokenTime("this plan", 5400.0, position, "a row")
    section = report_sections.token(replace(pictures, tokens=(whole,)))
    (row,) = [r for t in section.tables for r in t.rows if r.get("source") == "a row"]
    near = position == 257
    assert (row["gaps ms"] is not None, row["difference ms"] is not None) == (near, not near)
    assert ("gaps between them" in section.pictures[0]) == near
    assert ("kernels at 257 positions" in section.pictures[0]) == (not near)


def test_a_bench_of_another_plan_is_named_after_it(tmp_path: Path) -> None:
    whole_plan(tmp_path)
    ls = layers(tmp_path)
    decided = report_data.gather(MODEL, HERE, ls, CONTEXT).decision
    assert decided is not None
    some = [
        bench("promoted", 200.0, 128, decided.id),
        bench("promoted", 900.0, 128, "b0b0b0b0b0b0"),
    ]
    found = report_data.gather(MODEL, HERE, ls, CONTEXT, benches=some)
    benched = {t.who: t.us for t in found.tokens if t.position == 128}
    assert benched == {"this plan": 5000.0, "plan b0b0b0b0b0b0, bench": pytest.approx(1e6 / 900)}


def test_without_a_floor_there_is_no_loss(pictures: report_data.Pictures) -> None:
    unknown = tuple(replace(i, floor_us=None) for i in pictures.items)
    section = report_sections.token(replace(pictures, chip=HERE, items=unknown))
    assert {r["loss µs a token"] for r in section.tables[0].rows} == {None}


def test_without_an_end_of_the_chain_there_is_no_sum(tmp_path: Path) -> None:
    ls = layers(tmp_path)
    ls.write([kernel(0.5)])
    found = report_data.gather(MODEL, HERE, ls, CONTEXT)
    assert found.kernels_us is None and found.floor_us is None and "head" in found.uncovered
    text = report_page.page(found, "x")
    assert "No kernel yet for" in text and "whole token, measured</dt><dd>not measured" in text


def test_an_empty_ledger_says_what_to_run(tmp_path: Path) -> None:
    text = report_page.page(report_data.gather(MODEL, HERE, layers(tmp_path), CONTEXT), "x")
    for words in ("boltbeam chip probe", "boltbeam search", "boltbeam bench --jitbeam"):
        assert words in text
    assert "<svg" not in text and not re.search(r">\s*nan\s*<|None", text)


def test_the_pruned_sample_and_the_ledgers_rows_are_both_drawn(
    pictures: report_data.Pictures,
) -> None:
    kinds = Counter(d.kind for d in pictures.dots)
    assert kinds["kept"] == 2 and kinds["pruned"] == 1 and kinds["compared"] >= 1
    section = report_sections.predictions(pictures)
    why = [r["why"] for t in section.tables for r in t.rows if r.get("") == "pruned"]
    assert why == ["predicted-slow 1.9, limit 1.3"] and not section.missing


def test_damaged_records_of_the_run_store_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = {"chip": CHIP, "header_hash": "h"}
    candidates = [raced("w", 20 + n, us, "x") for n, us in enumerate((21, 0, "much"))]
    candidates += [raced("w", 30, 21) | {"number": "n"}, raced("w", 31, 21)]
    benches = [bench("stock", v) | about for v in (160.0, -1.0, "fast", None)]
    with Store.open(tmp_path / "runs.db") as store:
        store.begin_search("5ea2c4", CHIP, "h")
        store.put_all("candidates", candidates)
        store.put_all("benches", benches)
        kept = report_page.local(store, CHIP, "h")
    assert tuple(map(len, kept)) == (2, 1)
    said = "boltbeam: run store: 6 damaged records are left out"
    assert capsys.readouterr().err.splitlines() == [said]


# ---- the page ----------------------------------------------------------------------------------


def test_the_page_is_whole_and_loads_nothing(page: Path, pictures: report_data.Pictures) -> None:
    text = page.read_text(encoding="utf-8")
    seen = Ids(text)
    assert seen.loads == [] and "@import" not in text and "url(http" not in text
    assert [i for i, n in Counter(seen.ids).items() if n > 1] == []
    assert set(SECTIONS) <= set(seen.ids)
    assert text.count("<svg ") == FIGURES == text.count('role="img"')
    assert "limit at 512 of 512 positions" in text
    for row in (*(i.row for i in pictures.items), *pictures.funnels):
        assert row is None or row.id in text
    assert not re.search(r"/(home|root|tmp|work)/", text)


def test_the_same_ledger_gives_the_same_page(pictures: report_data.Pictures, page: Path) -> None:
    assert report_page.page(pictures, MODEL.name) == page.read_text(encoding="utf-8")


def test_a_chip_that_is_not_here(cli: Cli, shell: Shell, outline: Callable[..., Path]) -> None:
    """The repository's own H200 rows; under 10 s of CPU, drawing included."""
    out = shell.folder / "h200.html"
    begun = resource.getrusage(resource.RUSAGE_SELF)
    done = cli("report", "--model", outline("qwen3-8b"), "--chip", "h200", "--out", out)
    ended = resource.getrusage(resource.RUSAGE_SELF)
    assert done.code == 0 and done.out == "" and str(out) in done.err
    assert ended.ru_utime - begun.ru_utime < 10
    text = out.read_text(encoding="utf-8")
    gate_up, probe = newest("gate_up/2x12288x4096/Q4_K"), newest()
    for words in (gate_up, probe, "nominated, not promoted"):
        assert words in text
    assert "not measured" in text


def test_a_chip_that_only_the_ledger_knows(
    cli: Cli, shell: Shell, tiny: Callable[..., Path]
) -> None:
    rows = [probe_row({"read_gbps": Measured(value=20.0, unit="GB/s", how="x", date="")}, CLEAN)]
    layers(shell.ledger).write(rows)
    words = ("report", "--model", tiny(), "--chip", CHIP, "--context", "128")
    assert cli(*words, "--ledger", shell.ledger, "--out", shell.folder / "x.html").code == 0
    refused(cli(*words, "--out", shell.folder / "y.html"), 2, CHIP)


def test_without_the_extra_one_line_says_what_to_install(
    cli: Cli, tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda n, *a: None if n == "matplotlib" else real(n, *a)
    )
    done = cli("report", "--model", tiny(), "--chip", "m3")
    refused(done, 2, "matplotlib", "pip install 'boltbeam[report]'")


# ---- how it looks ------------------------------------------------------------------------------

LOOK = """({
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  figures: [...document.querySelectorAll('svg[role=img]')].map(s => {
    const box = s.getBoundingClientRect();
    const ends = [...s.querySelectorAll('text')].map(t => t.getBoundingClientRect());
    const type = Math.min(...[...s.querySelectorAll('text')].map(
      t => parseFloat(getComputedStyle(t).fontSize) * box.width / s.viewBox.baseVal.width));
    return {width: box.width, height: box.height, type,
            out: ends.filter(e => e.left < box.left - 2 || e.right > box.right + 2).length};
  }),
  tables: [...document.querySelectorAll('table')].every(t => t.rows.length > 1),
  nav: getComputedStyle(document.querySelector('nav')).display,
})"""


STRUCK = """[...document.querySelectorAll('svg[role=img] g[id*="axes_"] > g[id*="text_"] text')]
  .filter(t => {
    t.scrollIntoView({block: 'center'});
    const r = t.getBoundingClientRect();
    const spots = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap(
      x => [0.3, 0.5, 0.7].map(y => [r.left + x * r.width, r.top + y * r.height]));
    return spots.some(([x, y]) => {  // the topmost thing behind the word: a line, or its ground
      const behind = document.elementsFromPoint(x, y).find(e => e.tagName === 'path');
      return behind && behind.closest('g[id*="line2d_"]');
    });
  }).map(t => t.textContent)"""
"""Words inside the axes through which a line goes."""


def test_no_line_strikes_a_label_through(page: Path, tmp_path: Path) -> None:
    with browser(tmp_path / "profile") as b:
        b.open(page, 1280)
        assert b.ask("document.querySelectorAll('g[id*=axes_] > g[id*=text_] text').length") > 40
        assert b.ask(STRUCK) == []


def test_a_wide_table_shows_on_a_phone_that_it_goes_on(page: Path, tmp_path: Path) -> None:
    """A shadow at the edge behind which there is more, and only there."""
    wide = "[...document.querySelectorAll('.scroll')].find(e => e.scrollWidth > e.clientWidth + 50)"

    def shades(b: Browser) -> tuple[int, int]:
        """Grey of the left and right edge, beside the caption; 255 is white."""
        b.ask(f"{wide}.scrollIntoView()")
        box = b.ask(f"(r => [r.left, r.right, r.top])({wide}.getBoundingClientRect())")
        b.screenshot(tmp_path / "x.png", whole=False)
        with Image.open(tmp_path / "x.png") as seen:
            grey = seen.convert("L")
            left, right = (int(grey.getpixel((x, box[2] + 5))) for x in (box[0] + 3, box[1] - 3))
        return left, right

    with browser(tmp_path / "profile") as b:
        b.open(page, 390)
        left, right = shades(b)
        assert left > 250 > 220 > right
        b.ask(f"{wide}.scrollLeft = 9999")
        left, right = shades(b)
        assert right > 250 > 220 > left
        b.open(page, 1280)
        assert b.ask(wide) is None


def test_in_a_browser_at_every_width(page: Path, tmp_path: Path) -> None:
    """Every figure is there, in full, with letters that can be read; nothing sticks out."""
    with browser(tmp_path / "profile") as b:
        for name, width, least in (("desktop", 1280, 9.0), ("phone", 390, 6.5)):
            b.open(page, width)
            seen = b.ask(LOOK)
            assert seen["wide"] <= 0 and seen["tables"] and len(seen["figures"]) == FIGURES, name
            for figure in seen["figures"]:
                assert figure["width"] > 300 and figure["height"] > 80, (name, figure)
                assert figure["out"] == 0 and figure["type"] >= least, (name, figure)
            b.screenshot(tmp_path / f"{name}.png")
            assert (tmp_path / f"{name}.png").stat().st_size > 50_000
        b.call("Emulation.setEmulatedMedia", media="print")
        b.open(page, 718)  # A4 between margins of a centimetre
        paper = b.ask(LOOK)
        assert paper["nav"] == "none" and paper["wide"] <= 0 and len(paper["figures"]) == FIGURES
        asked = {r["request"]["url"] for r in b.said("Network.requestWillBeSent")}
        assert asked == {page.as_uri()}
        assert not b.said("Runtime.exceptionThrown", "Log.entryAdded")
