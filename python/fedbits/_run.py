"""Runs and their records."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from fedbits import _fedbits, _figure, _frame
from fedbits._errors import Caveat, CaveatWarning, FailedRunWarning, caveats
from fedbits._figure import Figure
from fedbits._files import Files
from fedbits._machine import Progress, end, machine
from fedbits._mapping import mapping_to_ron
from fedbits._model import FittedModel
from fedbits._part import UNSET, to_ron
from fedbits._table import Table
from fedbits._verify import compared
from fedbits.parts import ClientColumn, Scenario

PathLike = str | os.PathLike[str]


class RunRecord(_frame.Tables):
    """What a run left: one arm, one replicate.

    Attributes:
        arm: Name of the arm.
        replicate: Number of the replicate.
        failure: Why the run failed, if it did.
        caveats: What must be known before its results are trusted.
    """

    def __init__(self, ended: _fedbits.Ended, files: Files) -> None:
        self.arm: str = ended.arm
        self.replicate: int = ended.replicate
        self.failure: str | None = ended.failure
        self.caveats: list[Caveat] = caveats(ended.caveats)
        self._objects = ended.objects
        self._files = files
        self._place = Path(ended.folder).relative_to(files.path)

    @property
    def folder(self) -> Path:
        """Its files; `docs/records.md` has all of them."""
        return self._files.path / self._place

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """`manifest.json`: the scenario as resolved, seed, digests, why it ended, totals."""
        manifest: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        return manifest

    @property
    def digests(self) -> dict[str, str]:
        """The digests of data, events and state: the same on any machine.

        With principal components they can depend on the processor, with a model in Python also on the versions of
        Python and NumPy.
        """
        return dict(self.manifest["digests"])

    @property
    def rounds(self) -> Any:
        """`rounds.csv` as a data frame: a row per recorded round. It is read once; `table("rounds")` reads it anew."""
        return self._kept("rounds")

    def table(self, name: str) -> Any:
        """A table of the record as a data frame: `rounds`, `ledger`, `clients`, `theta`, …"""
        return _table(name, [(self, [])])

    @cached_property
    def model(self) -> FittedModel:
        """The fitted model in the units of the data."""
        return FittedModel.read(self.folder)

    def figure(
        self, y: str | Sequence[str] | None = None, x: str | Sequence[str] | None = None, style: str = "icml"
    ) -> Figure:
        """As `Run.figure`, of this record alone."""
        return _figure.draw([self.folder], y, x, style)

    def verify(self, threads: int | None = None, data: PathLike | None = None) -> list[Path]:
        """Run it again and compare; raise `fb.Error` with what differs. Returns the files that were read.

        Args:
            threads: As for `fb.run`.
            data: The only folder in which data files are looked for; None: where the run looked.
        """
        options = machine(threads, None, self._files.data if data is None else data, False, False)
        options.only_data = data is not None
        return compared(self.folder, self._files.kept, self._objects, options)

    def __repr__(self) -> str:
        return f"<fedbits record: {self.arm}, replicate {self.replicate}, {self.manifest['stop_reason']}>"


class Run(_frame.Tables):
    """The records of a scenario: of all its arms and replicates.

    Attributes:
        records: One per arm and replicate.
    """

    def __init__(self, records: list[RunRecord], files: Files) -> None:
        self.records = records
        self._files = files

    @property
    def folder(self) -> Path:
        """Where the records are."""
        return self._files.path

    def __getitem__(self, arm: str | int) -> RunRecord:
        """The first record of an arm, by its name, or a record by its number."""
        if isinstance(arm, int):
            return self.records[arm]
        for record in self.records:
            if record.arm == arm:
                return record
        raise KeyError(f"there is no arm `{arm}`; there are {', '.join(self.arms)}")

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[RunRecord]:
        return iter(self.records)

    @property
    def arms(self) -> list[str]:
        """Names of the arms."""
        return list(dict.fromkeys(record.arm for record in self.records))

    @property
    def rounds(self) -> Any:
        """A row per recorded round as a data frame; of several records with the columns `arm` and `replicate`.

        It is read once, and what is changed in it stays changed; `table("rounds")` reads it anew.
        """
        return self._kept("rounds")

    def table(self, name: str) -> Any:
        """A table of all records that have it as one data frame: `rounds`, `ledger`, `clients`, `theta`, …"""
        several = len(self.records) > 1
        cells = [[("arm", own.arm), ("replicate", str(own.replicate))] if several else [] for own in self.records]
        return _table(name, list(zip(self.records, cells)))

    @property
    def model(self) -> FittedModel:
        """The fitted model of a run with one record."""
        if len(self.records) > 1:
            raise ValueError(
                f"there are {len(self.records)} records: expected one, as in `run[{self.arms[0]!r}].model`"
            )
        return self.records[0].model

    @property
    def digests(self) -> list[dict[str, str]]:
        """The digests of each record."""
        return [record.digests for record in self.records]

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
        return _figure.draw([record.folder for record in self.records], y, x, style)

    def report(
        self, out: PathLike, formats: Sequence[str] = ("svg", "png", "pdf", "html"), style: str = "icml"
    ) -> list[Path]:
        """Write every declared figure and the interactive page into a folder."""
        folders = [record.folder for record in self.records]
        return [Path(path) for path in _fedbits.report(folders, Path(out), list(formats), style, None, None)]

    def save(self, out: PathLike) -> Path:
        """Copy the records into a new folder."""
        return Path(shutil.copytree(self.folder, out))

    def __repr__(self) -> str:
        records = "1 record" if len(self.records) == 1 else f"{len(self.records)} records"
        return f"<fedbits run: {', '.join(self.arms)}; {records} in {self.folder}>"


def _table(name: str, records: list[tuple[RunRecord, list[tuple[str, str]]]]) -> Any:
    """A table of those records that have it, each row after these cells."""
    files = [(record.folder / f"{name}.csv", before) for record, before in records]
    there = [(file, before) for file, before in files if file.is_file()]
    if not there:
        known = sorted({path.stem for record, _ in records for path in record.folder.glob("*.csv")})
        arms = ", ".join(dict.fromkeys(f"`{record.arm}`" for record, _ in records))
        raise KeyError(f"{arms}: no record has a table `{name}`; there are {', '.join(known)}")
    return _frame.of(_fedbits.read_tables(there))


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
    audit: bool = False,
    progress: Progress = None,
) -> Run:
    """Run all arms of a scenario.

    Args:
        scenario: A name of the library (`fb.library()`), a file, an `fb.Scenario`, a mapping, or a text in RON.
        set: Changes by path: `{"protocol.compressor": "TopK(k: 6)"}`. Texts are RON as with `--set`; other values, and
            parts such as `fb.TopK(k=6)`, are taken as they are. A part is no mapping: `fb.Stop(rounds=5)`.
        seed: The root of all random draws.
        replicates: How often every arm is run, each time with other draws.
        out: A new or empty folder for the records; None: a temporary one, which is removed with the result.
        data: The folder of data files, beside the scenario's own and that of `FEDBITS_DATA`.
        threads: None: all cores. No result depends on it.
        max_memory: Bytes that all runs of the process may take together, as the first call says.
        audit: Write, read back and compare every message's bit string, not a sample.
        progress: A bar (of tqdm), or a function of a text, what is done and of how much. None: a bar where somebody
            looks and tqdm is installed.

    Returns:
        The records. A run that diverges has one too: `FailedRunWarning` tells of it.

    Raises:
        ScenarioError: The scenario is wrong; `problems` has the places.
        Error: It cannot be run.

    Examples:
        >>> import fedbits as fb
        >>> run = fb.run("quickstart", {"stop.rounds": 5, "protocol.compressor": fb.RandK(k=6)}, seed=2, progress=False)
        >>> run.arms
        ['uncompressed', 'dithering-2', 'rand-6', 'dithering-2-naive']
        >>> len(run["rand-6"].rounds)
        6
        >>> run["rand-6"].model.parameters["means"].shape
        (3, 10)
    """
    keep: list[object] = []
    source, sets = source_of(scenario, keep), changes(set, seed, keep)
    if replicates is not None and not 1 <= replicates <= 1000:
        raise ValueError(f"{replicates} replicates: expected 1 to 1000")
    if replicates is not None:
        sets.append(("replicates", str(replicates)))
    files = Files(out, keep, data)
    options = machine(threads, max_memory, data, audit, progress)
    try:
        ended = _fedbits.run(source, sets, files.path, keep, options)
    finally:
        end(options)
    records = [RunRecord(own, files) for own in ended]
    warn(records)
    return Run(records, files)


def warn(records: list[RunRecord]) -> None:
    """Tells of failures and caveats, each once."""
    for failure in dict.fromkeys(f"{own.arm}: {own.failure}" for own in records if own.failure):
        warnings.warn(failure, FailedRunWarning, stacklevel=3)
    for caveat in dict.fromkeys(caveat for own in records if not own.failure for caveat in own.caveats):
        warnings.warn(caveat, CaveatWarning, stacklevel=3)
