"""The Python code of the documentation runs, block after block."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["docs/python.md", "python/README.md", "README.md"])
def test_the_code_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    if name == "docs/python.md":
        pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), flags=re.MULTILINE | re.DOTALL)
    assert blocks
    space: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, name, "exec"), space)  # noqa: S102
