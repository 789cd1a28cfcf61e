# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import unittest
import warnings
from fractions import Fraction

import numpy as np

import exakt
from support import FLOATS, Case, add, dot, families, layouts, root, rounded

NAN = np.float64(math.nan)


def scaled(x, y):
    """n sum(x y) - sum(x) sum(y)."""
    return len(x) * dot(x, y) - add(x) * add(y)


def covariance(x, y, ddof):
    n = len(x)
    if n <= ddof or not n or not all(map(math.isfinite, x + y)):
        return NAN
    return rounded(scaled(x, y) / (n * (n - ddof)), np.float64)


def correlation(x, y):
    if len(x) < 2 or not all(map(math.isfinite, x + y)):
        return NAN
    both, spread = scaled(x, y), scaled(x, x) * scaled(y, y)
    if not spread:
        return NAN
    size = root_of(both * both / spread)
    return rounded(size if both >= 0 else -size, np.float64)


def root_of(exact):
    """A Fraction that rounds as the square root does, however small."""
    shift = max(0, 80 - (exact.numerator.bit_length() - exact.denominator.bit_length()) // 2) if exact else 0
    scaled_up = (exact.numerator << 2 * shift) // exact.denominator
    whole = math.isqrt(scaled_up)
    is_exact = whole * whole * exact.denominator == exact.numerator << 2 * shift
    return Fraction(2 * whole + (not is_exact), 2 ** (shift + 1))


class Pairs(Case):
    def check(self, rows, **named):
        values = np.atleast_2d(np.asarray(rows, np.float64)).tolist()
        ddof = named.get("ddof", 1)
        self.same(exakt.cov(rows, **named), np.array([[covariance(a, b, ddof) for b in values] for a in values]).squeeze())
        self.same(exakt.corrcoef(rows), np.array([[correlation(a, b) for b in values] for a in values]).squeeze())

    def test_covariances_and_correlations_are_rounded_once(self):
        random = np.random.default_rng(31)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                x = x[:120]
                with self.subTest(dtype=dtype, family=name):
                    self.check(np.stack([x, x[::-1], np.roll(x, 1)]))
        for scale in (0.0, 1e-3, 1e-9, 1e-15):
            x = 1e3 + random.standard_normal(50)
            y = 3 * x + scale * random.standard_normal(50)
            self.check(np.stack([x, y, -y]), ddof=0)
            self.assertLessEqual(abs(exakt.corrcoef(x, y)[0, 1]), 1)

    def test_the_arguments_of_numpy(self):
        random = np.random.default_rng(32)
        a, y = random.integers(-50, 50, (4, 9)).astype(float), random.integers(-50, 50, (2, 9)).astype(np.float32)
        for named in ({}, {"rowvar": False}, {"bias": True}, {"ddof": 3}, {"ddof": 0}):
            self.assertTrue(np.allclose(exakt.cov(a, **named), np.cov(a, **named)))
            self.assertEqual(exakt.cov(a, **named).shape, np.cov(a, **named).shape)
        self.assertTrue(np.allclose(exakt.cov(a, y), np.cov(a, y)))
        self.assertTrue(np.allclose(exakt.corrcoef(a, y), np.corrcoef(a, y)))
        self.assertTrue(np.allclose(exakt.corrcoef(a.T, rowvar=False), np.corrcoef(a.T, rowvar=False)))
        self.same(exakt.cov([1, 2, 4], rowvar=False), exakt.cov([1, 2, 4]))
        for x in ([1, 2, 4], np.array([1, 2, 4], np.int8), [[1.0], [3.0]]):
            self.assertEqual(exakt.cov(x, ddof=0).shape, np.cov(x, ddof=0).shape)
            self.assertTrue(np.allclose(exakt.cov(x, ddof=0), np.cov(x, ddof=0)))
        self.assertEqual(exakt.corrcoef([1, 2, 3]), 1.0)
        self.same(exakt.cov(a, a[::-1])[:4, 4:], exakt.cov(a)[:, ::-1])
        for layout, stored in layouts(a[0]):
            with self.subTest(layout=layout):
                self.same(exakt.cov(stored, a[1]), exakt.cov(a[:2]))

    def test_what_differs_is_refused(self):
        with self.assertRaises(TypeError):
            exakt.cov([1j, 2])
        with self.assertRaises(TypeError):
            exakt.cov([1.0, 2], fweights=[1, 2])
        with self.assertRaises(TypeError):
            exakt.corrcoef([2**60, 1])
        with self.assertRaises(ValueError):
            exakt.cov([1.0, 2], [1.0, 2, 3])
        with self.assertRaises(ValueError):
            exakt.cov(np.zeros((2, 2, 2)))
        with self.assertRaises(TypeError):
            exakt.cov(np.zeros(3, np.longdouble))


class Complex(Case):
    def test_variances_of_complex_numbers_are_rounded_once(self):
        random = np.random.default_rng(33)
        for dtype, real in ((np.complex128, np.float64), (np.complex64, np.float32)):
            for shape in ((7,), (5, 6), (3, 4, 5), (0,), (1,)):
                z = (1e4 + random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)
                for axis in (None, *range(len(shape))):
                    for ddof in (0, 1):
                        rows = z.reshape(1, -1) if axis is None else np.moveaxis(z, axis, -1)
                        wanted = np.empty(rows.shape[:-1], real)
                        roots = np.empty(rows.shape[:-1], real)
                        for i in np.ndindex(rows.shape[:-1]):
                            x, y = rows[i].real.tolist(), rows[i].imag.tolist()
                            n = len(x)
                            exact = (scaled(x, x) + scaled(y, y)) / (n * (n - ddof)) if n > ddof else math.nan
                            wanted[i] = rounded(exact, real)
                            roots[i] = rounded(exact if n <= ddof else root(exact), real)
                        if axis is None:
                            wanted, roots = wanted[0], roots[0]
                        self.same(exakt.var(z, axis, ddof=ddof), wanted)
                        self.same(exakt.std(z, axis, ddof=ddof), roots)
        z = np.array([1 + 2j, 3 - 1j])
        self.same(exakt.var(z.astype(">c16")), exakt.var(z))
        self.same(exakt.var(z, keepdims=True), np.array([exakt.var(z)]))
        self.same(exakt.var(z.astype(np.complex64), dtype=np.float64), exakt.var(z))
        self.assertTrue(np.isnan(exakt.var([1j, complex(0, math.inf)])))
        with self.assertRaises(TypeError):
            exakt.var(z, dtype=np.float32)
        self.same(exakt.var(z, where=[True, False]), np.float64(0))


class Histograms(Case):
    def test_of_bools_without_a_warning(self):
        bools = np.array([True, False, True])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for bins in (2, [False, True], [0, 0.5, 1]):
                for weights in (None, [1.0, 1.0, 1.0]):
                    for mine, theirs in zip(exakt.histogram(bools, bins, weights=weights),
                                            np.histogram(bools.view(np.uint8), bins, weights=weights)):
                        self.same(mine, theirs)

    def test_each_bin_is_rounded_once(self):
        random = np.random.default_rng(34)
        for dtype in FLOATS:
            for name, weights in families(dtype, random):
                x = random.integers(-3, 9, len(weights)) / 2
                for bins in ([-1, 0, 0.5, 3], 4, [0, 0, 1]):
                    with self.subTest(dtype=dtype, family=name, bins=bins):
                        sums, edges = exakt.histogram(x, bins, weights=weights)
                        self.same(edges, np.histogram_bin_edges(x, bins))
                        wanted = []
                        for b in range(len(edges) - 1):
                            inside = (x >= edges[b]) & ((x < edges[b + 1]) | (b + 2 == len(edges)) & (x == edges[b + 1]))
                            wanted.append(rounded(add([float(w) for w in weights[inside]]), dtype))
                        self.same(sums, np.array(wanted, dtype))

    def test_sums_of_halves_are_rounded_once(self):
        # Above a tie of halves by so little that a float would not tell.
        weights = np.array([1, 2.0**-11, 2.0**-24], np.float16)
        self.same(exakt.histogram([1, 1, 1], [0, 2], weights=weights)[0], np.array([1 + 2.0**-10], np.float16))

    def test_edges_of_every_layout(self):
        for layout, edges in layouts(np.array([0, 1, 2.0])):
            with self.subTest(layout=layout):
                self.same(exakt.histogram([0.5, 1.5, 2], edges, weights=[1.0, 2, 3])[0], np.array([1.0, 5]))

    def test_fewer_than_two_edges(self):
        for edges in ([], [1]):
            sums, found = exakt.histogram([1.0, 2.0], edges, weights=[1.0, 1.0])
            self.assertEqual((sums.shape, sums.dtype, list(found)), ((0,), np.float64, edges))

    def test_no_variables(self):
        self.assertEqual(exakt.cov(np.empty((0, 3)), [1.0, 2, 3]).shape, (0, 0))

    def test_as_numpy(self):
        random = np.random.default_rng(35)
        x, weights = random.standard_normal((30, 4)), random.integers(0, 9, (30, 4)).astype(float)
        for named in ({}, {"bins": 7, "range": (-1, 1)}, {"bins": "fd"}, {"bins": [0, 1, 5]}):
            for weights_or_none in (None,) if named.get("bins") == "fd" else (None, weights):
                for mine, theirs in zip(exakt.histogram(x, weights=weights_or_none, **named),
                                        np.histogram(x, weights=weights_or_none, **named)):
                    self.same(mine, theirs)
        self.same(exakt.histogram([math.nan, 1, 2], [0, 1, 2], weights=np.ones(3))[0], np.array([0.0, 2.0]))
        with self.assertRaisesRegex(TypeError, "edges of type int64 are not offered, nor integers beyond 2"):
            exakt.histogram(np.array([2**53]), bins=np.array([0, 2**53 + 1, 2**53 + 4]), weights=[1.0])
        with self.assertRaisesRegex(TypeError, "edges of type float128 are not offered"):
            exakt.histogram([1.0], bins=np.array([0, 2], np.longdouble), weights=[1.0])
        for weights in (None, [1.0]):
            with self.assertRaisesRegex(TypeError, "entries of type int64 are not offered, nor integers beyond 2"):
                exakt.histogram(np.array([2**53 + 3]), bins=[0.0, 2.0**53 + 4, 2.0**54], weights=weights)
            with self.assertRaisesRegex(TypeError, "entries of type complex128 are not offered"):
                exakt.histogram([1j], bins=[0, 1], weights=weights)
            for edges, name in (([Fraction(1, 3), 1, 2], "object"), (["0", "1", "2"], "<U1"), ([0j, 1, 2], "complex128")):
                with self.assertRaisesRegex(TypeError, f"edges of type {name} are not offered"):
                    exakt.histogram([1], bins=edges, weights=weights)
        with self.assertRaises(ValueError):
            exakt.histogram([1.0, 2], weights=[1.0])
        with self.assertRaises(ValueError):
            exakt.histogram([1.0, 2], [2, 1], weights=[1.0, 1])
        with self.assertRaises(TypeError):
            exakt.histogram([1.0, 2], weights=[1, 2])
        with self.assertRaises(TypeError):
            exakt.histogram([1.0, 2], density=True)


if __name__ == "__main__":
    unittest.main()
