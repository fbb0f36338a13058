"""Figures that notebooks show."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fedbits import _fedbits, parts

FORMATS = ("svg", "png", "pdf", "tex")


class Figure:
    """A figure in several formats, drawn as for print. A notebook shows it; `save` writes it."""

    def __init__(self, files: dict[str, bytes], caption: str) -> None:
        self._files = files
        self.caption = caption

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the figure; the ending of the path says the format: `.svg`, `.png`, `.pdf`, `.tex`."""
        path = Path(path)
        kind = path.suffix[1:]
        if kind not in self._files:
            raise ValueError(f"`{path}` has no ending of a figure: expected one of {', '.join(self._files)}")
        path.write_bytes(self._files[kind])
        return path

    def _repr_svg_(self) -> str:
        return self._files["svg"].decode()

    def _repr_png_(self) -> bytes:
        return self._files["png"]

    def __repr__(self) -> str:
        return f"<fedbits figure: {self.caption.splitlines()[0] if self.caption else 'no caption'}>"


def draw(
    folder: Path, y: str | Sequence[str] | None, x: str | Sequence[str] | None, style: str, arm: str | None = None
) -> Figure:
    """The figure of some quantities, or the first that the scenario declares; of all arms or of one."""
    declared: list[dict[str, Any]] | None = None
    if y is not None:
        curves: dict[str, Any] = {"y": [y] if isinstance(y, str) else list(y)}
        if x is not None:
            curves["x"] = [_axis(x)] if isinstance(x, str) else [_axis(axis) for axis in x]
        declared = [{"name": "figure", "kind": {"Curves": curves}}]
    elif x is not None:
        raise ValueError("`x` needs `y`: which quantity is to be drawn against it?")
    elif arm is not None:
        declared = json.loads((folder / "plan.json").read_text(encoding="utf-8"))["figures"]
        if not declared:
            raise ValueError("the scenario declares no figure: which quantity `y` is to be drawn?")
    if declared is not None and arm is not None:
        declared = [{**declared[0], "arms": [{"Arm": arm}]}]
    text = None if declared is None else json.dumps(declared)
    with tempfile.TemporaryDirectory() as made:
        written = _fedbits.report([folder], Path(made), list(FORMATS), style, (text, None), None)
        first = next(path for path in written if path.suffix == ".svg")
        files = {kind: first.with_suffix(f".{kind}").read_bytes() for kind in FORMATS}
        caption = first.with_name(f"{first.stem}.txt")
        return Figure(files, caption.read_text(encoding="utf-8") if caption.exists() else "")


def _axis(name: str) -> str:
    """`bits-up` as the variant `BitsUp`."""
    variant = "".join(part[:1].upper() + part[1:] for part in name.replace("_", "-").split("-"))
    known = [cls._written for cls in parts.XAxis.__subclasses__() if cls._written]
    if variant not in known:
        names = ", ".join(re.sub("(?<!^)(?=[A-Z])", "-", axis).lower() for axis in known)
        raise ValueError(f"there is no axis `{name}`: expected one of {names}")
    return variant
