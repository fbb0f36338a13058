"""Runs that are made again and compared with their results."""

from __future__ import annotations

import os
from pathlib import Path

from fedbits import _fedbits
from fedbits._machine import machine
from fedbits._part import to_ron


def verify(
    folder: str | os.PathLike[str],
    *objects: object,
    threads: int | None = None,
    data: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Make the runs in a folder again and compare; raise `fb.Error` with what differs.

    Args:
        folder: Of results, or one that has folders of results in it.
        objects: What the runs were made with that lives in Python: models, compressors, protocols, tables; or the
            `fb.Scenario` that has them.
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
    for part in objects:
        to_ron(part, keep)
    return made_again(Path(folder), keep, threads, data)


def made_again(
    folder: Path,
    keep: list[object],
    threads: int | None,
    only: str | os.PathLike[str] | None,
    data: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """The files that runs were made again with, which are the same; an error with what differs.

    `only` is the only folder in which data files are looked for, `data` one of several.
    """
    options = machine(threads, None, data if only is None else only, False, False)
    options.only_data = only is not None
    return [Path(file) for file in _fedbits.verify(folder, keep, options)]
