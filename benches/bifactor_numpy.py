"""Maximum likelihood of the bi-factor models by EM with Gauss-Hermite quadrature (Gibbons and Hedeker 1992), in numpy, beside what
runs of `papers/flsaem-bifactor` found.

    python benches/bifactor_numpy.py DATA/irt/sat12_scored.csv RUNS …     (reads plan.json and loadings.csv of every folder)

Given the general factor the groups are independent, so that two dimensions of nodes are enough however many groups there are.
Prints the maximum and, for every arm, -2 log-likelihood at its loadings (by quadrature) and the largest and root-mean-square
difference of a loading or intercept from the maximum's. Needs numpy, pandas, scipy.
"""
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit, log_ndtr

NODES = 21


def nodes():
    x, w = np.polynomial.hermite_e.hermegauss(NODES)
    return x, np.log(w / w.sum())


def log_probabilities(law, eta):
    if law == "logit":
        return -np.logaddexp(0, -eta), -np.logaddexp(0, eta)
    return log_ndtr(eta), log_ndtr(-eta)


def e_step(law, y, groups, theta):
    """(log-likelihood, per item the expected persons and successes at every pair of nodes, the pairs)."""
    x, log_w = nodes()
    z0, zg = (v.ravel() for v in np.meshgrid(x, x, indexing="ij"))
    within, joint = {}, {}
    for g in np.unique(groups):
        items = np.flatnonzero(groups == g)
        eta = theta[items, :1] + theta[items, 1:2] * z0 + theta[items, 2:] * zg
        yes, no = log_probabilities(law, eta)
        joint[g] = (y[:, items] @ yes + (1 - y[:, items]) @ no).reshape(len(y), NODES, NODES) + log_w
        within[g] = np.logaddexp.reduce(joint[g], 2)
    total = log_w + sum(within.values())
    log_likelihood = np.logaddexp.reduce(total, 1)
    expected = {}
    for g in within:
        # p(z0, zg | y): the other groups only through z0.
        posterior = np.exp((total - within[g] - log_likelihood[:, None])[:, :, None] + joint[g]).reshape(len(y), -1)
        for j in np.flatnonzero(groups == g):
            expected[j] = (posterior.sum(0), y[:, j] @ posterior)
    return log_likelihood.sum(), expected, np.column_stack([np.ones_like(z0), z0, zg])


def m_step(law, theta, expected, u):
    theta = theta.copy()
    for j, (persons, successes) in expected.items():
        for _ in range(5):
            eta = u @ theta[j]
            if law == "logit":
                p = expit(eta)
                score, weight = successes - persons * p, persons * p * (1 - p)
            else:
                p = np.clip(np.exp(log_ndtr(eta)), 1e-12, 1 - 1e-12)
                slope = np.exp(-eta * eta / 2) / np.sqrt(2 * np.pi)
                score, weight = (successes - persons * p) * slope / (p * (1 - p)), persons * slope**2 / (p * (1 - p))
            step = np.linalg.solve(u.T @ (weight[:, None] * u), u.T @ score)
            theta[j] += step * min(1, 1 / np.abs(step).max())
    return theta


def fit(law, y, groups, iterations=3000):
    theta = np.tile([0.0, 0.7, 0.5], (y.shape[1], 1))
    before = -np.inf
    for _ in range(iterations):
        value, expected, u = e_step(law, y, groups, theta)
        if value - before < 1e-5:
            break
        before, theta = value, m_step(law, theta, expected, u)
    return theta, value


def main(path, folders):
    y = pd.read_csv(path).values.astype(float)
    maxima = {}
    for folder in folders:
        table = pd.read_csv(Path(folder) / "loadings.csv", keep_default_na=False, na_values=[""])
        for arm in json.loads((Path(folder) / "plan.json").read_text())["arms"]:
            loadings = table[table.arm == arm["name"]]
            loadings = loadings[loadings.replicate == loadings.replicate.min()]
            if ("variance" in loadings and loadings.variance.notna().any()) or len(loadings) != y.shape[1]:
                continue
            groups, theta = loadings.group.values, loadings[["intercept", "general", "specific"]].values
            law = "probit" if "law: Probit" in arm["scenario_text"] else "logit"
            if law not in maxima:
                maxima[law] = fit(law, y, groups)
                best = maxima[law][0]
                print(f"{law}: maximum -2LL {-2 * maxima[law][1]:.2f}; mean general loading {best[:, 1].mean():.4f}", flush=True)
                print(pd.DataFrame(best.round(3), columns=["intercept", "general", "specific"]).T.to_string(header=False))
            best, _ = maxima[law]
            signs = np.ones_like(best)
            signs[:, 1] = np.sign(best[0, 1])
            for g in np.unique(groups):
                signs[groups == g, 2] = np.sign(best[np.flatnonzero(groups == g)[0], 2])
            difference = theta - best * signs
            value, _, _ = e_step(law, y, groups, theta)
            print(f"{arm['name']}: -2LL {-2 * value:.2f}, difference at most {np.abs(difference).max():.3f},"
                  f" root mean square {np.sqrt((difference**2).mean()):.4f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
