"""Scenarios that are run, and the results of their runs."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from fedbits import _fedbits, _figure, _frame
from fedbits._errors import Caveat, CaveatWarning, FailedRunWarning, caveats, so_many
from fedbits._figure import Figure
from fedbits._files import Files
from fedbits._machine import Machine, Progress, end, machine
from fedbits._mapping import mapping_to_ron
from fedbits._model import FittedModel
from fedbits._object_parts import tell_changes
from fedbits._part import UNSET, to_ron
from fedbits._table import Table
from fedbits._verify import made_again
from fedbits.parts import ClientColumn, Scenario

PathLike = str | os.PathLike[str]


class RunRecord(_frame.Tables):
    """One run: an arm and a replicate.

    Attributes:
        arm: Name of the arm.
        replicate: Number of the replicate.
    """

    def __init__(self, files: Files, arm: str, key: tuple[int, int]) -> None:
        self._files, self._key = files, key
        self.arm = arm
        self.replicate = key[1]

    @cached_property
    def _ended(self) -> tuple[dict[str, Any], str | None, list[Caveat]]:
        text, failure, rows = self._files.results.run(*self._key)
        return json.loads(text), failure, caveats(rows)

    @property
    def manifest(self) -> dict[str, Any]:
        """The scenario as resolved, seed, digests, why the run ended, totals."""
        return self._ended[0]

    @property
    def failure(self) -> str | None:
        """Why the run failed, if it did."""
        return self._ended[1]

    @property
    def caveats(self) -> list[Caveat]:
        """What must be known before its results are trusted."""
        return self._ended[2]

    @property
    def digests(self) -> dict[str, str]:
        """The digests of data, events and state: the same on any machine.

        With principal components they can depend on the processor, with a model in Python also on the versions of
        Python and NumPy.
        """
        return dict(self.manifest["digests"])

    @property
    def rounds(self) -> Any:
        """A row per recorded round as a data frame. It is read once; `table("rounds")` reads it anew."""
        return self._kept("rounds")

    def table(self, name: str) -> Any:
        """The rows of this run in a table of `Run.table`, as a data frame."""
        return _frame.of(self._files.table(name, self._key))

    @property
    def model(self) -> FittedModel:
        """The fitted model in the units of the data. It is kept of the first replicate of each arm."""
        return FittedModel(json.loads(self._files.results.model(*self._key)))

    def figure(
        self, y: str | Sequence[str] | None = None, x: str | Sequence[str] | None = None, style: str = "icml"
    ) -> Figure:
        """As `Run.figure`, of the runs of this arm alone."""
        return _figure.draw(self._files.path, y, x, style, self.arm)

    def __repr__(self) -> str:
        return f"<fedbits run: {self.arm}, replicate {self.replicate}, {self.manifest['stop_reason']}>"


class Run(_frame.Tables):
    """The results of a scenario: the runs of all its arms and replicates in a folder.

    `len(run)` is the number of runs that have a result, and iteration gives each as a `RunRecord`, arm by arm.
    """

    def __init__(self, files: Files) -> None:
        self._files = files

    @property
    def folder(self) -> Path:
        """Where the results are; `docs/records.md` has the files."""
        return self._files.path

    @cached_property
    def arms(self) -> list[str]:
        """Names of the arms."""
        return self._files.results.arms

    @cached_property
    def _records(self) -> list[RunRecord]:
        return [RunRecord(self._files, self.arms[key[0]], key) for key in self._files.results.runs]

    def __getitem__(self, arm: str | int) -> RunRecord:
        """The first run of an arm that has a result, by the name of the arm, or a run by its number."""
        if isinstance(arm, int):
            return self._records[arm]
        if arm not in self.arms:
            raise KeyError(f"there is no arm `{arm}`; there are {', '.join(self.arms)}")
        for record in self._records:
            if record.arm == arm:
                return record
        raise KeyError(f"no run of the arm `{arm}` has a result")

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[RunRecord]:
        return iter(self._records)

    @property
    def runs(self) -> Any:
        """A row per run as a data frame: seed, how it ended, totals, targets, digests.

        It is read once, and what is changed in it stays changed; `table("runs")` reads it anew.
        """
        return self._kept("runs")

    @property
    def rounds(self) -> Any:
        """A row per run and recorded round as a data frame. It is read once, as `runs`."""
        return self._kept("rounds")

    def table(self, name: str) -> Any:
        """A table of all runs that have it as a data frame: `runs`, `rounds`, `ledger`, `clients`, `theta`, …

        The first columns are the arm, the level on each axis, and the replicate.
        """
        return _frame.of(self._files.table(name))

    def compare(self) -> Any:
        """The arms against the baseline as a data frame: medians, paired ratios with intervals, ranks, Pareto front.

        `CaveatWarning` tells what you must know before you trust it.
        """
        table, rows = _fedbits.compare([self.folder])
        _warn(caveats(rows))
        return _frame.of(table)

    @property
    def model(self) -> FittedModel:
        """The fitted model of a scenario with one arm."""
        if len(self.arms) > 1:
            raise ValueError(f"there are {len(self.arms)} arms: expected one, as in `run[{self.arms[0]!r}].model`")
        return self[self.arms[0]].model

    @property
    def digests(self) -> list[dict[str, str]]:
        """The digests of each run that has a result."""
        return [record.digests for record in self]

    def figure(
        self, y: str | Sequence[str] | None = None, x: str | Sequence[str] | None = None, style: str = "icml"
    ) -> Figure:
        """A figure that notebooks show.

        Args:
            y: Quantities: columns of `rounds`. None: the first figure that the scenario declares.
            x: Horizontal axes, a panel each: `"rounds"`, `"epochs"`, `"bits-up"`, `"bits-total"`, `"time"`, …
            style: The venue whose page it is for.

        Examples:
            >>> import fedbits as fb
            >>> run = fb.run("quickstart", {"stop.rounds": 5}, progress=False)
            >>> figure = run.figure("mean_field_sq", x=["bits-up", "time"])
            >>> figure._repr_png_()[1:4]
            b'PNG'
        """
        return _figure.draw(self.folder, y, x, style)

    def report(
        self,
        out: PathLike,
        formats: Sequence[str] = ("svg", "png", "pdf", "html"),
        style: str = "icml",
        page: Literal["run"] | None = None,
        engine: PathLike | None = None,
        with_data: bool = False,
    ) -> list[Path]:
        """Write every declared figure and the interactive page into a folder.

        Args:
            out: The folder.
            formats: Endings of the figures, and `"html"` for the page.
            style: The venue whose page they are for.
            page: `"run"`: readers can run the experiment in the page, with other settings.
            engine: The engine of such a page, a file made by `tools/engine`; None: the one inside this package.
            with_data: Put the scenario's data files, at most 4 MB, into the page.

        Raises:
            Error: The package has no engine, or a file is not one; data are too large or not found.
        """
        if page not in (None, "run"):
            raise ValueError(f'the page is "{page}": expected "run" or None')
        runs = None if page is None else (None if engine is None else Path(engine), with_data)
        written = _fedbits.report([self.folder], Path(out), list(formats), style, (None, None), runs)
        return [Path(path) for path in written]

    def save(self, out: PathLike) -> Path:
        """Copy the results into a new folder."""
        return Path(shutil.copytree(self.folder, out))

    def verify(self, threads: int | None = None, data: PathLike | None = None) -> list[Path]:
        """Make every run again that has a result, and compare; raise `fb.Error` with what differs.

        Args:
            threads: As for `fb.run`.
            data: The only folder in which data files are looked for; None: where the runs looked.

        Returns:
            The files that were read.
        """
        return made_again(self.folder, self._files.kept, threads, data, self._files.data)

    def __repr__(self) -> str:
        arms = ", ".join(self.arms) if len(self.arms) <= 10 else so_many(len(self.arms), "arm")
        return f"<fedbits results: {arms}; {so_many(len(self), 'run')} in {self.folder}>"


def results(folder: PathLike) -> Run:
    """Open the results in a folder, which `fb.run(…, out=folder)`, `run.save(folder)` or `fedbits run` left.

    Raises:
        Error: It is not a folder of results.

    Examples:
        >>> import tempfile
        >>> import fedbits as fb
        >>> with tempfile.TemporaryDirectory() as out:
        ...     saved = fb.run("quickstart", {"stop.rounds": 2}, progress=False).save(Path(out, "saved"))
        ...     len(fb.results(saved))
        4
    """
    run = Run(Files(folder))
    _ = run.arms
    return run


ScenarioLike = Scenario | str | os.PathLike[str] | Mapping[str, Any]


def source_of(scenario: ScenarioLike, keep: list[object]) -> str | tuple[str, str]:
    """A scenario as the module takes it: a name, or a name and a text."""
    if isinstance(scenario, Scenario):
        return text_of(scenario, keep)
    if isinstance(scenario, Mapping):
        fields = {"name": "scenario", **scenario, **whole_base(scenario.get("base", UNSET))}
        if _names_clients(fields.get("data")) and "partition" not in fields:
            fields["partition"] = ClientColumn()
        return str(fields["name"]), mapping_to_ron(fields, Scenario, keep)
    return named(scenario)


def named(given: object) -> str | tuple[str, str]:
    """A scenario that is a text: what names it, or its content with a name."""
    if not isinstance(given, str | os.PathLike) or not isinstance(text := os.fspath(given), str):
        known = "a name of the library, a file, a text, a mapping or an `fb.Scenario`"
        raise TypeError(f"the scenario is a {type(given).__name__}: expected {known}")
    # As the content of a file may: with the mark of its encoding, a comment, the name of its type.
    text, begins = text.removeprefix("\ufeff"), ("(", "Scenario(", "//", "/*", "#![")
    return ("scenario", text) if text.lstrip().startswith(begins) else text


def name_of(scenario: Scenario) -> str:
    """The name of a scenario of classes."""
    name = "scenario" if scenario.name is UNSET else scenario.name
    if not isinstance(name, str):
        raise TypeError(f"the name is {name!r}: expected a text")
    return name


def whole_base(base: Any) -> dict[str, str]:
    """A base that is a file by its whole path: texts of classes and mappings lie in no folder."""
    is_file = isinstance(base, str | os.PathLike) and os.fsdecode(base).endswith(".ron")
    return {"base": Path(os.fsdecode(base)).absolute().as_posix()} if is_file else {}


def _names_clients(data: object) -> bool:
    return isinstance(data, Table) and data.has_clients  # type: ignore[attr-defined]


def text_of(scenario: Scenario, keep: list[object]) -> tuple[str, str]:
    """The name and the text of a scenario that is made of classes."""
    if _names_clients(scenario.data) and scenario.partition is UNSET:
        scenario = scenario.replace(partition=ClientColumn())
    scenario = scenario.replace(**whole_base(scenario.base))
    return name_of(scenario), to_ron(scenario, keep)


def changes(given: Mapping[str, object] | None, seed: int | None, keep: list[object]) -> list[tuple[str, str]]:
    """Changes by path; texts are RON, as with `--set`."""
    if not isinstance(given, Mapping | None):
        raise TypeError(f'`set` is {given!r}: expected a mapping by path, such as {{"stop.rounds": 5}}')
    pairs = [(path, value if isinstance(value, str) else to_ron(value, keep)) for path, value in (given or {}).items()]
    return pairs if seed is None else [*pairs, ("seed", str(seed))]


def run(
    scenario: ScenarioLike,
    set: Mapping[str, object] | None = None,
    *,
    seed: int | None = None,
    replicates: int | None = None,
    out: PathLike | None = None,
    data: PathLike | None = None,
    threads: int | None = None,
    max_memory: int | None = None,
    retry_failed: bool = False,
    audit: bool = False,
    progress: Progress = None,
) -> Run:
    """Run what is missing of a scenario: all arms, axes and replicates. `fb.study` is the same function.

    Args:
        scenario: A name of the library (`fb.library()`), a file, an `fb.Scenario`, a mapping, or a text in RON.
            A `base` that is a file is relative to the working directory; in a text it needs the whole path.
        set: Changes by path: `{"protocol.compressor": "TopK(k: 6)"}`. Texts are RON as with `--set`; other values, and
            parts such as `fb.TopK(k=6)`, are taken as they are. A part is no mapping: `fb.Stop(rounds=5)`.
        seed: The root of all random draws.
        replicates: How often every arm is run, each time with other draws.
        out: The folder of the results. Runs that it has are kept, and not made again. None: a temporary folder, which
            is removed with the result.
        data: The folder of data files, beside the scenario's own and that of `FEDBITS_DATA`.
        threads: Runs at a time, or threads of one run; None: all cores. No result depends on it.
        max_memory: Bytes that all runs of the process may take together, as the first call says.
        retry_failed: Run again what failed before, too.
        audit: Write, read back and compare every message's bit string, not a sample.
        progress: A bar (of tqdm), or a function of a text, what is done and of how much. None: a bar where somebody
            looks and tqdm is installed.

    Returns:
        The results. Of a run that fails there is one, too: `FailedRunWarning` says why.

    Raises:
        ScenarioError: The scenario is wrong; `problems` has the places.
        Error: No run can be begun for another reason.

    Examples:
        >>> import fedbits as fb
        >>> run = fb.run("quickstart", {"stop.rounds": 5, "protocol.compressor": fb.RandK(k=6)}, seed=2, progress=False)
        >>> run.arms
        ['uncompressed', 'dithering-2', 'rand-6', 'dithering-2-naive']
        >>> len(run["rand-6"].rounds)
        6
        >>> run["rand-6"].model.parameters["means"].shape
        (3, 10)
        >>> axis = fb.GridAxis(path="protocol.gamma", values=["0.02", "0.05"])
        >>> steps = {"base": "quickstart", "arms": [], "axes": [axis], "replicates": 3}
        >>> steps["targets"] = [fb.MeanFieldSqTarget(1e-2)]
        >>> short = {"stop.rounds": 40, "protocol.compressor": "RandK(k: 20)"}
        >>> compared = fb.run(steps, short, progress=False).compare()
        >>> list(dict.fromkeys(compared["arm"]))
        ['0.02', '0.05']
    """
    files = Files(out, None, data)
    source, sets = source_of(scenario, files.kept), changes(set, seed, files.kept)
    if replicates is not None:
        sets.append(("replicates", str(replicates)))
    options = machine(threads, max_memory, data, audit, progress)
    found = play((source, sets), (None, retry_failed), files, options)
    (_, _, orphaned), failures = found.counts, found.failures()
    # One line per arm: of very many the first are enough to look at `runs`.
    shown = failures if len(failures) <= 20 else [*failures[:20], f"{len(failures) - 20} more arms have failed runs"]
    for failure in shown:
        warnings.warn(failure, FailedRunWarning, stacklevel=2)
    if orphaned:
        warnings.warn(
            f"{orphaned} results in `{files.path}` are of no run of this scenario: of a former state of it, or of "
            "parts whose process took a model, a compressor or a protocol for another one, so that their runs were made again",
            stacklevel=2,
        )
    _warn(caveats(found.caveats()))
    return Run(files)


study = run


def _warn(told: list[Caveat]) -> None:
    """Warns whoever called the caller."""
    for caveat in told:
        warnings.warn(caveat, CaveatWarning, stacklevel=3)


def play(
    given: tuple[str | tuple[str, str], list[tuple[str, str]]],
    part: tuple[tuple[int, int] | None, bool],
    files: Files,
    options: Machine,
) -> _fedbits.OpenResults:
    """Run what is missing in the folder: all of it or a part, and what failed before or not."""
    try:
        files.results = _fedbits.run(*given, part, files.path, files.kept, options)
        return files.results
    finally:
        end(options)
        # Nobody goes on from a temporary folder; a protocol with state of its own gives wrong results everywhere.
        tell_changes(files.kept, protocols_alone=files.is_temporary)


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
    """Run part `index` of `count` (from 0) of a scenario's runs, as a task of Ray, Dask, joblib or submitit.

    All arguments are plain: nothing of a run has to be pickled. When all parts are done, `fb.run(scenario, out=out)`
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
    files = Files(out, None, data)
    given = source_of(scenario, files.kept), changes(set, None, files.kept)
    options = machine(threads, None, data, False, False)
    return play(given, ((index, count), False), files, options).counts[:2]
