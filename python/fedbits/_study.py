"""Studies: many variants and replicates of a scenario."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from fedbits import _fedbits, _figure, _frame
from fedbits._errors import FailedRunWarning
from fedbits._figure import Figure
from fedbits._files import Files
from fedbits._machine import Progress, end, machine
from fedbits._part import UNSET, to_ron
from fedbits._run import PathLike
from fedbits.parts import Study as StudyParts

StudyLike = StudyParts | str | os.PathLike[str] | Mapping[str, Any]


class StudyRun:
    """The results of a study."""

    def __init__(self, files: Files) -> None:
        self._files = files

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self._files.path

    @cached_property
    def results(self) -> Any:
        """`results.csv` as a data frame: a row per run."""
        return self.table("results")

    @cached_property
    def curves(self) -> Any:
        """`curves.csv` as a data frame: a row per run and recorded round."""
        return self.table("curves")

    def table(self, name: str) -> Any:
        """A table of the study as a data frame."""
        file = self.folder / f"{name}.csv"
        if not file.is_file():
            there = sorted(path.stem for path in self.folder.glob("*.csv"))
            raise KeyError(f"the study has no table `{name}`; it has {', '.join(there) or 'none: it is not finished'}")
        return _frame.of(_fedbits.read_tables([(file, [])]))

    def compare(self) -> Any:
        """The arms against the baseline as a data frame: medians, paired ratios with intervals, ranks, Pareto front."""
        return _frame.of(_fedbits.compare([self.folder]))

    def figure(
        self, y: str | Sequence[str] | None = None, x: str | Sequence[str] | None = None, style: str = "icml"
    ) -> Figure:
        """The first figure that the study declares, or curves of quantities, as `fb.Run.figure`."""
        return _figure.draw([self.folder], y, x, style)

    def report(
        self, out: PathLike, formats: Sequence[str] = ("svg", "png", "pdf", "html"), style: str = "icml"
    ) -> list[Path]:
        """Write every declared figure and the interactive page into a folder."""
        return [Path(path) for path in _fedbits.report([self.folder], Path(out), list(formats), style, None, None)]

    def __repr__(self) -> str:
        return f"<fedbits study in {self.folder}>"


def _source(study: StudyLike) -> str | tuple[str, str]:
    if isinstance(study, StudyParts):
        if study.name is UNSET:
            study = study.replace(name="study")
        return study.name, to_ron(study)
    if isinstance(study, Mapping):
        return str(study.get("name", "study")), _fedbits.from_json(json.dumps({"name": "study", **study}), True)
    text = os.fspath(study)
    return ("study", text) if text.lstrip().startswith(("(", "//", "#![")) else text


def study(
    study: StudyLike,
    out: PathLike | None = None,
    *,
    workers: int | None = None,
    data: PathLike | None = None,
    max_memory: int | None = None,
    audit: bool = False,
    progress: Progress = None,
) -> StudyRun:
    """Run what is missing of a study.

    Args:
        study: A name of the library, a file, an `fb.Study`, a mapping, or a text in RON.
        out: Where results are, and where the study goes on from what is there. None: a temporary folder, which is
            removed with the result.
        workers: Runs at a time; None: one per core. No result depends on it.
        data, max_memory, audit, progress: As for `fb.run`.
    """
    files = Files(out)
    options = machine(workers, max_memory, data, audit, progress)
    try:
        _, failed = _fedbits.study(_source(study), None, files.path, options)
    finally:
        end(options)
    if failed:
        warnings.warn(f"{failed} runs of the study failed: see `results`", FailedRunWarning, stacklevel=2)
    return StudyRun(files)


def run_shard(
    study: StudyLike, index: int, count: int, out: PathLike, *, threads: int | None = 1, data: PathLike | None = None
) -> tuple[int, int]:
    """Run part `index` of `count` (from 0) of a study, for engines that start many tasks: Ray, Dask, joblib, submitit.

    All arguments are plain: nothing of a run has to be pickled. When all parts are done, `fb.study(study, out)` writes
    the tables.

    Args:
        study: As for `fb.study`.
        index, count: Which part, of how many.
        out: The folder of the results, the same for all parts.
        threads: Threads of this part.
        data: The folder of data files.

    Returns:
        How many results the folder has now, and how many runs of them failed.
    """
    options = machine(threads, None, data, False, False)
    done, failed = _fedbits.study(_source(study), (index, count), Path(out), options)
    return done, failed
