"""Examples from memory: arrays and data frames."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from fedbits import _fedbits
from fedbits._errors import so_many
from fedbits.parts import Data


class Table(Data):
    """Examples that are in memory: a source of data for `fb.Scenario`.

    They are copied into the simulator's own memory, and from there for each worker. A scenario names them by
    a digest of their values, so that a record can be verified wherever the same table is made again.

    Args:
        X: N × d numbers: an array, a data frame of pandas or polars, or anything with the Arrow PyCapsule interface
            (with pyarrow). Of a data frame the columns keep their names.
        label: The class of each example, of any type that can be sorted; a name is that of a column of `X`. Classes are
            numbered as those of a file: by size where all are integers, else by first appearance.
        client: The client of each example, likewise. In an `fb.Scenario` or a mapping with this table as `data`,
            `partition` then is `ClientColumn` unless it is given; elsewhere a caveat tells where it is another one.
        columns: Names of the columns, in their order; a data frame's own are not moved by it.

    Examples:
        >>> import fedbits as fb
        >>> fb.Table([[1.0, 2.0], [3.0, 4.0]], label=["a", "b"]) == fb.Table([[1.0, 2.0], [3.0, 4.0]], label=["a", "b"])
        True
        >>> fb.Table([1.0, 2.0])
        Traceback (most recent call last):
        ValueError: the examples have the shape (2,): expected (N, d)
    """

    _written: ClassVar[str | None] = "PythonTable"

    def __init__(self, X: Any, label: Any = None, client: Any = None, columns: list[str] | None = None) -> None:
        columns_of = _columns(X)
        of = {what: _chosen(given, columns_of, what) for what, given in (("label", label), ("client", client))}
        if columns_of is None:
            values = _numbers(X, "X")
            names = None
        else:
            names = [name for name in columns_of if name not in (taken for taken, _ in of.values())]
            values = np.empty((len(next(iter(columns_of.values()), ())), len(names)))
            for place, name in enumerate(names):
                values[:, place] = _numbers(columns_of[name], f"the column `{name}`")
        if values.ndim != 2:
            raise ValueError(f"the examples have the shape {values.shape}: expected (N, d)")
        if columns is None:
            columns = names if names else [f"x{place}" for place in range(values.shape[1])]
        columns = [str(name) for name in columns]
        choose = "`columns` names all of them; `X[[…]]` chooses and orders those of a data frame"
        if len(columns) != values.shape[1]:
            counts = so_many(len(columns), "name"), so_many(values.shape[1], "column")
            raise ValueError(f"{' for '.join(counts)}: {choose}")
        of_frame = names or []
        if moved := [f"`{name}`" for former, name in zip(of_frame, columns) if former != name and name in of_frame]:
            raise ValueError(f"{', '.join(moved)} would be other columns than they are in X: {choose}")
        _refuse_twice(columns)
        codes = [_codes(given, len(values), what, name) for what, (name, given) in of.items()]
        self._keep(np.ascontiguousarray(values), columns, *codes)

    def _keep(self, *given: Any) -> None:
        handle, text = _fedbits.keep_table(*given)
        object.__setattr__(self, "_handle", handle)
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "has_clients", given[3] is not None)

    def __reduce__(self) -> Any:
        return _made_again, _fedbits.table_of(self._handle)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"Table({self._text})"  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def _ron(self, keep: list[object] | None) -> str:
        if keep is not None:
            keep.append(self._handle)  # type: ignore[attr-defined]
        return str(self._text)  # type: ignore[attr-defined]


def _made_again(*given: Any) -> Table:
    """The table of these values, columns, labels and clients: in another process, or a copy."""
    table = object.__new__(Table)
    table._keep(*given)
    return table


def _columns(X: Any) -> dict[str, Any] | None:
    """The columns of a data frame, by name."""
    if isinstance(X, np.ndarray | list | tuple):
        return None
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("X is a sparse matrix: expected a dense one, `X.toarray()`")
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a LazyFrame: expected a data frame, `X.collect()`")
    if hasattr(X, "to_frame") and not hasattr(X, "columns"):
        raise TypeError(f"X is a {type(X).__name__}, one column: expected a data frame, `X.to_frame()`")
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        if getattr(X.columns, "nlevels", 1) > 1:
            raise ValueError(
                "the columns of X have names of several levels: expected one, as of `X.droplevel(0, axis=1)`"
            )
        names, of = list(X.columns), [X.iloc[:, place] for place in range(len(X.columns))]
    elif hasattr(X, "get_columns"):
        names, of = list(X.columns), X.get_columns()
    elif hasattr(X, "__arrow_c_stream__"):
        table = _arrow(X)
        names, of = table.column_names, table.columns
    else:
        return None
    texts = [str(name) for name in names]
    _refuse_twice(texts)
    return {name: _array(values) for name, values in zip(texts, of)}


def _array(values: Any) -> npt.NDArray[Any]:
    """An array of NumPy."""
    kind: Any = getattr(values, "type", None)
    if hasattr(kind, "index_type") and hasattr(kind, "value_type"):
        # pyarrow takes what is missing in a column of categories for the last of them.
        values = values.cast(kind.value_type)
    return np.asarray(values)


def _arrow(X: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"a {type(X).__name__} is read with pyarrow: pip install pyarrow") from None
    try:
        return pyarrow.table(X)
    except (TypeError, ValueError) as error:
        raise TypeError(f"X is a {type(X).__name__}, which is not a table of Arrow: {error}") from None


def _refuse_twice(names: list[str]) -> None:
    known: set[str] = set()
    for name in names:
        if name in known:
            raise ValueError(f"two columns are called `{name}`")
        known.add(name)


def _chosen(given: Any, columns_of: dict[str, Any] | None, what: str) -> tuple[str | None, Any]:
    """Labels or clients, with the name of their column where they are one of X."""
    if not isinstance(given, str) and (columns_of is None or not isinstance(given, int | np.integer)):
        return None, given
    if columns_of is None:
        raise ValueError(
            f"`{what}` is the name `{given}`, and the columns of X have no names: expected one for each example"
        )
    if str(given) not in columns_of:
        raise ValueError(f"`{given}` is not a column of the table: expected one of {', '.join(columns_of)}")
    return str(given), columns_of[str(given)]


def _numbers(values: Any, what: str) -> npt.NDArray[np.float64]:
    """Numbers, and nothing that only can be made to look like them."""
    refuse_masked(values, what)
    hint = (
        "make numbers of it, leave it out, or give it as label or client" if what != "X" else "expected N × d numbers"
    )
    try:
        given = _array(values)
        is_mixed = given.dtype.kind == "O"
        # Of an array of objects one of each type.
        of = {type(item): item for item in given.flat}.values() if is_mixed else [given]
        for dtype in [_array(item).dtype for item in of]:
            if dtype.kind in "cmM":
                # NumPy drops what is imaginary, and counts times in the unit that they happen to have.
                raise TypeError(f"it has {'complex numbers' if dtype.kind == 'c' else 'times'}, {dtype}")
            if dtype.kind in "USTV":
                # "01234" is a name, although it could be read as a number.
                raise TypeError("it has texts")
        if is_mixed:
            # pandas.NA is no number for NumPy; what is missing is named with its place later.
            given = np.where(_missing(given), np.nan, given)
        return given.astype(np.float64, copy=False)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{what} has no numbers ({error}): {hint}") from None


def refuse_masked(values: Any, what: str) -> None:
    """A mask would be lost."""
    if isinstance(values, np.ma.MaskedArray) and (places := np.argwhere(np.ma.getmaskarray(values))).size:
        first = ", column ".join(map(str, places[0]))
        raise ValueError(
            f"{what} has {so_many(len(places), 'masked value')}, the first in row {first} (from 0): "
            "leave their rows out, or fill them in (`.filled(…)`)"
        )


def refuse_gaps(values: Any, what: str) -> None:
    """What is missing would be a class or a client of its own."""
    refuse_masked(values, what)
    if isinstance(values, list | tuple):
        # An array of texts would have the text "nan".
        gaps = np.array([_is_missing(value) for value in values], dtype=bool)
    else:
        values = _array(values)
        kind = values.dtype.kind
        if kind in "fcmM":
            gaps = np.isnat(values) if kind in "mM" else np.isnan(values)
        else:
            gaps = _missing(values).ravel() if kind == "O" else np.zeros(0)
    if gaps.any():
        rows = f"{np.count_nonzero(gaps)} of {gaps.size} rows, first in row {gaps.argmax()} (from 0)"
        raise ValueError(f"{what} has no value in {rows}: leave these rows out, or give them a value of their own")


def _missing(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which of these objects are missing."""
    return np.array([_is_missing(value) for value in values.flat], dtype=bool).reshape(values.shape)


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT, pandas.NA, or what an array has under its mask."""
    if value is None or value is np.ma.masked:
        return True
    return not isinstance(value, str) and str(value).lower() in ("nan", "nat", "<na>")


def _codes(values: Any, count: int, what: str, name: str | None) -> tuple[npt.NDArray[np.uint32], list[str]] | None:
    if values is None:
        return None
    what = f"`{what}`" if name is None else f"the column `{name}` ({what})"
    refuse_gaps(values, what)
    keys = _array(values)
    if keys.dtype.kind == "f" and isinstance(values, list | tuple) and not all(isinstance(v, float) for v in values):
        # Whole numbers beside fractions, or beside others that need more bits, would lose digits.
        keys = np.array(values, dtype=object)
    try:
        names, codes = np.unique(keys, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} cannot be sorted ({error}): expected values of one type") from None
    if codes.shape != (count,):
        raise ValueError(f"{what} has the shape {np.shape(values)}: expected ({count},), one for each example")
    return np.ascontiguousarray(codes, dtype=np.uint32), [_name(name) for name in names]


def _name(value: Any) -> str:
    """What a class or a client is called: a number as files of numbers have it, 1.0 as 1."""
    whole = isinstance(value, float | np.floating) and value.is_integer()
    return str(int(value)) if whole else str(value)
