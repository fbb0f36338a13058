"""Trajectories of FedGMM for sim/protocols/tests/fedem/personalized.rs: python make_personalized.py (numpy only), writes personalized.json.

The model: p_i(y) = sum_g pi_ig N(y; mu_g, Sigma_g), components common, weights of each client (Wu et al., FedGMM, ICML 2023). `em` is
EM of this model written down directly, from responsibilities to new parameters, for four forms of the covariance; clients weigh by
their examples. `memories` is FedEM's recursion with partial participation: V_i follow what clients send at rate alpha, divisor n, step
gamma, and each client renews its weights from the responsibilities of the round in which it takes part. Until then it has the weights
of T(S), the mean over clients. Before it writes, it checks that EM never raises the objective and that it gets to rest.
"""

import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
G, D, SIZES = 3, 2, [9, 14, 8, 11, 10, 12, 7, 13, 9, 10, 15]
N, TOTAL = len(SIZES), sum(SIZES)
rng = np.random.default_rng(2305)
proportions = rng.dirichlet([0.6] * G, N)
centres = np.array([[-2.0, 0.0], [1.0, 1.5], [1.5, -2.0]])
of = np.repeat(np.arange(N), SIZES)
Y = np.round(np.array([centres[rng.choice(G, p=proportions[i])] for i in of]) + rng.normal(size=(TOTAL, D)), 6)
W = N * np.array(SIZES) / TOTAL
START = {"weights": [0.3, 0.3, 0.4], "means": [[-1.0, 0.0], [0.5, 1.0], [1.0, -1.0]], "sigma": [[1.2, 0.1], [0.1, 0.9]]}


def log_density(mean, sigma):
    z = np.linalg.solve(np.linalg.cholesky(sigma), (Y - mean).T)
    return -0.5 * (z**2).sum(0) - 0.5 * np.linalg.slogdet(sigma)[1] - 0.5 * D * np.log(2 * np.pi)


def e_step(pi, means, sigmas):
    """responsibilities and log p of every example, with the weights pi[i] of its client"""
    logs = np.stack([np.log(pi[of, g]) + log_density(means[g], sigmas[g]) for g in range(G)], 1)
    top = logs.max(1, keepdims=True)
    total = top[:, 0] + np.log(np.exp(logs - top).sum(1))
    return np.exp(logs - total[:, None]), total


def of_clients(values):
    return np.array([values[of == i].mean(0) for i in range(N)])


def sigmas_of(form, s1, s2, s3):
    """the covariances of all components, from means of sums over all examples"""
    if form == "known":
        return [np.array(START["sigma"])] * G
    means = s2 / s1[:, None]
    if form == "tied":
        return [Y.T @ Y / TOTAL - sum(s1[g] * np.outer(means[g], means[g]) for g in range(G))] * G
    full = [s3[g] / s1[g] - np.outer(means[g], means[g]) for g in range(G)]
    return full if form == "full" else [np.diag(np.diag(sigma)) for sigma in full]


def record(pi, means, sigmas):
    _, logs = e_step(pi, means, sigmas)
    each = -of_clients(logs)
    worst = np.sort(each)[::-1][: -(-N // 10)].mean()
    return {"pi": pi.tolist(), "means": means.tolist(), "sigmas": np.array(sigmas).tolist(), "objectives": each.tolist(),
            "objective": float((W * each).mean()), "worst_tenth": float(worst)}


def em(form, rounds):
    """from the statistic of the start, where all have its weights"""
    pi, means = np.tile(START["weights"], (N, 1)), np.array(START["means"])
    sigmas = [np.array(START["sigma"]) if form != "diagonal" else np.diag(np.diag(START["sigma"]))] * G
    rows = []
    for k in range(rounds + 1):
        r, _ = e_step(pi, means, sigmas)
        s1, s2 = r.mean(0), r.T @ Y / TOTAL
        s3 = np.einsum("jg,ja,jb->gab", r, Y, Y) / TOTAL
        # Before round 1 nobody has taken part: the weights of all are those of T(S).
        pi = of_clients(r) if k > 0 else np.tile(s1, (N, 1))
        means, sigmas = s2 / s1[:, None], sigmas_of(form, s1, s2, s3)
        rows.append(record(pi, means, sigmas))
    return rows


def memories(cohorts, rounds, alpha, gamma):
    form = "known"
    pi0, means, sigmas = np.tile(START["weights"], (N, 1)), np.array(START["means"]), [np.array(START["sigma"])] * G

    def statistics(pi, means, sigmas):
        r, _ = e_step(pi, means, sigmas)
        return np.concatenate([of_clients(r).reshape(N, -1), of_clients(r[:, :, None] * Y[:, None, :]).reshape(N, -1),
                               of_clients(np.einsum("jg,ja,jb->jgab", r, Y, Y)).reshape(N, -1)], 1)

    def unpack(s):
        s1, s2, s3 = s[:G], s[G: G + G * D].reshape(G, D), s[G + G * D:].reshape(G, D, D)
        return s1, s2 / s1[:, None], sigmas_of(form, s1, s2, s3)

    s_hat = (W[:, None] * statistics(pi0, means, sigmas)).mean(0)
    own, v_i, v, rows = {}, np.zeros((N, len(s_hat))), np.zeros(len(s_hat)), []
    for k in range(rounds):
        s1, means, sigmas = unpack(s_hat)
        pi = np.array([own.get(i, s1 / s1.sum()) for i in range(N)])
        s = statistics(pi, means, sigmas)
        cohort = cohorts[k % len(cohorts)]
        sent = {i: W[i] * (s[i] - s_hat) - v_i[i] for i in cohort}
        h = v + sum(sent.values()) / N
        for i in cohort:
            v_i[i] += alpha * sent[i]
            own[i] = s[i][:G]
        v = v + alpha / N * sum(sent.values())
        s_hat = s_hat + gamma * h
        s1, means, sigmas = unpack(s_hat)
        rows.append(record(np.array([own.get(i, s1 / s1.sum()) for i in range(N)]), means, sigmas))
    return rows


def sizes(row):
    return np.concatenate([np.ravel(row["pi"]), np.ravel(row["means"]), np.ravel(row["sigmas"])])


COHORTS = [[0, 3, 4, 8], [1, 2, 9], [4, 5, 6, 7, 8], [0, 1]]
FORMS = ["known", "tied", "diagonal", "full"]
out = {"sizes": SIZES, "rows": Y.tolist(), "start": START, "cohorts": COHORTS}
for form in FORMS:
    rows = em(form, 400)
    objectives = np.array([row["objective"] for row in rows])
    assert np.all(np.diff(objectives) <= 1e-14), form
    assert np.abs(sizes(rows[-1]) - sizes(rows[-2])).max() < 1e-4, form
    out[form] = rows[:13]
out["memories"] = memories(COHORTS, 12, 0.5, 0.3)
with open(os.path.join(HERE, "personalized.json"), "w") as file:
    json.dump(out, file)
