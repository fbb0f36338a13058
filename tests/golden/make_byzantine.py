"""Robust rules and attacks of ByzFL 0.0.11 (github LPD-EPFL/byzfl) for sim/protocols/tests/optimization/byzantine.rs:
python make_byzantine.py (numpy, scipy and byzfl), writes byzantine.json.

Rules and attacks are those of the package, on NumPy arrays, where it never calls torch. What stands below is EF21 (Richtarik, Sokolov,
Fatkhullin, NeurIPS 2021) with a rule at the server, as in Rammal et al. (AISTATS 2024): clients send C(x_i - V_i) and the server applies
the rule to all V_i + C(x_i - V_i). A liar follows it with another x_i. Vectors have three decimals and are written down.
"""

import json
import os
import sys
import types

import numpy as np

try:
    import torch  # noqa: F401
except (ImportError, OSError, ValueError):
    # The package imports torch for tensors, of which there are none here.
    torch = types.ModuleType("torch")
    torch.Tensor = type("Tensor", (), {})
    sys.modules["torch"] = torch
    sys.modules["torch.linalg"] = torch.linalg = types.ModuleType("torch.linalg")
if "byzfl" not in sys.modules:
    # The face of the package imports its training loops, too.
    import importlib.util

    spec = importlib.util.find_spec("byzfl")
    byzfl = types.ModuleType("byzfl")
    byzfl.__path__ = list(spec.submodule_search_locations)
    sys.modules["byzfl"] = byzfl

from byzfl.aggregators import aggregators as rules  # noqa: E402
from byzfl.aggregators.preaggregators import NNM  # noqa: E402
from byzfl.attacks import attacks  # noqa: E402
from make_optimization import Problem, top  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SHOWN = (1, 2, 3, 10, 40)
TAU = 0.5


def named(f):
    return {
        "trimmed_mean": rules.TrMean(f),
        "median": rules.Median(),
        "geometric_median": rules.GeometricMedian(nu=0.1, T=3),
        "geometric_median_50": rules.GeometricMedian(nu=0.001, T=50),
        "krum": rules.Krum(f),
        "multi_krum": rules.MultiKrum(f),
        "centred_clipping": rules.CenteredClipping(L=3, tau=TAU),
    }


def vectors(m, d, liars, seed):
    random = np.random.default_rng(seed)
    rows = np.round(random.normal(size=(m, d)) + np.arange(d), 3)
    rows[:liars] = np.round(30.0 * random.normal(size=(liars, d)), 3)
    return rows


def at_once():
    out = []
    for m, d, f, seed in [(11, 5, 3, 1), (8, 3, 2, 2), (7, 1, 0, 3), (20, 40, 4, 4)]:
        rows = vectors(m, d, f, seed)
        results = {name: rule(rows.copy()).tolist() for name, rule in named(f).items()}
        mixed = {name: rule(NNM(f)(rows.copy())).tolist() for name, rule in named(f).items()}
        out.append({"f": f, "rows": rows.tolist(), "plain": results, "mixed": mixed})
    return out


MANY = Problem("squares", [4, 5, 6, 4, 5, 6, 5, 4, 6], 5, 41, 0.5, 0.1, 0.0)
LIARS = 2


def lie(attack, own, honest):
    if attack == "sign_flip":
        return -own
    if attack == "scaled":
        return -20.0 * own
    return attacks.ALittleIsEnough(1.5)(honest) if attack == "little_is_enough" else attacks.InnerProductManipulation(2.5)(honest)


def ef21(attack, rule, mixing, rounds):
    s, memory, trajectory = MANY.start.copy(), None, []
    for k in range(rounds + 1):
        x = np.array([MANY.w[i] * MANY.h(i, s) for i in range(MANY.n)])
        x[:LIARS] = [lie(attack, x[i], x[LIARS:]) for i in range(LIARS)]
        if memory is None:
            memory = x
            continue
        memory = memory + np.array([top(x[i] - memory[i], 2) for i in range(MANY.n)])
        s = s + 0.4 * rule(mixing(memory.copy()))
        trajectory.append(s)
    return [trajectory[k - 1].tolist() for k in SHOWN]


def runs():
    out = {}
    for attack in ["sign_flip", "scaled", "inner_product", "little_is_enough"]:
        for name, mixing in [("plain", lambda rows: rows), ("mixed", NNM(LIARS))]:
            for rule in named(LIARS).keys() - {"geometric_median_50"}:
                out[f"{attack} {name} {rule}"] = ef21(attack, named(LIARS)[rule], mixing, SHOWN[-1])
    return out


if __name__ == "__main__":
    golden = {"shown": SHOWN, "vectors": at_once(), "runs": runs()}
    with open(os.path.join(HERE, "byzantine.json"), "w") as file:
        json.dump(golden, file)
