"""CUDA C++ to machine code without a GPU: NVIDIA's NVRTC, the system's or the one from PyPI.

Takes source and an architecture, gives a cubin and what ptxas says the kernel needs. Never opens a
device, never imports tinygrad and never runs what it compiled.
"""

from __future__ import annotations

import ctypes
import os
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from boltbeam.types import BoltbeamError, Frozen

HINT = "install one with: pip install 'boltbeam[nvidia]'"
WHEELS = ("nvidia-cuda-nvrtc", "nvidia-cuda-runtime")
"""The compiler, and the headers (cuda_fp16.h) that kernels with halves include."""


# ---- where it is -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Library:
    """A libnvrtc and the folder of CUDA's headers that belong to it."""

    path: Path
    include: Path | None = None
    """None: the usual places of a CUDA toolkit."""
    version: str = ""
    """Of the wheel (`13.0.88`); empty for a system's library, which tells only `13.0`."""


def find() -> Library | None:
    """The library that tinygrad uses here: NVRTC_PATH, the system's, else PyPI's."""
    named = os.environ.get("NVRTC_PATH", "")
    if named and Path(named).is_file():
        ours = wheel()
        return ours if ours and ours.path == Path(named) else Library(Path(named))
    return system() or wheel()


def system() -> Library | None:
    """A library where tinygrad looks for one by itself."""
    for folder in _folders():
        found = sorted(folder.glob("libnvrtc.so*")) if folder.is_dir() else []
        for path in found:
            if re.fullmatch(r"libnvrtc\.so\.?\d*", path.name) and _is_elf(path):
                return Library(path)
    return None


def _is_elf(path: Path) -> bool:
    """False for a linker's script and for a link that leads nowhere."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _folders() -> Iterator[Path]:
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    if named := os.environ.get("NVRTC_PATH"):
        yield Path(named)
    yield from (Path(d) for d in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if d)
    usual = "/usr/lib64 /usr/lib /usr/local/lib /usr/lib/wsl/lib /lib /lib64".split()  # noqa: SIM905
    yield from map(Path, usual)
    if multiarch:
        yield Path("/lib") / multiarch
    for root in ("/opt", "/usr/local"):
        for kind in (multiarch.rsplit("-", 1)[0], "sbsa-linux"):
            yield Path(root, "cuda", "targets", kind, "lib")


def wheel() -> Library | None:
    """The library of PyPI's nvidia-cuda-nvrtc, with the headers of nvidia-cuda-runtime."""
    path = _file_of(WHEELS[0], r"libnvrtc\.so\.\d+")
    header = _file_of(WHEELS[1], r"cuda_fp16\.h")
    if path is None:
        return None
    return Library(path, header.parent if header else None, metadata.version(WHEELS[0]))


def _file_of(package: str, name: str) -> Path | None:
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        return None
    found = (Path(str(f.locate())) for f in files if re.fullmatch(name, f.name))
    return next((p.resolve() for p in found if p.is_file()), None)


def environment() -> dict[str, str]:
    """{} where tinygrad finds NVRTC by itself or there is none, else what makes it use PyPI's.

    A process that is already running must `preload` as well.
    """
    if os.environ.get("NVRTC_PATH") or system() is not None or (ours := wheel()) is None:
        return {}
    libraries = [str(ours.path.parent), os.environ.get("LD_LIBRARY_PATH", "")]
    out = {
        "NVRTC_PATH": str(ours.path),
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, libraries)),
    }
    if ours.include and not os.environ.get("CUDA_PATH"):
        out["CUDA_PATH"] = str(ours.include.parent)
    return out


def preload(library: Library) -> None:
    """Load the builtins beside a library: NVRTC asks for them by name alone, which only finds what
    is loaded or on the loader's path."""
    for path in sorted(library.path.parent.glob("libnvrtc-builtins.so*")):
        ctypes.CDLL(str(path))


# ---- what it gives ---------------------------------------------------------------------------


class Resources(Frozen):
    """What one thread, or one workgroup, of a kernel needs, as ptxas reports it."""

    registers: int
    stack_bytes: int
    """Local memory of a thread: spilled registers and arrays that are indexed at run time."""
    spill_store_bytes: int
    spill_load_bytes: int
    shared_bytes: int
    """Static shared memory of a workgroup."""


