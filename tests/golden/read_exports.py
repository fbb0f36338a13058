"""Reads what `fedbits` wrote for other tools with these tools, and compares every value with the CSV tables of the runs.

Usage: read_exports.py parquet EXPORT RUNS
       read_exports.py numpy RUNS RUNS

RUNS is a folder of runs; EXPORT is where `fedbits export RUNS --parquet --out EXPORT` wrote its tables. The exit code is 3 where
the tool is not installed. Checked with pyarrow 26.
"""

import csv
import json
import sys
from pathlib import Path


def same(what, found, expected):
    assert found == expected, f"{what}: found {str(found)[:300]}, expected {str(expected)[:300]}"


def text(cell):
    """A text as it was before an apostrophe was put before what a spreadsheet takes for a formula."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@", "\t", "\r", "\n") else cell


def parquet(export, runs):
    import pyarrow.parquet

    tables = sorted(runs.glob("*.csv"))
    same("tables", sorted(path.stem for path in export.iterdir()), [path.stem for path in tables])
    assert tables, f"no tables in {runs}"
    for path in tables:
        with open(path, newline="") as file:
            header, *rows = csv.reader(file)
        table = pyarrow.parquet.read_table(export / f"{path.stem}.parquet")
        same(f"columns of {path.stem}", table.column_names, header)
        same(f"rows of {path.stem}", table.num_rows, len(rows))
        for place, name in enumerate(header):
            found = table.column(place).to_pylist()
            for value, row in zip(found, rows):
                cell = row[place]
                expected = None if cell == "" else text(cell) if isinstance(value, str) else type(value or 0.0)(cell)
                same(f"{path.stem}.{name}", value, expected)


def numpy(_, runs):
    import numpy

    models = sorted((runs / "models").glob("*.json"))
    assert models, f"no models in {runs}"
    for path in models:
        arrays, model = numpy.load(path.with_suffix(".npz")), json.loads(path.read_text())
        names = ["theta", "columns", "parameter_columns"]
        same("names", sorted(arrays), sorted([*model["parameters"], *names]))
        for name, value in [*model["parameters"].items(), *((name, model[name]) for name in names)]:
            same(name, arrays[name].tolist(), value)
            same(name, arrays[name].dtype.kind, "U" if numpy.array(value).dtype.kind == "U" else "f")


if __name__ == "__main__":
    tool, *folders = sys.argv[1:]
    try:
        {reader.__name__: reader for reader in [parquet, numpy]}[tool](*map(Path, folders))
    except ModuleNotFoundError as error:
        print(error)
        sys.exit(3)
