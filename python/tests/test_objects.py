"""How models and compressors of Python are told apart."""

from __future__ import annotations

import importlib
import inspect
import math
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial, partialmethod
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import PoissonMixture

import fedbits as fb
from fedbits._texts import code_of


def test_the_source_of_a_class_is_read_once_and_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(PoissonMixture):
        pass

    inside: list[str] = []
    reads: list[list[str]] = []

    def getsource(of: Any) -> str:
        inside.append(of.__name__)
        reads.append(inside.copy())
        time.sleep(0.02)
        inside.pop()
        return f"class {of.__name__}"

    monkeypatch.setattr(inspect, "getsource", getsource)
    scenario = fb.Scenario(name="x", model=Own())
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(str, [scenario] * 8))) == 1
    assert [own for own in reads if "Own" in own] == [["Own"]]


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
@pytest.mark.parametrize("protocol", [fb.IncrementalEm(), fb.Fiem(gamma=0.3, batch=fb.WithReplacement(50))])
def test_memories_of_examples_are_filled_in_one_call(counts: Array, protocol: fb.parts.Protocol) -> None:
    class Counted(PoissonMixture):
        def statistics(self, theta: Array, X: Array) -> Array:
            calls.append(len(X))
            return super().statistics(theta, X)

    def run(model: PoissonMixture) -> fb.Run:
        stop = fb.Stop(rounds=10)
        return fb.run(fb.Scenario(name="x", data=fb.Table(counts), model=model, protocol=protocol, stop=stop))

    calls: list[int] = []
    together, each = run(Counted()), run(PoissonMixture(by_rows=False))
    assert len(calls) < 60 and len(counts) in calls
    np.testing.assert_allclose(together.model.theta, each.model.theta, rtol=1e-12)


FILE = """
class Own:
    shift = 1.0

    def initial(self, X, rng):
        return X[0]

    def statistics(self, theta, X):
        return X

    def maximize(self, S, *, {default}):
        return S + {by}

    def objective(self, theta, X):
        return (X[:, 0] - theta) ** 2
"""


def text_of(model: Any) -> str:
    return str(fb.Scenario(name="x", model=model))


