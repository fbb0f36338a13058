"""EM in one place, by scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from benchopt import BaseSolver
from sklearn.mixture import GaussianMixture


class Solver(BaseSolver):
    """EM; `run(r)` makes r iterations."""

    name = "EM"
    sampling_strategy = "iteration"
    requirements: ClassVar = ["scikit-learn"]

    def set_objective(self, X: np.ndarray, client: np.ndarray, components: int) -> None:
        """EM in one place needs no clients."""
        self.X, self.components = X, components

    def run(self, iterations: int) -> None:
        """Runs anew."""
        self.fit = GaussianMixture(self.components, max_iter=max(iterations, 1), tol=0, random_state=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.fit.fit(self.X)

    def get_result(self) -> dict[str, Any]:
        """What the objective evaluates."""
        return {"weights": self.fit.weights_, "means": self.fit.means_, "covariances": self.fit.covariances_}
