# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

import numpy as np

import exakt
from exakt._operands import AxisError
from support import FLOATS, Case, add, families, layouts, rounded


def prefixes(x, dtype):
    values = x.tolist()
    return np.array([rounded(add(values[: k + 1]), dtype) for k in range(len(values))], dtype)


class Prefixes(Case):
    def test_prefixes_of_every_type_and_layout_are_rounded_once(self):
        random = np.random.default_rng(21)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                x = x[:160]
                wanted = prefixes(x, dtype)
                for layout, stored in layouts(x):
                    with self.subTest(dtype=dtype, family=name, layout=layout):
                        self.same(exakt.cumsum(stored), wanted)
                for other in FLOATS:
                    with self.subTest(dtype=dtype, family=name, other=other):
                        self.same(exakt.cumsum(x[:60], dtype=other), prefixes(x[:60], other))

    def test_along_any_axis(self):
        a = np.random.default_rng(22).standard_normal((3, 4, 5)) * 1e10
        for x in (a, a[::-1, :, ::2], a.astype(np.float32), a[:, :0], a.T):
            for axis in (0, 1, 2, -1):
                wanted = np.empty(x.shape, x.dtype)
                rows, results = np.moveaxis(x, axis, -1), np.moveaxis(wanted, axis, -1)
                for i in np.ndindex(rows.shape[:-1]):
                    results[i] = prefixes(rows[i], x.dtype)
                self.same(exakt.cumsum(x, axis), wanted)
            self.same(exakt.cumsum(x), prefixes(x.ravel(), x.dtype))
        out = np.zeros((3, 4, 5), np.float32)
        self.assertIs(exakt.cumsum(a, 0, out=out), out)
        self.same(out[:, 1, 1], prefixes(a[:, 1, 1], np.float32))
        with self.assertRaises(AxisError):
            exakt.cumsum(a, 3)
        self.same(exakt.cumsum(np.array([1 + 2.0**-11, 2.0**-60], np.float32), dtype=np.float16),
                  np.array([1, 1 + 2.0**-10], np.float16))
        self.same(exakt.cumsum([1e300, 1e300, -1e308], dtype=np.float32), np.array([np.inf, np.inf, -np.inf], np.float32))
        z = a + 1j * a[::-1]
        self.same(exakt.cumsum(z, 1).imag, exakt.cumsum(a[::-1], 1))
        self.same(exakt.cumsum(a[0, 0], dtype=complex), exakt.cumsum(a[0, 0]) + 0j)
        # Of each part only the sum is narrowed.
        terms = np.array([1 + 2.0**-24, 2.0**-60])
        self.same(exakt.cumsum(terms + 1j * terms, dtype=np.complex64)[1], np.complex64((1 + 2.0**-23) * (1 + 1j)))
        self.same(exakt.cumsum([1, 2], dtype=np.complex64), np.array([1, 3], np.complex64))

    def test_integers(self):
        self.same(exakt.cumsum([1, 2, 3]), np.array([1, 3, 6]))
        self.same(exakt.cumsum(np.array([True, True])), np.array([1, 2]))
        self.same(exakt.cumsum(np.array([200, 200], np.uint8)), np.array([200, 400], np.uint64))
        self.same(exakt.cumsum([1, 2], dtype=np.float32), np.array([1, 3], np.float32))
        self.same(exakt.cumsum([2**53, 1, 1], dtype=float), np.array([2.0**53, 2.0**53, 2.0**53 + 2]))
        self.same(exakt.cumsum([2**60, 2**36, 1], dtype=np.float32)[2], np.float32(2**60 + 2**37))
        with self.assertRaises(OverflowError):
            exakt.cumsum([2**62, 2**62])
        for terms in ([1, 2], [2**62, 2**62], np.array([True, True]), np.array([255, 255], np.uint8)):
            sums = exakt.cumsum(terms, dtype=object)
            self.assertEqual(sums.tolist(), np.cumsum(np.asarray(terms).astype(object)).tolist())
            self.assertIs(type(sums[0]), int)


