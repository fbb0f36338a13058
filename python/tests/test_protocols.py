"""Protocols of Python."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import DiagonalMixture, Halves
from protocols import Diffusion, Drawing, FedEM, FedEMTogether, Scaffold

import fedbits as fb

START = [0.4, 0.6, -1.0, -1.0, 1.0, 1.5, 1.0, 2.0, 2.0, 1.0]


@pytest.fixture
def base(groups: tuple[Array, Any], small: fb.Scenario) -> fb.Scenario:
    """Clients of several sizes with two groups in different shares."""
    X, y = groups
    client = np.repeat(np.arange(6), [40, 60, 80, 100, 140, 180])
    order = np.argsort(np.sin(np.arange(600)) + 0.3 * y)
    return small.replace(
        clients=fb.UNSET,
        data=fb.Table(X[order], client=client),
        model=fb.GaussianMixture(2, fb.Known(np.eye(2))),
        record=fb.Record(every=1, probe_every=1, theta=True),
        stop=fb.Stop(rounds=12),
    )


def iterates(run: fb.Run) -> Array:
    table = run[0].table("theta")
    return np.column_stack(
        [np.asarray(table[name], float) for name in table.columns if name.startswith(("weight", "mean"))]
    )


DECLARED = {
    "plain": {"divide_by": fb.Expected()},
    "rand-k": {"compressor": fb.RandK(k=3), "memory": fb.Memory(), "divide_by": fb.Expected()},
    "top-k": {"compressor": fb.TopK(k=2), "memory": fb.Memory(), "alpha": 1.0, "divide_by": fb.ClientsDivideBy()},
    "at random": {
        "compressor": fb.Dithering(levels=2),
        "memory": fb.Memory(),
        "divide_by": fb.Expected(),
        "participation": fb.BernoulliParticipation(0.6),
    },
    "a cohort": {
        "compressor": fb.RandK(k=2),
        "memory": fb.Memory(),
        "divide_by": fb.Estimated(),
        "participation": fb.Cohort(3),
        "weighting": fb.ClientsWeighting(),
    },
    "32 bits": {"floats": fb.F32(), "divide_by": fb.Arrived()},
}


def with_declared(of: Any, declared: dict[str, Any]) -> Any:
    for name, value in declared.items():
        setattr(of, name, value)
    return of


@pytest.mark.parametrize("kind", [FedEM, FedEMTogether])
@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED.keys())
def test_fed_em_is_fed_em_to_the_last_bit(base: fb.Scenario, kind: Any, declared: dict[str, Any]) -> None:
    defaults = {"memory": fb.NoMemory(), "allow_biased": isinstance(declared.get("compressor"), fb.TopK)}
    own = fb.run(base.replace(protocol=fb.FedEm(gamma=0.3, **{**defaults, **declared})))
    python = fb.run(base.replace(protocol=with_declared(kind(0.3), declared)))
    assert python.digests == own.digests
    for name in ("bits_up", "bits_down", "time_s", "expectations", "field_sq"):
        np.testing.assert_array_equal(python.rounds[name], own.rounds[name], err_msg=name)


ENVIRONMENTS = {
    "lost state": {"dropout": "PerRound(probability: 0.3, state: Lost)"},
    "deadlines": {"round": "Deadline(Ms(120))", "network.latency": "Uniform(min: Ms(1), max: Ms(100))"},
    "late": {
        "round": "Deadline(Ms(120))",
        "late": "Apply",
        "staleness": "Polynomial(0.5)",
        "network.latency": "Uniform(min: Ms(1), max: Ms(100))",
    },
    "asynchronous": {"round": "Asynchronous"},
    "losses": {"network.loss": "Bernoulli(0.2)"},
    "resynchronized": {"protocol.memory": "Memory(commit: Resynchronized(every: 4))", "network.loss": "Bernoulli(0.2)"},
    "secure": {
        "aggregation": "SecureAggregation()",
        "protocol.compressor": "Identity",
        "protocol.memory": "Memory(initial: Zero)",
    },
}


@pytest.mark.parametrize("kind", [FedEM, FedEMTogether])
@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_it_is_fed_em_whatever_happens(base: fb.Scenario, kind: Any, environment: dict[str, str]) -> None:
    declared: dict[str, Any] = DECLARED["rand-k"]
    own = fb.run(base.replace(protocol=fb.FedEm(gamma=0.3, **declared)), environment)
    python = fb.run(base.replace(protocol=with_declared(kind(0.3), declared)), environment)
    assert python.digests == own.digests


@pytest.mark.parametrize("aggregation", ["Plain", "SecureAggregation()"])
def test_it_is_as_private_as_fed_em(base: fb.Scenario, aggregation: str) -> None:
    start = fb.Theta(weights=[0.4, 0.6], means=[[-1.0, -1.0], [1.0, 1.5]])
    scenario = base.replace(initial=start, stop=fb.Stop(rounds=4))
    changes = {"privacy": "Gaussian(clip: 1.0, noise: 0.5, against: Outsiders)", "aggregation": aggregation}
    own = fb.run(scenario.replace(protocol=fb.FedEm(gamma=0.3, memory=fb.NoMemory())), changes)
    python = fb.run(scenario.replace(protocol=with_declared(FedEM(), DECLARED["plain"])), changes)
    assert python.digests == own.digests
    np.testing.assert_array_equal(python.rounds["epsilon"], own.rounds["epsilon"])
    with pytest.raises(fb.ScenarioError, match="initial memories"):
        fb.run(scenario.replace(protocol=with_declared(FedEM(), {"memory": fb.Memory()})), changes)


def test_scaffold_is_its_twin_in_numpy(base: fb.Scenario, groups: tuple[Array, Any]) -> None:
    run = fb.run(base.replace(protocol=Scaffold(), model=DiagonalMixture(2, 2), initial=fb.ParametersInitial(START)))
    _, y = groups
    rows = groups[0][np.argsort(np.sin(np.arange(600)) + 0.3 * y)]
    sizes = [40, 60, 80, 100, 140, 180]
    parts = np.split(rows, np.cumsum(sizes)[:-1])
    model, weights = DiagonalMixture(2, 2), 6 * np.array(sizes) / 600
    mean = lambda theta, part: model.statistics(theta, part).mean(axis=0)
    s = sum(w * mean(np.array(START), part) for w, part in zip(weights, parts)) / 6
    c, own, eta, steps = np.zeros_like(s), [np.zeros_like(s)] * 6, 0.2, 3
    thetas = [model.maximize(s)]
    for _ in range(12):
        dy, dc = np.zeros_like(s), np.zeros_like(s)
        for i, part in enumerate(parts):
            y_i = s.copy()
            for _ in range(steps):
                y_i = y_i + eta * (mean(model.maximize(y_i), part) - y_i - own[i] + c)
            new = own[i] - c + (y_i - s) / (steps * eta)
            dy, dc = dy + weights[i] * (y_i - s) / 6, dc + weights[i] * (new - own[i]) / 6
            own[i] = new
        s, c = s + dy, c + dc
        thetas.append(model.maximize(s))
    table = run[0].table("theta")
    found = np.column_stack([np.asarray(table[name], float) for name in table.columns if name.startswith("theta")])
    np.testing.assert_allclose(found, thetas, rtol=1e-10, atol=1e-12)


def test_draws_are_those_of_client_and_round(base: fb.Scenario) -> None:
    """Whoever else takes part, and in which order."""
    seen: list[tuple[int, int]] = []

    class Watched(Drawing):
        work_names = ("seen",)

        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            seen.append((data.client, int(rng.integers(0, 2**62))))
            return data.field(message)

    fb.run(base.replace(protocol=Watched(), stop=fb.Stop(rounds=3)))
    first = list(seen)
    seen.clear()
    fb.run(
        base.replace(protocol=Watched(), stop=fb.Stop(rounds=3)),
        {"network.latency": "Uniform(min: Ms(1), max: Ms(500))"},
    )
    assert sorted(first) == sorted(seen) and first != seen
    assert len({number for _, number in first}) > 6


def test_a_study_changes_what_is_declared(base: fb.Scenario) -> None:
    axis = fb.GridAxis(
        path="protocol.compressor",
        values=[fb.Identity(), fb.RandK(k=2), "TopK(k: 3)", Halves()],
        labels=["a", "b", "c", "d"],
    )
    study = fb.run(
        base.replace(protocol=with_declared(FedEM(), {"memory": fb.Memory()}), axes=[axis], stop=fb.Stop(rounds=4))
    )
    assert len(study) == 4 and study.runs["bits_up"].nunique() == 4
    changed = fb.run(
        base.replace(protocol=FedEM()), {"protocol.compressor": fb.RandK(k=2), "protocol.memory": "Memory()"}
    )
    given = fb.run(base.replace(protocol=with_declared(FedEM(), {"compressor": fb.RandK(k=2), "memory": fb.Memory()})))
    assert changed.digests == given.digests
    assert "compressor: RandK(\n            k: 2" in given[0].manifest["scenario_text"]


def test_runs_are_made_again(base: fb.Scenario, tmp_path: Path) -> None:
    scenario = base.replace(protocol=with_declared(FedEMTogether(), DECLARED["rand-k"]), replicates=3)
    run = fb.run(scenario, {"protocol.compressor": fb.RandK(k=2)}, out=tmp_path / "a", threads=2)
    run.verify()
    digests = run.digests
    del run  # It keeps its objects.
    fb.verify(tmp_path / "a", FedEMTogether(), base.data)
    with pytest.raises(
        fb.Error, match=r"the protocol is an object of the Python class `FedEMTogether`.*none like it.*at its end"
    ):
        fb.verify(tmp_path / "a", FedEMTogether(0.1), base.data)
    for index in range(3):
        fb.run_shard(scenario, index, 3, tmp_path / "b", {"protocol.compressor": fb.RandK(k=2)})
    assert fb.run(scenario, {"protocol.compressor": fb.RandK(k=2)}, out=tmp_path / "b").digests == digests


def test_the_command_line_says_who_can_make_them_again(tmp_path: Path, command: Any) -> None:
    fb.run(
        fb.Scenario(name="a", base="quickstart", arms=[], protocol=FedEM(), stop=fb.Stop(rounds=2)),
        out=tmp_path / "out",
    )
    said = command("verify", "out", folder=tmp_path)
    words = " ".join((said.stdout + said.stderr).split())
    assert said.returncode != 0 and "class `FedEM`" in words, words


def test_a_class_is_in_the_record(base: fb.Scenario) -> None:
    with pytest.warns(fb.CaveatWarning, match="the protocol is the Python class `FedEM`"):
        run = fb.run(base.replace(protocol=FedEM(), stop=fb.Stop(rounds=2)))
    text = run[0].manifest["scenario_text"]
    assert "gamma=0.3" in text and np.__version__ in text
    other = fb.run(base.replace(protocol=FedEM(0.2), stop=fb.Stop(rounds=2)))
    assert other[0].manifest["scenario_text"] != text


def test_a_run_that_is_killed_is_made_again(base: fb.Scenario, tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys, time
            import numpy as np
            import fedbits as fb

            class Slow(fb.Protocol):
                work_names = ("wait",)

                def __init__(self, wait):
                    self.wait = wait

                def client(self, state, data, message, rng):
                    time.sleep(self.wait)
                    state["count"] = state.get("count", 0) + 1
                    return data.field(message)

                def server(self, state, updates):
                    return {"s": state["s"] + 0.3 * updates.mean}

            X = np.random.default_rng(1).normal(size=(60, 2))
            scenario = fb.Scenario(
                name="slow", data=fb.Table(X), clients=3, model=fb.GaussianMixture(2, fb.Known(np.eye(2))),
                protocol=Slow(float(sys.argv[2])), stop=fb.Stop(rounds=10), replicates=4,
            )
            print(fb.run(scenario, out=sys.argv[1], threads=1, progress=False).digests)
            """
        )
    )
    call = [sys.executable, "-W", "ignore", str(script)]
    whole = subprocess.run([*call, str(tmp_path / "whole"), "0"], capture_output=True, text=True, check=True)
    with subprocess.Popen([*call, str(tmp_path / "killed"), "0.01"], stdout=subprocess.DEVNULL) as killed:
        time.sleep(1.5)
        killed.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    again = subprocess.run([*call, str(tmp_path / "killed"), "0"], capture_output=True, text=True, check=True)
    assert again.stdout == whole.stdout


