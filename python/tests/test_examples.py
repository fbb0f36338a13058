"""The notebooks, the protocols and the benchmark run."""

from __future__ import annotations

import math
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.ipynb")))
def test_a_notebook_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("pandas")
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    where = {"metadata": {"path": str(EXAMPLES)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/svg+xml" in output.get("data", {}) for output in shown)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(path.name for path in (EXAMPLES / "protocols").glob("*.py")))
def test_a_protocol_runs(name: str) -> None:
    pytest.importorskip("pandas")
    lines = (EXAMPLES / "protocols" / name).read_text().splitlines()
    assert 30 <= len(lines) <= 65
    runpy.run_path(str(EXAMPLES / "protocols" / name), run_name="__main__")


def test_the_benchmark_runs(tmp_path: Path) -> None:
    pytest.importorskip("benchopt")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    benchmark = shutil.copytree(EXAMPLES / "benchopt", tmp_path / "benchmark")
    command = ["-m", "benchopt", "run", str(benchmark), "--no-plot", "--max-runs", "3", "--n-repetitions", "1"]
    env = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, env=env, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    [results] = (benchmark / "outputs").glob("*.parquet")
    values = pandas.read_parquet(results).groupby("solver_name")["objective_value"]
    assert len(values) == 3
    assert all(math.isfinite(value) and value < 5 for value in values.last())
