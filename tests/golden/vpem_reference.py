#!/usr/bin/env python3
"""An independent VP-EM and diffusion EM in numpy, on a drawn instance; writes vpem_reference.json, which tests/vpem/reference.rs runs.

    python3 tests/golden/vpem_reference.py [SEED]

Written from the equations alone: a random connected graph, agents with one or two features, three components, data of unequal
correlation. Another seed is another instance, and the test must pass with it, too. Needs numpy.
"""
import json
import pathlib
import sys

import numpy as np

AGENTS, COMPONENTS, EXAMPLES, ITERATIONS = 11, 3, 240, 4


def draw_graph(rng):
    """A random tree and a few more links."""
    adjacency = np.zeros((AGENTS, AGENTS), dtype=int)
    for agent in range(1, AGENTS):
        other = rng.integers(agent)
        adjacency[agent, other] = adjacency[other, agent] = 1
    for _ in range(6):
        a, b = rng.choice(AGENTS, 2, replace=False)
        adjacency[a, b] = adjacency[b, a] = 1
    return adjacency


def metropolis(adjacency):
    degrees = adjacency.sum(1)
    weights = adjacency / (1.0 + np.maximum.outer(degrees, degrees))
    return weights + np.diag(1 - weights.sum(1))


def laplacian(adjacency):
    return np.diag(adjacency.sum(1)) - adjacency


def slem(weights):
    return np.sort(np.abs(np.linalg.eigvalsh(weights)))[-2]


def distances(adjacency, start, inside):
    hops, front, step = {start: 0}, [start], 0
    while front:
        step += 1
        front = sorted({n for f in front for n in np.flatnonzero(adjacency[f]) if n in inside and n not in hops})
        hops.update({n: step for n in front})
    return hops


def diameter(adjacency):
    everybody = set(range(AGENTS))
    return max(max(distances(adjacency, n, everybody).values()) for n in everybody)


def greedy_hubs(adjacency, h):
    left, hubs = set(range(AGENTS)), []
    while left:
        near = {n: [a for a, d in distances(adjacency, n, left).items() if d <= h] for n in sorted(left)}
        root = max(sorted(left), key=lambda n: (len(near[n]), -n))
        hubs.append((root, sorted(near[root])))
        left -= set(near[root])
    return hubs


# Each consensus takes the initial states (agents x numbers) and gives the final ones and the number of rounds.


def plain(weights, rounds):
    return lambda z, _: (np.linalg.matrix_power(weights, rounds) @ z, rounds)


def chebyshev_step(weights, z, before, omega, rounds):
    lam2 = slem(weights) ** 2
    omega = {1: 1.0, 2: 1 / (1 - lam2 / 2)}.get(rounds, 1 / (1 - lam2 * omega / 4))
    return omega * (weights @ z - before) + before if rounds > 1 else weights @ z, omega


def chebyshev(weights, rounds):
    def mix(z, _):
        before, omega = z, 1.0
        for r in range(1, rounds + 1):
            new, omega = chebyshev_step(weights, z, before, omega, r)
            z, before = new, z
        return z, rounds

    return mix


def adaptive(adjacency, weights, tolerance):
    def mix(z, _):
        scale = np.sqrt((z**2).mean(1))
        before, rounds, last = z, 0, None
        while last is None or rounds < last:
            z, before, rounds = weights @ z, z, rounds + 1
            if last is None and (np.sqrt(((z - before) ** 2).mean(1)) / scale).max() < tolerance:
                last = rounds + diameter(adjacency)
        return z, rounds

    return mix


def push_sum(adjacency, rounds):
    shares = (adjacency + np.eye(AGENTS)) / (adjacency.sum(1) + 1)

    def mix(z, _):
        power = np.linalg.matrix_power(shares, rounds)
        return power @ z / power.sum(1, keepdims=True), rounds

    return mix


