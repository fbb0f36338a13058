#!/usr/bin/env python3
"""Time of numpy's dense product 100 x 100 x 450 000 on one thread, beside `cargo bench -p fedbits-models --bench mix`.

Needs numpy and installs nothing.
"""
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import numpy as np
except ImportError as error:
    sys.exit(f"not measured: {error}")


def main(agents=100, columns=450_000, repetitions=5):
    random = np.random.default_rng(1)
    matrix = random.random((agents, agents))
    terms = random.random((agents, columns))
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        matrix @ terms
        times.append(time.perf_counter() - start)
    best = min(times)
    print(f"numpy {np.__version__}: {best:.3f} s, {2e-9 * agents * agents * columns / best:.1f} GFLOP/s")


main()