class Changed(FedEM):
    """FedEM, of which one method gives something else."""

    def __init__(self, method: str, value: Any) -> None:
        super().__init__()
        self.method, self.value = method, value

    def _or(self, method: str, given: Any) -> Any:
        if self.method != method:
            return given
        return self.value(given) if callable(self.value) else self.value

    def start(self, problem: Any) -> Any:
        return self._or("start", {"s": problem.start})

    def broadcast(self, state: Any) -> Any:
        return self._or("broadcast", state["s"])

    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        if self.method == "state":
            state["own"] = self.value
        return self._or("client", data.field(message if not isinstance(message, dict) else message["s"]))

    def server(self, state: Any, updates: Any) -> Any:
        return self._or("server", {"s": state["s"] + self.gamma * updates.mean})


WRONG = [
    ("start", None, TypeError, r"`Changed\.start` gave an object of type `NoneType`: expected a dict of arrays"),
    ("start", {"t": [1.0]}, ValueError, r"`Changed\.start` gave no `s`"),
    (
        "start",
        {"s": [1.0, 2.0]},
        ValueError,
        r"`Changed\.start`, as `s`, gave an array of shape \(2,\): expected \(6,\)",
    ),
    ("start", {"s": np.full(6, np.nan)}, ValueError, r"`Changed\.start` gave NaN at `s`\[0\]"),
    ("broadcast", "text", TypeError, r"`Changed\.broadcast` gave an object of type `str`"),
    ("broadcast", {}, ValueError, r"`Changed\.broadcast` gave no number"),
    ("broadcast", {1: [1.0]}, TypeError, r"`Changed\.broadcast` gave a dict with an object of type `int` as a name"),
    ("client", None, TypeError, r"`Changed\.client` gave an object of type `NoneType`"),
    ("client", [], ValueError, r"`Changed\.client` gave no number"),
    ("client", 1j, TypeError, r"`Changed\.client`.*complex numbers"),
    ("state", "text", TypeError, r"`Changed\.client`, in the client's state, as `own`, gave an object of type `str`"),
    ("server", [1.0], TypeError, r"`Changed\.server` gave an object of type `list`: expected a dict"),
    ("server", {"s": np.zeros(5)}, ValueError, r"`Changed\.server`, as `s`, gave an array of shape \(5,\)"),
    ("server", {}, ValueError, r"`Changed\.server` gave no `s`"),
]


