"""One round of local fits of Gaussian mixtures, for models/tests and sim/protocols/tests: python make_one_round.py (numpy only), writes
one_round.json.

It shares nothing with the Rust code but the formulas. Five clients run EM on their own examples from a common start, until an iteration
lowers the objective by less than a tolerance. For known, tied, diagonal and full covariances there are their fits; reductions of the pool
of all components from the first fit, from the last and from components far from each other; L2 distances between the fits; and what a
server makes of the fits by the best reduction, by the reduction of the fits near the middle, and by the mean of matched parameters.

| function | paper |
|---|---|
| reduce | Zhang, Chen: Distributed learning of finite Gaussian mixtures (JMLR 2022), cost KL; forms other than full: the same objective |
| near | Zhang, Tan, Chen: Byzantine-tolerant distributed learning of finite mixture models (JRSSB 2026), after its public code |

A mixture is (weights, means, covariances), the last G d x d matrices whatever the form. A theta is written as weights, means, and what the
form has of the covariances: nothing, one vech, variances, or vechs.
"""

import itertools
import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [60, 80, 50, 70, 60]
KNOWN = np.array([[1.0, 0.2], [0.2, 0.8]])
G, D, N = 3, 2, sum(SIZES)
ITERATIONS, TOLERANCE = 40, 1e-4
FORMS = ["known", "tied", "diagonal", "full"]


def examples(seed=28):
    """clients differ in the shares of three groups that overlap"""
    random = np.random.RandomState(seed)
    centres = np.array([[-2.0, 0.0], [0.5, 2.0], [1.5, -1.5]])
    shares = [[0.3, 0.45, 0.25], [0.1, 0.6, 0.3], [0.6, 0.1, 0.3], [0.4, 0.5, 0.1], [0.2, 0.2, 0.6]]
    of = np.concatenate([random.choice(3, size=size, p=own) for size, own in zip(SIZES, shares)])
    scales = np.array([[0.9, 0.7], [1.1, 0.8], [0.6, 1.2]])
    return np.round(centres[of] + scales[of] * random.normal(size=(N, D)), 3)


def densities(rows, mixture):
    """pi_g N(y_j; mu_g, Sigma_g), a row per example"""
    out = np.empty((len(rows), G))
    for g, (weight, mean, sigma) in enumerate(zip(*mixture)):
        delta = rows - mean
        square = np.einsum("ja,ab,jb->j", delta, np.linalg.inv(sigma), delta)
        out[:, g] = weight * np.exp(-0.5 * square) / np.sqrt(np.linalg.det(2 * np.pi * sigma))
    return out


def em_step(form, rows, mixture):
    """the mixture after an iteration, and the objective before it"""
    joint = densities(rows, mixture)
    total = joint.sum(axis=1)
    r = joint / total[:, None]
    weights = r.mean(axis=0)
    means = (r.T @ rows) / r.sum(axis=0)[:, None]
    sigmas = np.empty((G, D, D))
    for g in range(G):
        delta = rows - means[g]
        sigmas[g] = (r[:, g, None] * delta).T @ delta / r[:, g].sum()
    return (weights, means, in_form(form, weights, sigmas)), -np.log(total).mean()


def in_form(form, weights, sigmas):
    if form == "known":
        return np.array([KNOWN] * G)
    if form == "tied":
        return np.array([np.einsum("g,gab->ab", weights / weights.sum(), sigmas)] * G)
    return sigmas * np.eye(D) if form == "diagonal" else sigmas


def em(form, rows, mixture):
    """the mixture at which EM rests, and its iterations"""
    before = np.inf
    for count in range(1, ITERATIONS + 1):
        mixture, objective = em_step(form, rows, mixture)
        change = before - objective
        assert abs(change - TOLERANCE) > 1e-9, "the end is a matter of rounding: change the data"
        if change < TOLERANCE:
            break
        before = objective
    return mixture, count


def pooled(fits, shares):
    weights = np.concatenate([share * fit[0] for fit, share in zip(fits, shares)])
    return weights, np.concatenate([fit[1] for fit in fits]), np.concatenate([fit[2] for fit in fits])


def kl(mean, sigma, other_mean, other):
    inverse, delta = np.linalg.inv(other), mean - other_mean
    logs = np.log(np.linalg.det(other) / np.linalg.det(sigma))
    return 0.5 * (np.trace(inverse @ sigma) + delta @ inverse @ delta - D + logs)


def divergences(pool, mixture):
    return np.array([[kl(m, s, n, t) for n, t in zip(mixture[1], mixture[2])] for m, s in zip(pool[1], pool[2])])


def moments(form, pool, groups):
    """the mixture of G groups of components of the pool"""
    weights = np.array([pool[0][group].sum() for group in groups])
    means = np.array([pool[0][group] @ pool[1][group] / pool[0][group].sum() for group in groups])
    sigmas = np.empty((G, D, D))
    for g, group in enumerate(groups):
        delta = pool[1][group] - means[g]
        inner = pool[2][group] + np.einsum("ma,mb->mab", delta, delta)
        sigmas[g] = np.einsum("m,mab->ab", pool[0][group], inner) / weights[g]
    return weights / weights.sum(), means, in_form(form, weights, sigmas)


