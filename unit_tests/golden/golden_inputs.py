# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of the golden set, as README.md, "Inputs", says them: with integers only."""

MASK = (1 << 64) - 1


class Format:
    def __init__(self, width, precision, min_exponent, max_exponent):
        self.width, self.precision = width, precision
        self.min_exponent, self.max_exponent = min_exponent, max_exponent
        self.lowest = min_exponent - precision + 1
        self.hidden = 1 << (precision - 1)
        self.sign = 1 << (width - 1)
        self.infinity = self.sign - self.hidden
        self.nan = self.infinity + self.hidden // 2


F64, F32 = Format(64, 53, -1022, 1023), Format(32, 24, -126, 127)
TYPES = {"f64": (F64, F64, 1), "f32": (F32, F32, 1), "c128": (F64, F64, 2), "f64f32": (F64, F32, 1)}


def mixed(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Stream:
    def __init__(self, seed, number, f=None):
        self.state, self.f = mixed(64 * seed + number), f

    def draw(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        return mixed(self.state)

    def below(self, count):
        return self.draw() % count

    def permutation(self, n):
        p = list(range(n))
        for i in range(n, 1, -1):
            j = self.below(i)
            p[i - 1], p[j] = p[j], p[i - 1]
        return p

    def encoded(self, negative, m, e):
        f, sign = self.f, self.f.sign if negative else 0
        if e < f.min_exponent:
            return sign | m >> f.min_exponent - e
        return sign | (e - f.min_exponent) * f.hidden + m

    def number(self, low, high):
        f = self.f
        low, high = max(low, f.lowest), min(high, f.max_exponent)
        r = self.draw()
        return self.encoded(r >> 63, f.hidden + r % f.hidden, low + self.below(high - low + 1))

    def scaled(self, k, e):
        if k == 0:
            return 0
        bits = abs(k).bit_length()
        return self.encoded(k < 0, abs(k) << self.f.precision - bits, e + bits - 1)

    def integer(self, low, high, e):
        return self.scaled(low + self.below(high - low + 1), e)

    def fields(self, count):
        f, r = self.f, self.draw()
        return (f.sign if r >> 63 else 0) + self.below(count) * f.hidden + r % f.hidden

    def signed_infinity(self):
        return self.f.infinity + (self.f.sign if self.draw() >> 63 else 0)


ELEMENTS = {
    "binade": lambda s: s.number(0, 0),
    "decades10": lambda s: s.number(-17, 16),
    "decades60": lambda s: s.number(-100, 99),
    "decades600": lambda s: s.number(-1000, 999),
    "full": lambda s: s.fields(2 * s.f.max_exponent + 1),
    "subnormal": lambda s: s.fields(2),
    "integers": lambda s: s.integer(-100, 100, 0),
    "minus_zero": lambda s: s.f.sign,
    "tiny": lambda s: s.number(s.f.lowest, -537 if s.f.width == 64 else -74),
    "large": lambda s: s.number((s.f.max_exponent + 1) // 2, s.f.max_exponent),
    "huge": lambda s: s.number(s.f.max_exponent - 1, s.f.max_exponent),
}


def deviations(s, n):
    m = 0x4000000 + s.below(0x1000000) if s.f.width == 64 else 2898 + s.below(1024)
    x = [s.scaled(k, e) for k, e in ((m, 0), (-m, 0), (1, -1), (-1, -1), (1, -1), (-1, -1))][:n] + [0] * (n - 6)
    if n > 6:
        x[-1] = s.integer(-1, 1, s.f.lowest)
    return x


def vector(f, family, seed, n):
    s, places = Stream(seed, 0, f), Stream(seed, 1)
    p, lowest = f.precision, f.lowest
    if family in ("cancel", "zero", "huge_cancel"):
        element = ELEMENTS["huge" if family == "huge_cancel" else "decades60"]
        rest = 0 if n == 0 else n % 2 if family == "zero" else 2 - n % 2
        x = []
        while len(x) + rest < n:
            x.append(element(s))
            x.append(x[-1] ^ f.sign)
        for _ in range(rest):
            x.append(0 if family == "zero" else s.number(-140, -130) if family == "cancel" else s.number(-17, 16))
        return [x[i] for i in places.permutation(n)]
    if family in ("ties", "near_ties"):
        x = [s.number(p - 1, p - 1) if i == 0 else s.integer(-8, 8, -1) for i in range(n)]
        if family == "near_ties" and n >= 2:
            x[-1] = s.integer(-1, 1, lowest)
        return [x[i] for i in places.permutation(n)]
    if family == "edge":
        sign = s.draw() >> 63
        x = [f.infinity - 1 + sign * f.sign, s.scaled(-1 if sign else 1, f.max_exponent - p)][:n]
        return x + [s.integer(-1, 1, lowest) for _ in range(2, n)]
    if family == "triples":
        k = (7 * (f.hidden // 16) + s.below(f.hidden // 16)) // 4 * 4 + 1
        x = [s.scaled(3 * k, -p), s.scaled(-4 * k, -p)][:n]
        return x + [s.integer(-1, 1, lowest) for _ in range(2, n)]
    if family == "squares":
        m = 0x4000000 + 2 * s.below(0x800000) if f.width == 64 else 2898 + 2 * s.below(512)
        x = [s.scaled(m, 0), s.scaled(1, -1), s.scaled(1, -1)][:n]
        return x + [s.integer(-1, 1, lowest if i == n - 1 else -1) for i in range(3, n)]
    if family == "neighbours":
        x = [s.number(0, 0) for _ in range(min(n, 1))]
        return x + [x[0] + s.below(3) - 1 for _ in range(1, n)]
    if family == "deviations":
        return deviations(s, n)
    if family == "quadruples":
        k = (7 * (f.hidden // 16) + s.below(f.hidden // 16)) // 4 * 4 + 1
        x = [s.scaled(m, -p) for m in (3 * k, -3 * k, 4 * k, -4 * k)][:n] + [0] * (n - 4)
        if n > 4:
            x[-1] = s.integer(-1, 1, lowest)
        return x
    element = ELEMENTS.get(family, ELEMENTS["decades10"])
    x = [element(s) for _ in range(n)]
    if n > 0 and family == "nan":
        x[places.below(n)] = f.nan
    if n > 0 and family == "infinity":
        infinity = s.signed_infinity()
        for _ in range(3):
            x[places.below(n)] = infinity
    if n > 0 and family == "infinities":
        x[0] = f.infinity
        x[-1] = f.infinity + f.sign
    return x


FOUR_SQUARES = {
    64: (
        (3679887971205798, 3679887971205798, 3679887971205798, 3679887971205799)
        + (4109070219200387, 3038909433739619, 821779037683436, 410593585603935),
        (2810829079952715, 2810829079952715, 2810829079952715, 2810829079952714)
        + (2769741756521454, 3856472031570596, 4127264271314981, 3154115035060930),
    ),
    32: (
        (6860858, 6860858, 6860858, 6860859, 5593837, 5521235, 5434520, 1371283),
        (4281548, 4281548, 4281548, 4281547, 7275257, 5091485, 9216350, 6659931),
    ),
}


def pair(f, family, seed, n):
    s, t, places = Stream(seed, 0, f), Stream(seed, 1, f), Stream(seed, 3)
    if family == "deviations":
        sign = f.sign if t.draw() >> 63 else 0
        return deviations(s, n), [word ^ sign if word else word for word in deviations(t, n)]
    if family == "proportional":
        sign = f.sign if t.draw() >> 63 else 0
        shift = (t.below(41) - 20) * f.hidden
        x = [s.number(-17, 16) for _ in range(n)]
        return x, [word + shift ^ sign for word in x]
    if family == "four_squares":
        integers = FOUR_SQUARES[f.width][t.below(2)]
        sign = -1 if t.draw() >> 63 else 1
        e = t.below(41) - 20
        x, y = [s.scaled(k, 0) for k in (1, 1, 1, 1, 0, 0, 0, 0)], [s.scaled(sign * k, e) for k in integers]
        x, y = x + [s.scaled(-1, 0)] * 4 + [0] * (4 + n), y + [word ^ f.sign for word in y] + [0] * n
        if n > 4:
            x[4] = s.integer(-1, 1, f.lowest)
        return x[:n], y[:n]
    x, y = [], []
    for _ in range(n):
        if family == "ties":
            x.append(s.number(0, 0))
            y.append(t.integer(-8, 8, -f.precision - 1))
        elif family == "near_ties":
            x.append(s.encoded(s.draw() >> 63, 2 * f.hidden - 2, -1))
            y.append(t.number(f.precision, f.precision))
        elif family == "cancel":
            x.append(s.number(-17, 16))
            y.append((x[-1] ^ f.sign) + t.below(3) - 1)
        else:
            element = ELEMENTS.get(family, ELEMENTS["decades10"])
            x.append(element(s))
            y.append(element(t))
    if n > 0 and family == "nan":
        x[places.below(n)] = f.nan
        y[places.below(n)] = f.nan
    if n > 0 and family == "infinity":
        x[places.below(n)] = s.signed_infinity()
        y[places.below(n)] = t.signed_infinity()
    if n > 0 and family == "infinities":
        i = places.below(n)
        x[i], y[i] = f.infinity, f.infinity + f.sign
    return x, y


UPDATES = ("updates", "near_updates")


def product(f, g, parts, family, seed, m, n, k):
    """op(A) as m rows of k entries, op(B) as k rows of n, C as m rows of n; an entry is a list of its parts."""
    s, t, u, places = Stream(seed, 0, f), Stream(seed, 1, g), Stream(seed, 2, f), Stream(seed, 3)
    ties, cancels = family in ("ties", "near_ties"), family in ("cancel", "zero", "large_cancel")
    element = ELEMENTS["large"] if family == "large_cancel" else ELEMENTS.get(family, ELEMENTS["decades10"])
    rest = k if not cancels or k == 0 else k % 2 if family == "zero" else 2 - k % 2
    paired = k - rest

    def update(stream, l):
        if family == "near_updates" and 0 < l == k - 1:
            return stream.integer(-1, 1, -537 if f.width == 64 else -74)
        return stream.integer(-8, 8, -((f.precision + 1) // 2))

    def a_entry(l):
        if family in UPDATES:
            return update(s, l)
        if ties and l == 0:
            return s.number(0, 0)
        return s.integer(-8, 8, 0) if ties or family == "multiples" else element(s)

    def b_entry(l):
        if family in UPDATES:
            return update(t, l)
        if family == "multiples":
            return t.number(0, 0)
        if ties and l == 0:
            return t.scaled(-1 if t.draw() >> 63 else 1, 0)
        if family == "near_ties" and l == k - 1:
            return t.integer(-1, 1, g.lowest)
        if ties:
            return t.integer(-3, 3, -f.precision)
        if cancels and l >= paired:
            if family == "zero":
                return 0
            if family == "cancel":
                return t.number(-80, -60)
            return t.number(-500, -480) if g.width == 64 else t.number(-70, -60)
        return element(t)

    def c_entry():
        if ties or family in UPDATES or family == "multiples":
            return u.number(0, 0)
        if family == "cancel":
            return u.number(-80, -60)
        return ELEMENTS.get(family, ELEMENTS["decades10"])(u)

    a, b = [], []
    for _ in range(m):
        a.append([])
        for l in range(k):
            a[-1].append(list(a[-1][-1]) if l < paired and l % 2 else [a_entry(l) for _ in range(parts)])
    for l in range(k):
        if l < paired and l % 2:
            b.append([[word ^ g.sign for word in entry] for entry in b[-1]])
        else:
            b.append([[b_entry(l) for _ in range(parts)] for _ in range(n)])
    c = [[[c_entry() for _ in range(parts)] for _ in range(n)] for _ in range(m)]
    if cancels:
        order = places.permutation(k)
        a = [[row[l] for l in order] for row in a]
        b = [b[l] for l in order]
    if m * n * k > 0:
        i, j, l, other = places.below(m), places.below(n), places.below(k), places.below(k)
        if family == "nan":
            a[i][l][0] = f.nan
        if family in ("infinity", "infinities", "zero_times_infinity"):
            a[i][l][0] = s.signed_infinity()
        if family == "infinities":
            b[other][j][0] = t.signed_infinity()
        if family == "zero_times_infinity":
            b[l][j][0] = 0
    return a, b, c


def triangle(f, parts, family, seed, n, columns, unit):
    """A as rows of i + 1 entries, B as n rows; an entry is a list of its parts."""
    s, t, places = Stream(seed, 0, f), Stream(seed, 1, f), Stream(seed, 3)
    is_element = family.startswith("decades")
    a, b = [], []

    def a_entry(i, j, part):
        if family == "integers":
            return s.integer(1, 9, 0) if i == j else s.integer(-3, 3, 0)
        if family == "ties":
            return s.scaled(1 - part, 0) if i == j else s.integer(-1, 1, 0)
        if is_element:
            return ELEMENTS[family](s)
        if family != "residual":
            return s.number(8, 8) if i == j else s.number(-4, 3)
        if i % 2 and i != j:
            return s.scaled(1 - part, 0) if unit and j == i - 1 else a[i - 1][j][part]
        return s.number(0, 0)

    def b_entry(i, j, part):
        if family == "residual" and i % 2:
            return b[i - 1][j][part]
        if is_element or family in ("integers", "subnormal"):
            return ELEMENTS[family](t)
        return t.number(f.precision - 1, f.precision - 1) if family == "ties" else t.number(-4, 3)

    for i in range(n):
        a.append([[a_entry(i, j, part) for part in range(parts)] for j in range(i + 1)])
    for i in range(n):
        b.append([[b_entry(i, j, part) for part in range(parts)] for j in range(columns)])
    if n > 0 and columns > 0:
        i, j = places.below(n), places.below(columns)
        if family == "nan":
            b[i][j][0] = f.nan
        if family == "infinity":
            b[i][j][0] = t.signed_infinity()
        if family == "zero_diagonal" and not unit:
            a[i][i] = [0] * parts
    return a, b


def pattern(seed, m, k):
    """Rows of what is stored."""
    stream, rows = Stream(seed, 4), []
    for _ in range(m):
        kind = stream.below(8)
        rows.append([kind != 0 and (kind < 4 or stream.below(2) == 1) for _ in range(k)])
    return rows


def indices(seed, n, bins):
    stream = Stream(seed, 2)
    return [stream.below(bins) for _ in range(n)]


def offsets(seed, n, segments):
    return sorted(indices(seed, segments + 1, n + 1))


def keys(seed, n, count):
    def signed(word):
        return word - (1 << 64) if word >> 63 else word

    return [signed(i * 0x9E3779B97F4A7C15 & MASK) if seed % 2 else i for i in indices(seed, n, count)]


def places(seed, n, bins):
    """Four times x, the first of which is NaN, and four times the edges."""
    s, t = Stream(seed, 2), Stream(seed, 3)
    x = [s.below(41) - 20 for _ in range(n)]
    return [None if i == 0 else x[i] for i in range(n)], sorted(t.below(33) - 16 for _ in range(bins + 1))
