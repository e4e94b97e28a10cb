"""What the commands that use a device do: search, promote, run, bench and their decisions.

Takes parsed arguments, gives printed data. Never parses a command line, never decides a verdict.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from boltbeam import (
    decisions,
    decode_support,
    gguf_model,
    ledger_review,
    machine,
    promotion,
    record,
    report,
    schedule_search,
    schedules,
    search_audit,
    search_session,
    standing,
    toolchain,
)
from boltbeam import (
    search as searching,
)
from boltbeam.ledger import Layers, user_data
from boltbeam.schedules import TokenResult
from boltbeam.search_session import Memory, Options, Session
from boltbeam.store import Store
from boltbeam.types import (
    BoltbeamError,
    ChipFacts,
    Decision,
    GateFailed,
    Interrupted,
    LedgerRow,
    ModelFacts,
    Uncovered,
)

CONTEXTS = (512, 1024, 2048, 4096, 8192, 16384, 32768)
"""Buckets of the KV cache for stock; a plan is promoted for the ones it was gated at."""


def pairs(words: Sequence[str], option: str) -> dict[str, str]:
    """`op=route` words as a dict."""
    out = {}
    for word in words:
        name, sep, value = word.partition("=")
        if not sep or not name or not value:
            raise BoltbeamError(
                f"{option} {word}: write it as op=route, such as down=gemv_rows_f32"
            )
        out[name] = value
    return out


def sample_size(text: str) -> int:
    """`--audit N|all` as a number."""
    if text == "all":
        return search_audit.EVERY
    if not text.isdecimal():
        raise BoltbeamError(f"--audit {text}: it is a number of candidates per work item, or all")
    return int(text)


# ---- search ----------------------------------------------------------------------------------


def search(options: Options, ledger_dir: Path | None, dry_run: bool, fmt: str) -> None:
    """Search and print the funnel, the reasons and the plan."""
    if options.effort not in searching.EFFORTS:
        raise BoltbeamError(f"--effort {options.effort}: it is quick or full")
    layers = Layers.find(ledger_dir=ledger_dir)
    if dry_run:
        found = search_session.dry_run(options, layers)
        return print_funnel(found, fmt, ["dry run: no device was used, nothing was written"])
    with machine.open_store() as store, progress_display() as progress:
        session = search_session.run(options, layers, store, progress)
    return print_session(session, fmt)


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
    """One row per work item: how many candidates went how far, and the verdict."""
    rows = [funnel_row(i, found) for i in found.items]
    rows += [schedule_search.funnel_cells(r) for r in schedules.results] if schedules else []
    if fmt != "md":
        for row, item in zip(rows, found.items, strict=False):
            row["audit"] = item.audit and item.audit.model_dump(mode="json", exclude_none=True)
    reasons = [] if fmt != "md" else list(reason_lines(found, schedules))
    report.table(rows, fmt, f"Work items of one token, context {found.request.context}", notes)
    if fmt == "md" and reasons:
        print("\nWhy candidates were left out, with the first number that failed:\n")
        print("\n".join(f"* {line}" for line in reasons))


def funnel_row(item: searching.ItemResult, found: searching.Found) -> dict[str, Any]:
    best = item.fastest()
    f = item.funnel
    row: dict[str, Any] = {
        "work": item.work.key.removeprefix("decode/").removesuffix("/m1"),
        "a token": item.work.count,
        "illegal": sum(f.illegal.values()),
        "legal": f.legal,
        "kept": len(item.kept),
        "proved": f.proved,
        "timed": f.timed,
        "floor µs": searching.floor_us(item.work, found.request.chip),
        "best µs": None,
        "stock µs": None,
        "verdict": item.skipped or ("failed" if item.failures and not item.raced_us else ""),
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
        for key, outcome in item.failures.items():
            counts[outcome.reason] = counts.get(outcome.reason, 0) + 1
            examples.setdefault(outcome.reason, (item, outcome))
            del key
        for proof in item.proofs.values():
            if not proof.ok:
                counts[proof.reason] = counts.get(proof.reason, 0) + 1
                examples.setdefault(proof.reason, (item, proof))
    for work, o in schedule_search.failures(schedules) if schedules else ():
        counts[o.reason] = counts.get(o.reason, 0) + 1
        examples.setdefault(o.reason, (searching.ItemResult(work, ()), o))
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
            "work": item.work.key.removeprefix("decode/").removesuffix("/m1"),
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
    print_funnel(found, fmt, (), schedules)
    if fmt == "md" and (audits := audit_rows(found)):
        print()
        report.table(audits, fmt, "Audit: kept and pruned candidates in one race")
    request = found.request
    if found.plan is not None and fmt == "md":
        print()
        report.table(plan_rows(found), fmt, "Plan")
        floor = search_session.floor_of_token_us(request.model, request.chip, request.context)
        stock = sum(r["stock µs"] * r["a token"] for r in plan_rows(found))
        us = found.plan.us
        print(
            f"\npredicted token {us / 1e3:.2f} ms = {1e6 / us:.1f} tok/s; the same steps by "
            f"stock's schedules {stock / 1e3:.2f} ms; limit "
            + (
                "not measured"
                if floor is None
                else f"{1e6 / floor:.0f} tok/s ({floor / us:.0%} of it)"
            )
        )
    elif found.token and found.plan is None:
        report.say(f"no whole plan: {no_plan_because(found)}")
    if schedules is not None:
        report.say(schedules_line(schedules))
    said = f"search {session.id}: {session.seconds:.0f} s"
    said += f" ({session.why_device})" if session.why_device else ""
    if found.reused:
        said += f"; {found.reused} answers of an earlier run reused"
    report.say(said + (f"; stopped early: {found.stopped}" if found.stopped else ""))
    wrote = f"wrote {session.file}" if session.file else "nothing new to write"
    whole = "search without --op" if found.request.ops else "search on with --resume"
    following = "boltbeam promote" if found.plan or (schedules and schedules.winners) else whole
    report.say(f"{wrote}; {session.confirmed} earlier rows confirmed. Next: {following}")
    if "interrupted" in (found.stopped, schedules.stopped if schedules else ""):
        raise Interrupted("search: interrupted; what was measured is kept for --resume")


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
                floor = searching.floor_us(item.work, found.request.chip)
                rows.append(
                    {
                        "work": item.work.key.removeprefix("decode/").removesuffix("/m1"),
                        "a token": counts[key],
                        "route": c.route.id,
                        "geometry": str(c.candidate.geometry),
                        "µs": us,
                        "stock µs": stock,
                        "÷ stock": us / stock,
                        "floor ÷ µs": None if floor is None else floor / us,
                        "verdict": str(verdict.verdict),
                    }
                )
    return rows


# ---- decisions -------------------------------------------------------------------------------


def promote(
    chip: str, yes: bool, reason: str, ledger_dir: Path | None, fmt: str, schedules: bool = False
) -> None:
    """Gates of the last search's plan, then one decision line.

    The plan of generated kernels where the search found one, else (or with `schedules`) the table
    of Opts for tinygrad's own.
    """
    layers = Layers.find(ledger_dir=ledger_dir)
    device, _ = machine.open_device(chip)
    with machine.open_store() as store:
        last = last_search(store, machine.local_chip(device))
        found = plan_of_search(last["summary"], schedules)
        if not found["members"]:
            why = found["stopped"] or "some steps were not searched or have no right kernel"
            raise BoltbeamError(
                f"promote: search {last['id']} on {found['chip']['id']} ended without a whole plan "
                f"({why}); search on without --op and with --resume"
            )
        env = record.Environment.here(
            found["chip"]["id"],
            ["boltbeam", *sys.argv[1:]],
            model=Path(found["model"]).name,
            header_hash=found["header_hash"],
        )
        report.say(f"plan of search {last['id']} on {found['chip']['id']}:")
        for m in found["members"]:
            report.say(f"  {m['work_key']}: {m['route']} {m['geometry']} ({m['us']:.4g} us)")
        cache = store.path.parent / "references"
        gates = promotion.run_gates(found, layers, env, cache, recorded_engine(), report.say)
        if not gates.failed:
            promotion.remember(found, gates, Memory(store, "first-use"))
    rows = [
        {"gate": n, "passed": g.passed, "number": g.number, "limit": g.limit, "detail": g.detail}
        for n, g in gates.gates.items()
    ]
    speeds = [f"{n} {1e3 / gates.times.median_ms(n):.1f}" for n in sorted(gates.times.seconds)]
    report.table(rows, fmt, "Gates", [f"tok/s in turns: {', '.join(speeds)}"])
    if gates.failed:
        layers.write(gates.rows)
        raise GateFailed(f"promote: refused by {', '.join(gates.failed)}")
    if not yes and not confirm("Promote this plan?"):
        return report.say("nothing was promoted")
    decision = promotion.promote(found, gates, layers, reason)
    path = layers.write([*gates.rows, decision])
    return report.say(f"promoted: {ledger_review.in_words(decision)}\nwrote {path}")


def plan_of_search(summary: dict[str, Any], schedules: bool) -> dict[str, Any]:
    """The summary with the plan that shall be promoted in it."""
    table = summary.pop("table", None)
    if table is not None and (schedules or not summary["members"]):
        return {**summary, **table}
    if schedules:
        raise BoltbeamError(
            "promote --schedules: the last search did not search tinygrad's own kernels; "
            "search with --op ast or --effort full"
        )
    return summary


def recorded_engine() -> Path | None:
    """Tokens of an independent engine, where the checkout brings them."""
    file = Path(__file__).resolve().parent.parent / "tests/data/smollm2-135m-q4_1.tokens.json"
    return file if file.is_file() else None


def last_search(store: Store, chip: ChipFacts) -> dict[str, Any]:
    """The last finished search on this chip. BoltbeamError where there is none."""
    last = store.last_search(chip.id)
    if last is not None:
        return last
    raise BoltbeamError(
        f"promote: no finished search on {chip.id}; run boltbeam search --model … first"
    )


def confirm(question: str) -> bool:
    """Ask on the terminal; without one the answer is no, with a hint."""
    if not sys.stdin.isatty():
        report.say(f"{question} Not a terminal: say --yes")
        return False
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def refute(ids: Sequence[str], reason: str, reopen_if: str, ledger_dir: Path | None) -> None:
    """Write one refutation."""
    layers = Layers.find(ledger_dir=ledger_dir)
    rows = []
    for i in ids:
        entry = ledger_review.show(layers, i).entry
        if not isinstance(entry, LedgerRow):
            raise BoltbeamError(f"refute: {i} is a decision; name the rows that decided")
        rows.append(entry)
    decision = decisions.refute(
        rows,
        reason=reason,
        reopen_if=reopen_if,
        active=tuple(standing.plans(layers).values()),
        by=decisions.author(),
    )
    path = decisions.record(layers, decision)
    report.say(f"{ledger_review.in_words(decision)}\nwrote {path}")


def rollback(plan: str | None, chip: str, reason: str, ledger_dir: Path | None) -> None:
    """Write one rollback of a plan in force."""
    layers = Layers.find(ledger_dir=ledger_dir)
    in_force = list(standing.plans(layers).values())
    if plan is None:
        device, _ = machine.open_device(chip)
        here = machine.local_chip(device)
        in_force = [d for d in in_force if d.scope.chip == here.id]
    else:
        in_force = [d for d in in_force if d.id.startswith(plan)]
    if len(in_force) != 1:
        have = ", ".join(d.id for d in in_force) or "none"
        raise BoltbeamError(f"rollback: name the plan in force to take back; there is {have}")
    current = in_force[0]
    before = {d.id: d for d in layers.decisions()}.get(current.replaces)
    decision = decisions.rollback(current, reason=reason, restores=before, by=decisions.author())
    path = decisions.record(layers, decision)
    report.say(f"{ledger_review.in_words(decision)}\nwrote {path}")


# ---- run and bench ---------------------------------------------------------------------------


def plan_here(
    layers: Layers, chip: ChipFacts, facts: ModelFacts, least: int, wanted: int | None
) -> tuple[Decision | None, int, str]:
    """(plan in force that fits, context, why none): the smallest promoted bucket that is enough."""
    if reason := decode_support.no_generated_decode(facts):
        return None, wanted or next((c for c in CONTEXTS if c >= least), least), reason
    known = []
    gated = {c for d in standing.plans(layers, chip.id).values() for c in d.contexts}
    for context in sorted({*CONTEXTS, *gated, *([wanted] if wanted else [])}):
        key = search_session.model_plan_key(facts, context)
        decision = standing.active_plan(layers, chip.id, key)
        if decision is not None:
            known.append(context)
            if context >= least and wanted in (None, context):
                return decision, context, ""
    context = wanted or next((c for c in CONTEXTS if c >= least), least)
    have = f"promoted for {', '.join(map(str, known))} positions only" if known else "none promoted"
    return None, context, f"{have}; needed {least} on {chip.id}: boltbeam search, then promote"


def table_here(
    path: Path,
    layers: Layers,
    chip: ChipFacts,
    facts: ModelFacts,
    least: int,
    wanted: int | None,
    store: Store,
) -> tuple[Decision, int] | None:
    """The promoted table of Opts for this file's token, and its context."""
    from boltbeam import schedule_install

    memory = Memory(store, "first-use")
    env = toolchain.environment()
    return schedule_install.promoted(layers, path, facts, chip, least, wanted, memory, env)


