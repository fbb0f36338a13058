"""What pandas and NumPy read, for models/tests/data/twin.rs.

python read_tables.py FOLDER: reads cases.json, a list of tables, and writes pandas.json: per table, per column the numbers that are not
missing (their bits), or "text" where one is not a number; and the labels. Writes halves.npy, every finite number of two bytes, and
halves.json, their bits as doubles. Ends with 3 where pandas is not installed.
"""

import json
import os
import struct
import sys

try:
    import numpy as np
    import pandas as pd
except ImportError as error:
    print(error)
    sys.exit(3)


def bits(numbers):
    return [str(struct.unpack("<Q", struct.pack("<d", number))[0]) for number in numbers]


def read(folder, case):
    frame = pd.read_csv(
        os.path.join(folder, case["name"]), sep=case["delimiter"], encoding=case["encoding"], skiprows=case["skipped"],
        na_values=case["missing"], skipinitialspace=True, float_precision="round_trip", converters={"label": str.strip},
    )
    numbers = {}
    for name in frame.columns.drop("label"):
        is_number = pd.api.types.is_numeric_dtype(frame[name])
        numbers[name] = bits(frame[name].dropna().astype(float)) if is_number else "text"
    return {"numbers": numbers, "labels": list(frame["label"])}


def main(folder):
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as file:
        cases = json.load(file)
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]
    np.save(os.path.join(folder, "halves.npy"), halves.reshape(-1, 2))
    found = {"pandas.json": [read(folder, case) for case in cases], "halves.json": bits(halves.astype(float))}
    for name, value in found.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(value, file)


main(sys.argv[1])
