# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import tracemalloc
import unittest
from fractions import Fraction

import numpy as np

import exakt
from support import FLOATS, Case, dot, families, layouts, rounded


def product(a, b, dtype):
    """The exact product of two matrices of floats, each entry rounded once."""
    result = np.empty((a.shape[0], b.shape[1]), dtype)
    columns = b.astype(float).T.tolist()
    for i, row in enumerate(a.astype(float).tolist()):
        for j, column in enumerate(columns):
            result[i, j] = rounded(dot(row, column), dtype)
    return result


def complex_product(a, b, dtype):
    left = np.concatenate([a.real, a.imag], 1)
    part = np.empty(0, dtype).real.dtype
    result = np.empty((a.shape[0], b.shape[1]), dtype)
    result.real = product(left, np.concatenate([b.real, -b.imag]), part)
    result.imag = product(left, np.concatenate([b.imag, b.real]), part)
    return result


def numbers(random, shape, dtype):
    spread = 8 if np.dtype(dtype).itemsize == 2 else 40
    x = np.ldexp(random.uniform(-1, 1, shape), random.integers(-spread, spread, shape))
    return x.astype(dtype)


class Products(Case):
    def test_dots_of_every_type_and_layout_are_the_exact_value_rounded_once(self):
        random = np.random.default_rng(11)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                with np.errstate(all="ignore"):
                    y = random.permutation(x)[::-1] * dtype(0.7)
                wanted = rounded(dot(x.tolist(), y.tolist()), dtype)
                for (layout, a), (_, b) in zip(layouts(x), reversed(list(layouts(y)))):
                    with self.subTest(dtype=dtype, family=name, layout=layout):
                        self.same(exakt.dot(a, b), wanted)
                        self.same(exakt.vdot(a, b), wanted)

    def test_a_double_rounding_would_be_seen(self):
        # Just above a tie of float16, by less than a double holds beside it.
        x, y = np.array([64, 2.0**-5, 2.0**-24], np.float16), np.array([1, 1, 2.0**-24], np.float16)
        self.same(exakt.dot(x, y), np.float16(64.0625))

    def test_matrices_of_every_layout(self):
        random = np.random.default_rng(12)
        for dtype in FLOATS:
            a, b = numbers(random, (5, 7), dtype), numbers(random, (7, 3), dtype)
            a[1], b[:, 2] = 0, np.nan
            b[:, 2] = 1
            wanted = product(a, b, dtype)
            every = [lambda m: m, np.asfortranarray, lambda m: np.repeat(np.repeat(m, 2, 0), 3, 1)[::2, ::3],
                     lambda m: m[::-1, ::-1].copy()[::-1, ::-1], lambda m: m.astype(m.dtype.newbyteorder())]
            for f in every:
                for g in every:
                    self.same(exakt.matmul(f(a), g(b)), wanted)
            # Lines that are one, or overlap.
            for x in (np.broadcast_to(a[0], (5, 7)), np.lib.stride_tricks.sliding_window_view(a.ravel(), 7)):
                self.same(exakt.matmul(x, b), product(x, b, dtype))
                self.same(exakt.matmul(b.T, x.T), product(b.T, x.T, dtype))
            self.same(exakt.dot(a, b), wanted)
            self.same(exakt.matmul(a, b[:, 0]), wanted[:, 0])
            self.same(exakt.matmul(a[0], b), wanted[0])
            self.same(exakt.matmul(a[0], b[:, 0]), wanted[0, 0])
            out = np.empty((3, 5), dtype).T
            self.assertIs(exakt.matmul(a, b, out=out), out)
            self.same(out, wanted)

    def test_results_in_out_are_rounded_once_to_its_type(self):
        # Just above a tie of float32: as a double it is the tie.
        self.same(exakt.dot([1, 2.0**-24, 2.0**-60], np.ones(3), out=np.zeros((), np.float32)), np.array(1 + 2.0**-23, np.float32))
        random = np.random.default_rng(16)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                with np.errstate(all="ignore"):
                    y = random.permutation(x)[::-1] * dtype(0.7)
                exact = dot(x.tolist(), y.tolist())
                for other in FLOATS + (np.complex64, np.complex128):
                    wanted = rounded(exact, np.empty(0, other).real.dtype).astype(other)
                    for f, a, b, shape in ((exakt.dot, x, y, ()), (exakt.matmul, x[np.newaxis], y, (1,)),
                                           (exakt.matmul, [[x]], y[:, np.newaxis], (1, 1, 1))):
                        with self.subTest(dtype=dtype, family=name, other=other, shape=shape):
                            out = np.empty(shape, other)
                            self.assertIs(f(a, b, out=out), out)
                            self.same(out, wanted.reshape(shape))
        a, b = (numbers(random, shape, float) + 1j * numbers(random, shape, float) for shape in ((2, 9), (9, 3)))
        for left, right in ((a, b), (a.real, b), (a, b.real), (a.astype(np.complex64), b.astype(np.complex64))):
            for other in (np.complex64, np.complex128):
                self.same(exakt.matmul(left, right, out=np.empty((2, 3), other)), complex_product(left + 0j, right + 0j, other))
        self.same(exakt.dot([2**53, 1], [1, 1], out=np.empty(())), np.array(2.0**53))
        self.same(exakt.dot([2**60, 2**36, 1], [1, 1, 1], out=np.empty((), np.float32)), np.array(2**60 + 2**37, np.float32))
        self.same(exakt.dot([100], np.array([100], np.int8), out=np.empty((), np.complex64)), np.array(1e4, np.complex64))
        for x, out in (([1.5], np.zeros((), int)), ([1j], np.zeros(())), ([-1], np.zeros((), np.uint64))):
            with self.assertRaisesRegex(TypeError, "cannot cast the result"):
                exakt.dot(x, x, out=out)

    def test_shapes_are_those_of_numpy(self):
        random = np.random.default_rng(13)
        cases = [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((5, 2, 3), (3, 4)), ((2, 0), (0, 3)),
                 ((4, 2, 3), (4, 3, 2)), ((2, 1, 2, 3), (5, 3, 2)), ((0, 3), (3, 2)), ((3,), (4, 3, 2)),
                 ((0, 2, 3), (3, 2)), ((2, 3, 0), (2, 0, 1)), ((1, 3), (3, 1)), ((4, 1), (1, 4))]
        for left, right in cases:
            a, b = (random.integers(-9, 9, shape).astype(float) for shape in (left, right))
            with self.subTest(left=left, right=right):
                self.same(exakt.matmul(a, b), np.matmul(a, b) + 0.0)
                if len(left) > 0 and left != (4, 2, 3) and left[:1] != (2,) or len(left) < 3:
                    self.same(exakt.dot(a, b), np.dot(a, b) + 0.0)
        self.same(exakt.dot(2.0, [1.5, 2]), np.array([3.0, 4.0]))
        for wrong in ((np.ones((2, 3)), np.ones((2, 3))), (np.ones(3), np.ones(4)), (np.ones(3), 2.0)):
            with self.assertRaises(ValueError):
                exakt.matmul(*wrong)
        for f in (exakt.dot, exakt.vdot):
            with self.assertRaisesRegex(ValueError, f"^exakt.{f.__name__}: a has 3 entries, b has 4; they must be as many"):
                f(np.ones(3), np.ones(4))

    def test_complex_numbers(self):
        random = np.random.default_rng(14)
        for dtype in (np.complex64, np.complex128):
            part = np.empty(0, dtype).real.dtype
            a, b = (numbers(random, shape, part) + 1j * numbers(random, shape, part) for shape in ((4, 9), (9, 3)))
            a, b = a.astype(dtype), b.astype(dtype)
            wanted = complex_product(a, b, dtype)
            self.same(exakt.matmul(a, b), wanted)
            swapped = np.dtype(dtype).newbyteorder()
            self.same(exakt.matmul(a.astype(swapped), b.astype(swapped)), wanted)
            self.same(exakt.dot(a[0], b[:, 0]), wanted[0, 0])
            self.same(exakt.vdot(a[0], b[:, 0]), complex_product(a[:1].conj(), b, dtype)[0, 0])
            self.same(exakt.matmul(a.real, b), complex_product(a.real + 0j, b, dtype))

    def test_complex_dots_of_every_layout_are_parts_rounded_once(self):
        random = np.random.default_rng(15)
        for dtype, part in ((np.complex64, np.float32), (np.complex128, np.float64)):
            for name, real in families(part, random):
                x, y = np.empty((2, len(real)), dtype)
                with np.errstate(all="ignore"):
                    x.real, x.imag = real, random.permutation(real) * part(0.3)
                    y.real, y.imag = random.permutation(real)[::-1] * part(0.7), real[::-1]
                dots = [complex_product(a[np.newaxis], y[:, np.newaxis], dtype)[0, 0] for a in (x, x.conj())]
                memory = np.zeros((2 * len(real) + 1), part)  # whose parts are aligned, but not every number
                memory[1:].view(dtype)[...] = y
                fields = np.zeros(len(real), [("z", dtype), ("weight", np.uint8, part().itemsize)])
                fields["z"] = y
                others = reversed([*layouts(y), ("parts", memory[1:].view(dtype)), ("fields", fields["z"])])
                for (layout, a), (other, b) in zip([*layouts(x), ("again", x), ("backwards", x[::-1].copy()[::-1])], others):
                    with self.subTest(dtype=dtype, family=name, layout=layout, other=other):
                        self.same(exakt.dot(a, b), dots[0])
                        self.same(exakt.vdot(a, b), dots[1])

    def test_infinities_times_zero_are_nan_in_the_part_that_has_them(self):
        infinity = complex(np.inf, 0)
        for a, b, wanted in (([infinity], [2 + 3j], complex(np.inf, np.inf)), ([infinity], [2 + 0j], complex(np.inf, np.nan)),
                             ([1j * 2], [infinity], complex(np.nan, np.inf)), ([complex(np.nan, 1), 1], [1j, 2], np.nan * (1 + 1j))):
            a, b = np.array(a, complex), np.array(b, complex)
            self.same(exakt.dot(a, b), np.complex128(wanted))
            self.same(exakt.vdot(a.conj(), b), np.complex128(wanted))
            self.same(exakt.matmul(a[np.newaxis], b[:, np.newaxis])[0, 0], np.complex128(wanted))
        # A real factor is a complex one whose imaginary part is zero.
        for real, b, wanted in ((2.0, infinity, complex(np.inf, np.nan)), (np.inf, 2 + 1j, complex(np.inf, np.inf)),
                                (2.0, complex(0, np.inf), complex(np.nan, np.inf)), (np.inf, 1j, complex(np.nan, np.inf))):
            for a, c in (([real], [b]), ([b], [real])):
                self.same(exakt.dot(a, c), np.complex128(wanted))
                self.same(exakt.matmul([a, a], np.array([c]))[1, 0], np.complex128(wanted))

    def test_complex_dots_of_subnormal_floats(self):
        x, y = np.array([2.0**-70 + 2.0**-75j], np.complex64), np.array([2.0**-72 - 2.0**-60j], np.complex64)
        self.same(exakt.dot(x, y), complex_product(x[:, np.newaxis], y[:, np.newaxis], np.complex64)[0, 0])
        self.assertNotEqual(exakt.dot(x, y).real, 0)
        with self.assertRaisesRegex(ValueError, "^exakt.dot: a has 1 entries, b has 2; they must be as many"):
            exakt.dot(x, np.append(y, y))

    def test_types_mix_as_those_of_numpy(self):
        x, y = np.array([0.1, 0.2], np.float32), np.array([0.3, 0.4])
        self.same(exakt.dot(x, y), rounded(dot(x.tolist(), y.tolist()), np.float64))
        self.same(exakt.dot([1, 2], [0.5, 0.25]), np.float64(1))
        self.same(exakt.dot(np.array([200], np.uint8), np.array([200], np.float16)), np.float16(40000))
        for one in (np.bool_(True), np.uint8(1), np.float16(1)):
            self.same(exakt.dot([2 + 3j], [one]), np.complex128(2 + 3j))
            self.same(exakt.matmul([[one, one]], [[2j], [3]]), np.array([[3 + 2j]]))
        for beyond in (2**60 + 1, -(2**53) - 1):
            with self.assertRaises(TypeError):
                exakt.dot([beyond], [0.5])

    def test_integers_are_exact_or_refused(self):
        a = np.array([[2**40, 3], [5, -(2**40)]])
        with self.assertRaisesRegex(OverflowError, "does not fit"):
            exakt.matmul(a, a)
        with self.assertRaisesRegex(OverflowError, "does not fit"):
            exakt.dot([2**62], [2])  # by one
        self.same(exakt.dot([2**62], [-2]), np.int64(-(2**63)))
        self.same(exakt.dot(np.array([5], np.uint64), [-1]), np.float64(-5))
        self.same(exakt.dot([2**62, 2**62, -(2**62)], [1, 1, 1]), np.int64(2**62))
        for dtype in ("<i8", ">i8"):
            self.same(exakt.matmul(np.array([[1, 2]], dtype), np.array([[3], [4]], dtype)), np.array([[11]]))
        with self.assertRaises(OverflowError):
            exakt.dot(np.array([100], np.int8), np.array([100], np.int8))
        self.same(exakt.dot(np.array([100], np.int8), np.array([100], np.int8), out=np.zeros((), int)), np.array(10000))
        for x, out in (([100, 100], np.int8), (np.array([2**63, 0], np.uint64), np.int64)):
            out = np.full((), 7, out)
            for f, one in ((exakt.dot, [1, 1]), (exakt.matmul, np.array([1, 1], np.uint8))):
                with self.assertRaisesRegex(OverflowError, f"^exakt.{f.__name__}: a sum does not fit into {out.dtype}; convert an"):
                    f(x, np.array(one, np.asarray(x).dtype), out=out)
                self.assertEqual(out, 7)
        self.same(exakt.dot(np.array([2**63 + 1, 5], np.uint64), [1, -1]), np.float64(2**63))
        # One rounding to a narrower out, from sums of 64 bits where these have room, from Python's integers where not.
        for a, b in (([[2**30, 1], [-5, 3]], [[2**30, 2**6], [1, 2**24]]), ([[2**40, 3]], [[2**40], [1]]),
                     (np.array([[2**32 + 1, 2**16]], np.uint64), np.array([[2**31, 2**30 + 1], [1, 2**32]], np.uint64))):
            exact = np.dot(np.array(a).astype(object), np.array(b).astype(object))
            for dtype in FLOATS:
                wanted = np.array([rounded(Fraction(value), dtype) for value in exact.flat], dtype).reshape(exact.shape)
                self.same(exakt.matmul(a, b, out=np.empty(exact.shape, dtype)), wanted)
        a = np.full((3, 30_000), 12345)
        wanted = exakt.matmul(a, a.T)
        tracemalloc.start()
        exakt.matmul(a, a.T, out=np.empty((3, 3)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(peak, 3 * a.nbytes)  # copies, of no Python integers
        for left, right in (((0,), (0,)), ((2, 0), (0, 2)), ((2, 0), (0,)), ((0, 2), (2, 3)), ((3, 2, 0), (3, 0, 2))):
            a, b = np.empty(left, np.int64), np.empty(right, np.uint64)
            self.same(exakt.matmul(a, b), np.matmul(a, b))
        self.same(exakt.dot(np.empty(0, np.int64), np.empty(0, np.uint64)), np.float64(0))


if __name__ == "__main__":
    unittest.main()
