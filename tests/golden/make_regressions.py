"""Trajectories of EM for mixtures of regressions with a label per client, for models/tests/regressions.rs: python make_regressions.py
(numpy only), writes regressions.json.

It works on the points themselves: the posterior of a client's label from the product of the densities of all its points, then pooled
weighted least squares over all points (arXiv 2408.05819). Clients have different numbers of points, some fewer than covariates.
"""

import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
K, P, SIZES = 2, 3, [1, 2, 5, 3, 8, 4, 2, 6, 7, 3, 4, 5]
rng = np.random.default_rng(2408)
betas = np.array([[1.0, -0.5, 0.3], [-0.4, 0.8, 1.0]])
clients = []
for i, n in enumerate(SIZES):
    x = np.round(rng.normal(size=(n, P)), 6)
    clients.append((x, np.round(x @ betas[i % K] + 0.7 * rng.normal(size=n), 6)))
START = {"weights": [0.6, 0.4], "coefficients": [[0.5, 0.0, 0.2], [0.0, 0.3, 0.6]], "variance": 1.5}
KNOWN = 0.8


def em(estimated, rounds):
    pi, beta, variance = np.array(START["weights"]), np.array(START["coefficients"]), START["variance"]
    rows = []
    for _ in range(rounds):
        if not estimated:
            variance = KNOWN**2
        logs = np.array([[np.log(pi[k]) - 0.5 * len(y) * np.log(2 * np.pi * variance) - ((y - x @ beta[k]) ** 2).sum() / (2 * variance)
                          for k in range(K)] for x, y in clients])
        top = logs.max(1, keepdims=True)
        total = top[:, 0] + np.log(np.exp(logs - top).sum(1))
        rows.append({"theta": [*pi, *beta.ravel(), *([variance] if estimated else [])], "objective": -total.mean()})
        w = np.exp(logs - total[:, None])
        pi = w.mean(0)
        each = np.concatenate([np.repeat(w[i][None], len(y), 0) for i, (_, y) in enumerate(clients)])
        X, Y = np.concatenate([x for x, _ in clients]), np.concatenate([y for _, y in clients])
        beta = np.array([np.linalg.solve(X.T @ (each[:, k:k + 1] * X), X.T @ (each[:, k] * Y)) for k in range(K)])
        variance = sum((each[:, k] * (Y - X @ beta[k]) ** 2).sum() for k in range(K)) / len(Y)
    objectives = [row["objective"] for row in rows]
    assert np.all(np.diff(objectives) <= 1e-14)
    return rows


out = {"start": START, "known": KNOWN, "clients": [{"x": x.tolist(), "y": y.tolist()} for x, y in clients],
       "estimated_noise": em(True, 40), "known_noise": em(False, 40)}
with open(os.path.join(HERE, "regressions.json"), "w") as file:
    json.dump(out, file)
