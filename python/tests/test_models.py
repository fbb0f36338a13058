"""Models of Python."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import DiagonalMixture, PoissonMixture

import fedbits as fb
from fedbits._part import UNSET

PROTOCOLS = {
    "FedEM": fb.FedEm(gamma=0.5),
    "minibatches": fb.FedEm(gamma=0.1, batch=fb.WithReplacement(20), participation=fb.Cohort(4)),
    "VR-FedEM": fb.FedEm(gamma=0.1, batch=fb.WithReplacement(10), variance_reduction=fb.Spider(fb.FixedInnerSteps(5))),
    "compressed": fb.FedEm(gamma=0.1, compressor=fb.RandK(3)),
}


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS.keys())
def test_the_same_mathematics_gives_the_same_trajectory(
    groups: tuple[Array, Any], small: fb.Scenario, protocol: Any
) -> None:
    """Column by column to 1e-9, against the program's own mixture: other draws would differ in the first digit."""
    X, _ = groups
    scenario = small.replace(data=fb.Table(X), protocol=protocol, record=fb.Record(probe_every=1, theta=True))
    start = fb.ParametersInitial([0.4, 0.6, -1.0, -1.0, 1.0, 1.5, 1.0, 2.0, 2.0, 1.0])
    own = fb.run(scenario.replace(model=fb.GaussianMixture(2, fb.Diagonal()), initial=start))
    python = fb.run(scenario.replace(model=DiagonalMixture(2, 2), initial=start))
    for name in ("objective", "mean_field_sq", "field_sq", "bits_up", "bits_down", "time_s", "expectations"):
        np.testing.assert_allclose(python.rounds[name], own.rounds[name], rtol=1e-9, atol=1e-12, err_msg=name)
    thetas = [run[0].table("theta").drop(columns="arm").to_numpy(float) for run in (python, own)]
    np.testing.assert_allclose(*thetas, rtol=1e-9, atol=1e-9)


def test_rows_and_means_are_the_same_model(counts: Array, small: fb.Scenario) -> None:
    scenario = small.replace(data=fb.Table(counts), protocol=PROTOCOLS["minibatches"])
    rows, means = (fb.run(scenario.replace(model=PoissonMixture(by_rows))) for by_rows in (True, False))
    np.testing.assert_allclose(rows[0].model.theta, means[0].model.theta, rtol=1e-9)
    assert rows[0].model.content["theta_names"] == list(PoissonMixture.parameter_names)
    # EM on all data with SciPy-free NumPy is the reference.
    model, theta = PoissonMixture(), np.array([0.5, 0.5, 2.0, 10.0])
    for _ in range(300):
        theta = model.maximize(model.statistics(theta, counts).mean(axis=0))
    final = fb.run(scenario.replace(model=PoissonMixture(), protocol=fb.FedEm(gamma=1.0), stop=fb.Stop(rounds=300)))
    np.testing.assert_allclose(final.model.theta, theta, rtol=1e-9)


