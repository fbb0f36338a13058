"""What is raised, and what is said beside results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from fedbits._fedbits import DomainError, Error, ScenarioError


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a scenario.

    Attributes:
        source: Name of the text: a file, or the scenario's name.
        line: From 1.
        column: From 1.
        message: What is wrong.
        expected: What was expected.
        help: What might help, such as the nearest name.
    """

    source: str
    line: int
    column: int
    message: str
    expected: str
    help: str | None


def _problems(self: Any) -> list[Problem]:
    """What is wrong, each at its place, in the order of the text."""
    return [Problem(*row) for row in getattr(self, "_rows", [])]


# The exception is made by the module, which has no classes of Python.
setattr(ScenarioError, "problems", property(_problems))  # noqa: B010


class Caveat(str):
    """The sentence of a caveat: something that you must know before you trust the results.

    Attributes:
        id: Its name, for example `rounded-variances`: `fedbits explain ID` explains it.
        severity: `note`, or `warning` where the results may be biased, incomplete or wrong.
        values: The values in the sentence, by their names.
    """

    id: str
    severity: str
    values: dict[str, str]


def caveats(rows: list[tuple[str, str]]) -> list[Caveat]:
    """Caveats from their sentences and their JSON."""
    read = []
    for sentence, text in rows:
        caveat, fields = Caveat(sentence), json.loads(text)
        caveat.id, caveat.severity, caveat.values = fields["id"], fields["severity"], fields["values"]
        read.append(caveat)
    return read


class CaveatWarning(UserWarning):
    """Something that you must know before you trust the results; `args[0]` is the `Caveat`."""


class FailedRunWarning(CaveatWarning):
    """A run failed: it diverged, or left the domain of its model. Its record says when."""


__all__ = ["Caveat", "CaveatWarning", "DomainError", "Error", "FailedRunWarning", "Problem", "ScenarioError"]


def so_many(count: int, noun: str) -> str:
    """A count and what is counted, for messages."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
