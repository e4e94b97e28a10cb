"""Why BubbleBeam refuses: a stable code for each rule, documented as a linter documents its rules.

Takes a code and the number that failed, gives an Outcome. Never judges.
"""

from __future__ import annotations

from dataclasses import dataclass

from boltbeam.types import Outcome, Verdict


@dataclass(frozen=True)
class Reason:
    """One documented reason code."""

    what: str
    why: str
    example: str


REASONS = {
    "op-unsupported": Reason(
        "The route does not do this span of ops.",
        "An emitter writes exactly the spans its route lists.",
        "gemv_rows_f32 asked for `attention`",
    ),
    "format-unsupported": Reason(
        "A table's storage format is not among the route's formats.",
        "Reading a block with the wrong layout gives numbers that look like numbers.",
        "a Q2_K table",
    ),
    "tokens-unsupported": Reason(
        "The work has more than one token at once.",
        "These routes write one output vector.",
        "m = 2",
    ),
    "fact-undeclared": Reason(
        "The route needs a fact that nobody declared for this chip.",
        "A guessed SIMD width once cost a chip 35 times its speed.",
        "local_bytes of a chip listed without it",
    ),
    "fact-false": Reason(
        "The route needs a feature that the chip declares not to have.",
        "The instruction does not exist there.",
        "dot4 = false",
    ),
    "no-workgroups": Reason(
        "A route of form `lanes` on a chip without workgroups.",
        "Local memory and barriers do not exist there.",
        "gemv_lanes_f32 on a CPU",
    ),
    "one-thread": Reason(
        "One thread would work where many could.",
        "A norm on one thread took 231 us, on a workgroup 2.7 us, 73 times a token.",
        "a route of form `rows` on a GPU",
    ),
    "shape-divide": Reason(
        "A size of the model does not divide as this route's kernels need.",
        "Interfaces hand on blocks of 32; heads are halved for RoPE.",
        "d_model = 100",
    ),
    "post-norms": Reason(
        "A norm behind `o` or `down` of a model with post-norms.",
        "The residual stream that it would read is complete only after the post_norm.",
        "`o+norm` with Gemma's shapes",
    ),
    "rows-divide": Reason(
        "The rows of a table do not divide by the rows that one trip or workgroup takes.",
        "The last trip would read past the table, or leave half a block of outputs.",
        "rows=4 on a table of 49150 rows",
    ),
    "blocks-divide": Reason(
        "The storage blocks of a row do not divide by the blocks of a trip.",
        "There is no tail loop: a trip takes whole blocks.",
        "unroll=4 on 18 blocks",
    ),
    "lanes-idle": Reason(
        "A row has fewer load units than lanes x split x unroll.",
        "Some lanes, or some loads of every trip, would never have anything to do.",
        "lanes=32 words=4 unroll=4 on 576 columns of Q4_1",
    ),
    "split-exceeds": Reason(
        "More accumulators than blocks that could use them, or unevenly filled ones.",
        "It would render the same kernel again, or leave an accumulator idle.",
        "split=4 unroll=2",
    ),
    "body-size": Reason(
        "One trip would be written out as more than 64 vectors of weights (lanes: 384 products).",
        "Compilers take seconds for such a body, and it leaves the instruction cache.",
        "rows=4 unroll=4 on Q4_K, whose blocks hold 256 weights",
    ),
    "dominated": Reason(
        "Another geometry does the same with fewer instructions and the same bytes.",
        "Shorter load units convert a scale more often and save no register that matters.",
        "wide=8 words=1 on Q6_K, whose scales are for 16 weights",
    ),
    "same-kernel": Reason(
        "Another geometry of this route writes the same kernel.",
        "Timing one kernel twice finds two speeds for it.",
        "share=1 with rows=1",
    ),
    "threads-limit": Reason(
        "More threads in a workgroup than the chip takes.",
        "The launch fails.",
        "lanes=32 groups=64 where 1024 is the limit",
    ),
    "threads-few": Reason(
        "Fewer threads in a workgroup than query heads that share one key head.",
        "Each of those heads needs a thread of its own for its softmax.",
        "threads=32 where 64 heads share keys",
    ),
    "local-memory": Reason(
        "More local memory than a workgroup may have.",
        "The launch fails, or spills to slow memory.",
        "a norm prologue of 16384 floats in 48 KiB",
    ),
    "simd-width": Reason(
        "Lanes that share a row do not fit into one SIMD group.",
        "Their reduction would cross SIMD groups, which shuffles cannot.",
        "lanes=32 on a chip 16 wide",
    ),
    "simd-partial": Reason(
        "A workgroup smaller than a SIMD group, or not a multiple of it.",
        "The remaining lanes idle for the whole kernel.",
        "lanes=8 groups=2 on a chip 32 wide",
    ),
    "load-alignment": Reason(
        "No table's format can cut its blocks into load units of that many words.",
        "Units must stay within one aligned run of a block; another value of the axis is the same.",
        "words=8 on Q4_1, whose blocks hold four words",
    ),
    "load-width": Reason(
        "A load wider than the chip's widest, more than twice over.",
        "It becomes several loads that hold registers for nothing.",
        "words=16 at 128 bits",
    ),
    "registers": Reason(
        "More live registers per thread than any supported chip has.",
        "The kernel spills every trip.",
        "rows=8 words=8 unroll=4",
    ),
    "epilogue-blocks": Reason(
        "A workgroup does not own whole blocks of 32 outputs.",
        "The sums and scales per 32 are made in its epilogue.",
        "groups=2 rows=2 for gate_up",
    ),
    "context-divide": Reason(
        "The context does not divide into that many splits of at least 16 positions.",
        "Splits walk equal shares of the cache.",
        "split=64 at a context of 512",
    ),
}


def illegal(reason: str, number: float, limit: float | None, detail: str) -> Outcome:
    """An Outcome with a code that `REASONS` documents."""
    assert reason in REASONS, reason
    return Outcome(
        verdict=Verdict.illegal, reason=reason, number=number, limit=limit, detail=detail
    )
