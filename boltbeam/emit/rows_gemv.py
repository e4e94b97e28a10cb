"""y = W x on packed tables, rows form: qkv, o, gate_up, down, head.

Takes a work item and a geometry, gives the stores of one op with its epilogue (residual, bias,
gate · up). Never chooses a geometry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from boltbeam.emit.core import Buf, activation, activation_of, steepness, stream
from boltbeam.emit.rows import LOG2E, Rows, sums32
from boltbeam.emit.rows_dot import Operand, walk
from boltbeam.emit.rows_formats import UNPACK
from boltbeam.emit.rows_norm import quantise
from boltbeam.types import Geometry, Table, WorkItem

OPS = ("qkv", "o", "gate_up", "down", "head")


def tables_of(work: WorkItem, op: str) -> tuple[Table, ...]:
    """The tables that one op of a span reads."""
    from boltbeam.models.plan import TABLES

    roles = TABLES[op]
    return tuple(t for t in work.tables if t.role in roles)


def weight_buffer(table: Table) -> Buf:
    """The raw bytes of a table, as the rows form reads them."""
    unpack = UNPACK[table.format]
    return Buf(f"w.{table.role}", table.rows * table.cols // unpack.weights * unpack.bytes, "u8")


def reads(work: WorkItem, op: str, takes: str) -> tuple[Buf, ...]:
    """Buffers the op reads and does not write: activation, tables, biases."""
    tables = tables_of(work, op)
    minimum = any(UNPACK[t.format].has_minimum for t in tables)
    bufs = activation(activation_of(op), tables[0].cols, takes)
    bufs = bufs if minimum else bufs[:-1]
    biases: tuple[Buf, ...] = ()
    if op == "qkv" and work.qkv_bias:
        biases = tuple(Buf(f"b.{t.role}", t.rows, "f32") for t in tables)
    return (*bufs, *(weight_buffer(t) for t in tables), *biases)


def writes(work: WorkItem, op: str, gives: str) -> tuple[Buf, ...]:
    """Buffers the op writes."""
    tables = tables_of(work, op)
    if op == "gate_up":
        return activation("act", tables[0].rows, gives)
    if op == "qkv":
        return (Buf("qkv", sum(t.rows for t in tables), "f32"),)
    return (Buf(stream(work) if op in ("o", "down") else "logits", tables[0].rows, "f32"),)


def body(k: Rows, work: WorkItem, op: str, geometry: Geometry, takes: str, gives: str) -> None:
    """Write the op into kernel k."""
    tables = tables_of(work, op)
    x = Operand(k, activation_of(op), tables[0].cols, takes)
    if op == "gate_up":
        _gate_up(k, work, tables, x, geometry, gives)
    elif op == "qkv":
        _qkv(k, work, tables, x, geometry)
    elif op == "head":
        walk(k, tables[0], x, geometry, lambda row, y: k["logits"][row].store(y))
    elif work.post_norms:
        walk(k, tables[0], x, geometry, lambda row, y: k["y"][row].store(y))
    else:
        out = k["x"]
        walk(k, tables[0], x, geometry, lambda row, y: out[row].store(out[row].load() + y))


def _qkv(
    k: Rows, work: WorkItem, tables: tuple[Table, ...], x: Operand, geometry: Geometry
) -> None:
    offset = 0
    for table in tables:

        def put(row: Any, y: Any, role: str = table.role, offset: int = offset) -> Any:
            value = y + k[f"b.{role}"][row].load() if work.qkv_bias else y
            return k["qkv"][row + offset].store(value)

        walk(k, table, x, geometry, put)
        offset += table.rows


def _gate_up(
    k: Rows, work: WorkItem, tables: tuple[Table, ...], x: Operand, geometry: Geometry, gives: str
) -> None:
    """Both tables one after the other, then silu or gelu of the gate · up in one vector loop."""
    n = tables[0].rows
    k.buffers |= {"t.gate": k.array(n), "t.up": k.array(n)}
    if gives == "q8":
        k.buffers["act.f32"] = k.array(n)

    def keep(name: str) -> Callable[[Any, Any], Any]:
        return lambda row, y: k[name][row].store(y)

    for table, name in zip(tables, ("t.gate", "t.up"), strict=True):
        walk(k, table, x, geometry, keep(name))
    i = k.loop(n)
    gate = k["t.gate"][i].load()
    gated = gate / ((steepness(gate, work.gate) * -LOG2E).exp2() + 1.0)
    k.done(k["act.f32"][i].store(gated * k["t.up"][i].load()).end(i))
    if gives == "q8":
        quantise(k, "act", n)
    else:
        sums32(k, "act.f32", "act.s32", n)
