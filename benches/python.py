"""A model of Python under FedEM, against NumPy doing the same E-steps alone; and `fb.run` against the command line.

    python benches/python.py PROGRAM      # in an environment with the wheel; PROGRAM is the command line

Minima of several turns, one thread.
"""

from __future__ import annotations

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
    own = seconds(lambda: fb.run(scenario.replace(model=fb.GaussianMixture(G, fb.Diagonal())), threads=1))
    print(f"N {N}, d {d}, G {G}, n {n}, {rounds} rounds: {python / alone:.2f} of NumPy alone, {python / own:.1f} of ours")


def overhead(program: str, rounds: int) -> None:
    def command() -> None:
        with tempfile.TemporaryDirectory() as out:
            words = ["run", "quickstart", "--set", f"stop=(rounds: {rounds})", "--out", f"{out}/out", "--no-figures"]
            subprocess.run([program, *words, "--quiet"], check=True, capture_output=True)

    ours = seconds(lambda: fb.run("quickstart", {"stop": fb.Stop(rounds=rounds)}, progress=False))
    theirs = seconds(command)
    print(f"quickstart, {rounds} rounds: {1e3 * (ours - theirs):+.1f} ms, {ours / theirs:.3f} of the command line")


warnings.simplefilter("ignore")
for size in SIZES:
    mixture(*size)
for rounds in (2, 300, 3_000):
    overhead(sys.argv[1], rounds)
