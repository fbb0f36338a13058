"""Objects of Python as parts: their names, their sources and their attributes stand in scenarios."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import platform
import threading
import warnings
from functools import partial, partialmethod
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from fedbits import _fedbits
from fedbits._objects import PeerProtocol, Protocol, PythonCompressor, PythonModel
from fedbits._part import UNSET, Part, data_help, to_ron
from fedbits._texts import OF_TYPING, beside, code, code_of, digest, home, text_of
from fedbits.parts import Compressor, Model
from fedbits.parts import Protocol as ProtocolPart


def _source(cls: type) -> str:
    """What is written in a class and those that it extends (but for a notebook or script), and what members do now."""
    texts, classes = [], _own_classes(cls)
    for own in classes:
        written = _written(own)
        found = ((name, _member(own, name, value, written, classes)) for name, value in sorted(vars(own).items()))
        members = "\n".join(f"{name}: {text}" for name, text in found if text is not None)
        texts += [members] if written is None else [written, members]
    return "\n".join(texts)


# Sources that were read, with the code and the defaults that the members had then.
_SOURCES: WeakKeyDictionary[type, tuple[list[object], str | None]] = WeakKeyDictionary()
# Python parses one text at a time, and not well in several threads (`SystemError` of Python 3.11's `ast`).
_READING = threading.Lock()


def _written(cls: type) -> str | None:
    """The source of a class as it is written, read anew where methods are others; none where it is nowhere, and of the
    script: a process that has its class from a pickle (of joblib, Dask, Ray) has no source of it.
    """
    if home(cls.__module__) == "__main__":
        return None
    functions = [function for function, _ in (_function(own) for own in vars(cls).values()) if function is not None]
    members: list[object] = [own for of in functions for own in (of.__code__, of.__defaults__, of.__kwdefaults__)]
    with _READING:
        known = _SOURCES.get(cls)
        if known is None or list(map(id, known[0])) != list(map(id, members)):
            try:
                text = inspect.getsource(cls)
            except (OSError, SyntaxError, TypeError):
                text = None
            known = _SOURCES[cls] = (members, text)
        return known[1]


def _function(value: object) -> tuple[FunctionType | None, tuple[object, ...]]:
    """The function of a method or a property of a class, and the arguments that it is given beforehand.

    Functions around it are in the text of the class.
    """
    for wrapper in ("__func__", "fget"):
        value = getattr(value, wrapper, value)
    given = (value.args, value.keywords) if isinstance(value, partial | partialmethod) else ()
    value = getattr(value, "func", value)
    function = inspect.unwrap(value) if callable(value) else value
    return (function if isinstance(function, FunctionType) else None), given


def _member(cls: type, name: str, value: object, written: str | None, told: list[type]) -> str | None:
    """What a method, a property or the like of a class does, without where it stands. A method that calls `super()`
    holds its class, which is among `told`: its attributes are settings, or work.

    Defaults are in the class's text where the function is: one that is a cache changes.
    """
    if written is None:
        is_data = isinstance(value, MemberDescriptorType | GetSetDescriptorType) or name in OF_TYPING
        is_code = isinstance(value, type) and not name.startswith("__") or hasattr(type(value), "__get__")
        return code_of(value, cls.__module__, told) if is_code and not is_data else None
    function, given = _function(value)
    if function is None:
        return None
    own = (function.__module__, function.__qualname__) == (cls.__module__, f"{cls.__qualname__}.{function.__name__}")
    uses = beside(function)[2 if own else 0 :]
    return f"{code(function.__code__)} {_told(cls, f'a default or a closure of `{name}`', (*uses, *given))}"


def _told(cls: type, what: str, value: object) -> str:
    """The text of what belongs to a class."""
    kind = cls.__name__
    try:
        return text_of(value)
    except Exception as error:
        raise TypeError(
            f"{what} of `{kind}` has no text by which `{kind}` is told apart ({error}): make it in the method that "
            "uses it, or give the class of what cannot be pickled a `__reduce__`"
        ) from error


def _own_classes(cls: type) -> list[type]:
    """A class and those that it extends, but for what Python and this package have."""
    return [own for own in cls.__mro__ if own.__module__ not in ("builtins", "typing", "abc", PythonModel.__module__)]


def _attributes(of: object) -> dict[str, Any]:
    """Data of an object by name: of its classes where they are not methods and the like, of slots, its own.

    What `work_names` lists is not looked at: it follows from the rest, or holds for a call.
    """
    found: dict[str, Any] = {}
    for own in reversed(_own_classes(type(of))):
        for name, value in vars(own).items():
            if isinstance(value, MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # The slot is empty.
                    found[name] = value.__get__(of)
            elif not name.startswith("__") and name not in OF_TYPING and not hasattr(type(value), "__get__"):
                found[name] = value
    work = getattr(of, "work_names", ())
    if isinstance(work, str) or not all(isinstance(name, str) for name in work):
        raise TypeError(f"`{type(of).__name__}.work_names` is {work!r}: expected a list of texts")
    return {name: value for name, value in {**found, **getattr(of, "__dict__", {})}.items() if name not in work}


def _settings(of: object) -> dict[str, str]:
    """The texts of its data."""
    return {name: _told(type(of), f"the attribute `{name}`", own) for name, own in sorted(_attributes(of).items())}


# What protocols declare: these attributes are fields of the part, which scenarios may change.
_DECLARED: dict[type, tuple[str, ...]] = {
    Protocol: ("participation", "compressor", "memory", "alpha", "divide_by", "floats", "domain", "weighting"),
    PeerProtocol: ("weights", "compressor", "floats", "domain", "weighting"),
}


def _fields(of: object) -> tuple[str, ...]:
    """The names of what an object may declare."""
    return next((names for base, names in _DECLARED.items() if isinstance(of, base)), ())


def _declared(of: object) -> dict[str, Any]:
    """What an object declares."""
    given = {name: getattr(of, name, UNSET) for name in _fields(of)}
    return {name: value for name, value in given.items() if value is not UNSET}


def _check_declared(of: object) -> None:
    """Refuses parts of scenarios under names that nothing declares, but nearly, or for another kind of protocol."""
    kind, fields = type(of).__name__, _fields(of)
    others = {name for names in _DECLARED.values() for name in names}
    for name, value in _attributes(of).items():
        is_part = isinstance(value, Part) or isinstance(value, type) and issubclass(value, Part)
        if is_part and name not in fields:
            near = difflib.get_close_matches(name, fields, 1, 0.8)
            if near or name in others:
                base = next(base for base in _DECLARED if isinstance(of, base))
                known = (
                    f"did you mean `{near[0]}`?" if near else f"an `fb.{base.__name__}` declares {', '.join(fields)}"
                )
                raise TypeError(f"`{kind}.{name}` is a part of a scenario that nothing reads: {known}")


def tell_changes(keep: list[object], protocols_alone: bool = False) -> None:
    """Warns of attributes and closures that have changed since the runs began: another call would repeat all runs, and
    clients, replicates and threads of a protocol have shared what it keeps.
    """
    kind_of = _Protocol if protocols_alone else _Object
    for own in {id(own._of): own for own in keep if isinstance(own, kind_of)}.values():
        before, now, source = own._settings, own._settings, own._parts[1]
        with contextlib.suppress(TypeError):  # What has no text any more is refused when it is called again.
            now, source = _settings(own._of), digest(_source(type(own._of)))
        names = [f"`{name}`" for name in {**before, **now} if before.get(name) != now.get(name)]
        names += ["what methods hold"] if source != own._parts[1] else []
        if names:
            kind = type(own._of).__name__
            shared = "clients, replicates and threads share what a protocol keeps on `self`, and results are wrong; "
            warnings.warn(
                f"{', '.join(names)} of `{kind}` changed while it ran: "
                f"{shared if isinstance(own, _Protocol) else ''}called again with this object, `fb.run` "
                f"takes it for another one and makes all runs again (`{kind}.work_names` lists what are no settings)",
                stacklevel=4,
            )


class _Object(Part):
    """An object of Python as a part: its name, its source, its attributes, the versions that it ran with."""

    _of: object
    _settings: dict[str, str]
    _parts: tuple[str, str, str, str]
    _handle: _fedbits.Handle

    def __init__(self, of: object) -> None:
        cls = type(of)
        versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
        settings, fields = _settings(of), _fields(of)
        shown = ", ".join(f"{name}={text}" for name, text in settings.items() if name not in fields)
        parts = (cls.__name__, digest(_source(cls)), shown, versions)
        values = {"_of": of, "_settings": settings, "_parts": parts, "_handle": _fedbits.keep_part(list(parts), of)}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _ron(self, keep: list[object] | None) -> str:
        fields = self._described()
        if keep is not None:
            keep += [self._handle, self]
            fields["number"] = self._handle.number
        return f"{self._written}({', '.join(f'{name}: {to_ron(value, keep)}' for name, value in fields.items())})"

    def _described(self) -> dict[str, object]:
        return dict(zip(("name", "source", "settings", "versions"), self._parts))


class _Model(_Object, Model):
    _written: ClassVar[str | None] = "PythonModel"


class _Compressor(_Object, Compressor):
    _written: ClassVar[str | None] = "PythonCompressor"

    def __init__(self, of: object) -> None:
        super().__init__(of)
        object.__setattr__(self, "has_bytes", hasattr(of, "decode"))

    def _described(self) -> dict[str, object]:
        return {**super()._described(), "has_bytes": self.has_bytes}  # type: ignore[attr-defined]


class _Protocol(_Object, ProtocolPart):
    _written: ClassVar[str | None] = "PythonProtocol"

    def __init__(self, of: object) -> None:
        missing = [name for name in self._needed(of) if not callable(getattr(of, name, None))]
        if missing:
            raise TypeError(f"as a protocol `{type(of).__name__}` lacks {', '.join(missing)}")
        _check_declared(of)
        super().__init__(of)

    def _needed(self, of: object) -> list[str]:
        return ["clients" if hasattr(of, "clients") else "client", "server"]

    def _described(self) -> dict[str, object]:
        return {**super()._described(), **_declared(self._of)}


class _PeerProtocol(_Protocol):
    _written: ClassVar[str | None] = "PythonPeerProtocol"

    def _needed(self, of: object) -> list[str]:
        return ["step"]


def _why_not(value: object) -> str:
    """What an object lacks to be a part."""
    if isinstance(value, type):
        return f"it is a class; expected an object, `{value.__name__}()`"
    if any(hasattr(value, name) for name in ("__array__", "__dataframe__", "__arrow_c_stream__")):
        return data_help(value)
    methods = ("statistics", "maximize", "objective")
    missing = [name for name in methods if not hasattr(value, name)]
    if len(missing) < len(methods):
        return f"as a model it lacks {', '.join(missing)}"
    if any(hasattr(value, name) for name in ("unbiased", "omega", "decode")):
        return "as a compressor it lacks encode"
    if any(hasattr(value, name) for name in ("broadcast", "client", "server", "step")):
        return "as a protocol it extends neither `fb.Protocol` nor `fb.PeerProtocol`"
    return "expected a part of fedbits, or a model, compressor or protocol of your own"


def part_of(value: object) -> Part:
    """A model, a compressor or a protocol of Python as a part."""
    if isinstance(value, Protocol):
        return _Protocol(value)  # pyright: ignore[reportCallIssue]
    if isinstance(value, PeerProtocol):
        return _PeerProtocol(value)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    if isinstance(value, PythonModel) and not isinstance(value, type):
        return _Model(value)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    if isinstance(value, PythonCompressor) and not isinstance(value, type):
        return _Compressor(value)  # pyright: ignore[reportCallIssue]
    raise TypeError(f"{value!r} cannot stand in a scenario: {_why_not(value)}")


Part._of_object = staticmethod(part_of)
