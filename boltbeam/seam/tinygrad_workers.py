"""tinygrad's own compiling processes, in the process of a command: how they end.

Takes nothing, leaves none of them. Never imports tinygrad: where nobody did, there are none.
"""

from __future__ import annotations

import sys
import threading

PATIENCE_S = 0.5
"""So long the pool may take to end in order: it needs some hundredths where all is well."""


def end() -> None:
    """End them; tinygrad starts new ones when it compiles again.

    The pool waits for ever for the lock of its queue where the worker that held it was killed, as
    an idle one is by a signal to the whole group: then they are killed, and it waits in a thread
    that nobody waits for. The pool is taken away first: tinygrad's own end of it finds none.
    """
    worker = sys.modules.get("tinygrad.engine.worker")
    pool = getattr(worker, "worker_pool", None)
    if worker is None or pool is None:
        return
    worker.worker_pool = None  # type: ignore[attr-defined]
    orderly = threading.Thread(target=pool.terminate, daemon=True)
    orderly.start()
    orderly.join(PATIENCE_S)
    from multiprocessing import active_children

    for child in active_children() if orderly.is_alive() else ():
        child.kill()
