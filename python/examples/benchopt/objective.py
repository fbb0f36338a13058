"""Fits of a Gaussian mixture: `benchopt run python/examples/benchopt` compares FedEM with EM in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    """Mean of −log p(x; θ) over all examples, in nats."""

    name = "Gaussian mixture"
    url = "https://benchopt.github.io"
    min_benchopt_version = "1.6"
    sampling_strategy = "iteration"

    def set_data(self, X: np.ndarray, client: np.ndarray) -> None:
        """X has shape (N, d); client[i] has example i."""
        self.X, self.client = X, client

    def get_objective(self) -> dict[str, Any]:
        """What solvers get."""
        return {"X": self.X, "client": self.client, "components": 3}

    def evaluate_result(self, weights: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> dict[str, float]:
        """Weights of shape (G,), means (G, d), covariances (G, d, d)."""
        logs = []
        for weight, mean, covariance in zip(weights, means, covariances, strict=True):
            z = np.linalg.solve(np.linalg.cholesky(covariance), (self.X - mean).T)
            constant = np.linalg.slogdet(2 * np.pi * covariance)[1]
            logs.append(np.log(weight) - 0.5 * ((z**2).sum(axis=0) + constant))
        return {"value": float(-np.logaddexp.reduce(logs, axis=0).mean())}

    def get_one_result(self) -> dict[str, np.ndarray]:
        """Any valid result."""
        d = self.X.shape[1]
        return {"weights": np.full(3, 1 / 3), "means": np.zeros((3, d)), "covariances": np.tile(np.eye(d), (3, 1, 1))}