def test_one_call_does_the_e_steps_of_a_round(counts: Array, small: fb.Scenario) -> None:
    calls: list[int] = []

    class Counting(PoissonMixture):
        def statistics(self, theta: Array, X: Array) -> Array:
            calls.append(len(X))
            return super().statistics(theta, X)

    fb.run(
        small.replace(
            data=fb.Table(counts),
            model=Counting(),
            protocol=fb.FedEm(gamma=0.5),
            record=fb.Record(probe_every=None),
            stop=fb.Stop(rounds=20),
        )
    )
    # A call per client would make 200 in 20 rounds; beside them are the start, two probes and the reference objective.
    assert 20 <= len(calls) < 60 and max(calls) == 1000


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("numbers", [True, False])
def test_objective_follows_statistics_with_the_same_examples(
    counts: Array, small: fb.Scenario, rows: bool, numbers: bool
) -> None:
    class Caching(PoissonMixture):
        def statistics(self, theta: Array, X: Array) -> Array:
            self.found = super().objective(theta, X)
            given = super().statistics(theta, X)
            return given if rows else given.mean(axis=0)

        def objective(self, theta: Array, X: Array) -> Any:
            return self.found if numbers else self.found.mean()

    # Clients of few and many counts: each has another objective.
    data = fb.Table(counts, client=np.arange(1000) // 100)
    scenario = small.replace(data=data, clients=UNSET, protocol=fb.FedEm(gamma=0.5), record=fb.Record(probe_every=1))
    caching, plain = (fb.run(scenario.replace(model=model)) for model in (Caching(), PoissonMixture()))
    np.testing.assert_allclose(caching.rounds["objective"], plain.rounds["objective"], rtol=1e-9)


def test_a_look_at_as_many_examples_as_statistics_has_numbers(counts: Array, small: fb.Scenario) -> None:
    class Caching:
        def initial(self, X: Array, rng: np.random.Generator) -> Array:
            return np.ones(1)

        def statistics(self, theta: Array, X: Array) -> Array:
            self.found = 0.5 * (X[:, 0] - theta) ** 2
            return np.hstack([X, X**2, X**3])

        def maximize(self, S: Array) -> Array:
            return S[:1]

        def objective(self, theta: Array, X: Array) -> Array:
            return self.found

    run = fb.run(small.replace(data=fb.Table(counts), model=Caching(), protocol=fb.FedEm(gamma=1.0)))
    assert run.model.theta[0] == pytest.approx(counts.mean())


def test_threads_and_repetitions_change_nothing(counts: Array, small: fb.Scenario) -> None:
    scenario = small.replace(data=fb.Table(counts), model=PoissonMixture(), protocol=PROTOCOLS["minibatches"])
    first = fb.run(scenario, threads=1)
    assert first.digests == fb.run(scenario, threads=4).digests
    first.verify()


def test_the_class_and_its_attributes_are_in_the_record(counts: Array, small: fb.Scenario) -> None:
    scenario = small.replace(data=fb.Table(counts), protocol=fb.FedEm(gamma=0.5))
    with pytest.warns(fb.CaveatWarning, match="PoissonMixture"):
        run = fb.run(scenario.replace(model=PoissonMixture()))
    text = run[0].manifest["scenario_text"]
    assert "by_rows=True" in text and np.__version__ in text
    other = fb.run(scenario.replace(model=PoissonMixture(False)))
    assert run[0].manifest["scenario_text"] != other[0].manifest["scenario_text"]


def test_attributes_are_told_apart_whole() -> None:
    """Long arrays, whose `repr` leaves numbers out, and objects that show nothing of themselves."""
    texts = []
    for number in range(3):
        model = PoissonMixture()
        model.table = np.zeros(5000)  # type: ignore[attr-defined]
        model.table[2500] = number  # type: ignore[attr-defined]
        texts.append(str(fb.Scenario(name="x", model=model)))
    assert len({*texts}) == 3


def with_attribute(value: object, name: str = "of") -> str:
    model = PoissonMixture()
    setattr(model, name, value)
    return str(fb.Scenario(name="x", model=model))


class Rounded:
    def __init__(self, value: float) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Rounded({self.value:.1f})"


@pytest.mark.parametrize(
    "make",
    [
        Rounded,
        lambda value: lambda x: x + value,
        lambda value: np.array([value, None], dtype=object),
        lambda value: np.ma.array([1.0, 2.0], mask=[False, value > 1]),
        lambda value: {"a": [Rounded(value)]},
        lambda value: pytest.importorskip("pandas").Series([value]),
        lambda value: pytest.importorskip("polars").DataFrame({"a": [value]}),
        lambda value: pytest.importorskip("pyarrow").table({"a": [value]}),
        lambda value: pytest.importorskip("sklearn.preprocessing").StandardScaler().fit([[0.0], [value]]),
    ],
)
def test_attributes_are_told_apart_where_they_look_the_same(make: Any) -> None:
    assert with_attribute(make(1.0)) == with_attribute(make(1.0))
    assert with_attribute(make(1.0)) != with_attribute(make(1.0000001))


def test_plain_attributes_are_texts_that_are_read() -> None:
    for value in (1, -0.5, True, None, "a", (1,), [1.5, (2, 3)], {"a": np.float64(0.25)}):
        text = f"of={value!r}".replace('"', '\\"')
        assert text in with_attribute(value)
    assert f"of={np.exp}" not in with_attribute(np.exp) != with_attribute(np.log)
    # The order of a set is another one in every process.
    assert "of=set({'a', 'b', 'c'})" in with_attribute({"c", "a", "b"})


def test_attributes_without_a_text_are_refused() -> None:
    with pytest.raises(
        TypeError,
        match="the attribute `lock` of `PoissonMixture` has no text .*lock.*: make it in the method that uses it",
    ):
        with_attribute({"a": threading.Lock()}, "lock")


def test_attributes_hold_themselves() -> None:
    nodes = [Rounded(value) for value in range(30)]
    for node in nodes:
        node.all = nodes  # type: ignore[attr-defined]
    text = with_attribute(nodes)
    nodes[-1].value = -1.0
    assert text != with_attribute(nodes)


def test_slots_and_attributes_of_the_class_are_looked_at() -> None:
    class Slots(PoissonMixture):
        __slots__ = ("__hidden", "empty", "power")

        def __init__(self, power: float, hidden: float = 0.0) -> None:
            super().__init__()
            self.power, self.__hidden = power, hidden

    texts = {str(fb.Scenario(name="x", model=own)) for own in (Slots(1.0), Slots(2.0), Slots(1.0, 1.0))}
    assert len(texts) == 3 and any("power=2.0" in text for text in texts)

    class Shifted(PoissonMixture):
        shift = 0.0

    before = str(fb.Scenario(name="x", model=Shifted()))
    Shifted.shift = 5.0
    assert before != str(fb.Scenario(name="x", model=Shifted()))
    assert "parameter_names=('weight_0'" in before


class Followed(fb.PythonModel):
    def statistics(self, theta: Array, X: Array) -> Array:
        return X

    def maximize(self, S: Array) -> Array:
        return S

    def objective(self, theta: Array, X: Array) -> Any:
        return X[:, 0]


def test_what_python_and_this_package_have_is_no_attribute() -> None:
    assert 'settings: ""' in str(fb.Scenario(name="x", model=Followed()))
    Followed._is_sparse = True  # type: ignore[attr-defined]
    assert "_is_sparse=True" in str(fb.Scenario(name="x", model=Followed()))


class Broken(PoissonMixture):
    """Raises what it is told to, in the method that it is told."""

    def __init__(self, method: str, error: type[Exception], after: int = 0) -> None:
        super().__init__()
        self.method, self.error, self.after = method, error, after

    def _maybe(self, method: str) -> None:
        self.after -= method == self.method
        if method == self.method and self.after < 0:
            raise self.error("as asked")

    def maximize(self, S: Array) -> Array:
        self._maybe("maximize")
        return super().maximize(S)

    def statistics(self, theta: Array, X: Array) -> Array:
        if len(X) > 2:
            self._maybe("statistics")
        return super().statistics(theta, X)


@pytest.mark.parametrize("method", ["maximize", "statistics"])
def test_exceptions_of_a_model_are_raised(counts: Array, small: fb.Scenario, method: str) -> None:
    scenario = small.replace(data=fb.Table(counts), protocol=fb.FedEm(gamma=0.5))
    with pytest.raises(ZeroDivisionError if method == "statistics" else TypeError, match="as asked"):
        fb.run(scenario.replace(model=Broken(method, ZeroDivisionError if method == "statistics" else TypeError)))


def test_leaving_the_domain_is_a_failed_run(counts: Array, small: fb.Scenario) -> None:
    scenario = small.replace(data=fb.Table(counts), protocol=fb.FedEm(gamma=0.5))
    with pytest.warns(fb.FailedRunWarning, match="as asked"):
        run = fb.run(scenario.replace(model=Broken("maximize", ValueError, after=5)))
    assert "as asked" in str(run[0].failure) and 0 < run.rounds["round"].max() < 30


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_an_objective_that_is_no_number_is_a_failed_run(counts: Array, small: fb.Scenario) -> None:
    class Undefined(PoissonMixture):
        def objective(self, theta: Array, X: Array) -> Any:
            return np.full(len(X), np.nan)

    with pytest.warns(fb.FailedRunWarning, match=r"`Undefined.objective` of 1000 examples gave NaN at \[0\]"):
        run = fb.run(small.replace(data=fb.Table(counts), model=Undefined(), protocol=fb.FedEm(gamma=0.5)))
    assert run[0].failure and run[0].manifest["per_client"]["further"] == {}


def test_what_is_no_model_is_refused(counts: Array, small: fb.Scenario) -> None:
    scenario = small.replace(data=fb.Table(counts), protocol=fb.FedEm(gamma=0.5))

    class Lengthy(PoissonMixture):
        def statistics(self, theta: Array, X: Array) -> Array:
            return np.zeros((5, 4))

    with pytest.raises(ValueError, match=r"shape \(5, 4\): expected \(N, q\), a row per example"):
        fb.run(scenario.replace(model=Lengthy()))
    with pytest.raises(TypeError, match="cannot stand in a scenario"):
        fb.run(scenario.replace(model=object()))

    class Half:
        def statistics(self, theta: Array, X: Array) -> Array:
            return X

    with pytest.raises(TypeError, match="as a model it lacks maximize, objective"):
        fb.run(scenario.replace(model=Half()))
    with pytest.raises(TypeError, match=r"it is a class; expected an object, `PoissonMixture\(\)`"):
        fb.run(scenario.replace(model=PoissonMixture))


class Altered(PoissonMixture):
    """Gives what `change` makes of what a method gives, from the call `after` on."""

    def __init__(self, method: str, change: Callable[[Any], Any], after: int = 0) -> None:
        super().__init__()
        self.method, self.change, self.after = method, change, after

    def _of(self, method: str, value: Any) -> Any:
        self.after -= method == self.method
        return self.change(value) if method == self.method and self.after < 0 else value

    def initial(self, X: Array, rng: np.random.Generator) -> Any:
        return self._of("initial", super().initial(X, rng))

    def statistics(self, theta: Array, X: Array) -> Any:
        return self._of("statistics", super().statistics(theta, X))

    def maximize(self, S: Array) -> Any:
        return self._of("maximize", super().maximize(S))

    def objective(self, theta: Array, X: Array) -> Any:
        return self._of("objective", super().objective(theta, X))


def altered(counts: Array, small: fb.Scenario, method: str, change: Callable[[Any], Any], after: int) -> fb.Scenario:
    model = Altered(method, change, after)
    return small.replace(data=fb.Table(counts), model=model, protocol=fb.FedEm(gamma=0.5))


@pytest.mark.parametrize("after", [0, 7])
@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("statistics", np.transpose, r"shape \(4, \d+\): expected \("),
        ("statistics", lambda value: value[None], r"shape \(1, \d+, 4\): expected \("),
        ("objective", lambda value: value[None], r"shape \(1, \d+\): expected \("),
        ("maximize", lambda value: value[None], r"shape \(1, 4\): expected \(4,\)"),
        ("maximize", lambda value: value[1:], r"shape \(3,\): expected \(4,\), as many numbers as θ₀ has"),
    ],
)
def test_another_shape_is_an_error_of_the_model(
    counts: Array, small: fb.Scenario, method: str, change: Callable[[Any], Any], message: str, after: int
) -> None:
    """At the start and in the run; it is no statistic that left the domain."""
    with pytest.raises(ValueError, match=rf"^`Altered.{method}` .*{message}"):
        fb.run(altered(counts, small, method, change, after))


