"""Studies, whole and in parts."""

from __future__ import annotations

import filecmp
from pathlib import Path

import pytest

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


def test_shards_run_in_processes_of_joblib(tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    text = str(STUDY)
    joblib.Parallel(n_jobs=2)(joblib.delayed(fb.run_shard)(text, index, 3, str(tmp_path / "out")) for index in range(3))
    assert len(fb.study(text, tmp_path / "out").results) == 6


def test_what_is_wrong_with_a_study_has_its_place() -> None:
    with pytest.raises(fb.ScenarioError) as caught:
        fb.study(STUDY.replace(axes=[fb.GridAxis(path="protocol.gama", values=["0.1"])]))
    assert "gama" in str(caught.value)
