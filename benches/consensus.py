#!/usr/bin/env python3
"""The consensus of a VP-EM iteration against numpy's dense product 100 x 100 x 450 000, in turn on one thread.

    python3 benches/consensus.py [TURNS]

Runs `cargo bench -p fedbits-protocols --bench consensus` and numpy one after the other, TURNS times (default 3), and prints the best of
each, their ratio (target: at most 3) and the rate of the blocked rounds (target: at least 40 GFLOP/s). Needs numpy.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import numpy as np
except ImportError as error:
    sys.exit(f"not measured: {error}")

ROOT = pathlib.Path(__file__).parent.parent
COMMAND = ["cargo", "bench", "--quiet", "-p", "fedbits-protocols", "--bench", "consensus"]


def numpy_seconds(matrix, terms, repetitions=5):
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        matrix @ terms
        best = min(best, time.perf_counter() - start)
    return best


def main(turns, agents=100, columns=450_000):
    random = np.random.default_rng(1)
    matrix, terms = random.random((agents, agents)), random.random((agents, columns))
    numpy, linear, blocked = float("inf"), float("inf"), {}
    subprocess.run([*COMMAND, "--no-run"], cwd=ROOT, check=True)
    for _ in range(turns):
        numpy = min(numpy, numpy_seconds(matrix, terms))
        said = subprocess.run(COMMAND, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        linear = min(linear, float(re.search(r"linear: ([\d.]+) s", said)[1]))
        for width, rate in re.findall(r"blocked by (\d+) columns: ([\d.]+)", said):
            blocked[width] = max(blocked.get(width, 0.0), float(rate))
    flops = 2e-9 * agents * agents * columns
    print(f"numpy {np.__version__}: {numpy:.3f} s, {flops / numpy:.1f} GFLOP/s")
    print(f"consensus of an iteration: {linear:.3f} s, {linear / numpy:.2f} times numpy")
    for width, rate in blocked.items():
        print(f"blocked by {width} columns: {rate:.1f} GFLOP/s")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