@pytest.mark.parametrize(("method", "value", "kind", "text"), WRONG)
def test_what_methods_give_is_checked(base: fb.Scenario, method: str, value: Any, kind: Any, text: str) -> None:
    with pytest.raises(kind, match=text):
        fb.run(base.replace(protocol=Changed(method, value)))


def test_shapes_stay_as_they_are(base: fb.Scenario) -> None:
    class Growing(FedEM):
        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            state["count"] = state.get("count", 0) + 1
            return data.field(message)[: 6 if state["count"] < 3 else 5]

    with pytest.raises(
        ValueError, match=r"`Growing\.client` gave an array of shape \(5,\): expected an array of shape \(6,\)"
    ):
        fb.run(base.replace(protocol=Growing()))

    class Renaming(Scaffold):
        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            given = super().client(state, data, message, rng)
            return given if not message["c"].any() else {"y": given["y"], "d": given["c"]}

    with pytest.raises(
        ValueError, match=r"`Renaming\.client` gave a dict with `y` .*`d` .*: expected a dict with `y` .*`c`"
    ):
        fb.run(base.replace(protocol=Renaming()))

    class Short(FedEMTogether):
        def clients(self, states: Any, data: Any, message: Any, rngs: Any) -> Any:
            return data.fields(message)[: max(len(data) - 1, 1)]

    with pytest.raises(
        ValueError,
        match=r"`Short\.clients` gave an array of shape \(5, 6\): expected an array of shape \(6, 6\), a row per",
    ):
        fb.run(base.replace(protocol=Short()))


