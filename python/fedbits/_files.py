"""Folders of results."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from functools import cached_property
from pathlib import Path
from typing import Any

from fedbits import _fedbits


class Files:
    """A folder of results: the caller's, or a temporary one that is removed when nothing refers to it any more.

    Its pickle holds the files themselves, so that results can be sent to other processes and machines.
    """

    def __init__(
        self,
        out: str | os.PathLike[str] | None,
        keep: list[object] | None = None,
        data: str | os.PathLike[str] | None = None,
    ) -> None:
        # Tables and models are kept too, and where data files are, so that runs can be made again.
        self.kept: list[object] = [] if keep is None else keep
        self.data = None if data is None else Path(data).absolute()
        self.is_temporary = out is None
        if out is None:
            # A `TemporaryDirectory` would warn when it goes, as if somebody had forgotten it.
            folder = tempfile.mkdtemp(prefix="fedbits-")
            weakref.finalize(self, _remove, folder, os.getpid())
            out = Path(folder, "results")
        # Whoever looks there later may be elsewhere.
        self.path = Path(out).absolute()

    @cached_property
    def results(self) -> _fedbits.OpenResults:
        """The results, as they were when they were first read."""
        return _fedbits.OpenResults(self.path)

    def table(self, name: str, run: tuple[int, int] | None = None) -> _fedbits.Frame:
        """A table of all runs, or of an arm and a replicate."""
        table = self.results.table(name, run)
        if table is None:
            known = ", ".join(self.results.table_names())
            whose = (
                "no run has" if run is None else f"replicate {run[1]} of `{self.results.arms[run[0]]}` does not have"
            )
            raise KeyError(f"{whose} a table `{name}`; there are {known}")
        return table

    def __getstate__(self) -> dict[str, bytes]:
        files = (path for path in sorted(self.path.rglob("*")) if path.is_file())
        return {path.relative_to(self.path).as_posix(): path.read_bytes() for path in files}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(None)  # type: ignore[misc]
        for name, content in state.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _remove(folder: str, maker: int) -> None:
    """Removes a folder in the process that made it: a fork ends, too, and drops what it has of its parent."""
    if os.getpid() == maker:
        shutil.rmtree(folder, ignore_errors=True)
