#!/usr/bin/env python3
"""Time of one EM iteration of scikit-learn's GaussianMixture on one thread, beside `cargo bench -p fedbits-models --bench estep`.

Same shape: N = 70 000 observations, d = 20, G = 10, full covariances. Prints nanoseconds per observation and
component. Needs numpy and scikit-learn and installs nothing. An iteration here is scikit-learn's E-step and M-step,
as in its `fit` (the statistics are computed in its M-step).
"""
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

try:
    import numpy as np
    import sklearn
    from sklearn.mixture import GaussianMixture
except ImportError as error:
    sys.exit(f"not measured: {error}")


def main(n=70_000, d=20, g=10, repetitions=7):
    random = np.random.default_rng(42)
    centres = np.zeros((g, d))
    for k in range(g):
        centres[k, k::10] = 2.0
    y = centres[np.arange(n) % g] + 6.0 * (random.random((n, d)) + random.random((n, d)) - 1.0)
    covariance = np.full((d, d), 0.3) + 4.7 * np.eye(d)
    mixture = GaussianMixture(
        g,
        covariance_type="full",
        weights_init=np.full(g, 1.0 / g),
        means_init=centres,
        precisions_init=np.repeat(np.linalg.inv(covariance)[None], g, axis=0),
    )
    mixture._initialize_parameters(y, np.random.RandomState(0))
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        _, log_responsibilities = mixture._e_step(y)
        mixture._m_step(y, log_responsibilities)
        times.append(time.perf_counter() - start)
    best = min(times)
    print(f"scikit-learn {sklearn.__version__}, one thread, N = {n}, d = {d}, G = {g}, full")
    print(f"{best * 1e9 / (n * g):.1f} ns per observation and component ({best * 1e3:.0f} ms per iteration, best of {repetitions})")


if __name__ == "__main__":
    main()
