"""What is wrong with a class is said with class, attribute and a way out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import Halves, PoissonMixture

import fedbits as fb


def of_compressor(groups: tuple[Array, Any], small: fb.Scenario, protocol: fb.parts.Protocol) -> fb.Scenario:
    return small.replace(data=fb.Table(groups[0]), model=fb.GaussianMixture(2, fb.Diagonal()), protocol=protocol)


def of_model(counts: Array, small: fb.Scenario, model: object, **fields: Any) -> fb.Scenario:
    return small.replace(data=fb.Table(counts), model=model, **{"protocol": fb.FedEm(gamma=0.5), **fields})


@pytest.mark.parametrize(
    ("attributes", "error", "message"),
    [
        ({"unbiased": 1}, TypeError, "`Wrong.unbiased` is 1: expected True or False"),
        ({"omega": 1.0}, TypeError, r"`Wrong.omega` is 1.0: expected a method of d, `def omega\(self, d\)`"),
        ({"omega": lambda self, d: "1"}, ValueError, "`Wrong.omega` gave '1': expected a finite number of at least 0"),
        ({"contraction": lambda self, d: 0.0}, ValueError, "`Wrong.contraction` gave 0.0: expected a number above 0"),
    ],
)
def test_what_a_compressor_states_is_named(
    groups: tuple[Array, Any], small: fb.Scenario, attributes: dict[str, Any], error: type[Exception], message: str
) -> None:
    wrong = type("Wrong", (Halves,), attributes)()
    protocol = fb.Ef21(gamma=0.1, compressor=wrong) if "contraction" in attributes else fb.FedEm(0.1, compressor=wrong)
    with pytest.raises(error, match=f"^{message}"):
        fb.run(of_compressor(groups, small, protocol))


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_a_compressor_states_its_contraction(groups: tuple[Array, Any], small: fb.Scenario) -> None:
    class Largest:
        unbiased = False

        def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
            decoded = np.zeros_like(x)
            decoded[np.argmax(np.abs(x))] = x[np.argmax(np.abs(x))]
            return decoded, 64 + 4

    class Stated(Largest):
        def contraction(self, d: int) -> float:
            return 1 / d

    with pytest.raises(fb.ScenarioError, match="Largest is not known to be one at q = .*: it states no δ"):
        fb.run(of_compressor(groups, small, fb.Ef21(gamma=0.1, compressor=Largest())))
    run = fb.run(of_compressor(groups, small, fb.Ef21(gamma=0.1, compressor=Stated())))
    assert run[0].failure is None and run.rounds["objective"].iloc[-1] < run.rounds["objective"].iloc[0]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"parameter_names": "ab"}, "`Wrong.parameter_names` is 'ab': expected a list of 4 texts"),
        (
            {"parameter_names": ["a"]},
            "`Wrong.parameter_names` has 1 names: expected 4, as many as `initial` gives numbers",
        ),
        ({"statistic_names": [*"aacd"]}, '`Wrong.statistic_names` has the name "a": expected names that differ'),
        ({"statistic_names": ["round", *"bcd"]}, '`Wrong.statistic_names` has the name "round": expected names'),
    ],
)
def test_names_are_looked_at_before_the_run(
    counts: Array, small: fb.Scenario, names: dict[str, Sequence[str]], message: str
) -> None:
    wrong = type("Wrong", (PoissonMixture,), names)
    model = wrong()
    for name, value in names.items():
        setattr(model, name, value)
    with pytest.raises(ValueError, match=f"^{message}"):
        fb.run(of_model(counts, small, model))


def test_a_model_says_where_it_starts(counts: Array, small: fb.Scenario) -> None:
    for start in (fb.RandomExamples(), fb.KMeansInitial(), fb.KMeansPlusPlus(restarts=3)):
        with pytest.raises(fb.ScenarioError, match="a model of Python starts where its method `initial` says"):
            fb.run(of_model(counts, small, PoissonMixture(), initial=start))


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_clipping_without_a_repair_says_what_is_missing(counts: Array, small: fb.Scenario) -> None:
    class Leaving(PoissonMixture):
        def maximize(self, S: Array) -> Array:
            if S[3] / S[1] > 14:
                raise ValueError("too far")
            return super().maximize(S)

    start = fb.ParametersInitial([0.5, 0.5, 1.0, 5.0])
    protocol = fb.FedEm(gamma=0.3, domain=fb.Clip(floor=1e-3))
    run = fb.run(of_model(counts, small, Leaving(), initial=start, protocol=protocol))
    assert "too far (`domain: Clip(…)` needs a method `repair(S, floor)`)" in str(run[0].failure)


def test_only_protocols_that_fit_are_named(counts: Array, small: fb.Scenario) -> None:
    with pytest.raises(fb.ScenarioError) as caught:
        fb.run(of_model(counts, small, PoissonMixture(), protocol=fb.KMeans(vertical=False)))
    expected = " ".join(problem.expected for problem in caught.value.problems)
    assert "`FedEm(…)`" in expected and "FedAvgEm" not in expected and "GradientAscent" not in expected


@pytest.mark.parametrize(("index", "count"), [(-1, 2), (0, 0), (0, -1)])
def test_a_part_of_a_study_is_one_of_several(tmp_path: Path, index: int, count: int) -> None:
    with pytest.raises(ValueError, match=f"part {index} of {count}: expected"):
        fb.run_shard("studies/compression-participation", index, count, tmp_path)


def test_values_of_axes_and_arms_are_parts(counts: Array, small: fb.Scenario, tmp_path: Path) -> None:
    values = [fb.RandK(k=2), fb.Identity(), Halves()]
    axis = fb.GridAxis(path="protocol.compressor", values=values, labels=["rand", "none", "halves"])
    base = of_model(counts, small, PoissonMixture())
    study = fb.run(base.replace(name="own", axes=[axis]), out=tmp_path)
    assert list(study.runs["arm"]) == ["rand", "none", "halves"]
    fb.run(base.replace(name="own", axes=[axis]), out=tmp_path)
    arms = [fb.Arm(name=own, set={"protocol.compressor": value}) for own, value in zip(axis.labels, values)]
    run = fb.run(base.replace(arms=arms))
    assert run.arms == ["rand", "none", "halves"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fb.Scenario(data=np.zeros((3, 2))), r"got a `ndarray` as `data`: expected `fb.Table\(…\)`"),
        (lambda: fb.Scenario(data=[[1.0, 2.0]]), r"got a `list` as `data`: expected `fb.Table\(…\)`"),
        (lambda: fb.Scenario(data="my.csv"), r"got a `str` as `data`: expected `fb.Csv\(path='my.csv'\)`"),
        (lambda: fb.Scenario(data=Path("my.csv")), r"as `data`: expected `fb.Csv\(path='my.csv'\)`"),
        (lambda: fb.Scenario(rounds=20), r"Scenario has no field `rounds`: did you mean `round` or `stop.rounds`\?"),
        (lambda: fb.Scenario(participation=0.1), r"did you mean `partition` or `protocol.participation`\?"),
        (lambda: fb.Scenario(learning_rate=0.1), r"did you mean `protocol.gamma`\?"),
        (lambda: fb.FedEm(gama=0.1), r"did you mean `gamma`\?"),
        (lambda: fb.Qsgd(bits=4), "4 bits per entry, one of them the sign, are `levels: 7, code: Fixed`"),
        (lambda: fb.TopK(ratio=0.01), "`k` is a number of entries"),
        (lambda: fb.TopK(wombat=1), "it has k, indices"),
    ],
)
def test_the_right_spelling_is_told(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()
