"""The most probable effects of subjects and factors of persons, and their deviations, to 30 digits by mpmath, for
models/tests/individuals.rs: python make_individuals.py (mpmath, numpy), writes individuals.json.

Modes are roots of numerical gradients, deviations roots of the diagonal of the inverse of numerical second derivatives;
densities are written out here from the formulas of models/src/mixed and models/src/bifactor."""

import json
import os

import mpmath as mp
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
mp.mp.dps = 40
rng = np.random.default_rng(20261123)


def numbers(array):
    return [float(x) for x in np.ravel(array)]


def mode(log_density, start):
    """Newton's method with numerical derivatives."""
    z, p = [mp.mpf(x) for x in start], len(start)
    h = mp.mpf(10) ** -10

    def at(z, *moves):
        moved = list(z)
        for j, step in moves:
            moved[j] += step
        return log_density(moved)

    def gradient(z):
        return mp.matrix([(at(z, (j, h)) - at(z, (j, -h))) / (2 * h) for j in range(p)])

    def hessian(z):
        second = mp.matrix(p, p)
        for i in range(p):
            for j in range(p):
                both = [at(z, (i, a * h), (j, b * h)) for a, b in [(1, 1), (1, -1), (-1, 1), (-1, -1)]]
                second[i, j] = (both[0] - both[1] - both[2] + both[3]) / (4 * h * h)
        return second

    for _ in range(100):
        step = mp.lu_solve(-hessian(z), gradient(z))
        # Damped: the start may be far away.
        length = mp.mpf(1)
        while log_density([a + length * b for a, b in zip(z, step)]) < log_density(z) and length > 1e-8:
            length /= 2
        z = [a + length * b for a, b in zip(z, step)]
        if mp.norm(step) < mp.mpf(10) ** -18:
            inverse = mp.inverse(-hessian(z))
            return [float(x) for x in z], [float(mp.sqrt(inverse[j, j])) for j in range(p)]
    raise ValueError("not converged")


def normal(residual, variance):
    return -residual**2 / (2 * variance) - mp.log(2 * mp.pi * variance) / 2


def prior(z, mean, omega):
    d = mp.matrix([a - b for a, b in zip(z, mean)])
    return -(d.T * mp.inverse(mp.matrix(omega.tolist())) * d)[0] / 2


def polynomial(z, subject, t):
    return sum(x * mp.mpf(t) ** k for k, x in enumerate(z))


def oral(z, subject, t):
    ka, v, cl = (mp.exp(x) for x in z)
    k = cl / v
    return sum(
        amount * ka / (v * (ka - k)) * (mp.exp(-k * (t - time)) - mp.exp(-ka * (t - time)))
        for time, amount in subject["doses"]
        if t > time
    )


def mixed(curve, mean, omega, sigma_sq, proportional, subjects):
    rows = []
    for subject in subjects:

        def log_density(z):
            total = prior(z, mean, omega)
            for t, y in zip(subject["times"], subject["values"]):
                f = curve(z, subject, t)
                g = f if proportional else 1
                total += normal((y - f) / g, mp.mpf(sigma_sq)) - (mp.log(f) if proportional else 0)
            return total

        z, deviations = mode(log_density, mean)
        rows.append({"z": z, "deviations": deviations})
    p = len(mean)
    vech = [omega[i, j] for i in range(p) for j in range(i + 1)]
    theta = numbers(mean) + numbers(vech) + [sigma_sq]
    return {"theta": theta, "proportional": proportional, "subjects": subjects, "found": rows}


def subjects(curve, mean, omega, noise, doses, count):
    made = []
    for i in range(count):
        z = rng.multivariate_normal(mean, omega)
        times = np.sort(rng.uniform(0.3, 12.0, size=3 + 2 * i))
        subject = {"doses": [[0.0, 320.0], [6.0, 100.0]][: 1 + i % 2] if doses else [], "times": numbers(times)}
        values = [float(curve(list(z), subject, float(t))) for t in times]
        subject["values"] = numbers(np.array(values) * (1 + noise * rng.normal(size=len(times))))
        made.append(subject)
    return made


cases = {}
omega = np.array([[4.0, 0.6], [0.6, 0.25]])
line = subjects(polynomial, [10.0, -0.5], omega, 0.1, False, 4)
cases["polynomial"] = mixed(polynomial, [10.0, -0.5], omega, 0.7, False, line)
omega = np.array([[0.3, 0.05, 0.0], [0.05, 0.1, 0.02], [0.0, 0.02, 0.2]])
mean = [float(np.log(1.4)), float(np.log(30.0)), float(np.log(2.5))]
warfarin = subjects(oral, mean, omega, 0.2, True, 4)
cases["oral"] = mixed(oral, mean, omega, 0.3, False, warfarin)
cases["oral_proportional"] = mixed(oral, mean, omega, 0.04, True, warfarin)

groups, persons = [1, 1, 1, 2, 2, 2, 2], 6
items = len(groups)
theta = np.column_stack([rng.normal(size=items), rng.uniform(0.5, 1.5, items), rng.uniform(0.3, 1.2, items)])
theta[0, 1], theta[3, 2] = 0.9, -0.8
responses = rng.integers(0, 2, size=(persons, items))
rows = []
for person in responses:

    def log_density(z):
        total = -sum(x * x for x in z) / 2
        for j, y in enumerate(person):
            eta = theta[j, 0] + theta[j, 1] * z[0] + theta[j, 2] * z[groups[j]]
            total -= mp.log(1 + mp.exp(-eta if y else eta))
        return total

    z, deviations = mode(log_density, [0.0, 0.0, 0.0])
    rows.append({"z": z, "deviations": deviations})
cases["logit"] = {"theta": numbers(theta), "groups": groups, "responses": numbers(responses), "found": rows}
with open(os.path.join(HERE, "individuals.json"), "w") as file:
    json.dump(cases, file)
    file.write("\n")
