"""Fitted models."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np


class FittedModel:
    """A fitted model in the units and names of the data, as the files of `models/` have it.

    Attributes:
        name: The model as the scenario names it.
        columns: Names of the columns that the parameters are about.
        parameters: Arrays by name; of a Gaussian mixture `weights` (G), `means` (G × d), `covariances` (G × d × d).
        theta: θ as it was fitted to the prepared data.
        fit: Where it comes from: scenario, seed, rounds, what the last probe measured.
    """

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content
        self.name: str = content["model"]
        self.columns: list[str] = content["parameter_columns"]
        self.parameters: dict[str, Any] = {
            name: np.asarray(value) if isinstance(value, list) else value
            for name, value in content["parameters"].items()
        }
        self.theta = np.asarray(content["theta"], dtype=np.float64)
        self.fit: dict[str, Any] = content["fit"]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> FittedModel:
        """Read a file of `models/` in a folder of results."""
        return cls(json.loads(Path(path).read_text(encoding="utf-8")))

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in self.parameters.items())
        return f"<fedbits model: {self.name}; {shapes}>"
