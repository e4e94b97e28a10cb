"""The nouns every other module speaks in: frozen values, units in the names.

Takes nothing, gives the data model. Never imports another module of boltbeam, tinygrad or numpy.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator


class BoltbeamError(Exception):
    """A user's mistake or a bad file: one line (what, where, what to do), exit code 2."""

    exit_code = 2


class GateFailed(BoltbeamError):
    """A gate said no: exit code 1."""

    exit_code = 1


class Interrupted(BoltbeamError):
    """Ctrl-C or SIGTERM ended the command early: exit code 130."""

    exit_code = 130


class NoDevice(BoltbeamError):
    """The chip that was asked for is not here: exit code 3."""

    exit_code = 3


def significant(value: float) -> float:
    """`value` with four significant digits, as the ledger keeps it; idempotent."""
    return float(f"{value:.4g}")


def without_paths(text: str) -> str:
    """Paths that start at a root, a home or a dot keep their last part: `at /me/x` -> `at x`.

    Other words with slashes (`decode/down`, `MB/s`) stay.
    """
    if "/" not in text and "\\" not in text:
        return text
    return re.sub(
        r"(?<![^\s='\"(,:])(?:~\w*|\.{1,2}|[A-Za-z]:)?[/\\](?:[^\s'\"]*[/\\])?(?=\S)", "", text
    )


SHOWN = 40
"""Characters of a wrong value that a message shows."""
KINDS_OF_VALUES = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "string": "text",
    "bool": "true or false",
    "tuple": "a list",
    "dict": "an object",
    "model": "an object",
}
"""First word of a validation error's type -> what was wanted."""
RANGES = {"ge": "below", "gt": "not above", "le": "above", "lt": "not below"}


def fault_in_words(error: Mapping[str, Any]) -> str:
    """One of `ValidationError.errors()` in our words: `"x" is not a whole number`."""
    kind, context = error["type"], error.get("ctx") or {}
    if kind in ("missing", "extra_forbidden"):
        return "is missing" if kind == "missing" else "unknown key"
    if kind == "value_error":
        return str(context["error"])
    value = json.dumps(error["input"], ensure_ascii=False, default=str)
    value = value if len(value) <= SHOWN else value[: SHOWN - 1] + "…"
    if "expected" in context:
        return f"{value} is not one of {context['expected']}"
    for name, words in RANGES.items():
        if name in context:
            return f"{value} is {words} {context[name]:g}"
    wanted = KINDS_OF_VALUES.get(kind.split("_")[0])
    return f"{value} is not {wanted}" if wanted else f"{value} does not fit"


def first_fault(e: ValidationError) -> str:
    """`key: what is wrong with it`, of the first thing that is wrong."""
    first = e.errors()[0]
    key = ".".join(map(str, first["loc"]))
    return f"{key}: {fault_in_words(first)}" if key else fault_in_words(first)


