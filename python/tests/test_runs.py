"""Runs, their results and their errors."""

from __future__ import annotations

import base64
import gc
import gzip
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import PoissonMixture

import fedbits as fb
from fedbits import _program
from fedbits._machine import _Bar

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_digests_are_those_of_the_command_line(command: Command, tmp_path: Path) -> None:
    run = fb.run("quickstart", {"stop.rounds": 7, "protocol.compressor": "RandK(k: 6)"}, seed=5, threads=2)
    changes = ["--set", "stop.rounds=7", "--set", "protocol.compressor=RandK(k: 6)", "--seed", "5"]
    done = command("run", "quickstart", *changes, "--no-figures", "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    told = fb.results(tmp_path / "out")
    assert len(run) == len(told) == 4 and run.digests == told.digests and run.arms == told.arms
    assert (tmp_path / "out" / "runs.csv").read_bytes() == (run.folder / "runs.csv").read_bytes()


def test_a_run_has_tables_model_and_figures(tmp_path: Path) -> None:
    run = fb.run("quickstart", {"stop.rounds": 6})
    assert run.arms == ["uncompressed", "dithering-2", "rand-6", "dithering-2-naive"]
    assert list(run.rounds.columns[:3]) == list(run[0].rounds.columns[:3]) == ["arm", "replicate", "round"]
    assert len(run.rounds) == 4 * 7
    assert set(run["rand-6"].rounds["round"]) == set(range(7))
    assert run[0].table("ledger")["payload_bits"].sum() > 0
    model = run["uncompressed"].model
    assert model.parameters["means"].shape == (3, 10)
    assert fb.FittedModel.read(run.folder / "models" / "uncompressed.json").content == model.content
    with pytest.raises(ValueError, match=r"there are 4 arms: expected one, as in `run\['uncompressed'\].model`"):
        _ = run.model
    figure = run.figure("mean_field_sq", x="bits-up")
    assert figure._repr_png_().startswith(b"\x89PNG") and "<svg" in figure._repr_svg_()
    assert "mean field" in figure.caption
    alone = [run["rand-6"].figure(y).caption for y in ("mean_field_sq", None)]
    assert not any("dithering" in caption for caption in alone)
    for kind in ("svg", "png", "pdf", "tex"):
        assert figure.save(tmp_path / f"figure.{kind}").stat().st_size > 500
    with pytest.raises(ValueError, match="there is no axis `tiem`: expected one of rounds, epochs, bits-up"):
        run.figure("mean_field_sq", x=["tiem"])
    with pytest.raises(ValueError, match="ending of a figure"):
        figure.save(tmp_path / "figure.jpg")
    assert any(path.name == "report.html" for path in run.report(tmp_path / "report"))
    engine = tmp_path / "engine.wasm.gz"
    engine.write_bytes(gzip.compress(f"fedbits engine {fb.__version__}".encode()))
    run.report(tmp_path / "runs", formats=["html"], page="run", engine=engine)
    page = (tmp_path / "runs/report.html").read_text()
    assert base64.b64encode(engine.read_bytes()).decode() in page and 'data-path="seed"' in page
    with pytest.raises(fb.Error, match="not packed by gzip"):
        run.report(tmp_path / "none", page="run", engine=__file__)
    with pytest.raises(KeyError, match="there are .*rounds"):
        run.table("nothing")
    with pytest.raises(KeyError, match="there are uncompressed"):
        run["nobody"]
    with pytest.raises(fb.Error, match="plan.json"):
        fb.results(tmp_path)


def test_scenarios_come_from_names_files_texts_mappings_and_classes(tmp_path: Path) -> None:
    scenario = fb.Scenario(
        name="five",
        clients=3,
        data=fb.RandomMixture(examples=90, features=2, components=2, separation=3.0),
        model=fb.GaussianMixture(2, fb.Diagonal()),
        protocol=fb.FedEm(gamma=0.3, compressor=fb.RandK(2)),
        network=fb.Network(client_up="1 Mbps"),
        stop=fb.Stop(rounds=4),
    )
    file = tmp_path / "five.ron"
    file.write_text(str(scenario))
    as_json = {
        "name": "five",
        "clients": 3,
        "data": {"RandomMixture": {"examples": 90, "features": 2, "components": 2, "separation": 3.0}},
        "model": {"GaussianMixture": {"components": 2, "covariance": "Diagonal"}},
        "protocol": {"FedEm": {"gamma": {"Constant": 0.3}, "compressor": {"RandK": {"k": 2}}}},
        "network": {"client_up": {"Mbps": 1.0}},
        "stop": {"rounds": 4},
    }
    digests = [fb.run(given).digests for given in (scenario, str(file), file, str(scenario), as_json)]
    assert all(own == digests[0] for own in digests)
    for before in ("\ufeff", "// a\n", "/* a */", "\n", "Scenario"):
        assert fb.arms(before + str(scenario)) == fb.arms(str(scenario))
    assert (
        fb.run("quickstart", {"stop": fb.Stop(rounds=2), "seed": 9}).digests
        == fb.run("quickstart", {"stop.rounds": "2", "stop.mean_field_sq": "None"}, seed=9).digests
    )


def test_a_mapping_is_read_as_a_text(groups: tuple[Array, Any], small: fb.Scenario) -> None:
    given = {"base": "quickstart", "stop": {"rounds": np.int64(3)}, "seed": np.uint8(4)}
    assert fb.run(given).digests == fb.run("quickstart", {"stop": fb.Stop(rounds=3)}, seed=4).digests
    table, start = fb.Table(groups[0]), np.array([0.4, 0.6, -1.0, -1.0, 1.0, 1.5])
    scenario = small.replace(
        data=table,
        preprocess=[fb.Center()],
        model=fb.GaussianMixture(2, fb.Known(np.eye(2))),
        initial=fb.ParametersInitial(start),
        protocol=fb.FedEm(gamma=fb.PowerSchedule(0.5, 0.6, 2.0), batch=fb.WithReplacement(9), compressor=fb.RandK(2)),
        network=fb.Network(client_up="1 Mbps"),
    )
    mapping = {
        "name": "small",
        "data": table,
        "preprocess": ["Center"],
        "clients": 10,
        "model": {"GaussianMixture": {"components": 2, "covariance": {"Known": np.eye(2)}}},
        "initial": {"Parameters": start},
        "protocol": {
            "FedEm": {
                "gamma": {"Power": {"initial": 0.5, "exponent": 0.6, "offset": 2.0}},
                "batch": {"WithReplacement": 9},
                "compressor": {"RandK": {"k": 2}},
            }
        },
        "network": {"client_up": "1 Mbps"},
        "stop": {"rounds": 30},
    }
    assert fb.arms(mapping) == fb.arms(scenario)
    columns = ["length", 1]
    for delimiter in (None, ";", "\t", "'"):
        file = {"path": "x.csv", "columns": columns, "delimiter": delimiter}
        changes = {"data": fb.Csv(**file), "preprocess": [fb.LogPreprocess(columns)]}
        of_file = {"data": {"Csv": file}, "preprocess": [{"Log": columns}]}
        (arm,) = fb.arms({**mapping, **of_file})
        assert [arm] == fb.arms(scenario.replace(**changes)) and f"delimiter: {written(delimiter)}" in arm.text
    with pytest.raises(fb.ScenarioError, match="one character in single quotes"):
        fb.arms(scenario.replace(data=fb.Csv(path="x.csv", delimiter=";;")))


def written(delimiter: str | None) -> str:
    return "None" if delimiter is None else "'" + delimiter.replace("'", "\\'") + "'"


def test_all_kinds_of_figures_are_declared_by_classes() -> None:
    kinds: list[fb.FigureKind] = [
        fb.ReachFigureKind(target=fb.MeanFieldSqTarget(1e-2), costs=[fb.BitsUpCost()]),
        fb.ParticipationFigureKind(y=["contributions"], x=[fb.Seconds(), fb.ExamplesClientAxis()]),
        fb.Ecdf(of=[fb.RoundTimed(), fb.Upload()]),
    ]
    mappings = [
        {"Reach": {"target": {"MeanFieldSq": 1e-2}, "costs": ["BitsUp"]}},
        {"Participation": {"y": ["contributions"], "x": ["Seconds", "Examples"]}},
        {"Ecdf": {"of": ["Round", "Upload"]}},
    ]
    of_classes = fb.Scenario(
        base="quickstart", figures=[fb.Figure(name=f"f{n}", kind=own) for n, own in enumerate(kinds)]
    )
    figures = [{"name": f"f{n}", "kind": own} for n, own in enumerate(mappings)]
    assert fb.arms(of_classes) == fb.arms({"base": "quickstart", "figures": figures})


def test_what_is_wrong_with_a_mapping_has_its_place() -> None:
    with pytest.raises(fb.ScenarioError) as caught:
        fb.run({"base": "quickstart", "protocl": {"CentralizedEm": {}}})
    (problem,) = caught.value.problems
    assert (problem.source, problem.line, problem.column) == ("scenario", 4, 5)
    assert problem.help == "did you mean `protocol`?"
    with pytest.raises(fb.ScenarioError) as caught:
        fb.run({"base": "quickstart", "model": {"GaussianMixture": {"components": 2, "covariance": "Diagnal"}}})
    assert [problem.help for problem in caught.value.problems] == ["did you mean `Diagonal`?"]


def test_what_is_wrong_has_its_place() -> None:
    with pytest.raises(fb.ScenarioError) as caught:
        fb.run("quickstart", {"stop.ronds": 5})
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (1, 1)
    assert "ronds" in problem.message and problem.help == "did you mean `rounds`?"
    with pytest.raises(fb.ScenarioError) as caught:
        fb.run(
            fb.Scenario(
                name="s",
                stop=fb.Stop(rounds=0),
                data=fb.Table(np.eye(4)),
                clients=2,
                model=fb.GaussianMixture(1),
                protocol=fb.FedEm(gamma=2.5),
            )
        )
    assert [problem.line for problem in caught.value.problems] == sorted(
        problem.line for problem in caught.value.problems
    )
    assert len(caught.value.problems) == 2
    with pytest.raises(fb.Error, match="did you mean `quickstart`"):
        fb.run("quikstart")
    with pytest.raises(TypeError, match="did you mean `gamma`"):
        fb.FedEm(gama=1)
    with pytest.raises(TypeError, match="needs `gamma`"):
        fb.FedEm()
    with pytest.raises(ValueError, match="finite"):
        str(fb.FedEm(gamma=float("nan")))
    with pytest.raises(AttributeError, match="does not change"):
        fb.TopK(3).k = 4  # type: ignore[misc]


def test_parts_are_values() -> None:
    one = fb.FedEm(gamma=0.1, compressor=fb.TopK(k=6))
    assert one == fb.FedEm(0.1, compressor=fb.TopK(6)) != one.replace(gamma=0.2)
    assert hash(one) == hash(fb.FedEm(gamma=0.1, compressor=fb.TopK(k=6)))
    assert str(one) == "FedEm(gamma: 0.1, compressor: TopK(k: 6))"
    assert repr(one) == "FedEm(gamma=0.1, compressor=TopK(k=6))"
    assert str(fb.FedEm(np.float64(0.5))) == "FedEm(gamma: 0.5)"
    known = fb.GaussianMixture(2, fb.Known(np.eye(2)))
    assert known == fb.GaussianMixture(2, fb.Known(np.eye(2))) == fb.GaussianMixture(2, fb.Known(np.eye(2).tolist()))
    assert known != fb.GaussianMixture(2, fb.Known(2 * np.eye(2))) and known != "known"
    assert hash(known) == hash(fb.GaussianMixture(2, fb.Known(np.eye(2))))


def test_a_folder_is_resumed_and_never_overwritten(tmp_path: Path) -> None:
    first = fb.run("quickstart", {"stop.rounds": 2}, out=tmp_path / "out")
    sizes = {path: path.stat().st_size for path in (first.folder / "segments").iterdir()}
    again = fb.run("quickstart", {"stop.rounds": 2}, replicates=2, out=tmp_path / "out")
    assert len(again) == 2 * len(first) == 8 and again["rand-6"].digests == first["rand-6"].digests
    assert all(path.stat().st_size == size for path, size in sizes.items())
    with pytest.raises(fb.Error, match="replicate 1 has no model"):
        _ = again[1].model
    with pytest.raises(fb.Error, match="it holds runs of `quickstart`, which has no arm of `fedem-baselines`"):
        fb.run("papers/fedem-baselines", {"stop.rounds": 2}, out=tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(fb.Error, match="notes.txt"):
        fb.run("quickstart", {"stop.rounds": 2}, out=tmp_path / "mine")


def test_a_failed_run_warns_and_has_a_result() -> None:
    changes = {"protocol.gamma": 1, "protocol.compressor": "RandK(k: 1)", "protocol.domain": "Error"}
    with pytest.warns(fb.FailedRunWarning, match=r"(?s)rand-6: failed.*\(and 1 more run of it\)"):
        run = fb.run("quickstart", changes, replicates=2)
    assert any(record.failure for record in run)


def test_one_arm_that_cannot_be_begun_keeps_no_other_from_running(counts: Array, small: fb.Scenario) -> None:
    far = fb.Arm(name="far", set={"initial": fb.ParametersInitial([0.5, 0.5, -1.0, 5.0])})
    scenario = small.replace(data=fb.Table(counts), model=PoissonMixture(), protocol=fb.FedEm(gamma=0.5))
    with pytest.warns(fb.FailedRunWarning, match="far: the run could not be begun"):
        run = fb.run(scenario.replace(arms=[fb.Arm(name="near"), far]))
    assert len(run) == 1 and list(run.runs["status"]) == ["finished", "not_run"]
    with pytest.raises(KeyError, match="no run of the arm `far` has a result"):
        run["far"]


def test_results_can_be_sent_to_other_processes() -> None:
    run = fb.run("quickstart", {"stop.rounds": 3})
    sent = pickle.loads(pickle.dumps(run))
    digests, folder = run.digests, run.folder
    del run
    assert not folder.exists()
    assert sent.digests == digests and len(sent.rounds) == 16


@pytest.mark.parametrize("kind", ["arrow", "polars", "pandas"])
def test_results_can_be_sent_when_they_were_looked_at(kind: Any) -> None:
    if kind != "arrow":
        pytest.importorskip(kind)
    fb.frames(kind)
    try:
        run = fb.run("quickstart", {"stop.rounds": 2})
        for results, name in ((run, "rounds"), (run[0], "rounds"), (run, "runs")):
            table = getattr(results, name)
            assert getattr(results, name) is table
            assert len(getattr(pickle.loads(pickle.dumps(results)), name)) == len(table) > 0
    finally:
        fb.frames(None)


def test_files_are_read_as_they_were_written() -> None:
    """In UTF-8, whatever the encoding of the system is."""
    code = """
import warnings
import fedbits as fb
warnings.filterwarnings("error", category=EncodingWarning, module="fedbits")
run = fb.run("quickstart", {"stop.rounds": 2}, progress=False)
run[0].manifest, run[0].model, run.figure("mean_field_sq")
"""
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.default_int_handler], ids=["ignored", "listened to"])
def test_a_signal_that_is_ignored_stays_so(handler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr("fedbits._fedbits.main", lambda _: seen.append(signal.getsignal(signal.SIGINT)))
    before = signal.signal(signal.SIGINT, handler)
    try:
        _program.main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIG_IGN if handler is signal.SIG_IGN else signal.SIG_DFL]