@pytest.mark.parametrize("q", [1, 2, 3])
def test_statistics_by_columns_are_refused_whatever_q_is(counts: Array, small: fb.Scenario, q: int) -> None:
    class Powers:
        def initial(self, X: Array, rng: np.random.Generator) -> Array:
            return np.zeros(q)

        def statistics(self, theta: Array, X: Array) -> Array:
            return np.stack([X[:, 0] ** power for power in range(q)])

        def maximize(self, S: Array) -> Array:
            return S

        def objective(self, theta: Array, X: Array) -> Array:
            return X[:, 0]

    with pytest.raises(ValueError, match=r"^`Powers.statistics` of \d examples .*expected \(N, q\)"):
        fb.run(small.replace(data=fb.Table(counts), model=Powers(), protocol=fb.FedEm(gamma=0.5)))


@pytest.mark.parametrize("after", [0, 7])
@pytest.mark.parametrize("method", ["statistics", "maximize", "objective"])
@pytest.mark.parametrize("value", [None, "text", [[1.0], [1.0, 2.0]]], ids=repr)
def test_what_is_no_array_is_an_error_of_the_model(
    counts: Array, small: fb.Scenario, method: str, value: object, after: int
) -> None:
    with pytest.raises(TypeError, match=rf"^`Altered.{method}` .*of type `{type(value).__name__}`: expected an array"):
        fb.run(altered(counts, small, method, lambda _: value, after))


