"""Scenarios whose arms and replicates are run into one folder."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fedbits import _fedbits, _figure, _frame
from fedbits._errors import Caveat, CaveatWarning, FailedRunWarning, caveats, so_many
from fedbits._figure import Figure
from fedbits._files import Files
from fedbits._machine import Machine, Progress, end, machine
from fedbits._object_parts import tell_changes
from fedbits._run import PathLike, ScenarioLike, changes, source_of
from fedbits._verify import compared


class StudyRun(_frame.Tables):
    """The results of a study."""

    def __init__(self, files: Files) -> None:
        self._files = files

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self._files.path

    @property
    def results(self) -> Any:
        """`results.csv` as a data frame: a row per run. It is read once; `table("results")` reads it anew."""
        return self._kept("results")

    @property
    def curves(self) -> Any:
        """`curves.csv` as a data frame: a row per run and recorded round. It is read once, as `results`."""
        return self._kept("curves")

    def table(self, name: str) -> Any:
        """A table of the study as a data frame."""
        file = self.folder / f"{name}.csv"
        if not file.is_file():
            there = sorted(path.stem for path in self.folder.glob("*.csv"))
            raise KeyError(f"the study has no table `{name}`; it has {', '.join(there) or 'none: it is not finished'}")
        return _frame.of(_fedbits.read_tables([(file, [])]))

    def compare(self) -> Any:
        """The arms against the baseline as a data frame: medians, paired ratios with intervals, ranks, Pareto front.

        `CaveatWarning` tells what you must know before you trust it.
        """
        table, rows = _fedbits.compare([self.folder])
        _tell(caveats(rows))
        return _frame.of(table)

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

    def verify(self, threads: int | None = None, data: PathLike | None = None) -> list[Path]:
        """Run every run again that has a result, and compare; raise `fb.Error` with what differs.

        Args:
            threads: As for `fb.run`.
            data: The only folder in which data files are looked for; None: where the study looked.

        Returns:
            The files that were read.
        """
        options = machine(threads, None, self._files.data if data is None else data, False, False)
        options.only_data = data is not None
        return compared(self.folder, self._files.kept, None, options)

    def __repr__(self) -> str:
        return f"<fedbits study in {self.folder}>"


def study(
    scenario: ScenarioLike,
    out: PathLike | None = None,
    set: Mapping[str, object] | None = None,
    *,
    seed: int | None = None,
    workers: int | None = None,
    retry_failed: bool = False,
    data: PathLike | None = None,
    max_memory: int | None = None,
    audit: bool = False,
    progress: Progress = None,
) -> StudyRun:
    """Run what is missing of a scenario's arms, axes and replicates.

    Args:
        scenario, set, seed: As for `fb.run`.
        out: Where results are, and where it goes on from what is there. None: a temporary folder, which is
            removed with the result.
        workers: Runs at a time; None: one per core. No result depends on it.
        retry_failed: Run again what failed before, too.
        data, max_memory, audit, progress: As for `fb.run`.

    Examples:
        >>> import fedbits as fb
        >>> axis = fb.GridAxis(path="protocol.gamma", values=["0.02", "0.05"])
        >>> steps = {"base": "quickstart", "arms": [], "axes": [axis], "replicates": 3}
        >>> steps["targets"] = [fb.MeanFieldSqTarget(1e-2)]
        >>> short = {"stop.rounds": 40, "protocol.compressor": "RandK(k: 20)"}
        >>> study = fb.study(steps, set=short, workers=2, progress=False)
        >>> len(study.results)
        6
        >>> sorted(set(study.compare()["arm"]))
        ['0.02', '0.05']
    """
    keep: list[object] = []
    source, sets = source_of(scenario, keep), changes(set, seed, keep)
    files = Files(out, keep, data)
    options = machine(workers, max_memory, data, audit, progress)
    done = _play((source, sets), None, retry_failed, files.path, keep, options)
    if done.failed:
        what = f"{so_many(done.failed, 'run')} of the study failed, or could not be begun: see `results`"
        warnings.warn(what, FailedRunWarning, stacklevel=2)
    if done.orphaned:
        warnings.warn(
            f"{done.orphaned} results in `{files.path}` are of no run of this study: of a former state of it, or of "
            "parts whose process took a model or a compressor for another one, so that their runs were made again",
            stacklevel=2,
        )
    _tell(caveats(done.caveats))
    return StudyRun(files)


def _tell(told: list[Caveat]) -> None:
    """Warns whoever called the caller."""
    for caveat in told:
        warnings.warn(caveat, CaveatWarning, stacklevel=3)


def _play(
    given: tuple[str | tuple[str, str], list[tuple[str, str]]],
    shard: tuple[int, int] | None,
    retry_failed: bool,
    out: Path,
    keep: list[object],
    options: Machine,
) -> _fedbits.Studied:
    try:
        return _fedbits.study(*given, (shard, retry_failed), out, keep, options)
    finally:
        end(options)
        tell_changes(keep)


def run_shard(
    scenario: ScenarioLike,
    index: int,
    count: int,
    out: PathLike,
    set: Mapping[str, object] | None = None,
    *,
    threads: int | None = 1,
    data: PathLike | None = None,
) -> tuple[int, int]:
    """Run part `index` of `count` (from 0) of a scenario's runs, for engines that start many tasks: Ray, Dask, joblib, submitit.

    All arguments are plain: nothing of a run has to be pickled. When all parts are done, `fb.study(scenario, out)`
    writes the tables.

    Args:
        scenario, set: As for `fb.run`.
        index, count: Which part, of how many.
        out: The folder of the results, the same for all parts.
        threads: Threads of this part.
        data: The folder of data files.

    Returns:
        How many results the folder has now, and how many runs failed, or could not be begun.

    Examples:
        >>> import tempfile
        >>> import fedbits as fb
        >>> axis = fb.GridAxis(path="protocol.gamma", values=["0.02", "0.05"])
        >>> steps = {"base": "quickstart", "arms": [], "stop": fb.Stop(rounds=5), "axes": [axis], "replicates": 2}
        >>> with tempfile.TemporaryDirectory() as out:
        ...     print(fb.run_shard(steps, 0, 2, out), fb.run_shard(steps, 1, 2, out))
        (2, 0) (4, 0)
    """
    if index < 0 or count < 1:
        raise ValueError(f"part {index} of {count}: expected a number from 0 of at least 1")
    keep: list[object] = []
    given = source_of(scenario, keep), changes(set, None, keep)
    options = machine(threads, None, data, False, False)
    done = _play(given, (index, count), False, Path(out), keep, options)
    return done.results, done.failed