def test_replicates_and_progress() -> None:
    seen: list[tuple[str, int, int | None]] = []
    changes = {"stop": fb.Stop(rounds=1000), "record.probe_every": "None"}
    run = fb.run("quickstart", changes, replicates=2, progress=lambda *step: seen.append(step))
    assert [record.replicate for record in run][:2] == [0, 1]
    assert len({json.dumps(record.digests) for record in run}) == len(run) == 8
    assert {(what, of) for what, _, of in seen} == {("runs", 8)} and any(done > 0 for _, done, _ in seen)
    seen.clear()
    fb.run("quickstart", {**changes, "arms": []}, progress=lambda *step: seen.append(step))
    assert any(of == 1000 and done > 0 for _, done, of in seen)


LONG = {"stop": fb.Stop(rounds=1_000_000_000), "record.every": 1_000_000, "record.probe_every": "None"}


def test_ctrl_c_ends_a_run_soon() -> None:
    # A process that a shell has put in the background ignores the signal, and Python leaves it so.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sent: list[float] = []

        def interrupt() -> None:
            sent.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(0.5, interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            fb.run("quickstart", LONG)
        # Processor time, which other programs do not lengthen.
        assert time.process_time() - sent[0] < 1.0
    finally:
        signal.signal(signal.SIGINT, before)


AT_THE_END = """
import atexit
import multiprocessing
import os
import signal
import sys
import threading
import time

import numpy as np

# What is registered before the import is called after it has waited: nobody is inside then.
if sys.argv[1] == "late":
    atexit.register(lambda: (fb.run("quickstart", {"stop.rounds": 2}, progress=False), print("late")))

import fedbits as fb

SECONDS = {"twice": 60, "long": 60}.get(sys.argv[1], 1.0)
INSIDE = threading.Event()


class Mean:
    def initial(self, X, rng):
        return np.zeros(1)

    def statistics(self, theta, X):
        if len(X) > 3:
            INSIDE.set()
            if sys.argv[1] == "never":
                threading.Event().wait()
            if sys.argv[1] == "pool":
                POOL.map(abs, range(2))
                POOL.map(time.sleep, [0.5, 0.5])
                return X
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                pass
        return X

    def maximize(self, S):
        return S

    def objective(self, theta, X):
        return 0.5 * (X[:, 0] - theta) ** 2


def interrupt():
    INSIDE.wait()
    os.kill(os.getpid(), signal.SIGINT)
    if sys.argv[1] == "twice":
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)


def no_progress(*_):
    INSIDE.wait()
    raise RuntimeError("as asked")


def play(**options):
    table = fb.Table(np.arange(100.0).reshape(-1, 1))
    fields = {"model": Mean(), "protocol": fb.FedEm(gamma=0.5), "stop": fb.Stop(rounds=50)}
    fb.run(fb.Scenario(data=table, clients=2, **fields), **options)


signal.signal(signal.SIGINT, signal.default_int_handler)
log = open("log.txt", "w")
log.write("a line")
if sys.argv[1] in ("daemon", "never"):
    threading.Thread(target=play, daemon=True).start()
    INSIDE.wait()
elif sys.argv[1] == "progress":
    play(progress=no_progress)
elif sys.argv[1] == "late":
    pass
else:
    if sys.argv[1] == "pool":
        POOL = multiprocessing.get_context("fork").Pool(2)
    threading.Thread(target=interrupt, daemon=True).start()
    play()
"""


@pytest.mark.parametrize(
    ("how", "code"),
    [
        *(("once", -signal.SIGINT), ("pool", -signal.SIGINT), ("twice", 130), ("long", 130)),
        *(("progress", 1), ("daemon", 0), ("never", 1), ("late", 0)),
    ],
    ids=str,
)
def test_the_interpreter_waits_for_a_method_when_it_ends(how: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(AT_THE_END)
    command = [sys.executable, "-W", "ignore", "script.py", how]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, timeout=50)
    assert done.returncode == code and "Fatal" not in done.stderr, done.stderr
    # Whoever does not want to wait loses what the interpreter still had to do. A daemon does where it is not over by then.
    if how != "daemon":
        assert (tmp_path / "log.txt").read_text() == ("a line" if how in ("once", "pool", "progress", "late") else "")
    assert "waits for a method" in done.stderr or how not in ("long", "never")
    assert done.stdout == ("late\n" if how == "late" else "")


def test_a_table_that_some_runs_lack_is_that_of_the_others() -> None:
    run = fb.run("papers/fedem-baselines", {"stop": fb.Stop(rounds=2)})
    lacking = min({*run.arms} - {*run.table("clients")["arm"]})
    with pytest.raises(KeyError, match="no run has a table `trend`; there are .*rounds"):
        run.table("trend")
    with pytest.raises(KeyError, match=f"replicate 0 of `{lacking}` does not have a table `clients`"):
        run[lacking].table("clients")


def test_the_text_of_a_scenario_without_a_name_can_be_run() -> None:
    scenario = fb.Scenario(base="quickstart", stop=fb.Stop(rounds=2))
    assert fb.run(str(scenario)).digests == fb.run(scenario).digests
    study = scenario.replace(arms=[], axes=[fb.GridAxis("protocol.gamma", values=[0.1, 0.2])])
    assert fb.run(str(study)).runs["arm"].tolist() == fb.run(study).runs["arm"].tolist()


def test_the_interpreter_goes_on_while_a_run_runs() -> None:
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.wait(0.001):
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    fb.run("quickstart", {"stop": fb.Stop(rounds=1000), "record.probe_every": "None"})
    done.set()
    thread.join()
    assert turns > 10


def test_the_program_is_in_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fedbits", "run", "quikstart"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "did you mean" in done.stderr
    done = subprocess.run([sys.executable, "-m", "fedbits", "list"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "quickstart" in done.stdout


def _digests(queue: Any, X: Any) -> None:
    scenario = fb.Scenario(
        name="fork",
        data=fb.Table(X),
        clients=20,
        model=fb.GaussianMixture(2),
        protocol=fb.FedEm(gamma=0.5),
        stop=fb.Stop(rounds=3),
    )
    run = fb.run(scenario)
    # Several arms, and figures drawn side by side.
    arms = fb.run("quickstart", {"stop.rounds": 20})
    assert arms.figure("mean_field_sq")._repr_svg_()
    queue.put(run.digests + arms.digests)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_fork_runs_too() -> None:
    """On as many examples as take several threads, which a fork does not have."""
    context = multiprocessing.get_context("fork")
    queue, X = context.Queue(), np.random.default_rng(1).normal(size=(40_000, 2))
    _digests(queue, X)
    here = queue.get(timeout=60)
    process = context.Process(target=_digests, args=(queue, X))
    process.start()
    try:
        assert queue.get(timeout=60) == here
    finally:
        process.kill()


def test_numbers_out_of_range_are_refused() -> None:
    for wrong in ({"threads": 0}, {"threads": -1}, {"threads": 1025}):
        with pytest.raises(ValueError, match="expected"):
            fb.run("quickstart", {"stop.rounds": 2}, **wrong)
    with pytest.raises(fb.ScenarioError, match="expected"):
        fb.run("quickstart", {"stop.rounds": 2}, replicates=0)


@pytest.mark.parametrize(
    ("scenario", "fields", "message"),
    [
        (b"quickstart", {}, "the scenario is a bytes: expected a name of the library"),
        (Path, {}, "the scenario is a type: expected a name"),
        (fb.Scenario(name=5), {}, "the name is 5: expected a text"),  # type: ignore[arg-type]
        ("quickstart", {"set": "stop.rounds=3"}, "`set` is 'stop.rounds=3': expected a mapping by path"),
        ("quickstart", {"audit": "yes"}, "audit is 'yes': expected True or False"),
        ("quickstart", {"data": "no-such-folder"}, "there is no folder `no-such-folder`"),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(scenario: Any, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError if "data" in fields else TypeError, match=message):
        fb.run(scenario, **fields)


def test_an_array_without_axes_is_a_number() -> None:
    assert str(fb.Stop(rounds=np.array(3))) == "(rounds: 3)"  # type: ignore[arg-type]


def test_the_library_is_listed_and_shown() -> None:
    assert {"quickstart", "studies/compression-participation"} <= {entry.name for entry in fb.library()}
    assert "FedEm(" in fb.show("quickstart")
    assert len(fb.arms("quickstart", seed=3)) == 4


def test_temporary_folders_go_without_a_warning() -> None:
    scenario = fb.Scenario(name="x", base="quickstart", stop=fb.Stop(rounds=2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = fb.run(scenario, progress=False)
        folder, record = run.folder, run[0]
        del run
        gc.collect()
        assert folder.is_dir() and len(record.rounds) == 3
        del record
        gc.collect()
    assert not folder.parent.exists()
    assert not [own for own in caught if own.category is ResourceWarning]


def test_a_limit_that_is_none_is_told() -> None:
    code = "import fedbits as fb; fb.run('quickstart', {'stop': fb.Stop(rounds=1)})"
    environment = {**os.environ, "FEDBITS_MAX_MEMORY": "4"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode != 0 and "the variable FEDBITS_MAX_MEMORY" in done.stderr, done.stderr


def test_a_bar_goes_on() -> None:
    pytest.importorskip("tqdm")
    shown = _Bar()
    shown("runs", 1, 10)
    first = shown.bar
    shown("runs", 4, 10)
    assert shown.bar is first and first.n == 4
    shown("other", 0, 5)
    assert shown.bar is not first and shown.bar.n == 0
    shown.close()


def test_a_run_is_verified_with_its_data(groups: tuple[Array, Any], tmp_path: Path) -> None:
    np.savetxt(tmp_path / "x.csv", groups[0], delimiter=",", header="a,b", comments="")
    scenario = fb.Scenario(
        name="of-file",
        data=fb.Csv(path=Path("x.csv")),  # type: ignore[arg-type]
        clients=5,
        model=fb.GaussianMixture(2),
        protocol=fb.FedEm(gamma=0.5),
        stop=fb.Stop(rounds=2),
    )
    run = fb.run(scenario, data=tmp_path)
    run.verify()
    sent = pickle.loads(pickle.dumps(run))
    with pytest.raises(fb.Error, match="`x.csv` was not found"):
        sent.verify()
    sent.verify(data=tmp_path)


def test_paths_are_texts() -> None:
    path = Path("some", "x.csv")
    assert str(fb.Csv(path=path)) == str(fb.Csv(path=str(path)))  # type: ignore[arg-type]


def test_a_relative_folder_is_found_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = fb.run("quickstart", {"stop.rounds": 2}, out="out")
    monkeypatch.chdir("out")
    assert run.folder == tmp_path / "out" and len(run.rounds) == 12
    assert len(pickle.loads(pickle.dumps(run)).rounds) == 12


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_fork_leaves_what_its_parent_has() -> None:
    code = """
import os, sys
import fedbits as fb
run = fb.run("quickstart", {"stop.rounds": 2}, progress=False)
child = os.fork()
if child == 0:
    sys.exit()
os.waitpid(child, 0)
assert len(run.rounds) == 12
folder = run.folder
del run
assert not folder.parent.exists()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_base_is_a_file(groups: tuple[Array, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative to the working directory, with its data beside it."""
    folder = tmp_path / "of-base"
    folder.mkdir()
    np.savetxt(folder / "x.csv", groups[0], delimiter=",", header="a,b", comments="")
    base = fb.Scenario(
        name="base",
        data=fb.Csv(path="x.csv"),
        clients=5,
        model=fb.GaussianMixture(2),
        protocol=fb.FedEm(gamma=0.5),
        stop=fb.Stop(rounds=2),
    )
    (folder / "own.ron").write_text(str(base))
    digests = fb.run(folder / "own.ron").digests
    for here, file in ((folder, "own.ron"), (tmp_path, "of-base/own.ron"), (tmp_path, str(folder / "own.ron"))):
        monkeypatch.chdir(here)
        scenario = fb.Scenario(name="over", base=file)
        for given in (scenario, {"name": "over", "base": file}):
            assert fb.run(given).digests == digests
    with pytest.raises(fb.ScenarioError, match="`own.ron` is a file, and this text is in no folder"):
        fb.run('(name: "over", base: "own.ron")')
