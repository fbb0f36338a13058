"""Tables as data frames."""

from __future__ import annotations

import importlib.util
from typing import Any, Literal

from fedbits import _fedbits

Frames = Literal["pandas", "polars", "arrow"] | None

_chosen: Frames = None


def frames(kind: Frames) -> None:
    """Choose what tables are: data frames of pandas or polars, or plain tables with the Arrow PyCapsule interface.

    Without a choice they are pandas' where it is installed, else polars', else plain.

    Examples:
        >>> import fedbits as fb
        >>> fb.frames("arrow")
        >>> table = fb.run("quickstart", {"stop.rounds": 2}, progress=False)["rand-6"].rounds
        >>> table["round"].tolist()
        [0, 1, 2]
        >>> fb.frames(None)
    """
    global _chosen
    if kind not in (None, "pandas", "polars", "arrow"):
        raise ValueError(f"`{kind}` is no kind of data frames: expected 'pandas', 'polars' or 'arrow'")
    if kind in ("pandas", "polars") and importlib.util.find_spec(kind) is None:
        raise ImportError(f"{kind} is not installed")
    _chosen = kind


def _kind() -> str:
    there = (name for name in ("pandas", "polars") if importlib.util.find_spec(name) is not None)
    return _chosen or next(there, "arrow")


class Tables:
    """Results with tables."""

    def table(self, name: str) -> Any:
        """A table as a data frame."""
        raise NotImplementedError

    def _kept(self, name: str) -> Any:
        """A table that is read once, for each kind of data frames."""
        tables: dict[tuple[str, str], Any] = vars(self).setdefault("_tables", {})
        key = (name, _kind())
        if key not in tables:
            tables[key] = self.table(name)
        return tables[key]

    def __getstate__(self) -> dict[str, Any]:
        # Tables are read again from the results; plain ones cannot be pickled.
        return {name: value for name, value in vars(self).items() if name != "_tables"}


def of(table: _fedbits.Frame) -> Any:
    """The table as what was chosen."""
    kind = _kind()
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(table.take_dict(), copy=False)
    if kind == "polars":
        import polars

        return polars.DataFrame(table)
    return table
