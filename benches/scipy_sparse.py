"""SciPy's side of models/benches/sparse.rs: A x and Aᵀ r of a matrix in compressed sparse rows, on one core."""

import time

import numpy as np
import scipy.sparse

rng = np.random.default_rng(42)
a = scipy.sparse.random(72_309, 20_958, density=0.0025, format="csr", rng=rng)
x = rng.random(a.shape[1]) - 0.5
transposed = a.T


def best(run, seconds=3.0):
    """The shortest of many runs: other programs can only lengthen a run."""
    shortest, total = float("inf"), 0.0
    while total < seconds:
        start = time.perf_counter()
        run()
        elapsed = time.perf_counter() - start
        shortest, total = min(shortest, elapsed), total + elapsed
    return 1e3 * shortest


print(f"SciPy {scipy.__version__}, {a.nnz} entries: {best(lambda: transposed @ (a @ x)):.2f} ms per pair of products")