def choco(weights, rounds, step, tracking):
    """Without compression; copies stay at 0 or, with tracking, where the last iteration left them."""
    memory = {}

    def mix(start, _):
        z, copies = start.copy(), np.zeros_like(start)
        if tracking and memory:
            z = memory["z"] + start - memory["start"]
            copies = memory["copies"]
        for _ in range(rounds):
            copies = z.copy()
            z = z + step * (weights @ copies - copies)
        memory.update(z=z, copies=copies, start=start)
        return z, rounds

    return mix


def terms(x, mu, sigma):
    """Q_mk."""
    out = np.empty((len(x), COMPONENTS))
    for k in range(COMPONENTS):
        gap = x - mu[k]
        out[:, k] = np.linalg.slogdet(sigma[k])[1] + np.einsum("mi,ij,mj->m", gap, np.linalg.inv(sigma[k]), gap)
    return out


def softmax(logits):
    logits = logits - logits.max(1, keepdims=True)
    weights = np.exp(logits)
    return weights / weights.sum(1, keepdims=True)


def m_step(gamma, x):
    mass = gamma.sum(0)
    mu = gamma.T @ x / mass[:, None]
    second = np.einsum("mk,mi,mj->kij", gamma, x, x) / mass[:, None, None]
    return mass / mass.sum(), mu, second - np.einsum("ki,kj->kij", mu, mu)


def vech(matrix):
    return [matrix[i, j] for i in range(len(matrix)) for j in range(i + 1)]


def short(values):
    """Twelve digits are enough for a comparison to 1e-9, and zeros stay short."""
    return [float(f"{value:.12g}") or 0 for value in values]


def join(features, pis, mus, sigmas, dimension):
    """theta of the whole mixture with the mean of the roots' pi."""
    mu = np.zeros((COMPONENTS, dimension))
    sigma = np.zeros((COMPONENTS, dimension, dimension))
    for own, m, s in zip(features, mus, sigmas):
        mu[:, own] = m
        for k in range(COMPONENTS):
            sigma[k][np.ix_(own, own)] = s[k]
    flat = [v for k in range(COMPONENTS) for v in vech(sigma[k])]
    return [*np.mean(pis, 0), *mu.ravel(), *flat]


def vp_em(x, own, hubs, mix, theta, batch):
    pi0, mu0, sigma0 = theta
    features = [[f for a in agents for f in own[a]] for _, agents in hubs]
    pis = [pi0 for _ in hubs]
    mus = [mu0[:, f] for f in features]
    sigmas = [np.array([sigma0[k][np.ix_(f, f)] for k in range(COMPONENTS)]) for f in features]
    memory = [np.zeros((EXAMPLES, COMPONENTS)) for _ in hubs]
    iterates = []
    for t in range(1, ITERATIONS + 1):
        visited = np.arange(EXAMPLES) if t == 1 or not batch else np.arange((t - 2) * batch, (t - 1) * batch) % EXAMPLES
        q = [terms(x[visited][:, f], m, s) for f, m, s in zip(features, mus, sigmas)]
        start = np.zeros((AGENTS, len(visited) * COMPONENTS))
        for b, (_, agents) in enumerate(hubs):
            start[agents] = AGENTS / len(agents) * q[b].ravel()
        states, rounds = mix(start, t)
        likelihoods = []
        for b, (root, _) in enumerate(hubs):
            logits = np.log(pis[b]) - states[root].reshape(-1, COMPONENTS) / 2
            top = logits.max(1)
            likelihood = (top + np.log(np.exp(logits - top[:, None]).sum(1))).sum()
            likelihoods.append(likelihood - len(visited) * x.shape[1] / 2 * np.log(2 * np.pi))
            memory[b][visited] = softmax(logits)
        steps = [m_step(memory[b], x[:, f]) for b, f in enumerate(features)]
        pis, mus, sigmas = zip(*steps)
        error = states[[root for root, _ in hubs]] - sum(q).ravel()
        iterates.append(
            {
                "theta": short(join(features, pis, mus, sigmas, x.shape[1])),
                "rounds": rounds,
                "consensus_error": float(np.sqrt((error**2).mean())),
                "log_likelihood": float(np.mean(likelihoods) / len(visited)),
            }
        )
    return summary(iterates)


