"""A gossip average without a server: agents on a ring average the statistics of their own examples.

Agent n begins at x_n = w_n s̄_n(θ₀) and makes x ← W x, a message to each neighbour in a round. All agents tend to the
statistic of all examples, as fast as the second largest eigenvalue of W says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import fedbits as fb


class GossipAverage(fb.PeerProtocol):
    """x ← W x from statistics of agents."""

    weights = fb.Metropolis()

    def start(self, problem: Any, data: Any) -> dict[str, Any]:
        return {"s": data.weight * data.statistic(problem.theta)}

    def step(self, state: Any, data: Any, messages: Any, weights: Any, rng: Any) -> dict[str, Any]:
        return {"s": weights @ messages}  # its own message is the first row


agents, rounds = 8, 40
rng = np.random.default_rng(3)
X = rng.normal(0, 1, (400, 2)) + np.repeat([[-2.0, 0.0], [2.0, 0.0]], 200, axis=0)
scenario = fb.Scenario(
    name="gossip",
    data=fb.Table(X, client=np.arange(400) * agents // 400),
    model=fb.GaussianMixture(2),
    protocol=GossipAverage(),
    network=fb.Network(shape=fb.Graph(sites=fb.Ring(agents), link_latency="10 ms")),
    stop=fb.Stop(rounds=rounds),
)
run = fb.run(scenario, progress=False)
error = run.rounds["consensus_error"].to_numpy()
# Metropolis' weights on a ring are 1/3.
second = (1 + 2 * np.cos(2 * np.pi / agents)) / 3
print(
    f"error {error[0]:.2e} → {error[-1]:.2e} in {rounds} rounds; W alone says {error[0] * second**rounds:.2e} at most"
)
assert error[-1] <= error[0] * second**rounds * (1 + 1e-9)
# The mean of the agents stays what it was: that of all examples.
assert np.ptp(run.rounds["objective"].dropna()) < 1e-12
