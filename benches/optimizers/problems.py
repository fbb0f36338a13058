"""Synthetic problems with the shape of the real ones: the logarithm of the bits, or seconds, that a federated run needs
until it reaches its target, over settings that act on each other. Replicate r of all points shares its environment; how
a point differs from the others depends on r too. A run that does not reach its target costs at least what it spent.

A problem has dimensions, a first point, and `cost(point)`: the true logarithm of the cost and whether the target is
reached. Coordinates are shares in [0, 1], numbers of choices, or None where a dimension does not exist."""

import math
import zlib

import numpy as np


class Problem:
    def __init__(self, name, dimensions, first, cost, shared=0.3, tilt=0.1, own=0.05):
        """The noise: what replicates share, how they tilt the surface, and what each run has alone."""
        self.name, self.dimensions, self.first, self.cost = name, dimensions, first, cost
        self.shared, self.tilt, self.own = shared, tilt, own

    def run(self, point, replicate, seed):
        """What a run says: the logarithm of its cost, or of what it spent, and whether it reached the target."""
        environment = np.random.default_rng([seed, replicate])
        cost, reached = self.cost(point)
        cost += self.shared * environment.normal()
        for coordinate, (kind, _, _) in zip(point, self.dimensions):
            slope, choices = environment.normal(), environment.normal(size=8)
            if coordinate is not None:
                cost += self.tilt * (choices[coordinate] if kind == "choice" else 2 * slope * (coordinate - 0.5))
        key = zlib.crc32(repr(point).encode())
        return cost + self.own * np.random.default_rng([seed, replicate, key]).normal(), reached


def number():
    return ("number", None, [])


def steps(count):
    return ("steps", [round(i / (count - 1), 6) for i in range(count)], [])


def choice(count):
    return ("choice", count, [])


def only(dimension, *needs):
    """A dimension that exists with these choices (dimension, choices) alone."""
    return (dimension[0], dimension[1], list(needs))


def log_between(low, high, share):
    return low * (high / low) ** share


def rounds_to(gamma, omega, participation, noise, most=1e4, target=1e-3):
    """Rounds of a stochastic method with step gamma until the target; compression noise omega and partial participation
    make the step that is stable smaller, and the floor higher."""
    stable = 1.0 / (1.0 + omega / (20 * participation))
    if gamma >= 2 * stable:
        return most, False
    floor = gamma * noise * (1 + omega) / participation * 1e-4
    if floor >= target:
        return most, False
    rate = 0.2 * gamma * (2 - gamma / stable)
    rounds = math.log(1.0 / (target - floor)) / -math.log1p(-min(rate, 0.99))
    return (rounds, True) if rounds <= most else (most, False)


def levels_problem():
    """Bits over levels of quantization, participation and step."""

    def cost(point):
        levels = round(log_between(1, 64, point[0]))
        participation, gamma = log_between(0.02, 1, point[1]), log_between(0.003, 2, point[2])
        omega = min(100 / levels**2, 10 / levels)
        rounds, reached = rounds_to(gamma, omega, participation, 1.0)
        bits = participation * (32 + 100 * min(1 + math.log2(levels + 1), 1.5 + 0.3 * levels))
        return math.log(rounds * bits), reached

    return Problem("levels", [number(), number(), number()], [0.8, 0.9, 0.4], cost)


def compressors_problem():
    """Bits over a compressor with settings of its own, participation, step and the batch."""

    def cost(point):
        kind, levels, share, participation, gamma, batch = point
        if kind == 0:
            omega, bits = 0.0, 3200.0
        elif kind == 1:
            s = round(log_between(1, 64, levels))
            omega, bits = min(100 / s**2, 10 / s), 100 * (1.5 + math.log2(s + 1))
        elif kind == 2:
            k = log_between(1, 100, share)
            omega, bits = 100 / k - 1, k * 38
        else:
            omega, bits = 9.0, 100 * 1.3 + 32
        participation, gamma = log_between(0.02, 1, participation), log_between(0.003, 2, gamma)
        size = log_between(1, 100, batch)
        rounds, reached = rounds_to(gamma, omega, participation, 0.2 + 4 / size)
        return math.log(rounds * participation * (bits + 20 * size)), reached

    dimensions = [choice(4), only(steps(13), (0, [1])), only(number(), (0, [2])), number(), number(), steps(11)]
    return Problem("compressors", dimensions, [0, None, None, 1.0, 0.5, 1.0], cost)


