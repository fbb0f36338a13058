"""Studies, whole and in parts."""

from __future__ import annotations

import filecmp
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import Halves, PoissonMixture

import fedbits as fb

STUDY = fb.Scenario(
    name="steps",
    base="quickstart",
    arms=[],
    stop=fb.Stop(rounds=40),
    axes=[fb.GridAxis(path="protocol.gamma", values=["0.02", "0.05"])],
    replicates=3,
    targets=[fb.MeanFieldSqTarget(1e-2)],
)


def test_a_study_is_run_compared_and_drawn(tmp_path: Path) -> None:
    study = fb.study(STUDY, threads=2)
    assert fb.study is fb.run
    assert len(study.runs) == 6
    compared = study.compare()
    assert set(compared["arm"]) == {"0.02", "0.05"} and compared["is_baseline"].dtype == bool
    assert set(compared[compared["is_baseline"]]["arm"]) == {"0.02"} and compared["on_front"].dtype == bool
    assert (compared["degenerate"] == 0).all() and (compared["reached"] <= compared["runs"]).all()
    assert list(study.runs["caveats"]) == [""] * 6
    assert "<svg" in study.figure()._repr_svg_()
    assert study.report(tmp_path / "report")
    with pytest.raises(KeyError, match="there are .*runs"):
        study.table("nothing")


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
@pytest.mark.parametrize("labels", [["#1", "+topk"], ["-memory", "@home"], ["01", "1e3"]], ids=str)
def test_arms_and_levels_are_what_they_are_called(labels: list[str]) -> None:
    pytest.importorskip("pandas")
    axis = fb.GridAxis(path="protocol.gamma", values=["0.02", "0.05"], labels=labels)
    study = fb.study(STUDY.replace(stop=fb.Stop(rounds=4), axes=[axis], replicates=1))
    assert list(study.runs["arm"]) == list(study.runs["gamma"]) == labels
    for table in (study.rounds, study.table("ledger"), study.compare()):
        assert set(table["arm"]) == {*labels}
    assert set(study.compare()["axis_gamma"]) == {*labels}


def test_shards_give_what_the_whole_gives(tmp_path: Path) -> None:
    whole = fb.study(STUDY, out=tmp_path / "whole")
    for index in range(4):
        fb.run_shard(STUDY, index, 4, tmp_path / "parts")
    parts = fb.study(STUDY, out=tmp_path / "parts")
    assert filecmp.cmp(whole.folder / "runs.csv", parts.folder / "runs.csv", shallow=False)
    with pytest.raises(fb.Error, match="shard 4 of 4"):
        fb.run_shard(STUDY, 4, 4, tmp_path / "parts")


