"""What is raised, and what is said beside results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fedbits._fedbits import Error, ScenarioError


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


class CaveatWarning(UserWarning):
    """Something that you must know before you trust the results."""


class FailedRunWarning(CaveatWarning):
    """A run failed: it diverged, or left the domain of its model. Its record says when."""


__all__ = ["CaveatWarning", "Error", "FailedRunWarning", "Problem", "ScenarioError"]


def so_many(count: int, noun: str) -> str:
    """A count and what is counted, for messages."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