def reduce(form, pool, mixture):
    """the reduced mixture, and the mean divergence of the pool from it"""
    before = None
    while True:
        nearest = divergences(pool, mixture).argmin(axis=1)
        if before is not None and (nearest == before).all():
            break
        groups = [np.flatnonzero(nearest == g) for g in range(G)]
        assert all(len(group) > 0 for group in groups), "a group of none: change the data"
        mixture, before = moments(form, pool, groups), nearest
    costs = divergences(pool, mixture)[np.arange(len(before)), before]
    return mixture, pool[0] @ costs / pool[0].sum()


def spread(form, pool):
    """components far from each other"""
    chosen = [int(pool[0].argmax())]
    while len(chosen) < G:
        least = np.array([min(kl(m, s, pool[1][c], pool[2][c]) for c in chosen) for m, s in zip(pool[1], pool[2])])
        score = pool[0] * least
        score[chosen] = -np.inf
        chosen.append(int(score.argmax()))
    return moments(form, pool, [np.array([c]) for c in chosen])


def product(one, other):
    """the integral of both densities"""
    total = 0.0
    for (w, m, s), (v, n, t) in itertools.product(list(zip(*one)), list(zip(*other))):
        total += w * v * np.exp(-0.5 * (m - n) @ np.linalg.inv(s + t) @ (m - n)) / np.sqrt(np.linalg.det(2 * np.pi * (s + t)))
    return total


def distances(fits):
    products = np.array([[product(one, other) for other in fits] for one in fits])
    own = np.diag(products)
    return np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * products, 0.0))


def near(found):
    """the fit in the middle, and those within as many median distances as the public code of DFMR says, one at least"""
    n = len(found)
    centre = int(np.median(found, axis=1).argmin())
    factor = max(1.0, 0.5 * np.log(n / 2) * np.log(np.log(n)))
    return centre, np.flatnonzero(found[centre] <= factor * np.sort(found[centre])[n // 2])


def matched(mixture, reference):
    """components in the numbers of the reference"""
    cost = np.array([[np.trace(np.linalg.inv(reference[2][j]) @ (mixture[2][i] + np.outer(mixture[1][i] - reference[1][j],
        mixture[1][i] - reference[1][j]))) for j in range(G)] for i in range(G)])
    order = min(itertools.permutations(range(G)), key=lambda order: sum(cost[order[j], j] for j in range(G)))
    return tuple(part[list(order)] for part in mixture)


def mean(form, fits, shares, start):
    ordered = [matched(fit, start) for fit in fits]
    weights, means, sigmas = (sum(share * fit[at] for fit, share in zip(ordered, shares)) for at in range(3))
    return weights / weights.sum(), means, sigmas


def theta(form, mixture):
    weights, means, sigmas = mixture
    vech = lambda sigma: [sigma[i, j] for i in range(D) for j in range(i + 1)]
    part = {"known": [], "tied": vech(sigmas[0]), "diagonal": [sigma[i, i] for sigma in sigmas for i in range(D)],
        "full": [entry for sigma in sigmas for entry in vech(sigma)]}[form]
    return [float(x) for x in [*weights, *means.ravel(), *part]]


def case(form, rows):
    own = np.split(rows, np.cumsum(SIZES)[:-1])
    shares = np.array(SIZES) / N
    first = (np.full(G, 1 / G), np.array([[-2.0, 0.5], [0.5, 2.0], [1.5, -1.0]]), np.array([KNOWN] * G))
    start = em_step(form, rows, (first[0], first[1], in_form(form, first[0], first[2])))[0]
    fits, counts = zip(*[em(form, part, start) for part in own])
    pool, found = pooled(fits, shares), distances(fits)
    far = spread(form, pool)
    starts = [far, *fits]
    reductions = [reduce(form, pool, begin) for begin in starts]
    best = min(range(len(starts)), key=lambda at: reductions[at][1])
    centre, kept = near(found)
    few = pooled([fits[i] for i in kept], shares[kept])
    of = lambda mixture: theta(form, mixture)
    return {
        "first": of((first[0], first[1], in_form(form, first[0], first[2]))),
        "start": of(start), "fits": [of(fit) for fit in fits], "iterations": list(counts), "spread": of(far),
        "reductions": [of(reduced) for reduced, _ in reductions], "divergences": [float(cost) for _, cost in reductions],
        "distances": found.tolist(), "near": kept.tolist(), "reduction": of(matched(reductions[best][0], start)),
        "filtered": of(matched(reduce(form, few, fits[centre])[0], start)), "mean": of(mean(form, fits, shares, start)),
    }


def main():
    rows = examples()
    out = {"rows": rows.tolist(), "sizes": SIZES, "sigma": KNOWN.ravel().tolist(), "iterations": ITERATIONS,
        "tolerance": TOLERANCE, **{form: case(form, rows) for form in FORMS}}
    with open(os.path.join(HERE, "one_round.json"), "w") as file:
        json.dump(out, file)
        file.write("\n")


if __name__ == "__main__":
    main()
