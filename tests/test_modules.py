"""The house: a module imports only from those before it, and the light ones never load tinygrad."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import boltbeam

ROOT = Path(boltbeam.__file__).parent
HOUSE = """
 types files registry report
 models: gguf_header decode_support gguf_model gguf_writer random_blocks tokenizer synth
  inspect_model plan
 records: entries benches claims priors ledger intervals decide decisions record ledger_review
  ledger_touched copies ledger_check standing reopening red_flags review verified explain
  explain_words store ledger_query results
 predict: chips case reason_codes legal_rules bubblebeam futuresight audit roofline census tieout
  speculate
 pictures: report_data report_figures report_sections
 emit
 seam: nvrtc toolchain stock_gemma3 tinygrad_workers tinygrad_cache tinygrad_cuda_graph
  tinygrad_adapter tinygrad_quick tinygrad_graph tinygrad_model tinygrad_render tinygrad_programs
  tinygrad_weights tinygrad_server tinygrad_schedule tinygrad_code tinygrad_launches
  tinygrad_lanes
 proof: shared_arrays sample_data compare_outputs guarded oracle verify draws
 measure: locks clocks rotation timed_outputs timing software
 chip: probe_findings sweeps chip_facts probe_kernels probe_instructions probe_bench
  probe_arithmetic probe_memory probe_cold probe
 schedule: private_buffers schedule_proof schedule_beam schedules
 worker
 token: agreement bindings decode_plan install scheduled_runner schedule_install token_sources
  token_launches token_checks token_process token_gate emulation quality bench promotion
  promotable bench_record plans_in_turns
 search: search_items raw_samples filters device_work search search_audit whole_plans jobs
  machine schedule_search predictions search_session repeat
 commands: search_display rerender kernel_source ledger_views registry_views prediction_views
  lookups report_page commands plan_in_use running token_views serving
 plugin cli command_reference
"""
"""Folders and the modules at the top, each after all that it may import; `emit` counts as one."""
_LINES = re.sub(r"\n  +", " ", HOUSE).strip().splitlines()
_ROOMS = [line.rpartition(":") for line in _LINES]
PLACES = {m: folder.strip() for folder, _, modules in _ROOMS for m in modules.split()}
"""Module -> its folder, empty at the top."""
ORDER = list(PLACES)
FIRST_WITH_TINYGRAD = "emit"
ADAPTERS = {m for m in ORDER if m.startswith("tinygrad_")} | {"stock_gemma3"}
"""The modules that may touch tinygrad's internals; emitters build UOps, its public vocabulary."""
LIGHT = "types registry ledger gguf_model plan chips roofline inspect_model report".split()  # noqa: SIM905


def sources() -> dict[str, list[Path]]:
    """Module name -> its files (the emitters are one module)."""
    found = {p.stem: [p] for p in ROOT.rglob("*.py") if p.stem != "__init__"}
    emit = sorted((ROOT / "emit").glob("*.py"))
    return {m: f for m, f in found.items() if f[0] not in emit} | {"emit": emit}


def dotted(module: str) -> str:
    return ".".join(filter(None, ("boltbeam", PLACES[module], module)))


def imports(path: Path) -> set[str]:
    """Modules of boltbeam that a file imports anywhere, lazily or not."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "boltbeam":
            parts = (node.module or "").split(".")[1:]
            inside = parts and (parts[0] == "emit" or not (ROOT / Path(*parts)).is_dir())
            found |= (
                {parts[0] if parts[0] == "emit" else parts[-1]}
                if inside
                else {a.name for a in node.names}
            )
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[-1] for a in node.names}
    return found & set(sources())


def names_tinygrad(path: Path) -> bool:
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return any(
        (isinstance(n, ast.ImportFrom) and (n.module or "").split(".")[0] == "tinygrad")
        or (isinstance(n, ast.Import) and any(a.name.split(".")[0] == "tinygrad" for a in n.names))
        for n in tree
    )


def test_every_module_stands_in_the_order_and_in_its_folder() -> None:
    found = {m: files[0].parent for m, files in sources().items()}
    wanted = {m: ROOT / place for m, place in PLACES.items()} | {"emit": ROOT / "emit"}
    assert found == wanted


@pytest.mark.parametrize("module", ORDER)
def test_a_module_imports_only_from_those_before_it(module: str) -> None:
    before = set(ORDER[: ORDER.index(module)]) | {module}
    late = {i for p in sources()[module] for i in imports(p)} - before
    assert not late, f"{module} imports {sorted(late)}, which come after it"


def test_only_late_modules_name_tinygrad() -> None:
    early = ORDER[: ORDER.index(FIRST_WITH_TINYGRAD)]
    assert not [m for m in early if any(names_tinygrad(p) for p in sources()[m])]


def test_light_modules_load_without_tinygrad() -> None:
    code = "import sys; " + "; ".join(f"import {dotted(m)}" for m in LIGHT)
    code += "; print([m for m in sys.modules if m.split('.')[0] in ('tinygrad', 'gguf')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_readme_maps_every_folder() -> None:
    text = (ROOT.parent / "README.md").read_text(encoding="utf-8")
    table = text[text.index("## The modules") : text.index("## Beside your own tinygrad")]
    named = {n.rstrip("/") for n in re.findall(r"`([\w/]+)`", table)}
    rooms = {p.name for p in ROOT.iterdir() if (p / "__init__.py").is_file()}
    rooms |= {p.stem for p in ROOT.glob("*.py") if p.stem != "__init__"}
    assert rooms <= named
