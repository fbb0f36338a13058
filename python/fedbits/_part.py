"""What all classes of scenarios have in common: construction, comparison, and their text in RON."""

from __future__ import annotations

import inspect
import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fedbits import _fedbits

if TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform
elif sys.version_info >= (3, 11):
    from typing import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda of: of


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"

    def __reduce__(self) -> str:
        # A copy is the same.
        return "UNSET"


UNSET: Any = _Unset()
"""The value of a field that is not given: the program's default holds."""


class _Signature:
    """The signature of a class with the fields of a part, made when notebooks and `help` ask for it."""

    def __get__(self, _: object, cls: type[Part]) -> inspect.Signature:
        if cls.__init__ is not Part.__init__:
            raise AttributeError("it is that of its own `__init__`")
        kind = inspect.Parameter.KEYWORD_ONLY if cls._kw_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        kinds = inspect.get_annotations(cls)
        given = {field: getattr(cls, field, inspect.Parameter.empty) for field in cls._fields}
        parameters = [
            inspect.Parameter(field, kind, default=given[field], annotation=kinds[field]) for field in cls._fields
        ]
        return inspect.Signature(parameters)


@dataclass_transform(frozen_default=True)
class Part:
    """A part of a scenario: a value with fields that does not change. Its text is that of scenario files (RON).

    Examples:
        >>> import fedbits as fb
        >>> protocol = fb.FedEm(gamma=0.1, compressor=fb.TopK(k=6))
        >>> protocol.replace(gamma=0.2)
        FedEm(gamma=0.2, compressor=TopK(k=6))
        >>> print(protocol)
        FedEm(gamma: 0.1, compressor: TopK(k: 6))
    """

    _written: ClassVar[str | None] = None
    _items: ClassVar[bool] = False
    _fields: ClassVar[tuple[str, ...]] = ()
    _kw_only: ClassVar[bool] = False
    # Makes a part of an object of Python, or refuses it. Such parts extend this class: `_object_parts` sets it.
    _of_object: ClassVar[Callable[[object], Part]]
    __signature__: ClassVar[Any] = _Signature()

    def __init_subclass__(cls, kw_only: bool = False) -> None:
        annotations = inspect.get_annotations(cls)
        cls._fields = tuple(name for name in annotations if not name.startswith("_"))
        cls._kw_only = kw_only
        setattr(cls, "__match_args__", () if kw_only else cls._fields)  # noqa: B010

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name, fields = type(self).__name__, self._fields
        places = () if self._kw_only else fields
        if len(args) > len(places):
            raise TypeError(f"{name} takes {len(places)} values by place, {len(args)} were given")
        given = dict(zip(places, args))
        for field, value in kwargs.items():
            if field in given:
                raise TypeError(f"{name} got `{field}` twice")
            if field not in fields:
                shown = str(value) if isinstance(value, int | float | str) else "…"
                known = _fedbits.field_help(field, shown, list(fields)) or f"it has {', '.join(fields) or 'none'}"
                raise TypeError(f"{name} has no field `{field}`: {known}")
            given[field] = value
        data = given.get("data", UNSET)
        if self._kw_only and data is not UNSET and not isinstance(data, Part | type):
            raise TypeError(f"{name} got a `{type(data).__name__}` as `data`: {data_help(data)}")
        missing = [field for field in fields if field not in given and not hasattr(type(self), field)]
        if missing:
            raise TypeError(f"{name} needs {', '.join(f'`{field}`' for field in missing)}")
        for field in fields:
            object.__setattr__(self, field, given.get(field, UNSET))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a part does not change: make another one with `.replace({name}=…)`")

    def replace(self, **changes: Any) -> Self:
        """The same part with other values of these fields."""
        return type(self)(**{**self._given(), **changes})

    def _given(self) -> dict[str, Any]:
        values = {field: getattr(self, field) for field in self._fields}
        return {field: value for field, value in values.items() if value is not UNSET}

    def __eq__(self, other: object) -> bool:
        # By their texts, as their hashes: arrays cannot be compared as one value.
        return self is other or isinstance(other, Part) and type(self) is type(other) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{field}={value!r}' for field, value in self._given().items())})"

    def __str__(self) -> str:
        return to_ron(self)

    def _ron(self, keep: list[object] | None) -> str:
        given = self._given()
        if "name" in self._fields and self._kw_only:
            # Scenarios of classes need none.
            given = {"name": type(self).__name__.lower(), **given}
        names = {field: "" if self._items else f"{field.rstrip('_')}: " for field in given}
        kinds = inspect.get_annotations(type(self))
        for field, value in given.items():
            if kinds.get(field) in OF_TEXTS:
                given[field] = texts_of(type(self), field, value, keep)
        values = [names[field] + field_to_ron(value, kinds.get(field), keep) for field, value in given.items()]
        # Errors say lines: each field of a scenario has one.
        inside = "\n" + "".join(f"    {value},\n" for value in values) if self._kw_only else ", ".join(values)
        if self._written is None:
            # A kind with an alternative of its own name, such as `Memory`, is that with its defaults.
            return f"({inside})" if self._fields else f"{type(self).__name__}()"
        return f"{self._written}({inside})" if self._fields else self._written


