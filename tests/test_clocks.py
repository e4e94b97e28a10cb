"""What a host tells of itself, in files as Linux writes them; what it does not tell is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from boltbeam.measure import clocks
from boltbeam.measure.clocks import State


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(clocks, "HOST", tmp_path)
    return tmp_path


def put(host: Path, name: str, text: str) -> None:
    path = host / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def test_a_host_that_tells_nothing_is_unknown(host: Path) -> None:
    before, after = clocks.state("CPU"), clocks.state("CPU")
    told = (before.throttled, before.temperature_c, before.throttle_count, before.waiting_us)
    assert told == (None, None, None, None)
    assert clocks.throttled(before, after) is None
    assert clocks.waiting(before, after) is None and clocks.stalled(before, after) is None


def test_pressure_between_two_moments(host: Path) -> None:
    full = "full avg10=0.00 avg60=0.00 avg300=0.00 total=77"
    put(host, "proc/pressure/cpu", f"some avg10=11.76 avg60=9.05 avg300=4.55 total=1000\n{full}")
    put(host, "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5")
    here = clocks.state("CPU")
    assert (here.waiting_us, here.stalled_us) == (1000, 5)
    later = State(waiting_us=26_000, stalled_us=5, at_us=here.at_us + 100_000)
    assert clocks.waiting(here, later) == pytest.approx(0.25)
    assert clocks.stalled(here, later) == 0
    assert clocks.waiting(later, later) is None  # no time has passed


def test_a_counter_of_hot_moments_that_grew(host: Path) -> None:
    counter = "sys/devices/system/cpu/cpu{}/thermal_throttle/{}_throttle_count"
    for core in (0, 1):
        put(host, counter.format(core, "core"), "3")
        put(host, counter.format(core, "package"), "0")
    before = clocks.state("CPU")
    assert before.throttle_count == 6 and clocks.throttled(before, clocks.state("CPU")) is False
    put(host, counter.format(1, "core"), "4")
    assert clocks.throttled(before, clocks.state("CPU")) is True


def test_a_zone_at_its_trip_point(host: Path) -> None:
    zone = "sys/class/thermal/thermal_zone0/"
    put(host, zone + "temp", "71500")
    for n, (kind, at) in enumerate((("active", 60_000), ("passive", 85_000), ("hot", 95_000))):
        put(host, zone + f"trip_point_{n}_type", kind)
        put(host, zone + f"trip_point_{n}_temp", str(at))
    put(host, "sys/class/thermal/thermal_zone1/temp", "not a number")
    state = clocks.state("CPU")
    assert (state.temperature_c, state.throttled) == (71.5, False)
    put(host, zone + "temp", "85000")
    assert clocks.state("CPU").throttled is True


def test_heat_of_the_host_is_not_that_of_another_device(host: Path) -> None:
    put(host, "sys/class/thermal/thermal_zone0/temp", "71500")
    put(host, "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5")
    state = clocks.state("CL")
    assert state.temperature_c is None and state.stalled_us == 5
