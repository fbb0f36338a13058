"""Runs that are made again and compared with their records."""

from __future__ import annotations

import os
from pathlib import Path

from fedbits import _fedbits
from fedbits._machine import Machine, machine
from fedbits._part import to_ron


def verify(
    folder: str | os.PathLike[str],
    *objects: object,
    threads: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Run a record, the records in a folder, or a study again and compare; raise `fb.Error` with what differs.

    Args:
        folder: Of a record, of records, or of a study.
        objects: What the runs were made with that lives in Python: models, compressors, tables; or the `fb.Scenario`
            that has them.
        threads: As for `fb.run`.
        data: The only folder in which data files are looked for; None: where the runs looked.

    Returns:
        The files that were read.

    Examples:
        >>> import fedbits as fb
        >>> import tempfile
        >>> data = fb.Table([[0.0], [0.1], [3.0], [3.1]])
        >>> model, protocol, stop = fb.GaussianMixture(1), fb.FedEm(gamma=1.0), fb.Stop(rounds=2)
        >>> scenario = fb.Scenario(data=data, clients=2, model=model, protocol=protocol, stop=stop)
        >>> with tempfile.TemporaryDirectory() as out:
        ...     _ = fb.run(scenario, out=Path(out, "run"), progress=False)
        ...     fb.verify(Path(out, "run"), data)
        []
    """
    keep: list[object] = []
    for own in objects:
        to_ron(own, keep)
    options = machine(threads, None, data, False, False)
    options.only_data = data is not None
    folder = Path(folder)
    folders = [folder]
    if not any((folder / name).is_file() for name in ("manifest.json", "study.json")):
        folders = sorted(path.parent for path in folder.glob("*/manifest.json"))
    if not folders:
        raise ValueError(f"{folder} holds no record (a folder with manifest.json) and no study")
    files: list[Path] = []
    for own in folders:
        files += [path for path in compared(own, keep, None, options) if path not in files]
    return files


def compared(folder: Path, keep: list[object], numbers: set[int] | None, options: Machine) -> list[Path]:
    """The files that a record, or a study, was made again with, which is the same; an error with what differs.

    `numbers`: of the objects among those kept that the record was made with; None: all of them.
    """
    difference, files = _fedbits.verify(folder, keep, numbers, options)
    if difference is not None:
        raise _fedbits.Error(f"{folder} is not what its scenario gives: {difference}")
    return [Path(file) for file in files]
