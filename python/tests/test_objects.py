"""How models and compressors of Python are told apart."""

from __future__ import annotations

import inspect
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import PoissonMixture

import fedbits as fb


def test_the_source_of_a_class_is_read_once_and_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(PoissonMixture):
        pass

    inside: list[str] = []
    reads: list[list[str]] = []

    def getsource(of: Any) -> str:
        inside.append(of.__name__)
        reads.append(inside.copy())
        time.sleep(0.02)
        inside.pop()
        return f"class {of.__name__}"

    monkeypatch.setattr(inspect, "getsource", getsource)
    scenario = fb.Scenario(name="x", model=Own())
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(str, [scenario] * 8))) == 1
    assert [own for own in reads if "Own" in own] == [["Own"]]


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
@pytest.mark.parametrize("protocol", [fb.IncrementalEm(), fb.Fiem(gamma=0.3, batch=fb.WithReplacement(50))])
def test_memories_of_examples_are_filled_in_one_call(counts: Array, protocol: fb.Protocol) -> None:
    class Counted(PoissonMixture):
        def statistics(self, theta: Array, X: Array) -> Array:
            calls.append(len(X))
            return super().statistics(theta, X)

    def run(model: PoissonMixture) -> fb.Run:
        stop = fb.Stop(rounds=10)
        return fb.run(fb.Scenario(name="x", data=fb.Table(counts), model=model, protocol=protocol, stop=stop))

    calls: list[int] = []
    together, each = run(Counted()), run(PoissonMixture(by_rows=False))
    assert len(calls) < 60 and len(counts) in calls
    np.testing.assert_allclose(together.model.theta, each.model.theta, rtol=1e-12)
