#!/usr/bin/env python3
"""Points of SciPy's Sobol sequence (Joe and Kuo's direction numbers) and its normal quantiles, for the searches of
studies.

    pip install numpy scipy
    python3 make_sobol.py

writes sobol.csv (index, then 32 coordinates in units of 2^-32) and normal_quantiles.csv (share, quantile) beside
itself."""

from pathlib import Path

import numpy as np
import scipy
from scipy.stats import norm, qmc

FOLDER = Path(__file__).parent


def sobol():
    points = qmc.Sobol(32, scramble=False, bits=32).random_base2(10)
    chosen = list(range(80)) + list(range(100, 1024, 37)) + [1023]
    lines = [f"# SciPy {scipy.__version__}: index, coordinates of Sobol(32, scramble=False, bits=32) in units of 2^-32"]
    for index in chosen:
        whole = [int(x * 2**32) for x in points[index]]
        lines.append(",".join(map(str, [index, *whole])))
    (FOLDER / "sobol.csv").write_text("\n".join(lines) + "\n")


def quantiles():
    shares = [1e-300, 1e-20, 1e-9, 1e-4, 0.01, 0.025, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.975, 0.999]
    shares += [float(x) for x in np.random.default_rng(1).uniform(size=30)]
    lines = [f"# SciPy {scipy.__version__}: share, norm.ppf(share)"]
    lines += [f"{share!r},{float(norm.ppf(share))!r}" for share in shares]
    (FOLDER / "normal_quantiles.csv").write_text("\n".join(lines) + "\n")


sobol()
quantiles()
