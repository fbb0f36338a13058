"""Trajectories of the baselines, for tests/fedem/baselines.rs: python make_baselines.py (numpy only), writes baselines.json.

It shares nothing with the Rust code but the formulas in the head of each file of src/baselines; data and start are those of
g2_fedem.json (4 clients with 8 points each, G = 2, d = 2, known covariance). Draws are written down, so that both sides use them.
"""

import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
inputs = json.load(open(os.path.join(HERE, "g2_fedem.json")))["inputs"]
Y = np.array(inputs["Y"], dtype=float)  # clients x points x 2
Y = Y.reshape(4, 8, 2)
ALL = Y.reshape(-1, 2)
SIGMA = np.array(inputs["Sigma"], dtype=float).reshape(2, 2)
P = np.linalg.inv(SIGMA)
S0 = np.array(inputs["S0"], dtype=float).ravel()
N, n, q = len(ALL), 4, 6
rng = np.random.default_rng(20261122)


def T(s):
    """weights and means of a statistic (s1, s2 row by row)"""
    return s[:2] / s[:2].sum(), s[2:].reshape(2, 2) / s[:2, None]


def sbar(points, theta):
    """one row of q numbers per point"""
    pi, mu = theta
    logs = np.array([[np.log(pi[g]) - 0.5 * (y - mu[g]) @ P @ (y - mu[g]) for g in range(2)] for y in points])
    r = np.exp(logs - logs.max(axis=1, keepdims=True))
    r /= r.sum(axis=1, keepdims=True)
    return np.hstack([r, (r[:, :, None] * points[:, None, :]).reshape(len(points), 4)])


def mean(points, theta):
    return sbar(points, theta).mean(axis=0)


class Tie(Exception):
    """which coordinates are the largest is decided by rounding"""


def top(x, k):
    sizes = -np.sort(-np.abs(x))
    if sizes[k - 1] - sizes[k] < 1e-9 * sizes[0]:
        raise Tie
    keep = np.argsort(-np.abs(x), kind="stable")[:k]
    out = np.zeros_like(x)
    out[keep] = x[keep]
    return out


def bernoulli(x, u, p):
    return np.where(u < p, x / p, 0.0)


out = {}
K, b, gamma = 12, 5, 0.4
I = rng.integers(0, N, size=(K, b))
J = rng.integers(0, N, size=(K, b))
out["batches"], out["second_batches"] = J.tolist(), I.tolist()


def online(silent):
    s, theta, rows = S0.copy(), T(S0), []
    for k in range(K):
        s = s + gamma * (mean(ALL[J[k]], theta) - s)
        if k + 1 > silent:
            theta = T(s)
        rows.append(s.tolist())
    return rows


def sem_vr(refresh):
    s, rows = S0.copy(), []
    for k in range(K):
        theta = T(s)
        if k % refresh == 0:
            anchor, full = theta, mean(ALL, theta)
        s = s + gamma * (mean(ALL[J[k]], theta) - mean(ALL[J[k]], anchor) + full - s)
        rows.append(s.tolist())
    return rows


def iem():
    memory, s, rows = sbar(ALL, T(S0)), S0.copy(), []
    for k in range(K):
        theta = T(s)
        memory[J[k]] = sbar(ALL[J[k]], theta)
        s = memory.mean(axis=0)
        rows.append(s.tolist())
    return rows


def fiem(lam):
    memory, s, rows = sbar(ALL, T(S0)), S0.copy(), []
    for k in range(K):
        theta = T(s)
        memory[I[k]] = sbar(ALL[I[k]], theta)
        s = s + gamma * (mean(ALL[J[k]], theta) - s + lam * (memory.mean(axis=0) - memory[J[k]].mean(axis=0)))
        rows.append(s.tolist())
    return rows


out["online"], out["sem_vr"], out["iem"] = online(3), sem_vr(4), iem()
out["fiem"], out["fiem_half"] = fiem(1.0), fiem(0.5)


def fields(s):
    return np.array([mean(Y[i], T(s)) - s for i in range(n)])


def distributed():
    s, rows = S0.copy(), []
    for _ in range(K):
        s = np.mean([mean(Y[i], T(s)) for i in range(n)], axis=0)
        rows.append(s.tolist())
    return rows


