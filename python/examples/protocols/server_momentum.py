"""Momentum at the server: Ŝ moves along a running mean of the estimates, not along the last one.

    m ← β m + H,   Ŝ ← Ŝ + γ m

H is the uplink's estimate of the mean field from compressed messages, with memories as in FedEM. Where EM is slow, as
for two groups that overlap, momentum needs fewer rounds, and so fewer bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import fedbits as fb


class ServerMomentum(fb.Protocol):
    """FedEM with heavy-ball steps."""

    compressor = fb.Dithering(levels=4)
    memory = fb.Memory()

    def __init__(self, gamma: float, beta: float) -> None:
        self.gamma, self.beta = gamma, beta

    def start(self, problem: Any) -> dict[str, Any]:
        return {"s": problem.start, "m": np.zeros_like(problem.start)}

    def clients(self, states: Any, data: Any, message: Any, rngs: Any) -> Any:
        return data.fields(message)  # a row h_i(Ŝ) = s̄_i(T(Ŝ)) − Ŝ for each client of the round

    def server(self, state: dict[str, Any], updates: Any) -> dict[str, Any]:
        m = self.beta * state["m"] + updates.mean
        return {"s": state["s"] + self.gamma * m, "m": m}


rng = np.random.default_rng(1)
X = np.concatenate([rng.normal(-1.2, 1, (1000, 2)), rng.normal(1.2, 1, (1000, 2))])
scenario = fb.Scenario(
    name="momentum",
    data=fb.Table(X),
    clients=20,
    model=fb.GaussianMixture(2, fb.Known(np.eye(2))),
    protocol=ServerMomentum(gamma=0.1, beta=0.0),
    arms=[
        fb.Arm(name="plain"),
        fb.Arm(name="momentum", set={"protocol": ServerMomentum(gamma=0.1, beta=0.7)}),
    ],
    stop=fb.Stop(rounds=400, mean_field_sq=1e-10),
    record=fb.Record(probe_every=1),
)
run = fb.run(scenario, progress=False)
rounds = {arm: run[arm].manifest["totals"]["rounds"] for arm in run.arms}
print(f"rounds to ‖h‖² ≤ 1e-10: {rounds['plain']} plain, {rounds['momentum']} with momentum")
assert rounds["momentum"] < 0.6 * rounds["plain"]
