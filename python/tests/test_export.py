"""Runs in trackers, read back by the trackers' own readers."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fedbits as fb

pytest.importorskip("pandas")

STUDY = fb.Scenario(
    name="steps",
    base="quickstart",
    arms=[],
    stop=fb.Stop(rounds=7),
    record=fb.Record(probe_every=3),
    axes=[fb.GridAxis(path="protocol.gamma", values=["0.02", "0.05"])],
    replicates=2,
)
# Names that become the same as those of folders; the second arm fails.
SCENARIO = """(name: "odd names", base: "quickstart", stop: (rounds: 7), record: (probe_every: 3), arms: [
    (name: "γ = 0.1"),
    (name: "γ - 0.1", set: {
        "protocol": "FedEm(gamma: Constant(0.9), memory: NoMemory, compressor: Dithering(levels: 1))",
    }),
])"""

Points = dict[str, dict[str, list[tuple[int, float]]]]


@pytest.fixture(scope="module", params=["run", "study"])
def result(request: pytest.FixtureRequest) -> Any:
    if request.param == "study":
        return fb.run(STUDY, threads=1, progress=False)
    with pytest.warns(fb.FailedRunWarning):
        return fb.run(SCENARIO, replicates=2, progress=False)


def expected(result: Any) -> Points:
    """Per run and column the rounds and values measured, from the tables as data frames."""
    found = {}
    for (arm, replicate), rows in result.rounds.groupby(["arm", "replicate"]):
        numbers = rows.select_dtypes("number").drop(columns=["replicate"])
        measured = {name: rows[["round", name]].dropna() for name in numbers.columns if name != "round"}
        points = {name: list(zip(column["round"], column[name])) for name, column in measured.items() if len(column)}
        found[f"{arm}, replicate {replicate}"] = points
    assert len(found) == 4
    return found


def failed(result: Any) -> set[str]:
    return {f"{record.arm}, replicate {record.replicate}" for record in result if record.failure}


def test_mlflow(result: Any, tmp_path: Path) -> None:
    tracking = pytest.importorskip("mlflow.tracking")
    pytest.importorskip("sqlalchemy")
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    fb.export.mlflow(result, "steps", uri)
    client = tracking.MlflowClient(tracking_uri=uri)
    runs = client.search_runs([client.get_experiment_by_name("steps").experiment_id])
    read = {}
    for run in runs:
        history = {name: client.get_metric_history(run.info.run_id, name) for name in run.data.metrics}
        read[run.info.run_name] = {name: [(at.step, at.value) for at in points] for name, points in history.items()}
    assert read == expected(result)
    assert {run.info.run_name for run in runs if run.info.status == "FAILED"} == failed(result)


def test_tensorboard(result: Any, tmp_path: Path) -> None:
    multiplexer = pytest.importorskip("tensorboard.backend.event_processing.event_multiplexer")
    fb.export.tensorboard(result, tmp_path)
    runs = multiplexer.EventMultiplexer(size_guidance={"scalars": 0}).AddRunsFromDirectory(str(tmp_path)).Reload()
    read = {}
    for run, tags in runs.Runs().items():
        about = json.loads(runs.Tensors(run, "run")[0].tensor_proto.string_val[0])
        read[about["name"]] = {
            name: [(at.step, at.value) for at in runs.Scalars(run, name)] for name in tags["scalars"]
        }
    single = {
        run: {name: [(step, float(np.float32(value))) for step, value in points] for name, points in columns.items()}
        for run, columns in expected(result).items()
    }
    assert read == single
    with pytest.raises(FileExistsError):
        fb.export.tensorboard(result, tmp_path)


def wandb_records(log: bytes) -> Iterator[Any]:
    """The messages of a log of W&B, which has no reader: pieces in blocks of 32 KiB, each after a head of 7 bytes."""
    from wandb.proto.wandb_internal_pb2 import Record

    data, at = b"", 7
    while at < len(log):
        if (left := 32768 - at % 32768) < 7:
            at += left
            continue
        length, kind = struct.unpack("<HB", log[at + 4 : at + 7])
        data += log[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield Record.FromString(data)
            data = b""


def test_wandb(result: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    fb.export.wandb(result, "steps", mode="offline", dir=str(tmp_path))
    # W&B writes in a process of its own, until then.
    wandb.teardown()
    read: Points = {}
    codes = {}
    for path in tmp_path.glob("wandb/offline-run-*/*.wandb"):
        records = list(wandb_records(path.read_bytes()))
        (name,) = {record.run.display_name for record in records if record.HasField("run")}
        (codes[name],) = (record.exit.exit_code for record in records if record.HasField("exit"))
        columns = read.setdefault(name, {})
        for record in records:
            items = {item.key or item.nested_key[0]: json.loads(item.value_json) for item in record.history.item}
            for column in (column for column in items if not column.startswith("_")):
                columns.setdefault(column, []).append((items["_step"], items[column]))
    assert read == expected(result)
    assert {name for name, code in codes.items() if code} == failed(result)


def test_a_missing_client_and_a_wrong_result_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ImportError, match="pip install wandb"):
        fb.export.wandb(None, "steps")  # type: ignore[arg-type]
    pytest.importorskip("mlflow")
    with pytest.raises(TypeError, match="the result is a str: expected what `fb.run` returned"):
        fb.export.mlflow("quickstart", "steps", "sqlite://")  # type: ignore[arg-type]