def ef21(k_top, step):
    g, s, rows = fields(S0), S0.copy(), []
    for _ in range(K):
        g = g + np.array([top(x, k_top) for x in fields(s) - g])
        s = s + step * g.mean(axis=0)
        rows.append(s.tolist())
    return rows


uniforms = rng.random((K, n, q))
coins = [k in (0, 5, 6) for k in range(K)]
out["uniforms"], out["coins"] = uniforms.tolist(), coins


def without_ties(trajectory):
    """k and the trajectory of the first k without a tie: the weights' coordinates of a field are equal up to their sign, so that some
    k are decided by rounding, and which they are depends on the data"""
    for k in (2, 3, 4, 1, 5):
        try:
            return k, trajectory(k)
        except Tie:
            pass
    raise Tie("every k: draw other data")


def marina(p, step):
    s, last, h, rows = S0.copy(), None, None, []
    for k in range(K):
        now = fields(s)
        if coins[k]:
            h = now.mean(axis=0)
        else:
            h = h + np.mean([bernoulli(now[i] - last[i], uniforms[k, i], p) for i in range(n)], axis=0)
        s, last = s + step * h, now
        rows.append(s.tolist())
    return rows


def artemis(k_top, alpha, alpha_down, step):
    """identity on the uplink, whose memories then change nothing but rounding; Top-k and a memory D on the downlink"""
    s, d, v = S0.copy(), np.zeros(q), fields(S0)
    rows = []
    for _ in range(K):
        delta = fields(s) - v
        h = v.mean(axis=0) + delta.mean(axis=0)
        v = v + alpha * delta
        omega = top(h - d, k_top)
        s, d = s + step * (d + omega), d + alpha_down * omega
        rows.append(s.tolist())
    return rows


out["distributed"], out["marina"] = distributed(), marina(0.5, 0.3)
out["ef21_k"], out["ef21"] = without_ties(lambda k: ef21(k, 0.5))
out["artemis_k"], out["artemis"] = without_ties(lambda k: artemis(k, 0.5, 0.25, 0.5))


def fed_avg(local, rounds):
    theta, rows = T(S0), []
    for _ in range(rounds):
        ends = []
        for i in range(n):
            pi, mu = theta
            for _ in range(local):
                pi, mu = T(mean(Y[i], (pi, mu)))
            ends.append((pi, mu))
        theta = (np.mean([e[0] for e in ends], axis=0), np.mean([e[1] for e in ends], axis=0))
        rows.append(np.concatenate([theta[0], theta[1].ravel()]).tolist())
    return rows


out["fed_avg"] = fed_avg(3, 8)


def of_coordinates(x):
    w = np.exp(x[:2])
    return w / w.sum(), x[2:].reshape(2, 2)


def gradient(points, x, eps=1e-6):
    """by Richardson's differences of the log-likelihood: not by Fisher's identity"""

    def value(x):
        pi, mu = of_coordinates(x)
        norm = np.log(2 * np.pi) + 0.5 * np.log(np.linalg.det(SIGMA))
        logs = [[np.log(pi[g]) - 0.5 * (y - mu[g]) @ P @ (y - mu[g]) - norm for g in range(2)] for y in points]
        return np.mean(np.logaddexp.reduce(np.array(logs), axis=1))

    def difference(j, step):
        e = np.zeros(q)
        e[j] = step
        return (value(x + e) - value(x - e)) / (2 * step)

    return np.array([(4 * difference(j, 1e-3) - difference(j, 2e-3)) / 3 for j in range(q)])


def ascent(alpha, p, step):
    """DIANA from V = 0"""
    pi, mu = T(S0)
    x, v, rows = np.concatenate([np.log(pi), mu.ravel()]), np.zeros((n, q)), []
    for k in range(K):
        q_i = np.array([bernoulli(gradient(Y[i], x) - v[i], uniforms[k, i], p) for i in range(n)])
        x, v = x + step * (v.mean(axis=0) + q_i.mean(axis=0)), v + alpha * q_i
        rows.append(x.tolist())
    return rows


out["ascent"] = ascent(0.5, 0.5, 0.3)

with open(os.path.join(HERE, "baselines.json"), "w") as file:
    json.dump(out, file)
