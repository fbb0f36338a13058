"""What concerns the machine that runs and no result: threads, memory, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fedbits._fedbits import MOST_THREADS

Progress = bool | Callable[[str, int, int | None], None] | None


@dataclass
class Machine:
    """As the module takes it."""

    threads: int | None
    max_memory: int | None
    data: str | None
    audit: bool
    progress: Callable[[str, int, int | None], None] | None
    only_data: bool = False
    script: str | None = None


class _Bar:
    """A bar of tqdm, which notebooks show as a widget."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.what = ""

    def __call__(self, what: str, done: int, of: int | None) -> None:
        from tqdm.auto import tqdm

        if self.bar is None or self.what != what or done < self.bar.n:
            self.close()
            self.bar, self.what = tqdm(desc=what, total=of, leave=False), what
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def machine(
    threads: int | None, max_memory: int | None, data: str | os.PathLike[str] | None, audit: bool, progress: Progress
) -> Machine:
    """The options of a call; a bar where somebody looks and tqdm is there."""
    shown: Callable[[str, int, int | None], None] | None
    if progress is None:
        progress = (sys.stderr.isatty() or "ipykernel" in sys.modules) and _has_tqdm()
    if callable(progress):
        shown = progress
    elif progress:
        if not _has_tqdm():
            raise ImportError("progress=True needs tqdm: pip install 'fedbits[progress]'")
        shown = _Bar()
    else:
        shown = None
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"{threads} threads: expected 1 to {MOST_THREADS}")
    if not isinstance(audit, bool | np.bool_):
        raise TypeError(f"audit is {audit!r}: expected True or False")
    if data is not None and not Path(data).is_dir():
        raise ValueError(f"there is no folder `{os.fspath(data)}` for data")
    folder = None if data is None else os.fspath(data)
    return Machine(threads, max_memory, folder, audit, shown, script=_script())


def _script() -> str | None:
    """The script or the notebook that runs; none in an interactive session."""
    main = sys.modules.get("__main__")
    notebook = getattr(main, "__vsc_ipynb_file__", None) or os.environ.get("JPY_SESSION_NAME")
    file = notebook if "ipykernel" in sys.modules else getattr(main, "__file__", None)
    return os.path.abspath(file) if file else None


def _has_tqdm() -> bool:
    import importlib.util

    return importlib.util.find_spec("tqdm") is not None


def end(machine: Machine) -> None:
    """Takes the bar away."""
    if isinstance(machine.progress, _Bar):
        machine.progress.close()
