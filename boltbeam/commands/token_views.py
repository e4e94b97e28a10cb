"""What `census`, `tieout` and `speculate` do: one token of the plan in use, measured and explained.

Takes parsed arguments, gives printed data. The measuring happens in a fresh process; nothing is
written to the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from boltbeam import report
from boltbeam.commands.plan_in_use import engine_here, engine_nominated
from boltbeam.commands.search_display import progress_display
from boltbeam.measure.locks import lock
from boltbeam.models import decode_support, gguf_model
from boltbeam.models.plan import timed_position
from boltbeam.predict import census, chips, speculate, tieout
from boltbeam.predict.census import Token
from boltbeam.predict.speculate import Costs
from boltbeam.records import standing
from boltbeam.records.ledger import Layers
from boltbeam.search import machine
from boltbeam.token.token_process import Engine, Process
from boltbeam.types import BoltbeamError, ChipFacts, GateFailed, ModelFacts

MEASURE_S = 1800.0
"""Stock compiles a kernel of each kind anew for a check of m tokens, and runs slowly at last."""
LONG = ("op", "kernel")
"""Columns whose cells may be long."""
RATE_PART = "memory"
"""The part of a probe that measures the read rate."""


# ---- census and tie-out ------------------------------------------------------------------------


def launches(
    path: Path,
    name: str,
    context: int,
    stock: bool,
    nominated: bool,
    ledger_dir: Path | None,
    fmt: str,
) -> None:
    """The launches of one token, and of stock's beside it where it was asked for."""
    found, chip = tokens(path, name, context, nominated, ledger_dir, stock)
    if fmt != "md":
        rows = [
            census.of(token) | census.data(row)
            for token in found
            for row in census.rows(token, chip)
        ]
        return report.table(rows, fmt)
    for i, token in enumerate(found):
        print("" if i == 0 else "\n", end="")
        title = f"{path.name} on {chip.name} ({chip.id}), {token.engine}"
        rows = [census.words(row) for row in census.rows(token, chip)]
        report.table(rows, fmt, title, census.notes(token, chip), LONG)
    return None


def tie_out(
    path: Path, name: str, context: int, nominated: bool, ledger_dir: Path | None, fmt: str
) -> None:
    """Floor + loss + gaps - early starts = token, what to do. GateFailed: too much is left over."""
    (token,), chip = tokens(path, name, context, nominated, ledger_dir)
    found = tieout.tie_out(token, chip)
    if fmt == "md":
        title = f"{path.name} on {chip.name} ({chip.id}), {token.engine}"
        where = f"position {token.position} of {token.context}"
        notes = [tieout.TOLL, census.how(token)]
        report.table(tieout.words(found), fmt, f"{title}, {where}", notes, LONG)
        print()
        report.table(
            tieout.sums(found), fmt, "Floor + loss in kernels + gaps - early starts = token"
        )
        print("\n".join(["\n## To do, the biggest first\n", *tieout.doing(found)]))
    else:
        report.record(tieout.data(found), fmt)
    if not found.closes:
        raise GateFailed(
            f"tieout: {found.residue:.1%} of the token is not explained; at most "
            f"{found.limit:.0%} on {chip.id}: measure again on a machine at rest"
        )


def tokens(
    path: Path,
    name: str,
    context: int,
    nominated: bool,
    ledger_dir: Path | None,
    stock: bool = False,
) -> tuple[list[Token], ChipFacts]:
    """One token of what is in use or of the last search, measured here (and stock's), and the
    chip with its read rate."""
    facts = gguf_model.read(path)
    decode_support.require_runnable(facts)
    decode_support.require_context(facts, context)
    if context < 4:
        raise BoltbeamError(f"--context {context}: a token is measured in its middle; at least 4")
    layers = Layers.find(ledger_dir=ledger_dir)
    chip = with_rate(here(name), layers)
    if nominated:
        engine = engine_nominated(path, facts, chip, context)
    else:
        engine, _ = engine_here(path, facts, chip, context, layers)
    found = [measured(engine, "nominated" if nominated else "")]
    if stock and (engine.members or engine.table):
        found.append(measured(engine.model_copy(update={"members": (), "table": {}})))
    return found, chip


def here(name: str) -> ChipFacts:
    """Declared facts of the chip here. NoDevice where it is not."""
    device, _ = machine.open_device(name)
    return machine.local_chip(device)