@pytest.mark.parametrize("after", [0, 7])
@pytest.mark.parametrize("method", ["statistics", "maximize", "objective"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value * 1j, "complex numbers, complex128"),
        (lambda value: np.ma.masked_less(value, np.inf), "masked values"),
        (lambda value: np.ma.masked_greater(value, np.inf), None),
        (lambda value: np.full(np.shape(value), 5).astype("m8[s]"), "times"),
        (lambda value: np.array([np.timedelta64(5, "s")] * np.size(value), object).reshape(np.shape(value)), "times"),
        (lambda value: value.astype(str), "texts"),
    ],
    ids=["complex", "masked", "unmasked", "times", "objects", "texts"],
)
def test_what_would_be_lost_is_an_error_of_the_model(
    counts: Array, small: fb.Scenario, method: str, change: Callable[[Any], Any], message: str | None, after: int
) -> None:
    scenario = altered(counts, small, method, change, after)
    if message is None:
        fb.run(scenario)
        return
    with pytest.raises(TypeError, match=f"^`Altered.{method}` .*expected an array of numbers .it has {message}"):
        fb.run(scenario)


@pytest.mark.parametrize("by_rows", [True, False])
def test_a_method_may_change_its_arguments(counts: Array, small: fb.Scenario, by_rows: bool) -> None:
    class Changing(PoissonMixture):
        def statistics(self, theta: Array, X: Array) -> Array:
            given = super().statistics(theta, X)
            theta[:], X[:] = np.nan, np.nan
            return given

        def maximize(self, S: Array) -> Array:
            given = super().maximize(S.copy())
            S[:] = np.nan
            return given

    scenario = small.replace(data=fb.Table(counts), protocol=fb.FedEm(gamma=0.5), record=fb.Record(probe_every=1))
    runs = [fb.run(scenario.replace(model=cls(by_rows))) for cls in (PoissonMixture, Changing)]
    for name in ("objective", "mean_field_sq"):
        ours, theirs = (list(run.table("rounds")[name]) for run in runs)
        assert ours == theirs and not np.isnan(ours[-1])