def test_what_is_wrong_with_a_study_has_its_place() -> None:
    with pytest.raises(TypeError, match="the scenario is a int: expected a name of the library"):
        fb.study(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the name is 5: expected a text"):
        fb.study(STUDY.replace(name=5))
    with pytest.raises(fb.ScenarioError) as caught:
        fb.study(STUDY.replace(axes=[fb.GridAxis(path="protocol.gama", values=["0.1"])]))
    assert "gama" in str(caught.value)


def test_a_study_is_a_mapping(tmp_path: Path) -> None:
    mapping = {
        "name": "steps",
        "base": "quickstart",
        "arms": [],
        "stop": {"rounds": 5},
        "seed": 2,
        "axes": [
            {"Grid": {"path": "protocol.gamma", "values": ["0.02", "0.05"]}},
            {"Grid": {"path": "protocol.compressor", "values": ["Identity", "RandK(k: 20)"]}},
        ],
        "replicates": np.int64(1),
        "targets": [{"MeanFieldSq": 1e-2}],
    }
    axes = [*STUDY.axes, fb.GridAxis(path="protocol.compressor", values=["Identity", fb.RandK(k=20)])]
    study = STUDY.replace(stop=fb.Stop(rounds=5), seed=2, axes=axes, replicates=1)
    given = [fb.study(own, out=tmp_path / name).folder for name, own in (("a", mapping), ("b", study))]
    assert filecmp.cmp(*(folder / "runs.csv" for folder in given), shallow=False)
    with pytest.raises(fb.ScenarioError) as caught:
        fb.study({"base": "quickstart", "axis": []})
    assert [problem.help for problem in caught.value.problems] == ["did you mean `axes`?"]


def test_settings_are_texts_or_values() -> None:
    axes = [
        fb.GridAxis("protocol.gamma", values=[0.1, 1e-5, 1.0]),
        fb.Zip(
            "steps", labels=["a", "b"], paths={"record.theta": [True, False], "protocol.alpha": np.array([0.1, 0.2])}
        ),
        fb.GridAxis("record.probe_every", values=["None", 5], when={"gamma": [0.1], "steps": ["a"]}),
        fb.GridAxis("record.every", values=[1, 2], when={"gamma": 1e-5, "steps": "a"}),
        fb.GridAxis("record.theta", values=[True], when={"set": fb.RandK(k=6), "steps": fb.OneOf(["a", "b"])}),
    ]
    fields = {"baseline": {"gamma": 1e-5, "steps": "a"}, "exclude": [{"gamma": np.float64(1)}]}
    settings = {"record.trace": [1, 2], "record.clients": None, "protocol.compressor": fb.TopK(k=2)}
    arm = fb.Arm("own", set=settings)
    text = str(fb.Scenario(base="quickstart", arms=[arm], axes=axes, **fields))
    assert '{"record.trace": "[1, 2]", "record.clients": "None", "protocol.compressor": "TopK(k: 2)"}' in text
    assert 'paths: {"record.theta": ["true", "false"], "protocol.alpha": ["0.1", "0.2"]}' in text
    assert "values: [0.1, 1e-05, 1.0]" in text and 'baseline: {"gamma": "0.00001", "steps": "a"}' in text
    assert 'exclude: [{"gamma": "1"}]' in text and 'when: {"gamma": ["0.1"], "steps": ["a"]}' in text
    assert 'when: {"gamma": "0.00001", "steps": "a"}' in text
    assert 'when: {"set": "RandK(k: 6)", "steps": OneOf(["a", "b"])}' in text


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_numbers_are_settings() -> None:
    fields: dict[str, object] = {"name": "x", "base": "quickstart", "arms": [], "stop": fb.Stop(rounds=2)}
    fields |= {"baseline": {"gamma": 1e-6}, "exclude": [{"gamma": 0.2}]}
    values = [0.1, 0.2, 1e-6]
    study = fb.Scenario(axes=[fb.GridAxis("protocol.gamma", values=values)], **fields)
    axes: list[object] = [{"Grid": {"path": "protocol.gamma", "values": values}}]
    mapping = {**fields, "axes": axes}
    for own in (study, mapping):
        assert list(fb.study(own).runs["arm"]) == ["0.1", "1e-6"]
    when = {"gamma": {"OneOf": ["0.1", "0.2"]}}
    axes.append({"Grid": {"path": "record.theta", "values": [False, True], "when": when}})
    assert len(fb.study(mapping).runs) == 3
    arm = {"protocol.gamma": 0.1, "protocol.compressor": fb.RandK(k=2), "record.theta": True}
    arms: list[object] = [fb.Arm("other", set=arm), {"name": "other", "set": arm}]
    scenarios = [fb.Scenario(base="quickstart", arms=arms[:1]), {"name": "x", "base": "quickstart", "arms": arms[1:]}]
    assert [fb.run(own, {"stop.rounds": 2}).arms for own in scenarios] == [["other"]] * 2


def test_errors_come_from_other_processes() -> None:
    """Pickled, with their type, which has the name that is shown, and with their problems."""
    assert (fb.Error.__module__, fb.Error.__qualname__) == ("fedbits", "Error")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(fb.Error, match="`quikstudy` is not a file"):
            pool.submit(fb.run_shard, "quikstudy", 0, 1, "unused").result()
        text = '(name: "x", base: "quickstart", axes: [Grid(path: "protocol.gama", values: [1])])'
        with pytest.raises(fb.ScenarioError) as caught:
            pool.submit(fb.run_shard, text, 0, 1, "unused").result()
    assert caught.value.problems[0].help == "did you mean `gamma`?"


CALLS: list[int] = []


class Counted(PoissonMixture):
    def statistics(self, theta: Array, X: Array) -> Array:
        CALLS.append(len(X))
        return super().statistics(theta, X)


def study_of(counts: Array, small: fb.Scenario, **fields: object) -> fb.Scenario:
    base = small.replace(data=fb.Table(counts), model=Counted(), protocol=fb.FedEm(gamma=0.5), **fields)
    axes = [fb.GridAxis(path="protocol.gamma", values=["0.2", "0.5"])]
    return base.replace(name="own", axes=axes, replicates=2, targets=[fb.MeanFieldSqTarget(1e-2)])


def test_a_model_of_python_is_studied(counts: Array, small: fb.Scenario, tmp_path: Path) -> None:
    whole = fb.study(study_of(counts, small), out=tmp_path / "whole", threads=2)
    assert len(whole.runs) == 4 and set(whole.compare()["arm"]) == {"0.2", "0.5"}
    assert "<svg" in whole.figure()._repr_svg_()
    for index in range(2):
        fb.run_shard(study_of(counts, small), index, 2, tmp_path / "parts")
    parts = fb.study(study_of(counts, small), out=tmp_path / "parts")
    assert filecmp.cmp(whole.folder / "runs.csv", parts.folder / "runs.csv", shallow=False)
    # What is there is kept: the model is asked what it looks like, and nothing is run again.
    calls = CALLS.copy()
    CALLS.clear()
    fb.study(study_of(counts, small), out=tmp_path / "whole")
    assert len(calls) > 100 > 10 * len(CALLS)


def test_what_a_model_raises_in_a_study_is_raised(counts: Array, small: fb.Scenario) -> None:
    class Broken(PoissonMixture):
        def maximize(self, S: Array) -> Array:
            raise RuntimeError("as asked")

    study = study_of(counts, small)
    with pytest.raises(RuntimeError, match="as asked"):
        fb.study(study.replace(model=Broken()))


SCRIPT = """
import functools
import multiprocessing
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

import fedbits as fb

CALLS = 0


def counted(by):
    def around(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            global CALLS
            CALLS += by
            return function(*arguments)

        return wrapper

    return around


@dataclass
class Prior:
    shift: float = 1.0


class Mean(fb.PythonModel):
    law = Prior

    def __init__(self):
        super().__init__()
        self.prior = Prior(2.0)

    def initial(self, X, rng, start=Prior()):
        return np.zeros(2)

    @counted(1)
    def statistics(self, theta, X):
        return X

    def maximize(self, S):
        return S

    def objective(self, theta, X):
        return ((X - theta) ** 2).sum(1)


def study():
    table = fb.Table(np.arange(40.0).reshape(20, 2))
    return fb.Scenario(
        data=table,
        clients=2,
        model=Mean(),
        protocol=fb.FedEm(gamma=0.5),
        stop=fb.Stop(rounds=2),
        axes=[fb.GridAxis(path="protocol.gamma", values=[0.1, 0.2])],
        replicates=2,
    )


def part(index, out):
    return fb.run_shard(study(), index, 2, out)


if __name__ == "__main__":
    kind, out = sys.argv[1:]
    if kind == "loky":
        import joblib

        joblib.Parallel(2)(joblib.delayed(part)(index, out) for index in range(2))
    else:
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(kind)) as pool:
            list(pool.map(part, range(2), [out] * 2))
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", fb.CaveatWarning)
    CALLS = 0
    print(len(fb.study(study(), out=out, progress=False).runs), CALLS)
"""


@pytest.mark.parametrize("kind", ["fork", "spawn", "forkserver", "loky"])
def test_parts_in_other_processes_are_of_one_study(kind: str, tmp_path: Path) -> None:
    """With a model of the script, whose module and source such processes do not have."""
    if kind == "loky":
        pytest.importorskip("joblib")
    elif kind not in multiprocessing.get_all_start_methods():
        pytest.skip("this system has no such processes")
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py", kind, "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=240)
    assert (done.stdout, done.returncode) == ("4 0\n", 0), done.stderr


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_results_of_other_runs_are_told(counts: Array, small: fb.Scenario, tmp_path: Path) -> None:
    study = study_of(counts, small)
    fb.study(study, out=tmp_path)
    other = study.replace(model=Counted(by_rows=False))
    with pytest.warns(UserWarning, match="4 results in .* are of no run of this scenario"):
        fb.study(other, out=tmp_path)


