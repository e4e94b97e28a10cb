"""The second adapter: tinygrad 0.14.0's own kernels and the Opts that may be applied to them.

Takes a model or an AST and the text of Opts, gives kernels, schedules and programs, and seeds them.
Never decides anything and never runs a kernel.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from boltbeam.types import BoltbeamError

EXTRA_AMOUNTS = {"UPCAST": (6, 8, 9, 12, 16), "UNROLL": (2, 8)}
"""Amounts beside those in tinygrad's list of actions; its own checks judge them all the same."""
MAX_UPCAST, MAX_LOCAL = 256, 1024
"""tinygrad's own limits in get_kernel_actions (BEAM_UPCAST_MAX, BEAM_LOCAL_MAX)."""


@dataclass(frozen=True)
class Kernel:
    """A distinct kernel of the token, exactly as tinygrad scheduled it."""

    key: str
    """Stable between processes: see stable_key."""
    count: int
    """Launches per token."""
    nbytes: int
    """Bytes of its buffers, each once (a view counts its own bytes)."""
    ast: Any = field(repr=False, compare=False)
    buffers: tuple[Any, ...] = field(repr=False, compare=False)
    """The token's own buffers, by slot; only ever read, where they hold data."""


class _Listener:
    def __init__(self) -> None:
        self.calls: list[Any] = []

    def add_linear(self, linear: Any, _var_vals: dict[str, int]) -> None:
        self.calls.extend(linear.src)


def renderer_of(device: str) -> Any:
    from tinygrad import Device

    return Device[device].renderer


def stable_key(ast: Any, renderer: Any) -> str:
    """Hash over the AST and the renderer's architecture, without its list of extensions."""
    target = renderer.target
    words = [w for w in target.arch.split(",")[:1] if not w.startswith("cl_")]
    text = [ast.key.hex(), type(renderer).__name__, target.device, *words]
    return hashlib.sha256("|".join(text).encode()).hexdigest()


def token_kernels(model: Any, device: str) -> tuple[Kernel, ...]:
    """Kernels of one decode token, without running any; most launched first.

    `model` is a tinygrad.llm Transformer with its context set by `max_context`. It is spent by
    this: tensors that its first call would compute once are left without data. Those that models
    share (RoPE tables, random states) are forgotten, so that the next model computes them again.
    Blocks of equal make give the same kernels, so two of each kind are enough to count them all.
    """
    kinds: dict[Any, list[Any]] = {}
    for block in model.blk:
        kinds.setdefault(_make(block), []).append(block)
    first, *others = kinds.values()
    whole = model.blk
    try:
        # the first listing stands for the first call, which computes what is computed once
        _listing(model, device, [b for kind in kinds.values() for b in kind[:2]])
        base = _listing(model, device, first[:1])
        count = Counter({ast: n for ast, (_, n) in base.items()})
        seen = dict(base)
        for kind, times in ((first[1:2], len(first) - 1), *((k[:1], len(k)) for k in others)):
            if kind:
                more = _listing(model, device, [first[0], *kind])
                seen |= {ast: entry for ast, entry in more.items() if ast not in seen}
                for ast in more.keys() | base.keys():
                    count[ast] += times * (_launches(more, ast) - _launches(base, ast))
    finally:
        model.blk = whole
        _forget_shared()
    renderer = renderer_of(device)
    kernels = [_kernel(ast, count[ast], call, renderer) for ast, (call, _) in seen.items()]
    return tuple(sorted((k for k in kernels if k.count > 0), key=lambda k: -k.count))


def _forget_shared() -> None:
    """Drop what tinygrad keeps for all models of a process: a listing left it without data."""
    from tinygrad import Tensor
    from tinygrad.llm.model import precompute_freqs_cis

    precompute_freqs_cis.cache_clear()
    Tensor.manual_seed(Tensor._seed)


