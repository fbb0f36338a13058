"""Held-out perplexity of scikit-learn's LatentDirichletAllocation (variational Bayes), and of the package lda (collapsed Gibbs
sampling) where it is installed, on the split of `Corpus(hold_out_every: N)`, beside what runs of fedbits recorded.

    fedbits run papers/flsaem-lda --data DATA --out RUNS [--set 'record=(every: 100, probe_every: Some(100), theta: true)']
    python benches/lda_reference.py DATA/ap/ap.dat.gz RUNS …        (reads plan.json, rounds.csv and theta.csv of every folder)

The split: of document d (from 0) the tokens j >= 1, in the order of word ids, with (j + d) mod N = 0. Both programs predict a
held-out word v of document d by sum_k theta_dk beta_kv, with theta from the document's other tokens (scikit-learn: the mean of
the variational posterior; lda: the means given the last sampled topics).
What a program fits and how it completes a document are two things: so all topics (of runs: where there is theta.csv) are judged
with both ways to complete, the variational one of scikit-learn and the mean over Gibbs sweeps that fedbits takes, written again here.
Topics, alpha and the smoothing epsilon (there the prior of a topic's words) are those of the run.
Without runs: LDA_TOPICS, LDA_ALPHA, LDA_SMOOTHING, LDA_EVERY or 20, 0.1, 0.05, 10. Needs numpy, scipy,
scikit-learn.
"""
import csv
import gzip
import json
import os
import re
import sys
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import LatentDirichletAllocation


def read(path, every):
    """(training counts, held-out counts) as sparse matrices, documents x words."""
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    cells = {False: ([], [], []), True: ([], [], [])}
    with opened as lines:
        for d, line in enumerate(lines):
            entries = sorted(tuple(map(int, cell.split(":"))) for cell in line.split()[1:])
            j = 0
            for word, count in entries:
                aside = sum(1 for token in range(j, j + count) if token > 0 and (token + d) % every == 0)
                j += count
                for held, number in ((False, count - aside), (True, aside)):
                    if number:
                        for column, value in zip(cells[held], (number, d, word)):
                            column.append(value)
            documents = d + 1
    words = 1 + max(max(cells[False][2]), max(cells[True][2]))
    return [csr_matrix((n, (d, v)), shape=(documents, words), dtype=float) for n, d, v in cells.values()]


def fit(train, held_out, topics, alpha, smoothing, seed):
    start = time.perf_counter()
    model = LatentDirichletAllocation(
        topics, doc_topic_prior=alpha, topic_word_prior=smoothing, max_iter=200, random_state=seed,
        mean_change_tol=1e-4, max_doc_update_iter=200,
    )
    theta = model.fit_transform(train)
    beta = model.components_ / model.components_.sum(1, keepdims=True)
    return model, beta, perplexity(theta, beta, held_out), time.perf_counter() - start


def variational(model, beta, train):
    """Proportions by scikit-learn's coordinate ascent at fixed topics beta: `model` lends its settings."""
    model.exp_dirichlet_component_ = beta
    theta = model.transform(train)
    return theta / theta.sum(1, keepdims=True)


def sampled(beta, train, alpha, rng, burn_in=20, sweeps=30):
    """Proportions E[(alpha + n_k)/(K alpha + n)] over Gibbs sweeps at fixed topics beta, as models/src/topics/report.rs takes them."""
    theta = np.empty((train.shape[0], len(beta)))
    for d in range(train.shape[0]):
        words, counts = train.indices[slice(*train.indptr[d : d + 2])], train.data[slice(*train.indptr[d : d + 2])].astype(int)
        weights, shares, kept = beta[:, words].T, np.full(len(beta), 1 / len(beta)), np.zeros(len(beta))
        for sweep in range(burn_in + sweeps):
            probabilities = weights * shares
            probabilities /= probabilities.sum(1, keepdims=True)
            if sweep >= burn_in:
                kept += (counts[:, None] * probabilities).sum(0) / sweeps
            # Rounding may leave a sum a hair above 1.
            drawn = rng.multinomial(counts, probabilities * (1 - 1e-12)).sum(0)
            shares = rng.dirichlet(alpha + drawn)
        theta[d] = (alpha + kept) / (alpha + kept).sum()
    return theta