def summary(iterates):
    """What all iterations say, and the last theta."""
    names = [name for name in iterates[0] if name != "theta"]
    return {"theta": iterates[-1]["theta"]} | {name: [iterate[name] for iterate in iterates] for name in names}


def statistics(gamma, x):
    """Means of r_k, r_k y and r_k vech(y y')."""
    m = len(x)
    second = np.einsum("mk,mi,mj->kij", gamma, x, x) / m
    return np.concatenate([gamma.sum(0) / m, (gamma.T @ x / m).ravel(), *[vech(second[k]) for k in range(COMPONENTS)]])


def from_statistics(s, d):
    mass, first = s[:COMPONENTS], s[COMPONENTS : COMPONENTS * (1 + d)].reshape(COMPONENTS, d)
    flat, sigma = s[COMPONENTS * (1 + d) :].reshape(COMPONENTS, -1), np.zeros((COMPONENTS, d, d))
    mu = first / mass[:, None]
    for k in range(COMPONENTS):
        sigma[k][np.tril_indices(d)] = flat[k]
        sigma[k] = sigma[k] + sigma[k].T - np.diag(np.diag(sigma[k]))
        sigma[k] = sigma[k] / mass[k] - np.outer(mu[k], mu[k])
    return mass / mass.sum(), mu, sigma


def diffusion(x, sizes, mixing, gammas, theta):
    parts = np.split(x, np.cumsum(sizes)[:-1])
    thetas, state, iterates = [theta] * AGENTS, None, []
    for t in range(1, ITERATIONS + 1):
        fresh = []
        for (pi, mu, sigma), part in zip(thetas, parts):
            gamma = softmax(np.log(pi) - terms(part, mu, sigma) / 2)
            fresh.append(AGENTS * len(part) / len(x) * np.append(statistics(gamma, part), 1.0))
        fresh = np.array(fresh)
        state = fresh if state is None else state + gammas(t) * (fresh - state)
        state = mixing @ state
        own = state[:, :-1] / state[:, -1:]
        thetas = [from_statistics(s, x.shape[1]) for s in own]
        mean = state[:, :-1].mean(0)
        pi, mu, sigma = from_statistics(mean, x.shape[1])
        iterates.append(
            {
                "theta": short([*pi, *mu.ravel(), *[v for s in sigma for v in vech(s)]]),
                "consensus_error": float(np.sqrt(((own - mean) ** 2).sum(1).mean())),
            }
        )
    return summary(iterates)


def network(x, sizes, mixing, gamma, theta):
    """Parameters are averaged: NEM with gamma = 1. Agents have unequal numbers of examples, by which their parameters are weighted."""
    parts = np.split(x, np.cumsum(sizes)[:-1])
    flat = lambda pi, mu, sigma: np.array([*pi, *mu.ravel(), *[v for s in sigma for v in vech(s)]])
    d = x.shape[1]

    def shaped(v):
        lower = v[COMPONENTS * (1 + d) :].reshape(COMPONENTS, -1)
        sigma = np.zeros((COMPONENTS, d, d))
        for k in range(COMPONENTS):
            sigma[k][np.tril_indices(d)] = lower[k]
            sigma[k] = sigma[k] + sigma[k].T - np.diag(np.diag(sigma[k]))
        return v[:COMPONENTS], v[COMPONENTS : COMPONENTS * (1 + d)].reshape(COMPONENTS, d), sigma

    thetas, state, iterates = [theta] * AGENTS, None, []
    for _ in range(ITERATIONS):
        fresh = []
        for (pi, mu, sigma), part in zip(thetas, parts):
            weights = softmax(np.log(pi) - terms(part, mu, sigma) / 2)
            own = flat(*from_statistics(statistics(weights, part), d))
            fresh.append(AGENTS * len(part) / len(x) * np.append(own, 1.0))
        fresh = np.array(fresh)
        state = mixing @ (fresh if state is None else state + gamma * (fresh - state))
        own = state[:, :-1] / state[:, -1:]
        thetas = [shaped(v) for v in own]
        mean = state[:, :-1].mean(0)
        iterates.append({"theta": short(mean), "consensus_error": float(np.sqrt(((own - mean) ** 2).sum(1).mean()))})
    return summary(iterates)


