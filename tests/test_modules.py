"""The house: a module imports only from those before it, and the light ones never load tinygrad."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

import boltbeam

ROOT = Path(boltbeam.__file__).parent
ORDER = """
 types entries claims files registry priors ledger
 gguf_header decode_support gguf_model gguf_writer random_blocks tokenizer synth inspect_model
 plan chips
 case reason_codes legal_rules bubblebeam
 futuresight audit roofline
 intervals decide probe_findings sweeps decisions record ledger_review
 ledger_touched ledger_check standing reopening
 red_flags report census tieout speculate review explain explain_words
 locks store nvrtc toolchain clocks agreement
 report_data report_figures report_sections ledger_query
 worker search_items raw_samples filters device_work search search_audit
 emit
 stock_gemma3
 tinygrad_adapter tinygrad_graph tinygrad_model tinygrad_render tinygrad_weights
 tinygrad_server tinygrad_schedule tinygrad_launches tinygrad_lanes
 sample_data compare_outputs guarded oracle verify
 rotation timed_outputs timing
 chip_facts rerender probe_kernels probe_instructions probe_bench
 probe_arithmetic probe_memory probe_cold probe
 private_buffers schedule_proof schedule_beam schedules
 jobs
 software bindings decode_plan install scheduled_runner schedule_install
 token_sources token_launches token_checks token_process token_gate
 emulation quality bench promotion promotable
 machine kernel_source
 schedule_search predictions search_session repeat
 ledger_views registry_views prediction_views lookups report_page search_display commands
 plan_in_use running token_views serving plugin cli command_reference
""".split()  # noqa: SIM905
FIRST_WITH_TINYGRAD = "emit"
ADAPTERS = {m for m in ORDER if m.startswith("tinygrad_")} | {"stock_gemma3"}
"""The modules that may touch tinygrad's internals; emitters build UOps, its public vocabulary."""
LIGHT = "types registry ledger gguf_model plan chips roofline inspect_model report".split()  # noqa: SIM905


def sources() -> dict[str, list[Path]]:
    """Module name -> its files (the emitters are one module)."""
    found = {p.stem: [p] for p in ROOT.glob("*.py") if p.stem != "__init__"}
    return found | {"emit": sorted((ROOT / "emit").glob("*.py"))}


def imports(path: Path) -> set[str]:
    """Modules of boltbeam that a file imports anywhere, lazily or not."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "boltbeam":
            rest = (node.module or "").split(".")[1:]
            found |= {rest[0]} if rest else {a.name for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("boltbeam.")}
    return found & set(sources())


def names_tinygrad(path: Path) -> bool:
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return any(
        (isinstance(n, ast.ImportFrom) and (n.module or "").split(".")[0] == "tinygrad")
        or (isinstance(n, ast.Import) and any(a.name.split(".")[0] == "tinygrad" for a in n.names))
        for n in tree
    )


def test_every_module_stands_in_the_order() -> None:
    assert sorted(ORDER) == sorted(sources())


@pytest.mark.parametrize("module", ORDER)
def test_a_module_imports_only_from_those_before_it(module: str) -> None:
    before = set(ORDER[: ORDER.index(module)]) | {module}
    late = {i for p in sources()[module] for i in imports(p)} - before
    assert not late, f"{module} imports {sorted(late)}, which come after it"


def test_only_late_modules_name_tinygrad() -> None:
    early = ORDER[: ORDER.index(FIRST_WITH_TINYGRAD)]
    assert not [m for m in early if any(names_tinygrad(p) for p in sources()[m])]


def test_light_modules_load_without_tinygrad() -> None:
    code = "import sys; " + "; ".join(f"import boltbeam.{m}" for m in LIGHT)
    code += "; print([m for m in sys.modules if m.split('.')[0] in ('tinygrad', 'gguf')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_docs_map_every_module() -> None:
    table = (ROOT.parent / "docs/modules.md").read_text(encoding="utf-8")
    named = [n.rstrip("/") for n in re.findall(r"`([\w*/]+)`", table)]
    assert [m for m in ORDER if not any(fnmatch(m, n) for n in named)] == []