@pytest.mark.parametrize("method", ["broadcast", "client", "server", "state"])
def test_what_is_no_number_fails_the_run(base: fb.Scenario, method: str) -> None:
    class Diverging(Changed):
        """From the third round on."""

        def __init__(self) -> None:
            super().__init__("none", None)
            self.bad = method

        def start(self, problem: Any) -> Any:
            return {"s": problem.start, "k": 0}

        def broadcast(self, state: Any) -> Any:
            nan = np.nan if self.bad == "broadcast" and state["k"] > 2 else 0.0
            return {"s": state["s"] + nan, "k": state["k"]}

        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            nan = np.nan if message["k"] > 2 else 0.0
            state["own"] = nan if self.bad == "state" else 0.0
            return data.field(message["s"]) + (nan if self.bad == "client" else 0.0)

        def server(self, state: Any, updates: Any) -> Any:
            nan = np.nan if self.bad == "server" and state["k"] > 2 else 0.0
            return {"s": state["s"] + 0.3 * updates.mean + nan, "k": state["k"] + 1}

    name = "client" if method == "state" else method
    with pytest.warns(fb.FailedRunWarning, match=rf"Diverging\.{name}: it gave NaN at"):
        run = fb.run(base.replace(protocol=Diverging()))
    assert run[0].failure is not None


def test_a_statistic_outside_of_the_domain_fails_the_run(base: fb.Scenario) -> None:
    outside = Changed("server", {"s": -np.ones(6)})
    with pytest.warns(fb.FailedRunWarning, match="left the domain of T"):
        fb.run(base.replace(protocol=outside))
    outside.domain = fb.SkipRound()  # type: ignore[attr-defined]
    run = fb.run(base.replace(protocol=outside))
    assert np.ptp(iterates(run), axis=0).max() == 0

    class Caught(FedEM):
        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            try:
                data.field(-message)
            except fb.DomainError:
                return data.field(message)
            raise AssertionError

    assert fb.run(base.replace(protocol=Caught())).digests == fb.run(base.replace(protocol=FedEM())).digests

    class Local(FedEM):
        """At a client, in its second round."""

        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            state["k"] = state.get("k", 0) + 1
            return data.field(-message if state["k"] > 1 else message)

    with pytest.warns(fb.FailedRunWarning, match=r"client 0: Local\.client: the weight of component 0"):
        fb.run(base.replace(protocol=Local()))


