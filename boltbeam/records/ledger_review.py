"""What a reviewer asks of ledger files: what does a line say, what is new, how does it get in.

Takes ledger layers, folders and git revisions, gives entries and sentences. Never writes, except
`export`, which copies whole files that are not there yet.
"""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

from boltbeam.files import write_whole
from boltbeam.records.benches import PEERS, PROMOTED, Bench
from boltbeam.records.claims import Closing, Prediction
from boltbeam.records.decide import below_clock
from boltbeam.records.entries import Audit, Decision, LedgerRow
from boltbeam.records.ledger import Entry, Layers, Stored, checkout, files
from boltbeam.types import BoltbeamError

# ---- against git -------------------------------------------------------------------------------


def git_bytes(folder: Path, *args: str) -> bytes:
    """What git prints in a folder. BoltbeamError with git's first line where it fails."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *args], capture_output=True, check=False)
    except OSError:
        raise BoltbeamError("ledger: git is not installed; needed to compare revisions") from None
    if done.returncode:
        said = (done.stderr.decode(errors="replace").strip().splitlines() or ["failed"])[0]
        if "not a git repository" in said:
            said = f"{folder} is in no git checkout; name one in it with --ledger"
        raise BoltbeamError(f"ledger: git {args[0]}: {said}")
    return done.stdout


def _git(folder: Path, *args: str) -> str:
    return git_bytes(folder, *args).decode("utf-8", errors="surrogateescape")


def _require_revision(folder: Path, revision: str) -> None:
    """BoltbeamError: the folder is in no checkout, or its git knows no such commit."""
    _git(folder, "rev-parse", "--git-dir")
    try:
        _git(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    except BoltbeamError:
        raise BoltbeamError(
            f"ledger: git knows no revision '{revision}' in {folder}; name a branch, tag or commit "
            "(git fetch gets those of others)"
        ) from None


def parting(folder: Path, base: str, head: str | None) -> str:
    """The commit where `base` and `head` (None: the checkout) parted; `base` where they never met.

    BoltbeamError: no git, no such revision.
    """
    for revision in (base, head):
        if revision is not None:
            _require_revision(folder, revision)
    with contextlib.suppress(BoltbeamError):  # histories without a common commit
        return _git(folder, "merge-base", base, head or "HEAD").strip()
    return base


def text_at(folder: Path, name: str, revision: str | None) -> str:
    """A ledger file as it is at a revision (None: on disk); '' where it is not there."""
    with contextlib.suppress(BoltbeamError, OSError):
        if revision is None:
            return (folder / name).read_bytes().decode("utf-8", "replace")
        return git_bytes(folder, "show", f"{revision}:./{name}").decode("utf-8", "replace")
    return ""


def changes(folder: Path, base: str, head: str | None) -> list[tuple[str, str]]:
    """(added | changed | removed, file) between two revisions, or a revision and the folder.

    Since the two parted: what was added to `base` in the meantime is not missing here.
    """
    base = parting(folder, base, head)
    span = [base] if head is None else [base, head]
    text = _git(
        folder, "diff", "--name-status", "--no-renames", "--relative", "-z", *span, "--", "."
    )
    words = text.split("\0")
    kinds = {"A": "added", "D": "removed"}
    out = [(kinds.get(a[:1], "changed"), b) for a, b in zip(words[::2], words[1::2], strict=False)]
    if head is None:
        new = _git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
        out += [("added", name) for name in new.split("\0") if name]
    return sorted((c, n) for c, n in out if n.endswith(".jsonl"))


# ---- in words ----------------------------------------------------------------------------------


def in_words(entry: Entry) -> str:
    """One sentence: what, where, with which number."""
    if isinstance(entry, Decision):
        return _decision_in_words(entry)
    if isinstance(entry, Prediction):
        return _prediction_in_words(entry)
    if isinstance(entry, Closing):
        return _closing_in_words(entry)
    if isinstance(entry, Bench):
        return _bench_in_words(entry)
    head = f"{entry.id} {entry.chip}"
    if entry.kind == "probe":
        values = ", ".join(f"{k} {m.value:g} {m.unit}" for k, m in entry.measured.items())
        return f"{head}: probe: {values}"
    if entry.funnel:
        f = entry.funnel
        return (
            f"{head}: {entry.work}: {f.legal} legal, {sum(f.illegal.values())} illegal, "
            f"{sum(f.pruned.values())} pruned, {f.proved} proved, {f.timed} timed"
            f"{f', stopped early: {f.stopped}' if f.stopped else ''}{_audit_in_words(f.audit)}"
        )
    what = f"{entry.work} by {entry.route}" if entry.kind == "kernel" else f"plan {entry.plan_key}"
    if entry.position is not None:
        what += f" at position {entry.position}"
    geometry = f" ({entry.geometry})" if entry.geometry else ""
    chosen = f", {entry.decision}" if entry.decision not in ("", "none") else ""
    tokens = f", tokens {entry.tokens}" if entry.tokens not in ("", "untested") else ""
    return f"{head}: {what}{geometry}: {_verdict_in_words(entry)}{tokens}{chosen}"


def _audit_in_words(audit: Audit | None) -> str:
    if audit is None:
        return ""
    which = "all" if audit.everything else str(audit.sampled)
    worst = f"; best was {audit.worst} ({audit.worst_reason})" if audit.worst else ""
    return f"; audit with {which} of the pruned: lost {audit.regret:.1%}{worst}"


def _verdict_in_words(row: LedgerRow) -> str:
    if row.interval is None:
        number = "" if row.number is None else f" {row.number:g}"
        limit = "" if row.limit is None else f", limit {row.limit:g}"
        return f"{row.verdict} ({row.reason}{number}{limit})"
    iv, floor = row.interval, ""
    if below_clock(row.floor_us):
        floor = ", its floor lies below the clock's nanosecond"
    elif row.pct_of_floor is not None:
        floor = f", {row.pct_of_floor:g} % of the measured read rate"
    against = row.incumbent or "the incumbent"
    return (
        f"{row.verdict}: {iv.mid:g} [{iv.low:g}, {iv.high:g}] of {against}'s time over "
        f"{len(row.candidate_us)} blocks{floor}"
    )


def _decision_in_words(d: Decision) -> str:
    who = f" by {d.author}" if d.author else ""
    head = f"{d.id} {d.scope.chip}: {d.kind}{who}"
    number = "" if d.number is None else f" ({d.number:g})"
    if d.kind == "plan":
        names = ", ".join(dict.fromkeys(m.route for m in d.members))
        gates = ", ".join(
            f"{k} {g.number:g}" if g.number is not None else k for k, g in d.gates.items()
        )
        return (
            f"{head}: plan {d.scope.plan_key} with {names} in place of {d.replaces}; "
            f"gates {gates}: {d.reason}"
        )
    if d.kind == "refute":
        what = f"{d.scope.route} for {d.scope.work or 'every work item'}"
        return f"{head}: {what}: {d.reason}{number}; reopen if {d.reopen_if}"
    goal = f", back to {d.restores}" if d.kind == "rollback" else ""
    return f"{head}: {d.replaces} is taken back{goal}: {d.reason}{number}"


def _prediction_in_words(p: Prediction) -> str:
    who = f" by {p.author}" if p.author else ""
    kill = "" if p.kill is None else f", ends below {p.kill:.2%}"
    return (
        f"{p.id} {p.chip}: prediction{who}: {p.op} gains at least {p.gain:.2%} over "
        f"{p.incumbent}{kill}"
    )


def _closing_in_words(c: Closing) -> str:
    killed = {True: ", killed", False: ", not killed", None: ""}[c.killed]
    found = c.reason
    if c.gain is not None:
        found = f"gain {c.gain.mid:.2%} [{c.gain.low:.2%}, {c.gain.high:.2%}]"
    return f"{c.id} {c.chip}: prediction {c.prediction} of {c.op}: {c.answer}{killed}: {found}"


def _bench_in_words(b: Bench) -> str:
    where = f"{b.n_gen} tokens from position {b.depth} of {b.context}"
    head = f"{b.id} {b.chip}: bench of {b.model}: {where}"
    rates = {e.engine: f"{e.engine} {b.tok_s(e):g} tok/s" for e in b.engines}
    if b.ours is None:
        return f"{head}: {', '.join(rates.values())}; no plan ran"
    which = f"plan {b.plan}" if b.ours.engine == PROMOTED else f"{len(b.members)} nominated members"
    share = "" if b.pct_of_floor is None else f", {b.pct_of_floor:g} % of the measured read rate"
    ours = rates.pop(b.ours.engine)
    said = [
        f"{b.ratio(e.engine):g} times {PEERS[e.engine]} ({b.tok_s(e):g})"
        for e in b.engines
        if e.engine in PEERS
    ]
    said += [text for name, text in rates.items() if name not in PEERS]
    said.append(f"{b.turns} turns, spread {b.spread:.1%}")
    return f"{head}: {ours} ({which}{share}); {', '.join(said)}"


def show(layers: Layers, prefix: str, who: str = "ledger show") -> Stored:
    """The one entry whose id starts with `prefix`, and where it stands; `who` asks."""
    found = [s for s in layers.stored() if prefix and s.id.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise BoltbeamError(f"{who}: no id starts with '{prefix}'; see `boltbeam ledger show`")
    some = ", ".join(sorted(s.id for s in found)[:5]) + (", …" if len(found) > 5 else "")
    raise BoltbeamError(f"{who}: '{prefix}' fits {len(found)} ids ({some}): give more digits")


def export(layers: Layers, to: Path) -> list[Path]:
    """Copy every file of the writable layers that checkout `to` lacks -> the new files."""
    root = checkout(to)
    if root is None:
        raise BoltbeamError(f"ledger export: {to} is not a checkout of boltbeam")
    goal, new = root / "ledgers", []
    for layer in layers.layers:
        if not layer.writable or layer.path.resolve() == goal.resolve():
            continue
        for path in files(layer.path):
            target = goal / path.relative_to(layer.path)
            if target.exists():
                continue
            new.append(target)
            _copy_whole(path, target)
    return new


def _copy_whole(path: Path, target: Path) -> None:
    try:
        write_whole(target, path.read_bytes())
    except OSError as e:
        raise BoltbeamError(f"ledger export: cannot write {target}: {e.strerror}") from None
