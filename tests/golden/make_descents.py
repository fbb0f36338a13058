"""Gradient descent, EF21 and proximal gradient descent on a small table, for sim/protocols/tests/fedem/descents.rs:
python make_descents.py (numpy only), writes descents.json.

It shares nothing with the Rust code but the formulas: F(x) = mean log(1 + exp(-b a.x)) + g(x), rho = 1/L, EF21 (Richtarik,
Sokolov, Fatkhullin 2021, Algorithm 2) with the step rho, ISTA for squares with an l1 penalty. `python make_descents.py FILE`
prints the last values of the first two for a LIBSVM file (.gz), 20 clients in the order of the file, to compare runs with.
"""

import gzip
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def table():
    """4 clients with 15 examples of 6 columns and two classes, by a formula, rounded to six digits."""
    j, k = np.arange(60)[:, None], np.arange(6)[None, :]
    A = np.round(np.sin(0.37 * j * (k + 2) + k) + 0.3 * np.cos(j + k) + 0.2 * (k == 0), 6)
    noise = ((j[:, 0] * 29) % 17 - 8) / 8
    b = np.where(A[:, 0] - A[:, 2] + noise > 0.1, 1.0, -1.0)
    return A, b, np.repeat(np.arange(4), 15)


class Logistic:
    """lambda sum x^2/(1 + x^2) is a part of every client's loss."""

    def __init__(self, A, b, clients, lam):
        self.lam, self.parts = lam, [(A[clients == i], b[clients == i]) for i in range(clients.max() + 1)]
        self.weights = np.array([len(b_i) for _, b_i in self.parts]) / len(b)
        self.L = np.linalg.eigvalsh(A.T @ A / len(b))[-1] / 4 + 2 * lam

    def value(self, x):
        losses = [np.mean(np.logaddexp(0, -b * (A @ x))) for A, b in self.parts]
        return self.weights @ losses + self.lam * np.sum(x * x / (1 + x * x))

    def gradients(self, x):
        """Of f_i = n m_i / N times the mean loss of client i, so that f is the mean of the f_i."""
        penalty = 2 * self.lam * x / (1 + x * x) ** 2
        means = [A.T @ (-b / (1 + np.exp(b * (A @ x)))) / len(b) + penalty for A, b in self.parts]
        return len(means) * self.weights[:, None] * np.array(means)

    def gradient(self, x):
        return self.gradients(x).mean(axis=0)


def top(x, k):
    """The k largest entries, of equal ones the first."""
    order = np.argsort(-np.abs(x), kind="stable")
    out = np.zeros_like(x)
    out[order[:k]] = x[order[:k]]
    return out


def gradient_descent(problem, d, rounds):
    x = np.zeros(d)
    for _ in range(rounds):
        x = x - problem.gradient(x) / problem.L
        yield x


def ef21(problem, d, rounds, k):
    x = np.zeros(d)
    g = problem.gradients(x)
    for number in range(rounds):
        if number > 0:
            g = g + np.array([top(full - own, k) for full, own in zip(problem.gradients(x), g)])
        x = x - g.mean(axis=0) / problem.L
        yield x


def rows(problem, points):
    points = list(points)
    squares = [float(np.sum(problem.gradient(x) ** 2)) for x in points]
    return {"objective": [float(problem.value(x)) for x in points], "gradient_sq": squares, "x": points[-1].tolist()}


def lasso(A, b, lam, rounds):
    N = len(b)
    L = np.linalg.eigvalsh(A.T @ A / N)[-1]
    x, out = np.zeros(A.shape[1]), {"objective": [], "gradient_sq": []}
    prox = lambda s: np.sign(s) * np.maximum(np.abs(s) - lam / L, 0)
    forward = lambda x: prox(x - A.T @ (A @ x - b) / N / L)
    for _ in range(rounds):
        x = forward(x)
        out["objective"].append(float(np.sum((A @ x - b) ** 2) / (2 * N) + lam * np.abs(x).sum()))
        out["gradient_sq"].append(float(np.sum(((x - forward(x)) * L) ** 2)))
    return out | {"x": x.tolist(), "L": float(L)}


def libsvm(path):
    lines = [line.split() for line in gzip.open(path, "rt")]
    entries = [[entry.split(":") for entry in line[1:]] for line in lines]
    d = max(int(index) for line in entries for index, _ in line)
    A = np.zeros((len(lines), d))
    for j, line in enumerate(entries):
        for index, value in line:
            A[j, int(index) - 1] = float(value)
    labels = np.array([float(line[0]) for line in lines])
    return A, np.where(labels == labels.max(), 1.0, -1.0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        A, b = libsvm(sys.argv[1])
        # The first clients have one more where the number is no multiple, as `Contiguous` deals them.
        clients = np.concatenate([np.full(len(part), i) for i, part in enumerate(np.array_split(b, 20))])
        problem = Logistic(A, b, clients, 0.1)
        found = {"gd": gradient_descent(problem, A.shape[1], 20), "ef21": ef21(problem, A.shape[1], 20, 1)}
        for name, points in found.items():
            of = rows(problem, points)
            print(name, *(repr(of[column][-1]) for column in ["objective", "gradient_sq"]))
        sys.exit()
    A, b, clients = table()
    problem = Logistic(A, b, clients, 0.1)
    out = {"rows": A.tolist(), "b": b.tolist(), "clients": clients.tolist(), "L": float(problem.L)}
    out["gd"] = rows(problem, gradient_descent(problem, 6, 20))
    out["ef21"] = rows(problem, ef21(problem, 6, 20, 1))
    out["lasso"] = lasso(A, b, 0.05, 20)
    json.dump(out, open(os.path.join(HERE, "descents.json"), "w"))