class Frozen(BaseModel):
    """Base of every value: immutable, unknown keys are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ignored_types=(cached_property,), defer_build=True
    )


# ---- the model -------------------------------------------------------------------------------


class Format(Frozen):
    """A GGUF storage format: `block_weights` weights are stored in `block_bytes` bytes."""

    name: str
    ggml_type: int
    block_weights: int
    block_bytes: int

    @property
    def bits_per_weight(self) -> float:
        return self.block_bytes * 8 / self.block_weights

    def bytes_for(self, weights: int) -> int:
        """Bytes of `weights` weights; they must fill whole blocks."""
        if weights % self.block_weights:
            raise ValueError(f"{weights} weights do not fill {self.name} blocks")
        return weights // self.block_weights * self.block_bytes


class Part(Frozen):
    """One tensor of the file."""

    name: str
    """As in the file: `blk.0.attn_q.weight`."""
    role: str
    """Without layer and `.weight`: `attn_q`; a bias keeps its suffix: `attn_q.bias`."""
    layer: int | None
    shape: tuple[int, ...]
    """Outermost first: (rows, cols), (n,) or (experts, rows, cols)."""
    format: str
    bytes: int
    file: int
    """Index of the file of a split GGUF (0 when there is one)."""
    offset: int
    """Absolute byte offset of the data in that file."""

    @property
    def rows(self) -> int:
        return math.prod(self.shape[:-1])

    @property
    def cols(self) -> int:
        return self.shape[-1] if self.shape else 1

    @property
    def is_matrix(self) -> bool:
        return len(self.shape) > 1


class Uncovered(Frozen):
    """A part (or the whole model) for which there is no generated decode, and why."""

    name: str
    reason: str


class ModelFacts(Frozen):
    """What a GGUF header says; counts are elements, no weights are read."""

    architecture: str
    name: str
    layers: int
    d_model: int
    d_ff: int
    heads: int
    kv_heads: int
    head_dim: int
    rope_dim: int
    rope_theta: float
    rope_interleaved: bool
    """True when file rows of q and k pair dimension 2i with 2i+1 (architecture llama)."""
    qk_norm: bool
    qkv_bias: bool
    norm_eps: float
    vocab: int
    context_length: int
    experts: int = 0
    """Experts per layer, and how many of them one token reads (0: a dense model)."""
    experts_used: int = 0
    tied_head: bool
    embed_scale: float = 1.0
    """What the embedding row is multiplied with."""
    gate: str = "silu"
    """What the FFN does to its gate: one of GATES."""
    post_norms: bool = False
    """What attention and FFN give passes an RMSNorm of its own before it joins the stream."""
    window: int = 0
    """Positions a local layer sees, the token's own among them; 0: every layer sees all."""
    window_period: int = 0
    """Where there are local layers, the last of every so many is global."""
    rope_theta_local: float = 0.0
    """RoPE base of the local layers; `rope_theta` is the global ones'."""
    parts: tuple[Part, ...]
    uncovered: tuple[Uncovered, ...] = ()
    header_hash: str
    """sha256 (first 16 hex digits) of every header byte: the identity of a file in the ledger."""

    def part(self, role: str, layer: int | None = None) -> Part | None:
        return self._by_key.get((role, layer))

    def is_local(self, layer: int) -> bool:
        """True where the layer sees only the last `window` positions."""
        return bool(self.window) and (layer + 1) % self.window_period != 0

    def theta_of(self, layer: int) -> float:
        """RoPE base of a layer."""
        return self.rope_theta_local if self.is_local(layer) else self.rope_theta

    @cached_property
    def _by_key(self) -> dict[tuple[str, int | None], Part]:
        return {(p.role, p.layer): p for p in self.parts}


# ---- the work --------------------------------------------------------------------------------

AST_DIGITS = 12
"""Hex digits of an AST's stable key that name it in work keys and tables of Opts."""
OPS = (
    "embed",
    "norm",
    "qkv",
    "rope_store",
    "attention",
    "o",
    "gate_up",
    "down",
    "head",
    "argmax",
    "post_norm",
)
"""The primitive steps of one decode token, in order of first use; not every model has post_norm."""
GATES = ("silu", "gelu")
"""Functions of the gate in gate_up; gelu is the one by tanh."""


class Table(Frozen):
    """One packed matrix that a work item reads: y = W[rows, cols] @ x."""

    role: str
    rows: int
    cols: int
    format: str


