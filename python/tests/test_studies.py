"""Studies, whole and in parts."""

from __future__ import annotations

import filecmp
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from conftest import Array
from models import PoissonMixture

import fedbits as fb

STUDY = fb.Study(
    name="steps",
    base="quickstart",
    set={"stop.rounds": "40", "protocol.compressor": "RandK(k: 20)"},
    axes=[fb.GridAxis(path="protocol.gamma", values=["0.02", "0.05"])],
    replicates=3,
    targets=[fb.MeanFieldSqTarget(1e-2)],
)


def test_a_study_is_run_compared_and_drawn(tmp_path: Path) -> None:
    study = fb.study(STUDY, workers=2)
    assert len(study.results) == 6
    compared = study.compare()
    assert set(compared["arm"]) == {"0.02", "0.05"} and compared["is_baseline"].any()
    assert "<svg" in study.figure()._repr_svg_()
    assert study.report(tmp_path / "report")
    with pytest.raises(KeyError, match="it has .*results"):
        study.table("nothing")


def test_shards_give_what_the_whole_gives(tmp_path: Path) -> None:
    whole = fb.study(STUDY, tmp_path / "whole")
    for index in range(4):
        fb.run_shard(STUDY, index, 4, tmp_path / "parts")
    parts = fb.study(STUDY, tmp_path / "parts")
    assert filecmp.cmp(whole.folder / "results.csv", parts.folder / "results.csv", shallow=False)
    with pytest.raises(fb.Error, match="shard 4 of 4"):
        fb.run_shard(STUDY, 4, 4, tmp_path / "parts")


def test_what_is_wrong_with_a_study_has_its_place() -> None:
    with pytest.raises(TypeError, match="the study is a int: expected a name of the library"):
        fb.study(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the name is 5: expected a text"):
        fb.study(STUDY.replace(name=5))
    with pytest.raises(fb.ScenarioError) as caught:
        fb.study(STUDY.replace(axes=[fb.GridAxis(path="protocol.gama", values=["0.1"])]))
    assert "gama" in str(caught.value)


def test_a_study_is_a_mapping(tmp_path: Path) -> None:
    mapping = {
        "name": "steps",
        "base": "quickstart",
        "set": {"stop.rounds": "5", "seed": "2"},
        "axes": [{"Grid": {"path": "protocol.gamma", "values": ["0.02", "0.05"]}}],
        "replicates": np.int64(1),
        "targets": [{"MeanFieldSq": 1e-2}],
    }
    study = STUDY.replace(set=mapping["set"], replicates=1)
    given = [fb.study(own, tmp_path / name).folder for name, own in (("a", mapping), ("b", study))]
    assert filecmp.cmp(*(folder / "results.csv" for folder in given), shallow=False)
    with pytest.raises(fb.ScenarioError) as caught:
        fb.study({"base": "quickstart", "replicates": 1, "axis": []})
    assert [problem.help for problem in caught.value.problems] == ["did you mean `axes`?"]


def test_errors_come_from_other_processes() -> None:
    """Pickled, with their type, which has the name that is shown, and with their problems."""
    assert (fb.Error.__module__, fb.Error.__qualname__) == ("fedbits", "Error")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(fb.Error, match="`quikstudy` is no file"):
            pool.submit(fb.run_shard, "quikstudy", 0, 1, "unused").result()
        text = '(name: "x", base: "quickstart", set: {"protocol.gama": "1"}, replicates: 1)'
        with pytest.raises(fb.ScenarioError) as caught:
            pool.submit(fb.run_shard, text, 0, 1, "unused").result()
    assert caught.value.problems[0].help == "did you mean `gamma`?"


CALLS: list[int] = []


class Counted(PoissonMixture):
    def statistics(self, theta: Array, X: Array) -> Array:
        CALLS.append(len(X))
        return super().statistics(theta, X)


def study_of(counts: Array, small: fb.Scenario, **fields: object) -> fb.Study:
    base = small.replace(data=fb.Table(counts), model=Counted(), protocol=fb.FedEm(gamma=0.5), **fields)
    axes = [fb.GridAxis(path="protocol.gamma", values=["0.2", "0.5"])]
    return fb.Study(name="own", base=base, axes=axes, replicates=2, targets=[fb.MeanFieldSqTarget(1e-2)])


def test_a_model_of_python_is_studied(counts: Array, small: fb.Scenario, tmp_path: Path) -> None:
    whole = fb.study(study_of(counts, small), tmp_path / "whole", workers=2)
    assert len(whole.results) == 4 and set(whole.compare()["arm"]) == {"0.2", "0.5"}
    assert "<svg" in whole.figure()._repr_svg_()
    for index in range(2):
        fb.run_shard(study_of(counts, small), index, 2, tmp_path / "parts")
    parts = fb.study(study_of(counts, small), tmp_path / "parts")
    assert filecmp.cmp(whole.folder / "results.csv", parts.folder / "results.csv", shallow=False)
    # What is there is kept: the model is asked what it looks like, and nothing is run again.
    calls = CALLS.copy()
    CALLS.clear()
    fb.study(study_of(counts, small), tmp_path / "whole")
    assert len(calls) > 100 > 10 * len(CALLS)


def test_what_a_model_raises_in_a_study_is_raised(counts: Array, small: fb.Scenario) -> None:
    class Broken(PoissonMixture):
        def maximize(self, S: Array) -> Array:
            raise RuntimeError("as asked")

    study = study_of(counts, small)
    with pytest.raises(RuntimeError, match="as asked"):
        fb.study(study.replace(base=study.base.replace(model=Broken())))  # type: ignore[union-attr]
