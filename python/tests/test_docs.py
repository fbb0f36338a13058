"""The Python code of the documentation runs: of pages block after block, of docstrings example by example."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import fedbits as fb

ROOT = Path(__file__).parents[2]
PAGES = ["docs/python.md", "docs/python-parts.md", "docs/python-protocols.md", "python/README.md", "README.md"]


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    if name == "docs/python.md":
        for client in ("sklearn", "optuna"):
            pytest.importorskip(client)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), flags=re.MULTILINE | re.DOTALL)
    assert blocks
    space: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, name, "exec"), space)  # noqa: S102


PACKAGE = Path(fb.__file__).parent
PRIVATE = ["_check", "_frame", "_library", "_objects", "_part", "_run", "_table", "_verify"]
WITH_EXAMPLES = [*PRIVATE, "optimize", "sklearn"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_docstrings_are_right(name: str) -> None:
    if name in ("optimize", "sklearn"):
        pytest.importorskip({"optimize": "optuna"}.get(name, name))
    tried = doctest.testmod(importlib.import_module(f"fedbits.{name}"))
    assert tried.attempted > 0 and tried.failed == 0


def test_no_docstring_with_examples_is_left_out() -> None:
    assert [path.stem for path in sorted(PACKAGE.glob("*.py")) if ">>> " in path.read_text()] == WITH_EXAMPLES