class WorkItem(Frozen):
    """What one route must do: one primitive op, or a span of them fused (`norm+qkv`)."""

    op: str
    """Primitive ops joined by `+`."""
    tables: tuple[Table, ...] = ()
    d_model: int
    heads: int
    kv_heads: int
    head_dim: int
    rope_dim: int
    rope_interleaved: bool = False
    qk_norm: bool = False
    qkv_bias: bool = False
    norm_eps: float
    embed_scale: float = 1.0
    """What `embed` multiplies the row with."""
    gate: str = "silu"
    """What `gate_up` does to its gate: one of GATES."""
    post_norms: bool = False
    """`o` and `down` give `y`, which a post_norm adds to the residual stream."""
    window: int = 0
    """Positions that `attention` sees, the token's own among them; 0: all."""
    vocab: int
    context: int
    """Positions the KV cache holds (its stride)."""
    m: int = 1
    """Tokens at once."""
    ast: str = ""
    """Only for op `ast`, one of tinygrad's own kernels: its stable key (hex). Such an item knows
    nothing else about the model, and its other sizes are 0."""
    count: int = Field(1, exclude=True)
    """How often it runs per token; not part of the key."""
    bytes: int = Field(0, exclude=True)
    """Bytes it must read per run: packed weights, and the KV cache up to `plan.timed_position`."""

    def whole(self) -> dict[str, Any]:
        """For another process: with what is no part of the key, for launches are made of it too."""
        return self.model_dump(mode="json") | {"count": self.count, "bytes": self.bytes}

    @property
    def ops(self) -> tuple[str, ...]:
        return tuple(self.op.split("+"))

    @property
    def rows(self) -> int:
        return sum(t.rows for t in self.tables)

    @property
    def formats(self) -> tuple[str, ...]:
        return tuple(t.format for t in self.tables)

    @property
    def weights(self) -> int:
        return sum(t.rows * t.cols for t in self.tables)

    @cached_property
    def key(self) -> str:
        """Stable identity: `decode/gate_up/2x1536x576/Q4_1/m1`; attention names its heads."""
        if self.op == "ast":
            return f"decode/ast/{self.ast[:AST_DIGITS]}/c{self.context}"
        parts = ["decode", self.op]
        if self.tables:
            parts.append("+".join(f"{n}{t.rows}x{t.cols}" for n, t in _runs(self.tables)))
            parts.append("+".join(_dedup(self.formats)))
        else:
            parts.append(str(self.vocab if self.op == "argmax" else self.d_model))
        if {"rope_store", "attention"} & set(self.ops):
            flags = [f"h{self.heads}k{self.kv_heads}d{self.head_dim}", f"c{self.context}"]
            flags += ["interleaved"] if self.rope_interleaved else []
            flags += ["qknorm"] if self.qk_norm else []
            flags += [f"w{self.window}"] if self.window and "attention" in self.ops else []
            parts.append("-".join(flags))
        if self.qkv_bias and "qkv" in self.ops:
            parts.append("bias")
        if self.embed_scale != 1.0 and "embed" in self.ops:
            parts.append(f"times{self.embed_scale:.6g}")
        if self.gate != "silu" and "gate_up" in self.ops:
            parts.append(self.gate)
        if self.post_norms and {"o", "down"} & set(self.ops):
            parts.append("postnorm")
        return "/".join([*parts, f"m{self.m}"])


def _runs(tables: tuple[Table, ...]) -> Iterable[tuple[str, Table]]:
    """Equal shapes in a row are written once: 2x1536x576."""
    i = 0
    while i < len(tables):
        n = i
        while n < len(tables) and (tables[n].rows, tables[n].cols) == (
            tables[i].rows,
            tables[i].cols,
        ):
            n += 1
        yield (f"{n - i}x" if n - i > 1 else ""), tables[i]
        i = n


def _dedup(formats: tuple[str, ...]) -> tuple[str, ...]:
    return formats[:1] if len(set(formats)) == 1 else formats


class Step(Frozen):
    """One primitive op of the token, at its place: which layer (None outside the layers)."""

    op: str
    layer: int | None = None
    norm: str | None = None
    """Role of the norm weight for ops `norm` (attn_norm, …) and `post_norm`."""


# ---- the chip --------------------------------------------------------------------------------


class Fact(Frozen):
    """A declared value and where it comes from."""

    value: Any
    source: str


Finite = Annotated[float, Field(allow_inf_nan=False, ge=-1e15, le=1e15)]
"""A number that was read or measured, whatever its unit."""
RATE_LEAST, RATE_MOST = 1e-6, 1e9


