#!/usr/bin/env python3
"""FedEM rounds in NumPy, all clients of a round in one batch, for the shapes of `cargo bench --bench fedem_round`.

    python3 benches/fedem_numpy.py

One thread. The same mathematics (minibatch E-steps, memories, dithering or rand-k, the server's step) and nothing else: no network, no
events, no bits, no records. Prints microseconds of a round for each shape, the least of five repetitions. Needs numpy.
"""
import os
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np

CLIENTS, BATCH, EXAMPLES = 100, 20, 20_000


def problem(d, components, random):
    """Examples of a mixture whose components lie apart, and its means."""
    means = np.array([[(7 * g + 3 * j) % 11 - 5.0 for j in range(d)] for g in range(components)])
    labels = random.integers(0, components, EXAMPLES)
    return means[labels] + random.standard_normal((EXAMPLES, d)), means


def batches(random, clients):
    """Numbers of the examples of these clients' batches, drawn with replacement."""
    size = EXAMPLES // CLIENTS
    return (clients[:, None] * size + random.integers(0, size, (len(clients), BATCH))).ravel()


class Full:
    """Weights, means and full covariances; s = (r, r y, lower triangle of r y yᵀ)."""

    def __init__(self, y, means):
        self.g, self.d = means.shape
        self.lower = np.tril_indices(self.d)
        self.products = y[:, self.lower[0]] * y[:, self.lower[1]]
        weight = 1.0 / self.g
        second = [(weight * (np.eye(self.d) + np.outer(m, m)))[self.lower] for m in means]
        self.start = np.concatenate([np.full(self.g, weight), (weight * means).ravel(), np.ravel(second)])

    def statistics(self, s, y, rows):
        g, d = self.g, self.d
        weights, means, second = s[:g], s[g:g + g * d].reshape(g, d) / s[:g, None], s[g + g * d:].reshape(g, -1)
        covariance = np.zeros((g, d, d))
        covariance[:, self.lower[0], self.lower[1]] = covariance[:, self.lower[1], self.lower[0]] = second / weights[:, None]
        covariance -= means[:, :, None] * means[:, None, :]
        whiten = np.linalg.inv(np.linalg.cholesky(covariance))
        offset = np.log(weights) + np.log(np.diagonal(whiten, axis1=1, axis2=2)).sum(1)
        z = (y[rows] @ whiten.reshape(g * d, d).T).reshape(-1, g, d) - np.einsum("gij,gj->gi", whiten, means)
        r = responsibilities(offset - 0.5 * (z * z).sum(2)).reshape(-1, BATCH, g).transpose(0, 2, 1) / BATCH
        parts = [r.sum(2), r @ y[rows].reshape(-1, BATCH, d), r @ self.products[rows].reshape(-1, BATCH, self.products.shape[1])]
        return np.concatenate([part.reshape(len(r), -1) for part in parts], axis=1)


class Shared:
    """Weights and means with one covariance, known (`identity`) or such that covariance and means give all second moments (tied)."""

    def __init__(self, y, means, identity):
        self.g, self.d = means.shape
        self.second = None if identity else y.T @ y / len(y)
        weight = 1.0 / self.g
        self.start = np.concatenate([np.full(self.g, weight), (weight * means).ravel()])

    def statistics(self, s, y, rows):
        g, d = self.g, self.d
        weights, means = s[:g], s[g:].reshape(g, d) / s[:g, None]
        covariance = np.eye(d) if self.second is None else self.second - (weights[:, None] * means).T @ means
        whiten = np.linalg.inv(np.linalg.cholesky(covariance))
        centres = means @ whiten.T
        r = responsibilities((y[rows] @ whiten.T) @ centres.T + np.log(weights) - 0.5 * (centres * centres).sum(1))
        r = r.reshape(-1, BATCH, g).transpose(0, 2, 1) / BATCH
        return np.concatenate([r.sum(2), (r @ y[rows].reshape(-1, BATCH, d)).reshape(len(r), -1)], axis=1)


def responsibilities(logarithms):
    r = np.exp(logarithms - logarithms.max(1, keepdims=True))
    return r / r.sum(1, keepdims=True)


def dithering(difference, random, levels=4):
    """Each row on `levels` levels of its Euclidean norm, without bias."""
    norm = np.sqrt(np.einsum("ij,ij->i", difference, difference))[:, None]
    return np.copysign(np.floor(np.abs(difference) * (levels / norm) + random.random(difference.shape)), difference) * (norm / levels)


def rand_k(difference, random, k=3):
    """k coordinates of each row, scaled to be without bias."""
    kept = np.argsort(random.random(difference.shape), 1)[:, :k]
    out = np.zeros_like(difference)
    np.put_along_axis(out, kept, np.take_along_axis(difference, kept, 1) * (difference.shape[1] / k), 1)
    return out


def microseconds(model, y, rounds, participation, compress, alpha, gamma):
    """Of a round; the clients' memories start at 0."""
    random = np.random.default_rng(2)
    s = model.start.copy()
    memories, memory = np.zeros((CLIENTS, len(s))), np.zeros(len(s))
    start = time.perf_counter()
    for _ in range(rounds):
        cohort = np.flatnonzero(random.random(CLIENTS) < participation)
        local = model.statistics(s, y, batches(random, cohort))
        message = compress(local - s - memories[cohort], random)
        memories[cohort] += alpha * message
        total = message.sum(0) / (CLIENTS * participation)
        s = s + gamma * (memory + total)
        memory = memory + alpha * participation * total
    return (time.perf_counter() - start) / rounds * 1e6


def main():
    random = np.random.default_rng(1)
    y, means = problem(20, 10, random)
    flat, two = problem(2, 2, random)
    shapes = {
        "tied": (Shared(y, means, False), y, 60, 1.0, dithering, 0.2, 1e-5),
        "full": (Full(y, means), y, 30, 1.0, dithering, 0.1, 1e-5),
        "synthetic": (Shared(flat, two, True), flat, 400, 0.75, rand_k, 0.5, 0.01),
    }
    for name, arguments in shapes.items():
        print(f"{name:<10} {min(microseconds(*arguments) for _ in range(5)):10.1f} µs a round")


main()
