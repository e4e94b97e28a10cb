"""`search --predict`: what is said before the run, closed by the run; and how often we were right.

Takes a claim as typed, a finished search and its device, gives ledger lines. Never changes what a
search found: closing compares its best kernel with the one in force, once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from boltbeam import registry
from boltbeam.models import plan
from boltbeam.records import decisions, record, standing
from boltbeam.records.claims import ITSELF, Closing, Compared, Prediction, answer, gain_of
from boltbeam.records.decide import recorded
from boltbeam.records.entries import SCHEMA_VERSION, STOCK, Member
from boltbeam.records.ledger import Layers, sealed
from boltbeam.records.ledger_check import ratio_of
from boltbeam.search.device_work import DeviceWork
from boltbeam.search.search import Found
from boltbeam.search.search_items import EFFORTS, Considered, ItemResult, Request
from boltbeam.types import BoltbeamError, Measurement, Outcome

LEFT_OF_THE_CHANCE = 12
"""All comparisons of a search spend at most 11/12 of its one chance (`search.shares`); those that
only close its prediction share the rest."""

# ---- before the run ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A prediction as typed."""

    op: str
    gain: float
    kill: float | None = None


def predicted(
    claim: Claim, request: Request, works: Iterable[str], layers: Layers, env: record.Environment
) -> Prediction:
    """The line to write before the search.

    `works`: ops that this search has work items of. BoltbeamError: the claim's is none of them.
    """
    known = sorted(set(works))
    if claim.op not in known:
        raise BoltbeamError(
            f"--predict {claim.op}: this search has no such work item; it has {', '.join(known)}"
        )
    key = plan.model_plan_key(request.model, request.context)
    now = standing.active_plan(layers, request.chip.id, key)
    if now is not None and not any(m.work.split("/")[1] == claim.op for m in now.members):
        now = None  # the plan does it inside a fused span: stock is what the op is compared with
    made = Prediction(
        schema_version=SCHEMA_VERSION,
        date=decisions.now(),
        chip=request.chip.id,
        op=claim.op,
        gain=claim.gain,
        kill=claim.kill,
        incumbent=now.id if now is not None else STOCK,
        plan_key=key,
        context=request.context,
        numerics=request.numerics,
        effort=request.effort,
        seed=request.seed,
        command=env.command,
        commit=env.commit,
        dirty=env.dirty,
        tinygrad=env.tinygrad,
        model=env.model,
        header_hash=env.header_hash,
        author=decisions.author(),
    )
    return sealed(made)


# ---- after it ------------------------------------------------------------------------------------


def closed(p: Prediction, found: Found, device: DeviceWork, layers: Layers) -> Closing:
    """The line to write after the search: every work item of the op against what is in force."""
    members = _in_force(p, layers)
    items = [i for i in found.items if i.work.op == p.op]
    compared: list[Compared] = []
    for item in items:
        best = item.fastest()
        if best is None:
            failed = [f"{o.reason} {o.detail}".strip() for o in item.failures.values()]
            why = item.stopped or "no kernel of it was right and timed"
            return untested(p, "; ".join([f"{item.work.key}: {why}", *failed[:1]]))
        one = _beside(
            item,
            best,
            members.get(item.work.key),
            found.request,
            device,
            LEFT_OF_THE_CHANCE * len(items),
        )
        if isinstance(one, Outcome):
            return untested(p, f"{item.work.key}: {one.verdict} ({one.reason}) {one.detail}")
        compared.append(one)
    if not compared:
        return untested(p, f"the search found no work item of {p.op}")
    protocols = registry.protocols()
    gain = gain_of([(c, ratio_of(c, protocols)) for c in compared])
    said, killed = answer(p, gain, compared)
    routes = Counter[str]()
    for c in compared:
        routes[c.route] += c.count
    return _closing(
        p,
        answer=said,
        killed=killed,
        gain=gain,
        compared=tuple(compared),
        routes=tuple(r for r, _ in routes.most_common()),
    )


def _in_force(p: Prediction, layers: Layers) -> dict[str, Member]:
    """Work key -> the member of the plan that the prediction was made against; none for stock."""
    by_id = {d.id: d for d in layers.decisions(chip=p.chip)}
    now = by_id.get(p.incumbent)
    return {} if now is None else {m.work: m for m in standing.members_after(now, by_id)}