def rate_problem(measured: Mapping[str, Measured]) -> str:
    """Why one of them cannot have been measured, or ''. Others divide by the rates."""
    for name, m in measured.items():
        if name.endswith(("_gbps", "_tops", "_gwps")) and not RATE_LEAST <= m.value <= RATE_MOST:
            return f"{name} of {m.value:g} is no rate"
        if m.value < 0:
            return f"{name} of {m.value:g} lies below 0"
    return ""


class Point(Frozen):
    """One setting of a sweep: what was run (a geometry, or a size) and what it reached."""

    at: str
    value: Finite
    spread: Finite | None = None
    clock_mhz: Finite | None = None
    in_flight: Finite | None = None
    """Bytes the launch can have on their way at once, at most; None where nobody can count them."""


class Measured(Frozen):
    """A value somebody measured. Never has a default."""

    value: Finite
    unit: str
    how: str
    spread: Finite | None = None
    clock_mhz: Finite | None = None
    date: str
    source: str = "this machine"
    points: tuple[Point, ...] = ()
    """The sweep that the value is the plateau of, in the order it was run; unit, method, date as
    above."""


class ChipFacts(Frozen):
    """A chip by silicon. `None` means: not declared, and a route that needs it is illegal."""

    id: str
    """`nv-sm90-132sm`, `cpu-x86_64-avx512-…`, `cl-pocl-…`"""
    name: str
    device: str
    """tinygrad's device: CPU, CL, CUDA, NV, METAL, AMD."""
    arch: str | None = None
    simd_width: Fact | None = None
    """Lanes that run in step (warp, wave, SIMD group); on a CPU fp32 lanes of one vector."""
    load_bits: Fact | None = None
    max_threads: Fact | None = None
    local_bytes: Fact | None = None
    cache_bytes: Fact | None = None
    units: Fact | None = None
    """SMs, compute units or cores."""
    memory_bytes: Fact | None = None
    workgroups: Fact | None = None
    """True where kernels have workgroups, local memory and barriers."""
    imitated: Fact | None = None
    """True where a CPU core runs the threads of a workgroup one after another (OpenCL on a CPU)."""
    shuffle: Fact | None = None
    """True where lanes of a SIMD group can exchange registers."""
    dot4: Fact | None = None
    """True where an int8 dot product of four is one instruction."""
    dependent_launch: Fact | None = None
    """True where a kernel may start while the one before it in a graph still runs."""
    half: Fact | None = None
    """True where 16-bit floats convert exactly, subnormals included."""
    matrix: Fact | None = None
    sheet_gbps: Fact | None = None
    measured: dict[str, Measured] = {}
    """read_gbps, copy_gbps, cached_gbps, dispatch_us, toll_us, fp32_fma_tops, matrix_tops, …"""

    def get(self, name: str) -> Any:
        """Value of a declared fact, or None."""
        fact = getattr(self, name)
        return None if fact is None else fact.value

    @field_validator("measured")
    @classmethod
    def _rates(cls, measured: dict[str, Measured]) -> dict[str, Measured]:
        if problem := rate_problem(measured):
            raise ValueError(problem)
        return measured

    @property
    def exact_stock(self) -> bool:
        """False where stock tinygrad computes wrongly: OpenCL without fp16 flushes small scales."""
        return not self.device.startswith("CL") or bool(self.get("half"))

    @property
    def cold_cache_bytes(self) -> int | None:
        """The last-level cache that operands must not stay in; None: not known.

        As declared, or as far as a probe still found a step in the read rate, its doubt included: a
        virtual machine may declare its share of a cache that it fills further.
        """
        found = [
            m.value * (1 + (m.spread or 0.0))
            for name, m in self.measured.items()
            if re.fullmatch(r"level\d+_bytes", name)
        ]
        declared = self.get("cache_bytes")
        known = [float(declared), *found] if declared else found
        return int(max(known)) if known else None

    def rate(self, name: str) -> float | None:
        """Value of a measurement, or None when nobody measured it."""
        m = self.measured.get(name)
        return None if m is None else m.value


