"""Rendering sooner: the same text, the same refusals, and tinygrad as it was afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from cuda_kernels import launches
from tinygrad import dtypes
from tinygrad.codegen import do_to_program
from tinygrad.uop.ops import KernelInfo, Ops, UOp

from boltbeam.seam import tinygrad_quick, tinygrad_render
from boltbeam.seam.tinygrad_adapter import sink
from boltbeam.seam.tinygrad_quick import quick

SHAPES = vars(UOp)["_shape"]
FORMATS = "Q4_K+Q4_K+Q6_K"
GEOMETRY = "groups=16 lanes=16 rows=1 unroll=1 words=8 ahead=1"


def text(kernel: Any) -> str:
    made = do_to_program(kernel, tinygrad_render.renderer("CUDA:sm_90"))
    return str(next(u.arg for u in made.src if u.op is Ops.SOURCE))


def copy_of_words(start: Any, size: int = 64) -> Any:
    """A kernel that stores the sum of four words loaded at once from `start`."""
    given = UOp.param(1, dtypes.uint, (size,))
    four = UOp(Ops.SHRINK, src=(given, start, UOp.const(4))).load()
    words = four.index(0) + four.index(1) + four.index(2) + four.index(3)
    made = UOp.param(0, dtypes.uint, (1,))[UOp.const(0)].store(words)
    return made.sink(arg=KernelInfo(name="copied", opts_to_apply=()), tag=1)


def simplified(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    asked = [0]
    whole = UOp.simplify

    def counted(self: Any, tracked: bool = False) -> Any:
        asked[0] += 1
        return whole(self, tracked)

    monkeypatch.setattr(UOp, "simplify", counted)
    return asked


def test_several_loops_render_to_the_same_text_with_fewer_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ((_, launch),) = launches("chain_lanes_qkv_planes", "norm+qkv", FORMATS, GEOMETRY)
    asked = simplified(monkeypatch)
    plain = text(sink(launch))
    before, asked[0] = asked[0], 0
    kernel = sink(launch)
    with quick([kernel]):
        soon = text(kernel)
    assert soon == plain
    assert asked[0] < before / 2


def test_a_load_out_of_bounds_is_refused_as_ever() -> None:
    i = UOp.range(4, 0) * 16
    assert "uint4" in text(copy_of_words(i))
    with pytest.raises(ValueError, match="invalid shrink"), quick([copy_of_words(i + 64)]):
        raise AssertionError("let in")


def test_within_it_tinygrad_still_refuses_what_bounds_show() -> None:
    for start in (UOp.range(4, 0) * 16 + 64, UOp.const(62), UOp.const(-5)):
        with quick([]), pytest.raises(ValueError, match="invalid shrink"):
            text(copy_of_words(start))


def test_it_leaves_tinygrad_as_it_was() -> None:
    before = SHAPES.fxn, UOp.op_in_backward_slice_with_self
    with pytest.raises(KeyError), quick([]):
        assert SHAPES.fxn is not before[0]
        raise KeyError
    assert (SHAPES.fxn, UOp.op_in_backward_slice_with_self) == before


@pytest.mark.parametrize("depth", [0, 1, 400])
def test_what_a_node_depends_on(depth: int) -> None:
    node: Any = UOp.range(4, 0)
    for _ in range(depth):
        node = node + node
    for op in (Ops.RANGE, Ops.ADD, Ops.CONST, Ops.LOAD):
        asked = tinygrad_quick._depends_on(node, op, Ops.STORE)
        assert asked == node.op_in_backward_slice_with_self(op, Ops.STORE)
