# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tables, texts and arrays through the program exakt, against Python's fractions, bit for bit.

Called as: python3 test_tool_oracle.py PATH_OF_EXAKT [NAME_OF_TEST...]
"""
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

EXAKT = os.path.realpath(sys.argv[1])
MODES = ["to_nearest", "toward_zero", "upward", "downward"]
SEED = 20
failures = 0


def rounded(x, mode, bits=53, least=-1074, most=1023):
    """The fraction x as a double (or, with its bits and exponents, as a float), rounded once."""
    if x == 0:
        return -0.0 if mode == "downward" else 0.0
    size = abs(x)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - bits + 1, least)
    kept = size // unit
    rest = size / unit - kept
    away = {"toward_zero": False, "upward": x > 0 and rest > 0, "downward": x < 0 and rest > 0,
            "to_nearest": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and kept % 2 == 1)}[mode]
    result = (kept + away) * unit
    if result >= Fraction(2) ** (most + 1):
        finite = mode == "toward_zero" or (mode == "upward" and x < 0) or (mode == "downward" and x > 0)
        result = Fraction(2 ** bits - 1) * Fraction(2) ** (most - bits + 1) if finite else math.inf
    return float(result) if x > 0 else -float(result)


def root(x):
    """The square root of the fraction x, or a number that every rounding takes for it."""
    if x == 0:
        return x
    shift = max(0, 200 - x.numerator.bit_length() + x.denominator.bit_length()) + 1200
    scaled = x * 4 ** shift
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(whole * whole) == scaled
    return Fraction(whole, 2 ** shift) if exact else Fraction(2 * whole + 1, 2 ** (shift + 1))


def exact_sum(ratios):
    """The sum of numerators over denominators: all that are powers of two at once, for Fraction looks for common divisors."""
    whole, rest = 0, Fraction(0)
    for numerator, denominator in ratios:
        shift = 2148 - denominator.bit_length() + 1
        if shift >= 0 and denominator & (denominator - 1) == 0:
            whole += numerator << shift
        else:
            rest += Fraction(numerator, denominator)
    return Fraction(whole, 2 ** 2148) + rest


def answer(verb, x, mode, y=None, **format):
    """What exakt prints for the numbers x (and y): their bits. None is missing."""
    if verb == "dot":
        pairs = [(a, b) for a, b in zip(x, y) if a is not None and b is not None]
        terms = [a * b if math.isfinite(a) and math.isfinite(b) else float(a) * float(b) for a, b in
                 ((special(a), special(b)) for a, b in pairs)]
        return special_sum(terms) or bits(rounded(exact_sum(t.as_integer_ratio() for t in terms), mode, **format))
    x = [special(a) for a in x if a is not None]
    n = len(x)
    if verb == "mean" and n == 0 or verb in ("var", "stddev") and n <= 1:
        return "nan"
    odd = special_sum([a * a for a in x] if verb == "nrm2" else x)
    if odd:
        return "nan" if verb in ("var", "stddev") else odd
    total = exact_sum((a.numerator, a.denominator) for a in x)
    squares = exact_sum((a.numerator ** 2, a.denominator ** 2) for a in x) if verb not in ("sum", "mean") else None
    exact = {"sum": lambda: total, "mean": lambda: total / n, "nrm2": lambda: root(squares),
             "var": lambda: (n * squares - total ** 2) / (n * (n - 1)),
             "stddev": lambda: root((n * squares - total ** 2) / (n * (n - 1)))}[verb]()
    return bits(rounded(exact, mode, **format))


def special(x):
    """Infinities and NaN stay doubles, all others become fractions."""
    return x if isinstance(x, float) and not math.isfinite(x) else Fraction(x)


def special_sum(terms):
    odd = [t for t in terms if isinstance(t, float)]
    return bits(sum(odd)) if odd else ""


def bits(x):
    return "nan" if x != x else struct.pack(">d", x).hex()


def run(arguments, text=None):
    done = subprocess.run([EXAKT] + arguments, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        return "exit code %d: %s" % (done.returncode, done.stderr), ""
    return done.stdout, done.stderr


def check(name, got, expected):
    global failures
    if got != expected:
        failures += 1
        print("FAILED:", name, "\n  expected:", repr(expected)[:500], "\n  got:     ", repr(got)[:500])


def number_bits(word):
    try:
        return bits(float.fromhex(word) if "0x" in word else float(word))
    except ValueError:
        return "not a number: " + word


def double(rng, family):
    sign = rng.choice([-1.0, 1.0])
    if family == "plain":
        return sign * rng.randrange(10 ** 6) / 100
    if family == "wide":
        return sign * math.ldexp(rng.random() + 0.5, rng.randrange(-1074, 1023))
    if family == "tiny":
        return sign * 5e-324 * rng.randrange(2 ** 54)
    if family == "near":  # what a variance cancels
        return 1e8 + rng.randrange(1000) * 2.0 ** -26
    return rng.choice([0.0, -0.0, 1.0, 1e300, -1e300, 1.7976931348623157e308, 5e-324, math.inf, -math.inf, math.nan])


FAMILIES = ["plain", "wide", "tiny", "near"]
VERBS = ["sum", "mean", "nrm2", "var", "stddev"]


def decimal(rng):
    """A decimal number as text, and its value."""
    whole, fraction = rng.randrange(0, 25), rng.randrange(0, 25)
    digits = lambda n: "".join(rng.choice("0123456789") for _ in range(n))
    text = rng.choice(["", "+", "-"]) + digits(whole) + ("." + digits(fraction) if fraction or not whole else "")
    if not any(c.isdigit() for c in text):
        text += "0"
    if rng.random() < 0.5:
        text += rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.choice([rng.randrange(40), rng.randrange(10001)]))
    return text, Fraction(text)


def write_table(rng, path, rows):
    """rows of (key, x, y), as their texts; quoted now and then."""
    with open(path, "w", newline="") as file:
        end = rng.choice(["\n", "\r\n"])
        file.write("k,x,y" + end)
        for row in rows:
            file.write(",".join('"%s"' % field.replace('"', '""') if '"' in field or "," in field or "\n" in field or
                                rng.random() < 0.1 else field for field in row) + end)


def lines(text):
    return {key: values for key, *values in (line.split("\t") for line in text.splitlines())}


def test_tables(rng):
    for family in FAMILIES + ["special"]:
        keys = ["k%d" % i for i in range(7)] + ["a, b", 'say "x"', "", "10", "9"]
        rows = [(rng.choice(keys), double(rng, family), double(rng, rng.choice(FAMILIES))) for _ in range(600)]
        missing = lambda x: rng.choice(["", "NA", "NaN", "nan"]) if x is None else repr(x)
        rows = [(k, None if rng.random() < 0.1 or x != x else x, y) for k, x, y in rows]
        write_table(rng, "t.csv", [(k, missing(x), repr(y)) for k, x, y in rows])
        lost = sum(x is None for _, x, _ in rows)
        for verb in VERBS:
            for mode in MODES:
                threads = ["--threads", rng.choice(["1", "2", "4"]), "--rounding", mode, "--hex", "--missing", "skip"]
                out, err = run([verb, "--column", "x,y", "t.csv"] + threads)
                expected = {name: [answer(verb, [r[c] for r in rows], mode)] for c, name in ((1, "x"), (2, "y"))}
                check([verb, mode, family], {k: [number_bits(v) for v in vs] for k, vs in lines(out).items()}, expected)
                check([verb, "skipped"], err, "exakt: skipped %d missing value%s: %d in x, 0 in y\n"
                      % (lost, "" if lost == 1 else "s", lost))
                out, err = run([verb, "--column", "y,x", "--by", "k", "t.csv"] + threads)
                quoted = lambda k: '"%s"' % k.replace('"', '""') if '"' in k else k
                expected = {quoted(k): [answer(verb, [r[c] for r in rows if r[0] == k], mode) for c in (2, 1)]
                            for k in {r[0] for r in rows}}
                check([verb, mode, family, "by"], {k: [number_bits(v) for v in vs] for k, vs in lines(out).items()},
                      expected)
                check([verb, "sorted"], list(lines(out)), [quoted(k) for k in sorted({r[0] for r in rows})])
        for mode in MODES:
            options = ["--rounding", mode, "--hex", "--missing", "skip", "t.csv"]
            out, _ = run(["dot", "--column", "x,y"] + options)
            check(["dot", mode, family], number_bits(out.strip()),
                  answer("dot", [r[1] for r in rows], mode, [r[2] for r in rows]))
            out, _ = run(["dot", "--column", "x,y", "--by", "1", "--header", "yes"] + options)
            check(["dot by", mode, family], {k: number_bits(v[0]) for k, v in lines(out).items() if '"' not in k},
                  {k: answer("dot", [r[1] for r in rows if r[0] == k], mode, [r[2] for r in rows if r[0] == k])
                   for k in {r[0] for r in rows} if '"' not in k})


def test_variances(rng):
    for family in FAMILIES:
        for n in [0, 1, 2, 3, 100, 70000]:
            x = [double(rng, family) for _ in range(n)]
            with open("x.f64", "wb") as file:
                file.write(struct.pack("=%dd" % n, *x))
            split = n // 3
            with open("a.f64", "wb") as a, open("b.f64", "wb") as b:
                a.write(struct.pack("=%dd" % split, *x[:split]))
                b.write(struct.pack("=%dd" % (n - split), *x[split:]))
            for verb in ["var", "stddev"]:
                run([verb, "a.f64", "--state", "a"])
                run([verb, "b.f64", "--state", "b"])
                for mode in MODES if n < 1000 else MODES[:1]:
                    expected = answer(verb, x, mode)
                    for arguments in [[verb, "x.f64"], [verb, "b.f64", "a.f64", "--threads", "3"], ["merge", "a", "b"]]:
                        out, _ = run(arguments + ["--rounding", mode, "--hex"])
                        check([arguments, mode, family, n], number_bits(out.strip()), expected)
    x = [rng.randrange(-2 ** 63, 2 ** 63) for _ in range(50)]
    with open("x.i64", "wb") as file:
        file.write(struct.pack("=50q", *x))
    for verb in VERBS:
        out, _ = run([verb, "x.i64", "--hex"])
        check([verb, "i64"], number_bits(out.strip()), answer(verb, x, "to_nearest"))


RECORD = [("k", "<U1", 4), ("a", ">f8", 8), ("z", "<c16", 16), ("f", "<f4", 4), ("n", "<i8", 8), ("u", ">u8", 8), ("w", ">c8", 8)]


def write_records(path, rows):
    """rows of (a, z.real, z.imag, f, n, u, w.real, w.imag), as an .npy file of records."""
    header = "{'descr': %r, 'fortran_order': False, 'shape': (%d,), }" % ([(n, t) for n, t, _ in RECORD], len(rows))
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for a, x, y, f, n, u, p, q in rows:
            file.write("k".encode("utf-32-le") + struct.pack(">d", a) + struct.pack("<2dfq", x, y, f, n) + struct.pack(">Q2f", u, p, q))


def test_records(rng):
    single = lambda: struct.unpack("f", struct.pack("f", rng.uniform(-1, 1) * 2.0 ** rng.randrange(-140, 120)))[0]
    names = ["a", "z.real", "z.imag", "f", "n", "u", "w.real", "w.imag"]
    for family, count in [("plain", 9000), ("wide", 500), ("tiny", 200), ("near", 500), ("special", 40), ("plain", 0)]:
        rows = [(double(rng, family), double(rng, family), double(rng, family), single(), rng.randrange(-2 ** 63, 2 ** 63),
                 rng.randrange(2 ** 64), single(), single()) for _ in range(count)]
        write_records("r.npy", rows)
        column = {name: [r[c] for r in rows] for c, name in enumerate(names)}
        for verb in VERBS:
            for mode in MODES if count <= 500 else MODES[:1]:
                chosen = rng.sample(names, rng.randrange(2, 6))
                options = ["--threads", rng.choice(["1", "2", "4"]), "--rounding", mode, "--hex"]
                out, _ = run([verb, "--column", ",".join(chosen), "r.npy"] + options)
                check([verb, mode, family, chosen], [[k, number_bits(v)] for k, v in (line.split("\t") for line in out.splitlines())],
                      [[k, answer(verb, column[k], mode)] for k in chosen])
                one = rng.choice(names)
                out, _ = run([verb, "--column", one, "r.npy"] + options)
                check([verb, mode, family, one], number_bits(out.strip()), answer(verb, column[one], mode))
                if verb == "sum":
                    x, y = rng.sample(names, 2)
                    out, _ = run(["dot", "--column", x + "," + y, "r.npy"] + options)
                    check(["dot", mode, family, x, y], number_bits(out.strip()), answer("dot", column[x], mode, column[y]))


def test_decimals(rng):
    single = dict(bits=24, least=-149, most=127)
    for n in [0, 1, 2, 3, 10, 300]:
        for _ in range(5):
            numbers = [decimal(rng) for _ in range(n)]
            if rng.random() < 0.3:  # all but the last cancel
                numbers += [("-" + t.lstrip("+") if not t.startswith("-") else t[1:], -v) for t, v in numbers[1:]]
            texts, values = [t for t, _ in numbers], [v for _, v in numbers]
            with open("d.txt", "w") as file:
                file.write(" ".join(texts))
            with open("d.csv", "w") as file:
                file.write("k,v\n" + "".join("%d,%s\n" % (i % 2, t) for i, t in enumerate(texts)))
            for name, part in (("d1.txt", texts[::2]), ("d2.txt", texts[1::2])):
                with open(name, "w") as file:
                    file.write("\n".join(part))
            for verb in ["sum", "mean"]:
                mode = rng.choice(MODES)
                expected = answer(verb, values, mode)
                options = ["--rounding", mode, "--hex", "--threads", rng.choice(["1", "3"])]
                run([verb, "--decimal", "d1.txt", "--state", "one"])
                run([verb, "--decimal", "d2.txt", "--state", "two"])
                for arguments in [[verb, "--decimal", "d.txt"], [verb, "--decimal", "--column", "v", "d.csv"],
                                  [verb, "--decimal", "d2.txt", "d1.txt"], ["merge", "two", "one"]]:
                    out, _ = run(arguments + options[:3])
                    check([arguments, mode, texts[:4]], number_bits(out.strip()), expected)
                out, _ = run([verb, "--decimal", "d.txt", "--result", "f32"] + options)
                check([verb, "f32", mode], number_bits(out.strip()), answer(verb, values, mode, **single))
                out, _ = run([verb, "--decimal", "--by", "k", "d.csv", "--header", "yes"] + options)
                check([verb, "by", mode], {k: number_bits(v[0]) for k, v in lines(out).items()},
                      {str(i): answer(verb, values[i::2], mode) for i in range(min(2, len(values)))})
    # Ties of decimals: halfway between two doubles, and a little above and below.
    for power in [0, 1, 40, -40]:
        tie = Fraction(2 ** 53 + 1) * Fraction(2) ** power
        digits = "%d" % (tie * 10 ** 40) + "e-40"
        for more, sign in (("", 0), ("1e-9999", 1), ("-1e-9999", -1)):
            for mode in MODES:
                out, _ = run(["sum", "--decimal", "--rounding", mode, "--hex", "-"], digits + " " + more)
                value = tie + sign * Fraction(1, 10 ** 9999)
                check(["tie", power, more, mode], number_bits(out.strip()), bits(rounded(value, mode)))


def test_numbers(rng):
    """Numbers as text, one to a group, against Python's float(): many are next to what the short way of reading takes."""
    digits = lambda n: "".join(rng.choice("0123456789") for _ in range(n))
    texts = ["0", "-0", "-0.0", "5.", ".5", "-.5", "9007199254740993", "9007199254740992", "900719925474099.3",
             "999999999999999", "0.000000000000001", "99999999999999.9", "1e5", "1E-5", "0x10", "-0x1.8p1", "+1.5",
             "9999999999999999999", "9999999999999999999e-27", "99999999999999999999", "0.9999999999999999999", "1e-27",
             "1e-28", "00000000000000000.1", "0000000000000000000e-9", "-0.00000000000000000e-3"]
    for power in range(28):  # ties between doubles, and their neighbours, that 19 digits can write
        for _ in range(20):
            tie = (2 * rng.randrange(2 ** 52, 2 ** 53) + 1) << rng.randrange(10)
            texts += [f"{tie + i}e-{power}" for i in [-1, 0, 1]]
            texts.append(str(tie)[:5] + "." + str(tie)[5:])
    for _ in range(6000):
        length = rng.choice([1, 2, 5, 8, 13, 14, 15, 16, 17, 18, 19, 20])
        point = rng.randrange(-1, length + 1)
        text = digits(length)
        if point >= 0:
            text = text[:point] + "." + text[point:]
        exponent = rng.choice("eE") + rng.choice(["%d", "%+03d"]) % rng.randrange(-40, 40) if rng.random() < 0.3 else ""
        texts.append(rng.choice(["", "", "-"]) + text + exponent)
    value = lambda text: float.fromhex(text) if "0x" in text else float(text)
    with open("numbers.csv", "w") as file:
        file.write("group,x\n" + "".join("g%05d,%s\n" % (i, text) for i, text in enumerate(texts)))
    # As an exact zero is +0, whatever it was.
    expected = [[f"g{i:05}", bits(value(text) + 0.0)] for i, text in enumerate(texts)]
    out, _ = run(["sum", "--hex", "--by", "group", "--column", "x", "numbers.csv"])
    for text, got, wanted in zip(texts, [[k, number_bits(values[0])] for k, values in lines(out).items()], expected, strict=True):
        check(text, got, wanted)
    for separator in ["\n", " ", "\t", "\r\n"]:
        out, _ = run(["sum", "--hex", "-"], separator.join(texts) + separator)
        check("text", number_bits(out.strip()), bits(rounded(sum(map(Fraction, map(value, texts))), "to_nearest")))


def test_digest(_):
    digest, count = 0xcbf29ce484222325, 0
    golden = os.path.join(os.path.dirname(SCRIPT), "..", "golden", "cases")
    for verb in ["sum", "nrm1", "nrm2", "nrm2_squared", "mean", "dot"]:
        with open(os.path.join(golden, verb + ".txt"), "rb") as file:
            file.readline()
            text = file.read()
        count += text.count(b"\n")
        for byte in text:
            digest = (digest ^ byte) * 0x100000001b3 % 2 ** 64
    check("digest", run(["selftest"])[0],
          "digest %016x of %d golden results: this build gives the promised bits\n" % (digest, count))


SCRIPT = os.path.abspath(sys.argv[0])
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    print("seed", SEED)
    for test in [test_tables, test_variances, test_records, test_decimals, test_numbers, test_digest]:
        if len(sys.argv) > 2 and test.__name__ not in sys.argv[2:]:
            continue
        test(random.Random(SEED))
        print(test.__name__, "done")
    os.chdir("/")
sys.exit(1 if failures else 0)