# ---- what may be done ------------------------------------------------------------------------

UNSCALED = "q8_unscaled"
INTERFACES = ("f32", "q8", UNSCALED)
"""How an activation is handed on: `f32` values with sums per 32; `q8` int8 with scale and sums;
`q8_unscaled` the same of a norm's x · w, to be divided by rms(x), with the squares of x per 32."""


class Route(Frozen):
    """A way to do a work item. Says what is possible; its fate is in the ledger."""

    id: str
    family: str
    ops: tuple[str, ...]
    """Spans it can do: `qkv`, or fused `norm+qkv`."""
    formats: tuple[str, ...] = ()
    """Formats of the tables it can read; empty when it reads none."""
    kind: str = "search"
    """`search` (an emitter) or `scheduler` (Opts for tinygrad's own schedule)."""
    form: str = "rows"
    """`rows`: sequential loops (CPU); `lanes`: workgroups, lanes, local memory (GPU)."""
    takes: str = "f32"
    gives: str = "f32"
    numerics: str = "exact"
    """`exact` or `q8_activations`."""
    weights: str = "file"
    """`file`: blocks as the file has them, the memory that stock reads; `planes`: a copy of those
    tables whose blocks lie on half-words, in an order in which all reads are aligned."""
    needs: tuple[str, ...] = ()
    """Chip facts that must be declared (and true, where they are flags)."""
    rules: tuple[str, ...] = ()
    """Names of BubbleBeam rules beside the family's own."""
    axes: dict[str, tuple[int, ...]] = {}
    note: str = ""


class Family(Frozen):
    """Kernels that share an emitter."""

    id: str
    title: str
    axes: dict[str, str]
    """Axis name -> what it means."""
    routes: tuple[Route, ...]


class Geometry(Frozen):
    """A point of a route's axes; its text form round-trips: `lanes=32 rows=2`."""

    axes: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, **axes: int) -> Geometry:
        return cls(axes=tuple(sorted(axes.items())))

    @classmethod
    def parse(cls, text: str) -> Geometry:
        """Inverse of str(). Raises BoltbeamError on anything else."""
        pairs = []
        for word in text.split():
            if not re.fullmatch(r"[a-z][a-z0-9_.]*=-?\d+", word):
                raise BoltbeamError(f"geometry: '{word}' is not axis=integer in '{text}'")
            name, value = word.split("=")
            pairs.append((name, int(value)))
        if len({n for n, _ in pairs}) != len(pairs):
            raise BoltbeamError(f"geometry: an axis stands twice in '{text}'")
        return cls(axes=tuple(sorted(pairs)))

    def __str__(self) -> str:
        return " ".join(f"{n}={v}" for n, v in self.axes)

    def __getitem__(self, name: str) -> int:
        return dict(self.axes)[name]

    def get(self, name: str, default: int) -> int:
        for axis, value in self.axes:
            if axis == name:
                return value
        return default


class Candidate(Frozen):
    """A route with a geometry for a work item."""

    work: WorkItem
    route: str
    geometry: Geometry

    @property
    def key(self) -> str:
        return f"{self.work.key}|{self.route}|{self.geometry}"


# ---- what happened ---------------------------------------------------------------------------


class Verdict(StrEnum):
    illegal = "illegal"
    pruned = "pruned"
    failed = "failed"
    wrong = "wrong"
    impossible = "impossible"
    slower = "slower"
    ambiguous = "ambiguous"
    faster = "faster"


TIMED = (Verdict.faster, Verdict.slower, Verdict.ambiguous, Verdict.impossible)
"""Verdicts that come from a measurement."""


class Outcome(Frozen):
    """An expected result as a value: verdict, stable reason code, the number that decided."""

    verdict: Verdict
    reason: str
    """Stable code such as `rows-divide`, `predicted-slow`, `error-bound`, `timeout`."""
    number: float | None = None
    limit: float | None = None
    detail: str = ""


