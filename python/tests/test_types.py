"""What editors and type checkers know of the parts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fedbits as fb

RIGHT = """
import fedbits as fb

scenario: fb.Scenario = fb.Scenario(
    name="typed",
    model=fb.GaussianMixture(2, fb.Diagonal()),
    protocol=fb.FedEm(gamma=0.1, compressor=fb.TopK(k=3), participation=fb.Cohort(4)),
    network=fb.Star(client_up="1 Mbps"),
    stop=fb.Stop(rounds=5, mean_field_sq=1e-6),
)
value: float = fb.run(scenario).records[0].manifest["seed"]
"""
WRONG = {
    "fb.FedEm(gama=0.1)": "gama",
    "fb.FedEm(gamma=0.1, compressor=fb.Stop(rounds=3))": "compressor",
    "fb.TopK()": "k",
    "fb.Scenario(clients='ten')": "clients",
}


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_know_the_fields(checker: str, tmp_path: Path) -> None:
    pytest.importorskip(checker)

    def check(code: str) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "typed.py"
        file.write_text(code)
        options = ["--pythonpath", sys.executable] if checker == "pyright" else ["--cache-dir", str(tmp_path / "cache")]
        command = [sys.executable, "-m", checker, *options, str(file)]
        # mypy looks where packages are installed, and not at PYTHONPATH.
        folder = Path(fb.__file__).parents[1]
        env = dict(os.environ) if folder.name == "site-packages" else {**os.environ, "MYPYPATH": str(folder)}
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)

    done = check(RIGHT)
    assert done.returncode == 0, done.stdout
    done = check("import fedbits as fb\n" + "\n".join(WRONG) + "\n")
    assert done.returncode == 1
    for line, word in enumerate(WRONG.values(), start=2):
        assert any(f":{line}" in said and word in said for said in done.stdout.splitlines()), (word, done.stdout)
