#!/usr/bin/env python3
"""Writes four_digits.csv: numbers, and how a table shows them, by exact decimal arithmetic (module `decimal`).

Four significant digits, halves to even, but all five before the point; a power of ten below 1e-3 and from 1e5 on.
Usage: python3 make_four_digits.py > four_digits.csv
"""

import decimal
import random

decimal.getcontext().prec = 1200
QUANTUM = decimal.Context(prec=4, rounding=decimal.ROUND_HALF_EVEN)


def shown(value: float) -> str:
    exact = decimal.Decimal(value)
    rounded = QUANTUM.create_decimal(exact)
    exponent = rounded.adjusted()
    digits = "".join(map(str, rounded.as_tuple().digits)).ljust(4, "0")[:4]
    sign = "-" if rounded.is_signed() else ""
    if -3 <= exponent < 5:
        step = decimal.Decimal(1).scaleb(-max(0, 3 - exponent))
        return format(exact.quantize(step, rounding=decimal.ROUND_HALF_EVEN), "f")
    return f"{sign}{digits[0]}.{digits[1:]}e{exponent}"


random.seed(18)
values = [0.00099995, 0.000999949, 9.9995, 9.99949, 99999.4, 99999.5, 99995.0, 1e5, 1e-3, 0.5, 2.5, 1.0005, 1.0015, 1e300, 5e-324]
values += [random.uniform(1, 10) * 10.0 ** random.randint(-12, 12) for _ in range(200)]
values += [-value for value in values[:20]]
print("value,shown")
for value in values:
    print(f"{value!r},{shown(value)}")
