from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from fedbits._errors import Problem
from fedbits._machine import Machine

__version__: str
MOST_THREADS: int

class Error(RuntimeError): ...

class ScenarioError(Error):
    _rows: list[tuple[str, int, int, str, str, str | None]]
    @property
    def problems(self) -> list[Problem]: ...

class Handle:
    number: int

class Frame:
    @property
    def columns(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...
    def take_dict(self) -> dict[str, Any]: ...

class Ended:
    arm: str
    replicate: int
    folder: Path
    failure: str | None
    caveats: list[tuple[str, str]]
    objects: set[int]

class Claimed:
    broken: list[str]
    vectors: int
    omega: float | None
    contraction: float | None
    error: float
    shrinkage: float
    bits: float
    read: bool
    false_alarm: float

class Studied:
    results: int
    failed: int
    orphaned: int
    caveats: list[tuple[str, str]]

_Source: TypeAlias = str | tuple[str, str]
_Codes: TypeAlias = tuple[npt.NDArray[np.uint32], list[str]] | None

def main(arguments: list[str]) -> None: ...
def left(milliseconds: int) -> tuple[bool, bool]: ...
def run(
    source: _Source,
    sets: list[tuple[str, str]],
    out: Path,
    objects: list[object],
    machine: Machine,
) -> list[Ended]: ...
def claims(text: str, length: int, samples: int, seed: int, objects: list[object], machine: Machine) -> Claimed: ...
def study(
    source: _Source,
    sets: list[tuple[str, str]],
    part: tuple[tuple[int, int] | None, bool],
    out: Path,
    objects: list[object],
    machine: Machine,
) -> Studied: ...
def verify(
    folder: Path, objects: list[object], numbers: set[int] | None, machine: Machine
) -> tuple[str | None, list[Path]]: ...
def read_tables(files: Sequence[tuple[Path, list[tuple[str, str]]]]) -> Frame: ...
def compare(directories: list[Path]) -> tuple[Frame, list[tuple[str, str]]]: ...
def report(
    runs: list[Path], into: Path, formats: list[str], style: str, declared: str | None, wanted: list[str] | None
) -> list[Path]: ...
def arms(
    source: _Source, sets: list[tuple[str, str]], objects: list[object]
) -> list[tuple[str, str, list[tuple[str, str]]]]: ...
def library() -> list[tuple[str, str]]: ...
def field_help(name: str, value: str, fields: list[str]) -> str | None: ...
def level(number: float) -> str: ...
def keep_part(parts: list[str], object: object) -> Handle: ...
def keep_table(
    x: npt.NDArray[np.float64], columns: list[str], labels: _Codes, clients: _Codes
) -> tuple[Handle, str]: ...
def table_of(handle: Handle) -> tuple[npt.NDArray[np.float64], list[str], _Codes, _Codes]: ...
