"""Settings that Optuna proposes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fedbits as fb

optuna = pytest.importorskip("optuna")

# Larger steps need fewer rounds here, and steps of 0.001 do not reach the target in 40.
STOP = {"stop.rounds": 40, "stop.mean_field_sq": 1e-2}
SHORT = {**STOP, "protocol.compressor": fb.RandK(k=20)}
TARGET = fb.MeanFieldSqTarget(1e-2)
GAMMA = {"protocol.gamma": optuna.distributions.FloatDistribution(0.001, 0.2, log=True)}


def search(out: Path | None, trials: int, space: Any = GAMMA, **options: Any) -> fb.Optimization:
    plain = {"set": SHORT, "sampler": optuna.samplers.TPESampler(seed=3), "replicates": 2, "progress": False}
    return fb.optimize("quickstart", space, target=TARGET, trials=trials, out=out, **{**plain, **options})


def settings(found: fb.Optimization) -> list[dict[str, Any]]:
    return [trial.user_attrs["settings"] for trial in found.optuna.trials]


def test_it_finds_the_better_end_and_goes_on(tmp_path: Path) -> None:
    found = search(tmp_path / "out", 12)
    assert found.best is not None and found.best["protocol.gamma"] > 0.1
    table = found.trials
    whole = table["reached"] == 2
    assert len(table) == 12 and 0 < whole.sum() < 12
    # What is censored is not complete, and no best.
    states = [trial.state == optuna.trial.TrialState.COMPLETE for trial in found.optuna.trials]
    assert states == list(whole) and found.cost == table["cost"][whole].min()
    results = found.run.runs
    assert len(results) == 24 and set(results["replicate"]) == {0, 1}
    # Again, and on: the trials that are there are not run.
    segments = sorted((tmp_path / "out" / "segments").iterdir())
    bytes_before = sum(file.stat().st_size for file in segments)
    assert settings(search(tmp_path / "out", 12)) == settings(found)
    assert sum(file.stat().st_size for file in (tmp_path / "out" / "segments").iterdir()) == bytes_before
    more = search(tmp_path / "out", 14)
    assert settings(more)[:12] == settings(found) and len(more.run.runs) == 28


def test_a_sampler_that_was_used_proposes_the_same() -> None:
    sampler = optuna.samplers.RandomSampler(seed=5)
    assert settings(search(None, 3, sampler=sampler)) == settings(search(None, 3, sampler=sampler))


def test_settings_may_depend_on_each_other() -> None:
    def space(trial: Any) -> dict[str, object]:
        compressor = trial.suggest_categorical("compressor", ["Identity", "RandK"])
        own = {} if compressor == "Identity" else {"k": trial.suggest_int("k", 5, 20)}
        return {"protocol.compressor": fb.RandK(**own) if own else "Identity", "protocol.gamma": 0.2}

    found = search(None, 6, space, set=STOP)
    assert found.best is not None and len(settings(found)) == 6
    # One point that is proposed twice is one arm.
    assert len(found.run.runs) == 2 * len({str(own) for own in settings(found)})


def test_where_nothing_reaches_the_target_nothing_is_best() -> None:
    tiny = {"protocol.gamma": optuna.distributions.FloatDistribution(0.001, 0.002)}
    found = search(None, 2, tiny)
    assert found.best is None and found.cost is None and (found.trials["reached"] == 0).all()


def test_wrong_settings_are_told() -> None:
    with pytest.raises(fb.ScenarioError, match="gama"):
        search(None, 1, {"protocol.gama": GAMMA["protocol.gamma"]})
