"""Mappings as JSON would have them: their text in RON, which is read, and judged, as any other."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fedbits import parts
from fedbits._part import OF_TEXTS, Part, field_to_ron, texts_of, to_ron


def mapping_to_ron(fields: Mapping[str, Any], cls: type[Part], keep: list[object]) -> str:
    """The text of a part with these fields, without its name. What must live as long as the text is added to `keep`."""
    kinds = inspect.get_annotations(cls)
    # Python has an underscore behind names that are words of its own.
    kind = {name: str(kinds.get(name) or kinds.get(f"{name}_", "")) for name in fields}
    values = {
        name: texts_of(cls, name, value, keep) if kind[name] in OF_TEXTS else value for name, value in fields.items()
    }
    texts = [f"{name}: {_to_ron(value, kind[name], keep)}" for name, value in values.items()]
    # Errors say lines, as in the text of a part.
    return "(\n" + "".join(f"    {text},\n" for text in texts) + ")" if cls._kw_only else f"({', '.join(texts)})"


def _to_ron(value: object, kind: str, keep: list[object]) -> str:
    """The text of a value where a field has the annotation `kind`: what a text or a mapping is depends on it."""
    words = re.findall(r"\w+", kind)
    kinds = [getattr(parts, word, None) for word in words]
    parents = [parent for parent in kinds if isinstance(parent, type) and issubclass(parent, Part)]
    # Parts that have no name in texts are known by none.
    variants = {str(variant._written or ""): variant for cls in parents for variant in (cls, *cls.__subclasses__())}
    if isinstance(value, str):
        # What can be no text is a name, if a wrong one.
        is_name = value in variants and not variants[value]._fields or bool(parents) and "str" not in words
        return value if is_name and value.isidentifier() else field_to_ron(value, kind, keep)
    if isinstance(value, Mapping) and kind.startswith("Mapping["):
        inner = kind.removeprefix("Mapping[str, ")
        return (
            "{" + ", ".join(f"{to_ron(key)}: {_to_ron(content, inner, keep)}" for key, content in value.items()) + "}"
        )
    if isinstance(value, Mapping):
        name, content = next(iter(value.items()), ("", None))
        if len(value) > 1 or not str(name)[:1].isupper():
            return mapping_to_ron(value, variants.get("", Part), keep)
        cls = variants.get(name, Part)
        if isinstance(content, Mapping) and not cls._items:
            return name + mapping_to_ron(content, cls, keep)
        contents = content if len(cls._fields) > 1 and isinstance(content, Sequence) else [content]
        inner_kinds = [*inspect.get_annotations(cls).values()][-len(cls._fields) :] if cls._fields else [""]
        return f"{name}({', '.join(_to_ron(item, inner, keep) for item, inner in zip(contents, inner_kinds))})"
    if isinstance(value, Sequence | np.ndarray):
        # A list that stands for a part has none of its kind in it: `Columns | Sequence[object]` has names and numbers.
        inner = kind.removeprefix("Sequence[") if kind.startswith("Sequence[") else "object"
        return "[" + ", ".join(_to_ron(item, inner, keep) for item in value) + "]"
    return to_ron(value, keep)
