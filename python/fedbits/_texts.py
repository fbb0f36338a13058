"""Texts that say all of a value, by which models, compressors and protocols of Python are told apart."""

from __future__ import annotations

import contextlib
import copyreg
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from fedbits._part import Part

# The `repr` of exactly these types says all of them, whatever is set; others may round, or show nothing.
_SHOWN = (type(None), bool, int, float, complex, str, bytes, Fraction, Decimal)


def text_of(value: object) -> str:
    """The same in every process, and another one for another value; a digest where it is long.

    Any exception may come of a value that cannot be pickled.
    """
    return _Writer().text(value, 0)


def digest(content: str | bytes) -> str:
    """128 bits that stand for a text or for bytes."""
    content = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def home(module: str | None) -> str | None:
    """A module by its name: that of the script is another one in processes that are spawned."""
    return "__main__" if module == "__mp_main__" else module


class _Writer:
    """Writes values that may hold each other, each once."""

    def __init__(self) -> None:
        # By identity, which the value beside the text keeps its own.
        self.known: dict[int, tuple[object, str]] = {}

    def text(self, value: Any, depth: int) -> str:
        if type(value) in _SHOWN or isinstance(value, np.bool_ | np.number | np.datetime64):
            text = repr(value)
        elif id(value) in self.known:
            return self.known[id(value)][1]
        else:
            self.known[id(value)] = (value, f"<the value at depth {depth}>")
            text = self._composed(value, depth + 1)
        if len(text) > 200:
            text = f"<{type(value).__name__} {digest(text)}>"
        if id(value) in self.known:
            self.known[id(value)] = (value, text)
        return text

    def _all(self, values: Iterable[Any], depth: int) -> list[str]:
        return [self.text(value, depth) for value in values]

    def _composed(self, value: Any, depth: int) -> str:
        kind = type(value)
        if kind is tuple:
            return f"({', '.join(self._all(value, depth))}{',' * (len(value) == 1)})"
        if kind is list:
            return f"[{', '.join(self._all(value, depth))}]"
        if kind is dict:
            return f"{{{', '.join(map(': '.join, (self._all(pair, depth) for pair in value.items())))}}}"
        if kind in (set, frozenset):
            # Their order is another one in every process.
            return f"{kind.__name__}({{{', '.join(sorted(self._all(value, depth)))}}})"
        if isinstance(value, Enum):
            return f"<{kind.__name__}.{value.name}: {self.text(value.value, depth)}>"
        if isinstance(value, Part):
            return f"<{value}>"
        if isinstance(value, type):
            return f"<class {home(value.__module__)}.{value.__qualname__}>"
        if isinstance(value, ModuleType):
            return f"<module {home(value.__name__)}>"
        if value is np.random.mtrand._rand:
            # What SciPy's distributions draw with: its state is another one in every process.
            return "<the generator of numpy.random>"
        return f"<{kind.__name__} {digest(self._content(value, depth))}>"

    def _content(self, value: Any, depth: int) -> str:
        """What is in a value of any other type: what its pickle has."""
        if type(value) is np.ndarray:
            cells = self._all(value.ravel().tolist(), depth) if value.dtype.hasobject else digest(value.tobytes())
            return f"{value.dtype.descr} {value.shape} {cells}"
        if isinstance(value, FunctionType):
            return f"{code(value.__code__)} {self._all(beside(value), depth)}"
        if isinstance(value, MethodType):
            return str(self._all((value.__self__, value.__func__), depth))
        reduce = copyreg.dispatch_table.get(type(value))
        reduced: Any = value.__reduce_ex__(4) if reduce is None else reduce(value)
        if isinstance(reduced, str):
            return f"{home(getattr(value, '__module__', None))}.{reduced}"
        make, *rest = reduced
        name = make if isinstance(make, MethodType) else getattr(make, "__qualname__", make)
        # The items of lists and of mappings are iterators.
        return str(self._all([name, *(list(part) if hasattr(part, "__next__") else part for part in rest)], depth))


# What values of these types hold beside their attributes.
_INNER: tuple[tuple[type, tuple[str, ...]], ...] = (
    (property, ("fget", "fset", "fdel")),
    (classmethod, ("__func__",)),
    (staticmethod, ("__func__",)),
    (partial, ("func", "args", "keywords")),
    (BuiltinFunctionType, ("__self__",)),
)
# What abstract classes and protocols leave in those that extend them.
OF_TYPING = ("_abc_impl", "_is_protocol", "_is_runtime_protocol")


