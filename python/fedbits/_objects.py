"""What objects of Python must have to be models, compressors and protocols of scenarios."""

from __future__ import annotations

import typing
from typing import Any, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@runtime_checkable
class PythonModel(typing.Protocol):
    """A model of your own: an exponential family in sufficient-statistics form, on NumPy arrays.

    Examples:
        A Gaussian with variance 1, whose mean is θ:

        >>> import numpy as np
        >>> import fedbits as fb
        >>> class Mean:
        ...     def initial(self, X, rng):
        ...         return np.zeros(1)
        ...     def statistics(self, theta, X):
        ...         return X
        ...     def maximize(self, S):
        ...         return S
        ...     def objective(self, theta, X):
        ...         return 0.5 * (X[:, 0] - theta) ** 2 + 0.5 * np.log(2 * np.pi)
        >>> data = fb.Table(np.arange(6.0).reshape(6, 1))
        >>> fields = {"clients": 2, "protocol": fb.FedEm(gamma=1.0), "stop": fb.Stop(rounds=2)}
        >>> scenario = fb.Scenario(data=data, model=Mean(), **fields)
        >>> float(fb.run(scenario, progress=False).model.theta[0])
        2.5

    Two methods more are looked for: `initial(X, rng) -> theta` (θ₀; else give `initial=fb.ParametersInitial([…])`), and
    `repair(S, floor) -> S` for `domain: Clip(…)`. The attributes `parameter_names` and `statistic_names` name entries.

    Everything that results depend on is in the attributes of the object and of its class: numbers and texts as they
    are, the rest by a digest of its content. They, a digest of the source of the class and of those that it extends
    (but for classes of a script or a notebook), with the code that their methods have when a run begins, and the
    versions of Python and NumPy stand in the scenario, and in every record. Attributes that methods change, such as
    work arrays, are none of them where `work_names` lists their names.

    Global functions and values are not part of the digest. It differs under `python -O` and under tools that rewrite
    bytecode, so start all shards in the same way. Attributes other than numbers and texts count by a digest of their
    pickle; an attribute that cannot be pickled is refused. A second `fb.run` with an object that its methods have changed
    repeats all runs, with a warning.

    One method of an object is called at a time, by parallel runs too. A method may keep results for the next call:
    `objective` follows `statistics` with the same examples.
    """

    def statistics(self, theta: Array, X: Array, /) -> Array:
        """s̄(θ) of the examples `X` (N × d): a row of q numbers for each (N × q), or their mean (q).

        With rows, one call does the E-steps of all clients of a round.
        """
        ...

    def maximize(self, S: Array, /) -> Array:
        """T: θ = T(S), a vector. `ValueError` and `ArithmeticError` say that S is outside of the domain: the run fails.

        Any other exception, and every one of the other methods, ends `fb.run`, which raises it.
        """
        ...

    def objective(self, theta: Array, X: Array, /) -> Any:
        """−log p(y; θ) of each example (N), or their mean (a number)."""
        ...


@runtime_checkable
class PythonCompressor(typing.Protocol):
    """A compressor of your own. The attribute `unbiased` says what it does, and `omega(d)` or `contraction(d)` (δ).

    Examples:
        >>> import numpy as np
        >>> import fedbits as fb
        >>> class Halves:
        ...     unbiased = True
        ...     def omega(self, d):
        ...         return 1.0
        ...     def encode(self, x, rng):
        ...         kept = rng.random(len(x)) < 0.5
        ...         return np.where(kept, 2 * x, 0.0), len(x) + 64 * int(kept.sum())
        >>> run = fb.run("quickstart", {"stop.rounds": 5, "protocol.compressor": Halves()}, progress=False)
        >>> "no bit string was checked" in " ".join(run["rand-6"].caveats)
        False

    With a method `decode(data, d) -> decoded`, `encode` gives the message's bytes too, as a third value: ⌈bits / 8⌉ of
    them, the first bit the highest of the first byte. The audit then decodes them and compares.
    """

    def encode(self, x: Array, rng: np.random.Generator, /) -> tuple[Any, ...]:
        """What the receiver decodes of `x`, and the exact length of the message in bits: `(decoded, bits)`."""
        ...


