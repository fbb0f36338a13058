"""epsilon of the Gaussian mechanism and of its Poisson sampled version, over a grid, by dp-accounting (PyPI).

    pip install dp-accounting
    python3 tests/golden/make_privacy.py

Writes privacy.json: one entry for each (p, z, steps, delta) with the epsilon that
`RdpAccountant` gives at its default orders. p is the probability with which a client takes part, z the standard deviation of
the noise divided by the sensitivity.
"""

import json
import os
import sys

import dp_accounting
from dp_accounting.rdp import RdpAccountant


def epsilon(p, z, steps, delta):
    event = dp_accounting.GaussianDpEvent(z)
    if p < 1:
        event = dp_accounting.PoissonSampledDpEvent(p, event)
    accountant = RdpAccountant()
    accountant.compose(dp_accounting.SelfComposedDpEvent(event, steps))
    return accountant.get_epsilon(delta)


entries = [
    {"p": p, "z": z, "steps": steps, "delta": delta, "epsilon": epsilon(p, z, steps, delta)}
    for p in (0.001, 0.01, 0.03, 0.1, 0.3, 0.5, 0.9, 1.0)
    for z in (0.5, 0.8, 1.0, 1.1, 2.0, 4.0, 10.0, 100.0)
    for steps in (1, 10, 100, 1_000, 10_000)
    for delta in (1e-2, 1e-5, 1e-8)
]
versions = {"dp_accounting": getattr(dp_accounting, "__version__", "?"), "python": sys.version.split()[0]}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "privacy.json")
with open(path, "w", encoding="utf-8") as file:
    json.dump({"versions": versions, "entries": entries}, file, indent=None, separators=(",", ":"))
    file.write("\n")
print(len(entries), "entries")
