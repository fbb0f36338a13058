"""SCAFFOLD (Karimireddy et al., ICML 2020, option II) on statistics, beside local steps alone.

Client i makes K steps y ← y + η (h_i(y) − c_i + c) from y = Ŝ, where h_i(y) = s̄_i(T(y)) − y stands for −∇f_i, and sends

    Δy_i = y − Ŝ   and   Δc_i = c_i⁺ − c_i,   c_i⁺ = c_i − c + (y − Ŝ) / (K η)

The server adds their means, that of Δc_i times the share of clients that arrived. Without c local steps end where the mean of the *clients'* paths stands still, which is no
stationary point where their data differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import fedbits as fb


class Scaffold(fb.Protocol):
    """SCAFFOLD; without control variates it is FedAvg on statistics."""

    def __init__(self, eta: float, steps: int, corrects: bool = True) -> None:
        self.eta, self.steps, self.corrects = eta, steps, corrects

    def start(self, problem: Any) -> dict[str, Any]:
        return {"s": problem.start, "c": np.zeros_like(problem.start), "n": np.array(float(problem.clients))}

    def broadcast(self, state: dict[str, Any]) -> dict[str, Any]:
        return {"s": state["s"], "c": state["c"]}

    def client(self, state: dict[str, Any], data: Any, message: Any, rng: Any) -> dict[str, Any]:
        s, c = message["s"], message["c"]
        own = state.get("c", np.zeros_like(c))  # lost with the client's state, and then 0 again
        y = s.copy()
        for _ in range(self.steps):
            y += self.eta * (data.field(y) - own + c)
        new = own - c + (y - s) / (self.steps * self.eta) if self.corrects else own
        state["c"] = new
        return {"y": y - s, "c": new - own}

    def server(self, state: dict[str, Any], updates: Any) -> dict[str, Any]:
        arrived = len(updates.clients) / state["n"]  # clients that were lost keep their c_i
        return {**state, "s": state["s"] + updates.mean["y"], "c": state["c"] + arrived * updates.mean["c"]}


rng = np.random.default_rng(2)
y = np.repeat(np.arange(4), 100)
X = rng.normal(0, 1, (400, 2)) + 2.0 * np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]])[y]
scenario = fb.Scenario(
    name="scaffold",
    data=fb.Table(X, client=y),  # every client has a group of its own
    model=fb.GaussianMixture(4, fb.Known(np.eye(2))),
    protocol=Scaffold(eta=0.2, steps=5),
    arms=[fb.Arm(name="scaffold"), fb.Arm(name="local", set={"protocol": Scaffold(0.2, 5, corrects=False)})],
    stop=fb.Stop(rounds=300),
)
run = fb.run(scenario, progress=False)
field = {arm: run[arm].rounds["mean_field_sq"].dropna().iloc[-1] for arm in run.arms}
print(f"‖h(Ŝ)‖² after 300 rounds: {field['scaffold']:.1e} with control variates, {field['local']:.1e} without")
assert field["scaffold"] < 1e-24 and field["local"] > 1e-6
