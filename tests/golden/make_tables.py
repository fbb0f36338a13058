"""Tables with missing values and factors, read by other means, for models/tests/data/tables.rs: python make_tables.py (numpy, pandas,
scikit-learn, and the program zstd).

Writes tables.json: texts of files, and per case the setting of `missing` and `factors` with the columns and the rows that pandas and
scikit-learn make of them (`dropna`, `SimpleImputer`, `OneHotEncoder`); and numbers.csv.zst, the lines `i,i²` of i = 0, …, 4999 behind
the names `i,square`, in two frames with a frame to be skipped between them; standardized.json, clients' numbers standardized by numpy;
arrays/, files of LIBSVM and NumPy, with what they hold in held.json.
"""

import io
import json
import os
import struct
import subprocess

import numpy as np
import pandas as pd
from sklearn.datasets import dump_svmlight_file
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

HERE = os.path.dirname(os.path.abspath(__file__))
MISSING = ["", "NA", "?", ".", "nan", "N/A", "null"]
FILLINGS = {"Mean": "mean", "Median": "median", "Mode": "most_frequent"}


def table(rng, rows, separator, words):
    """Numbers with few different values (so that modes have ties), a column of texts, a label."""
    numbers = np.column_stack([rng.integers(0, 6, rows) / 2, rng.normal(size=rows).round(3), rng.integers(-3, 3, rows)])
    cells = [[repr(float(x)) for x in row] for row in numbers]
    for row in cells:
        row.insert(1, str(rng.choice(words)))
        row.append(str(rng.choice(["up", "down"])))
    for i, j in {(int(rng.integers(1, rows)), int(rng.integers(0, 4))) for _ in range(rows // 5)}:
        cells[i][j] = str(rng.choice(MISSING))
    lines = [["x", "kind", "y", "z", "label"], *cells]
    return "\n".join(separator.join(line) for line in lines) + "\n"


def read(text, separator):
    return pd.read_csv(io.StringIO(text), sep=separator, na_values=MISSING, keep_default_na=False)


def rows_of(frame):
    return {"columns": list(frame.columns), "rows": frame.to_numpy(dtype=float).ravel().tolist()}


def one_hot(frame, drop):
    encoder = OneHotEncoder(drop="first" if drop else None, sparse_output=False)
    levels = encoder.fit_transform(frame[["kind"]])
    names = [f"kind={level}" for level in encoder.categories_[0][1 if drop else 0:]]
    coded = pd.DataFrame(levels, columns=names, index=frame.index)
    return pd.concat([frame[["x"]], coded, frame[["y", "z"]]], axis=1)


def cases(frame):
    numbers = frame[["x", "y", "z"]]
    labels = frame["label"].to_numpy()
    yield {"missing": "Drop", "factors": "Refuse", "all": False, **rows_of(numbers.dropna()),
           "kept": numbers.notna().all(axis=1).to_numpy().nonzero()[0].tolist()}
    for name, strategy in FILLINGS.items():
        filled = SimpleImputer(strategy=strategy).fit_transform(numbers)
        filled = pd.DataFrame(filled, columns=numbers.columns)
        yield {"missing": f"Impute({name})", "factors": "Refuse", "all": False, **rows_of(filled), "kept": list(range(len(labels)))}
    used = frame[["x", "kind", "y", "z"]]
    whole = used.dropna()
    kept = used.notna().all(axis=1).to_numpy().nonzero()[0].tolist()
    for factors, drop in (("OneHot", False), ("Treatment", True)):
        yield {"missing": "Drop", "factors": factors, "all": True, **rows_of(one_hot(whole, drop)), "kept": kept}
    filled = used.copy()
    filled[["x", "y", "z"]] = SimpleImputer(strategy="most_frequent").fit_transform(used[["x", "y", "z"]])
    kind = used[["kind"]].astype(object).where(used[["kind"]].notna(), np.nan)
    filled["kind"] = SimpleImputer(strategy="most_frequent").fit_transform(kind).ravel()
    yield {"missing": "Impute(Mode)", "factors": "OneHot", "all": True, **rows_of(one_hot(filled, False)),
           "kept": list(range(len(labels)))}


def standardized(rng):
    """Rows of four clients: raw, standardized within each, and over all (divisor n - 1), and the logarithm of the first column."""
    sizes, d = [7, 1, 20, 12], 3
    rows = np.exp(rng.normal(size=(sum(sizes), d))) * [1.0, 1e3, 1e-2] + [0.0, 1e6, 0.0]
    rows[8:28, 2] = 0.25
    own, start = np.empty_like(rows), 0
    for size in sizes:
        part = rows[start:start + size]
        deviation = part.std(axis=0, ddof=1) if size > 1 else np.zeros(d)
        own[start:start + size] = np.where(deviation > 0, (part - part.mean(axis=0)) / np.where(deviation > 0, deviation, 1), 0)
        start += size
    logged = rows.copy()
    logged[:, 0] = np.log(rows[:, 0])
    everybody = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    return {"sizes": sizes, "rows": rows.ravel().tolist(), "own": own.ravel().tolist(), "all": everybody.ravel().tolist(),
            "log": logged.ravel().tolist()}


def arrays(rng):
    """Files of LIBSVM and NumPy, and what they hold."""
    folder = os.path.join(HERE, "arrays")
    os.makedirs(folder, exist_ok=True)
    held = {}

    def keep(name, array):
        held[name] = {"shape": list(array.shape), "numbers": array.astype(float).ravel().tolist()}

    x = rng.normal(size=(9, 4)).round(3)
    x[rng.random(x.shape) < 0.6] = 0
    x[0, 3], x[:, 0] = 1.25, 0
    labels = rng.integers(-1, 2, 9)
    for name, zero_based in (("one.svm", False), ("zero.svm", True)):
        y = x.copy()
        y[2, 0] = 0.5
        dump_svmlight_file(y, labels, os.path.join(folder, name), zero_based=zero_based, comment="made by scikit-learn")
        keep(name, y)
    held["labels"] = np.unique(labels, return_inverse=True)[1].tolist()
    for kind in ("<f8", ">f8", "<f4", ">f4", "<i8", "<i4", ">i2", "|i1", "|u1", "<u2", ">u4", "<u8", "|b1"):
        for order in "CF":
            a = np.asarray(rng.normal(size=(5, 3)) * 40 if "f" in kind else rng.integers(0, 2, (5, 3)) if "b" in kind
                           else rng.integers(0 if "u" in kind else -100, 101, (5, 3))).astype(kind)
            name = f"{kind.replace('<', 'little-').replace('>', 'big-').replace('|', '')}-{order}.npy"
            np.save(os.path.join(folder, name), np.asarray(a, order=order))
            keep(name, a)
    cube = rng.integers(0, 255, (4, 2, 3)).astype("u1")
    np.save(os.path.join(folder, "cube.npy"), cube)
    keep("cube.npy", cube.reshape(4, 6))
    np.save(os.path.join(folder, "line.npy"), np.arange(4.0))
    keep("line.npy", np.arange(4.0).reshape(4, 1))
    np.save(os.path.join(folder, "classes.npy"), np.array([7, -1, 7, 3]))
    for version in ((2, 0), (3, 0)):
        with open(os.path.join(folder, f"version-{version[0]}.npy"), "wb") as out:
            np.lib.format.write_array(out, cube.reshape(4, 6), version=version)
        keep(f"version-{version[0]}.npy", cube.reshape(4, 6))
    with open(os.path.join(folder, "held.json"), "w") as out:
        json.dump(held, out)
        out.write("\n")


def main():
    rng = np.random.default_rng(18)
    files = []
    for rows, separator, words in [(40, ",", ["red", "green", "blue"]), (25, ";", ["b", "a"]), (60, "\t", ["no", "yes", "Maybe", "ü"]),
                                   (30, "|", ["p q", "r"])]:
        text = table(rng, rows, separator, words)
        frame = read(text, separator)
        files.append({"text": text, "labels": frame["label"].tolist(), "cases": list(cases(frame))})
    with open(os.path.join(HERE, "tables.json"), "w") as out:
        json.dump(files, out, ensure_ascii=False)
        out.write("\n")
    with open(os.path.join(HERE, "standardized.json"), "w") as out:
        json.dump(standardized(rng), out)
        out.write("\n")
    arrays(rng)
    lines = [b"i,square\n", *(b"%d,%d\n" % (i, i * i) for i in range(5000))]
    parts = [b"".join(lines[:2000]), b"".join(lines[2000:])]
    packed = [subprocess.run(["zstd", "-c", "--check", level], input=part, capture_output=True, check=True).stdout
              for part, level in zip(parts, ("-19", "-1"))]
    skipped = struct.pack("<II", 0x184D2A50, 7) + b"skipped"
    with open(os.path.join(HERE, "numbers.csv.zst"), "wb") as out:
        out.write(packed[0] + skipped + packed[1])


if __name__ == "__main__":
    main()
