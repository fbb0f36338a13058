"""Runs in MLflow, TensorBoard and Weights & Biases, through the clients of these projects.

Each function takes the result of `fb.run`. A run of the tracker is one replicate of one arm. Steps are
rounds. A value that was not measured in a round has no point. MLflow and TensorBoard show simulated time as time since
1970.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fedbits._run import Run

__all__ = ["mlflow", "tensorboard", "wandb"]


class _TrackedRun(NamedTuple):
    """One replicate of one arm: its status in MLflow's words, what is known of it by name, and its rounds by column."""

    arm: str
    replicate: int
    status: str
    config: dict[str, Any]
    rounds: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.arm}, replicate {self.replicate}"

    def points(self) -> Iterator[tuple[int, float, dict[str, float]]]:
        """The number of each round, its end in simulated seconds, and the values measured in it."""
        columns = {name: column for name, column in self.rounds.items() if column.dtype.kind in "iuf"}
        for row, number in enumerate(columns.pop("round")):
            values = {name: float(column[row]) for name, column in columns.items() if not np.isnan(column[row])}
            yield int(number), values["time_s"], values


def _arrays(result: Run, table: str) -> dict[str, Any]:
    return {name: np.asarray(column) for name, column in result._files.table(table).take_dict().items()}


def _runs(result: Run) -> Iterator[_TrackedRun]:
    if not isinstance(result, Run):
        raise TypeError(f"the result is a {type(result).__name__}: expected what `fb.run` returned")
    runs, every = _arrays(result, "runs"), _arrays(result, "rounds")
    for row, (arm, replicate) in enumerate(zip(runs["arm"], runs["replicate"])):
        config = {name: column[row] for name, column in runs.items()}
        config = {name: value.item() if isinstance(value, np.generic) else value for name, value in config.items()}
        here = (every["arm"] == arm) & (every["replicate"] == replicate)
        rounds = {name: column[here] for name, column in every.items() if name != "replicate"}
        status = {"failed": "FAILED", "not_run": "FAILED", "cut": "KILLED"}.get(config["status"], "FINISHED")
        yield _TrackedRun(str(arm), int(replicate), status, config, rounds)


def _client(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{module}: {error}; the client comes with `pip install {package}`") from error


def mlflow(result: Run, experiment: str, uri: str | None = None) -> None:
    """Log the runs to an experiment of MLflow (`pip install mlflow`). Each call adds new runs.

    Args:
        result: What `fb.run` returned.
        experiment: The name of the experiment; it is made if there is none.
        uri: The tracking server or database, such as `sqlite:///mlflow.db`; None: as MLflow is configured.

    Raises:
        ImportError: The client is not installed.
    """
    tracking, entities = _client("mlflow.tracking", "mlflow"), _client("mlflow.entities", "mlflow")
    client = tracking.MlflowClient(tracking_uri=uri)
    found = client.get_experiment_by_name(experiment)
    experiment_id = client.create_experiment(experiment) if found is None else found.experiment_id
    for run in _runs(result):
        run_id = client.create_run(experiment_id, start_time=0, run_name=run.name, tags={"arm": run.arm}).info.run_id
        params = [entities.Param(name, str(value)) for name, value in run.config.items()]
        metrics = [
            entities.Metric(name, value, round(seconds * 1000), step)
            for step, seconds, values in run.points()
            for name, value in values.items()
        ]
        # MLflow takes at most 100 parameters and 1000 metrics in a request.
        for first in range(0, len(params), 100):
            client.log_batch(run_id, params=params[first : first + 100])
        for first in range(0, len(metrics), 1000):
            client.log_batch(run_id, metrics[first : first + 1000])
        client.set_terminated(run_id, run.status, end_time=metrics[-1].timestamp if metrics else 0)


def tensorboard(result: Run, folder: str | os.PathLike[str]) -> None:
    """Write event files of TensorBoard (`pip install tensorboard`), a new folder for each run.

    TensorBoard keeps values in single precision. What else is known of a run is its text `run`.

    Args:
        result: What `fb.run` returned.
        folder: The log directory: `tensorboard --logdir FOLDER` shows it.

    Raises:
        ImportError: The client is not installed.
        FileExistsError: The log directory has the folder of a run already.
    """
    writers = _client("tensorboard.summary.writer.event_file_writer", "tensorboard")
    event, summary = (_client(f"tensorboard.compat.proto.{name}_pb2", "tensorboard") for name in ("event", "summary"))
    text = _client("tensorboard.plugins.text.summary_v2", "tensorboard")
    for number, run in enumerate(_runs(result)):
        name = "".join(letter if letter.isalnum() or letter in "._-=+" else "-" for letter in run.name)
        path = Path(folder, f"{number}-{name}")
        path.mkdir(parents=True)
        writer = writers.EventFileWriter(str(path))
        about = text.text_pb(
            "run", json.dumps({"name": run.name, "status": run.status, **run.config}, ensure_ascii=False)
        )
        writer.add_event(event.Event(wall_time=0, step=0, summary=about))
        for step, seconds, values in run.points():
            scalars = [summary.Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
            writer.add_event(event.Event(wall_time=seconds, step=step, summary=summary.Summary(value=scalars)))
        writer.close()


def wandb(result: Run, project: str, **options: Any) -> None:
    """Log the runs to a project of Weights & Biases (`pip install wandb`). Arms are groups. Each call adds new runs.

    Args:
        result: What `fb.run` returned.
        project: The name of the project.
        options: Further arguments of `wandb.init`, such as `mode="offline"`.

    Raises:
        ImportError: The client is not installed.
    """
    client = _client("wandb", "wandb")
    for run in _runs(result):
        logged = client.init(project=project, group=run.arm, name=run.name, config=run.config, **options)
        for step, _, values in run.points():
            logged.log(values, step=step)
        logged.finish(exit_code=int(run.status == "FAILED"))