def test_code_that_changes_in_place_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `%autoreload 2` does it, in the file first, or by an assignment to a class."""

    def written(**fields: object) -> None:
        text = FILE.format(**{"default": "more=None", "by": 0.5, **fields})
        (tmp_path / "own_model.py").write_text(text)

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    written()
    module = importlib.import_module("own_model")
    one, first = module.Own, text_of(module.Own())
    assert text_of(module.Own()) == first
    written(by=0.75)
    other = importlib.reload(module).Own
    second = text_of(other())
    assert second != first
    one.maximize.__code__ = other.maximize.__code__
    assert text_of(one()) == second
    one.maximize = one.statistics
    assert text_of(one()) not in (first, second)
    # What was read is the code that runs, although its file says something else by now.
    written(by=0.5)
    late = importlib.reload(module).Own
    written(by=0.75)
    assert text_of(late()) not in (first, second)
    # Defaults are read with the class's text, also anew, and may change: a cache does.
    written(default="cache={}")
    cached = importlib.reload(module).Own
    before = text_of(cached())
    cached.maximize.__kwdefaults__["cache"][1] = 2
    assert text_of(cached()) == before
    written(default="cache=None")
    cached.maximize.__kwdefaults__ = importlib.reload(module).Own.maximize.__kwdefaults__
    assert text_of(cached()) == text_of(module.Own()) != before


def test_what_methods_are_made_with_is_told() -> None:
    def make_step(size: Any) -> Any:
        return lambda self, S: S * size

    def default_step(size: Any) -> Any:
        def step(self: Any, S: Array, size: Any = size) -> Array:
            return S * size

        return step

    def step(self: Any, size: float, S: Array) -> Array:
        return S * size

    class Own(PoissonMixture):
        pass

    def told(maximize: Any) -> str:
        Own.maximize = maximize  # type: ignore[method-assign]
        return text_of(Own())

    def defined(size: float) -> str:
        class Sized(PoissonMixture):
            def maximize(self, S: Array) -> Array:
                return S * size

        return text_of(Sized())

    def of_no_object(size: float) -> Any:
        return staticmethod(partial(step, None, size))

    def beforehand(size: float) -> Any:
        return partialmethod(step, size)

    def by_name(size: float) -> Any:
        return partialmethod(step, size=size)

    makers = (make_step, default_step, beforehand, by_name, of_no_object)
    texts = [told(make(size)) for make in makers for size in (0.5, 0.9)]
    assert len(set(texts)) == 2 * len(makers)
    assert texts == [told(make(size)) for make in makers for size in (0.5, 0.9)]
    assert defined(0.5) == defined(0.5) != defined(0.9)
    for make in (make_step, default_step):
        with pytest.raises(TypeError, match="a default or a closure of `maximize` of `Own` has no text .*lock"):
            told(make(threading.Lock()))


class Caching(PoissonMixture):
    """Keeps what `statistics` found."""

    def __init__(self, power: float = 1.0) -> None:
        super().__init__()
        self.power, self.found, self.calls = power, None, 0

    def statistics(self, theta: Array, X: Array) -> Array:
        self.found = super().statistics(theta, X)
        self.calls += 1
        return self.found


class Listed(Caching):
    work_names = ("found", "calls")


def study_of(model: PoissonMixture, counts: Array, small: fb.Scenario) -> fb.Scenario:
    base = small.replace(data=fb.Table(counts), model=model, protocol=fb.FedEm(gamma=0.5))
    return base.replace(name="own", axes=[fb.GridAxis("protocol.gamma", values=["0.2", "0.5"])])


def test_work_arrays_are_no_settings(counts: Array, small: fb.Scenario, tmp_path: Path) -> None:
    model = Listed()
    study = study_of(model, counts, small)
    before = hash(study)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*changed while it ran")
        fb.run(study, out=tmp_path)
        calls, model.calls = model.calls, 0
        fb.run(study, out=tmp_path)
    assert calls > 10 * model.calls and hash(study) == before
    assert text_of(Listed()) != text_of(Listed(2.0))
    model.work_names = "found"  # type: ignore[assignment]
    with pytest.raises(TypeError, match="`Listed.work_names` is 'found': expected a list of texts"):
        text_of(model)


def test_settings_that_a_study_changes_are_told(counts: Array, small: fb.Scenario, tmp_path: Path) -> None:
    expected = "`calls`, `found` of `Caching` changed while it ran: called again with this object"
    with pytest.warns(UserWarning, match=expected):
        fb.run(study_of(Caching(), counts, small), out=tmp_path / "whole")
    with pytest.warns(UserWarning, match=expected):
        fb.run_shard(study_of(Caching(), counts, small), 0, 2, tmp_path / "parts")


def test_closures_that_a_study_changes_are_told(counts: Array, small: fb.Scenario, tmp_path: Path) -> None:
    def memo() -> Any:
        found: list[int] = []

        def maximize(self: Any, S: Array) -> Array:
            found.append(len(S))
            return PoissonMixture.maximize(self, S)

        return maximize

    class Own(PoissonMixture):
        maximize = memo()

    with pytest.warns(UserWarning, match="what methods hold of `Own` changed while it ran"):
        fb.run(study_of(Own(), counts, small), out=tmp_path)


def test_notebooks_are_told_the_fields() -> None:
    """By the signature, which completes them and is shown by `help`."""
    signature = inspect.signature(fb.FedEm)
    assert "gamma" in signature.parameters and signature.parameters["gamma"].default is signature.empty
    assert signature.bind(gamma=0.1) and signature.parameters["compressor"].default is fb.UNSET
    kinds = {own.kind for own in inspect.signature(fb.Scenario).parameters.values()}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    assert list(inspect.signature(fb.Table).parameters) == ["X", "label", "client", "columns"]
    assert not inspect.signature(fb.Identity).parameters


def test_the_generator_of_numpy_is_told_by_its_name() -> None:
    """SciPy's distributions hold it, in another state in every process and after every draw."""

    def text() -> str:
        model = PoissonMixture()
        model.prior = [np.random.mtrand._rand, np.random.RandomState(1)]  # type: ignore[attr-defined]
        return text_of(model)

    before = text()
    np.random.rand()
    assert text() == before
    pytest.importorskip("scipy.stats")
    code = "import scipy.stats; from fedbits._texts import text_of; print(text_of(scipy.stats.gamma(2)))"
    texts = [subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(2)]
    assert texts[0] == texts[1] != ""


