"""A model of Python under FedEM, against NumPy doing the same E-steps alone; and `fb.run` against the command line.

    python benches/python.py PROGRAM      # in an environment with the wheel; PROGRAM is the command line

Minima of several turns, one thread. Of `fb.run` and the command line medians of turns in which they follow each other,
with all threads: PROGRAM is to be built in the profile of the module.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fedbits as fb

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "tests"))
from models import DiagonalMixture

SIZES = [(2_000, 2, 2, 20, 300), (20_000, 5, 3, 20, 60), (100_000, 10, 3, 100, 20), (2_000, 2, 2, 1_000, 300)]


class Counted(DiagonalMixture):
    """Counts passes over the data."""

    passes = 0.0

    def statistics(self, theta, X):
        Counted.passes += len(X)
        return super().statistics(theta, X)

    def objective(self, theta, X):
        Counted.passes += len(X)
        return super().objective(theta, X)


def seconds(work: Callable[[], object], turns: int = 5) -> float:
    """The least time of some turns."""

    def turn() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return min(turn() for _ in range(turns))


def mixture(N: int, d: int, G: int, n: int, rounds: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, d)) + 4 * rng.integers(0, G, (N, 1))
    start = np.concatenate([np.full(G, 1 / G), rng.normal(4, 3, G * d), np.full(G * d, 4.0)])
    scenario = fb.Scenario(
        name="mixture",
        data=fb.Table(X),
        clients=n,
        initial=fb.ParametersInitial(start),
        protocol=fb.FedEm(gamma=0.5),
        stop=fb.Stop(rounds=rounds),
        record=fb.Record(probe_every=None, every=rounds),
    )
    Counted.passes = 0.0
    fb.run(scenario.replace(model=Counted(G, d)), threads=1)
    passes = round(Counted.passes / N)
    model = DiagonalMixture(G, d)
    python = seconds(lambda: fb.run(scenario.replace(model=model), threads=1))
    alone = seconds(lambda: [model.statistics(start, X).mean(axis=0) for _ in range(passes)])
    built_in = seconds(lambda: fb.run(scenario.replace(model=fb.GaussianMixture(G, fb.Diagonal())), threads=1))
    print(f"N {N}, d {d}, G {G}, n {n}, {rounds} rounds: {python / alone:.2f} of NumPy alone, {python / own:.1f} of ours")


def processor() -> float:
    """Seconds of the processor, of this process and of those that it has waited for."""
    used = [resource.getrusage(kind) for kind in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def overhead(program: str, rounds: int, turns: int) -> None:
    """What `fb.run` takes more than the command line without the start of its process, in milliseconds."""

    def command() -> None:
        with tempfile.TemporaryDirectory() as out:
            words = ["run", "quickstart", "--set", f"stop=(rounds: {rounds})", "--out", f"{out}/out", "--no-figures"]
            subprocess.run([program, *words, "--quiet"], check=True, capture_output=True)

    works = {
        "ours": lambda: fb.run("quickstart", {"stop": fb.Stop(rounds=rounds)}, progress=False),
        "command": command,
        "start": lambda: subprocess.run([program, "--version"], check=True, capture_output=True),
    }
    taken: dict[tuple[str, str], list[float]] = {}
    for _ in range(turns):
        for name, work in works.items():
            used = processor()
            taken.setdefault((name, "elapsed"), []).append(1e3 * seconds(work, 1))
            taken.setdefault((name, "processor"), []).append(1e3 * (processor() - used))
    for what in ("elapsed", "processor"):
        inside_ms, command_ms, start_ms = (statistics.median(taken[name, what]) for name in works)
        more = inside_ms - (command_ms - start_ms)
        print(f"quickstart, {rounds} rounds, {what}: {inside_ms:.1f} ms, {more:+.1f} ms, {100 * more / inside_ms:+.1f} %")


warnings.simplefilter("ignore")
for size in SIZES:
    mixture(*size)
for rounds, turns in ((2, 30), (300, 15), (3_000, 5), (30_000, 3)):
    overhead(sys.argv[1], rounds, turns)
