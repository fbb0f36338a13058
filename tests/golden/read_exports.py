"""Reads what `fedbits export` wrote with the tools that it is for, and compares every number with the record; or `model.npz` of
the records with NumPy.

Usage: read_exports.py mlflow|tensorboard|wandb|parquet|numpy EXPORT RECORDS

RECORDS is the folder of records that was exported: a folder per arm; for NumPy EXPORT is the same. The exit code is 3 where
the tool is not installed. Checked with mlflow 2.22 and 3.17, tensorboard 2.21, wandb 0.17 and 0.31, pyarrow 26.
"""

import csv
import glob
import json
import os
import sys


def records(folder):
    """Per arm its manifest and, per column, the rounds and numbers that were measured."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*", "manifest.json")):
        with open(path) as file:
            manifest = json.load(file)
        with open(os.path.join(os.path.dirname(path), "rounds.csv")) as file:
            rows = list(csv.DictReader(file))
        columns = {}
        for row in rows:
            row["bits_total"] = str(sum(int(row[name]) for name in ["bits_up", "bits_down", "bits_peer", "bits_header"]))
            for name, cell in row.items():
                if name != "round" and cell != "":
                    columns.setdefault(name, []).append((int(row["round"]), float(cell)))
        found[manifest["arm"]] = (manifest, columns, rows, os.path.dirname(path))
    assert found, f"no records in {folder}"
    return found


def same(what, found, expected):
    assert found == expected, f"{what}: found {str(found)[:300]}, expected {str(expected)[:300]}"


def mlflow(export, expected):
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri="file://" + os.path.abspath(export))
    experiments = client.search_experiments()
    runs = client.search_runs([experiment.experiment_id for experiment in experiments])
    same("arms", sorted(run.data.tags["fedbits.arm"] for run in runs), sorted(expected))
    for run in runs:
        manifest, columns, rows, folder = expected[run.data.tags["fedbits.arm"]]
        same("name", run.info.run_name, manifest["arm"])
        same("status", run.info.status, "FINISHED")
        same("experiment", client.get_experiment(run.info.experiment_id).name, manifest["scenario"])
        same("metrics", sorted(run.data.metrics), sorted(columns))
        times = {int(row["round"]): int(row["time_s"].replace(".", "")) // 10**6 for row in rows}
        for name, points in columns.items():
            history = client.get_metric_history(run.info.run_id, name)
            same(name, [(point.step, point.value) for point in history], points)
            same(name, [point.timestamp for point in history], [times[step] for step, _ in points])
        same("seed", run.data.params["seed"], str(manifest["seed"]))
        same("digest", run.data.tags["fedbits.digest.state"], manifest["digests"]["state"])
        listed = sorted(item.path for item in client.list_artifacts(run.info.run_id))
        same("artifacts", listed, sorted(manifest["files"] + ["manifest.json"]))
        copy = client.download_artifacts(run.info.run_id, "rounds.csv")
        same("artifact", open(copy).read(), open(os.path.join(folder, "rounds.csv")).read())


def tensorboard(export, expected):
    from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
    from tensorboard.util import tensor_util
    from numpy import float32

    index = {entry["folder"]: entry for entry in json.load(open(os.path.join(export, "runs.json")))}
    runs = EventMultiplexer(size_guidance={"scalars": 0, "tensors": 0}).AddRunsFromDirectory(export).Reload()
    same("folders", sorted(runs.Runs()), sorted(index))
    same("arms", sorted(entry["arm"] for entry in index.values()), sorted(expected))
    for folder, entry in index.items():
        manifest, columns, rows, _ = expected[entry["arm"]]
        times = {int(row["round"]): float(row["time_s"]) for row in rows}
        same("tags", sorted(runs.Runs()[folder]["scalars"]), sorted(columns))
        for name, points in columns.items():
            events = runs.Scalars(folder, name)
            same(name, [(event.step, event.value) for event in events], [(step, float(float32(value))) for step, value in points])
            same(name, [event.wall_time for event in events], [times[step] for step, _ in points])
        text = tensor_util.make_ndarray(runs.Tensors(folder, "scenario")[0].tensor_proto)[0].decode()
        same("scenario", text, "".join(f"    {line}\n" for line in manifest["scenario_text"].split("\n")))


def wandb(export, expected):
    import struct
    import zlib

    from wandb.proto import wandb_internal_pb2

    def messages(path):
        log, data, at = open(path, "rb").read(), b"", 7
        same("head", struct.unpack("<4sHB", log[:7]), (b":W&B", 0xBEE1, 0))
        while at < len(log):
            if 32768 - at % 32768 < 7:
                at += 32768 - at % 32768
                continue
            checksum, length, kind = struct.unpack("<IHB", log[at : at + 7])
            piece = log[at + 7 : at + 7 + length]
            same("checksum", zlib.crc32(piece, zlib.crc32(bytes([kind]))), checksum)
            at, data = at + 7 + length, data + piece
            if kind in (1, 4):
                message = wandb_internal_pb2.Record()
                message.ParseFromString(data)
                data = b""
                yield message

    found = []
    for path in glob.glob(os.path.join(export, "offline-run-*", "run-*.wandb")):
        history, arm = {}, None
        for number, message in enumerate(messages(path)):
            same("number", message.num, number + 1)
            kind = message.WhichOneof("record_type")
            if kind == "run":
                config = {item.key: json.loads(item.value_json) for item in message.run.config.update}
                arm = config["fedbits.arm"]
                same("name", message.run.display_name, arm)
            elif kind == "history":
                values = {item.nested_key[0]: json.loads(item.value_json) for item in message.history.item}
                same("step", values.pop("_step"), message.history.step.num)
                same("time", (values.pop("_runtime"), values.pop("_timestamp")), (values["time_s"],) * 2)
                for name, value in values.items():
                    history.setdefault(name, []).append((message.history.step.num, float(value)))
            elif kind == "summary":
                last = {item.nested_key[0]: json.loads(item.value_json) for item in message.summary.update}
            elif kind == "files":
                files = sorted(item.path for item in message.files.files)
            elif kind == "exit":
                same("exit code", message.exit.exit_code, 0)
        manifest, columns, rows, _ = expected[arm]
        same("last message", kind, "exit")
        same("history", history, columns)
        same("summary", {name: last[name] for name in columns}, {name: points[-1][1] for name, points in columns.items()})
        same("seed", config["seed"], manifest["seed"])
        same("files", files, sorted(manifest["files"] + ["manifest.json"]))
        there = os.listdir(os.path.join(os.path.dirname(path), "files"))
        same("files", sorted(there), files)
        found.append(arm)
    same("arms", sorted(found), sorted(expected))


def parquet(export, expected):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(os.path.join(export, "rounds.parquet")).to_pylist()
    same("arms", sorted({row["arm"] for row in table}), sorted(expected))
    for arm, (manifest, columns, rows, folder) in expected.items():
        own = [row for row in table if row["arm"] == arm]
        same("rows", [row["round"] for row in own], [int(row["round"]) for row in rows])
        same("seed", {row["seed"] for row in own}, {manifest["seed"]})
        for name in set(table[0]) - {"arm", "scenario", "seed", "replicate", "round"}:
            found = [(row["round"], float(row[name])) for row in own if row[name] is not None]
            same(name, found, columns.get(name, []))
        for name in ["clients", "components"]:
            with open(os.path.join(folder, name + ".csv")) as file:
                lines = list(csv.DictReader(file))
            there = pyarrow.parquet.read_table(os.path.join(export, name + ".parquet")).to_pylist()
            there = [row for row in there if row["arm"] == arm]
            same(name, len(there), len(lines))
            for row, line in zip(there, lines):
                for column, cell in line.items():
                    value = row[column] if isinstance(row[column], str) else None if row[column] is None else float(row[column])
                    same(f"{name}.{column}", value, cell if isinstance(value, str) else None if cell == "" else float(cell))


def numpy(export, expected):
    import numpy

    for _, _, _, folder in expected.values():
        arrays = numpy.load(os.path.join(folder, "model.npz"))
        with open(os.path.join(folder, "model.json")) as file:
            model = json.load(file)
        names = ["theta", "columns", "parameter_columns"]
        same("names", sorted(arrays), sorted([*model["parameters"], *names]))
        for name, value in [*model["parameters"].items(), *((name, model[name]) for name in names)]:
            same(name, arrays[name].tolist(), value)
            same(name, arrays[name].dtype.kind, "U" if numpy.array(value).dtype.kind == "U" else "f")


if __name__ == "__main__":
    tool, export, folder = sys.argv[1:]
    try:
        {reader.__name__: reader for reader in [mlflow, tensorboard, wandb, parquet, numpy]}[tool](export, records(folder))
    except ModuleNotFoundError as error:
        print(error)
        sys.exit(3)
