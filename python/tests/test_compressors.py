"""Compressors of Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Array
from models import Halves, Signs

import fedbits as fb


def scenario(groups: tuple[Array, Any], small: fb.Scenario, compressor: Any, **fields: Any) -> fb.Scenario:
    protocol = fb.FedEm(gamma=0.1, compressor=compressor, **fields)
    return small.replace(data=fb.Table(groups[0]), model=fb.GaussianMixture(2, fb.Diagonal()), protocol=protocol)


def test_bytes_are_audited(groups: tuple[Array, Any], small: fb.Scenario) -> None:
    run = fb.run(scenario(groups, small, Signs(), allow_biased=True, alpha=0.5), audit=True)
    q = 2 + 2 * 2 * 2
    # 30 rounds of 10 clients; the rest is the uncompressed upload of the initial memories.
    bits = np.diff(run.rounds["bits_up"])
    assert set(bits[1:]) == {10 * (64 + q)}
    assert not any("no bit string" in caveat for caveat in run[0].caveats)


@pytest.mark.parametrize(
    ("change", "message"),
    [("bits", r"\d+ bytes for \d+ bits"), ("value", "differ|decodes|symbols"), ("length", r"expected \(10,\)")],
)
def test_dishonest_bytes_are_found(groups: tuple[Array, Any], small: fb.Scenario, change: str, message: str) -> None:
    class Dishonest(Signs):
        def encode(self, x: Array, rng: np.random.Generator) -> tuple[Array, int, bytes]:
            decoded, bits, data = super().encode(x, rng)
            if change == "bits":
                return decoded, bits - 20, data
            if change == "value":
                return decoded * 1.5, bits, data
            return decoded[1:], bits, data

    with (
        pytest.warns(fb.FailedRunWarning, match=message)
        if change == "value"
        else pytest.raises(ValueError, match=message)
    ):
        fb.run(scenario(groups, small, Dishonest(), allow_biased=True, alpha=0.5))


def test_without_bytes_a_caveat_says_so(groups: tuple[Array, Any], small: fb.Scenario) -> None:
    with pytest.warns(fb.CaveatWarning, match="no bit string was checked"):
        run = fb.run(scenario(groups, small, Halves()))
    again = fb.run(scenario(groups, small, Halves()), threads=3)
    assert run.digests == again.digests
    assert fb.run(scenario(groups, small, Halves()), seed=2).digests != run.digests
    bits = np.diff(run.rounds["bits_up"])[1:]
    assert 10 * 10 < bits.mean() < 10 * (10 + 64 * 10)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda x: x, r"an object of type `ndarray`: expected \(decoded, bits\)"),
        (lambda x: (x,), r"1 values: expected \(decoded, bits\)"),
        (lambda x: (x, -3), "-3 as bits: expected a whole number from 0 to"),
        (lambda x: (x, 1.5), "1.5 as bits: expected a whole number"),
        (lambda x: (x, "64"), "'64' as bits: expected a whole number"),
        (lambda x: (x, 2**70), f"{2**70} as bits: expected a whole number from 0 to {2**40}"),
        (lambda x: (x, np.uint64(2**64 - 2)), f"{2**64 - 2}.* as bits: expected a whole number from 0 to {2**40}"),
        (lambda x: (x, 2**40 + 1), f"{2**40 + 1} as bits: expected a whole number"),
        (lambda x: (x * np.nan, 64), r"NaN at \[0\]: expected finite numbers"),
        (lambda x: (x[None], 64), r"an array of shape \(1, 10\): expected \(10,\), as many as x has"),
    ],
)
def test_what_encode_must_give_is_said(groups: tuple[Array, Any], small: fb.Scenario, given: Any, message: str) -> None:
    class Wrong(Halves):
        def encode(self, x: Array, rng: np.random.Generator) -> Any:
            return given(x)

    with pytest.raises(ValueError, match=rf"^`Wrong.encode` .*{message}"):
        fb.run(scenario(groups, small, Wrong()))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), r"2 values: expected \(decoded, bits, bytes\), as there is a method `decode`"),
        (("text",), "an object of type `str` as the message's bytes: expected `bytes`"),
    ],
)
def test_with_decode_encode_must_give_bytes(
    groups: tuple[Array, Any], small: fb.Scenario, given: tuple[Any, ...], message: str
) -> None:
    class Wrong(Signs):
        def encode(self, x: Array, rng: np.random.Generator) -> Any:
            return (*super().encode(x, rng)[:2], *given)

    with pytest.raises(ValueError, match=rf"^`Wrong.encode` gave {message}"):
        fb.run(scenario(groups, small, Wrong(), allow_biased=True, alpha=0.5))


@pytest.mark.parametrize("omega", [-1.0, float("nan"), float("inf")])
def test_omega_is_a_finite_number_of_at_least_0(groups: tuple[Array, Any], small: fb.Scenario, omega: float) -> None:
    class Wrong(Halves):
        def omega(self, d: int) -> float:
            return omega

    with pytest.raises(ValueError, match=r"^`Wrong.omega` gave (-1.0|nan|inf): expected a finite number of at least 0"):
        fb.run(scenario(groups, small, Wrong()))


@pytest.mark.filterwarnings("ignore::fedbits.CaveatWarning")
@pytest.mark.parametrize(
    "whole",
    [
        fb.Composition(first=fb.RandK(k=6), then=Halves()),
        fb.Composition(first=Halves(), then=fb.Dithering(levels=2)),
        fb.Induced(contraction=fb.TopK(k=4), rest=Halves()),
    ],
)
def test_one_without_bytes_is_part_of_another(
    groups: tuple[Array, Any], small: fb.Scenario, whole: fb.Compressor
) -> None:
    run = fb.run(scenario(groups, small, whole), audit=True)
    assert run[0].failure is None and any("`Halves.encode`" in caveat for caveat in run[0].caveats)