def both(model, beta, train, held_out, alpha):
    """Perplexity with the two ways to complete a document."""
    ways = (variational(model, beta, train), sampled(beta, train, alpha, np.random.default_rng(1)))
    return [perplexity(theta, beta, held_out) for theta in ways]


def table(path, arm):
    """The rows of an arm's first replicate; none where there is no such table."""
    if not path.exists():
        return []
    with open(path) as rows:
        found = [row for row in csv.DictReader(rows) if row["arm"] == arm]
    return [row for row in found if row["replicate"] == found[0]["replicate"]]


def topics_of(folder, arm, count, words):
    """The last topics of an arm, topics x words; none without theta.csv."""
    rows = table(folder / "theta.csv", arm)
    if not rows:
        return None
    return np.array([float(cell) for name, cell in rows[-1].items() if name.startswith("beta_")]).reshape(words, count).T


def perplexity(theta, beta, held_out):
    cells = held_out.tocoo()
    logs = np.log((theta[cells.row] * beta[:, cells.col].T).sum(1))
    return np.exp(-(cells.data * logs).sum() / cells.data.sum())


def gibbs(train, held_out, topics, alpha, smoothing, seed):
    """Topics and perplexity by the package lda (3.0.2 was tried); none where it is not installed."""
    try:
        import lda
    except ImportError:
        return None
    start = time.perf_counter()
    model = lda.LDA(topics, n_iter=400, alpha=alpha, eta=smoothing, random_state=seed, refresh=1000)
    model.fit(train.astype(int).toarray())
    return model.topic_word_, perplexity(model.doc_topic_, model.topic_word_, held_out), time.perf_counter() - start


def runs(folders):
    """(folder, arm, settings, every how many tokens one is held out, last recorded perplexity) of every arm."""
    for folder in map(Path, folders):
        for arm in json.loads((folder / "plan.json").read_text())["arms"]:
            text = arm["scenario_text"]
            number = lambda name: float(re.search(name + r"\W+([0-9.eE+-]+)", text).group(1))
            every = int(re.search(r"hold_out_every\W+(?:Some\W+)?([0-9]+)", text).group(1))
            settings = (int(re.search(r"[^_a-z]topics\W+([0-9]+)", text).group(1)), number("alpha"), number("smoothing"))
            values = [row["perplexity_held_out"] for row in table(folder / "rounds.csv", arm["name"])]
            yield folder, arm["name"], settings, every, float([value for value in values if value][-1])


def main(path, folders):
    found = list(runs(folders))
    get = lambda name, default: float(os.environ.get(name, default))
    settings = found[0][2] if found else (int(get("LDA_TOPICS", 20)), get("LDA_ALPHA", 0.1), get("LDA_SMOOTHING", 0.05))
    every = found[0][3] if found else int(get("LDA_EVERY", 10))
    train, held_out = read(path, every)
    print(f"{int(train.sum())} tokens, {int(held_out.sum())} held out; K = {settings[0]}, alpha = {settings[1]}, epsilon = {settings[2]}")
    values = []
    for seed in range(3):
        model, beta, value, seconds = fit(train, held_out, *settings, seed)
        values.append(value)
        ways = both(model, beta, train, held_out, settings[1])
        print(f"scikit-learn, seed {seed}: {value:.1f} ({seconds:.0f} s); its topics, completed variationally {ways[0]:.1f}, "
              f"by sampling {ways[1]:.1f}", flush=True)
    references = {"scikit-learn": float(np.mean(values))}
    collapsed = gibbs(train, held_out, *settings, 0)
    if collapsed:
        beta, references["lda"], seconds = collapsed
        ways = both(model, beta, train, held_out, settings[1])
        print(f"lda: {references['lda']:.1f} ({seconds:.0f} s); its topics, completed variationally {ways[0]:.1f}, "
              f"by sampling {ways[1]:.1f}", flush=True)
    for folder, name, chosen, _, value in found:
        beta = topics_of(folder, name, settings[0], train.shape[1])
        if beta is not None:
            ways = both(model, beta, train, held_out, settings[1])
            print(f"{name}: its topics, completed variationally {ways[0]:.1f}, by sampling {ways[1]:.1f}")
        note = "" if chosen == settings else "  (other settings!)"
        against = (f"{100 * (value / reference - 1):+.1f} % of {peer}" for peer, reference in references.items())
        print(f"{name}: {value:.1f}, {', '.join(against)}{note}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
