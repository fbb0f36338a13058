"""SAEM in numpy, for comparison with `cargo bench --bench saem`: the same algorithm, vectorized over subjects.

    python benches/saem_numpy.py DATA_FOLDER

K1 = 200, K2 = 100, one chain, 2 proposals from the prior, 2 sweeps of one component at a time, 2 steps of all components, steps
adapted to an acceptance of 0.4. Prints milliseconds of a fit (least of 5) and the estimate. Needs numpy and pandas.
"""
import sys
import time

import numpy as np
import pandas as pd


def padded(groups):
    """(subjects x most observations) arrays of times, values and a mask."""
    most = max(len(t) for t, _ in groups)
    t, y, mask = (np.zeros((len(groups), most)) for _ in range(3))
    for i, (ti, yi) in enumerate(groups):
        t[i, : len(ti)], y[i, : len(yi)], mask[i, : len(ti)] = ti, yi, 1
    return t, y, mask


def line(z, t, _):
    return z[:, :1] + z[:, 1:2] * t


def oral(z, t, dose):
    ka, v, cl = (np.exp(z[:, j : j + 1]) for j in range(3))
    k = cl / v
    return dose[:, None] * ka / (v * (ka - k)) * (np.exp(-k * t) - np.exp(-ka * t))


def saem(curve, t, y, mask, dose, mu, omega, s2, diagonal, seed, k1=200, k2=100):
    rng = np.random.default_rng(seed)
    n, p = len(t), len(mu)
    total = mask.sum()
    z = np.tile(mu, (n, 1))
    s = [mu, omega + np.outer(mu, mu), s2]
    scale = np.zeros((n, p + 1))

    def likelihood(z):
        with np.errstate(all="ignore"):
            value = -(mask * (y - curve(z, t, dose)) ** 2).sum(1) / (2 * s2)
        return np.where(np.isfinite(value), value, -np.inf)

    def prior(z, inverse):
        d = z - mu
        return -0.5 * np.einsum("ij,jk,ik->i", d, inverse, d)

    for r in range(1, k1 + k2 + 1):
        inverse, root = np.linalg.inv(omega), np.linalg.cholesky(omega)
        rate = r**-0.6 if r <= 100 else 0.0
        here, log_prior = likelihood(z), prior(z, inverse)
        for _ in range(2):
            proposal = mu + rng.standard_normal((n, p)) @ root.T
            there = likelihood(proposal)
            yes = np.log(rng.random(n)) < there - here
            z[yes], here[yes], log_prior[yes] = proposal[yes], there[yes], prior(proposal[yes], inverse)
        moves = [[j] for _ in range(2) for j in range(p)] + [list(range(p))] * 2
        for which in moves:
            at = which[0] if len(which) == 1 and p > 1 else p
            step = 0.5 * np.sqrt(np.diag(omega))[which] * np.exp(scale[:, at : at + 1])
            proposal = z.copy()
            proposal[:, which] += step * rng.standard_normal((n, len(which)))
            there, new_prior = likelihood(proposal), prior(proposal, inverse)
            ratio = np.minimum(0, there + new_prior - here - log_prior)
            yes = np.log(rng.random(n)) < ratio
            z[yes], here[yes], log_prior[yes] = proposal[yes], there[yes], new_prior[yes]
            scale[:, at] += rate * (np.exp(ratio) - 0.4)
        g = 1 if r <= k1 else 1 / (r - k1)
        new = [z.mean(0), z.T @ z / n, (mask * (y - curve(z, t, dose)) ** 2).sum() / total]
        s = [a + g * (b - a) for a, b in zip(s, new)]
        mu, s2 = s[0], s[2]
        omega = s[1] - np.outer(mu, mu)
        if diagonal:
            omega = np.diag(np.diag(omega))
    return mu, omega, s2


def report(name, *arguments):
    times = []
    for seed in range(5):
        start = time.perf_counter()
        mu, omega, s2 = saem(*arguments, seed)
        times.append(time.perf_counter() - start)
    print(f"{name}: {min(times) * 1e3:.1f} ms  mean {mu}  sd {np.sqrt(np.diag(omega))}  sigma {np.sqrt(s2):.4f}")


def main(folder):
    boys = pd.read_csv(f"{folder}/oxboys/Oxboys.csv")
    t, y, mask = padded([(g.age.values, g.height.values) for _, g in boys.groupby("Subject")])
    report("Oxboys", line, t, y, mask, None, np.array([140.0, 1.0]), np.diag([100.0, 100.0]), 1.0, False)
    pk = pd.read_csv(f"{folder}/warfarin/warfarin_nlmixr2data.csv")
    dose = pk[pk.amt > 0].groupby("id").amt.first().values
    rows = pk[(pk.dvid == "cp") & (pk.amt == 0)]
    t, y, mask = padded([(g.time.values, g.dv.values) for _, g in rows.groupby("id")])
    start = np.log([3.0, 3.0, 0.1])
    report("warfarin", oral, t, y, mask, dose, start, np.eye(3), 1.0, True)


if __name__ == "__main__":
    main(sys.argv[1])
