"""Estimators with the interface of scikit-learn."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

import fedbits as fb
from fedbits._errors import so_many
from fedbits._table import refuse_gaps, refuse_masked

Array = npt.NDArray[np.float64]

_FORMS = {"full": fb.Full(), "tied": fb.Tied(), "diag": fb.Diagonal()}


class FederatedGaussianMixture(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """A Gaussian mixture that is fitted by federated EM: the examples stay with their clients.

    Args:
        n_components: G, the number of components.
        covariance_type: "full", "tied" or "diag".
        n_clients: n, at most N, among whom the examples are divided evenly where `fit` is not told whose they are.
        gamma: γ, the step of the server's update; "auto": 1, which is EM, and 0.1 with compression or participation.
        compressor: How updates are compressed, such as `fb.RandK(k=6)`; none: not at all.
        participation: Who takes part in a round, such as `fb.Cohort(10)`; none: everybody.
        network: The network, such as `fb.Network(client_up="1 Mbps")`; none: the default.
        protocol: A whole protocol in place of gamma, compressor and participation.
        max_rounds: The number of rounds at most.
        tol: The fit ends when the mean of −log p(y) has not become less by more than this in 1 / γ rounds, which go as
            far as an iteration of EM; in 10 where γ is not a number.
        n_init: Attempts of the k-means that gives the start.
        random_state: Seed, `np.random.RandomState`, or none.

    Attributes:
        weights_: π (G).
        means_: μ (G × d).
        covariances_: Σ, in the form of scikit-learn's `GaussianMixture`.
        precisions_cholesky_: Likewise.
        converged_: Whether `tol` was reached.
        n_iter_: The number of rounds.
        bits_: Bits on all links until the end, headers included.
        time_: Simulated seconds until the end.
        run_: The run, with its rounds and figures.

    Examples:
        >>> import numpy as np
        >>> from fedbits.sklearn import FederatedGaussianMixture
        >>> X = np.concatenate([np.random.default_rng(1).normal(c, 1, (100, 2)) for c in (-4, 4)])
        >>> mixture = FederatedGaussianMixture(2, n_clients=5, random_state=0).fit(X)
        >>> np.round(np.sort(mixture.means_[:, 0])).tolist()
        [-4.0, 4.0]
        >>> mixture.bits_ > 0
        True
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        n_clients: int = 10,
        gamma: float | str = "auto",
        compressor: Any = None,
        participation: Any = None,
        network: Any = None,
        protocol: Any = None,
        max_rounds: int = 100,
        tol: float = 1e-3,
        n_init: int = 1,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.n_clients = n_clients
        self.gamma = gamma
        self.compressor = compressor
        self.participation = participation
        self.network = network
        self.protocol = protocol
        self.max_rounds = max_rounds
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, clients: Any = None) -> FederatedGaussianMixture:
        """Fit the mixture.

        Args:
            X: N × d examples.
            y: Not looked at.
            clients: The client of each example; none: `n_clients`, evenly.
        """
        refuse_masked(X, "X")
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.covariance_type not in _FORMS:
            expected = ", ".join(repr(form) for form in _FORMS)
            raise ValueError(f"covariance_type is {self.covariance_type!r}: expected one of {expected}")
        if len(X) < self.n_components:
            raise ValueError(f"{len(X)} examples (n_samples={len(X)}) are fewer than n_components={self.n_components}")
        if clients is None and len(X) < self.n_clients:
            raise ValueError(f"{len(X)} examples (n_samples={len(X)}) are fewer than n_clients={self.n_clients}")
        if clients is not None:
            refuse_gaps(clients, "`clients`")
        seed = int(check_random_state(self.random_state).randint(2**31))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fb.FailedRunWarning)
            run = fb.run(self._scenario(X, clients), seed=seed, progress=False)
        if run[0].failure:
            raise ValueError(f"the fit failed: {run[0].failure}")
        self._keep(run)
        return self

    def _scenario(self, X: Array, clients: Any) -> fb.Scenario:
        fields: dict[str, Any] = {} if clients is not None else {"clients": self.n_clients}
        if self.network is not None:
            fields["network"] = self.network
        return fb.Scenario(
            name="FederatedGaussianMixture",
            data=fb.Table(X, client=clients),
            model=fb.GaussianMixture(self.n_components, _FORMS[self.covariance_type]),
            initial=fb.KMeansInitial(restarts=self.n_init),
            protocol=self._protocol() if self.protocol is None else self.protocol,
            stop=fb.Stop(rounds=self.max_rounds, patience=self._patience()),
            record=fb.Record(probe_every=1),
            **fields,
        )

    def _patience(self) -> fb.Patience:
        # A round with step γ goes the γ-th part of an iteration of EM, and more noise than that may come with it.
        rounds = 1 if self._is_plain() else 10
        gamma = self.gamma if self.protocol is None else getattr(self.protocol, "gamma", None)
        if isinstance(gamma, Real) and 0 < float(gamma) <= 1:
            rounds = round(1 / float(gamma))
        return fb.Patience(of=fb.ObjectiveMeasure(), probes=rounds, least=self.tol)

    def _is_plain(self) -> bool:
        return self.compressor is None and self.participation is None and self.protocol is None

    def _protocol(self) -> fb.FedEm:
        gamma = (1.0 if self._is_plain() else 0.1) if self.gamma == "auto" else float(self.gamma)
        # A covariance without spread gets a little, as `reg_covar` of scikit-learn gives it.
        fields: dict[str, Any] = {"domain": fb.Clip(floor=1e-6)}
        if self.compressor is not None:
            fields["compressor"] = self.compressor
        if self.participation is not None:
            fields["participation"] = self.participation
        return fb.FedEm(gamma=gamma, **fields)

    def _keep(self, run: fb.Run) -> None:
        parameters, manifest = run.model.parameters, run[0].manifest
        totals, reason = manifest["totals"], manifest["stop_reason"]
        self.run_ = run
        self.weights_ = parameters["weights"]
        self.means_ = parameters["means"]
        self.covariances_ = parameters["covariances"]
        self.precisions_cholesky_ = parameters["precisions_cholesky"]
        self.converged_ = "objective" in reason
        self.n_iter_ = max(int(totals["rounds"]), 1)
        self.time_ = totals["time_ns"] * 1e-9
        self.bits_ = sum(totals[f"bits_{name}"] for name in ("up", "down", "peer", "header"))
        if not self.converged_:
            warnings.warn(f"the fit ended after {so_many(self.n_iter_, 'round')}: {reason}", ConvergenceWarning)

    def _mixture(self) -> GaussianMixture:
        """The same mixture as an estimator of scikit-learn."""
        check_is_fitted(self, "weights_")
        mixture = GaussianMixture(self.n_components, covariance_type=self.covariance_type)
        for name in ("weights_", "means_", "covariances_", "precisions_cholesky_", "n_features_in_"):
            setattr(mixture, name, getattr(self, name))
        mixture.random_state = self.random_state
        return mixture

    def _checked(self, X: Any) -> Array:
        check_is_fitted(self, "weights_")
        refuse_masked(X, "X")
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """The component of each example."""
        return np.asarray(self._mixture().predict(self._checked(X)))

    def predict_proba(self, X: Any) -> Array:
        """The probability of each component, given each example (N × G)."""
        return np.asarray(self._mixture().predict_proba(self._checked(X)))

    def score_samples(self, X: Any) -> Array:
        """log p(y) of each example."""
        return np.asarray(self._mixture().score_samples(self._checked(X)))

    def score(self, X: Any, y: Any = None) -> float:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The mean of log p(y)."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1) -> tuple[Array, npt.NDArray[np.int64]]:
        """Draw examples, and their components."""
        X, components = self._mixture().sample(n_samples)
        return np.asarray(X), np.asarray(components)

    def fit_predict(self, X: Any, y: Any = None, **fields: Any) -> npt.NDArray[np.int64]:
        """Fit, and give the component of each example."""
        return self.fit(X, y, **fields).predict(X)