def test_caveats_of_a_study_are_told() -> None:
    compressor = {"protocol.compressor": "TopK(k: 20)", "protocol.allow_biased": "true", "protocol.alpha": "0.3"}
    study = STUDY.replace(stop=fb.Stop(rounds=4), replicates=1)
    with pytest.warns(fb.CaveatWarning, match="biased") as told:
        done = fb.study(study, set=compressor)
    assert sum("biased" in str(own.message) for own in told) == 1 and told[0].filename == __file__
    caveat = told[0].message.args[0]
    assert (caveat.id, caveat.severity) == ("biased-compressor", "warning") and "biased" in caveat
    # What is said of a comparison is said by it.
    assert not any("interval" in str(own.message) for own in told)
    with pytest.warns(fb.CaveatWarning, match="biased") as told:
        done.compare()
    assert told[0].filename == __file__


# Outside of the class, so that its text is the same before and after.
AWAY: list[type[Exception]] = []


class Passing(Counted):
    """Raises what is in `AWAY` once a rate has grown, in the method that it is told."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method = method

    def _maybe(self, method: str, rate: float) -> None:
        if AWAY and method == self.method and rate > 14:
            raise AWAY[0]("disk is away")

    def maximize(self, S: Array) -> Array:
        self._maybe("maximize", S[3] / S[1])
        return super().maximize(S)

    def statistics(self, theta: Array, X: Array) -> Array:
        self._maybe("statistics", theta[3])
        return super().statistics(theta, X)

    def objective(self, theta: Array, X: Array) -> Array:
        self._maybe("objective", theta[3])
        return np.asarray(super().objective(theta, X))


class PassingHalves(Halves):
    def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        if AWAY and rng.random() < 0.05:
            raise AWAY[0]("disk is away")
        return super().encode(x, rng)


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
@pytest.mark.parametrize("method", ["statistics", "objective", "maximize", "encode"])
def test_a_passing_exception_leaves_no_result(
    counts: Array, small: fb.Scenario, tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def study() -> fb.Scenario:
        start = fb.ParametersInitial([0.5, 0.5, 1.0, 5.0])
        base = small.replace(data=fb.Table(counts), model=Passing(method), initial=start, protocol=protocol)
        return base.replace(name="own", replicates=2, targets=[fb.MeanFieldSqTarget(1e-2)], axes=axes)

    protocol = fb.FedEm(gamma=0.3, **({"compressor": PassingHalves()} if method == "encode" else {}))
    axes = [fb.GridAxis(path="protocol.gamma", values=["0.2", "0.3"])]
    monkeypatch.setattr(sys.modules[__name__], "AWAY", [OSError])
    with pytest.raises(OSError, match="disk is away") as caught:
        fb.study(study(), out=tmp_path, threads=2)
    assert caught.value.__context__ is None
    assert not any(record.failure for record in fb.results(tmp_path))
    AWAY.clear()
    assert list(fb.study(study(), out=tmp_path).runs["status"]) == ["finished"] * 4


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_failed_runs_are_run_again_where_that_is_asked(
    counts: Array, small: fb.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = fb.ParametersInitial([0.5, 0.5, 1.0, 5.0])
    base = small.replace(data=fb.Table(counts), model=Passing("maximize"), initial=start)
    study = base.replace(name="own", protocol=fb.FedEm(gamma=0.3), replicates=2)
    monkeypatch.setattr(sys.modules[__name__], "AWAY", [ValueError])
    with pytest.warns(fb.FailedRunWarning, match=r"own: failed.*\(and 1 more run of it\)"):
        fb.study(study, out=tmp_path)
    calls = []
    for retry_failed in (False, True):
        CALLS.clear()
        assert list(fb.study(study, out=tmp_path, retry_failed=retry_failed).runs["status"]) == ["failed"] * 2
        calls.append(len(CALLS))
    assert calls[1] > 10 * calls[0]


class Reused(PoissonMixture):
    """Writes what it gives into an array that it keeps, and sees whether two threads are in it."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = Kept()

    def statistics(self, theta: Array, X: Array) -> Array:
        self.kept.inside += 1
        self.kept.most = max(self.kept.most, self.kept.inside)
        self.kept.calls += 1
        rows = self.kept.rows.setdefault(len(X), np.empty((len(X), 4)))
        rows[:] = super().statistics(theta, X)
        self.kept.inside -= 1
        return rows