def run(
    path: Path,
    prompt: str,
    n: int,
    chip: str,
    raw: bool,
    ignore_eos: bool,
    stock: bool,
    context: int | None,
    ledger_dir: Path | None,
    fmt: str,
) -> None:
    """Stream text; with json give ids, rates and what fell back."""
    facts = gguf_model.read(path)
    decode_support.require_runnable(facts)
    from boltbeam.tokenizer import Tokenizer

    tokenizer = Tokenizer.from_gguf(path)
    text = sys.stdin.read() if prompt == "-" else prompt
    if not raw:
        text = tokenizer.chat([{"role": "user", "content": text}])
    ids = tokenizer.encode(text)
    if not ids:
        raise BoltbeamError("run: the prompt is empty; give it some text")
    if len(ids) + n > facts.context_length:
        raise BoltbeamError(
            f"run: {len(ids)} prompt tokens and -n {n} exceed the model's context of "
            f"{facts.context_length}; shorten the prompt or lower -n"
        )
    if context is not None and not len(ids) + n <= context <= facts.context_length:
        raise BoltbeamError(
            f"run: --context {context} must hold {len(ids)} prompt tokens and -n {n}, and be at "
            f"most the model's {facts.context_length}"
        )
    device, _ = machine.open_device(chip)
    facts_here = machine.local_chip(device)
    layers = Layers.find(ledger_dir=ledger_dir)
    decision, size, why = plan_here(layers, facts_here, facts, len(ids) + n, context)
    with machine.open_store() as store:
        if decision is None and not stock:
            decision, size = table_here(
                path, layers, facts_here, facts, len(ids) + n, context, store
            ) or (None, size)
        installed = installation(
            path, facts, facts_here, layers, None if stock else decision, size, store
        )
    fallbacks = [f"{u.name}: {u.reason}" for u in installed.fallbacks]
    fallbacks += ["plan: --stock"] if stock else [f"plan: {why}"] if decision is None else []
    if fallbacks:
        report.say(f"boltbeam: stock runs: {'; '.join(fallbacks)}")
    stream(
        installed,
        tokenizer,
        ids,
        n,
        () if ignore_eos else tuple(tokenizer.end_ids),
        fmt,
        fallbacks,
        decision,
    )


