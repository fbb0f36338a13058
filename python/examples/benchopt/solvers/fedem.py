"""FedEM on a simulated network."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from benchopt import BaseSolver

import fedbits as fb


class Solver(BaseSolver):
    """FedEM; `run(r)` simulates r rounds."""

    name = "FedEM"
    sampling_strategy = "iteration"
    parameters: ClassVar = {"compressor": ["Identity", "Dithering(levels: 4)"]}

    def set_objective(self, X: np.ndarray, client: np.ndarray, components: int) -> None:
        """Declares the scenario."""
        self.scenario = fb.Scenario(
            name="fedem",
            data=fb.Table(X, client=client),
            model=fb.GaussianMixture(components),
            initial=fb.KMeansPlusPlus(),
            protocol=fb.FedEm(gamma=0.2),
            stop=fb.Stop(rounds=1),
            record=fb.Record(probe_every=None),
        )

    def run(self, rounds: int) -> None:
        """Runs anew: benchopt asks for more and more rounds."""
        changes = {"stop.rounds": max(rounds, 1), "protocol.compressor": self.compressor}
        self.fit = fb.run(self.scenario, set=changes, progress=False).model.parameters

    def get_result(self) -> dict[str, Any]:
        """What the objective evaluates."""
        return {name: np.asarray(self.fit[name]) for name in ("weights", "means", "covariances")}