def test_exceptions_are_raised_as_they_are(base: fb.Scenario, tmp_path: Path) -> None:
    class Own(Exception):
        pass

    class Raising(FedEM):
        work_names = ("left",)

        def __init__(self) -> None:
            super().__init__()
            self.left = 20

        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise Own("seven", 7)
            return data.field(message)

    protocol = Raising()
    with pytest.raises(Own) as found:
        fb.run(base.replace(protocol=protocol), out=tmp_path / "a")
    assert found.value.args == ("seven", 7)
    # The run has left nothing, and is made by a second call.
    assert len(fb.run(base.replace(protocol=protocol), out=tmp_path / "a")) == 1


class Misspelt(FedEM):
    compresor = fb.RandK(k=2)


class Remembering(fb.PeerProtocol):
    memory = fb.Memory()

    def step(self, state: Any, data: Any, messages: Any, weights: Any, rng: Any) -> Any:
        return state


class Lacking(fb.Protocol):
    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        return message


class Plain:
    def client(self, *_: Any) -> None: ...


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        (Misspelt(), r"`Misspelt\.compresor` is a part of a scenario that nothing reads: .*compressor"),
        (Remembering(), r"`Remembering\.memory` .* nothing reads: an `fb\.PeerProtocol` declares weights, compressor"),
        (Lacking(), "as a protocol `Lacking` lacks server"),
        (Plain(), "extends neither `fb.Protocol` nor `fb.PeerProtocol`"),
        (FedEM, r"it is a class; expected an object, `FedEM\(\)`"),
    ],
)
def test_what_is_no_protocol_says_why(base: fb.Scenario, protocol: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        fb.run(base.replace(protocol=protocol))


@pytest.mark.parametrize(
    ("declared", "field"),
    [
        ({"compressor": 5}, "compressor"),
        ({"memory": fb.Identity()}, "memory"),
        ({"participation": fb.Cohort(0)}, "participation"),
        ({"compressor": fb.RandK(k=7)}, "compressor"),
        ({"compressor": fb.TopK(k=0)}, "compressor"),
    ],
)
def test_wrong_declarations_are_problems_of_the_scenario(
    base: fb.Scenario, declared: dict[str, Any], field: str
) -> None:
    with pytest.raises(fb.ScenarioError, match=field):
        fb.run(base.replace(protocol=with_declared(FedEM(), declared)))


def test_states_are_owned(base: fb.Scenario) -> None:
    """Arrays that a method keeps, gives twice or changes later change nothing."""

    class Sharing(FedEM):
        work_names = ("kept", "given")

        def __init__(self) -> None:
            super().__init__()
            self.kept = np.zeros(6)
            self.given: list[Array] = []

        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            assert (state.get("own", 0.0) == state.get("copy", 0.0)).all() if "own" in state else True
            self.kept += data.client  # all clients put the same array into their states
            state["own"], state["copy"] = self.kept, self.kept.copy()
            self.given.append(data.field(message))
            for array in self.given[:-1]:
                array[:] = np.nan
            return self.given[-1]

        def server(self, state: Any, updates: Any) -> Any:
            given = super().server(state, updates)
            self.given.append(given["s"])
            return given

    found, expected = (fb.run(base.replace(protocol=own)).digests[0] for own in (Sharing(), FedEM()))
    # A broadcast to clients that keep a state has one bit more: the timeline differs.
    assert (found["data"], found["state"]) == (expected["data"], expected["state"])

    class Writing(FedEM):
        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            message += 1.0
            return message

    with pytest.raises(ValueError, match="read-only"):
        fb.run(base.replace(protocol=Writing()))

    class WritingData(FedEM):
        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            data.X[0] = 0.0
            return message

    with pytest.raises(ValueError, match="read-only"):
        fb.run(base.replace(protocol=WritingData()))


def test_a_lost_state_starts_anew(base: fb.Scenario) -> None:
    counts: list[float] = []

    class Counting(FedEM):
        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            state["count"] = state.get("count", 0) + 1
            counts.append(float(state["count"]))
            return data.field(message)

    fb.run(base.replace(protocol=Counting()))
    assert max(counts) == 12
    counts.clear()
    fb.run(base.replace(protocol=Counting()), {"dropout": "PerRound(probability: 0.5, state: Lost)"})
    assert counts.count(1) > 12 and max(counts) < 12


def test_what_data_and_updates_have(base: fb.Scenario) -> None:
    class Looking(fb.Protocol):
        memory = fb.NoMemory()
        participation = fb.Cohort(4)

        def start(self, problem: Any) -> Any:
            assert problem.clients == 6 and problem.n.tolist() == [40, 60, 80, 100, 140, 180]
            np.testing.assert_allclose(problem.weights, problem.n / 100)
            assert len(problem.statistic_names) == len(problem.start) == 6
            assert problem.theta.shape == (len(problem.parameter_names),)
            assert problem.maximize(problem.start).shape == problem.theta.shape
            return {"s": problem.start, "k": np.zeros((2, 2))}

        def broadcast(self, state: Any) -> Any:
            return {"s": state["s"], "k": state["k"]}

        def clients(self, states: Any, data: Any, message: Any, rngs: Any) -> Any:
            s, theta = message["s"], data.maximize(message["s"])
            fields = data.fields(s)
            np.testing.assert_array_equal(fields, data.statistics(theta) - s)
            np.testing.assert_array_equal(fields, data.fields(np.tile(s, (len(data), 1))))
            for k, one in enumerate(data):
                assert one.client == data.clients[k] and one.n == data.n[k] and one.weight == data.weights[k]
                assert one.X.shape == (one.n, 2) and one.y is None
                np.testing.assert_array_equal(fields[k], one.field(s))
                half = one.statistic(theta, np.arange(one.n // 2))
                rest = one.statistic(theta, np.arange(one.n // 2, one.n))
                mixed = (half * (one.n // 2) + rest * (one.n - one.n // 2)) / one.n
                np.testing.assert_allclose(mixed, one.statistic(theta), rtol=1e-12)
                assert np.isfinite(one.objective(theta)) and rngs[k].random() != rngs[k].random()
                for wrong in ([-1], [one.n], [0.5], []):
                    with pytest.raises(ValueError, match="batch"):
                        one.statistic(theta, wrong)
            return {"h": fields.reshape(len(data), 2, 3), "one": np.ones((len(data), 1))}

        def server(self, state: Any, updates: Any) -> Any:
            m = len(updates)
            assert len(updates.clients) == len(updates.weights) == len(updates.ages) == m == 4
            assert (updates.ages == 0).all() and updates.round == state["k"][0, 0] + 1
            assert updates.mean["h"].shape == (2, 3) and updates.rows["h"].shape == (m, 2, 3)
            np.testing.assert_allclose(updates.rows["one"][:, 0], updates.weights)
            weighted = updates.rows["h"].sum(axis=0) / updates.weights.sum()
            np.testing.assert_allclose(updates.mean["h"], weighted, rtol=1e-12)
            np.testing.assert_allclose(updates.mean["one"], 1.0)
            assert updates.rng.random() < 1
            return {"s": state["s"] + 0.3 * updates.mean["h"].ravel(), "k": state["k"] + 1}

    run = fb.run(base.replace(protocol=Looking()))
    # 6 + 4 numbers down, 6 + 1 up, for 4 clients and 12 rounds.
    assert run.runs["bits_up"][0] == 64 * 7 * 4 * 12
    assert run.runs["bits_down"][0] == 64 * 10 * 4 * 12


def test_labels_are_what_is_predicted(groups: tuple[Array, Any], small: fb.Scenario) -> None:
    X, y = groups
    seen: set[float] = set()

    class Looking(FedEM):
        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            seen.update(data.y.tolist())
            return data.field(message)

    fb.run(
        small.replace(
            data=fb.Table(X, label=y), model=fb.GaussianMixture(2), protocol=Looking(), stop=fb.Stop(rounds=2)
        )
    )
    assert seen <= {0.0, 1.0}


def test_gradients_are_those_of_numpy(groups: tuple[Array, Any], small: fb.Scenario) -> None:
    """Of logistic regression with a ridge, whose step is that of the model."""
    X, y = groups
    scenario = small.replace(data=fb.Table(X, label=y), stop=fb.Stop(rounds=3))
    model = {"model": "Regression(loss: Logistic, penalty: Ridge(0.1))", "initial": "Zero"}

    class Descent(fb.Protocol):
        def start(self, problem: Any) -> Any:
            assert problem.step > 0
            return {"s": problem.start, "rho": problem.step}

        def broadcast(self, state: Any) -> Any:
            return {"x": state["s"], "rho": state["rho"]}

        def clients(self, states: Any, data: Any, message: Any, rngs: Any) -> Any:
            x, rho = message["x"], message["rho"]
            gradients = data.gradients(x)
            np.testing.assert_allclose(-rho * gradients, data.fields(x), rtol=1e-9, atol=1e-12)
            np.testing.assert_array_equal(gradients, data.gradients(np.tile(x, (len(data), 1))))
            for k, one in enumerate(data):
                chance = 1 / (1 + np.exp(-one.X @ x))
                np.testing.assert_allclose(
                    gradients[k], one.X.T @ (chance - one.y) / one.n + 0.1 * x, rtol=1e-9, atol=1e-12
                )
                np.testing.assert_array_equal(gradients[k], one.gradient(x))
                np.testing.assert_allclose(one.gradient(x, np.arange(one.n)), gradients[k], rtol=1e-9, atol=1e-12)
            return gradients

        def server(self, state: Any, updates: Any) -> Any:
            return {"s": state["s"] - state["rho"] * updates.mean, "rho": state["rho"]}

    python = fb.run(scenario.replace(model=fb.GaussianMixture(2), protocol=Descent()), model)
    own = fb.run(scenario.replace(model=fb.GaussianMixture(2), protocol=fb.FedEm(gamma=1.0)), model)
    np.testing.assert_allclose(python[0].model.theta, own[0].model.theta, rtol=1e-9)

    class OfMixture(FedEM):
        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            return data.gradient(message)

    with pytest.raises(ValueError, match=r"`data\.gradient`: this model has no gradients in x"):
        fb.run(scenario.replace(model=fb.GaussianMixture(2), protocol=OfMixture()))


def test_sparse_examples_are_matrices_of_scipy(small: fb.Scenario, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    rng = np.random.default_rng(5)
    dense = rng.normal(size=(60, 7)) * (rng.random((60, 7)) < 0.4)
    dense[0, 6] = 1.0
    y = rng.integers(0, 2, 60)
    rows = (" ".join(f"{j + 1}:{value!r}" for j, value in enumerate(map(float, row)) if value) for row in dense)
    (tmp_path / "a.svm").write_text("".join(f"{label} {row}\n" for label, row in zip(y, rows)))
    seen: list[Array] = []

    class Looking(fb.Protocol):
        work_names = ("seen",)

        def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
            assert data.X.shape == (data.n, 7) and data.X.nnz < 7 * data.n
            seen.append(np.column_stack([data.X.toarray(), data.y]))
            chance = 1 / (1 + np.exp(-(data.X @ message)))
            gradient = data.X.T @ (chance - data.y) / data.n
            np.testing.assert_allclose(gradient, data.gradient(message), rtol=1e-9, atol=1e-12)
            return gradient

        def server(self, state: Any, updates: Any) -> Any:
            return {"s": state["s"] - updates.mean}

    changes = {
        "data": f'LibSvm(path: "{tmp_path}/a.svm")',
        "model": "Regression(loss: Logistic)",
        "initial": "Zero",
        "clients": 3,
    }
    fb.run(small.replace(model=fb.GaussianMixture(2), protocol=Looking(), stop=fb.Stop(rounds=1)), changes)
    whole = np.concatenate(seen[-3:])
    order = np.lexsort(whole.T), np.lexsort(np.column_stack([dense, y]).T)
    np.testing.assert_array_equal(whole[order[0]], np.column_stack([dense, y])[order[1]])


def test_sums_that_are_secure_have_no_rows(base: fb.Scenario) -> None:
    class Rows(FedEM):
        def server(self, state: Any, updates: Any) -> Any:
            return {"s": state["s"] + updates.rows.mean(axis=0)}

    with pytest.raises(ValueError, match=r"`updates\.rows` of a secure sum"):
        fb.run(base.replace(protocol=Rows()), {"aggregation": "SecureAggregation()"})


def test_models_and_compressors_of_python_work_with_it(base: fb.Scenario) -> None:
    protocol = with_declared(FedEMTogether(), {"compressor": Halves(), "memory": fb.Memory()})
    start = fb.ParametersInitial(START)
    fields: dict[str, Any] = {"protocol": protocol, "model": DiagonalMixture(2, 2), "initial": start}
    python = fb.run(base.replace(**fields), threads=2)
    own = fb.run(base.replace(**{**fields, "protocol": fb.FedEm(gamma=0.3, compressor=Halves())}))
    assert python.digests == own.digests


@pytest.mark.parametrize("gamma", [0.3, 1.0])
def test_peers_are_diffusion_em(base: fb.Scenario, gamma: float) -> None:
    network = fb.Network(shape=fb.Graph(sites=fb.Ring(6)))
    own = fb.run(base.replace(protocol=fb.DiffusionEm(gamma=gamma), network=network))
    python = fb.run(base.replace(protocol=Diffusion(gamma), network=network))
    # The first iteration is at θ₀ in both.
    np.testing.assert_allclose(iterates(python)[1:], iterates(own)[1:], rtol=1e-10, atol=1e-12)
    for name in ("bits_peer", "messages"):
        if name in own.rounds:
            np.testing.assert_array_equal(python.rounds[name], own.rounds[name])


def test_messages_of_peers_are_coded(base: fb.Scenario) -> None:
    network = fb.Network(shape=fb.Graph(sites=fb.Ring(6)))

    class Sent(fb.PeerProtocol):
        compressor = fb.RandK(k=2)

        def step(self, state: Any, data: Any, messages: Any, weights: Any, rng: Any) -> Any:
            assert (np.count_nonzero(messages, axis=1) <= 2).all() and messages.shape == (3, 6)
            # Its own message is what its neighbours have of it.
            own = np.flatnonzero(messages[0])
            np.testing.assert_allclose(messages[0][own], 3 * state["s"][own], rtol=1e-12)
            return {"s": state["s"] + 0.0 * messages[0]}

    run = fb.run(base.replace(protocol=Sent(), network=network), audit=True)
    index = 4  # ⌈log₂ C(6, 2)⌉ bits say which
    assert run.runs["bits_peer"][0] == 12 * 12 * (2 * 64 + index)
    with pytest.raises(fb.ScenarioError, match="compressor"):
        fb.run(base.replace(protocol=Sent(), network=network), {"protocol.compressor": "RandK(k: 7)"})


def test_peers_are_checked(base: fb.Scenario) -> None:
    network = fb.Network(shape=fb.Graph(sites=fb.Ring(6)))

    class Wrong(Diffusion):
        def step(self, state: Any, data: Any, messages: Any, weights: Any, rng: Any) -> Any:
            assert messages.shape == (3, 7) and weights.shape == (3,)
            return {"phi": messages[0]}

    with pytest.raises(ValueError, match=r"`Wrong\.step` gave no `s`"):
        fb.run(base.replace(protocol=Wrong(0.3), network=network))

    class Ragged(Diffusion):
        def send(self, state: Any) -> Any:
            self.count = getattr(self, "count", 0) + 1
            return state["phi"][: 7 - self.count % 2]

        work_names = ("count",)

    with pytest.raises(ValueError, match=r"`Ragged\.send` gave an array of shape"):
        fb.run(base.replace(protocol=Ragged(0.3), network=network))


@pytest.mark.parametrize(
    "protocol",
    [FedEM(), FedEMTogether(), Drawing(), with_declared(Scaffold(), {"compressor": fb.RandK(k=6)}), Diffusion(0.3)],
)
def test_good_protocols_keep_the_laws(protocol: Any) -> None:
    found = fb.check(protocol)
    assert len(found.kept) >= 3 and not found.left_out


class Counter(FedEM):
    """Keeps a count on the object."""

    count = 0

    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        self.count += 1
        return data.field(message) / self.count


class Global(FedEM):
    """Keeps what the client before had."""

    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        before = LAST[-1] if LAST else 0.0
        LAST[:] = [data.field(message)]
        return LAST[-1] + 0.01 * before


LAST: list[Any] = []


class Mixing(FedEMTogether):
    """Clients see the others' rows."""

    def clients(self, states: Any, data: Any, message: Any, rngs: Any) -> Any:
        rows = data.fields(message)
        return rows - rows.mean(axis=0) / 2


class Unseeded(FedEM):
    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        return data.field(message) * (1 + 0.01 * np.random.default_rng().random())


class Impatient(FedEM):
    def server(self, state: Any, updates: Any) -> Any:
        return {"s": state["s"] + self.gamma * updates.rows.max(axis=0)}


@pytest.mark.parametrize(
    ("protocol", "law"),
    [
        (Counter(), "`count` changed"),
        (Global(), "the order in which clients are called|made twice"),
        (Mixing(), "`clients` of one gives what it gives of all"),
        (Unseeded(), "the same seed gives the same run"),
        (Impatient(), "a round may end before anything arrives"),
    ],
)
def test_bad_protocols_break_the_laws(protocol: Any, law: str) -> None:
    with pytest.raises(ValueError, match=rf"`{type(protocol).__name__}` breaks laws(.|\n)*({law})"):
        fb.check(protocol)


def test_a_client_keeps_its_state_where_its_message_was_lost() -> None:
    """Each client counts its messages that were used; the server counts the same."""

    class Counting(fb.Protocol):
        def start(self, problem: Any) -> dict[str, Any]:
            return {"s": problem.start, "used": np.zeros(problem.clients), "told": np.zeros(problem.clients)}

        def client(self, state: dict[str, Any], data: Any, message: Any, rng: Any) -> dict[str, Any]:
            count = state.get("count", np.zeros(()))
            state["count"] = count + 1.0
            return {"h": data.field(message), "count": count / data.weight}

        def server(self, state: dict[str, Any], updates: Any) -> dict[str, Any]:
            used, told = state["used"].copy(), state["told"].copy()
            for client, row in zip(updates.clients, updates.rows["count"]):
                assert row == pytest.approx(used[client])
                used[client] += 1.0
                told[client] = row
            return {"s": state["s"] + 0.05 * updates.mean["h"], "used": used, "told": told}

    run = fb.run(
        "quickstart",
        {"protocol": Counting(), "arms": "[]", "stop.rounds": 25, "dropout": "PerRound(probability: 0.4, state: Kept)"},
    )
    assert run[0].failure is None
