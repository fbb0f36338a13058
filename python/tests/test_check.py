"""`fb.check`: false claims of compressors are found, true ones are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import Halves, Signs

import fedbits as fb


class RandOne:
    """One entry at random, times d: unbiased, ω = d − 1."""

    unbiased = True

    def omega(self, d: int) -> float:
        return d - 1.0

    def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        j = rng.integers(len(x))
        return np.where(np.arange(len(x)) == j, len(x) * x, 0.0), 64 + len(x).bit_length()


class TopOne:
    """The largest entry: a contraction, δ = 1/d."""

    unbiased = False

    def contraction(self, d: int) -> float:
        return 1.0 / d

    def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        return np.where(np.arange(len(x)) == np.argmax(np.abs(x)), x, 0.0), 64 + 10


@pytest.mark.parametrize("d", [1, 2, 10, 60])
@pytest.mark.parametrize(
    "compressor", [Halves(), RandOne(), TopOne(), Signs(), fb.Qsgd(levels=7), fb.PermK(), fb.Natural()]
)
def test_true_claims_are_kept(compressor: Any, d: int) -> None:
    found = fb.check(compressor, d, samples=500)
    assert found.d == d and found.samples == 500 and found.vectors > 10
    if found.omega is not None:
        assert found.error <= 3 * found.omega + 1e-6
    assert found.read == (not isinstance(compressor, Halves | RandOne | TopOne))


def altered(of: type[Any], **changes: Any) -> Any:
    return type(of.__name__, (of,), changes)()


def scaled(of: type[Any], factor: float) -> Any:
    def encode(self: Any, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        decoded, bits = of.encode(self, x, rng)
        return factor * decoded, bits

    return altered(of, encode=encode)


def one_entry(of: type[Any], j: int) -> Any:
    """The entry j, where it is positive, is lost."""

    def encode(self: Any, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        decoded, bits = of.encode(self, x, rng)
        return np.where((np.arange(len(x)) == j) & (x > 0), 0.0, decoded), bits

    return altered(of, encode=encode)


class Exact:
    """All of x, in fewer bits than can be."""

    unbiased = True

    def omega(self, d: int) -> float:
        return 0.0

    def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        return x, 4 * len(x)


class NotAtZero(Exact):
    def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
        return (x if x.any() else np.ones_like(x)), 64 * len(x)


@pytest.mark.parametrize(
    ("compressor", "told"),
    [
        (scaled(Halves, 0.8), "it is not unbiased"),
        (scaled(Halves, 1.2), "it is not unbiased"),
        (one_entry(Halves, 0), "it is not unbiased"),
        (altered(Halves, omega=lambda self, d: 0.8), "above ω = 0.8"),
        (altered(Halves, omega=lambda self, d: 0.0), "above ω = 0"),
        (altered(RandOne, omega=lambda self, d: 0.7 * (d - 1)), "above ω = "),
        (altered(TopOne, unbiased=True, omega=lambda self, d: 1.0), "it is not unbiased"),
        (altered(TopOne, contraction=lambda self, d: 0.9), "above 1 − δ = 0.0"),
        (altered(Halves, omega=lambda self, d: None), "has no ω"),
        (Exact(), "messages are longer than it says"),
        (NotAtZero(), "the zero vector is not decoded to zeros"),
    ],
)
def test_false_claims_are_found(compressor: Any, told: str) -> None:
    with pytest.raises(ValueError, match=f"does not keep what it claims.*at most 1e-06(?s:.*){told}"):
        fb.check(compressor, 40)


def test_strings_are_read() -> None:
    class Dishonest(Signs):
        def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int, bytes]:
            decoded, bits, data = super().encode(x, rng)
            return decoded * 1.5, bits, data

    with pytest.raises(ValueError, match="the symbols that were read are not those that were written"):
        fb.check(Dishonest(), 20)


def test_what_encode_raises_is_raised() -> None:
    class Broken(Halves):
        def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int]:
            raise ZeroDivisionError("nothing there")

    with pytest.raises(ZeroDivisionError, match="nothing there"):
        fb.check(Broken(), 20)
    for d, samples in [(0, 1), (1, 0)]:
        with pytest.raises(ValueError, match="expected at least 1"):
            fb.check(Halves(), d, samples=samples)
    with pytest.raises(fb.ScenarioError, match="1 to 20"):
        fb.check(fb.RandK(k=21), 20)
