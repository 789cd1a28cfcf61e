#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the published hard cases, or checks that files are these: hard_cases.py [--check] FOLDER

Integers and fractions only (Python 3.8, standard library). README.md describes the files.
"""
import pathlib
import random
import sys
from fractions import Fraction


class Format:
    def __init__(self, name, precision, max_exponent):
        self.name, self.precision, self.top = name, precision, max_exponent
        self.normal = 1 - max_exponent
        self.low = self.normal - precision + 1  # the exponent of the smallest number


F64, F32 = Format("f64", 53, 1023), Format("f32", 24, 127)
MODES = ("nearest", "zero", "up", "down")


def power(e):
    return Fraction(2) ** e


def exponent(x):
    """2^e <= |x| < 2^(e+1)"""
    x = abs(x)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if power(e) <= x else e - 1


def rounded(x, form, mode):
    """A Fraction, 'inf', '-inf', or 0 or '-0' for an exact zero."""
    if x == 0:
        return "-0" if mode == "down" else Fraction(0)
    unit = power(max(exponent(x), form.normal) - form.precision + 1)
    quotient, rest = divmod(abs(x), unit)
    up = {"zero": False, "up": x > 0 and rest > 0, "down": x < 0 and rest > 0,
          "nearest": 2 * rest > unit or (2 * rest == unit and quotient % 2 == 1)}[mode]
    magnitude = (quotient + up) * unit
    sign = -1 if x < 0 else 1
    if magnitude >= power(form.top + 1):
        if mode == "nearest" or (mode == "up" and x > 0) or (mode == "down" and x < 0):
            return "-inf" if x < 0 else "inf"
        magnitude = power(form.top + 1) - power(form.top - form.precision + 1)
    return "-0" if magnitude == 0 and x < 0 else sign * magnitude


def representable(x, form):
    return x % power(form.low) == 0 and rounded(x, form, "zero") == x


def text(x):
    """As C99 and Python read it: 0x1.8p+3."""
    if isinstance(x, str):
        return x
    if x == 0:
        return "0"
    e = exponent(x)
    fraction = abs(x) / power(e) - 1
    digits = ""
    while fraction:
        digit, fraction = divmod(fraction * 16, 1)
        digits += "%x" % digit
    return "%s0x1%sp%+d" % ("-" if x < 0 else "", "." + digits if digits else "", e)


def line(form, terms, modes=MODES):
    """Terms are numbers, or pairs of factors."""
    total = sum(t[0] * t[1] if isinstance(t, tuple) else t for t in terms)
    shown = ["*".join(map(text, t)) if isinstance(t, tuple) else text(t) for t in terms]
    return " ".join(shown + ["->"] + [text(rounded(total, form, m)) for m in modes])


def ties(form, lowest, term):
    """The largest power of two, half a unit of its last place, and 2^-k of that half, for every k that there is: above
    the even number, where it decides, and below the next, odd one."""
    unit = form.top - form.precision + 1
    half = power(unit - 1)
    even, odd = power(form.top), power(form.top) + power(unit)
    yield line(form, [term(even), term(half)])
    yield line(form, [term(odd), term(half)])
    for k in range(1, unit - 1 - lowest + 1):
        distance = power(unit - 1 - k)
        if lowest == form.low or k % 2 == 0:
            yield line(form, [term(even), term(half), term(distance)], ("nearest",))
        if lowest == form.low or k % 2 == 1:
            yield line(form, [term(odd), term(half), term(-distance)], ("nearest",))


def every_bit(form, lowest, term):
    """Sums for which every bit of the range matters."""
    last, top = power(lowest), power(form.top)
    # A borrow and a carry through all bits.
    yield line(form, [term(top), term(-last)])
    yield line(form, [term(-top), term(last)])
    powers = [power(e) for e in range(lowest, form.top)]
    yield line(form, [term(p) for p in powers] + [term(last)])
    yield line(form, [term(-p) for p in powers])
    # An integer of all bits cut into numbers at two different sets of places, one with each sign; what is left is the
    # last bit, or a tie that the last bit decides.
    draw = random.Random(20111)
    width = form.precision
    bits = form.top - lowest
    for _ in range(3):
        whole = draw.getrandbits(bits)
        terms = []
        for sign in (1, -1):
            position = 0
            while position < bits:
                piece = draw.randint(width - 12, width)
                part = whole >> position & ((1 << piece) - 1)
                if part:
                    terms.append(term(sign * part * last * (1 << position)))
                position += piece
        draw.shuffle(terms)
        sign = draw.choice((1, -1))
        for rest in ([last * sign], [power(form.top - 1), power(form.top - width - 1), last * sign]):
            yield line(form, terms + [term(r) for r in rest])


def as_product(form):
    """Two factors with the product x: small ones times the smallest number."""
    def split(x):
        other = power(form.low) if exponent(x) < form.low // 2 else Fraction(1)
        assert representable(x / other, form)
        return (x / other, other)
    return split


def files():
    for form in (F64, F32):
        for verb in ("sum", "dot"):
            lowest = form.low if verb == "sum" else 2 * form.low
            term = (lambda x: x) if verb == "sum" else as_product(form)
            head = "# SPDX-" "License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            lines = list(ties(form, lowest, term)) + list(every_bit(form, lowest, term))
            yield "%s_%s.txt" % (verb, form.name), head + "\n".join(lines) + "\n"


def main(arguments):
    checks = arguments[:1] == ["--check"]
    if len(arguments) != 1 + checks:
        sys.exit(__doc__)
    folder = pathlib.Path(arguments[-1])
    differ = 0
    for name, content in files():
        path = folder / name
        if not checks:
            path.write_text(content)
        elif path.read_text() != content:
            print("%s: is not what hard_cases.py writes" % path)
            differ += 1
        print("%s: %d cases" % (path, content.count("->")))
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
