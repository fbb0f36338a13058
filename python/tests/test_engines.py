"""The examples of studies under engines: they give what one process gives."""

from __future__ import annotations

import filecmp
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_studies import STUDY

import fedbits as fb

EXAMPLES = Path(__file__).parents[1] / "examples" / "engines"
NEEDS = {"with_dask": "distributed", "with_joblib": "joblib", "with_ray": "ray", "with_submitit": "submitit"}


def test_every_example_is_tried() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(NEEDS)


@pytest.mark.parametrize("name", NEEDS)
def test_an_engine_gives_what_one_process_gives(name: str, tmp_path: Path) -> None:
    pytest.importorskip(NEEDS[name])
    (tmp_path / "steps.ron").write_text(str(STUDY))
    whole = fb.run(STUDY, out=tmp_path / "whole")
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "steps.ron", str(tmp_path / "out"), "3"]
    # Workers of Ray and Dask speak over the loopback; Ray sends no statistics of its use.
    env = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env, timeout=240)
    assert done.returncode == 0, done.stderr
    assert filecmp.cmp(whole.folder / "runs.csv", tmp_path / "out" / "runs.csv", shallow=False)