@pytest.mark.parametrize("name", ["round", "arm", "replicate", ""])
def test_names_of_other_columns_are_refused(counts: Array, small: fb.Scenario, name: str) -> None:
    class Named(PoissonMixture):
        parameter_names = ("a", name, "b", "c")

    with pytest.raises(ValueError, match=rf'parameter_names` has the name "{name}": expected names that differ, none'):
        fb.run(small.replace(data=fb.Table(counts), model=Named(), protocol=fb.FedEm(gamma=0.5)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda theta: theta[:3] * np.nan, r"initial` gave NaN at \[0\]: expected finite numbers"),
        (lambda theta: theta[None], r"initial` gave an array of shape \(1, 4\): expected a vector"),
        (lambda theta: np.append(theta, 1.0), r"maximize` gave an array of shape \(4,\): expected \(5,\), as many"),
    ],
)
def test_a_wrong_start_is_said(counts: Array, small: fb.Scenario, change: Callable[[Any], Any], message: str) -> None:
    class Start(PoissonMixture):
        parameter_names = tuple("abcde")

        def initial(self, X: Array, rng: np.random.Generator) -> Any:
            return change(super().initial(X, rng))

        def statistics(self, theta: Array, X: Array) -> Array:
            return super().statistics(theta[:4], X)

        def objective(self, theta: Array, X: Array) -> Any:
            return super().objective(theta[:4], X)

    with pytest.raises(ValueError, match=rf"^`Start.{message}"):
        fb.run(small.replace(data=fb.Table(counts), model=Start(), protocol=fb.FedEm(gamma=0.5)))


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_a_statistic_that_is_no_number_is_told_by_its_method(counts: Array, small: fb.Scenario) -> None:
    def undefined(value: Array) -> Array:
        return np.where(np.arange(value.size).reshape(value.shape) == 5, np.nan, value)

    with pytest.warns(fb.FailedRunWarning, match=r"`Altered.statistics` of \d+ examples gave NaN at \[1, 1\]"):
        run = fb.run(altered(counts, small, "statistics", undefined, 7))
    assert run[0].failure
    # The run cannot be begun.
    with pytest.raises(fb.ScenarioError, match=r"Altered.maximize: S has NaN at \[1\]"):
        fb.run(altered(counts, small, "statistics", undefined, 0))


