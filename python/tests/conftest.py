"""What the tests share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import fedbits as fb

Array = npt.NDArray[np.float64]


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """The command line: the program that `FEDBITS_PROGRAM` names, else the package's own."""
    program = os.environ.get("FEDBITS_PROGRAM")
    start = [program] if program else [sys.executable, "-m", "fedbits"]

    def call(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*start, *arguments], capture_output=True, text=True, cwd=folder, check=False)

    return call


@pytest.fixture
def groups() -> tuple[Array, npt.NDArray[np.int64]]:
    """600 examples of two groups in the plane, and their groups."""
    rng = np.random.default_rng(20260101)
    X = np.concatenate([rng.normal(-2, 1, (300, 2)), rng.normal(2, 1.5, (300, 2))])
    return X, np.repeat([0, 1], 300)


@pytest.fixture
def counts() -> Array:
    """1000 counts of two Poisson laws with rates 2 and 15."""
    rng = np.random.default_rng(20260102)
    return rng.poisson(np.repeat([2, 15], 500)).astype(float)[:, None]


@pytest.fixture
def small() -> fb.Scenario:
    """Without model, protocol and data."""
    return fb.Scenario(name="small", clients=10, stop=fb.Stop(rounds=30))
