"""What objects of Python must have to be models and compressors of scenarios."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@runtime_checkable
class PythonModel(Protocol):
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
class PythonCompressor(Protocol):
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