def parse_resources(log: str) -> Resources:
    """What `ptxas -v` says of the one kernel in a log. BoltbeamError: it says anything else."""
    entries = log.count("Compiling entry function '")
    frame = re.findall(
        r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", log
    )
    used = re.findall(r"Used (\d+) registers\b(.*)", log)
    if (entries, len(frame), len(used)) != (1, 1, 1):
        raise BoltbeamError(
            f"nvrtc: ptxas -v names {entries} kernels, {len(frame)} stack frames and {len(used)} "
            "register counts, where one of each was expected: another version? see boltbeam doctor"
        )
    registers, rest = used[0]
    shared = re.search(r"\b(\d+) bytes smem\b", rest)
    stack, stores, loads = map(int, frame[0])
    return Resources(
        registers=int(registers),
        stack_bytes=stack,
        spill_store_bytes=stores,
        spill_load_bytes=loads,
        shared_bytes=int(shared[1]) if shared else 0,
    )


class Nvrtc:
    """A loaded NVRTC. Its calls release Python's lock; it may be used from several threads."""

    def __init__(self, library: Library) -> None:
        self.library = library
        try:
            preload(library)
            self._dll = ctypes.CDLL(str(library.path))
        except OSError as e:
            raise BoltbeamError(f"nvrtc: {library.path.name} does not load: {e}; {HINT}") from None
        self._dll.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(self._dll.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), "version")
        self.release = major.value, minor.value
        self.version = library.version or f"{major.value}.{minor.value}"

    def archs(self) -> tuple[str, ...]:
        """Architectures it compiles for, oldest first: `sm_75`, …"""
        count = ctypes.c_int()
        self._check(self._dll.nvrtcGetNumSupportedArchs(ctypes.byref(count)), "architectures")
        numbers = (ctypes.c_int * count.value)()
        self._check(self._dll.nvrtcGetSupportedArchs(numbers), "architectures")
        return tuple(f"sm_{n}" for n in numbers)

    def cubin(self, source: str, arch: str) -> bytes:
        """Machine code, by the options that tinygrad compiles with. BoltbeamError: not compiled."""
        return self._compile(source, arch)[0]

    def resources(self, source: str, arch: str) -> Resources:
        """Registers, spills and shared memory of a source with one kernel."""
        return parse_resources(self._compile(source, arch, "--ptxas-options=-v")[1])

    def _compile(self, source: str, arch: str, *more: str) -> tuple[bytes, str]:
        """(cubin, log)"""
        program, dll = ctypes.c_void_p(), self._dll
        created = dll.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), b"<null>", 0, None, None
        )
        self._check(created, "a program")
        try:
            options = [o.encode() for o in (*self._options(arch), *more)]
            array = (ctypes.c_char_p * len(options))(*options)
            status = dll.nvrtcCompileProgram(program, len(options), array)
            log = self._bytes(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
            self._check(status, f"for {arch}", log)
            return self._bytes(program, "CUBIN"), log
        finally:
            dll.nvrtcDestroyProgram(ctypes.byref(program))

    def _options(self, arch: str) -> list[str]:
        usual = ("/usr/local/cuda/include", "/usr/include", "/opt/cuda/include")
        folders = [str(self.library.include)] if self.library.include else usual
        if not self.library.include and os.environ.get("CUDA_PATH"):
            folders = [f"{os.environ['CUDA_PATH']}/include"]
        minimal = ["--minimal"] if self.release >= (12, 4) else []
        return [f"--gpu-architecture={arch}", *(f"-I{f}" for f in folders), *minimal]

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(getattr(self._dll, f"nvrtcGet{what}Size")(program, ctypes.byref(size)), what)
        text = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._dll, f"nvrtcGet{what}")(program, text), what)
        return text.raw

    def _check(self, status: int, what: str, log: str = "") -> None:
        if status == 0:
            return
        said = self._dll.nvrtcGetErrorString(status).decode()
        errors = [line for line in log.splitlines() if "error" in line]
        raise BoltbeamError(f"nvrtc: {what}: {said}{': ' + errors[0].strip() if errors else ''}")


def require() -> Nvrtc:
    """The NVRTC of this machine. BoltbeamError: there is none, and how to get one."""
    library = find()
    if library is None:
        raise BoltbeamError(f"no NVRTC here to compile CUDA with; {HINT}")
    return Nvrtc(library)
