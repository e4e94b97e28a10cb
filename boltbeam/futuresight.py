"""FutureSight: what will a legal candidate cost? A small physical model, fitted from the chip's probe.

Takes work, route, geometry and the chip's *measured* rates, gives microseconds with the terms they
are made of. Never holds a constant of a chip, never prefers a route by name, never touches a device.

    body = p-norm of (bytes / bandwidth in reach, instructions / issue rate, dependent sums x latency)
    us   = toll x launches + body x waves + stream restarts + fill and drain

Rates it reads from `chip.measured` (the probe measures exactly these; a missing one drops its term,
so the prediction becomes a lower bound and says so by lacking the term):

| key | unit | what the probe does |
|---|---|---|
| read_gbps | GB/s | read sum over a working set above 4 x cache_bytes, all units, best launch |
| cached_gbps | GB/s | the same over a working set of about cache_bytes / 4, read again and again |
| latency_ns | ns | one load that depends on the one before, random, working set above 4 x cache |
| toll_us | us | one launch more in a replayed graph of tiny chained launches (slope, not total) |
| dispatch_us | us | one tiny launch alone, submitted and waited for |
| fp32_fma_tops | T/s | independent fp32 multiply-adds in registers; a multiply-add counts two |
| fma_chain_ns | ns | one fp32 multiply-add that depends on the one before (one accumulator) |
| unpack_gwps | G weights/s | acc += float(byte) * x on data that stays in the nearest cache, several accumulators |
| dot4_tops | T/s | independent int8 dot products of four into int32; one counts eight (lanes form, optional) |

All rates are of the whole chip as tinygrad uses it: on DEV=CPU that is one thread.
"""