def _make(block: Any) -> tuple[Any, ...]:
    """Equal for blocks that differ in nothing but the numbers in their weights."""
    from tinygrad.nn.state import get_state_dict

    return type(block), tuple(
        (name, t.shape, t.dtype, tuple((u.op, u.dtype) for u in t.uop.toposort()))
        for name, t in get_state_dict(block).items()
    )


_Listed = dict[Any, tuple[Any, int]]


def _launches(listed: _Listed, ast: Any) -> int:
    return listed[ast][1] if ast in listed else 0


def _listing(model: Any, device: str, blocks: list[Any]) -> _Listed:
    """AST -> (a call of it, launches) of a token through these blocks only."""
    from tinygrad import Tensor, UOp
    from tinygrad.engine.realize import capturing

    if capturing:
        raise BoltbeamError("token_kernels: cannot list kernels while a TinyJit is capturing")
    model.blk, listener = blocks, _Listener()
    capturing.append(listener)
    try:
        token = Tensor([[1]], dtype="int32", device=device).contiguous()
        start = UOp.variable("start_pos", 0, model.max_context - 1).bind(1)
        model.rollout_jit.fxn(token, start, Tensor([0.0], device=device)).realize()
    finally:
        capturing.clear()
    return _distinct(listener.calls)


def _distinct(calls: Sequence[Any]) -> _Listed:
    from tinygrad.uop.ops import Ops

    found: _Listed = {}
    for call in calls:
        ast = call.src[0]
        if ast.op is Ops.SINK and ast.tag is None and ast.arg.opts_to_apply is None:
            first, n = found.get(ast, (call, 0))
            found[ast] = first, n + 1
    return found


def _kernel(ast: Any, count: int, call: Any, renderer: Any) -> Kernel:
    from tinygrad.engine.realize import get_call_arg_uops

    buffers = tuple(u.buffer for u in get_call_arg_uops(call))
    nbytes = sum(b.nbytes for b in buffers)
    return Kernel(stable_key(ast, renderer), count, nbytes, ast, buffers)


# ---- Opts ------------------------------------------------------------------------------------


def opts_text(opts: Sequence[Any]) -> str:
    """Canonical text: `UPCAST:0:4 LOCAL:1:16`, `NOLOCALS`, `TC:0:-1,0,1`; no Opts give ``."""
    return " ".join(
        ":".join([o.op.name, *(_field(x) for x in (o.axis, o.arg) if x is not None)]) for o in opts
    )


def _field(x: int | tuple[int, ...]) -> str:
    return ",".join(str(i) for i in x) if isinstance(x, tuple) else str(x)


def parse_opts(text: str) -> tuple[Any, ...]:
    """Inverse of opts_text. Raises BoltbeamError on anything else."""
    from tinygrad.codegen.opt import Opt, OptOps

    out = []
    for word in text.split():
        name, *rest = word.split(":")
        try:
            axis = int(rest[0]) if rest else None
            numbers = tuple(int(x) for x in rest[1].split(",")) if len(rest) > 1 else ()
            arg = numbers if name == "TC" else numbers[0] if numbers else None
            out.append(Opt(OptOps[name], axis, arg))
        except (KeyError, ValueError, IndexError):
            out = []
        if not out or len(rest) > 2 or opts_text(out[-1:]) != word:
            raise BoltbeamError(f"opts: '{word}' is not OP:axis:amount in '{text}'")
    return tuple(out)


@cache
def _actions() -> tuple[Any, ...]:
    from tinygrad.codegen.opt import Opt, OptOps
    from tinygrad.codegen.opt.search import actions

    axes = {name: {a.axis for a in actions if a.op.name == name} for name in EXTRA_AMOUNTS}
    extra = [
        Opt(OptOps[name], axis, n)
        for name, amounts in EXTRA_AMOUNTS.items()
        for axis in sorted(axes[name])
        for n in amounts
    ]
    return tuple(dict.fromkeys([*actions, *extra]))


