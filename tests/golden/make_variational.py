"""Variational mixtures of scikit-learn: python3 make_variational.py writes variational.json. Made with scikit-learn 1.9."""

import json
import os

import numpy as np
from scipy.special import gammaln
from sklearn.mixture import BayesianGaussianMixture

folder = os.path.dirname(os.path.abspath(__file__))
generator = np.random.default_rng(61)
centres = np.array([[0.0, 0.0, 1.0], [4.0, 1.0, -2.0], [-3.0, 3.0, 0.5]])
x = np.concatenate([centre + generator.normal(size=(40, 3)) @ np.diag([1.0, 0.5, 2.0]) for centre in centres])
components, concentration, strength, scatter = 6, 0.01, 0.5, 0.7
labels = generator.integers(components, size=len(x))


class FromLabels(BayesianGaussianMixture):
    """Starts from the M-step of hard labels, without the regularization of empty components."""

    def _initialize_parameters(self, x, random_state, xp=None):
        self._initialize(x, np.eye(components)[labels])


def fitted(iterations):
    mixture = FromLabels(
        n_components=components,
        covariance_type="full",
        tol=0.0,
        reg_covar=0.0,
        max_iter=iterations,
        weight_concentration_prior_type="dirichlet_distribution",
        weight_concentration_prior=concentration,
        mean_precision_prior=strength,
        mean_prior=x.mean(axis=0),
        degrees_of_freedom_prior=x.shape[1],
        covariance_prior=scatter * np.cov(x.T, bias=True),
    ).fit(x)
    return {
        "iterations": iterations,
        "weights": mixture.weights_.tolist(),
        "means": mixture.means_.tolist(),
        "covariances": mixture.covariances_.tolist(),
    }


def evidence():
    """log p(x) under one normal-Wishart component, in closed form."""
    n, d = x.shape
    mean, prior = x.mean(axis=0), scatter * np.cov(x.T, bias=True)
    posterior = prior + n * np.cov(x.T, bias=True)
    log_gamma = lambda nu: sum(gammaln((nu - i) / 2) for i in range(d))
    return float(
        -0.5 * n * d * np.log(np.pi)
        + 0.5 * d * np.log(strength / (strength + n))
        + 0.5 * d * np.linalg.slogdet(prior)[1]
        - 0.5 * (d + n) * np.linalg.slogdet(posterior)[1]
        + log_gamma(d + n)
        - log_gamma(d)
    )


golden = {
    "rows": x.tolist(),
    "labels": labels.tolist(),
    "components": components,
    "concentration": concentration,
    "strength": strength,
    "scatter": scatter,
    "evidence": evidence(),
    "fits": [fitted(iterations) for iterations in (1, 5, 40)],
}
with open(os.path.join(folder, "variational.json"), "w") as file:
    json.dump(golden, file)
