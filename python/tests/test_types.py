"""What editors and type checkers know of the parts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fedbits as fb

RIGHT = """
import numpy as np

import fedbits as fb

scenario: fb.Scenario = fb.Scenario(
    name="typed",
    model=fb.GaussianMixture(2, fb.Diagonal()),
    protocol=fb.FedEm(gamma=0.1, compressor=fb.TopK(k=3), participation=fb.Cohort(4)),
    network=fb.Network(client_up="1 Mbps"),
    stop=fb.Stop(rounds=5, mean_field_sq=1e-6),
)
value: float = fb.run(scenario)[0].manifest["seed"]
arms: list[str] = [record.arm for record in fb.run(scenario)]
arm = fb.Arm("other", set={"protocol.compressor": fb.TopK(k=2), "protocol.gamma": "0.2", "seed": 2})
study = scenario.replace(arms=[arm], baseline={"gamma": "0.1"}, exclude=[{"gamma": 0.1}], replicates=2)
start = fb.Theta(weights=np.array([0.5, 0.5]), means=np.zeros((2, 2)))
fb.Theta(weights=[0.5, 0.5], means=[np.zeros(2), [0.0, 1.0]])
"""
OF_PYTHON = """
from typing import Any

import numpy as np
import numpy.typing as npt

import fedbits as fb

Array = npt.NDArray[np.float64]


class Mean:
    def statistics(self, t: Array, y: Array) -> Array:
        return y

    def maximize(self, s: Array) -> Array:
        return s

    def objective(self, t: Array, y: Array) -> Array:
        return np.asarray((y[:, 0] - t) ** 2)


class Derived(fb.PythonModel):
    def statistics(self, theta: Array, X: Array) -> Array:
        return X

    def maximize(self, S: Array) -> Array:
        return S

    def objective(self, theta: Array, X: Array) -> float:
        return float(X.mean())


class Whole:
    def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        return x, 64 * len(x)


one: fb.PythonModel = Mean()
scenario = fb.Scenario(model=Mean(), protocol=fb.FedEm(gamma=0.1, compressor=Whole()))
scenario.replace(model=Derived())
fb.Scenario(model=Derived(), protocol=fb.Ef21(gamma=0.1, compressor=Whole()))


class Own(fb.Protocol):
    compressor = fb.RandK(k=2)
    memory = fb.Memory()

    def __init__(self, gamma: float) -> None:
        self.gamma = gamma

    def client(self, state: Any, data: Any, message: Any, rng: np.random.Generator) -> Any:
        return data.field(message)

    def server(self, state: Any, updates: Any) -> Any:
        return {"s": state["s"] + self.gamma * updates.mean}


class Agents(fb.PeerProtocol):
    def step(self, state: Any, data: Any, messages: Any, weights: Any, rng: Any) -> Any:
        return {"s": weights @ messages}


fb.Scenario(protocol=Own(0.1))
fb.Scenario(protocol=Agents())
kept: tuple[str, ...] = fb.check(Own(0.1)).kept
bits: float = fb.check(Whole(), 10).bits
"""
WRONG = {
    "fb.Scenario(model=object())": "model",
    "fb.FedEm(gama=0.1)": "gama",
    "fb.FedEm(gamma=0.1, compressor=fb.Stop(rounds=3))": "compressor",
    "fb.TopK()": "k",
    "fb.Scenario(clients='ten')": "clients",
    "fb.Theta(weights=['x'], means=[[0.0]])": "float",
}


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_know_the_fields(checker: str, tmp_path: Path) -> None:
    pytest.importorskip(checker)
    # All in one start: reading NumPy's types is most of it.
    wrong = "import fedbits as fb\n" + "\n".join(WRONG) + "\n"
    for name, code in {"right": RIGHT, "of_python": OF_PYTHON, "wrong": wrong}.items():
        (tmp_path / f"{name}.py").write_text(code)
    mypy = ["--strict", "--cache-dir", str(tmp_path / "cache")]
    options = ["--pythonpath", sys.executable] if checker == "pyright" else mypy
    command = [sys.executable, "-m", checker, *options, "right.py", "of_python.py", "wrong.py"]
    # mypy looks where packages are installed, and not at PYTHONPATH.
    folder = Path(fb.__file__).parents[1]
    env = dict(os.environ) if folder.name == "site-packages" else {**os.environ, "MYPYPATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "right.py:" not in done.stdout and "of_python.py:" not in done.stdout, done.stdout
    for line, word in enumerate(WRONG.values(), start=2):
        assert any(f"wrong.py:{line}" in said and word in said for said in done.stdout.splitlines()), (
            word,
            done.stdout,
        )
