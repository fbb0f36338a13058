"""Writes levels.csv: replicates, error, and the level of each look, by integrals over means and sums of squares. Writes
races.csv: races of random arms, decided by NumPy and SciPy. Columns: race, arm, then the log costs of the arm by replicate,
the replicates that the arm had when it was dropped (0: it was left), whether it leads at the end, and the replicates
after which the race ended."""

import csv
import functools
import math
import pathlib

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq

ERROR, MARGIN, REPLICATES, FUTILITY = 0.05, math.log(1.02), 8, 0.3


NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def both(count, level):
    """The probability that t exceeds its quantile after `count` and after one more normal variables: over u, the root of
    their sum of squares about the mean, then over their mean, then over the next one."""
    first, then = stats.t.isf(level, count - 1), stats.t.isf(level, count)
    # Where the mean is more than 9 of its standard deviations there is nothing, so nor is there a larger sum of squares.
    most = min(9 * math.sqrt(count - 1) / first, 9 + math.sqrt(count))
    u, u_weights = (NODES[:, None] + 1) * most / 2, WEIGHTS[:, None] * most / 2
    least = first * u / math.sqrt((count - 1) * count)
    span = 9 / math.sqrt(count) + 0 * least
    mean, mean_weights = least + (NODES + 1) * span / 2, WEIGHTS * span / 2
    # t' > then is S'^2 > share * Q' for S' > 0, with S' = S + x and Q' = Q + x^2.
    share = (count + 1) * then**2 / (count + then**2)
    total, squares = count * mean, u * u + count * mean**2
    root = np.sqrt(np.maximum(total**2 - (1 - share) * (total**2 - share * squares), 0))
    ends = np.sort([(-total - root) / (1 - share), (-total + root) / (1 - share)], axis=0)
    crossing = stats.norm.cdf(ends[1]) - stats.norm.cdf(np.maximum(ends[0], -total))
    density = 2 * u * stats.chi2.pdf(u * u, count - 1) * stats.norm.pdf(mean, scale=1 / math.sqrt(count))
    return float((u_weights * mean_weights * density * crossing).sum())


@functools.cache
def level(replicates, error):
    looks = max(replicates - 1, 1)
    if looks == 1:
        return error

    def beyond(log):
        return looks * math.exp(log) - sum(both(n, math.exp(log)) for n in range(2, replicates)) - error

    return math.exp(brentq(beyond, math.log(error / looks), math.log(error), xtol=1e-9))


def prior(variances):
    known = np.array([own for own in variances if own[0] > 0])
    if len(known) < 3:
        return 0.0, 0.0
    half, most = known[:, 1] / 2, known[:, 1].sum() / 2
    logs = np.log(known[:, 0]) - special.digamma(half) + np.log(half)
    excess = logs.var(ddof=1) - special.polygamma(1, half).mean()
    if excess <= 0:
        return most, math.exp(logs.mean())
    fitted = 2 * brentq(lambda x: special.polygamma(1, x) - excess, 1e-6, 1e7, xtol=1e-14, rtol=1e-14)
    return min(fitted, most), math.exp(logs.mean() + special.digamma(fitted / 2) - math.log(fitted / 2))


def race(costs):
    arms = len(costs)
    left, dropped, last, owed = list(range(arms)), [0] * arms, {}, [0.0] * arms
    for count in range(2, REPLICATES + 1):
        leader = min(left, key=lambda arm: costs[arm, :count].sum())
        differences = {arm: costs[arm, :count] - costs[leader, :count] for arm in left if arm != leader}
        variances = {arm: own.var(ddof=1) for arm, own in differences.items()}
        last.update({arm: (variance, count - 1) for arm, variance in variances.items()})
        weight, common = prior(list(last.values()))
        tail = level(REPLICATES, ERROR / len(differences))
        freedom = weight + count - 1
        deviations = {
            arm: math.sqrt(max(own, (weight * common + (count - 1) * own) / freedom)) for arm, own in variances.items()
        }
        for arm, own in differences.items():
            low = own.mean() - stats.t.isf(tail, freedom) * deviations[arm] / math.sqrt(count)
            if low > owed[arm] - MARGIN:
                dropped[arm] = count
                left.remove(arm)
                owed[leader] = max(owed[leader], owed[arm] - low)
        if len(left) == 1 or count == REPLICATES:
            break
        tail = level(REPLICATES, ERROR / (len(left) - 1))

        def hope(arm):
            mean, deviation = differences[arm].mean(), deviations[arm]
            end = stats.t(freedom, loc=mean, scale=deviation * math.sqrt(1 / count - 1 / REPLICATES))
            far = stats.t.isf(tail, freedom + REPLICATES - count) * deviation / math.sqrt(REPLICATES) - MARGIN
            return end.sf(far) + end.cdf(-far)

        if sum(hope(arm) for arm in left if arm != leader) < FUTILITY:
            break
    return dropped, leader, count


def main():
    here = pathlib.Path(__file__).parent
    with open(here / "levels.csv", "w") as file:
        file.write("# Written by make_races.py.\n")
        for replicates, error in [(3, 0.05), (4, 0.3), (6, 0.05), (8, 0.01), (10, 0.0125), (10, 0.002), (20, 0.05)]:
            file.write(f"{replicates},{error},{level(replicates, error)!r}\n")
    random = np.random.default_rng(7)
    with open(here / "races.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        file.write("# Written by make_races.py.\n")
        for number in range(16):
            arms = int(random.integers(2, 9))
            spread = np.exp(random.uniform(math.log(0.02), math.log(0.2), arms))
            means = random.uniform(0, 1 if number % 2 else 0.2, arms)
            costs = means[:, None] + random.normal(0, 0.3, REPLICATES) + spread[:, None] * random.normal(size=(arms, REPLICATES))
            dropped, leader, looked = race(costs)
            for arm in range(arms):
                rows.writerow(
                    [number, arm, *map(repr, map(float, costs[arm])), dropped[arm], int(arm == leader), looked]
                )


main()
