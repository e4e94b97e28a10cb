"""What a search asks of the device, answered by workers and remembered at once.

Takes candidates, gives proofs, race times and measurements (or the Outcome that took their place).
Never asks twice for what the store of this search already holds, never imports tinygrad.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from boltbeam.types import Candidate, ChipFacts, Measurement, Outcome, Proof
from boltbeam.types import Protocol as TimingProtocol
from boltbeam.worker import JobResult, Pool

PROVE_S, RACE_S, COMPARE_S = 60.0, 120.0, 180.0
"""Time-outs of one job."""
PROVE_NS_PER_WEIGHT = 400.0
"""… and what the float64 reference of a large table may take on top, on a loaded core."""


class Memory(Protocol):
    """Results of one search by job key, on disk before they are used."""

    def get(self, key: str) -> dict[str, Any] | None: ...

    def put(self, key: str, value: dict[str, Any]) -> None: ...


class DeviceWork:
    """The device of one search: a pool of workers, and what they answered before.

    `resume` False forgets nothing on disk but asks again; True takes stored answers.
    """

    def __init__(self, pool: Pool, chip: ChipFacts, memory: Memory, resume: bool = True) -> None:
        self.pool, self.chip, self.memory, self.resume = pool, chip, memory, resume
        self.asked = self.reused = 0
        self.busy_s: dict[str, float] = {}
        """Seconds of worker time by kind of job."""

    def prove(self, candidates: Sequence[Candidate], seed: int) -> dict[str, Proof | Outcome]:
        """Candidate key -> its Proof, or why there is none. Runs on all workers at once."""
        jobs = {c.key: self._job(c) | {"seed": seed} for c in candidates}
        weights = max((c.work.weights for c in candidates), default=0)
        timeout_s = PROVE_S + weights * PROVE_NS_PER_WEIGHT * 1e-9
        return {
            key: Proof.model_validate(a.value) if a.failed is None else a.failed
            for key, a in self._all("prove", jobs, timeout_s).items()
        }

    def race(self, candidates: Sequence[Candidate], seed: int) -> dict[str, float | Outcome]:
        """Candidate key -> microseconds per run in one interleaved race (of one work item)."""
        if not candidates:
            return {}
        entrants = [[c.route, str(c.geometry)] for c in candidates]
        args = {**self._job(candidates[0]), "entrants": entrants, "seed": seed}
        del args["route"], args["geometry"]
        answer = self._one("race", args, RACE_S)
        if answer.failed is not None:
            return {c.key: answer.failed for c in candidates}
        return {candidates[i].key: float(us) for i, us, _rounds in answer.value}

    def compare(
        self, candidate: Candidate, protocol: TimingProtocol, comparisons: int
    ) -> Measurement | Outcome:
        """ABBA blocks of a candidate against stock's schedule of the same work."""
        args = self._job(candidate) | {"protocol": protocol.id, "comparisons": comparisons}
        answer = self._one("compare", args, COMPARE_S)
        return answer.failed or Measurement.model_validate(answer.value)

    def _job(self, c: Candidate) -> dict[str, Any]:
        work = c.work.model_dump() | {"count": c.work.count, "bytes": c.work.bytes}
        chip = self.chip.model_dump(exclude_none=True)
        return {"work": work, "route": c.route, "geometry": str(c.geometry), "chip": chip}

    def _one(self, kind: str, args: Mapping[str, Any], timeout_s: float) -> JobResult:
        return self._all(kind, {"": args}, timeout_s)[""]

    def _all(
        self, kind: str, jobs: Mapping[str, Mapping[str, Any]], timeout_s: float
    ) -> dict[str, JobResult]:
        """Answers by the keys of `jobs`; each is stored the moment it arrives."""
        known, asked = {}, {}
        for key, args in jobs.items():
            stored = self.memory.get(job_key(kind, args)) if self.resume else None
            if stored is not None:
                known[key] = _load(stored)
            else:
                asked[key] = self._ask(kind, args, timeout_s)
        self.reused += len(known)
        self.asked += len(asked)
        return known | {key: future.result() for key, future in asked.items()}

    def _ask(self, kind: str, args: Mapping[str, Any], timeout_s: float) -> Future[JobResult]:
        future = self.pool.submit(kind, args, timeout_s)

        def keep(done: Future[JobResult]) -> None:
            if not done.cancelled() and done.exception() is None:
                answer = done.result()
                self.busy_s[kind] = self.busy_s.get(kind, 0.0) + answer.seconds
                self.memory.put(job_key(kind, args), _dump(answer))

        future.add_done_callback(keep)
        return future


def job_key(kind: str, args: Mapping[str, Any]) -> str:
    """Identity of a job: kind and arguments; the chip counts by id, not by today's probe."""
    slim = {k: (v["id"] if k == "chip" else v) for k, v in args.items()}
    text = json.dumps(slim, sort_keys=True)
    return f"{kind}/{hashlib.sha256(text.encode()).hexdigest()[:20]}"


def _dump(answer: JobResult) -> dict[str, Any]:
    failed = None if answer.failed is None else answer.failed.model_dump(mode="json")
    return {"value": answer.value, "failed": failed, "seconds": answer.seconds}


def _load(stored: Mapping[str, Any]) -> JobResult:
    failed = stored["failed"]
    return JobResult(
        value=stored["value"],
        failed=None if failed is None else Outcome.model_validate(failed),
        seconds=stored["seconds"],
    )
