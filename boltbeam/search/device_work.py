"""What a search asks of the device, answered by workers and remembered at once.

Takes candidates, gives proofs, race times and measurements (or the Outcome that took their place).
Never asks twice for what the store of this search already holds, never imports tinygrad.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Protocol

from boltbeam import registry
from boltbeam.measure.locks import SiliconBusy
from boltbeam.types import BoltbeamError, Candidate, ChipFacts, Measurement, Outcome, Proof
from boltbeam.types import Protocol as TimingProtocol
from boltbeam.worker import JobResult, Pool

PROBE_S, PROVE_S, RACE_S, COMPARE_S = 120.0, 60.0, 120.0, 180.0
"""Time-outs of one job."""
PROBE_FULL_S = 600.0
"""… and of a part of a full probe."""
RACE_EACH_S = 5.0
"""… and what every entrant adds to the time-out of a race."""
PROVE_NS_PER_WEIGHT = 400.0
"""… and what the float64 reference of a large table may take on top, on a loaded core."""

Read = Callable[[Any], Any]
"""What makes of an answer what was asked for; LookupError, TypeError or ValueError where it is
none."""


def _quietly(_share: float) -> None:
    return None


def _nothing() -> None:
    return None


class Memory(Protocol):
    """Results of one search by job key, on disk before they are used."""

    def get(self, key: str) -> dict[str, Any] | None: ...

    def put(self, key: str, value: dict[str, Any]) -> None: ...


class DeviceWork:
    """The device of one search: a pool of workers, and what they answered before.

    `resume` False forgets nothing on disk but asks again; True takes stored answers. `proofs`: what
    any search by the same code and software proved is taken over without `resume` as well; only
    what was right is kept there.
    """

    def __init__(
        self,
        pool: Pool,
        chip: ChipFacts,
        memory: Memory,
        resume: bool = True,
        proofs: Memory | None = None,
    ) -> None:
        self.pool, self.chip, self.memory, self.resume = pool, chip, memory, resume
        self.proofs = proofs
        self.asked = self.reused = 0
        self._unwritable: BoltbeamError | None = None
        self.busy_s: dict[str, float] = {}
        """Seconds of worker time by kind of job."""
        self.waited_s = 0.0
        """Seconds in which jobs waited because another process timed on this silicon."""

    def clock(self) -> float:
        """Seconds that count for a budget: those that pass but for `waited_s`."""
        return time.monotonic() - self.waited_s

    def probe(
        self, again: int = 0, meanwhile: Callable[[], None] = _nothing
    ) -> ChipFacts | Outcome:
        """The chip with what was measured of it; the jobs that follow carry these facts.

        `again`: 1, 2, … for another probe of the same search, which no stored answer replaces.
        `meanwhile` is called while the device is at it.
        """
        args = {"device": self.chip.device} | ({"again": again} if again else {})
        read = ChipFacts.model_validate
        answer = self._all("probe", {"": args}, PROBE_S, read, meanwhile=meanwhile)[""]
        if answer.failed is None:
            self.chip = answer.value
        return answer.failed or self.chip

    def prove(
        self, candidates: Sequence[Candidate], seed: int, heard: Callable[[float], None] = _quietly
    ) -> dict[str, Proof | Outcome]:
        """Candidate key -> its Proof, or why there is none. Runs on all workers at once.

        `heard` is told the share of the answers that came. What was measured of the chip is no part
        of the question, so that another search, which probed anew, may take the answer over.
        """
        declared = self.chip.model_copy(update={"measured": {}}).model_dump(exclude_none=True)
        jobs = {c.key: self._job(c) | {"seed": seed, "chip": declared} for c in in_turn(candidates)}
        weights = max((c.work.weights for c in candidates), default=0)
        timeout_s = PROVE_S + weights * PROVE_NS_PER_WEIGHT * 1e-9
        answers = self._all("prove", jobs, timeout_s, Proof.model_validate, heard=heard)
        return {key: a.failed or a.value for key, a in answers.items()}

    def race(
        self, candidates: Sequence[Candidate], seed: int, stay: Collection[str] = ()
    ) -> dict[str, float | Outcome]:
        """Candidate key -> microseconds per run in one interleaved race (of one work item).

        `stay`: keys of candidates that run to the end however slow they are.
        """
        if not candidates:
            return {}
        entrants = [[c.route, str(c.geometry)] for c in candidates]
        args = {**self._job(candidates[0]), "entrants": entrants, "seed": seed}
        del args["route"], args["geometry"]
        if stay:
            args["stay"] = [i for i, c in enumerate(candidates) if c.key in stay]

        def read(ranked: Any) -> dict[str, float | Outcome]:
            us = {i: float(us) for i, us, _rounds in ranked}
            return {c.key: us[i] for i, c in enumerate(candidates)}

        answer = self._one("race", args, RACE_S + RACE_EACH_S * len(entrants), read)
        if answer.failed is not None and len(candidates) > 1:  # one of them broke it: which?
            half = len(candidates) // 2
            first, second = candidates[:half], candidates[half:]
            return self.race(first, seed, stay) | self.race(second, seed, stay)
        if answer.failed is not None:
            return {candidates[0].key: answer.failed}
        raced: dict[str, float | Outcome] = answer.value
        return raced

    def compare(
        self,
        candidate: Candidate,
        protocol: TimingProtocol,
        comparisons: int,
        incumbent: tuple[str, str] | None = None,
    ) -> Measurement | Outcome:
        """Interleaved blocks of a candidate against stock's schedule of the same work, or against
        the kernel of `incumbent`: (route, geometry).

        An Outcome: there are none, or one of the two computed something else while it was timed.
        """
        args = self._job(candidate) | {"protocol": protocol.id, "comparisons": comparisons}
        if incumbent is not None:
            args["incumbent"] = list(incumbent)
        weights = candidate.work.weights

        def read(found: Any) -> Measurement | Outcome:
            return (Outcome if "verdict" in found else Measurement).model_validate(found)

        timeout_s = COMPARE_S + weights * PROVE_NS_PER_WEIGHT * 1e-9
        answer = self._one("compare", args, timeout_s, read)
        blocks: Measurement | Outcome = answer.failed or answer.value
        return blocks

    def sources(self, candidates: Sequence[Candidate]) -> dict[str, str]:
        """Candidate key -> the text of its kernels; one that renders no more has none."""
        answers = self._all("source", {c.key: self._job(c) for c in candidates}, PROVE_S, _text)
        return {key: a.value for key, a in answers.items() if a.failed is None}

    def ask(
        self,
        kind: str,
        args: Mapping[str, Any],
        timeout_s: float,
        read: Read,
        passing: Mapping[str, Any] | None = None,
    ) -> JobResult:
        """One job of another kind on this chip, its value read; `passing` arguments are no part of
        its identity."""
        chip = self.chip.model_dump(exclude_none=True)
        return self._all(kind, {"": {**args, "chip": chip}}, timeout_s, read, passing)[""]

    def _job(self, c: Candidate) -> dict[str, Any]:
        chip = self.chip.model_dump(exclude_none=True)
        return {"work": c.work.whole(), "route": c.route, "geometry": str(c.geometry), "chip": chip}

    def _one(self, kind: str, args: Mapping[str, Any], timeout_s: float, read: Read) -> JobResult:
        return self._all(kind, {"": args}, timeout_s, read)[""]

    def _all(
        self,
        kind: str,
        jobs: Mapping[str, Mapping[str, Any]],
        timeout_s: float,
        read: Read,
        passing: Mapping[str, Any] | None = None,
        heard: Callable[[float], None] = _quietly,
        meanwhile: Callable[[], None] = _nothing,
    ) -> dict[str, JobResult]:
        """Answers by the keys of `jobs`, read; each is stored the moment it arrives.

        BoltbeamError: an answer could not be stored (full disk).
        """
        known, asked = {}, {}
        for key, args in jobs.items():
            stored = self._stored(kind, args, read)
            if stored is not None:
                known[key] = stored
            else:
                asked[key] = self._ask(kind, args, timeout_s, passing or {})
        self.reused += len(known)
        self.asked += len(asked)
        meanwhile()
        answers = dict(known)
        for key, future in asked.items():
            answer = self._in_turn(kind, jobs[key], future, timeout_s, passing or {})
            answers[key] = _read(answer, read)
            heard(len(answers) / len(jobs))
        if self._unwritable is not None:
            raise self._unwritable
        return answers

    def _stored(self, kind: str, args: Mapping[str, Any], read: Read) -> JobResult | None:
        """What was answered before, read; None where that is nothing, or no answer to this."""
        key = job_key(kind, args)
        proofs = self.proofs if kind == "prove" else None
        for memory in (proofs, self.memory if self.resume else None):
            with contextlib.suppress(LookupError, TypeError, ValueError):
                if memory is not None and (known := memory.get(key)):
                    return _read(_load(known), read)
        return None

    def _in_turn(
        self,
        kind: str,
        args: Mapping[str, Any],
        future: Future[JobResult],
        timeout_s: float,
        passing: Mapping[str, Any],
    ) -> JobResult:
        """The job's answer; while another process times on this silicon it is asked again."""
        while True:
            answer = future.result()
            self.waited_s += answer.waited_s
            if not _busy(answer):
                return answer
            future = self._ask(kind, args, timeout_s, passing)

    def _ask(
        self, kind: str, args: Mapping[str, Any], timeout_s: float, passing: Mapping[str, Any]
    ) -> Future[JobResult]:
        future = self.pool.submit(kind, {**args, **passing}, timeout_s)

        # kept by the worker's thread: an answer is on disk although Ctrl-C stopped the waiting
        def keep(done: Future[JobResult]) -> None:
            if done.cancelled() or done.exception() is not None:
                return
            answer = done.result()
            if _busy(answer):
                return
            self.busy_s[kind] = self.busy_s.get(kind, 0.0) + answer.seconds
            try:
                self.memory.put(job_key(kind, args), _dump(answer))
                if kind == "prove" and self.proofs is not None and _right(answer):
                    self.proofs.put(job_key(kind, args), _dump(answer))
            except BoltbeamError as e:
                self._unwritable = e

        future.add_done_callback(keep)
        return future


