"""Reads what `fedbits export` wrote with the tools that it is for, and compares every number with the record; or `model.npz` of
the records with NumPy.

Usage: read_exports.py parquet|numpy EXPORT RECORDS

RECORDS is the folder of records that was exported: a folder per arm; for NumPy EXPORT is the same. The exit code is 3 where
the tool is not installed. Checked with pyarrow 26.
"""

import csv
import glob
import json
import os
import sys


def records(folder):
    """Per arm its manifest and, per column, the rounds and numbers that were measured."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*", "manifest.json")):
        with open(path) as file:
            manifest = json.load(file)
        with open(os.path.join(os.path.dirname(path), "rounds.csv")) as file:
            rows = list(csv.DictReader(file))
        columns = {}
        for row in rows:
            row["bits_total"] = str(sum(int(row[name]) for name in ["bits_up", "bits_down", "bits_peer", "bits_header"]))
            for name, cell in row.items():
                if name != "round" and cell != "":
                    columns.setdefault(name, []).append((int(row["round"]), float(cell)))
        found[manifest["arm"]] = (manifest, columns, rows, os.path.dirname(path))
    assert found, f"no records in {folder}"
    return found


def same(what, found, expected):
    assert found == expected, f"{what}: found {str(found)[:300]}, expected {str(expected)[:300]}"


def parquet(export, expected):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(os.path.join(export, "rounds.parquet")).to_pylist()
    same("arms", sorted({row["arm"] for row in table}), sorted(expected))
    for arm, (manifest, columns, rows, folder) in expected.items():
        own = [row for row in table if row["arm"] == arm]
        same("rows", [row["round"] for row in own], [int(row["round"]) for row in rows])
        same("seed", {row["seed"] for row in own}, {manifest["seed"]})
        for name in set(table[0]) - {"arm", "scenario", "seed", "replicate", "round"}:
            found = [(row["round"], float(row[name])) for row in own if row[name] is not None]
            same(name, found, columns.get(name, []))
        for name in ["clients", "components"]:
            with open(os.path.join(folder, name + ".csv")) as file:
                lines = list(csv.DictReader(file))
            there = pyarrow.parquet.read_table(os.path.join(export, name + ".parquet")).to_pylist()
            there = [row for row in there if row["arm"] == arm]
            same(name, len(there), len(lines))
            for row, line in zip(there, lines):
                for column, cell in line.items():
                    value = row[column] if isinstance(row[column], str) else None if row[column] is None else float(row[column])
                    same(f"{name}.{column}", value, cell if isinstance(value, str) else None if cell == "" else float(cell))


def numpy(export, expected):
    import numpy

    for _, _, _, folder in expected.values():
        arrays = numpy.load(os.path.join(folder, "model.npz"))
        with open(os.path.join(folder, "model.json")) as file:
            model = json.load(file)
        names = ["theta", "columns", "parameter_columns"]
        same("names", sorted(arrays), sorted([*model["parameters"], *names]))
        for name, value in [*model["parameters"].items(), *((name, model[name]) for name in names)]:
            same(name, arrays[name].tolist(), value)
            same(name, arrays[name].dtype.kind, "U" if numpy.array(value).dtype.kind == "U" else "f")


if __name__ == "__main__":
    tool, export, folder = sys.argv[1:]
    try:
        {reader.__name__: reader for reader in [parquet, numpy]}[tool](export, records(folder))
    except ModuleNotFoundError as error:
        print(error)
        sys.exit(3)