def deadline_problem():
    """Seconds over participation, deadline, levels and step: who is late is left out, and half of the runs with a bad
    deadline never end."""

    def cost(point):
        participation, deadline = log_between(0.02, 1, point[0]), log_between(0.2, 20, point[1])
        levels, gamma = round(log_between(1, 64, point[2])), log_between(0.003, 2, point[3])
        seconds = 0.5 + 0.1 * (1.5 + math.log2(levels + 1)) * (1 + 3 * participation)
        arrived = 1 / (1 + (seconds / deadline) ** 4)
        effective = participation * arrived
        if effective < 0.01:
            return math.log(1e4 * deadline), False
        waits = min(deadline, seconds * (1 + math.log1p(50 * participation)))
        rounds, reached = rounds_to(gamma, min(100 / levels**2, 10 / levels), effective, 2.0)
        return math.log(rounds * waits), reached

    return Problem("deadline", [number(), number(), steps(16), number()], [0.9, 0.9, 0.933333, 0.3], cost)


def noisy_problem():
    """A bowl of five dimensions with interactions under loud replicates."""
    rng = np.random.default_rng(5)
    directions = rng.normal(size=(5, 5)) * np.array([3.0, 2.0, 1.0, 0.5, 0.3])[:, None] / math.sqrt(5)
    center = np.array([0.3, 0.7, 0.4, 0.6, 0.2])

    def cost(point):
        moved = directions @ (np.array(point) - center)
        return float(2 * moved @ moved + 0.5 * abs(moved[0])), True

    return Problem("noisy", [number()] * 5, [0.5] * 5, cost, shared=0.6, tilt=0.15, own=0.15)


def valleys_problem():
    """Several valleys behind two choices, and a fifth of the space that never reaches its target."""
    rng = np.random.default_rng(7)
    centers, depths = rng.uniform(0.1, 0.9, size=(3, 3, 4)), rng.uniform(1.0, 2.0, size=(3, 3))

    def cost(point):
        one, two, *shares = point
        moved = np.sum((np.array(shares) - centers[one, two]) ** 2)
        ripple = 0.15 * sum(1 - math.cos(9 * (x - c)) for x, c in zip(shares, centers[one, two]))
        value = 5 - depths[one, two] * math.exp(-2 * moved) * 2 + ripple + 0.3 * (one == two)
        return value, shares[0] + shares[1] < 1.45

    dimensions = [choice(3), choice(3)] + [number()] * 4
    return Problem("valleys", dimensions, [0, 0, 0.5, 0.5, 0.5, 0.5], cost)


def wide_problem():
    """Ten dimensions of which four matter, some in a few steps only, two for one choice alone."""

    def cost(point):
        kind, a, b, c, d, e, *_ = point
        value = 1.5 * abs(a - 0.35) + 4 * (b - 0.8 * a) ** 2 + [0.4, 0.0, 0.8][kind]
        if kind == 1:
            value += 3 * (d - 0.25) ** 2 + 0.5 * e
        elif kind == 0:
            value -= 0.3 * (1 - abs(c - 0.9))
        return value, not (a > 0.9 and b < 0.2)

    dimensions = [choice(3), number(), number(), steps(6), only(number(), (0, [1])), only(steps(4), (0, [1]))]
    return Problem("wide", dimensions + [number()] * 3 + [choice(4)], [2, 0.9, 0.5, 0, None, None, 0.5, 0.5, 0.5, 0], cost)


PROBLEMS = [
    levels_problem(),
    compressors_problem(),
    deadline_problem(),
    noisy_problem(),
    valleys_problem(),
    wide_problem(),
]


def exists(dimension, point):
    return all(point[parent] in choices for parent, choices in dimension[2])


def random_point(problem, rng):
    point = []
    for dimension in problem.dimensions:
        kind, of, _ = dimension
        if not exists(dimension, point):
            point.append(None)
        elif kind == "choice":
            point.append(int(rng.integers(of)))
        else:
            point.append(float(rng.choice(of)) if kind == "steps" else round(float(rng.uniform()), 4))
    return point


def least(problem, tries=100_000):
    """The least cost that a long search with the truth finds: random points, then ever smaller moves of the best."""
    rng = np.random.default_rng(0)

    def value(point):
        cost, reached = problem.cost(point)
        return cost if reached else math.inf

    def near(coordinate, kind, scale):
        if kind != "number" or coordinate is None:
            return coordinate
        return round(min(max(coordinate + scale * rng.normal(), 0), 1), 4)

    points = sorted((random_point(problem, rng) for _ in range(tries)), key=value)[:50]
    for scale in [0.1, 0.03, 0.01, 0.003, 0.001]:
        for _ in range(60):
            moved = [[near(c, kind, scale) for c, (kind, _, _) in zip(point, problem.dimensions)] for point in points]
            points = sorted(points + moved, key=value)[:50]
    return value(points[0])
