"""Writes process.csv (a Gaussian process by scikit-learn: its parameters, the runs that were seen, and what is expected
of points on replicate 0) and improvement.csv (functions of the normal distribution by SciPy).

    pip install numpy scipy scikit-learn
    python3 make_process.py
"""

import math
import pathlib

import numpy as np
import sklearn
from scipy import integrate, special, stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

FOLDER = pathlib.Path(__file__).parent
# What process.rs adds to the noise.
LEAST_NOISE = 1e-6
LENGTHS, VARIANCE, SHARED, NOISE = [0.4, 0.9, 1.3, 0.6], 1.7, 0.2, 0.05


def encoded(numbers, choice, absent, replicate):
    """Two numbers, one of three choices as a simplex of side 1, a number that choice 0 does not have, the replicate."""
    simplex = [math.sqrt(0.5) * (choice == own) for own in range(3)]
    return [numbers[0], numbers[1], *simplex, 0.5 if absent else numbers[2], replicate]


def process():
    rng = np.random.default_rng(20)

    def point():
        numbers, choice = rng.uniform(size=3).round(4), int(rng.integers(3))
        words = [*map(str, numbers[:2]), str(choice), "-" if choice == 0 else str(numbers[2])]
        return numbers, choice, words

    lines, rows, values = [], [], []
    for run in range(25):
        # Every third run is another replicate of the point before.
        if run == 0 or run % 3:
            numbers, choice, words = point()
        replicate, value = run % 3, float(rng.normal())
        rows.append(encoded(numbers, choice, choice == 0, replicate))
        values.append(value)
        lines.append(",".join(["seen", *words, str(replicate), repr(value)]))
    rows, values = np.array(rows), np.array(values)
    lengths = [LENGTHS[0], LENGTHS[1], *[LENGTHS[2]] * 3, LENGTHS[3], 1e10]
    kernel = ConstantKernel(VARIANCE) * Matern(lengths, nu=2.5) + ConstantKernel(SHARED) * RBF([1e10] * 6 + [1e-3])
    inverse = np.linalg.inv(kernel(rows) + (NOISE + LEAST_NOISE) * np.eye(len(rows)))
    mean = inverse.sum(axis=0) @ values / inverse.sum()
    regressor = GaussianProcessRegressor(kernel, alpha=NOISE + LEAST_NOISE, optimizer=None).fit(rows, values - mean)
    for _ in range(20):
        numbers, choice, words = point()
        means, deviations = regressor.predict([encoded(numbers, choice, choice == 0, 0)], return_std=True)
        lines.append(",".join(["expected", *words, repr(float(means[0] + mean)), repr(float(deviations[0]))]))
    head = [f"# scikit-learn {sklearn.__version__}", f"density,{float(regressor.log_marginal_likelihood())!r}"]
    (FOLDER / "process.csv").write_text("\n".join(head + lines) + "\n")


def improvement():
    """log h(z), where h(z) = φ(z) ∫ t exp(t z − t²/2) dt over t > 0; log Φ(z); E[Y | Y > z]."""
    lines = ["# z, log h(z), log Phi(z), E[Y | Y > z]"]
    for z in [-300.0, -40.0, -12.5, -12.0, -11.5, -5.0, -1.5, -1.0, -0.5, 0.0, 0.3, 2.0, 6.0]:
        # In units in which the integrand is neither narrow nor wide.
        unit = 1 / max(1.0, -z)
        inside = integrate.quad(lambda t: t * math.exp(t * unit * z - (t * unit) ** 2 / 2 - max(z, 0) ** 2 / 2), 0, 60,
                                epsabs=0, epsrel=1e-13, limit=500)[0]
        log_h = math.log(inside) + 2 * math.log(unit) + stats.norm.logpdf(z) + max(z, 0) ** 2 / 2
        above = math.exp(stats.norm.logpdf(z) - special.log_ndtr(-z))
        lines.append(f"{z!r},{float(log_h)!r},{float(special.log_ndtr(z))!r},{above!r}")
    (FOLDER / "improvement.csv").write_text("\n".join(lines) + "\n")


process()
improvement()
