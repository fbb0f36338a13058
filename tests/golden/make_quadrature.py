"""Log-likelihoods of small bi-factor models by brute force over all three factors, for models/tests/latent/bifactor.rs:
python make_quadrature.py (numpy, scipy), writes quadrature.json."""

import itertools
import json
import os

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, logsumexp

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20261125)
GROUPS = np.array([0, 0, 0, 1, 1, 1])
ITEMS, PERSONS, NODES = 6, 12, 48

x, w = np.polynomial.hermite_e.hermegauss(NODES)
log_w = np.log(w / w.sum())
theta = np.column_stack([rng.normal(size=ITEMS), 0.5 + rng.random(ITEMS), 0.4 + 0.6 * rng.random(ITEMS)])
z = rng.normal(size=(PERSONS, 3))
eta = theta[:, 0] + z[:, :1] * theta[:, 1] + z[:, 1:][:, GROUPS] * theta[:, 2]
y = (rng.random((PERSONS, ITEMS)) < expit(eta)).astype(int)

nodes = np.array(list(itertools.product(x, x, x)))
weights = np.array([a + b + c for a, b, c in itertools.product(log_w, log_w, log_w)])
grid = theta[:, 0] + nodes[:, :1] * theta[:, 1] + nodes[:, 1:][:, GROUPS] * theta[:, 2]
golden = {"groups": (GROUPS + 1).tolist(), "theta": theta.tolist(), "responses": y.tolist(), "log_likelihood": {}}
for law, yes, no in [("logit", log_expit, lambda e: log_expit(-e)), ("probit", log_ndtr, lambda e: log_ndtr(-e))]:
    ones, zeros = yes(grid), no(grid)
    golden["log_likelihood"][law] = sum(logsumexp(weights + np.where(row, ones, zeros).sum(axis=1)) for row in y)
with open(os.path.join(HERE, "quadrature.json"), "w") as file:
    json.dump(golden, file)