def _beside(
    item: ItemResult,
    best: Considered,
    member: Member | None,
    request: Request,
    device: DeviceWork,
    comparisons: int,
) -> Compared | Outcome:
    """The search's best kernel of an item beside the plan's member, or beside stock."""
    key, geometry = best.candidate.key, str(best.candidate.geometry)
    protocol = registry.protocols()[EFFORTS[request.effort].protocol]
    common = {"work": item.work.key, "count": item.work.count, "route": best.route.id}
    common["geometry"] = geometry
    if member is not None and (member.route, member.geometry) == (best.route.id, geometry):
        us = (item.raced_us[key],)
        return Compared.model_validate({**common, "incumbent": ITSELF, "incumbent_us": us})
    against = STOCK if member is None else f"{member.route} {member.geometry}"
    if member is None and key in item.timed:
        blocks: Measurement | Outcome = item.timed[key][0]
        comparisons = item.shared[key]
    else:
        pair = None if member is None else (member.route, member.geometry)
        blocks = device.compare(best.candidate, protocol, comparisons, pair)
    if isinstance(blocks, Outcome):
        return blocks
    m = recorded(blocks)
    fields = ("candidate_us", "incumbent_us", "aa_spread", "aa_pct", "stop_reason", "throttled")
    return Compared.model_validate(
        {
            **common,
            "incumbent": against,
            "comparisons": comparisons,
            "protocol": m.protocol,
            **{name: getattr(m, name) for name in fields},
        }
    )


def untested(p: Prediction, reason: str) -> Closing:
    return _closing(p, answer="untested", reason=reason)


def _closing(p: Prediction, **fields: Any) -> Closing:
    known = {"schema_version": SCHEMA_VERSION, "date": decisions.now(), "chip": p.chip}
    return sealed(Closing.model_validate({**known, "prediction": p.id, "op": p.op, **fields}))


# ---- how often we were right ---------------------------------------------------------------------


@dataclass(frozen=True)
class Record:
    """A prediction and what became of it."""

    prediction: Prediction
    closing: Closing | None

    @property
    def answer(self) -> str:
        return "open" if self.closing is None else self.closing.answer

    @property
    def cells(self) -> dict[str, Any]:
        p, c = self.prediction, self.closing
        gain = None if c is None else c.gain
        return {
            "date": p.date,
            "chip": p.chip,
            "op": p.op,
            "predicted": p.gain,
            "kill_below": p.kill,
            "over": p.incumbent,
            "gain": None if gain is None else gain.mid,
            "gain_low": None if gain is None else gain.low,
            "gain_high": None if gain is None else gain.high,
            "answer": self.answer,
            "killed": None if c is None else c.killed,
            "route": "" if c is None else ", ".join(c.routes),
            "why": "" if c is None else c.reason,
            "id": p.id,
        }


def records(layers: Layers, chip: str = "") -> list[Record]:
    """Every prediction, oldest first, with the line that closed it."""
    entries = [s.entry for s in layers.stored() if not s.is_row and chip in ("", s.chip)]
    closings = {e.prediction: e for e in entries if isinstance(e, Closing)}
    made = [e for e in entries if isinstance(e, Prediction)]
    made.sort(key=lambda p: (p.date, p.id))
    return [Record(p, closings.get(p.id)) for p in made]


def tally(found: Sequence[Record]) -> list[dict[str, Any]]:
    """Per chip and route: predictions, and how many of them were right.

    A prediction that nothing was measured for counts in a row without a route.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for r in found:
        routes = ", ".join(r.closing.routes) if r.closing else ""
        groups.setdefault((r.prediction.chip, routes), []).append(r)
    out = []
    for (chip, route), some in sorted(groups.items()):
        counts = Counter(r.answer for r in some)
        decided = counts["right"] + counts["wrong"]
        out.append(
            {
                "chip": chip,
                "route": route,
                "predictions": len(some),
                **{name: counts[name] for name in ("right", "wrong", "undecided", "untested")},
                "open": counts["open"],
                "killed": sum(r.closing is not None and r.closing.killed is True for r in some),
                "right_share": counts["right"] / decided if decided else None,
            }
        )
    return out
