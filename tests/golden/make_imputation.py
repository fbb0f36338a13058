"""Low-rank matrices fitted in one place by other means, for tests/fedem/imputation.rs: python make_imputation.py (numpy, scipy).

minimize over U (J x r), V (L x r):  sum over observed cells of psi(theta) - x theta  +  lambda/2 (|U|^2 + |V|^2),  theta = U V'

by L-BFGS from several starts: no EM, no singular values. lambda/2 (|U|^2 + |V|^2) is lambda times the nuclear norm at the minimum,
so this is the problem of FedMissEM with one matrix. Writes imputation.json: observations with the server that holds them, held-out
observations, and the root mean squared error of the fit's means on those.
"""

import json
import os

import numpy as np
from scipy.optimize import minimize

HERE = os.path.dirname(os.path.abspath(__file__))
J, L, R, SERVERS, SEEN, HELD = 40, 30, 2, 5, 700, 200
PSI = {
    "gaussian": (lambda t: t * t / 2, lambda t: t),
    "poisson": (lambda t: np.exp(np.minimum(t, 30)), lambda t: np.exp(np.minimum(t, 30))),
}


def problem(family, rng):
    if family == "gaussian":
        theta = 3 + rng.normal(size=(J, 1)) + 0.8 * rng.normal(size=(J, 1)) * rng.normal(size=(1, L))
        draw = lambda t: t + rng.normal(size=t.shape)
    else:
        theta = 1.2 + 0.6 * rng.normal(size=(J, 1)) + 0.4 * rng.normal(size=(J, 1)) * rng.normal(size=(1, L))
        draw = lambda t: rng.poisson(np.exp(t)).astype(float)
    cells = rng.permutation(J * L)[: SEEN + HELD]
    values = draw(theta.ravel()[cells])
    return cells, values


def fit(family, cells, values, lam, rng):
    psi, mean = PSI[family]
    j, l = cells // L, cells % L

    def objective(z):
        u, v = z[: J * R].reshape(J, R), z[J * R :].reshape(L, R)
        theta = (u[j] * v[l]).sum(axis=1)
        slope = mean(theta) - values
        du, dv = lam * u, lam * v
        np.add.at(du, j, slope[:, None] * v[l])
        np.add.at(dv, l, slope[:, None] * u[j])
        value = (psi(theta) - values * theta).sum() + lam / 2 * (z * z).sum()
        return value, np.concatenate([du.ravel(), dv.ravel()])

    best = None
    for _ in range(8):
        start = 0.5 * rng.normal(size=(J + L) * R)
        found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-13})
        if best is None or found.fun < best.fun:
            best = found
    u, v = best.x[: J * R].reshape(J, R), best.x[J * R :].reshape(L, R)
    return best.fun, u @ v.T


out = {"sites": J, "times": L, "rank": R, "servers": SERVERS, "problems": []}
for number, (family, lam) in enumerate([("gaussian", 2.0), ("poisson", 2.0)]):
    rng = np.random.default_rng(100 + number)
    cells, values = problem(family, rng)
    seen, held = (cells[:SEEN], values[:SEEN]), (cells[SEEN:], values[SEEN:])
    value, theta = fit(family, *seen, lam, rng)
    error = PSI[family][1](theta.ravel()[held[0]]) - held[1]
    out["problems"].append(
        {
            "family": family,
            "lambda": lam,
            "seen": [[int(c), float(x), int(s)] for c, x, s in zip(*seen, rng.integers(0, SERVERS, SEEN))],
            "held_out": [[int(c), float(x)] for c, x in zip(*held)],
            "objective": value,
            "rmse": float(np.sqrt((error * error).mean())),
        }
    )
    spread = np.std(held[1])
    print(f"{family}: objective {value:.6f}, held-out error {out['problems'][-1]['rmse']:.4f} (spread {spread:.4f})")
with open(os.path.join(HERE, "imputation.json"), "w") as file:
    json.dump(out, file)
