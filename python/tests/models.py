"""Models and compressors that the tests bring."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class DiagonalMixture:
    """A mixture of G Gaussians with diagonal covariances: the same mathematics as the program's own."""

    def __init__(self, G: int, d: int) -> None:
        self.G = G
        self.d = d

    def _split(self, v: Array) -> tuple[Array, Array, Array]:
        G, d = self.G, self.d
        return v[:G], v[G : G + G * d].reshape(G, d), v[G + G * d :].reshape(G, d)

    def _posterior(self, theta: Array, X: Array) -> tuple[Array, Array]:
        weights, means, variances = self._split(theta)
        logs = np.log(weights) - 0.5 * np.log(2 * math.pi * variances).sum(axis=1)
        logs = logs - 0.5 * ((X[:, None, :] - means) ** 2 / variances).sum(axis=2)
        largest = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - largest)
        total = shares.sum(axis=1, keepdims=True)
        return shares / total, -(largest + np.log(total))[:, 0]

    def statistics(self, theta: Array, X: Array) -> Array:
        shares, _ = self._posterior(theta, X)
        first = shares[:, :, None] * X[:, None, :]
        N = len(X)
        return np.concatenate([shares, first.reshape(N, -1), (first * X[:, None, :]).reshape(N, -1)], axis=1)

    def maximize(self, S: Array) -> Array:
        weights, first, second = self._split(S)
        if (weights <= 0).any():
            raise ValueError("a component has no weight")
        means = first / weights[:, None]
        variances = second / weights[:, None] - means**2
        if (variances <= 0).any():
            raise ValueError("a variance is not positive")
        return np.concatenate([weights / weights.sum(), means.ravel(), variances.ravel()])

    def objective(self, theta: Array, X: Array) -> Array:
        return self._posterior(theta, X)[1]


class PoissonMixture:
    """A mixture of two Poisson laws, by rows or by means."""

    parameter_names = ("weight_0", "weight_1", "rate_0", "rate_1")

    def __init__(self, by_rows: bool = True) -> None:
        self.by_rows = by_rows

    def initial(self, X: Array, rng: np.random.Generator) -> Array:
        low, high = np.quantile(X, [0.2, 0.8]) + rng.uniform(0.1, 0.2, 2)
        return np.array([0.5, 0.5, low, high])

    def _posterior(self, theta: Array, X: Array) -> tuple[Array, Array]:
        logs = np.log(theta[:2]) + X * np.log(theta[2:]) - theta[2:]
        largest = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - largest)
        total = shares.sum(axis=1, keepdims=True)
        factorials = np.array([math.lgamma(x + 1) for x in X[:, 0]])
        return shares / total, factorials - (largest + np.log(total))[:, 0]

    def statistics(self, theta: Array, X: Array) -> Array:
        shares, _ = self._posterior(theta, X)
        rows = np.hstack([shares, shares * X])
        return rows if self.by_rows else rows.mean(axis=0)

    def maximize(self, S: Array) -> Array:
        if (S[:2] <= 0).any():
            raise ValueError("a weight is not positive")
        return np.concatenate([S[:2] / S[:2].sum(), S[2:] / S[:2]])

    def objective(self, theta: Array, X: Array) -> Any:
        values = self._posterior(theta, X)[1]
        return values if self.by_rows else values.mean()


class Signs:
    """The signs, and the mean of the absolute values in 64 bits."""

    unbiased = False

    def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int, bytes]:
        mean = np.abs(x).mean()
        negative = x < 0
        data = np.array(mean, dtype=">f8").tobytes() + np.packbits(negative).tobytes()
        return np.where(negative, -mean, mean), 64 + len(x), data

    def decode(self, data: bytes, d: int) -> Array:
        mean = np.frombuffer(data[:8], dtype=">f8")[0]
        negative = np.unpackbits(np.frombuffer(data[8:], np.uint8))[:d].astype(bool)
        return np.where(negative, -mean, mean)


class Halves:
    """Each entry doubled or dropped by a coin: unbiased, ω = 1; says its bits and shows none."""

    unbiased = True

    def omega(self, d: int) -> float:
        return 1.0

    def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        kept = rng.random(len(x)) < 0.5
        return np.where(kept, 2 * x, 0.0), int(len(x) + 64 * kept.sum())
