"""Agreement of clusterings with labels by scikit-learn, for models/tests/agreement.rs: python make_agreement.py
(numpy, scipy, scikit-learn), writes agreement.json.

It shares nothing with the Rust code but the definitions."""

import json
import os

import numpy as np
from scipy.integrate import dblquad
from scipy.optimize import linear_sum_assignment
from scipy.stats import multivariate_normal
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20261123)


def case(found, labels, components):
    found, labels = np.asarray(found), np.asarray(labels)
    table = contingency_matrix(labels, found)
    rows, columns = linear_sum_assignment(-table)
    return {
        "components": components,
        "found": found.tolist(),
        "labels": labels.tolist(),
        "accuracy": table[rows, columns].sum() / len(found),
        "adjusted_rand_index": adjusted_rand_score(labels, found),
        "normalized_mutual_information": normalized_mutual_info_score(labels, found),
        "purity": table.max(axis=0).sum() / len(found),
    }


cases = [
    case([0, 0, 1, 1], [0, 0, 1, 1], 2),
    case([1, 1, 0, 0], [0, 0, 1, 1], 2),
    case([0, 0, 0, 0], [0, 0, 1, 1], 3),
    case([0, 0, 0, 0], [7, 7, 7, 7], 1),
    case([0, 1, 2, 3], [0, 0, 0, 0], 4),
    case([0, 1, 0, 1], [0, 0, 1, 1], 2),
    case([0], [0], 1),
]
for n, components, classes, noise in [(50, 3, 3, 0.1), (200, 5, 3, 0.3), (333, 2, 7, 0.5), (500, 10, 10, 0.9), (97, 4, 4, 0.0)]:
    labels = rng.integers(classes, size=n)
    found = np.where(rng.random(n) < noise, rng.integers(components, size=n), labels % components)
    cases.append(case(found, labels * 3, components))



def distance(left, right):
    """-log of the integral of sqrt(p q) over the plane, by quadrature"""
    (m, s), (n, t) = left, right
    densities = [multivariate_normal(m, s), multivariate_normal(n, t)]

    def root(y, x):
        return np.sqrt(densities[0].pdf([x, y]) * densities[1].pdf([x, y]))

    value, _ = dblquad(root, -15, 15, -15, 15, epsabs=1e-11, epsrel=1e-11)
    return {"means": [m, n], "covariances": [s, t], "distance": -np.log(value)}


full = [([0.0, 0.0], [[1.0, 0.3], [0.3, 2.0]]), ([0.5, -1.0], [[0.7, -0.2], [-0.2, 1.1]])]
diagonal = [([0.0, 0.0], [[1.0, 0.0], [0.0, 2.0]]), ([1.5, 0.2], [[0.7, 0.0], [0.0, 1.1]])]
same = [([0.0, 0.0], [[1.0, 0.3], [0.3, 2.0]]), ([1.0, 1.0], [[1.0, 0.3], [0.3, 2.0]])]
distances = {"full": distance(*full), "diagonal": distance(*diagonal), "known": distance(*same)}

with open(os.path.join(HERE, "agreement.json"), "w") as file:
    json.dump({"cases": cases, "distances": distances}, file)
