"""Trajectories of optimization algorithms, for sim/protocols/tests/optimization: python make_optimization.py (numpy only), writes
optimization.json.

It shares nothing with the Rust code but the formulas: f_i is the mean loss of client i, T = prox of rho times the penalty,
h_i(s) = T(s) - rho grad f_i(T(s)) - s. Without a penalty beside the ridge, which is part of f_i, h_i = -rho grad f_i, and what stands
below are the algorithms of their papers with the step rho gamma. Clients are weighted by w_i = n N_i / N. Data are formulas; draws are
written down, so that both sides use them. Before it writes, it checks that each algorithm ends where gradient descent ends.

| function | paper |
|---|---|
| scaffold | Karimireddy, Kale, Mohri, Reddi, Stich, Suresh: SCAFFOLD (ICML 2020), options I and II |
| proxskip | Mishchenko, Malinovsky, Stich, Richtarik: ProxSkip (ICML 2022), its form Scaffnew |
| locodl | Condat, Maranjyan, Richtarik: LoCoDL (ICLR 2025) |
| ef21 | Richtarik, Sokolov, Fatkhullin: EF21 (NeurIPS 2021); lazy: LAG and CLAG of Richtarik et al.: 3PC (ICML 2022); momentum: EF21-SGDM
         of Fatkhullin, Tyurin, Richtarik (NeurIPS 2023) |
| diana | Mishchenko, Gorbunov, Takac, Richtarik: DIANA (2019) |
| marina | Gorbunov, Burlachenko, Li, Richtarik: MARINA (ICML 2021) |
"""

import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


class Problem:
    """loss 0.5 (a x - y)^2 (squares) or log(1 + exp(-y a x)) (logistic, y = -1 or 1), ridge in f_i, l1 in T"""

    def __init__(self, loss, sizes, p, seed, rho, ridge, l1):
        self.loss, self.sizes, self.rho, self.ridge, self.l1 = loss, sizes, rho, ridge, l1
        total, self.n, self.q = sum(sizes), len(sizes), p

        def entry(j, k):
            return ((31 * j * j + 17 * k * k + 7 * j * k + 13 * j + 29 * k + seed) % 997) / 997 - 0.5

        self.rows = np.array([[2.0 * entry(j, k) for k in range(p)] for j in range(total)])
        last = np.array([entry(j, p) for j in range(total)])
        self.response = np.where(last > 0, 1.0, -1.0) if loss == "logistic" else 3.0 * last
        self.of = np.repeat(np.arange(self.n), sizes)
        self.w = self.n * np.array(sizes) / total
        self.start = np.array([0.5 - 0.25 * k for k in range(p)])

    def T(self, s):
        return np.sign(s) * np.maximum(np.abs(s) - self.rho * self.l1, 0.0)

    def gradient(self, x, rows):
        a, y = self.rows[rows], self.response[rows]
        score = a @ x
        slope = score - y if self.loss == "squares" else -y / (1.0 + np.exp(y * score))
        return a.T @ slope / len(a) + self.ridge * x

    def h(self, i, s, rows=None):
        x = self.T(s)
        return x - self.rho * self.gradient(x, np.flatnonzero(self.of == i) if rows is None else rows) - s

    def field(self, s):
        return sum(self.w[i] * self.h(i, s) for i in range(self.n)) / self.n

    def mean(self, vectors):
        return sum(self.w[i] * vectors[i] for i in range(self.n)) / self.n


PROBLEMS = {
    "ridge": Problem("squares", [3, 5, 7, 9], 5, 3, 0.5, 0.1, 0.0),
    "logistic": Problem("logistic", [10, 10, 10, 10], 4, 101, 1.0, 0.05, 0.0),
    "lasso": Problem("squares", [8, 6, 12], 6, 59, 0.4, 0.02, 0.05),
}


def scaffold(problem, rounds, steps, local, server, option, cohorts):
    x, c, c_i, trajectory = problem.start.copy(), np.zeros(problem.q), np.zeros((problem.n, problem.q)), []
    for k in range(rounds):
        moved, change, weight = np.zeros(problem.q), np.zeros(problem.q), 0.0
        for i in (i for i in cohorts[k % len(cohorts)] if i < problem.n):
            y = x.copy()
            for _ in range(steps):
                y = y + local * (problem.h(i, y) - c_i[i] + c)
            new = problem.h(i, x) if option == 1 else c_i[i] - c + (y - x) / (steps * local)
            moved, change = moved + problem.w[i] * (y - x), change + problem.w[i] * (new - c_i[i])
            weight, c_i[i] = weight + problem.w[i], new
        x, c = x + server * moved / weight, c + change / problem.n
        trajectory.append(x)
    return trajectory