@dataclass(frozen=True)
class Schedule:
    """A kernel's loops after some Opts: what legality and prediction look at."""

    opts: str
    dims: tuple[tuple[str, int], ...]
    """(kind, trip count) of each loop: global, local, thread, weak (a plain loop), reduce,
    group_reduce, upcast, unroll, …; a symbolic bound counts at the middle of its range."""
    scheduler: Any = field(repr=False, compare=False)

    def size(self, *kinds: str) -> int:
        return math.prod(n for kind, n in self.dims if kind in kinds)

    @cached_property
    def state(self) -> bytes:
        """Equal for Opts that lead to the same loops."""
        key: bytes = self.scheduler.ast.key
        return key

    def actions(self) -> Iterator[Schedule]:
        """Every schedule that one more Opt can lead to, by tinygrad's own checks."""
        from tinygrad.codegen.opt import KernelOptError

        for opt in _actions():
            after = self.scheduler.copy()
            try:
                if _says_twice(self.scheduler, opt):
                    continue
                after.apply_opt(opt)
            except KernelOptError:
                continue
            made = _schedule(after)
            local = made.size("local", "warp", "group_reduce")
            if made.size("upcast", "unroll") <= MAX_UPCAST and local <= MAX_LOCAL:
                yield made


def _says_twice(scheduler: Any, opt: Any) -> bool:
    """The whole axis by its size, where the action list has the amount 0 for it."""
    if opt.axis is None or opt.op.name == "TC":
        return False
    axis = scheduler.real_axis(opt.op, opt.axis)
    if axis >= scheduler.shape_len:
        return True
    whole = scheduler.full_shape[axis] == opt.arg
    return bool(whole and replace(opt, arg=0) in _actions())


def _schedule(scheduler: Any) -> Schedule:
    dims = tuple((r.arg[-1].name.lower(), _trips(r)) for r in scheduler.rngs)
    return Schedule(opts_text(scheduler.applied_opts), dims, scheduler)


