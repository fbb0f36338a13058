"""The estimator."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import Array

import fedbits as fb

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fedbits.sklearn import FederatedGaussianMixture


@parametrize_with_checks([FederatedGaussianMixture()])
def test_it_is_an_estimator_of_scikit_learn(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("form", ["full", "tied", "diag"])
def test_em_in_a_federation_is_em(groups: tuple[Array, Any], form: str) -> None:
    """With γ = 1 and everybody there FedEM is EM: from a start in the same place it ends in the same place."""
    X, _ = groups
    ours = FederatedGaussianMixture(2, covariance_type=form, tol=1e-12, max_rounds=500, random_state=0).fit(X)
    theirs = GaussianMixture(2, covariance_type=form, tol=1e-12, max_iter=500, reg_covar=0, random_state=0).fit(X)
    assert ours.converged_ and ours.bits_ > 0 and ours.time_ > 0
    assert ours.score(X) == pytest.approx(theirs.score(X), abs=1e-7)
    order, other = np.argsort(ours.means_[:, 0]), np.argsort(theirs.means_[:, 0])
    np.testing.assert_allclose(ours.means_[order], theirs.means_[other], atol=1e-4)
    np.testing.assert_array_equal(np.sort(ours.predict(X)), np.sort(theirs.predict(X)))


@pytest.mark.parametrize("form", ["full", "tied", "diag"])
def test_what_rounding_takes_of_variances_is_told(form: str) -> None:
    """Two groups a day apart, in seconds since 1970: all digits of a raw second moment cancel. From means of 0 none."""
    day = np.repeat([0.0, 86_400.0], 200)
    X = (1.7e9 + day + np.random.default_rng(5).normal(0, 60, 400))[:, None]
    groups = [X[day == 0].var(), X[day > 0].var()]
    right = np.array([np.mean(groups)]) if form == "tied" else np.array(groups)
    mixture = FederatedGaussianMixture(2, covariance_type=form, n_clients=4, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mixture.fit(X)
    order = [0] if form == "tied" else list(np.argsort(mixture.means_[:, 0]))
    found = mixture.covariances_.reshape(-1)[order]
    for component, error in zip(order, np.abs(found - right) / right, strict=True):
        whose = "the covariance of all components" if form == "tied" else f"component {component}"
        words = [str(own.message) for own in caught if issubclass(own.category, fb.CaveatWarning)]
        told = [re.search(f"column `.*` in {whose} has a relative error of ([^ ,]+)", own) for own in words]
        sizes = [float(own[1]) for own in told if own]
        assert error < 1e-6 or any(size / 3 <= error <= 3 * size for size in sizes), (error, words)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.CaveatWarning)
        near = clone(mixture).fit(X - 1.7e9)
    np.testing.assert_allclose(np.sort(near.covariances_.reshape(-1)), np.sort(right), rtol=1e-6)


def test_compression_is_said_in_parts(groups: tuple[Array, Any]) -> None:
    X, _ = groups
    model = FederatedGaussianMixture(2, compressor=fb.RandK(4), network=fb.Network(client_up="1 Mbps"), random_state=1)
    model = make_pipeline(StandardScaler(), clone(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    assert model.predict_proba(X).shape == (600, 2)
    assert model[-1].run_.rounds["bits_up"].iloc[-1] < model[-1].bits_


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
@pytest.mark.parametrize("fields", [{"compressor": fb.RandK(6)}, {"participation": fb.Cohort(3)}])
def test_small_steps_do_not_end_the_fit(fields: dict[str, Any]) -> None:
    """Of near groups, where a step of γ = 0.1 changes the likelihood by less than `tol` from the first round on."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-1, 1, (1000, 2)), rng.normal(1.2, 1.5, (1000, 2))])
    plain = FederatedGaussianMixture(2, random_state=0).fit(X)
    small = FederatedGaussianMixture(2, random_state=0, **fields).fit(X)
    assert small.converged_ and small.n_iter_ > 10
    assert small.score(X) == pytest.approx(plain.score(X), abs=5e-4)
    with pytest.warns(ConvergenceWarning, match="the fit ended after 10 rounds"):
        FederatedGaussianMixture(2, random_state=0, max_rounds=10, **fields).fit(X)


@pytest.mark.parametrize("kind", [float, np.float32, np.float64])
def test_patience_goes_with_the_step_of_any_type(kind: Any) -> None:
    assert FederatedGaussianMixture(gamma=kind(0.125))._patience().probes == 8


def test_what_would_be_lost_or_made_up_is_refused(groups: tuple[Array, Any]) -> None:
    X, _ = groups
    mixture = FederatedGaussianMixture(2, n_clients=5, random_state=0).fit(X)
    masked = np.ma.masked_greater(X, 2)
    for call in (mixture.fit, mixture.predict, mixture.score):
        with pytest.raises(ValueError, match="X has .* masked values, the first in row"):
            call(masked)
    with pytest.raises(ValueError, match="`clients` has no value in 1 of 600 rows, first in row 1"):
        mixture.fit(X, clients=[0, None, *[1] * 598])
    with pytest.raises(ValueError, match="50 examples .* are fewer than n_clients=400"):
        FederatedGaussianMixture(n_clients=400).fit(X[:50])


@pytest.mark.filterwarnings("ignore")
def test_the_parts_that_its_documentation_names_are_taken(groups: tuple[Array, Any]) -> None:
    parts = re.findall(r"(\w+): .* such as `(fb\..+?)`;", FederatedGaussianMixture.__doc__ or "")
    assert [name for name, _ in parts] == ["compressor", "participation", "network"]
    for name, part in parts:
        given = {name: eval(part)}
        FederatedGaussianMixture(2, n_clients=20, max_rounds=3, random_state=0, **given).fit(groups[0])
