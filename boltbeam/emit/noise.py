"""Gumbel noise from counters: added to logits, it makes their argmax a draw.

argmax_i(logits[i] + T·g_i) with g_i = -log(-log(u_i)) and uniform u_i is a draw from
softmax(logits / T): the Gumbel-max trick. The bits of u_i are Threefry-2x32 of 13 rounds, keyed by
(seed, position), at the counter (i, 0): Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
easy as 1, 2, 3", SC 2011. It adds, rotates and xors 32-bit words, which every renderer can.

Takes words (UOps, or numpy arrays for the reference), gives words; takes UOps, gives noise.
"""

from __future__ import annotations

import math
from typing import Any

from boltbeam.emit.core import Buf

HOST = TEMP, SEED = Buf("temp", 1, "f32"), Buf("seed", 1, "u32")
"""What the host sets: the temperature T, and a seed."""
ROUNDS = 13
"""Crush-resistant, says the paper; the 20 that are usual elsewhere are a margin for worse uses."""
ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
PARITY = 0x1BD11BDA
NEAR = 2.0**-5
"""Below, 1 - v has too few bits of v left for its logarithm: a series takes its place."""


def threefry(key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Any, Any]:
    """Two random 32-bit words for every counter."""
    keys = (*key, key[0] ^ key[1] ^ PARITY)
    x, y = counter[0] + keys[0], counter[1] + keys[1]
    for i in range(ROUNDS):
        x, turn = x + y, ROTATIONS[i % 8]
        y = ((y << turn) | (y >> (32 - turn))) ^ x
        if i % 4 == 3:
            n = i // 4 + 1
            x, y = x + keys[n % 3], y + (keys[(n + 1) % 3] + n)
    return x, y


def bits(seed: Any, position: Any, index: Any) -> Any:
    """The random word of entry `index` of the logits at a position."""
    return threefry((seed, position), (index, 0))[1]


def gumbel(word: Any) -> Any:
    """-log(-log(1 - v)) of v = (word + 1/2) / 2^32, in float32: never infinite."""
    from tinygrad import dtypes

    v = word.cast(dtypes.float32) * 2.0**-32 + 2.0**-33
    series = v * (1 + v * (1 / 2 + v * (1 / 3 + v * (1 / 4))))
    rest = (word ^ 0xFFFFFFFF).cast(dtypes.float32) * 2.0**-32 + 2.0**-33
    exponential = (v < NEAR).where(series, rest.log2() * -math.log(2))
    return exponential.log2() * -math.log(2)