def installation(
    path: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    decision: Decision | None,
    context: int,
    store: Store,
) -> Any:
    """The model with the plan installed, or stock where there is none or it does not pass."""
    from boltbeam import install
    from boltbeam import tinygrad_adapter as tg

    if decision is None:
        return right_stock(path, context, chip)
    model, _ = tg.load_model(path, context, chip.device)
    memory = Memory(store, "first-use")
    if table := schedules.table_of(decision.members):
        from boltbeam import schedule_install

        return schedule_install.install(model, facts, table, chip, memory, report.say)
    members = promotion.placed(facts, context, decision, layers)
    if differences := promotion.stale(decision.scope, decision.members, members, chip):
        reason = f"{decision.id} was measured otherwise: {'; '.join(differences)}; search again"
        return right_stock(path, context, chip, (Uncovered(name="plan", reason=reason),))
    files = gguf_model.files(path)
    referee = None if chip.exact_stock else other_stock(path, context, chip, store)
    made = install.install(
        model, facts, files, members, chip, memory, say=report.say, referee=referee
    )
    if made.active or chip.exact_stock:
        return made
    return right_stock(path, context, chip, made.fallbacks)


def right_stock(
    path: Path, context: int, chip: ChipFacts, fallbacks: Sequence[Uncovered] = ()
) -> Any:
    """Stock on the chip, or on the CPU where stock would be wrong on the chip."""
    from boltbeam import install
    from boltbeam import tinygrad_adapter as tg

    device = chip.device if chip.exact_stock else "CPU"
    if device != chip.device:
        reason = f"not exact on {chip.device} (no fp16 there): it runs on {device}"
        fallbacks = (*fallbacks, Uncovered(name="stock", reason=reason))
    model, _ = tg.load_model(path, context, device)
    return install.Installation(model, None, tuple(fallbacks))


