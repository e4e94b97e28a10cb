"""What a search shows: progress on stderr; then its funnel, reasons, audit and plan as tables.

Takes what was found, gives printed text. Never searches, never writes a file.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from boltbeam import registry, report
from boltbeam.models.plan import short, timed_position
from boltbeam.predict import roofline
from boltbeam.records import ledger_review, priors, red_flags
from boltbeam.records.decide import below_clock
from boltbeam.schedule.schedules import TokenResult
from boltbeam.search import schedule_search, search_session
from boltbeam.search import search as searching
from boltbeam.search.repeat import Repeat
from boltbeam.search.search_items import ItemResult, floor_us
from boltbeam.search.search_session import Session
from boltbeam.types import GateFailed, Interrupted


@contextlib.contextmanager
def progress_display() -> Iterator[searching.Progress]:
    """One line on stderr that says what is happening, how much is done, how long it took."""
    if not sys.stderr.isatty():
        last, begun = "", time.monotonic()

        def plain(what: str, share: float) -> None:
            nonlocal last
            if what != last:
                report.say(f"[{share:4.0%} {time.monotonic() - begun:4.0f} s] {what}")
                last = what

        yield plain
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (BarColumn(24), TextColumn("{task.percentage:3.0f}%"), TimeElapsedColumn())
    left = TextColumn("left"), TimeRemainingColumn(), TextColumn("{task.description}")
    with Progress(*columns, *left, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda what, share: bar.update(task, description=what, completed=share)


def print_funnel(
    found: searching.Found,
    fmt: str,
    notes: Sequence[str] = (),
    schedules: TokenResult | None = None,
) -> None:
    """One row per work item: how many candidates went how far, and the verdict.

    What the ledger refutes here is skipped, and said so; what others published only warns.
    """
    for line in (*skipped(found), *priors.warnings(found.request.chip.id, works(found))):
        report.say(f"boltbeam: {line}")
    rows = [funnel_row(i, found) for i in found.items]
    rows += [schedule_search.funnel_cells(r) for r in schedules.results] if schedules else []
    if fmt != "md":
        for row, item in zip(rows, found.items, strict=False):
            row["audit"] = item.audit and item.audit.model_dump(mode="json", exclude_none=True)
    reasons = [] if fmt != "md" else list(reason_lines(found, schedules))
    title = f"Work items of one token, context {found.request.context}"
    report.table(rows, fmt, title, notes, long=("work", "fastest"))
    if fmt == "md" and reasons:
        print("\nWhy candidates were left out, with the first number that failed:\n")
        print("\n".join(f"* {line}" for line in reasons))


def works(found: searching.Found) -> list[str]:
    """Keys of the work items that were looked at."""
    return [item.work.key for item in found.items]


def skipped(found: searching.Found) -> Iterator[str]:
    """Every refuted route that this search left out, with its number and what reopens it."""
    for (route, key), no in found.request.refused.items():
        does = registry.route(route).ops
        about = [i.work for i in found.items if key in ("", i.work.key) and i.work.op in does]
        if about:
            where = short(key) if key else ", ".join(dict.fromkeys(w.op for w in about))
            number = "" if no.number is None else f" ({report.cell(no.number)}"
            number += "" if not number else f", limit {report.cell(no.limit)})" if no.limit else ")"
            yield f"skipped {route} for {where}, refuted{number}: {no.detail}"


def funnel_row(item: ItemResult, found: searching.Found) -> dict[str, Any]:
    best = item.fastest()
    f = item.funnel
    row: dict[str, Any] = {
        "work": short(item.work.key),
        "a token": item.work.count,
        "illegal": sum(f.illegal.values()),
        "legal": f.legal,
        "kept": len(item.kept),
        "proved": f.proved,
        "timed": f.timed,
        "floor µs": floor_us(item.work, found.request.chip),
        "best µs": None,
        "stock µs": None,
        "verdict": item.stopped or ("failed" if item.failures and not item.raced_us else ""),
        "fastest": "",
    }
    if best is not None:
        key = best.candidate.key
        row["best µs"], row["fastest"] = (
            item.raced_us[key],
            f"{best.route.id} {best.candidate.geometry}",
        )
        if key in item.timed:
            m, verdict = item.timed[key]
            row["stock µs"], row["verdict"] = median(m.incumbent_us), str(verdict.verdict)
    return row


def reason_lines(found: searching.Found, schedules: TokenResult | None = None) -> Iterator[str]:
    """`rows-divide (illegal, 120): …` once per reason over all work items."""
    counts: dict[str, int] = {}
    examples: dict[str, Any] = {}
    for item in found.items:
        for counter in (item.illegal, item.pruned):
            for reason, n in counter.items():
                counts[reason] = counts.get(reason, 0) + n
                examples.setdefault(reason, (item, item.examples[reason]))
        for outcome in item.failures.values():
            counts[outcome.reason] = counts.get(outcome.reason, 0) + 1
            examples.setdefault(outcome.reason, (item, outcome))
        for proof in item.proofs.values():
            if not proof.ok:
                counts[proof.reason] = counts.get(proof.reason, 0) + 1
                examples.setdefault(proof.reason, (item, proof))
    for work, o in schedule_search.failures(schedules) if schedules else ():
        counts[o.reason] = counts.get(o.reason, 0) + 1
        examples.setdefault(o.reason, (ItemResult(work, ()), o))
    for reason, n in sorted(counts.items(), key=lambda kv: -kv[1]):
        item, o = examples[reason]
        verdict = getattr(o, "verdict", "wrong")
        number = getattr(o, "number", None) if hasattr(o, "number") else o.worst
        limit = getattr(o, "limit", None)
        said = f"{report.cell(number)} against {report.cell(limit)}" if number is not None else ""
        detail = getattr(o, "detail", "") or getattr(o, "where", "")
        where = item.work.op
        yield f"{reason} ({verdict}, {n:,}): {where}: " + "; ".join(x for x in (said, detail) if x)


def audit_rows(found: searching.Found) -> list[dict[str, Any]]:
    """What the filters lost, per work item that was audited."""
    return [
        {
            "work": short(item.work.key),
            "legal": item.legal,
            "raced": a.distinct,
            "sample": "all" if a.everything else a.sampled,
            "kept": a.kept,
            "kept ÷ legal": a.kept_share,
            "regret": a.regret,
            "rank corr.": a.rank_correlation,
            "best µs": a.best_us,
            "predicted as": a.best_rank,
            "wrongly pruned": f"{a.worst}: {a.worst_reason} {report.cell(a.worst_number)} "
            f"against {report.cell(a.worst_limit)}"
            if a.worst
            else "none",
        }
        for item in found.items
        if (a := item.audit) is not None
    ]


def print_session(session: Session, fmt: str) -> None:
    """The funnel, the audit, the plan against stock and floor, and where it was written."""
    found, schedules = session.found, session.schedules
    for gone in session.lifted:
        report.say(str(gone))
    print_funnel(found, fmt, (), schedules)
    if fmt == "md" and (audits := audit_rows(found)):
        print()
        report.table(audits, fmt, "Audit: kept and pruned candidates in one race", long=("work",))
    request = found.request
    if found.plan is not None and fmt == "md":
        print()
        report.table(plan_rows(found), fmt, "Plan", long=("work", "route", "geometry"))
        floor = search_session.floor_of_token_us(request.model, request.chip, request.context)
        stock = sum(r["stock µs"] * r["a token"] for r in plan_rows(found))
        us = found.plan.us
        limit = "limit not measured"
        if floor is not None:
            at = (timed_position(request.context), request.context)
            limit = f"{roofline.limit_words(1e6 / floor, *at)} ({floor / us:.0%} of it)"
        print(
            f"\npredicted token {us / 1e3:.2f} ms = {1e6 / us:.1f} tok/s; the same steps by "
            f"stock's schedules {stock / 1e3:.2f} ms; {limit}"
        )
    elif found.token and found.plan is None:
        report.say(f"no whole plan: {no_plan_because(found)}")
    if session.whole is not None:
        report.say(session.whole.line())
    if schedules is not None:
        report.say(schedules_line(schedules))
    if session.closing is not None:
        report.say(ledger_review.in_words(session.closing))
    for line in unrested(session):
        report.say(line)
    said = f"search {session.id}: {session.seconds:.0f} s"
    said += f" ({session.why_device})" if session.why_device else ""
    if found.reused:
        said += f"; {found.reused} answers of an earlier run reused"
    said += f"; stopped early: {found.stopped}" if found.stopped else ""
    if session.over_s is not None:
        said += f"; over its budget of {session.over_s:g} s"
    report.say(said)
    wrote = f"wrote {session.file}" if session.file else "nothing new to write"
    whole = "search without --op" if found.request.ops else "search on with --resume"
    following = session.following if found.plan or (schedules and schedules.winners) else whole
    report.say(f"{wrote}; {session.confirmed} earlier rows confirmed. Next: {following}")
    if "interrupted" in (found.stopped, schedules.stopped if schedules else ""):
        raise Interrupted("search: interrupted; what was measured is kept for --resume")


def unrested(session: Session) -> Iterator[str]:
    """One line where the machine had something else to do while kernels were compared."""
    rows = [r for r in session.rows if r.kind == "kernel" and r.candidate_us]
    busy = [said for r in rows if (said := red_flags.unrest(r))]
    hot = sum(bool(r.throttled) for r in rows)
    if busy:
        worst = max(busy, key=len)
        yield (
            f"machine not rested in {len(busy)} of {len(rows)} comparisons ({'; '.join(worst)}): "
            "ratios hold, microseconds may be high"
        )
    if hot:
        yield f"{hot} of {len(rows)} comparisons were throttled to the end: they decide nothing"


def no_plan_because(found: searching.Found) -> str:
    """Which steps lack a right kernel or a comparison with stock."""
    if found.choice is not None:
        members = {o.evidence for _, o in found.choice.members}
        waiting = [i.work.op for i in found.items if members & (i.raced_us.keys() - i.timed.keys())]
        return f"not yet compared with stock: {', '.join(waiting)}"
    if found.request.ops:
        return f"only steps with {', '.join(found.request.ops)} were searched"
    missing = [i.work.op for i in found.items if not i.racers and len(i.work.ops) == 1]
    return f"nothing right was found yet for {', '.join(missing) or 'some step'}"


def schedules_line(found: TokenResult) -> str:
    """`tinygrad's own kernels: 12 of 23 faster with other Opts; …ms a token -> …ms; 41 s`."""
    own = sum(r.work.count * (r.default_us or 0.0) for r in found.results)
    saved = 0.0
    for r in found.winners:
        assert r.measurement is not None
        ratio = median(r.measurement.ratios)
        saved += r.work.count * (r.default_us or 0.0) * (1 - ratio)
    return (
        f"tinygrad's own kernels: {len(found.winners)} of {len(found.results)} faster with other "
        f"Opts; kernel time of a token {own / 1e3:.2f} ms, with them about "
        f"{(own - saved) / 1e3:.2f} ms; {found.seconds:.0f} s"
        + (f"; stopped early: {found.stopped}" if found.stopped else "")
    )


def floor_share(floor_us: float | None, us: float) -> float | str | None:
    """Floor ÷ time; in words where no clock can show the floor."""
    if floor_us is None:
        return None
    return "floor below clock" if below_clock(floor_us) else floor_us / us


def plan_rows(found: searching.Found) -> list[dict[str, Any]]:
    """Members of the chosen path, equal ones together."""
    assert found.plan is not None
    counts: dict[str, int] = {}
    for _, o in found.plan.members:
        counts[o.evidence] = counts.get(o.evidence, 0) + 1
    rows = []
    for item in found.items:
        for key, (m, verdict) in item.timed.items():
            if key in counts:
                c = item.considered(key)
                us, stock = median(m.candidate_us), median(m.incumbent_us)
                floor = floor_us(item.work, found.request.chip)
                rows.append(
                    {
                        "work": short(item.work.key),
                        "a token": counts[key],
                        "route": c.route.id,
                        "geometry": str(c.candidate.geometry),
                        "µs": us,
                        "stock µs": stock,
                        "÷ stock": us / stock,
                        "floor ÷ µs": floor_share(floor, us),
                        "verdict": str(verdict.verdict),
                    }
                )
    return rows


# ---- two searches -------------------------------------------------------------------------------


def print_repeat(found: Repeat, fmt: str) -> None:
    """One table, or one JSON object. GateFailed where two winners lie outside the band, or
    could not be held beside each other."""
    rows: Sequence[dict[str, Any]] = [p.cells for p in found.pairs]
    if fmt == "json":
        about = {
            "chip": found.chip,
            "same": sum(p.same for p in found.pairs),
            "items": len(found.pairs),
            "outside": len(found.outside),
            "regret": found.regret,
            "plans_us": list(found.plans_us),
            "same_plan": found.same_plan,
        }
        report.record({**about, "pairs": rows}, fmt)
    else:
        if fmt == "md":
            left_out = ("low", "high", "why")
            rows = [{k: v for k, v in r.items() if k not in left_out} for r in rows]
        title = f"Two searches of one token on {found.chip}"
        report.table(rows, fmt, title, found.notes, long=("work", "first", "second"))
    for pairs, said in ((found.outside, "outside the band"), (found.not_compared, "not compared")):
        if pairs:
            names = ", ".join(short(p.work) for p in pairs)
            raise GateFailed(f"repeat: {said}: {names}")
