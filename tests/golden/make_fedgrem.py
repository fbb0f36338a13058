"""Trajectories of FedGrEM for sim/protocols/tests/fedem/personalized.rs: python make_fedgrem.py (numpy only), writes fedgrem.json.

Mixtures with covariance I, weights and means of each client (Tian, Weng and Feng, ICML 2024): E-step, weights = mean responsibilities,
a gradient step on the means with C_eta / w0, and the server's problem min over v, delta of sum 1/2 |mu - v - delta|^2 + threshold
sum |delta|, whose alternation is begun with v = mean and repeated `sweeps` times: 20 is the paper, 1 what its published code does.
The last client is an outlier. Before it writes, it checks that 20 sweeps come within 0.02 of the minimum
of the server's problem.
"""

import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
K, N, P, R = 5, 30, 3, 2
rng = np.random.default_rng(2310)
bar = np.array([[-1.5, 0.0, 1.0], [1.5, 1.0, -1.0]])
Y = np.round(np.array([bar[rng.choice(R, size=N, p=rng.dirichlet([5.0] * R))] + 0.3 * rng.normal(size=P) + rng.normal(size=(N, P))
                       for _ in range(K - 1)] + [2.5 + 2 * rng.normal(size=(N, P))]), 6)
START = {"weights": [0.4, 0.6], "means": [[-1.0, 0.0, 0.5], [1.0, 0.5, -0.5]]}
STEP, C, KAPPA = 0.95, 0.4, 0.1


def objective(v, delta, moved, threshold):
    return 0.5 * ((moved - v - delta) ** 2).sum() + threshold * np.linalg.norm(delta, axis=1).sum()


def shrink(moved, v, threshold):
    size = np.linalg.norm(moved - v, axis=1, keepdims=True)
    return np.maximum(1 - threshold / size, 0) * (moved - v)


def responsibilities(w, mu):
    logs = np.log(w)[:, None] - 0.5 * ((Y[:, :, None] - mu[:, None]) ** 2).sum(3)
    gamma = np.exp(logs - logs.max(2, keepdims=True))
    return gamma / gamma.sum(2, keepdims=True)


def fedgrem(sweeps, rounds, local_steps=0):
    w, mu = np.tile(START["weights"], (K, 1)), np.tile(START["means"], (K, 1, 1))
    for _ in range(local_steps):
        gamma = responsibilities(w, mu)
        w, mu = gamma.mean(1), np.einsum("kjr,kjp->krp", gamma, Y) / gamma.sum(1)[:, :, None]
    w0, lam, rows = w.copy(), 1.0, []
    for _ in range(rounds):
        gamma = responsibilities(w, mu)
        w = gamma.mean(1)
        gradient = np.array([[(gamma[k, :, r, None] * (mu[k, r] - Y[k])).mean(0) for r in range(R)] for k in range(K)])
        moved = mu - STEP / w0[:, :, None] * gradient
        lam = KAPPA * lam + C * np.sqrt(P + np.log(K))
        threshold = lam / np.sqrt(N)
        mu, common = np.empty_like(moved), []
        for r in range(R):
            v = moved[:, r].mean(0)
            delta = shrink(moved[:, r], v, threshold)
            for _ in range(sweeps):
                v = (moved[:, r] - delta).mean(0)
                delta = shrink(moved[:, r], v, threshold)
            best_v, best = v, delta
            for _ in range(5_000):
                best_v = (moved[:, r] - best).mean(0)
                best = shrink(moved[:, r], best_v, threshold)
            gap = objective(v, delta, moved[:, r], threshold) - objective(best_v, best, moved[:, r], threshold)
            assert -1e-9 < gap < (0.02 if sweeps == 20 else 1.0), gap
            mu[:, r] = v + delta
            common.append(v)
        logs = np.log(w)[:, None] - 0.5 * ((Y[:, :, None] - mu[:, None]) ** 2).sum(3) - 0.5 * P * np.log(2 * np.pi)
        objectives = -np.log(np.exp(logs).sum(2)).mean(1)
        rows.append({"w": w.tolist(), "mu": mu.tolist(), "v": np.array(common).tolist(), "objectives": objectives.tolist()})
    return rows


out = {"rows": Y.reshape(-1, P).tolist(), "start": START, "step": STEP, "penalty": C, "decay": KAPPA,
       "paper": fedgrem(20, 15), "code": fedgrem(1, 15), "fitted_alone": fedgrem(20, 15, 4)}
assert np.abs(np.array(out["paper"][-1]["mu"]) - np.array(out["code"][-1]["mu"])).max() > 1e-3
with open(os.path.join(HERE, "fedgrem.json"), "w") as file:
    json.dump(out, file)
