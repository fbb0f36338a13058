"""The laws of protocols, tried on classes of Python."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fedbits._errors import ScenarioError
from fedbits._object_parts import _declared, _settings
from fedbits._objects import PeerProtocol, Protocol
from fedbits._run import Run, run
from fedbits._table import Table
from fedbits.parts import GaussianMixture, Graph, Known, Network, Record, Ring, Scenario, Stop


@dataclass(frozen=True)
class Laws:
    """What a protocol was found to keep.

    Attributes:
        kept: The laws that were tried, in words.
        left_out: Those that its declarations do not allow to be tried, with the reason.
    """

    kept: tuple[str, ...]
    left_out: tuple[str, ...]


class _Around:
    """A protocol that does what another one does, in another way."""

    work_names = ("_of", "work_names")

    def __init__(self, of: Any) -> None:
        self._of = of
        for name, value in _declared(of).items():
            setattr(self, name, value)

    def start(self, *given: Any) -> Any:
        return self._of.start(*given)


class _Star(_Around, Protocol):
    def broadcast(self, state: Any) -> Any:
        return self._of.broadcast(state)

    def server(self, state: Any, updates: Any) -> Any:
        return self._of.server(state, updates)


class _OneByOne(_Star):
    """Every client is a cohort of its own."""

    _one_by_one = True

    def clients(self, states: Any, data: Any, message: Any, rngs: Any) -> Any:
        return self._of.clients(states, data, message, rngs)


class _ByClient(_Star):
    """Of a protocol with both methods for clients the one for a single client."""

    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        return self._of.client(state, data, message, rng)


def _twice(what: str, call: Callable[[Any, Any], Any], state: Any, draws: Any) -> Any:
    """What a call gives that is made twice, with the same state and the same draws."""
    first_state, first_draws = copy.deepcopy((state, draws))
    first, second = call(first_state, first_draws), call(state, draws)
    if not _same((first, first_state), (second, state)):
        raise ValueError(f"`{what}` gives something else when it is called again with the same arguments")
    return second


def _same(one: Any, other: Any) -> bool:
    """Are these the same arrays, in dicts, lists and tuples of the same form?"""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return np.array_equal(np.asarray(one, float), np.asarray(other, float), equal_nan=True)


class _TwiceByClient(_Star):
    def client(self, state: Any, data: Any, message: Any, rng: Any) -> Any:
        return _twice("client", lambda state, rng: self._of.client(state, data, message, rng), state, rng)


class _TwiceTogether(_Star):
    def clients(self, states: Any, data: Any, message: Any, rngs: Any) -> Any:
        drawn = [rngs[k] for k in range(len(rngs))]
        return _twice("clients", lambda states, rngs: self._of.clients(states, data, message, rngs), states, drawn)


class _TwiceAmongPeers(_Around, PeerProtocol):
    def send(self, state: Any) -> Any:
        return _twice("send", lambda state, _: self._of.send(state), state, None)

    def step(self, state: Any, data: Any, messages: Any, weights: Any, rng: Any) -> Any:
        def call(state: Any, rng: Any) -> Any:
            return self._of.step(state, data, messages.copy() if hasattr(messages, "copy") else messages, weights, rng)

        return _twice("step", call, state, rng)


def _small(is_among_peers: bool) -> Scenario:
    """Two groups at five clients of several sizes."""
    rng = np.random.default_rng(20260101)
    x = rng.normal(0, 1, (60, 2)) + np.where(np.arange(60) % 3 == 0, 2.0, -2.0)[:, None]
    clients = np.repeat(np.arange(5), [4, 8, 12, 16, 20])
    network = Network(shape=Graph(sites=Ring(5))) if is_among_peers else Network()
    return Scenario(
        name="laws",
        data=Table(x, client=clients),
        model=GaussianMixture(2, Known(np.eye(2))),
        network=network,
        stop=Stop(rounds=8),
    )


class _Court:
    """Runs of a protocol, and what they break."""

    def __init__(self, of: Any, scenario: Scenario, seed: int) -> None:
        self.of, self.seed = of, seed
        self.scenario = scenario.replace(record=Record(every=1, probe_every=1, theta=True), arms=[], axes=[])
        self.broken: list[str] = []
        self.left_out: list[str] = []
        self.kept: list[str] = []
        self.cause: Exception | None = None

    def play(self, protocol: Any = None, changes: Mapping[str, object] | None = None, audit: bool = False) -> Run:
        scenario = self.scenario.replace(protocol=self.of if protocol is None else protocol)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run(scenario, changes, seed=self.seed, replicates=1, threads=1, audit=audit, progress=False)
        failure = found[0].failure
        if failure is not None:
            raise ValueError(f"the run fails: {failure}")
        return found

    def law(self, text: str, test: Callable[[], str | None]) -> None:
        try:
            why = test()
        except ScenarioError as error:
            self.left_out.append(f"{text}: {error.problems[0].message if error.problems else error}")
            return
        except Exception as error:  # noqa: BLE001
            why, self.cause = f"{type(error).__name__}: {error}", self.cause or error
        if why is None:
            self.kept.append(text)
        else:
            self.broken.append(f"{text}: {why}")

    def same_iterates(self, other: Run, exactly: bool = True) -> str | None:
        ours, theirs = (_iterates(found) for found in (self.first, other))
        if exactly and not np.array_equal(ours, theirs) or not np.allclose(ours, theirs, rtol=1e-9, atol=1e-12):
            largest = np.abs(ours - theirs).max() if ours.shape == theirs.shape else np.inf
            return f"θ differs by up to {largest:.3g}"
        return None

    def same_runs(self, other: Run) -> str | None:
        return None if self.first.digests == other.digests else self.same_iterates(other) or "events or bits differ"

    def ends(self, changes: Mapping[str, object]) -> None:
        self.play(changes=changes)

    def begin(self) -> None:
        """A first run, which others are compared with. What it raises is the protocol's own affair."""
        self.first = self.play()

    def of_all(self) -> None:
        before = _settings(self.of)
        self.law("the same seed gives the same run", lambda: self.same_runs(self.play()))
        twice: Any = _TwiceAmongPeers
        if not isinstance(self.of, PeerProtocol):
            twice = _TwiceTogether if hasattr(self.of, "clients") else _TwiceByClient
        self.law("a call gives the same when it is made twice", lambda: self.same_iterates(self.play(twice(self.of))))
        if not isinstance(self.of, PeerProtocol):
            self.of_stars()
        changed = [name for name, text in _settings(self.of).items() if before.get(name) != text]
        changed += [name for name in before if name not in _settings(self.of)]
        text = ", ".join(f"`{name}`" for name in changed)
        self.law("calls leave the attributes of the object as they are", lambda: f"{text} changed" if changed else None)

    def of_stars(self) -> None:
        if hasattr(self.of, "clients"):
            law = "`clients` of one gives what it gives of all"
            self.law(law, lambda: self.same_iterates(self.play(_OneByOne(self.of)), exactly=False))
            if hasattr(self.of, "client"):
                law = "`client` gives what `clients` gives"
                self.law(law, lambda: self.same_iterates(self.play(_ByClient(self.of)), exactly=False))
        order = {
            "network.latency": "Uniform(min: Ms(1), max: Ms(300))",
            "network.jitter": "Uniform(min: Ms(0), max: Ms(300))",
        }
        law = "nothing depends on the order in which clients are called"
        self.law(law, lambda: self.same_iterates(self.play(changes=order)))
        self.law("every message has the bits that are charged", lambda: self.same_runs(self.play(audit=True)))
        others = {
            "the run goes on when clients lose their state": {"dropout": "PerRound(probability: 0.3, state: Lost)"},
            "a round may end before anything arrives": {"round": "Deadline(Ms(1))", "late": "Discard"},
            "late messages can be used": {**order, "round": "Deadline(Ms(300))", "late": "Apply"},
            "messages may be lost": {"network.loss": "Bernoulli(0.2)"},
            "steps can be made of each message that arrives": {**order, "round": "Asynchronous"},
        }
        for text, changes in others.items():
            self.law(text, partial(self.ends, changes))


def _iterates(found: Run) -> Any:
    table = found[0].table("theta")
    names = [name for name in table.columns if name not in ("arm", "replicate", "round")]
    return np.column_stack([np.asarray(table[name], float) for name in names])


def laws_of(of: Any, scenario: Scenario | None, seed: int) -> Laws:
    """Tries all laws; a `ValueError` with those that are broken."""
    court = _Court(of, _small(isinstance(of, PeerProtocol)) if scenario is None else scenario, seed)
    court.begin()
    court.of_all()
    if court.broken:
        broken = "".join(f"\n- {text}" for text in court.broken)
        raise ValueError(f"`{type(of).__name__}` breaks laws of protocols:{broken}") from court.cause
    return Laws(tuple(court.kept), tuple(court.left_out))