def with_rate(chip: ChipFacts, layers: Layers) -> ChipFacts:
    """The chip with its read rate: the ledger's last probe's, else measured now. BoltbeamError."""
    chip, row = standing.with_probes(layers, chip)
    if rate := chip.measured.get("read_gbps"):
        report.say(f"read rate {rate.value:g} GB/s of probe {row}, {rate.date}")
        return chip
    from boltbeam.seam import toolchain
    from boltbeam.worker import Pool

    report.say("the ledger has no read rate of this chip: measuring it")
    with Pool(chip.device, 1, toolchain.environment()) as pool:
        return machine.probed(pool, chip, False, report.say, (RATE_PART,))


def measured(engine: Engine, name: str = "") -> Token:
    """The launches of an engine's token, where its kernels are timed, in a fresh process; `name`:
    what it is called instead of promoted."""
    what = name or ("promoted" if engine.members else "schedules" if engine.table else "stock")
    report.say(f"measuring the launches of one token ({what})")
    job = {"do": "launches", "position": timed_position(engine.context)}
    with Process(engine, MEASURE_S) as child, lock(engine.chip.id):
        found = Token.model_validate(child.ask(job, MEASURE_S))
    return found.model_copy(update={"engine": name}) if name else found


# ---- speculation -------------------------------------------------------------------------------


def speculation(
    path: Path,
    name: str,
    draft_us: float,
    accept: str,
    bar: float | None,
    check_cost: str | None,
    context: int,
    ledger_dir: Path | None,
    fmt: str,
) -> None:
    """The ceiling of speculative decoding. GateFailed: it is below the bar."""
    chances = speculate.chances(accept)
    speculate.positive(draft_us, "--draft-cost")
    if bar is not None:
        speculate.positive(bar, "--bar")
    facts = gguf_model.read(path)
    decode_support.require_runnable(facts)
    if check_cost is not None:
        costs, where = speculate.typed(check_cost), known_name(name)
    else:
        decode_support.require_context(facts, context)
        costs, where = checked(path, facts, name, context, ledger_dir)
    found = speculate.ceiling(costs, draft_us, chances, bar)
    if fmt == "md":
        title = f"{path.name} on {where}: speculative decoding"
        report.table(speculate.words(found), fmt, title, speculate.notes(found))
    else:
        report.record({"chip": where, **speculate.data(found)}, fmt)
    if found.ships is False:
        raise GateFailed(
            f"speculate: close: the ceiling of {found.best.gain:.3g}× is below the bar of {bar:g}×"
        )


def known_name(name: str) -> str:
    """A chip that is spoken about, here or not. BoltbeamError: nobody knows it."""
    return name if chips.resolve(name) is not None else chips.get(name).id


def checked(
    path: Path, facts: ModelFacts, name: str, context: int, ledger_dir: Path | None
) -> tuple[Costs, str]:
    """Costs measured here in a fresh process, and the chip's id."""
    layers, chip = Layers.find(ledger_dir=ledger_dir), here(name)
    sizes = checkable(context)
    engine, _ = engine_here(path, facts, chip, context, layers)
    what = "the promoted plan" if engine.members else "stock"
    report.say(f"measuring a plain step of {what} and stock's forward of {list(sizes)} tokens")
    job = {"do": "check", "tokens": list(sizes), "position": position_of(context, sizes)}
    with progress_display() as progress:
        progress("loading the model", 0.0)
        with Process(engine, MEASURE_S) as child, lock(chip.id):
            us = child.ask(job, MEASURE_S, progress)
    source = (
        f"measured at position {job['position']} of {context} on {chip.id}: the plain step by "
        f"{what}, the check by stock tinygrad's forward of m tokens with a choice after each"
    )
    check_us = {int(m): float(v) for m, v in us["check_us"].items()}
    return Costs(plain_us=us["plain_us"], check_us=check_us, source=source), chip.id


def checkable(context: int) -> tuple[int, ...]:
    """Tokens at once that fit a context."""
    sizes = tuple(m for m in speculate.CHECKED if m <= context // 2)
    if not sizes:
        raise BoltbeamError(
            f"--context {context}: checking needs at least {2 * speculate.CHECKED[0]}"
        )
    return sizes


def position_of(context: int, sizes: Sequence[int]) -> int:
    """Where kernels are timed, or before it where the check of the most tokens still fits."""
    return min(timed_position(context), context - max(sizes))
