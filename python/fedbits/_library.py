"""The built-in scenarios, and what a scenario says when it is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fedbits import _fedbits
from fedbits._errors import Caveat, caveats
from fedbits._run import ScenarioLike, changes, source_of


@dataclass(frozen=True)
class Entry:
    """A scenario of the library.

    Attributes:
        name: For `fb.run`.
        about: What it is about.
    """

    name: str
    about: str


@dataclass(frozen=True)
class Arm:
    """An arm of a scenario.

    Attributes:
        name: Its name in records and legends.
        text: The scenario in RON, with every field and default.
        caveats: What is allowed but not to be trusted blindly.
    """

    name: str
    text: str
    caveats: list[Caveat]


def library() -> list[Entry]:
    """The built-in scenarios.

    Examples:
        >>> import fedbits as fb
        >>> [entry.name for entry in fb.library() if entry.name.startswith("quick")]
        ['quickstart']
    """
    return [Entry(*row) for row in _fedbits.library()]


def arms(scenario: ScenarioLike, set: Mapping[str, object] | None = None, seed: int | None = None) -> list[Arm]:
    """Check a scenario without running it: its arms, with every default filled in.

    Raises:
        ScenarioError: The scenario is wrong; `problems` has the places.

    Examples:
        >>> import fedbits as fb
        >>> [arm.name for arm in fb.arms("quickstart", {"stop.rounds": 5})]
        ['uncompressed', 'dithering-2', 'rand-6', 'dithering-2-naive']
    """
    keep: list[object] = []
    rows = _fedbits.arms(source_of(scenario, keep), changes(set, seed, keep), keep)
    return [Arm(name, text, caveats(told)) for name, text, told in rows]


def show(scenario: ScenarioLike) -> str:
    """The text of a scenario's first arm in RON, with every field and default."""
    return arms(scenario)[0].text
