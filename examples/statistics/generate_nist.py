#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes the NIST StRD univariate data sets that need no download, and checks NIST's certified values.

NumAcc1 to NumAcc4 and PiDigits are defined by a formula, so the files are made from it; the certified
values are NIST's (Statistical Reference Datasets, Univariate Summary Statistics), and every one is
verified here in exact rational arithmetic before it is written.

  generate_nist.py           writes nist/ beside this script
  generate_nist.py --check   writes nothing, fails when nist/ differs from what would be written
"""

import decimal
import fractions
import math
import pathlib
import struct
import sys

Fraction = fractions.Fraction
decimal.getcontext().prec = 60

# As NIST prints them: mean, standard deviation (n - 1), lag-1 autocorrelation.
CERTIFIED = {
    "NumAcc1": ("10000002", "1", "-0.5"),
    "NumAcc2": ("1.2", "0.1", "-0.999"),
    "NumAcc3": ("1000000.2", "0.1", "-0.999"),
    "NumAcc4": ("10000000.2", "0.1", "-0.999"),
    "PiDigits": ("4.53480000000000", "2.86733906028871", "-0.00355099287237972"),
}
QUANTITIES = ("mean", "standard_deviation", "lag1_autocorrelation")


def arctan_inverse(x, one):
    """arctan(1/x) * one, truncated term by term."""
    power = one // x
    total, divisor, sign = power, 1, 1
    while power:
        power //= x * x
        divisor += 2
        sign = -sign
        total += sign * (power // divisor)
    return total


def pi_digits(count):
    """The first `count` decimal digits of pi, 3 included, by Machin's formula in integers."""
    guard = 20  # some 7000 truncated terms, each off by less than one unit, cost four of these digits
    one = 10 ** (count - 1 + guard)
    pi = 4 * (4 * arctan_inverse(5, one) - arctan_inverse(239, one))
    # A run of 0s or 9s across the guard digits is the only way in which truncation could reach the kept ones.
    tail = pi % 10**guard
    assert 10**8 < tail < 10**guard - 10**8
    kept = pi // 10**guard
    digits = []
    while kept:  # digit by digit: newer Pythons refuse str() of so long an integer
        kept, digit = divmod(kept, 10)
        digits.append(str(digit))
    digits.reverse()
    assert len(digits) == count and "".join(digits).startswith("31415926535897932384")
    return digits


def nist_pi_digits():
    """NIST's file is pi except for digit 957, where it has a 3 for the true 8. Its certified values are those of
    the file, so the file is what counts: with the true digit the mean would be 4.5358, not 4.5348."""
    digits = pi_digits(5000)
    assert digits[956] == "8"
    digits[956] = "3"
    return digits


def alternating(first, low, high):
    return [first] + [low, high] * 500


def data_sets():
    return {
        "NumAcc1": ["10000001", "10000003", "10000002"],
        "NumAcc2": alternating("1.2", "1.1", "1.3"),
        "NumAcc3": alternating("1000000.2", "1000000.1", "1000000.3"),
        "NumAcc4": alternating("10000000.2", "10000000.1", "10000000.3"),
        "PiDigits": nist_pi_digits(),
    }


def to_decimal(value):
    return decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)


def exact_statistics(values):
    n = len(values)
    mean = sum(values, Fraction(0)) / n
    deviations = [value - mean for value in values]
    squares = sum(d * d for d in deviations)
    products = sum(a * b for a, b in zip(deviations, deviations[1:]))
    return (
        to_decimal(mean),
        to_decimal(squares / (n - 1)).sqrt(),
        to_decimal(products / squares),
    )


def log_relative_error(value, certified):
    if value == certified:
        return 15.0
    return min(15.0, float(-abs((value - certified) / certified).log10()))


def files():
    """Name -> bytes of everything under nist/."""
    result = {}
    table = [
        "# NIST StRD univariate summary statistics, certified values, each verified in exact arithmetic by",
        "# generate_nist.py. The last column is what the data themselves allow: the digits that exact arithmetic",
        "# on the numbers rounded to double agrees on (log relative error, 15 at most).",
        "# data set, quantity, certified value, reachable digits",
    ]
    for name, numbers in data_sets().items():
        exact = exact_statistics([Fraction(number) for number in numbers])
        rounded = exact_statistics([Fraction(float(number)) for number in numbers])
        for quantity, certified, true_value, double_value in zip(QUANTITIES, CERTIFIED[name], exact, rounded):
            certified_value = decimal.Decimal(certified)
            # NIST rounds to the digits it prints, so at most half a unit of the last one may be missing.
            unit = decimal.Decimal((0, (1,), certified_value.as_tuple().exponent))
            exactly = name != "PiDigits" or quantity == "mean"
            allowed = decimal.Decimal("1e-50") if exactly else unit / 2
            if abs(true_value - certified_value) > allowed:
                sys.exit(f"{name} {quantity}: certified {certified}, exact arithmetic gives {true_value:.25g}")
            digits = math.floor(100 * log_relative_error(double_value, certified_value)) / 100
            table.append(f"{name} {quantity} {certified} {digits:.2f}")
        result[f"{name}.txt"] = ("\n".join([f"# NIST StRD {name}, written by generate_nist.py"] + numbers) + "\n").encode()
        # The same numbers as raw little endian bytes, for --raw: small sets only.
        if name == "NumAcc1":
            result[f"{name}.f32"] = struct.pack(f"<{len(numbers)}f", *map(float, numbers))
        if name == "NumAcc2":
            result[f"{name}.f64"] = struct.pack(f"<{len(numbers)}d", *map(float, numbers))
    result["certified.txt"] = ("\n".join(table) + "\n").encode()
    return result


def main():
    folder = pathlib.Path(__file__).resolve().parent / "nist"
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    folder.mkdir(exist_ok=True)
    different = []
    for name, content in files().items():
        path = folder / name
        if not check:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            different.append(str(path))
    if different:
        sys.exit("differs from what generate_nist.py writes: " + " ".join(different) + "; run it without --check")


main()