class Kept:
    def __init__(self) -> None:
        self.inside = self.most = self.calls = 0
        self.rows: dict[int, Array] = {}

    def __reduce__(self) -> str:
        return "the same whatever is kept"


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
def test_threads_call_an_object_one_at_a_time(counts: Array, small: fb.Scenario) -> None:
    def study(model: PoissonMixture) -> fb.Scenario:
        base = small.replace(data=fb.Table(counts), model=model, protocol=fb.FedEm(gamma=0.5))
        axes = [fb.GridAxis(path="protocol.gamma", values=["0.1", "0.2", "0.3", "0.4"])]
        return base.replace(name="own", axes=axes, replicates=2, targets=[fb.MeanFieldSqTarget(1e-2)])

    model = Reused()
    one, several = (fb.study(study(model), threads=threads).runs for threads in (1, 4))
    assert model.kept.most == 1 and model.kept.calls > 100
    assert one.equals(several)


def test_a_method_that_runs_its_own_object_says_so(counts: Array, small: fb.Scenario) -> None:
    class Circular(PoissonMixture):
        def initial(self, X: Array, rng: np.random.Generator) -> Array:
            fb.run(small.replace(data=fb.Table(X), model=self, protocol=fb.FedEm(gamma=0.5)))
            return super().initial(X, rng)

    with pytest.raises(fb.Error, match="runs its own object, which is waiting"):
        fb.run(small.replace(data=fb.Table(counts), model=Circular(), protocol=fb.FedEm(gamma=0.5)))