class Protocol:
    """A protocol of your own between a server and its clients: extend this class.

    Examples:
        FedEM with sparse messages and memories:

        >>> import numpy as np
        >>> import fedbits as fb
        >>> class Own(fb.Protocol):
        ...     compressor = fb.RandK(k=2)
        ...     memory = fb.Memory()
        ...     def __init__(self, gamma):
        ...         self.gamma = gamma
        ...     def client(self, state, data, message, rng):
        ...         return data.field(message)
        ...     def server(self, state, updates):
        ...         return {"s": state["s"] + self.gamma * updates.mean}
        >>> data = fb.Table(np.arange(12.0).reshape(6, 2))
        >>> fields = {"clients": 3, "model": fb.GaussianMixture(1), "stop": fb.Stop(rounds=3)}
        >>> run = fb.run(fb.Scenario(data=data, protocol=Own(0.5), **fields), progress=False)
        >>> len(run.rounds["round"])
        4

    States are dicts of arrays (64-bit floats), which the program keeps: what a method is given is a copy, and what it
    gives is copied. The server's state has the statistic Ŝ as `s`, from which the model makes θ = T(Ŝ).

    - `start(problem)` gives the server's first state; by default `s` is `problem.start`.
    - `broadcast(state)` gives what all clients of a round are sent, an array or a dict of arrays, which is charged as
      floats; by default `s`.
    - `client(state, data, message, rng)` gives what a client sends, an array or a dict of arrays, always of the same
      shapes. `state` is its own dict, at first empty, which it may change.
    - `clients(states, data, message, rngs)`, in place of `client`, does that for all clients of a round: a row for each.
    - `server(state, updates)` gives the server's next state, of the uplink's estimate `updates.mean`.

    What the uplink does with what clients send is declared by attributes with the values of scenarios: `compressor`,
    `memory` (none), `alpha`, `divide_by` (`AutoDivideBy()`), `participation`, `floats`, `weighting`; `domain` says what
    happens where T(Ŝ) does not exist. Scenarios may change them by path: `set={"protocol.compressor": …}`. With
    `memory`, the scheme `client` → `updates.mean` is DIANA; with a biased compressor it is EF21.

    What a client's `data` has:

    - `X`, `y`, `n`, `weight`, `client`: its examples (a SciPy matrix if sparse), their targets or None, their number, its
      weight w_i (mean 1) and its number.
    - `field(s, batch=None)` is h_i(s) = s̄_i(T(s)) − s; `batch` holds indices of examples.
    - `gradient(x, batch=None)` is ∇f_i(x) of a `Regression`; with an ℓ₁ part x is `maximize(message)`.
    - `statistic(theta, batch=None)`, `objective(theta)`, `maximize(s)` are s̄_i(θ), the mean of −log p, and T(s).
    - For `clients`: `fields(s)`, `statistics(theta)`, `gradients(x)` give a row per client, on all threads; `len(data)`,
      `data[k]`, `clients`, `n`, `weights`.

    What the server's `updates` have:

    - `mean`, the uplink's estimate of n⁻¹ Σ w_i x_i; `rows`, each decoded w_i x_i − V_i (not under secure aggregation).
    - `clients`, `weights`, `ages`, `round`, `rng`: who arrived, their w_i, the ages of their broadcasts, the round from 1,
      and a generator.

    What the `problem` has: `start` (Ŝ₀), `theta` (θ₀), `clients`, `n`, `weights`, `maximize(s)`, `step` (ρ of a
    `Regression`), `parameter_names` and `statistic_names`.

    A client's dict takes effect when the server has used the message of that call. Lost and late messages change no
    state; a client that drops out with `state: Lost` continues with an empty dict. Keep nothing on `self`: clients are
    called in the order of arrivals, and runs share the object. `start`, `broadcast` and the clients' method are also
    called once before the run, for their shapes.

    A client computes for as long as the conditional expectations take that it asked for; without any, one per example.
    NaN, infinity and `fb.DomainError` fail the run; other exceptions end `fb.run`, which raises them.

    Objects are identified as models are (`fb.PythonModel`); `work_names` lists attributes that do not count.
    """

    def start(self, problem: Any, /) -> dict[str, Any]:
        """The server's first state."""
        return {"s": problem.start}

    def broadcast(self, state: dict[str, Any], /) -> Any:
        """What all clients of a round are sent."""
        return state["s"]


class PeerProtocol:
    """A protocol of your own between agents on a graph: extend this class.

    Examples:
        Agents average their statistics at θ₀:

        >>> import numpy as np
        >>> import fedbits as fb
        >>> class Average(fb.PeerProtocol):
        ...     def start(self, problem, data):
        ...         return {"s": data.weight * data.statistic(problem.theta)}
        ...     def step(self, state, data, messages, weights, rng):
        ...         return {"s": weights @ messages}
        >>> fields = {"clients": 3, "model": fb.GaussianMixture(1), "stop": fb.Stop(rounds=9)}
        >>> ring = fb.Network(shape=fb.Graph(sites=fb.Ring(3)))
        >>> data = fb.Table(np.arange(12.0).reshape(6, 2))
        >>> run = fb.run(fb.Scenario(data=data, protocol=Average(), network=ring, **fields), progress=False)
        >>> bool(run.rounds["consensus_error"].iloc[-1] < 1e-12)
        True

    States are dicts of arrays (64-bit floats), which the program keeps, as those of `fb.Protocol`. Each has an array
    `s`; records show the mean of the agents' and T of it.

    - `start(problem, data)` gives an agent's first state.
    - `send(state)` gives what it sends to every neighbour in an iteration, an array or a dict of arrays of the same
      shapes for all; by default `s`.
    - `step(state, data, messages, weights, rng)` gives its next state. `messages` has a row per sender, as it is
      decoded: first its own message, then those of its neighbours; `weights` has the entries of W that belong to them.

    Declared by attributes: `weights` (W, `Metropolis()`), `compressor`, `floats`, `domain`, `weighting`.
    """

    def start(self, problem: Any, data: Any, /) -> dict[str, Any]:
        """An agent's first state."""
        return {"s": problem.start}

    def send(self, state: dict[str, Any], /) -> Any:
        """What an agent sends to its neighbours."""
        return state["s"]


PythonProtocol: TypeAlias = Protocol | PeerProtocol
