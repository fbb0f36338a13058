"""VP-EM with a server, for sim/protocols/tests/vpem: python make_vertical.py (numpy only), writes vertical.json.

It shares nothing with the Rust code but the formulas: terms Q, surrogates that follow them (sim/protocols/src/vpem/surrogates.rs),
M-steps per block, and without the blocks that examples lack. Draws of the dithering are those of the simulator's addresses, made anew from their description. Before it writes, it
checks that surrogates end where EM ends, and EM without missing blocks where the textbook's EM with latent values ends.
"""

import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
M, K, BLOCKS, ITERATIONS = 40, 2, [[0, 1], [2], [4, 3]], 12
OWNER = np.array([0, 0, 1, 2, 2])
WORD = (1 << 64) - 1
GOLDEN, SECOND = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03
COMPRESSION, SERVER = 11, WORD


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def absorb(state, word):
    a = mix(state[0] ^ (word * GOLDEN & WORD))
    return a, mix(((state[1] + word) * SECOND & WORD) ^ a)


def uniforms(entity, iteration, count, seed=5):
    state = (GOLDEN, SECOND)
    for word in [seed, 0, COMPRESSION, entity, iteration]:
        state = absorb(state, word)
    bits = [mix((state[1] + (j + 1) * GOLDEN) & WORD) for j in range(count)]
    return np.array([(b >> 11) / 2.0**53 for b in bits])


def top_k(k):
    def compress(x, _):
        kept = np.sort(np.argsort(-np.abs(x), kind="stable")[:k])
        out = np.zeros_like(x)
        out[kept] = x[kept]
        return out

    return compress, lambda _: 1.0


def dithering(s):
    def compress(x, address):
        norm = np.abs(x).max()
        levels = np.floor(s * np.abs(x) / norm + uniforms(*address, len(x)))
        return np.sign(x) * norm * np.minimum(levels, s) / s

    def alpha(q):
        return 1.0 / (1.0 + min((1.0 + np.sqrt(q)) / 2.0 / s, q / (4.0 * s * s)))

    return compress, alpha


IDENTITY = (lambda x, _: x, lambda _: 1.0)


def data():
    rng = np.random.default_rng(7)
    labels = np.arange(M) % 3 == 0
    rows = rng.normal(size=(M, 5)) + np.where(labels, 1.6, -0.9)[:, None] + 0.4 * rng.normal(size=(M, 1))
    return np.round(rows, 6)


def start():
    means = np.array([[1.0] * 5, [-0.5] * 5])
    sigma = np.where(np.eye(5) > 0, 1.5, 0.3)
    return np.array([0.5, 0.5]), means, [sigma, sigma]


def theta_of(blocks):
    """pi (their mean), means, vech of covariances, of the whole mixture"""
    means, sigmas = np.zeros((K, 5)), np.zeros((K, 5, 5))
    for features, (_, mean, sigma) in zip(BLOCKS, blocks):
        means[:, features] = mean
        for k in range(K):
            sigmas[k][np.ix_(features, features)] = sigma[k]
    rows, columns = np.tril_indices(5)
    return np.concatenate([np.mean([pi for pi, _, _ in blocks], 0), means.ravel(), *[s[rows, columns] for s in sigmas]])


def terms(x, mean, sigma):
    out = np.empty((len(x), K))
    for k in range(K):
        gap = x - mean[k]
        out[:, k] = np.linalg.slogdet(sigma[k])[1] + np.einsum("mi,ij,mj->m", gap, np.linalg.inv(sigma[k]), gap)
    return out


def normalize(pi, z):
    logits = np.log(pi) - z / 2
    top = logits.max(1, keepdims=True)
    weights = np.exp(logits - top)
    total = weights.sum(1, keepdims=True)
    return weights / total, (top + np.log(total)).sum()


def m_step(x, gamma, pi):
    mean = gamma.T @ x / gamma.sum(0)[:, None]
    sigma = [((x - mean[k]).T * gamma[:, k]) @ (x - mean[k]) / gamma[:, k].sum() for k in range(K)]
    return pi, mean, sigma


def visited(batch, iteration):
    if batch is None or iteration == 1:
        return np.arange(M)
    return (np.arange(batch) + (iteration - 2) * batch) % M


def run(up, down, exact_own=False, batch=None, iterations=ITERATIONS):
    """up, down: (operator, its rate or None without surrogates, is the first message whole?)"""
    x, (pi, means, sigmas) = data(), start()
    blocks = [(pi, means[:, f], [s[np.ix_(f, f)] for s in sigmas]) for f in BLOCKS]
    known = [np.zeros((M, K)) for _ in BLOCKS]
    z_hat = np.zeros((M, K))
    gammas = [np.zeros((M, K)) for _ in BLOCKS]
    out = []

    def follow(direction, vector, surrogate, address):
        compress, alpha, whole = direction
        if alpha is None:
            return compress(vector, address)
        if whole and address[1] == 1:
            return vector
        return surrogate + alpha(len(vector)) * compress(vector - surrogate, address)

    for t in range(1, iterations + 1):
        at = visited(batch, t)
        q = [terms(x[np.ix_(at, f)], mean, sigma) for f, (_, mean, sigma) in zip(BLOCKS, blocks)]
        for n in range(len(BLOCKS)):
            known[n][at] = follow(up, q[n].ravel(), known[n][at].ravel(), (n, t)).reshape(-1, K)
        z = sum(known)[at]
        z_hat[at] = follow(down, z.ravel(), z_hat[at].ravel(), (SERVER, t)).reshape(-1, K)
        seen = [z_hat[at] + (q[n] - known[n][at] if exact_own else 0.0) for n in range(len(BLOCKS))]
        misses = np.sqrt(np.mean([(s - sum(q)) ** 2 for s in seen]))
        gaps = np.sqrt(np.mean([(g[at] - q) ** 2 for g, q in zip(known, q)]))
        new, likelihoods = [], []
        for n, (f, (pi, _, _)) in enumerate(zip(BLOCKS, blocks)):
            gammas[n][at], likelihood = normalize(pi, seen[n])
            likelihoods.append(likelihood - len(at) * 5 / 2 * np.log(2 * np.pi))
            new.append(m_step(x[:, f], gammas[n], gammas[n].mean(0)))
        blocks = new
        out.append({
            "theta": theta_of(blocks).tolist(),
            "likelihood": float(np.mean(likelihoods) / len(at)),
            "consensus_error": float(misses),
            "surrogate_error": float(gaps),
        })
    return out