VERIFIED = """
import sys
import warnings

import numpy as np
from models import Halves, PoissonMixture

import fedbits as fb

warnings.simplefilter("ignore")
counts = np.random.default_rng(7).poisson(np.repeat([2, 15], 100)).astype(float)[:, None]
data, model, halves = fb.Table(counts), PoissonMixture(), Halves()
protocol = fb.FedEm(gamma=0.5, compressor=halves)
scenario = fb.Scenario(name="p", data=data, clients=4, model=model, protocol=protocol, stop=fb.Stop(rounds=3))
axis = fb.GridAxis(path="protocol.gamma", values=["0.2", "0.5"])
study = scenario.replace(name="s", axes=[axis], replicates=2)
if sys.argv[1] == "make":
    fb.run(scenario, out="run")
    fb.study(study, out="study").verify()
else:
    for folder in ("run", "study"):
        assert fb.verify(folder, data, model, halves) == fb.verify(folder, scenario) == []
    assert fb.study(study, out="study").verify() == []
"""


def test_runs_with_parts_of_python_are_verified_elsewhere(tmp_path: Path, command: Callable[..., Any]) -> None:
    """What made a record is said where its objects are not, and it is the same where they are made again."""
    (tmp_path / "fit.py").write_text(VERIFIED, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}

    def call(what: str) -> None:
        subprocess.run([sys.executable, "fit.py", what], cwd=tmp_path, env=environment, check=True)

    call("make")
    for folder in ("run", "study"):
        said = command("verify", folder, folder=tmp_path)
        words = " ".join(said.stderr.split())
        assert said.returncode == 1 and "fit.py" in words and "fedbits.verify" in words.replace("`", ""), words
        with pytest.raises(fb.Error, match="it was made in Python by") as raised:
            fb.verify(tmp_path / folder)
        assert "fit.py" in str(raised.value)
    call("verify")
    text = (tmp_path / "study" / "runs.csv").read_text(encoding="utf-8")
    (tmp_path / "study" / "runs.csv").write_text(text.replace("finished", "ended"), encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError):
        call("verify")


def test_a_study_of_files_is_verified_with_those_that_are_named(tmp_path: Path) -> None:
    for folder in ("author", "handed", "empty"):
        (tmp_path / folder).mkdir()
    lines = ["x,y", *(f"{number % 7},{number % 5}" for number in range(40))]
    (tmp_path / "author" / "x.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "handed" / "x.csv").write_text("\n".join(lines).replace("6,2", "6,3"), encoding="utf-8")
    base = fb.Scenario(
        name="of-file",
        data=fb.Csv(path="x.csv"),
        clients=4,
        model=fb.GaussianMixture(2),
        protocol=fb.FedEm(gamma=0.5),
        stop=fb.Stop(rounds=2),
    )
    axis = fb.GridAxis(path="protocol.gamma", values=["0.2", "0.5"])
    study = fb.study(base.replace(name="s", axes=[axis]), data=tmp_path / "author")
    assert study.verify() == [tmp_path / "author" / "x.csv"]
    with pytest.raises(fb.Error, match="the data differ.*handed"):
        study.verify(data=tmp_path / "handed")
    with pytest.raises(fb.Error, match=r"`x.csv` was not found(.|\n)*no other folder is searched"):
        study.verify(data=tmp_path / "empty")
