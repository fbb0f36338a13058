"""Log-densities, posterior weights and factors of precisions of Gaussian mixtures by scikit-learn, for
models/tests/fitted.rs: python make_fitted.py (numpy, scikit-learn), writes fitted.json."""

import json
import os

import numpy as np
from sklearn.mixture import GaussianMixture
from sklearn.mixture._gaussian_mixture import _compute_precision_cholesky

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20261124)
G, D, N = 3, 3, 30
centre, scale = np.array([10.0, -200.0, 0.03]), np.array([2.0, 50.0, 0.004])
rows = centre + scale * rng.normal(size=(N, D)) * 2
weights = np.array([0.2, 0.5, 0.3])
means = centre + scale * rng.normal(size=(G, D))


def covariance():
    a = rng.normal(size=(D, D))
    return np.outer(scale, scale) * (a @ a.T + 0.5 * np.eye(D))


full = np.array([covariance() for _ in range(G)])
forms = {"full": full, "diag": np.array([np.diag(s) for s in full]), "tied": full[0]}
golden = {"rows": rows.tolist(), "weights": weights.tolist(), "means": means.tolist(), "forms": {}}
for form, sigma in forms.items():
    model = GaussianMixture(G, covariance_type=form)
    model.weights_, model.means_, model.covariances_ = weights, means, sigma
    model.precisions_cholesky_ = _compute_precision_cholesky(sigma, form)
    golden["forms"][form] = {
        "covariances": sigma.tolist(),
        "precisions_cholesky": model.precisions_cholesky_.tolist(),
        "log_densities": model.score_samples(rows).tolist(),
        "responsibilities": model.predict_proba(rows).tolist(),
    }
with open(os.path.join(HERE, "fitted.json"), "w") as file:
    json.dump(golden, file)