def data_help(value: object) -> str:
    """What to give instead of a value that is no data of a scenario."""
    if isinstance(value, str | os.PathLike):
        return f"expected `fb.Csv(path={os.fspath(value)!r})`, or another class for files"
    return "expected `fb.Table(…)`, which takes arrays and data frames, or a class for files such as `fb.Csv`"


# Fields of settings by their texts, where any other value stands for its text.
OF_TEXTS = (
    "Mapping[str, object]",
    "Mapping[str, Sequence[object]]",
    "Mapping[str, Mapping[str, object]]",
    "Sequence[Mapping[str, object]]",
    "Values | Sequence[object]",
    "Mapping[str, Which | Sequence[object] | str]",
    "Mapping[str, Mapping[str, Which | Sequence[object] | str]]",
)
# Those of them that have names of levels.
_OF_LEVELS = ("exclude", "baseline", "when")


def texts_of(cls: type[Part], field: str, value: Any, keep: list[object] | None) -> Any:
    """The value of a field of settings with texts in place of whatever else is there."""

    def text(item: Any) -> Any:
        if isinstance(item, str):
            return item
        item = item.item() if isinstance(item, np.generic | np.ndarray) and item.ndim == 0 else item
        is_number = isinstance(item, int | float) and not isinstance(item, bool)
        if is_number and kind == "Values | Sequence[object]":
            return item  # The program writes it as it names the level.
        if isinstance(item, float) and math.isfinite(item) and field in _OF_LEVELS:
            return _fedbits.level(item)
        numbered = to_ron(item, keep)
        # Texts of arms stand in no name and in no record: there objects can have their numbers.
        return numbered if cls.__name__ == "Arm" else to_ron(item)

    def inside(item: Any, kind: str) -> Any:
        if kind == "object":
            return text(item)
        if isinstance(item, Mapping) and kind.startswith("Mapping["):
            inner = kind.removeprefix("Mapping[str, ").removesuffix("]")
            return {key: inside(content, inner) for key, content in item.items()}
        is_list = isinstance(item, Sequence) and not isinstance(item, str) or isinstance(item, np.ndarray) and item.ndim
        if is_list and "Sequence[" in kind:
            inner = kind.removeprefix("Sequence[").removesuffix("]") if kind.startswith("Sequence[") else "object"
            return [inside(content, inner) for content in item]
        # One level may stand in place of a list.
        is_named = any(base.__name__ in kind.split(" | ") for base in type(item).__mro__)
        return text(item) if kind.endswith("| str") and not (is_named or isinstance(item, Mapping)) else item

    kind = inspect.get_annotations(cls)[field]
    return inside(value, kind)


def field_to_ron(value: object, kind: object, keep: list[object] | None) -> str:
    """The text of the value of a field with the annotation `kind`: a single character has quotes of its own."""
    if isinstance(value, str) and len(value) == 1 and "Character" in str(kind):
        return "'" + to_ron(value)[1:-1].replace("'", r"\'") + "'"
    return to_ron(value, keep)


def to_ron(value: object, keep: list[object] | None = None) -> str:
    """The text of a value in a scenario file.

    With `keep` it is for the module: what must live as long as the text is used is added there, and objects of Python
    have the numbers by which it tells them apart.
    """
    if isinstance(value, type) and issubclass(value, Part):
        value = value()
    if isinstance(value, Part):
        return value._ron(keep)
    if value is None:
        return "None"
    if isinstance(value, np.generic | np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot stand in a scenario: expected a finite number")
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, os.PathLike):
        return json.dumps(os.fsdecode(value), ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{to_ron(key, keep)}: {to_ron(content, keep)}" for key, content in value.items()) + "}"
    if isinstance(value, Sequence | np.ndarray):
        return "[" + ", ".join(to_ron(item, keep) for item in value) + "]"
    return Part._of_object(value)._ron(keep)