def proxskip(problem, gamma, probability, numbers):
    x, u, trajectory = problem.start.copy(), np.zeros((problem.n, problem.q)), []
    for number in numbers:
        ends = []
        for i in range(problem.n):
            y = x.copy()
            for _ in range(number):
                y = y + gamma * (problem.h(i, y) + u[i])
            ends.append(y)
        x = problem.mean(ends)
        u = u + probability / gamma * (x - np.array(ends))
        trajectory.append(x)
    return trajectory


def bernoulli(x, uniforms, p):
    return np.where(uniforms < p, x / p, 0.0)


def locodl(problem, gamma, probability, chi, rho, sigma, keep, numbers, uniforms):
    """g = sigma/2 |s - s_0|^2 is known to all, and taken out of every f_i; the compressor keeps entries with probability `keep`"""
    omega = 1.0 / keep - 1.0
    x, u = np.tile(problem.start, (problem.n, 1)), np.zeros((problem.n, problem.q))
    y, v, trajectory = problem.start.copy(), np.zeros(problem.q), []
    rate = probability * chi / (gamma * (1.0 + 2.0 * omega))
    for k, number in enumerate(numbers):
        for _ in range(number):
            steps = [problem.h(i, x[i]) + sigma * (x[i] - problem.start) + u[i] for i in range(problem.n)]
            x, y = x + gamma * np.array(steps), y + gamma * (v - sigma * (y - problem.start))
        d = np.array([bernoulli(x[i] - y, uniforms[k, i], keep) for i in range(problem.n)])
        mean = problem.mean(d) / 2.0
        x = (1.0 - rho) * x + rho * (y + mean)
        u, y, v = u + rate * (mean - d), y + rho * mean, v + rate * mean
        trajectory.append(y)
    return trajectory


class Tie(Exception):
    """which coordinates are the largest is decided by rounding"""


def top(x, k):
    if k == len(x):
        return x
    sizes = -np.sort(-np.abs(x))
    if sizes[0] > 1e-13 and sizes[k - 1] - sizes[k] < 1e-9 * sizes[0]:
        raise Tie
    keep = np.argsort(-np.abs(x), kind="stable")[:k]
    out = np.zeros_like(x)
    out[keep] = x[keep]
    return out


def ef21(problem, rounds, step, k_top, momentum, lazy, batches):
    """V_i and v_i begin at h_i(S_0); returns who sent something beside the trajectory"""
    s = problem.start.copy()
    h = [problem.w[i] * problem.h(i, s) for i in range(problem.n)]
    memory, last, trajectory, sent = np.array(h), np.array(h), [], []
    for k in range(rounds):
        sent.append([])
        for i in range(problem.n):
            rows = None if batches is None else np.array(batches[k][i]) + np.searchsorted(problem.of, i)
            now = (1.0 - momentum) * last[i] + momentum * problem.w[i] * problem.h(i, s, rows)
            away, change = np.sum((now - memory[i]) ** 2), np.sum((now - last[i]) ** 2)
            if lazy == 0.0 or away > lazy * change:
                if away > 1e-16 and abs(away - lazy * change) < 1e-9 * away:
                    raise Tie
                memory[i] += top(now - memory[i], k_top)
                sent[-1].append(i)
            last[i] = now
        s = s + step * memory.mean(axis=0)
        trajectory.append(s)
    return trajectory, sent


def diana(problem, step, alpha, keep, uniforms):
    s, memory, trajectory = problem.start.copy(), np.zeros((problem.n, problem.q)), []
    for k in range(len(uniforms)):
        h = np.array([problem.w[i] * problem.h(i, s) for i in range(problem.n)])
        q = np.array([bernoulli(h[i] - memory[i], uniforms[k, i], keep) for i in range(problem.n)])
        s, memory = s + step * (memory.mean(axis=0) + q.mean(axis=0)), memory + alpha * q
        trajectory.append(s)
    return trajectory


def marina(problem, step, keep, coins, uniforms):
    s, last, direction, trajectory = problem.start.copy(), None, None, []
    for k, coin in enumerate(coins):
        h = np.array([problem.w[i] * problem.h(i, s) for i in range(problem.n)])
        if coin:
            direction = h.mean(axis=0)
        else:
            changes = [bernoulli(h[i] - last[i], uniforms[k, i], keep) for i in range(problem.n)]
            direction = direction + np.mean(changes, axis=0)
        s, last = s + step * direction, h
        trajectory.append(s)
    return trajectory