def gaps():
    """Which examples have each block; every example has one."""
    has = np.random.default_rng(11).random((M, len(BLOCKS))) >= 0.4
    has[~has.any(1), 1] = True
    return has


def run_missing(iterations):
    """EM with missing blocks integrated out: sums over those observed, and M-steps over the examples that have a block."""
    x, has, (pi, means, sigmas) = data(), gaps(), start()
    blocks = [(means[:, f], [s[np.ix_(f, f)] for s in sigmas]) for f in BLOCKS]
    out = []
    for _ in range(iterations):
        q = [np.where(has[:, [n]], terms(x[:, f], *block), 0.0) for n, (f, block) in enumerate(zip(BLOCKS, blocks))]
        gamma, likelihood = normalize(pi, sum(q))
        numbers = sum(has[:, n].sum() * len(f) for n, f in enumerate(BLOCKS))
        pi = gamma.mean(0)
        blocks = [m_step(x[np.ix_(has[:, n], f)], gamma[has[:, n]], pi)[1:] for n, f in enumerate(BLOCKS)]
        likelihood = (likelihood - numbers / 2 * np.log(2 * np.pi)) / M
        out.append({"theta": theta_of([(pi, *block) for block in blocks]).tolist(), "likelihood": float(likelihood)})
    return out


def run_expected(iterations):
    """The textbook's EM, whose missing values are latent as well: moments of what is missing are those of its component."""
    x, has, (pi, means, sigmas) = data(), gaps(), start()
    sigmas = [np.where(np.equal.outer(OWNER, OWNER), s, 0.0) for s in sigmas]
    seen = has[:, OWNER]
    for _ in range(iterations):
        logits = np.empty((M, K))
        for m in range(M):
            o = np.flatnonzero(seen[m])
            for k in range(K):
                gap, sigma = x[m, o] - means[k][o], sigmas[k][np.ix_(o, o)]
                logits[m, k] = np.log(pi[k]) - (np.linalg.slogdet(sigma)[1] + gap @ np.linalg.solve(sigma, gap)) / 2
        gamma = np.exp(logits - logits.max(1, keepdims=True))
        gamma /= gamma.sum(1, keepdims=True)
        first, second = np.zeros((K, 5)), np.zeros((K, 5, 5))
        for m in range(M):
            for k in range(K):
                mean = np.where(seen[m], x[m], means[k])
                left = np.where(np.logical_or.outer(seen[m], seen[m]), 0.0, sigmas[k])
                first[k] += gamma[m, k] * mean
                second[k] += gamma[m, k] * (np.outer(mean, mean) + left)
        pi = gamma.mean(0)
        means = first / gamma.sum(0)[:, None]
        sigmas = [second[k] / gamma[:, k].sum() - np.outer(means[k], means[k]) for k in range(K)]
        sigmas = [np.where(np.equal.outer(OWNER, OWNER), s, 0.0) for s in sigmas]
    blocks = [(pi, means[:, f], [s[np.ix_(f, f)] for s in sigmas]) for f in BLOCKS]
    return theta_of(blocks)


def surrogate(operator, whole=False):
    return operator[0], operator[1], whole


def direct(operator):
    return operator[0], None, False


def main():
    whole = direct(IDENTITY)
    runs = {
        "whole": run(whole, whole),
        "top-both": run(surrogate(top_k(20)), surrogate(top_k(30))),
        "top-direct": run(direct(top_k(60)), whole),
        "top-own": run(surrogate(top_k(20), whole=True), whole, exact_own=True),
        "top-batches": run(surrogate(top_k(9)), surrogate(top_k(11)), batch=15),
        "dithering": run(surrogate(dithering(3)), surrogate(dithering(7), whole=True)),
    }
    ends = [run(*directions, iterations=400)[-1] for directions in [
        (whole, whole), (surrogate(top_k(20)), surrogate(top_k(30))), (surrogate(dithering(3)), surrogate(dithering(7))),
    ]]
    for end in ends[1:]:
        assert np.allclose(end["theta"], ends[0]["theta"], atol=1e-8), "surrogates end where EM ends"
    missing = run_missing(2000)
    likelihoods = np.array([iterate["likelihood"] for iterate in missing])
    assert (np.diff(likelihoods) > -1e-12).all(), "the likelihood of what was observed never falls"
    assert np.allclose(missing[-1]["theta"], run_expected(1000), atol=1e-6), "EM with latent values ends there, too"
    rows, columns = np.tril_indices(5)
    pi, means, sigmas = start()
    first = np.concatenate([pi, means.ravel(), *[s[rows, columns] for s in sigmas]])
    with open(os.path.join(HERE, "vertical.json"), "w") as file:
        json.dump({"rows": data().ravel().tolist(), "start": first.tolist(), "surrogates": runs,
                   "observed": gaps().T.astype(int).tolist(), "missing": missing[:ITERATIONS]}, file)


if __name__ == "__main__":
    main()