class Protocol(Frozen):
    """How something was timed. Never edited once a row cites it."""

    id: str
    order: str
    cold: str
    blocks_min: int
    blocks_max: int
    noise_band: float
    """Smallest relative change that counts (0.005 = 0.5 %)."""
    confidence: float
    batch_us: float
    """A sample lasts at least this long."""
    stop: str
    gain: float = 0.0
    """Gain that the number of blocks is planned to find; 0: not planned, it is looked at growing
    numbers of blocks."""
    power: float = 0.0
    """How often a true gain of that size must be found."""
    seconds_max: float = 0.0
    """After so many seconds no block is added to `blocks_min`; 0: it may last."""

    @property
    def planned(self) -> bool:
        """True where the pilot's spread says how many blocks are measured."""
        return self.gain > 0


WHO = {"C": "candidate", "I": "incumbent", "T": "incumbent captured again"}
"""Letters of `Measurement.turns`."""


class Measurement(Frozen):
    """Blocks of one comparison; microseconds per run of the work item."""

    protocol: str
    candidate_us: tuple[float, ...]
    incumbent_us: tuple[float, ...]
    aa_spread: float
    """Relative spread of the incumbent against itself, same run."""
    aa_pct: tuple[float, ...] = ()
    """Percent by which the incumbent was from itself, block by block, signed."""
    stop_reason: str
    copies: int
    """Distinct copies of the operands that were rotated."""
    runs: int | None = None
    """Runs of the work item in the candidate's graph, which is launched whole; tokens of a turn
    where whole tokens are timed. An older one does not say."""
    cold_ratio: float | None = None
    """Bytes rotated through ÷ last-level cache."""
    clock_mhz: float | None = None
    power_w: float | None = None
    """Median board power at the edges of the blocks."""
    temperature_c: float | None = None
    """Highest temperature at the edges of the blocks."""
    throttled: bool | None = None
    """True: a block that had to be kept was measured while something held the clock down."""
    redone: int = 0
    """Blocks that were thrown away and measured again: throttled, or the host short of memory."""
    load: float | None = None
    """Host load average ÷ cores when it ended."""
    waiting_share: float | None = None
    """Share of the time in which some task of the host waited for a core (Linux: pressure)."""
    stalled_share: float | None = None
    """Share of the time in which some task of the host waited for memory."""
    timer: str = "wall"
    """`wall`, or `thread`: CPU time of the launching thread, where kernels run on it."""
    turns: tuple[str, ...] = ()
    """Who ran in every block, in order, one letter of `WHO` each. This and what follows stays on
    the machine that measured; no ledger line has it."""
    batches_us: tuple[tuple[float, ...], ...] = ()
    """What each of those turns took."""
    clocks_mhz: tuple[tuple[float, ...], ...] = ()
    """Clock before and after every block, where the chip tells it."""

    @property
    def ratios(self) -> tuple[float, ...]:
        """candidate ÷ incumbent, block by block: below 1 is faster."""
        return ratios_of(self.candidate_us, self.incumbent_us)


def ratios_of(candidate: Iterable[float], incumbent: Iterable[float]) -> tuple[float, ...]:
    """candidate ÷ incumbent, one by one."""
    return tuple([c / i for c, i in zip(candidate, incumbent, strict=True)])


class Proof(Frozen):
    """Result of the numeric check of one candidate."""

    ok: bool
    reason: str
    """`ok`, `error-bound`, `unwritten`, `guard`, `nondeterministic`, `replay`, `nan`, …"""
    worst: float | None = None
    """Largest |y − y64| ÷ tolerance (≤ 1 passes); the rounding of an int8 value is no error."""
    excused: int | None = None
    """int8 outputs, over all cases, that stand on the other side of a rounding tie than float64;
    None: the kernel gives none."""
    where: str = ""
    source_hash: str = ""
    emitter_hash: str = ""
    intrinsics: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
