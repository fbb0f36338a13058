"""The best settings of a scenario, as Optuna proposes them."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fedbits import _fedbits, _frame
from fedbits._errors import Error, so_many
from fedbits._files import Files
from fedbits._machine import Progress, machine
from fedbits._part import to_ron
from fedbits._run import PathLike, Run, ScenarioLike, changes, play, run, source_of
from fedbits.parts import Arm, Target

if TYPE_CHECKING:
    import optuna

Space = Mapping[str, "optuna.distributions.BaseDistribution"] | Callable[["optuna.Trial"], Mapping[str, object]]

_COLUMNS = {"bits": "bits_total_to_", "upload": "bits_up_to_", "seconds": "time_s_to_", "rounds": "rounds_to_"}


class Optimization:
    """What `fb.optimize` found.

    Attributes:
        best: The settings of the trial with the least cost; None where no trial reached the target in all replicates.
        cost: Its geometric mean cost; None as for `best`.
        optuna: The `optuna.Study`, with `trials_dataframe()`, importances and plots.
        run: The runs of all trials that differ, an arm each (`trial 0` is the baseline), to `compare` and `report`.
    """

    def __init__(
        self, found: optuna.Study, run: Run, rows: list[dict[str, object]], costs: Mapping[int, float]
    ) -> None:
        self.optuna, self.run, self._rows = found, run, rows
        best = min(costs, key=lambda number: costs[number], default=None)
        self.cost: float | None = None if best is None else costs[best]
        self.best: dict[str, object] | None = None if best is None else found.trials[best].user_attrs["settings"]

    @property
    def trials(self) -> Any:
        """A data frame with a row per trial: its number, settings, cost, and how many of its runs reached the target.

        `cost` is a geometric mean, and a lower bound where `reached` is less than `runs`.
        """
        columns = list(dict.fromkeys(name for row in self._rows for name in row))
        rows = [[_plain(row.get(name)) for name in columns] for row in self._rows]
        return _frame.of(_fedbits.table_of_json(columns, json.dumps(rows)))

    def __repr__(self) -> str:
        return f"<fedbits optimization of {so_many(len(self.optuna.trials), 'trial')} in {self.run.folder}>"


def optimize(
    scenario: ScenarioLike,
    space: Space,
    *,
    target: Target,
    trials: int,
    replicates: int = 3,
    cost: Literal["bits", "upload", "seconds", "rounds"] = "bits",
    set: Mapping[str, object] | None = None,
    sampler: optuna.samplers.BaseSampler | None = None,
    out: PathLike | None = None,
    threads: int | None = None,
    data: PathLike | None = None,
    progress: Progress = None,
) -> Optimization:
    """Search for the settings with the least cost to a target. Needs `pip install optuna`.

    Every trial plays the same replicates: the same data, start and environment, so that trials are compared in pairs.
    Its value is the geometric mean of the cost until the target. A run that ends before the target is known to cost at
    least what it had spent: its trial is pruned, and never the best, with the number of runs that reached the target as
    its step and the geometric mean of what was spent as intermediate value. Optuna's TPE ranks pruned trials behind all
    complete ones, those with more such runs first; other samplers pass over them. So the stop rules of the scenario
    should leave every run worth having enough time to reach the target. A run that diverges, or whose fit is
    degenerate, did not reach it.

    Args:
        scenario: As for `fb.run`; its arms and axes are not used.
        space: By path a distribution of Optuna; or, where settings depend on each other, a function of an
            `optuna.Trial` that gives the settings by path. Texts are RON, as in `set` of `fb.run`.
        target: Where the cost is taken, such as `fb.MeanFieldSqTarget(1e-4)`.
        trials: How many in all, those in `out` among them.
        replicates: How often each trial is run; at least 1.
        cost: All bits, payload from clients to the server, simulated seconds, or rounds.
        set: Changes of the scenario that all trials share.
        sampler: Proposes the settings; None: `optuna.samplers.TPESampler(seed=0)`. With the same seed a second call
            proposes the same trials. A sampler without a seed proposes others, whose runs are not there.
        out: The folder of all runs: what is there of a trial is read and not run again. None: a temporary folder.
        threads, data, progress: As for `fb.run`.

    Raises:
        ScenarioError: Settings of a trial make no scenario.
        Error: Runs could not be begun, which says nothing of the trial.

    Examples:
        >>> import fedbits as fb
        >>> import optuna
        >>> space = {"protocol.gamma": optuna.distributions.FloatDistribution(0.05, 0.2, log=True)}
        >>> short = {"stop.rounds": 80, "stop.mean_field_sq": 1e-2, "protocol.compressor": fb.RandK(k=20)}
        >>> target = fb.MeanFieldSqTarget(1e-2)
        >>> found = fb.optimize("quickstart", space, target=target, trials=4, replicates=2, set=short, progress=False)
        >>> len(found.trials), found.best["protocol.gamma"] > 0.1
        (4, True)
    """
    try:
        import optuna
    except ImportError as error:
        raise ImportError("`fb.optimize` needs Optuna: pip install optuna") from error
    if trials < 1 or replicates < 1 or cost not in _COLUMNS:
        wanted = f"trials and replicates of at least 1, and a cost of {', '.join(map(repr, _COLUMNS))}"
        raise ValueError(f"trials={trials}, replicates={replicates}, cost={cost!r}: expected {wanted}")
    files = Files(out, None, data)
    shared = {**(set or {}), "axes": [], "exclude": [], "replicates": replicates, "targets": [target], "figures": []}
    # A sampler that a former call has used goes on; a copy of it begins where the caller left it.
    sampler = optuna.samplers.TPESampler(seed=0) if sampler is None else copy.deepcopy(sampler)
    found = optuna.create_study(sampler=sampler)
    arms: dict[str, Arm] = {}
    costs: dict[int, float] = {}
    rows: list[dict[str, object]] = []
    for number in range(trials):
        trial = found.ask(dict(space) if isinstance(space, Mapping) else None)
        settings: dict[str, object] = dict(trial.params if isinstance(space, Mapping) else space(trial))
        trial.set_user_attr("settings", settings)
        arm = Arm(name=f"trial {number}", set=settings)
        runs = Files(files.path)
        given = source_of(scenario, runs.kept), changes({**shared, "arms": [arm]}, None, runs.kept)
        play(given, (None, False), runs, machine(threads, None, data, False, progress))
        mean, reached = _cost(runs, _COLUMNS[cost], replicates)
        if reached == replicates:
            costs[number] = mean
            found.tell(trial, mean)
        else:
            trial.report(mean, reached)
            found.tell(trial, state=optuna.trial.TrialState.PRUNED)
        plan = json.loads((files.path / "plan.json").read_text(encoding="utf-8"))
        arms.setdefault(plan["arms"][0]["identity"], arm)
        rows.append({"trial": number, **settings, "cost": mean, "reached": reached, "runs": replicates})
    # Every run is there: this writes the tables, and tells caveats.
    every = run(
        scenario,
        {**shared, "arms": list(arms.values())},
        out=files.path,
        threads=threads,
        data=data,
        progress=progress,
    )
    files.kept = every._files.kept
    return Optimization(found, Run(files), rows, costs)


def _plain(value: object) -> object:
    """A setting as JSON has it: what is not a number or text by its text."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, bool | int | float | str | None) else to_ron(value)


def _cost(done: Files, column: str, replicates: int) -> tuple[float, int]:
    """The geometric mean of what the runs of a trial cost until the target or their end; how many reached it."""
    runs = done.table("runs").to_dict()
    if "not_run" in runs["status"]:
        raise Error(f"a trial could not be run: {done.results.failures()[0]}")
    spent, verdict = (next(name for name in runs if name.startswith(start)) for start in (column, "verdict_to_"))
    # As in races: a run that had spent nothing counts as one that had spent the least there is.
    least = 1e-9 if column.startswith("time_s") else 1.0
    logs = [math.log(max(float(cost), least)) for cost in np.nan_to_num(runs[spent])]
    return math.exp(sum(logs) / replicates), sum(word == "reached" for word in runs[verdict])