def test_outside_of_the_domain_at_the_start_is_a_problem_of_the_scenario(counts: Array, small: fb.Scenario) -> None:
    scenario = small.replace(data=fb.Table(counts), model=Broken("maximize", ValueError), protocol=fb.FedEm(gamma=0.5))
    with pytest.raises(fb.ScenarioError, match="T of the initial statistic: Broken.maximize: ValueError: as asked"):
        fb.run(scenario)


def scaled(by: float) -> Callable[[Any], Any]:
    def around(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*arguments: Any) -> Any:
            return by * function(*arguments)

        return wrapper

    return around


def test_the_source_is_that_of_the_code_wherever_it_is(counts: Array, small: fb.Scenario) -> None:
    """Of classes without a file, as in a notebook, where a constant, a default or a base may differ."""

    def scenario(code: str) -> str:
        space: dict[str, Any] = {"PoissonMixture": PoissonMixture, "__name__": "__main__", "scaled": scaled}
        exec(code, space)  # noqa: S102
        return str(fb.Scenario(name="x", model=space["Own"]()))

    head = "class Own(PoissonMixture):\n    "
    codes = [
        "floor = 0.5",
        "floor = 0.6",
        "def repair(self, S, floor): return S + 0.5",
        "def repair(self, S, floor): return S + 0.6",
        "def repair(self, S, floor, more=1): return S + 0.5",
        "repair = staticmethod(lambda S, floor: S * 2)",
        "repair = staticmethod(lambda S, floor: S * 3)",
        "def repair(self, S, floor): return [s for s in S if s not in {'a', 'b'}]",
        "@scaled(0.5)\n    def repair(self, S, floor): return S",
        "@scaled(0.6)\n    def repair(self, S, floor): return S",
    ]
    assert len({scenario(head + code) for code in codes}) == len(codes)
    assert scenario(head + codes[2]) == scenario("\n\n" + head + codes[2])

    class Base(PoissonMixture):
        def repair(self, S: Array, floor: float) -> Array:
            return S

    def extended(base: type) -> str:
        space: dict[str, Any] = {"Base": base, "__name__": "__main__"}
        exec("class Own(Base): pass", space)  # noqa: S102
        return str(fb.Scenario(name="x", model=space["Own"]()))

    assert extended(Base) != extended(PoissonMixture)


def shifted(by: float) -> PoissonMixture:
    """Of one description for all shifts, wrongly: one that results depend on is no work."""

    class Shifted(PoissonMixture):
        work_names = ("by",)

        def maximize(self, S: Array) -> Array:
            return super().maximize(S) + np.array([0.0, 0.0, self.by, self.by])  # type: ignore[attr-defined]

    model = Shifted()
    model.by = by  # type: ignore[attr-defined]
    return model


def test_objects_of_one_description_are_told_apart(counts: Array, small: fb.Scenario) -> None:
    one, other = (small.replace(data=fb.Table(counts), model=shifted(by)) for by in (0.0, 0.5))
    assert str(one) == str(other) and "number" not in str(one)

    def rates(scenario: fb.Scenario) -> list[float]:
        return list(fb.run(scenario.replace(protocol=fb.FedEm(gamma=0.5)), threads=1).model.theta[2:])

    alone = [rates(one), rates(other)]
    assert alone[0] != alone[1]
    with ThreadPoolExecutor(2) as pool:
        for together in [pool.map(rates, (one, other)) for _ in range(5)]:
            assert list(together) == alone


def test_a_run_is_verified_with_its_own_objects(counts: Array, small: fb.Scenario) -> None:
    runs = [
        fb.run(small.replace(data=fb.Table(counts), model=shifted(by), protocol=fb.FedEm(gamma=0.5)))
        for by in (0.0, 0.5)
    ]
    for run in runs:
        assert "number" not in run[0].manifest["scenario_text"]
        run.verify()
        run.verify(threads=2)


def test_patience_with_an_accuracy_that_nobody_measures_is_refused(counts: Array, small: fb.Scenario) -> None:
    data = fb.Table(counts, label=np.repeat(["low", "high"], 500))
    stop = fb.Stop(patience=fb.Patience(of=fb.AccuracyMeasure(), probes=2))
    scenario = small.replace(data=data, protocol=fb.FedEm(gamma=0.5), stop=stop)
    with pytest.raises(
        fb.ScenarioError, match="no accuracy is measured(.|\n)*expected data with labels, a model with components"
    ):
        fb.arms(scenario.replace(model=PoissonMixture()))
    fb.arms(scenario.replace(model=fb.GaussianMixture(2)))
