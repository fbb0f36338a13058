"""How models and compressors of Python are told apart."""

from __future__ import annotations

import inspect
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
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