def _trips(loop: Any) -> int:
    bound = loop.src[0].ssimplify()
    return int(bound if isinstance(bound, int) else (bound.vmin + bound.vmax) // 2)


def unscheduled(ast: Any, renderer: Any) -> Schedule:
    """The kernel's loops before any Opt, prepared as tinygrad does before it applies Opts."""
    from tinygrad import codegen as cg
    from tinygrad.codegen.opt.postrange import Scheduler
    from tinygrad.uop.ops import graph_rewrite

    sink = graph_rewrite(ast, cg.multi_pm)
    sink = graph_rewrite(sink, cg.pm_mops, bottom_up=True)
    sink = graph_rewrite(sink, cg.pm_load_collapse)
    sink = graph_rewrite(sink, cg.pm_split_ranges + cg.pm_flatten_range, ctx={})
    sink = graph_rewrite(sink, cg.sym + cg.pm_flatten_range)
    sink = graph_rewrite(sink, cg.pm_flatten_range + cg.pm_simplify_ranges, ctx={})
    scheduler = Scheduler(sink, renderer)
    scheduler.convert_loop_to_global()
    return _schedule(scheduler)


def apply(schedule: Schedule, text: str) -> Schedule | None:
    """`schedule` after the Opts in `text`; None where tinygrad refuses one of them."""
    from tinygrad.codegen.opt import KernelOptError

    after = schedule.scheduler.copy()
    try:
        for opt in parse_opts(text):
            after.apply_opt(opt)
    except KernelOptError:
        return None
    return _schedule(after)


# ---- programs --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Program:
    """A compiled kernel with the Opts that are in it."""

    opts: str
    name: str
    uops: int
    source_hash: str
    outs: tuple[int, ...]
    ins: tuple[int, ...]
    compile_s: float
    uop: Any = field(repr=False, compare=False)


def build(ast: Any, renderer: Any, opts: str | None) -> Program | str:
    """Compile `ast` with these Opts (None: tinygrad's own choice). A string says why it failed."""
    from tinygrad.codegen import do_to_program
    from tinygrad.codegen.opt import KernelOptError

    chosen = None if opts is None else parse_opts(opts)
    begin = time.perf_counter()
    try:
        prg = do_to_program(ast.replace(arg=replace(ast.arg, opts_to_apply=chosen)), renderer)
    except KernelOptError as e:
        return f"illegal: {e}"
    except Exception as e:  # a search may meet any bug of a code generator: it is a result
        return f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
    info = prg.src[0].arg
    source = str(prg.src[2].arg).replace(prg.arg.function_name, "kernel")
    return Program(
        opts=opts_text(info.applied_opts),
        name=_plain(info.name),
        uops=len(prg.src[1].src),
        source_hash=hashlib.sha256(source.encode()).hexdigest()[:16],
        outs=tuple(prg.arg.outs),
        ins=tuple(prg.arg.ins),
        compile_s=time.perf_counter() - begin,
        uop=prg,
    )


def build_all(
    ast: Any, renderer: Any, texts: Sequence[str], timeout_s: float
) -> list[Program | str]:
    """build() for several Opts, spread over tinygrad's own compile workers where there are any.

    What is not compiled after `timeout_s` is a failure `timeout`, and the workers are ended.
    """
    from tinygrad.engine.worker import get_worker_pool, terminate_worker_pool
    from tinygrad.helpers import PARALLEL

    pool = get_worker_pool() if len(texts) > 1 else None
    if pool is None:
        return [build(ast, renderer, text) for text in texts]
    width = max(1, PARALLEL.value)
    jobs = [pool.apply_async(_build_some, (ast, renderer, texts[i::width])) for i in range(width)]
    deadline = time.monotonic() + timeout_s
    out: list[Program | str] = [f"timeout: not compiled after {timeout_s:.0f} s"] * len(texts)
    for i, job in enumerate(jobs):
        try:
            out[i::width] = job.get(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            terminate_worker_pool()
            break
    return out


def _build_some(ast: Any, renderer: Any, texts: Sequence[str]) -> list[Program | str]:
    return [build(ast, renderer, text) for text in texts]


def _plain(name: str) -> str:
    from tinygrad.helpers import ansistrip

    return str(ansistrip(name))


def magnitude_ast(ast: Any) -> Any:
    """The same kernel with |terms| in every sum of floats: it computes the error bound's Σ|w·x|."""
    from tinygrad.dtype import dtypes
    from tinygrad.uop.ops import Ops

    new: dict[Any, Any] = {}
    for u in ast.toposort():
        v = u.replace(src=tuple(new[s] for s in u.src)) if u.src else u
        if u.op is Ops.REDUCE and u.arg[0] is Ops.ADD and dtypes.is_float(u.dtype):
            term = v.src[0]
            v = v.replace(src=(term.alu(Ops.MAX, term * -1), *v.src[1:]))
        new[u] = v
    return new[ast]


def seed_program(ast: Any, renderer: Any, program: Program) -> None:
    """Make tinygrad use `program` wherever it would compile `ast` from now on."""
    from tinygrad.codegen import to_program_cache, to_program_key

    to_program_cache[to_program_key(ast, renderer)] = program.uop


def unseed(ast: Any, renderer: Any) -> None:
    """Forget a program, so that tinygrad schedules `ast` by itself again."""
    from tinygrad.codegen import to_program_cache, to_program_key

    to_program_cache.pop(to_program_key(ast, renderer), None)


def on_capture(jit: Any, seen: Any) -> None:
    """Call `seen(kernels)` when this TinyJit has captured its token and not yet compiled it.

    `kernels` are (stable key, AST) pairs. Set on this one jit object; tinygrad is not patched.
    """
    from tinygrad.uop.ops import Ops

    original = jit.add_linear

    def add_linear(linear: Any, var_vals: dict[str, int]) -> None:
        asts = dict.fromkeys(c.src[0] for c in linear.src if c.src[0].op is Ops.SINK)
        device = next((c.device for c in linear.src if c.src[0].op is Ops.SINK), None)
        if device is not None:
            renderer = renderer_of(device if isinstance(device, str) else device[0])
            seen(tuple((stable_key(a, renderer), a) for a in asts), renderer)
        original(linear, var_vals)

    jit.add_linear = add_linear
