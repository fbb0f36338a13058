"""Writes tests/golden/latent_models.json: densities, gradients and statistics of the bi-factor and topic models, from their
definitions in numpy and scipy, independent of the Rust code.

    python tests/golden/make_latent_models.py

Gradients are central differences of the log-densities (Richardson), expectations are numerical integrals over the
augmenting variables, and the Gaussian E-step comes from the joint normal law of (z, y).
"""
import json
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln, log_ndtr, log_softmax
from scipy.stats import multivariate_normal, norm

RNG = np.random.default_rng(20240611)
GROUPS = [1, 1, 2, 2, 2, 1]


def slope(f, z):
    def central(j, h):
        e = np.zeros_like(z)
        e[j] = h
        return (f(z + e) - f(z - e)) / (2 * h)

    return [(4 * central(j, 5e-4) - central(j, 1e-3)) / 3 for j in range(len(z))]


def bi_factor(law):
    items, factors = len(GROUPS), 1 + max(GROUPS)
    theta = np.column_stack([RNG.normal(0, 0.7, items), RNG.uniform(0.4, 1.4, items), RNG.uniform(0.3, 1.2, items)])
    psi = RNG.uniform(0.3, 1.5, items)
    z = RNG.standard_normal(factors)
    y = RNG.normal(0, 1.5, items) if law == "Gaussian" else RNG.integers(0, 2, items).astype(float)

    def eta(z):
        return np.array([m + a * z[0] + c * z[g] for (m, a, c), g in zip(theta, GROUPS)])

    def log_likelihood(z):
        e = eta(z)
        if law == "Gaussian":
            return norm.logpdf(y, e, np.sqrt(psi)).sum()
        sign = 2 * y - 1
        return log_ndtr(sign * e).sum() if law == "Probit" else -np.log1p(np.exp(-sign * e)).sum()

    def density(z):
        return log_likelihood(z) + norm.logpdf(z).sum()

    e = eta(z)
    shared = [z[0], z[0] ** 2] + sum(([z[g], z[0] * z[g], z[g] ** 2] for g in range(1, factors)), [])
    statistics = [] if law == "Logit" else list(shared)
    for j, g in enumerate(GROUPS):
        u = np.array([1, z[0], z[g]])
        if law == "Gaussian":
            statistics += list(y[j] * u) + [y[j] ** 2]
        elif law == "Probit":
            low, high = (0, e[j] + 12) if y[j] else (e[j] - 12, 0)
            mass = quad(lambda w: norm.pdf(w - e[j]), low, high)[0]
            mean = quad(lambda w: w * norm.pdf(w - e[j]), low, high)[0] / mass
            statistics += list(mean * u)
        else:
            # E[omega] = -2 d/d(c^2) log sech(c/2): the Laplace transform of PG(1, c).
            h = 1e-5
            log_cosh = lambda square: np.log(np.cosh(np.sqrt(square) / 2))
            omega = (log_cosh(e[j] ** 2 + h) - log_cosh(e[j] ** 2 - h)) / h
            products = np.outer(u, u)
            statistics += [omega * products[r, c] for r in range(3) for c in range(r + 1)] + list((y[j] - 0.5) * u)
    flat = np.column_stack([theta, psi]) if law == "Gaussian" else theta
    case = {
        "law": law, "groups": GROUPS, "y": y.tolist(), "theta": flat.ravel().tolist(), "z": z.tolist(),
        "log_density": density(z), "gradient": slope(density, z), "statistics": statistics,
    }
    if law == "Gaussian":
        loadings = np.zeros((items, factors))
        for j, g in enumerate(GROUPS):
            loadings[j, 0], loadings[j, g] = theta[j, 1], theta[j, 2]
        covariance = loadings @ loadings.T + np.diag(psi)
        case["log_likelihood"] = float(multivariate_normal(theta[:, 0], covariance).logpdf(y))
        gain = loadings.T @ np.linalg.inv(covariance)
        mean, left = gain @ (y - theta[:, 0]), np.eye(factors) - gain @ loadings
        second = np.outer(mean, mean) + left
        expected = [mean[0], second[0, 0]]
        expected += sum(([mean[g], second[0, g], second[g, g]] for g in range(1, factors)), [])
        for j, g in enumerate(GROUPS):
            expected += [y[j], y[j] * mean[0], y[j] * mean[g], y[j] ** 2]
        case["expected_statistics"] = expected
    return case


def topics():
    words, k, alpha = 7, 4, 0.3
    beta = RNG.dirichlet(np.ones(words), k).T  # words x topics
    counts = np.array([3, 0, 1, 5, 0, 2, 1])
    z = RNG.normal(0, 1.5, k - 1)

    def density(z):
        log_theta = log_softmax(np.append(z, 0))
        tokens = counts @ np.log(beta @ np.exp(log_theta))
        return tokens + gammaln(k * alpha) - k * gammaln(alpha) + alpha * log_theta.sum()

    theta = np.exp(log_softmax(np.append(z, 0)))
    joint = beta * theta
    statistics = counts[:, None] * joint / joint.sum(1, keepdims=True)
    return {
        "alpha": alpha, "counts": counts.tolist(), "theta": beta.ravel().tolist(), "z": z.tolist(),
        "log_density": density(z), "gradient": slope(density, z), "statistics": statistics.ravel().tolist(),
    }


if __name__ == "__main__":
    cases = {"bi_factor": [bi_factor(law) for law in ("Gaussian", "Probit", "Logit")], "topics": topics()}
    path = Path(__file__).parent / "latent_models.json"
    path.write_text(json.dumps(cases, indent=1, default=float) + "\n")
