"""Examples of three groups at 20 clients."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    """N examples with two features; each client mostly has one group."""

    name = "mixture"
    parameters: ClassVar = {"examples": [2000]}

    def get_data(self) -> dict[str, Any]:
        """X of shape (N, 2), and each example's client."""
        rng = np.random.default_rng(1)
        group = rng.integers(3, size=self.examples)
        X = rng.normal(size=(self.examples, 2)) + 3 * np.array([[0, 0], [1, 0], [0, 1]])[group]
        skewed = rng.random(self.examples) < 0.7
        return {"X": X, "client": np.where(skewed, group * 7, rng.integers(20, size=self.examples))}
