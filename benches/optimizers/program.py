#!/usr/bin/env python3
"""Our optimizer, random search and Optuna's TPE driving the same program: which settings of FedEM on the problem of
`quickstart` reach ‖h(Ŝ)‖² ≤ 1e-4 with the fewest bits, within a budget of runs. What each method chooses is run again
with another seed, ten replicates beside each other; printed is by how much it costs more than the cheapest of all that
were chosen, in logarithms.

    cargo build --release
    pip install optuna
    python3 benches/optimizers/program.py [--seeds 5] [--budgets 50] [--program target/release/fedbits]
"""

import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

try:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
except ImportError:
    optuna = None

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).resolve().parents[2] / "target"))
REPLICATES = 10
BUDGET_BITS = 160e6
BASE = 'base: "quickstart"'
STOP = 'budget: (bits: "20 MB", mean_field_sq: 1e-4), targets: [MeanFieldSq(1e-4)]'
COLUMN = "bits_total_to_mean_field_sq_0.0001"
COMPRESSORS = ["Identity", "Dithering(levels: 2)", "RandK(k: 8)"]
PARTICIPATION = ["All", "Bernoulli(0.75)", "Bernoulli(0.5)", "Bernoulli(0.25)", "Bernoulli(0.1)"]
# Path, law, and the compressor that it needs.
SPACE = {
    "protocol.compressor": (f"Choice({json.dumps(COMPRESSORS)})", None),
    "protocol.compressor.k": ("LogUniform(1, 63)", COMPRESSORS[2]),
    "protocol.compressor.levels": ("LogUniform(1, 64)", COMPRESSORS[1]),
    "protocol.gamma": ("LogUniform(0.01, 1)", None),
    "protocol.participation": (f"Choice({json.dumps(PARTICIPATION)})", None),
}


class Program:
    def __init__(self, path):
        self.path = path

    def study(self, folder, text):
        Path(folder, "study.ron").write_text(text)
        done = subprocess.run([self.path, "study", "study.ron", "--out", "out", "-q"], cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr)
        return Path(folder, "out")

    def results(self, text):
        with tempfile.TemporaryDirectory() as folder:
            out = self.study(folder, text)
            with open(out / "results.csv") as file:
                rows = list(csv.DictReader(file))
            decision = out / "decision.json"
            best = json.loads(decision.read_text())["best"] if decision.exists() else None
            plan = json.loads((out / "study.json").read_text())
        return rows, best, plan

    def arms(self, points, replicates, seed=1):
        """The mean log cost of settings, over the same replicates; infinite where a run does not get there."""
        sums = []
        for point in points:
            sets = ", ".join(f"{json.dumps(path)}: {json.dumps(str(value))}" for path, value in sorted(point.items()))
            text = f'(name: "arm", {BASE}, set: {{{sets}, "seed": "{seed}"}}, replicates: {replicates}, {STOP})'
            rows, _, _ = self.results(text)
            sums.append(mean_cost(rows))
        return sums


def cost(row):
    return math.log(float(row[COLUMN])) if row["reached" + COLUMN[10:]] == "1" else math.inf


def mean_cost(rows):
    return statistics.mean(cost(row) for row in rows)


def ours(program, runs, seed):
    over = ", ".join(f"{json.dumps(path)}: {law}" for path, (law, _) in SPACE.items())
    when = ", ".join(
        f'{json.dumps(path)}: {{"protocol.compressor": {json.dumps(needs)}}}' for path, (_, needs) in SPACE.items() if needs
    )
    text = (
        f'(name: "search", {BASE}, replicates: {REPLICATES}, {STOP}, search: Optimize(objective: BitsTo(MeanFieldSq(1e-4)), '
        f"over: {{{over}}}, when: {{{when}}}, budget: Runs({runs}), seed: {seed}))"
    )
    _, best, plan = program.results(text)
    axis, level = plan["axes"][0], plan["arms"][best[0]]["levels"][0]
    values = {path: values[level] for path, values in zip(axis["paths"], axis["values"])}
    return {path: value for path, value in values.items() if value != "–"}


def drawn(trial):
    """Settings by the draws of a trial."""
    point = {"protocol.compressor": trial.suggest_categorical("compressor", COMPRESSORS)}
    if point["protocol.compressor"] == COMPRESSORS[1]:
        point["protocol.compressor.levels"] = trial.suggest_int("levels", 1, 64, log=True)
    elif point["protocol.compressor"] == COMPRESSORS[2]:
        point["protocol.compressor.k"] = trial.suggest_int("k", 1, 63, log=True)
    point["protocol.gamma"] = float(f"{trial.suggest_float('gamma', 0.01, 1, log=True):.6g}")
    point["protocol.participation"] = trial.suggest_categorical("participation", PARTICIPATION)
    return point


def by_optuna(program, runs, sampler, replicates):
    """A trial is a run, each of another replicate (`replicates` 1), or the mean of the same few replicates."""

    def objective(trial):
        point = drawn(trial)
        trial.set_user_attr("point", point)
        # Other seeds stand for other replicates: a study of one arm begins with replicate 0.
        seed = 1 if replicates > 1 else 1 + trial.number
        value = program.arms([point], replicates, seed)[0]
        return value if math.isfinite(value) else math.log(BUDGET_BITS) + 3

    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=runs // replicates)
    return study.best_trial.user_attrs["point"]


METHODS = {
    "ours": ours,
    "random, 3 paired": lambda program, runs, seed: by_optuna(program, runs, optuna.samplers.RandomSampler(seed=seed), 3),
    "TPE, a replicate each": lambda program, runs, seed: by_optuna(program, runs, optuna.samplers.TPESampler(seed=seed), 1),
    "TPE, 3 paired": lambda program, runs, seed: by_optuna(program, runs, optuna.samplers.TPESampler(seed=seed), 3),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budgets", type=int, nargs="+", default=[50])
    parser.add_argument("--program", type=Path, default=TARGET / "release/fedbits")
    options = parser.parse_args()
    if optuna is None:
        parser.exit(0, "SKIPPED: optuna is not installed; it draws for random search and TPE\n")
    program = Program(options.program.resolve())
    for runs in options.budgets:
        chosen = {name: [method(program, runs, seed) for seed in range(options.seeds)] for name, method in METHODS.items()}
        costs = {name: program.arms(points, REPLICATES, seed=77) for name, points in chosen.items()}
        least = min(min(own) for own in costs.values())
        print(f"\n{runs} runs, {options.seeds} seeds; the cheapest that was chosen: {math.exp(least) / 1e6:.3f} Mbit")
        print("| method | median regret | least | most |\n|---|---|---|---|")
        for name, own in costs.items():
            regrets = sorted(value - least for value in own)
            print(f"| {name} | {statistics.median(regrets):.3f} | {regrets[0]:.3f} | {regrets[-1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
