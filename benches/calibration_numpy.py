"""Noise balls of FedEM on the stand-in mixture of papers/fedem-figure1, in plain numpy: how far single runs scatter.

    python benches/calibration_numpy.py [RUNS [ROUNDS]]          (40 runs of 3333 rounds: a few minutes)

The test tests/validation/calibration.rs compares fedbits with a table of single runs. Here every row of that table is run many times,
with its own 10 000 examples and draws each, by code that shares nothing with fedbits. Per row: mean of ||H||^2 and of ||h||^2 over
the last quarter of the rounds, their averages over the runs, the 5 % and 95 % quantiles of a single run's ||h||^2, and the share of
runs at or below the table's value.
"""
import sys

import numpy as np

N, CLIENTS, BATCH, P, GAMMA = 10_000, 100, 20, 0.75, 0.01
WEIGHTS, MEANS = np.array([0.3, 0.7]), np.array([[-1.0, -1.0], [1.0, 1.0]])
SIGMA = np.array([[1.0, 0.2], [0.2, 1.0]])
PRECISION = np.linalg.inv(SIGMA)
# (name, compressed, alpha; none: no memory), and the table of reference runs (single numpy runs): iid (H, h), sorted (H, h)
ROWS = [
    ("no compression, alpha = .01", False, 0.01, (1.8e-3, 1.8e-5), (1.1e-3, 7.4e-6)),
    ("no compression, no memory", False, None, (1.8e-3, 1.7e-5), (5.2e-3, 1.6e-5)),
    ("rand-3, alpha = .01", True, 0.01, (3.6e-3, 1.5e-5), (2.5e-3, 1.2e-5)),
    ("rand-3, alpha = .5", True, 0.5, (5.8e-3, 2.4e-5), (3.3e-3, 1.5e-5)),
    ("rand-3, naive", True, None, (4.0e-3, 1.6e-5), (2.0e-2, 9.7e-5)),
]


def examples(runs, ordered, rng):
    """runs x clients x m x 2, sorted by label before the split or not."""
    labels = (rng.random((runs, N)) < WEIGHTS[1]).astype(int)
    if ordered:
        labels.sort(axis=1)
    y = MEANS[labels] + rng.standard_normal((runs, N, 2)) @ np.linalg.cholesky(SIGMA).T
    return y.reshape(runs, CLIENTS, N // CLIENTS, 2)


def statistics(y, s):
    """Client means of (r_0, r_1, r_0 y, r_1 y) over the last but one axis of y, at T(s), s: runs x 6."""
    weights = s[:, :2] / s[:, :2].sum(1, keepdims=True)
    means = s[:, 2:].reshape(-1, 2, 2) / s[:, :2, None]
    slopes = means @ PRECISION
    offsets = np.log(weights) - 0.5 * (slopes * means).sum(-1)
    slope, offset = slopes[:, 0] - slopes[:, 1], offsets[:, 0] - offsets[:, 1]
    logit = y[..., 0] * slope[:, None, None, 0] + y[..., 1] * slope[:, None, None, 1] + offset[:, None, None]
    r = 1.0 / (1.0 + np.exp(-logit))
    m = y.shape[-2]
    first = r.mean(-1)
    moment = (r[..., None] * y).sum(-2) / m
    return np.concatenate([first[..., None], 1 - first[..., None], moment, y.sum(-2) / m - moment], axis=-1)


def tails(compressed, alpha, ordered, runs, rounds, seed):
    rng = np.random.default_rng(seed)
    y = examples(runs, ordered, rng)
    theta = np.tile([0.5, 0.5, -0.25, 0.0, 0.25, 0.0], (runs, 1))  # a statistic whose T is the initial value
    s = statistics(y, theta).mean(1)
    v = np.zeros((runs, CLIENTS, 6)) if alpha is None else statistics(y, s) - s[:, None]
    step = alpha or 0.0
    run, client = np.arange(runs)[:, None, None], np.arange(CLIENTS)[None, :, None]
    fields, mean_fields = [], []
    for k in range(rounds):
        batch = y[run, client, rng.integers(0, y.shape[2], (runs, CLIENTS, BATCH))]
        delta = statistics(batch, s) - s[:, None] - v
        if compressed:
            kept = rng.random((runs, CLIENTS, 6)).argsort(-1).argsort(-1) < 3
            delta = 2.0 * delta * kept
        delta *= (rng.random((runs, CLIENTS)) < P)[..., None]
        h = v.mean(1) + delta.sum(1) / (CLIENTS * P)
        v += step * delta
        if k >= rounds - rounds // 4:
            fields.append((h**2).sum(-1))
            if k % 50 == 0:
                mean_fields.append(((statistics(y, s).mean(1) - s) ** 2).sum(-1))
        s = s + GAMMA * h
    return np.mean(fields, axis=0), np.mean(mean_fields, axis=0)


def main(runs, rounds):
    print(f"{runs} runs of {rounds} rounds; table value in brackets")
    for name, compressed, alpha, *table in ROWS:
        for ordered, (table_field, table_mean) in zip((False, True), table):
            parts = [tails(compressed, alpha, ordered, min(8, runs - first), rounds, (first, ordered)) for first in range(0, runs, 8)]
            field, mean = (np.concatenate(part) for part in zip(*parts))
            low, high = np.quantile(mean, [0.05, 0.95])
            print(f"{name:28} {'sorted' if ordered else 'iid':7} ||H||^2 {field.mean():.2e} [{table_field:.1e}]  ||h||^2 {mean.mean():.2e} "
                  f"+- {mean.std(ddof=1) / np.sqrt(runs):.1e} [{table_mean:.1e}], single runs {low:.1e} .. {high:.1e}, "
                  f"{(mean <= table_mean).mean():.0%} at or below the table", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:] or ["40"]), *([3333] if len(sys.argv) < 3 else []))