SCRIPT = """
import contextlib
import functools
import threading

import numpy as np


class Logged:
    def __init__(self, function, scale=1):
        self.function, self.scale = function, scale

    def __get__(self, of, cls=None):
        return functools.partial(self.function, of)


@contextlib.contextmanager
def quiet(level):
    with np.errstate(all="ignore"):
        yield


def locked(function):
    lock = threading.Lock()

    @functools.wraps(function)
    def wrapper(*arguments):
        with lock:
            return function(*arguments)

    return wrapper


def scaled(by):
    def around(function):
        def wrapper(*arguments):
            return by[0] * function(*arguments)

        return wrapper

    return around


class Own:
    class Inner:
        def shift(self):
            return 1.0  # nested

    def initial(self, X, rng):
        return X[0]

    @functools.lru_cache
    def cached(self):
        return 2.0  # cached

    @functools.cached_property
    def kept(self):
        return 3.0  # kept

    @property
    def shown(self):
        return 1

    @shown.setter
    def shown(self, value):
        self.value = 4.0  # setter

    @functools.singledispatchmethod
    def of(self, value):
        return value

    @of.register
    def _(self, value: int):
        return 5.0  # registered

    @of.register
    def _(self, value: str):
        return value

    @Logged
    def statistics(self, theta, X):
        return 6.0 * X  # descriptor

    @locked
    def maximize(self, S):
        return 7.0 * S  # locked

    @quiet(8.0)  # argument
    @scaled([9.0, 1])  # closure
    def objective(self, theta, X):
        return 10.0 * (X[:, 0] - theta) ** 2  # innermost
"""


def test_all_code_of_a_class_of_a_script_is_told() -> None:
    """Whatever is around it: a study would give its former results."""

    def told(code: str) -> str:
        space: dict[str, Any] = {"__name__": "__main__"}
        exec(code, space)  # noqa: S102
        return text_of(space["Own"]())

    marked = [line for line in SCRIPT.splitlines() if "  # " in line]
    changed = [SCRIPT.replace(line, line.replace(".0", ".5", 1)) for line in marked]
    texts = [told(code) for code in (SCRIPT, *changed)]
    assert len(marked) == 10 and len(set(texts)) == 11
    assert told("\n\n" + SCRIPT) == texts[0]


def test_functions_that_are_not_of_python_are_told_by_what_they_are() -> None:
    def told(function: object) -> str:
        def maximize(self: Any, S: Array) -> object:
            return function

        return code_of(maximize, "__main__")

    functions = [np.exp, np.log, math.exp, str.upper, str.lower, itemgetter(0), itemgetter(1), attrgetter("T")]
    assert len({told(own) for own in functions}) == len(functions)
    assert told(itemgetter(0)) == told(itemgetter(0))
    special = pytest.importorskip("scipy.special")
    assert told(special.expit) != told(special.logit)


def test_work_of_a_class_that_methods_reach_by_super_is_no_setting() -> None:
    class Counted(PoissonMixture):
        work_names = ("passes",)
        passes = 0

        def statistics(self, theta: Array, X: Array) -> Array:
            Counted.passes += 1
            return super().statistics(theta, X)

    Counted.__module__ = "__main__"
    before = text_of(Counted())
    Counted.passes = 1
    assert text_of(Counted()) == before
    Counted.statistics.__defaults__ = (Counted.passes,)
    assert text_of(Counted()) != before
