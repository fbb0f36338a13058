"""Writes races.csv: races of random arms, decided by NumPy and SciPy. Columns: race, arm, then the log costs of the arm by
replicate, and the replicates that the arm had when it was dropped (0: it was left), and whether it leads at the end."""

import csv
import math
import pathlib

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq

ERROR, MARGIN, REPLICATES = 0.05, math.log(1.02), 8


def prior(variances):
    known = np.array([own for own in variances if own[0] > 0])
    if len(known) < 3:
        return 0.0, 0.0
    half = known[:, 1] / 2
    logs = np.log(known[:, 0]) - special.digamma(half) + np.log(half)
    excess = logs.var(ddof=1) - special.polygamma(1, half).mean()
    if excess <= 0:
        return 4.0, math.exp(logs.mean())
    fitted = 2 * brentq(lambda x: special.polygamma(1, x) - excess, 1e-6, 1e7, xtol=1e-14, rtol=1e-14)
    return min(fitted, 4.0), math.exp(logs.mean() + special.digamma(fitted / 2) - math.log(fitted / 2))


def race(costs):
    arms = len(costs)
    left, dropped, last = list(range(arms)), [0] * arms, {}
    for count in range(2, REPLICATES + 1):
        leader = min(left, key=lambda arm: costs[arm, :count].sum())
        differences = {arm: costs[arm, :count] - costs[leader, :count] for arm in left if arm != leader}
        variances = {arm: own.var(ddof=1) for arm, own in differences.items()}
        last.update({arm: (variance, count - 1) for arm, variance in variances.items()})
        weight, common = prior(list(last.values()))
        look = count - 1
        tail = ERROR / ((arms - 1) * look * (look + 1))
        for arm, own in differences.items():
            freedom = weight + count - 1
            variance = (weight * common + (count - 1) * variances[arm]) / freedom
            if own.mean() - stats.t.isf(tail, freedom) * math.sqrt(variance / count) > -MARGIN:
                dropped[arm] = count
                left.remove(arm)
        if len(left) == 1:
            break
    return dropped, leader


def main():
    random = np.random.default_rng(7)
    with open(pathlib.Path(__file__).parent / "races.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        file.write("# Written by make_races.py.\n")
        for number in range(12):
            arms = int(random.integers(2, 9))
            spread = np.exp(random.uniform(math.log(0.02), math.log(0.2), arms))
            means = random.uniform(0, 1, arms)
            costs = means[:, None] + random.normal(0, 0.3, REPLICATES) + spread[:, None] * random.normal(size=(arms, REPLICATES))
            dropped, leader = race(costs)
            for arm in range(arms):
                rows.writerow([number, arm, *map(repr, map(float, costs[arm])), dropped[arm], int(arm == leader)])


main()