def code_of(value: object, module: str, told: Sequence[type] = ()) -> str:
    """What a member of a class in this module does where its source is not read: the code of all functions in it, with
    what they use. No value is refused: what has no text is told by its class. Of `told` the names are enough.
    """
    return _CodeWriter(module, told).text(value, 0)


class _CodeWriter(_Writer):
    """Writes code: that of functions, of classes of a script and of this module, and what is around them."""

    def __init__(self, module: str, told: Sequence[type]) -> None:
        super().__init__()
        self.homes, self.told = ("__main__", home(module)), told

    def _composed(self, value: Any, depth: int) -> str:
        if isinstance(value, type) and home(value.__module__) in self.homes and value not in self.told:
            return f"<class {value.__qualname__} {digest(str(self._members(value, depth)))}>"
        return super()._composed(value, depth)

    def _members(self, cls: type, depth: int) -> list[str]:
        found = [f"{home(base.__module__)}.{base.__qualname__}" for base in cls.__mro__]
        for base in cls.__mro__:
            if home(base.__module__) in self.homes:
                found += [f"{name}: {self.text(value, depth)}" for name, value in members(base)]
        return found

    def _content(self, value: Any, depth: int) -> str:
        kind = type(value)
        if isinstance(value, FunctionType):
            registry = getattr(value, "registry", None)
            if isinstance(registry, Mapping) and hasattr(value, "dispatch"):
                # Of `singledispatch`, whose own code keeps what it has found.
                return str([[self.text(item, depth) for item in pair] for pair in registry.items()])
            wrapped = getattr(value, "__wrapped__", None)
            return f"{code(value.__code__)} {self._all([*beside(value), wrapped], depth)}"
        if isinstance(value, np.ndarray | MethodType):
            return super()._content(value, depth)
        is_of_script = home(kind.__module__) in self.homes
        held = _held(value, is_of_script) if is_of_script or callable(value) or hasattr(kind, "__get__") else []
        if not held and not is_of_script:
            # Such as functions of NumPy, whose pickle is their name.
            with contextlib.suppress(Exception):
                return super()._content(value, depth)
        return str(self._all([kind, getattr(value, "__qualname__", None), *held], depth))


def members(cls: type) -> list[tuple[str, Any]]:
    """What a class has, by name, but for what Python writes there."""
    return [
        (name, member)
        for name, member in sorted(vars(cls).items())
        if name not in OF_TYPING
        and (not name.startswith("__") or isinstance(member, FunctionType | property | classmethod | staticmethod))
    ]


def _held(value: Any, is_of_script: bool) -> list[Any]:
    """What is in a decorator, or in any object of a script's class."""
    attributes: dict[str, Any] = dict(getattr(value, "__dict__", {}))
    if "__wrapped__" in attributes and not is_of_script:
        # Others of a library's may be what it has found so far.
        return [attributes["__wrapped__"]]
    for base in type(value).__mro__:
        for name, slot in vars(base).items():
            if isinstance(slot, MemberDescriptorType) and not name.startswith("__"):
                with contextlib.suppress(Exception):  # It is empty.
                    attributes[name] = slot.__get__(value)
    for kind, names in _INNER:
        if isinstance(value, kind):
            attributes.update({name: getattr(value, name, None) for name in names})
    keep = ("__wrapped__", "__func__", "__self__")
    return [pair for pair in sorted(attributes.items()) if not pair[0].startswith("__") or pair[0] in keep]


def beside(function: FunctionType) -> list[Any]:
    """What a function has beside its code: defaults, and the values of names around it that it uses."""
    values: list[Any] = [function.__defaults__, function.__kwdefaults__]
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # It has no value yet.
            values.append(None)
    return values


def code(of: CodeType) -> str:
    """The instructions of a function with its names and constants."""

    def constant(value: object) -> str:
        if isinstance(value, CodeType):
            return code(value)
        # The order of a set is another one in every process.
        return str(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)

    constants = [constant(value) for value in of.co_consts]
    return repr((of.co_code, constants, of.co_names, of.co_varnames, of.co_freevars))
