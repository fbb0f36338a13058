"""Tables in Parquet, for models/tests/data/parquet.rs: python make_parquet.py (numpy, pandas, pyarrow).

Writes parquet/: table.csv, and the same table as snappy.parquet, zstd.parquet, gzip.parquet, lz4.parquet (several row groups) and
plain.parquet, with missing values, texts with commas and quotes, truth values, integers and floats of 4 bytes.
"""

import os

import numpy as np
import pandas as pd

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parquet")


def main():
    os.makedirs(HERE, exist_ok=True)
    rng = np.random.default_rng(18)
    n = 300
    frame = pd.DataFrame({
        "x": rng.normal(size=n) * 10.0 ** rng.integers(-20, 20, n),
        "single": rng.normal(size=n).astype("f4"),
        "count": rng.integers(-(2**40), 2**40, n),
        "yes": rng.random(n) < 0.5,
        "kind": rng.choice(["plain", 'a "quoted", one', " spaced "], n),
    })
    frame.loc[[3, 77], "x"] = np.nan
    text = frame.assign(single=frame["single"].astype("f8"), yes=frame["yes"].astype(int), x=[repr(x) for x in frame["x"]])
    text.to_csv(os.path.join(HERE, "table.csv"), index=False)
    for codec in ("snappy", "zstd", "gzip", "lz4", None):
        path = os.path.join(HERE, f"{codec or 'plain'}.parquet")
        frame.to_parquet(path, engine="pyarrow", compression=codec, index=False, row_group_size=128)


if __name__ == "__main__":
    main()