def other_stock(path: Path, context: int, chip: ChipFacts, store: Store) -> Any:
    """Stock in a process on a device where it is right, as the first-use check's referee."""
    from boltbeam import token_gate

    engine = token_gate.Engine(model=str(path), chip=chip, context=context)
    cache = store.path.parent / "references"

    def referee(prompt: Sequence[int], n: int) -> tuple[Any, Any]:
        found = token_gate.reference(engine, [prompt], n, cache)
        return found.traces[0], found.kv

    return referee


def stream(
    installed: Any,
    tokenizer: Any,
    ids: list[int],
    n: int,
    stop: Sequence[int],
    fmt: str,
    fallbacks: list[str],
    decision: Decision | None,
) -> None:
    """Print text as it comes, rates afterwards."""
    from boltbeam import install

    begun, first, out = time.perf_counter(), None, []
    decoder = tokenizer.stream()
    for token in install.generate(installed, ids, n, stop):
        first = first or time.perf_counter()
        out.append(token)
        if fmt == "md" and token not in stop:
            print(decoder.push(token), end="", flush=True)
    end = time.perf_counter()
    late = [f"{u.name}: {u.reason}" for u in installed.refused]
    if late:
        report.say(f"\nboltbeam: tinygrad's own schedule runs: {'; '.join(late)}")
    rate = (len(out) - 1) / (end - first) if first and len(out) > 1 else None
    facts = {
        "prompt_ids": ids,
        "generated_ids": out,
        "text": tokenizer.decode([t for t in out if t not in stop]),
        "tok_s": rate,
        "time_to_first_token_s": first - begun if first else None,
        "engine": "promoted" if installed.active else "stock",
        "plan": decision.id if decision and installed.active else None,
        "prompt_by": installed.prompt_by,
        "fell_back": fallbacks + late,
    }
    if fmt == "md":
        print(decoder.flush())
        report.say(
            f"\n{facts['engine']}: {len(out)} tokens, {report.cell(rate)} tok/s, first after "
            f"{report.cell(facts['time_to_first_token_s'])} s; prompt by {installed.prompt_by}"
        )
    else:
        print(json.dumps(facts))


