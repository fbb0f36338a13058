"""Whether a compressor keeps what it claims, and a protocol the laws of protocols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

from fedbits import _fedbits
from fedbits._errors import so_many
from fedbits._laws import Laws, laws_of
from fedbits._machine import Progress, end, machine
from fedbits._objects import PeerProtocol, Protocol, PythonCompressor
from fedbits._part import to_ron
from fedbits.parts import Compressor, Scenario


@dataclass(frozen=True)
class Claims:
    """What was found of a compressor that keeps its claims.

    Attributes:
        d: Entries of the vectors.
        vectors: Vectors that were sent: normal, sparse, equal, spiky.
        samples: Messages of each of them.
        omega: ω as claimed, where the compressor is unbiased.
        contraction: δ as claimed, where it is biased.
        error: The largest mean of ‖Q(x) − x‖² / ‖x‖² of a vector.
        shrinkage: The mean of ⟨x, Q(x)⟩ / ‖x‖² − 1, for the vector for which it is largest.
        bits: Mean bits of a message of normal entries, as the compressor says.
        read: Whether bit strings were written, read back and compared.
    """

    d: int
    vectors: int
    samples: int
    omega: float | None
    contraction: float | None
    error: float
    shrinkage: float
    bits: float
    read: bool

    @property
    def bits_per_entry(self) -> float:
        """Mean bits per entry of a message of normal entries."""
        return self.bits / self.d


@overload
def check(
    part: PythonCompressor | Compressor,
    d: int,
    *,
    samples: int = 2000,
    seed: int = 1,
    progress: Progress = False,
) -> Claims: ...


@overload
def check(part: Protocol | PeerProtocol, *, scenario: Scenario | None = None, seed: int = 1) -> Laws: ...


def check(
    part: PythonCompressor | Compressor | Protocol | PeerProtocol,
    d: int | None = None,
    *,
    samples: int = 2000,
    seed: int = 1,
    progress: Progress = False,
    scenario: Scenario | None = None,
) -> Claims | Laws:
    """Test what a compressor claims of itself, by messages of vectors with `d` entries, or the laws of a protocol.

    A compressor is sent normal, sparse, equal and spiky vectors. If it says `unbiased`, E Q(x) = x and E‖Q(x) − x‖² ≤ ω‖x‖² are
    tested, else E‖Q(x) − x‖² ≤ (1 − δ)‖x‖² where it has `contraction`. Strings are read back where it has `decode`;
    otherwise the stated bits are compared with the least that any code of normal entries needs. Compressors that keep
    their claims are refused with a probability of at most 10⁻⁶ per call, whatever the distribution of Q(x). A bias
    along x, an entry of it or random signs is found where it is above about √(40 ω / samples) of ‖x‖.

    A protocol of your own plays a small problem several times: repeated, with every call made twice, client by client,
    in another order of clients, audited, with lost state, early rounds, late and lost messages.

    Args:
        part: A compressor of your own, or one of fedbits (with floats of 32 bits, for 10 clients); or a protocol of
            your own.
        d: Entries of the vectors: the length of the model's statistic, which `fedbits check` prints. Of compressors.
        samples: Messages of each vector. Of compressors.
        seed: Of all draws.
        progress: As of `fb.run`. Of compressors.
        scenario: The problem that a protocol plays, in place of a small mixture.

    Raises:
        ValueError: It does not keep a claim, and the text says which, and at which vector; or it breaks laws.

    Examples:
        >>> import fedbits as fb
        >>> found = fb.check(fb.Qsgd(levels=7, code=fb.FixedLevelCode()), 100)
        >>> found.bits_per_entry
        4.32
    """
    if isinstance(part, Protocol | PeerProtocol):
        return laws_of(part, scenario, seed)
    if d is None or d < 1 or samples < 1:
        raise ValueError(f"d is {d}, and samples {samples}: expected at least 1")
    keep: list[object] = []
    text, options = to_ron(part, keep), machine(None, None, None, False, progress)
    try:
        broken, false_alarm, found = _fedbits.claims(text, d, samples, seed, keep, options)
    finally:
        end(options)
    claims = Claims(d, *found)
    if broken:
        name = type(part).__name__
        tried = f"{so_many(samples, 'message')} of each of {so_many(claims.vectors, 'vector')} of {d} entries"
        told = "".join(f"\n- {claim}" for claim in broken)
        raise ValueError(
            f"`{name}` does not keep what it claims ({tried}; true claims are refused with a probability of at most "
            f"{false_alarm:g}):{told}"
        )
    return claims
