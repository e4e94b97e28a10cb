"""Measured tokens made by hand, and planted kernels, for the tests of census and tie-out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from boltbeam.predict.census import Kind, Token
from boltbeam.types import ChipFacts, Fact, Measured

READ_GBPS = 4000.0
FACTS = {"workgroups": True, "units": 132, "simd_width": 32, "cache_bytes": 60 << 20}


def chip(read_gbps: float | None = READ_GBPS, id: str = "gpu-test", **facts: Any) -> ChipFacts:
    """A GPU of 132 units with SIMD groups of 32."""
    known = {n: Fact(value=v, source="test") for n, v in {**FACTS, **facts}.items()}
    rate = Measured(value=read_gbps or 0, unit="GB/s", how="test", date="2026-11-29")
    measured = {} if read_gbps is None else {"read_gbps": rate}
    return ChipFacts(id=id, name="test", device="CUDA", measured=measured, **known)


def kind(us: float = 10.0, bytes: int = 20_000_000, launch_us: float = 1.0, **fields: Any) -> Kind:
    """A launch of many threads that reads `bytes` in `us`, of which launching takes a part."""
    usual = {"op": "down", "kernel": "gemv", "count": 36, "groups": 1024, "threads": 1 << 17}
    times = {"us": (us,), "hollow_us": (launch_us,), "without_us": (0.0,)}
    return Kind(**{**times, **usual, **fields}, bytes=bytes)


def token(
    *kinds: Kind, gap_us: float = 1.0, us: float | None = None, place_us: float = 0.0
) -> Token:
    """A token of these launches; by default it takes exactly what they and their gaps take, and
    without one kind exactly so much less."""
    launches = sum(k.count for k in kinds)
    gaps = gap_us * launches
    whole = gaps + sum(k.count * k.kernel_us for k in kinds) if us is None else us
    kinds = tuple(
        k.model_copy(update={"without_us": (whole - k.count * (k.kernel_us + place_us),)})
        for k in kinds
    )
    return Token(
        engine="promoted",
        context=512,
        position=256,
        kinds=kinds,
        token_us=(whole,),
        rebuilt_us=(whole,),
        hollow_us=(gaps,),
        timer="wall",
    )


# ---- planted kernels ---------------------------------------------------------------------------

ROWS, COLS = 64, 4096
"""Of the table that planted kernels read: bytes, one a weight."""


def planted(index: Callable[..., Any], grid: int, lanes: int) -> tuple[Any, dict[int, int]]:
    """(program for sm_90, bytes of its arguments) of a sum that reads w[index(gid, lane, i)]."""
    from boltbeam.emit.core import Buf, Target
    from boltbeam.emit.lanes_core import F32, Kernel, build_launch, const
    from boltbeam.seam import tinygrad_render

    y, w = Buf("y", grid * lanes, "f32"), Buf("w.ffn_down", ROWS * COLS, "u8")

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(Target("CUDA", chip()), grid, lanes)
        regs = c.registers([0.0])
        trips = ROWS * COLS // (grid * lanes)
        total = c.loop(
            regs,
            1,
            trips,
            lambda i, v: [v[0] + named[w.name][index(c.gid, c.lane, i)].load().cast(F32)],
        )
        value = total[0].load() + const(0.0, F32)
        return c.sink("planted", [named["y"][c.gid * lanes + c.lane].store(value)])

    launch = build_launch("planted", (y,), (w,), kernel)
    program = tinygrad_render.program(launch, "CUDA:sm_90")
    return program, {0: 4 * y.size, 1: w.size}


def planted_kind(index: Callable[..., Any], grid: int, lanes: int) -> Kind:
    """A planted kernel as a census sees it: grid and lanes from the kernel, the time by hand."""
    from boltbeam.seam.tinygrad_lanes import accesses
    from boltbeam.seam.tinygrad_launches import grid as grid_of

    program, nbytes = planted(index, grid, lanes)
    groups, threads = grid_of(program, {})
    found = accesses(program, nbytes, 32)
    return kind(groups=groups, threads=threads, accesses=found)
