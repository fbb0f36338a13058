#!/usr/bin/env python3
"""Our optimizer, random search and Optuna's TPE on the same synthetic problems (problems.py): how much more than the
least cost the point costs that each chooses, by the truth and in logarithms, after a budget of runs. All begin with the
same point and see the same replicates.

    cargo build --release -p fedbits-search --example optimize
    pip install numpy optuna
    python3 benches/optimizers/compare.py [--seeds 20] [--budgets 50 200] [--only METHOD …] [--problems NAME …]
"""

import argparse
import math
import os
import statistics
import subprocess
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from problems import PROBLEMS, exists, least, random_point

try:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
except ImportError:
    optuna = None

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).resolve().parents[2] / "target"))
PROGRAM = TARGET / "release/examples/optimize"
REPLICATES = 10
# What an optimizer without bounds is told of a run that did not reach its target: worse than what it spent.
PENALTY = 3.0


def told(problem, point, replicate, seed):
    cost, reached = problem.run(point, replicate, seed)
    return cost if reached else cost + PENALTY


def ours(problem, runs, seed, batch=4):
    def words(point):
        return " ".join("-" if c is None else str(c) for c in point)

    def parsed(words):
        kinds = [kind for kind, _, _ in problem.dimensions]
        return [None if w == "-" else int(w) if kind == "choice" else float(w) for w, kind in zip(words, kinds)]

    with subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        lines = [f"{runs} {REPLICATES} {batch} {seed} 0.9 1"]
        for kind, of, needs in problem.dimensions:
            line = " ".join([kind] + ([] if of is None else [str(of)] if kind == "choice" else [str(x) for x in of]))
            if needs:
                line += " needs " + " ".join(f"{at}:{','.join(map(str, choices))}" for at, choices in needs)
            lines.append(line)
        child.stdin.write("\n".join(lines + ["first " + words(problem.first)]) + "\n")
        child.stdin.flush()
        answers = []
        for line in child.stdout:
            match line.split():
                case ["run", _, replicate, *point]:
                    cost, reached = problem.run(parsed(point), int(replicate), seed)
                    answers.append(f"{cost}" if reached else f">{cost} infeasible")
                case []:
                    child.stdin.write("\n".join(answers) + "\n")
                    child.stdin.flush()
                    answers = []
                case ["best", _, *point]:
                    return parsed(point)
    raise RuntimeError(f"{PROGRAM} ended without a result")


def at_random(problem, runs, seed, replicates):
    rng = np.random.default_rng([seed, 1])
    points = [problem.first] + [random_point(problem, rng) for _ in range(runs // replicates - 1)]
    return min(points, key=lambda point: sum(told(problem, point, r, seed) for r in range(replicates)))


def tpe(problem, runs, seed, replicates, multivariate=False):
    """A trial is a run, each of another replicate; or the mean of the same few replicates."""

    def suggest(trial):
        point = []
        for index, dimension in enumerate(problem.dimensions):
            kind, of, _ = dimension
            if not exists(dimension, point):
                point.append(None)
            elif kind == "choice":
                point.append(trial.suggest_categorical(f"x{index}", list(range(of))))
            elif kind == "steps":
                point.append(of[trial.suggest_int(f"x{index}", 0, len(of) - 1)])
            else:
                point.append(round(trial.suggest_float(f"x{index}", 0.0, 1.0), 4))
        return point

    def objective(trial):
        point = suggest(trial)
        trial.set_user_attr("point", point)
        if replicates == 1:
            return told(problem, point, trial.number, seed)
        return sum(told(problem, point, r, seed) for r in range(replicates)) / replicates

    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=multivariate, group=multivariate)
    study = optuna.create_study(sampler=sampler)
    first = {}
    for index, (coordinate, (kind, of, _)) in enumerate(zip(problem.first, problem.dimensions)):
        if coordinate is not None:
            first[f"x{index}"] = of.index(coordinate) if kind == "steps" and coordinate in of else coordinate
    study.enqueue_trial(first)
    study.optimize(objective, n_trials=runs // replicates)
    return study.best_trial.user_attrs["point"]


METHODS = {
    "ours": ours,
    "ours, one at a time": lambda problem, runs, seed: ours(problem, runs, seed, 1),
    "random, 1 replicate": lambda problem, runs, seed: at_random(problem, runs, seed, 1),
    "random, 3 paired": lambda problem, runs, seed: at_random(problem, runs, seed, 3),
    "TPE, a replicate each": lambda problem, runs, seed: tpe(problem, runs, seed, 1),
    "TPE, 3 paired": lambda problem, runs, seed: tpe(problem, runs, seed, 3),
    "TPE multivariate": lambda problem, runs, seed: tpe(problem, runs, seed, 1, True),
}


def floor_of(index):
    return least(PROBLEMS[index])


def regret(task):
    method, index, runs, seed, floor = task
    problem = PROBLEMS[index]
    start = time.process_time()
    point = METHODS[method](problem, runs, seed)
    cost, reached = problem.cost(point)
    return (cost - floor if reached else math.inf), time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--budgets", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--only", nargs="+", default=list(METHODS))
    parser.add_argument("--problems", nargs="+", default=[problem.name for problem in PROBLEMS])
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if optuna is None:
        print("SKIPPED: TPE, since optuna is not installed")
    methods = [method for method in options.only if optuna is not None or "TPE" not in method]
    chosen = [index for index, problem in enumerate(PROBLEMS) if problem.name in options.problems]
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    with ProcessPoolExecutor(options.processes) as pool:
        floors = dict(zip(chosen, pool.map(floor_of, chosen)))
        for runs in options.budgets:
            print(f"\n{runs} runs: median regret (upper quartile)\n")
            print("| method | " + " | ".join(PROBLEMS[index].name for index in chosen) + " | mean |")
            print("|---" * (len(chosen) + 2) + "|", flush=True)
            for method in methods:
                cells, medians = [], []
                for index in chosen:
                    tasks = [(method, index, runs, seed, floors[index]) for seed in seeds]
                    values = sorted(value for value, _ in pool.map(regret, tasks))
                    medians.append(statistics.median(values))
                    cells.append(f"{medians[-1]:.3f} ({values[3 * len(values) // 4]:.2f})")
                mean = statistics.mean(medians)
                print(f"| {method} | " + " | ".join(cells) + f" | {mean:.3f} |", flush=True)


if __name__ == "__main__":
    main()