def in_turn(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates in the order of their proofs: the longest first, but before all others one of each
    work item and interface, which makes the contents and references that the others read."""
    longest = sorted(candidates, key=lambda c: -c.work.weights * len(c.work.ops))
    first: dict[tuple[str, str, str], Candidate] = {}
    for c in longest:
        route = registry.route(c.route)
        first.setdefault((c.work.key, route.takes, route.numerics), c)
    ahead = {c.key for c in first.values()}
    return [*first.values(), *(c for c in longest if c.key not in ahead)]


def _right(answer: JobResult) -> bool:
    return answer.failed is None and bool(answer.value["ok"])


def _busy(answer: JobResult) -> bool:
    return answer.failed is not None and answer.failed.reason == SiliconBusy.reason


def job_key(kind: str, args: Mapping[str, Any]) -> str:
    """Identity of a job: kind and arguments; the chip counts by id, not by today's probe."""
    slim = {k: (v["id"] if k == "chip" else v) for k, v in args.items()}
    text = json.dumps(slim, sort_keys=True)
    return f"{kind}/{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def _dump(answer: JobResult) -> dict[str, Any]:
    failed = None if answer.failed is None else answer.failed.model_dump(mode="json")
    return {"value": answer.value, "failed": failed, "seconds": answer.seconds}


def _read(answer: JobResult, read: Read) -> JobResult:
    return answer if answer.failed else replace(answer, value=read(answer.value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _load(stored: Mapping[str, Any]) -> JobResult:
    failed = stored["failed"]
    return JobResult(
        value=stored["value"],
        failed=None if failed is None else Outcome.model_validate(failed),
        seconds=stored["seconds"],
    )