def main():
    rng = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 20_261)
    adjacency = draw_graph(rng)
    counts = rng.integers(1, 3, AGENTS)
    d = int(counts.sum())
    shuffled = rng.permutation(d)
    own = [sorted(int(f) for f in part) for part in np.split(shuffled, np.cumsum(counts)[:-1])]
    labels = rng.integers(COMPONENTS, size=EXAMPLES)
    mixing = np.eye(d) + 0.3 * rng.standard_normal((COMPONENTS, d, d))
    x = np.einsum("mij,mj->mi", mixing[labels], rng.standard_normal((EXAMPLES, d)))
    x = np.round(x + 0.6 * rng.standard_normal((COMPONENTS, d))[labels], 6)
    theta = (
        np.array([0.3, 0.3, 0.4]),
        np.round(0.4 * x[rng.choice(EXAMPLES, COMPONENTS, replace=False)], 6),
        np.array([np.diag(np.round(rng.uniform(4, 6, d), 6)) for _ in range(COMPONENTS)]),
    )
    weights, best = metropolis(adjacency), np.linalg.eigvalsh(laplacian(adjacency))
    constant = np.eye(AGENTS) - 2 / (best[1] + best[-1]) * laplacian(adjacency)
    eighth = np.eye(AGENTS) - laplacian(adjacency) / (1.25 * best[-1])
    runs = {}
    for h in range(3):
        for name, mix in {
            "plain-7": plain(weights, 7),
            "best-constant-4": plain(constant, 4),
            "laplacian-6": plain(eighth, 6),
            "chebyshev-9": chebyshev(weights, 9),
            "adaptive": adaptive(adjacency, weights, 1e-2),
            "push-sum-8": push_sum(adjacency, 8),
            "choco-5": choco(weights, 5, 0.7, False),
            "choco-tracking-5": choco(weights, 5, 0.7, True),
        }.items():
            runs[f"h{h} {name}"] = vp_em(x, own, greedy_hubs(adjacency, h), mix, theta, None)
        runs[f"h{h} batch-70"] = vp_em(x, own, greedy_hubs(adjacency, h), plain(weights, 30), theta, 70)
    sizes = rng.multinomial(EXAMPLES - 3 * AGENTS, np.ones(AGENTS) / AGENTS) + 3
    narrow = x[:, :2]
    start = (theta[0], theta[1][:, :2], theta[2][:, :2, :2])
    power = lambda t: 0.8 / (1 + (t - 1) / 4) ** 0.7
    horizontal = {
        "diffusion": diffusion(narrow, sizes, weights, power, start),
        "gossip-6": diffusion(narrow, sizes, np.linalg.matrix_power(weights, 6), lambda t: 1.0, start),
        "network": network(narrow, sizes, weights, 1.0, start),
        "network-0.3": network(narrow, sizes, weights, 0.3, start),
    }
    links = [[int(a), int(b)] for a, b in np.argwhere(np.triu(adjacency))]
    out = {
        "links": links,
        "features": own,
        "X": x.tolist(),
        "theta0": [*theta[0], *theta[1].ravel(), *[v for s in theta[2] for v in vech(s)]],
        "laplacian_alpha": 1 / (1.25 * best[-1]),
        "runs": runs,
        "sizes": sizes.tolist(),
        "horizontal_theta0": [*start[0], *start[1].ravel(), *[v for s in start[2] for v in vech(s)]],
        "horizontal": horizontal,
    }
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(out) + "\n")
    print(f"{path.name}: {d} features, {len(links)} links, {len(runs)} runs")


main()
