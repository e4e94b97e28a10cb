"""What the commands that write the ledger do: search, promote, refute and rollback.

Takes parsed arguments, gives printed data. Never parses a command line, never decides a verdict.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from boltbeam import registry, report
from boltbeam.commands.search_display import print_funnel, print_session, progress_display
from boltbeam.measure import locks, software
from boltbeam.models import gguf_model
from boltbeam.records import (
    claims,
    decisions,
    ledger_review,
    priors,
    record,
    red_flags,
    reopening,
    standing,
)
from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import Layers
from boltbeam.records.store import Store, is_whole
from boltbeam.search import machine, search_audit, search_session
from boltbeam.search.predictions import Claim
from boltbeam.search.search_items import EFFORTS
from boltbeam.search.search_session import Memory, Options
from boltbeam.token import promotable, promotion
from boltbeam.types import BoltbeamError, ChipFacts, GateFailed, Verdict


def pins(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """`op=route` words: by op, the routes that were named for it."""
    out: dict[str, tuple[str, ...]] = {}
    for word in words:
        name, sep, value = word.partition("=")
        if not sep or not name or not value:
            raise BoltbeamError(f"--pin {word}: write it as op=route, such as down=gemv_rows_f32")
        out[name] = tuple(dict.fromkeys((*out.get(name, ()), value)))
    return out


def claim(said: Sequence[str], kill: str | None) -> Claim | None:
    """`--predict` and `--kill` as a claim; None where there is none."""
    if len(said) > 1:
        raise BoltbeamError(f"--predict {said[1]}: a search closes one prediction; say one")
    if not said:
        if kill is not None:
            raise BoltbeamError(f"--kill {kill}: it ends a prediction; say --predict too")
        return None
    return Claim(*claims.stated(said[0], kill or ""))


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
    if options.effort not in EFFORTS:
        raise BoltbeamError(f"--effort {options.effort}: it is quick or full")
    layers = Layers.find(ledger_dir=ledger_dir, new=True)
    if not dry_run:
        layers.require_writable()
    if dry_run and options.predict is not None:
        raise BoltbeamError("--predict: a dry run measures nothing that could close it")
    if dry_run:
        found = search_session.dry_run(options, layers)
        return print_funnel(found, fmt, ["dry run: no device was used, nothing was written"])
    warn_of_room(options)
    with machine.open_store() as store, progress_display() as progress:
        session = search_session.run(options, layers, store, progress)
    return print_session(session, fmt)


def warn_of_room(options: Options) -> None:
    """A plan that can never be promoted is better known before the search."""
    if needed := promotable.too_small(options.model, options.context):
        report.say(
            f"boltbeam: --context {options.context} is too small to promote a plan: the reference "
            f"prompts need {needed}"
        )


# ---- decisions -------------------------------------------------------------------------------


def promote(
    chip: str,
    yes: bool,
    reason: str,
    ledger_dir: Path | None,
    fmt: str,
    schedules: bool = False,
    synthetic: bool = False,
    nominate: bool = False,
    model: Path | None = None,
    context: int | None = None,
) -> None:
    """Gates of the last search's plan, then one decision line; `nominate`: its times, and none.

    `model`, `context`: of the last search of those. The plan of generated kernels where the search
    found one, else (or with `schedules`) the table of Opts for tinygrad's own. What gates refuse
    leaves their rows; what cannot be asked, or is in force already, writes nothing.
    """
    layers = Layers.find(ledger_dir=ledger_dir, new=True)
    layers.require_writable()
    device, _ = machine.open_device(chip)
    with machine.open_store() as store:
        last = last_search(store, machine.local_chip(device), model, context)
        found = plan_of_search(last["summary"], schedules)
        found.setdefault("name", Path(found["model"]).name)
        if not found["members"]:
            why = found["stopped"] or "some steps were not searched or have no right kernel"
            raise BoltbeamError(
                f"promote: search {last['id']} on {found['chip']['id']} ended without a whole plan "
                f"({why}); search on without --op and with --resume (and the same --seed)"
            )
        env = record.Environment.here(
            found["chip"]["id"],
            ["boltbeam", *sys.argv[1:]],
            model=found["name"],
            header_hash=found["header_hash"],
            **software.here(device),
        )
        promotable.require_rows(last["id"], found, layers)
        if plan := promotable.in_force(found, layers, env):
            return report.say(f"this plan is already in force (decision {plan.id})")
        if nominate:
            return _nominate(found, layers, env, fmt)
        promotable.require_real(found, synthetic)
        promotable.require_room(found)
        if not yes and not has_terminal():
            raise BoltbeamError("promote: standard input is no terminal to ask on: say --yes")
        report.say(f"plan of search {last['id']} on {found['chip']['id']}:")
        for m in found["members"]:
            report.say(f"  {m['work_key']}: {m['route']} {m['geometry']} ({m['us']:.4g} us)")
        for line in priors.warnings(found["chip"]["id"], [m["work_key"] for m in found["members"]]):
            report.say(f"boltbeam: {line}")
        cache = store.path.parent / "references"
        recorded = registry.recorded_engines().get(found["header_hash"])
        gates = promotion.run_gates(found, layers, env, cache, recorded, report.say)
        if not gates.failed:
            promotion.remember(gates, Memory(store, "first-use"))
    shown = [
        {"gate": n, "passed": g.passed, "number": g.number, "limit": g.limit, "detail": g.detail}
        for n, g in gates.gates.items()
    ]
    speeds = [f"{n} {1e3 / gates.times.median_ms(n):.1f}" for n in sorted(gates.times.seconds)]
    report.table(shown, fmt, "Gates", [f"tok/s in turns: {', '.join(speeds)}"])
    if gates.failed:
        if rows := promotable.unsaid(gates.rows, layers):
            report.say(f"wrote {layers.write(rows)}: the whole token as it was refused")
        else:
            report.say("nothing was written: the ledger says so of this plan already")
        raise GateFailed(f"promote: refused by {', '.join(gates.failed)}{_instead(gates)}")
    if not yes and not confirm("Promote this plan?"):
        return report.say("nothing was promoted")
    if red_flags.synthetic(found["name"]):
        reason += "; a synthetic model, whose tokens prove nothing"
    with locks.lock("plans"):
        promotable.require_same(found, gates.replaces, Layers.find(ledger_dir=ledger_dir))
        decision = promotion.promote(found, gates, layers, reason)
        path = layers.write([*gates.rows, decision])
    return report.say(f"promoted: {ledger_review.in_words(decision)}\nwrote {path}")


def _instead(gates: promotion.Gates) -> str:
    """What may pass where rounding is what a gate refused."""
    rounds = any(r.numerics == "q8_activations" and r.verdict is Verdict.wrong for r in gates.rows)
    return "; int8 activations round: search again with --numerics exact" if rounds else ""


def _nominate(found: dict[str, Any], layers: Layers, env: record.Environment, fmt: str) -> None:
    """Whole-token rows of a plan that is not promoted, and what they say."""
    _, times, rows = promotion.nominate(found, layers, env, report.say)
    shown = [
        {
            "position": t.start,
            **{f"{n}_tok_s": 1e3 / t.median_ms(n) for n in sorted(t.seconds)},
            "ratio": median(t.ratios("candidate", "stock")),
            "verdict": r.verdict,
        }
        for t, r in zip(times, rows, strict=True)
    ]
    report.table(shown, fmt, "Whole token, nominated", [rows[0].detail.partition("; ")[2]])
    report.say(f"wrote {layers.write(list(rows))}; nothing was promoted")


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


def last_search(
    store: Store, chip: ChipFacts, model: Path | None = None, context: int | None = None
) -> dict[str, Any]:
    """The last finished search on this chip, or of this very file and context there; where that was
    of some ops only, or ended early, the last whole one of the same file, and says so.
    BoltbeamError where there is none."""
    last = _search_of(store, chip, model, context)
    if last is None:
        of = "" if model is None else f" of {model.name} with these weights"
        at = "" if context is None else f" at a context of {context}"
        raise BoltbeamError(
            f"promote: no finished search{of}{at} on {chip.id}; run boltbeam search --model … first"
        )
    store.require_plan(last)
    found = last["summary"]
    since, why = found.get("since", ()), ""
    if not is_whole(found):
        whole = store.last_whole(chip.id, last["header_hash"], found["context"])
        since = found.get("ops") or ()
        if whole is not None and not since:
            why = found.get("stopped", "")
        last = whole or last
        store.require_plan(last)
    if why := why or last["summary"].get("cut_off", ""):
        report.say(f"boltbeam: a later search ended early ({why}); this is the plan before it")
    if since and is_whole(last["summary"]):
        report.say(
            f"boltbeam: the search of {', '.join(since)} alone came later and is no whole plan; "
            f"this is that of the whole token (search {last['id']})"
        )
    return last


def _search_of(
    store: Store, chip: ChipFacts, model: Path | None, context: int | None
) -> dict[str, Any] | None:
    """The last finished search of a file with these weights, wherever that lay, and context."""
    file = None if model is None else gguf_model.fingerprint(model)

    def fits(summary: Mapping[str, Any]) -> bool:
        weights = file is None or summary.get("fingerprint") == file
        return weights and context in (None, summary.get("context"))

    header = "" if model is None else gguf_model.read(model).header_hash
    last = store.last_search(chip.id, True, header, fits)
    if last is not None and model is not None:
        last["summary"]["model"] = str(model)
    return last


def has_terminal() -> bool:
    """True where somebody can answer on standard input (which may be closed)."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def confirm(question: str) -> bool:
    """Ask on the terminal."""
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def refute(
    ids: Sequence[str],
    reason: str,
    reopen_if: str,
    number: float | None,
    ledger_dir: Path | None,
    against: str | None = None,
) -> None:
    """Write one refutation. A row that says `faster` refutes only with a `number` of your own, or
    `against` a row of another route that is faster still."""
    if against is not None and number is not None:
        raise BoltbeamError("refute: --against gives the number: leave --number out")
    layers = Layers.find(ledger_dir=ledger_dir, new=True)

    def row(name: str) -> LedgerRow:
        entry = ledger_review.show(layers, name, "refute").entry
        if not isinstance(entry, LedgerRow):
            raise BoltbeamError(f"refute: {name} is a decision; name the rows that decided")
        if entry.kind != "kernel":
            raise BoltbeamError(f"refute: {name} is a {entry.kind} row; name rows of kernels")
        return entry

    rows = [row(i) for i in ids]
    decision = decisions.refute(
        rows,
        reason=reason,
        reopen_if=reopen_if,
        number=number,
        against=None if against is None else row(against),
        active=tuple(standing.plans(layers).values()),
        by=decisions.author(),
    )
    faster = [r.id for r in rows if r.verdict is Verdict.faster]
    if faster and number is None and against is None:
        raise BoltbeamError(
            f"refute: row {faster[0]} says faster, which refutes nothing; "
            "give what does with --number, or the faster row with --against"
        )
    if old := reopening.refuted(layers, decision.scope):
        raise BoltbeamError(f"refute: {old.scope.route} is refuted there already by {old.id}")
    if not reopening.named(reopen_if):
        report.say(
            f"boltbeam: '{reopen_if}' names no tinygrad, driver, compiler or memory whose change "
            f"can be seen: on this chip only search --reopen {decision.scope.route} lifts it"
        )
    path = decisions.record(layers, decision)
    report.say(f"{ledger_review.in_words(decision)}\nwrote {path}")


def rollback(plan: str | None, chip: str, reason: str, ledger_dir: Path | None) -> None:
    """Write one rollback of a plan in force."""
    layers = Layers.find(ledger_dir=ledger_dir, new=True)
    in_force = list(standing.plans(layers).values())
    if plan is None:
        device, _ = machine.open_device(chip)
        here = machine.local_chip(device)
        found, no = [d for d in in_force if d.scope.chip == here.id], f"is on {here.id}"
    else:
        found, no = [d for d in in_force if d.id.startswith(plan)], f"begins with '{plan}'"
    if not found:
        have = ", ".join(f"{d.id} on {d.scope.chip}" for d in in_force) or "none"
        raise BoltbeamError(f"rollback: no plan in force {no}; in force: {have}")
    if len(found) > 1:
        have = ", ".join(d.id for d in found)
        raise BoltbeamError(f"rollback: name the plan in force to take back; there is {have}")
    current = found[0]
    before = {d.id: d for d in layers.decisions()}.get(current.replaces)
    decision = decisions.rollback(current, reason=reason, restores=before, by=decisions.author())
    path = decisions.record(layers, decision)
    report.say(f"{ledger_review.in_words(decision)}\nwrote {path}")