def bench(
    path: Path,
    chip: str,
    n_gen: int,
    depths: Sequence[int],
    rounds: int,
    context: int,
    jitbeam: bool,
    llama_bench: Path | None,
    threads: int | None,
    ledger_dir: Path | None,
    fmt: str,
) -> None:
    """Whole tokens of every engine in turns."""
    from boltbeam import bench as benches
    from boltbeam.token_gate import Engine

    facts = gguf_model.read(path)
    decode_support.require_runnable(facts)
    device, _ = machine.open_device(chip)
    here = machine.local_chip(device)
    layers = Layers.find(ledger_dir=ledger_dir)
    decision, _, why = plan_here(layers, here, facts, 1, context)
    if decision is None:
        with machine.open_store() as store:
            found = table_here(path, layers, here, facts, 1, context, store)
        decision = found[0] if found else None
    engine = Engine(model=str(path), chip=here, context=context)
    if decision is not None:
        engine = promotion.engine_of(decision, path, facts, here, context, layers)
    else:
        report.say(f"boltbeam: no promoted plan here: {why}")
    cache = user_data() / "jitbeam.db" if jitbeam else None
    rows = [
        row.model_dump()
        for depth in depths
        for row in benches.bench(
            engine, n_gen, depth, rounds, cache, llama_bench, threads, say=report.say
        )
    ]
    if fmt == "md":
        stock = {r["n_depth"]: r["avg_ts"] for r in rows if r["engine"] == "stock"}
        names = ("engine", "n_gen", "n_depth", "avg_ts", "stddev_ts", "backends")
        rows = [
            {k: r[k] for k in names} | {"÷ stock": r["avg_ts"] / stock[r["n_depth"]]} for r in rows
        ]
    report.table(rows, fmt, f"{path.name} on {here.id}, {n_gen} tokens, in turns")
