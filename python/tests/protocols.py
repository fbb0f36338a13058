"""Protocols that the tests bring."""

from __future__ import annotations

from typing import Any

import numpy as np

import fedbits as fb


class FedEM(fb.Protocol):
    """FedEM, by client."""

    def __init__(self, gamma: float = 0.3) -> None:
        self.gamma = gamma

    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        return data.field(message)

    def server(self, state: Any, updates: Any) -> Any:
        return {"s": state["s"] + self.gamma * updates.mean}


class FedEMTogether(fb.Protocol):
    """The same for all clients at once."""

    def __init__(self, gamma: float = 0.3) -> None:
        self.gamma = gamma

    def clients(self, states: Any, data: Any, message: Any, rngs: Any) -> Any:
        return data.fields(message)

    def server(self, state: Any, updates: Any) -> Any:
        return {"s": state["s"] + self.gamma * updates.mean}


class Scaffold(fb.Protocol):
    """SCAFFOLD on statistics."""

    def __init__(self, eta: float = 0.2, steps: int = 3) -> None:
        self.eta, self.steps = eta, steps

    def start(self, problem: Any) -> Any:
        return {"s": problem.start, "c": np.zeros_like(problem.start)}

    def broadcast(self, state: Any) -> Any:
        return {"s": state["s"], "c": state["c"]}

    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        s, c = message["s"], message["c"]
        own = state.get("c", np.zeros_like(c))
        y = s.copy()
        for _ in range(self.steps):
            y += self.eta * (data.field(y) - own + c)
        new = own - c + (y - s) / (self.steps * self.eta)
        state["c"] = new
        return {"y": y - s, "c": new - own}

    def server(self, state: Any, updates: Any) -> Any:
        share = len(updates) / 6
        return {"s": state["s"] + updates.mean["y"], "c": state["c"] + share * updates.mean["c"]}


class Drawing(FedEM):
    """FedEM with minibatches."""

    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        return data.field(message, rng.integers(0, data.n, 5))


class Diffusion(fb.PeerProtocol):
    """Diffusion EM, adapt then combine, with the sum of weights beside the statistic."""

    def __init__(self, gamma: float) -> None:
        self.gamma = gamma

    def start(self, problem: Any, data: Any) -> Any:
        # The first iteration has nothing to remember, and all agents are at θ₀.
        s = data.weight * np.append(data.statistic(problem.theta), 1.0)
        return {"s": problem.start, "phi": s}

    def send(self, state: Any) -> Any:
        return state["phi"]

    def step(self, state: Any, data: Any, messages: Any, weights: Any, rng: Any) -> Any:
        x = weights @ messages
        theta = data.maximize(x[:-1] / x[-1])
        fresh = data.weight * np.append(data.statistic(theta), 1.0)
        return {"s": x[:-1], "phi": x + self.gamma * (fresh - x)}