class Keys(Case):
    def check(self, keys, x):
        keys, x = np.asarray(keys), np.asarray(x)
        found, sums = exakt.sum_by_key(keys, x)
        wanted = np.unique(keys)
        self.same(found, wanted.astype(keys.dtype.newbyteorder("=")))
        self.same(sums, np.array([rounded(add(x[keys == key].tolist()), sums.dtype) for key in wanted], sums.dtype))

    def test_keys_of_every_type(self):
        random = np.random.default_rng(23)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                with self.subTest(dtype=dtype, family=name):
                    self.check(random.integers(-2, 3, len(x)), x)
        self.check(np.array([1, 2**63, 2**62], ">u8"), [1.0, 2.0, 3.0])
        x = random.standard_normal(2000)
        numbers = random.integers(0, 40, 2000)
        for keys in (numbers.astype(np.int8), numbers.astype(np.uint64) + 2**63, numbers * 10**17, np.sort(numbers),
                     numbers.astype(">i4"), numbers > 20, numbers / 2, numbers.astype(str), numbers[::-1]):
            with self.subTest(keys=keys.dtype):
                self.check(keys, x)
        for _, stored in layouts(x):
            self.check(numbers, stored)
        # Above a tie of halves by so little that a float would not tell.
        self.check([7, 7, 7], np.array([1, 2.0**-11, 2.0**-24], np.float16))

    def test_terms_that_are_integers_or_complex(self):
        random = np.random.default_rng(24)
        keys = random.integers(-3, 3, 60)
        for dtype in (bool, np.int8, np.uint16, np.int32, np.int64, np.uint64, ">i8"):
            dtype = np.dtype(dtype)
            lowest, highest = (0, 1) if dtype == bool else (np.iinfo(dtype).min // 64, np.iinfo(dtype).max // 64)
            kind = "u8" if dtype.kind == "u" else "i8"
            x = random.integers(lowest, highest, 60, dtype=kind, endpoint=True).astype(dtype)
            found, sums = exakt.sum_by_key(keys, x)
            self.same(found, np.unique(keys))
            self.same(sums, np.array([sum(x[keys == key].tolist()) for key in found], kind))
        self.same(exakt.sum_by_key(["b", "a", "b"], [2**62, 5, -(2**62)])[1], np.array([5, 0]))
        self.same(exakt.sum_by_key([], np.array([], int))[1], np.array([], int))
        with self.assertRaisesRegex(OverflowError, "does not fit into int64; convert x to float to round it$"):
            exakt.sum_by_key([1, 1], [2**62, 2**62])
        for z in (random.standard_normal(60) + 1j * random.standard_normal(60), np.ones(60, ">c8") * 0.1j):
            found, sums = exakt.sum_by_key(keys, z)
            self.same(sums, np.array([exakt.sum(z[keys == key]) for key in found]))

    def test_zeros_of_both_signs_are_one_key(self):
        x = np.arange(100.0)
        for dtype in ("f2", "f4", "f8", ">f8", "g", "c8", "c16"):
            for signs in (np.where(x % 2 == 0, -1, 1), np.where(x % 2 == 0, 1, -1), np.full(100, -1)):
                keys = (np.zeros(100) * signs).astype(dtype)
                if keys.dtype.kind == "c":
                    keys.imag = keys.real
                found, sums = exakt.sum_by_key(keys, x)
                self.assertEqual((found.tolist(), sums.tolist()), ([0], [4950]))
                self.assertEqual(found.dtype, keys.dtype.newbyteorder("="))
                self.assertFalse(np.signbit(found.real).any() or np.signbit(found.imag).any())

    def test_what_does_not_fit_is_refused(self):
        for keys, x in (([1, 2], [1.0]), ([[1]], [[1.0]])):
            with self.assertRaises(ValueError):
                exakt.sum_by_key(keys, x)
        with self.assertRaises(TypeError):
            exakt.sum_by_key([1], ["2"])


if __name__ == "__main__":
    unittest.main()