def gd(problem, step, rounds):
    s, trajectory = problem.start.copy(), []
    for _ in range(rounds):
        s = s + step * problem.field(s)
        trajectory.append(s)
    return trajectory


# Rounds that are written down.
SHOWN = (1, 2, 3, 10, 40)
ROUNDS = SHOWN[-1]
# What seed 1 of the simulator draws with probability 0.3 in each round: local steps before a message, MARINA's coins.
NUMBERS = [4, 1, 3, 3, 3, 1, 4, 3, 1, 10, 10, 8, 6, 1, 1, 5, 2, 2, 4, 2, 3, 4, 1, 8, 1, 1, 3, 4, 3, 3, 4, 1, 2, 4, 5, 2, 1, 3, 2, 5]
COINS = [k in (1, 2, 6, 9, 14, 15, 23, 25, 26, 32, 37) for k in range(1, ROUNDS + 1)]
COHORTS = [[0, 1, 3], [1, 2], [0, 3], [2], [0, 1, 2]]


def uniform(k, i, j):
    """of round k, client i, entry j, all from 0"""
    return ((17 * k + 31 * i + 7 * j + 13 * k * i + 3 * i * j + 11 * k * j + 5) % 101) / 101


def uniforms(problem, rounds):
    return np.array([[[uniform(k, i, j) for j in range(problem.q)] for i in range(problem.n)] for k in range(rounds)])


def batches(problem, rounds):
    return [[[(5 * k + 3 * i + 7 * b) % problem.sizes[i] for b in range(3)] for i in range(problem.n)] for k in range(rounds)]


def trajectories(problem, rounds, numbers):
    draws, everybody = uniforms(problem, rounds), [list(range(problem.n))]
    keep = 0.5
    rate = 1.0 / (1.0 + (1.0 / keep - 1.0) / problem.n)
    out = {
        "gd": gd(problem, 0.9, rounds),
        "scaffold_1": scaffold(problem, rounds, 3, 0.25, 0.75, 1, everybody),
        "scaffold_2": scaffold(problem, rounds, 3, 0.25, 0.75, 2, everybody),
        "scaffold_partial": scaffold(problem, rounds, 2, 0.2, 0.9, 2, COHORTS),
        "scaffold_partial_1": scaffold(problem, rounds, 2, 0.2, 0.9, 1, COHORTS),
        "proxskip": proxskip(problem, 0.8, 0.3, numbers),
        "locodl": locodl(problem, 0.8, 0.3, rate, rate, 0.02, keep, numbers, draws),
        "diana": diana(problem, 0.3, 0.5, keep, draws),
        "marina": marina(problem, 0.3, keep, (COINS * rounds)[:rounds], draws),
        "sgdm": ef21(problem, rounds, 0.3, 2, 0.4, 0.0, batches(problem, rounds))[0],
    }
    out["ef21"], _ = ef21(problem, rounds, 0.4, 2, 1.0, 0.0, None)
    out["lag"], out["lag_sent"] = ef21(problem, rounds, 0.4, problem.q, 1.0, 3.0, None)
    out["clag"], out["clag_sent"] = ef21(problem, rounds, 0.4, 2, 1.0, 2.0, None)
    return out


def check():
    """each ends where gradient descent ends, to rounding"""
    random = np.random.default_rng(5)
    for name, problem in PROBLEMS.items():
        end = gd(problem, 1.0, 20_000)[-1]
        runs = trajectories(problem, 1_500, random.geometric(0.3, size=1_500))
        for run in runs.keys() - {"sgdm", "lag_sent", "clag_sent"}:
            error = np.linalg.norm(runs[run][-1] - end)
            assert error < 1e-11, (name, run, error)


if __name__ == "__main__":
    check()
    golden = {"shown": SHOWN, "numbers": NUMBERS, "coins": COINS, "cohorts": COHORTS}
    for name, problem in PROBLEMS.items():
        runs = trajectories(problem, ROUNDS, NUMBERS)
        golden[name] = {run: rows if run.endswith("sent") else [rows[k - 1].tolist() for k in SHOWN] for run, rows in runs.items()}
    with open(os.path.join(HERE, "optimization.json"), "w") as file:
        json.dump(golden, file)
