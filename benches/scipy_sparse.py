#!/usr/bin/env python3
"""Time of SciPy's products A x and Aᵀ r in compressed sparse rows, beside `cargo bench -p fedbits-models --bench sparse`.

Same shape: 72 309 × 20 958 with 0.25 % given, that of real-sim. Prints milliseconds per pair, on one core. Needs numpy
and scipy and installs nothing.
"""
import sys
import time

try:
    import numpy as np
    import scipy.sparse
except ImportError as error:
    sys.exit(f"not measured: {error}")


def main(repetitions=60):
    random = np.random.default_rng(42)
    a = scipy.sparse.random(72_309, 20_958, density=0.0025, format="csr", rng=random)
    x, transposed, times = random.random(a.shape[1]) - 0.5, a.T, []
    for _ in range(repetitions):
        start = time.perf_counter()
        transposed @ (a @ x)
        times.append(time.perf_counter() - start)
    print(f"SciPy {scipy.__version__}, {a.nnz} entries: {1e3 * min(times):.2f} ms per pair")


main()
