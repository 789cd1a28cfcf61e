# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import os
import subprocess
import sys
import unittest

import numpy as np

import exakt
from exakt._operands import AxisError
from support import FLOATS, Case, expected, families, layouts, rounded, value_of

VERBS = ("sum", "mean", "nrm2", "var", "std")


def along(verb, a, axes, dtype, where=None, **options):
    """The expected results, entry by entry."""
    stay = [d for d in range(a.ndim) if d not in axes]
    rows = a.transpose(*stay, *axes).reshape([a.shape[d] for d in stay] + [math.prod(a.shape[d] for d in axes)])
    mask = np.ones(a.shape, bool) if where is None else np.broadcast_to(where, a.shape)
    mask = mask.transpose(*stay, *axes).reshape(rows.shape)
    result = np.empty(rows.shape[:-1], dtype)
    for i in np.ndindex(result.shape):
        result[i] = expected(verb, rows[i][mask[i]], dtype, **options)
    return result


class Reductions(Case):
    def test_every_verb_of_every_type_and_layout_is_the_exact_value_rounded_once(self):
        random = np.random.default_rng(1)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                for verb in VERBS:
                    wanted = expected(verb, x, dtype)
                    for layout, stored in layouts(x):
                        with self.subTest(dtype=dtype, family=name, verb=verb, layout=layout):
                            self.same(getattr(exakt, verb)(stored), wanted)

    def test_results_of_another_type_are_rounded_once_to_it(self):
        random = np.random.default_rng(2)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                for verb in VERBS:
                    exact = value_of(verb, x)
                    for other in FLOATS:
                        with self.subTest(dtype=dtype, family=name, verb=verb, other=other):
                            wanted = rounded(exact, other)
                            self.same(getattr(exakt, verb)(x, dtype=other), wanted)
                            out = np.empty((), other)
                            self.assertIs(getattr(exakt, verb)(x, out=out), out)
                            self.same(out, wanted)

    def test_a_double_rounding_would_be_seen(self):
        # Just above a tie of float32: as a double it is the tie.
        x = np.array([1, 2.0**-24, 2.0**-80])
        self.same(exakt.sum(x, dtype=np.float32), np.float32(1 + 2.0**-23))
        self.same(exakt.sum(-x, dtype=np.float32), np.float32(-1 - 2.0**-23))

    def test_any_axes_of_any_layout(self):
        random = np.random.default_rng(3)
        a = np.ldexp(random.uniform(-1, 1, (2, 3, 4, 2)), random.integers(-40, 40, (2, 3, 4, 2)))
        arrays = [a, a.astype(np.float32), np.asfortranarray(a), a[::-1, ::2, ::-1], a.transpose(2, 0, 3, 1),
                  np.broadcast_to(a[:, :1], a.shape), a[:0], a[:, :, :0], a.astype(">f4")]
        for k, x in enumerate(arrays):
            for axis in (0, 1, 2, -1, (0, 1), (1, 3), (0, 2), (3, 0, 1), (0, 1, 2, 3), ()):
                axes = tuple(d % 4 for d in (axis if isinstance(axis, tuple) else (axis,)))
                for verb in VERBS:
                    with self.subTest(array=k, axis=axis, verb=verb):
                        wanted = along(verb, x, sorted(axes), x.dtype.newbyteorder("="))
                        self.same(getattr(exakt, verb)(x, axis=axis), wanted)
                        shape = [1 if d in axes else x.shape[d] for d in range(4)]
                        self.same(getattr(exakt, verb)(x, axis=axis, keepdims=True), wanted.reshape(shape))

    def test_many_columns_and_long_ones_have_the_results_of_each(self):
        random = np.random.default_rng(4)
        for shape in ((2000, 19), (19, 2000), (9000, 3), (70, 70), (3, 600, 5)):
            for dtype in (np.float32, np.float64):
                x = np.ldexp(random.uniform(-1, 1, shape), random.integers(-60, 60, shape)).astype(dtype)
                x[1, ::7] = -x[0, ::7]
                x[-1, 1:3] = np.inf
                x[0, 2] = -np.inf
                for verb in VERBS:
                    f = getattr(exakt, verb)
                    for axis in range(len(shape)):
                        with self.subTest(shape=shape, dtype=dtype, verb=verb, axis=axis):
                            rows = np.moveaxis(x, axis, -1)
                            each = [f(rows[i].copy()) for i in np.ndindex(rows.shape[:-1])]
                            self.same(f(x, axis=axis), np.array(each, dtype).reshape(rows.shape[:-1]))

    def test_large_arrays_are_shared_by_threads(self):
        # EXAKT_NUM_THREADS is 3 in this test: see CMakeLists.txt.
        random = np.random.default_rng(8)
        for dtype in (np.float32, np.float64):
            x = np.ldexp(random.uniform(-1, 1, 2**21 + 7), random.integers(-30, 30, 2**21 + 7)).astype(dtype)
            x[-5] = -x[3]
            for stored in (x, x[::-1], x[1::2]):
                exact = exakt.SumAccumulator(stored)
                self.same(np.float64(exakt.sum(stored, dtype=np.float64)), np.float64(exact.round()))
                self.same(exakt.sum(stored), dtype(float(exakt.sum(stored[None], axis=1)[0])))
            matrix = x[: 2**21].reshape(2**12, 2**9)
            for verb in VERBS:
                for axis in (0, 1):
                    f = getattr(exakt, verb)
                    some = np.r_[0:3, 170:173, 509:512]
                    self.same(f(matrix, axis=axis)[some], np.array([f(matrix.take(k, 1 - axis)) for k in some], dtype))

    def test_a_number_of_threads_that_is_none_is_reported(self):
        program = "import numpy, exakt; exakt.sum(numpy.ones((2, 3)), axis=1)"
        for text, complains in (("2", False), ("", False), ("some", True), ("0", True), ("-3", True), ("2 ", True)):
            with self.subTest(text=text):
                run = subprocess.run([sys.executable, "-c", program], env=dict(os.environ, EXAKT_NUM_THREADS=text),
                                     check=True, capture_output=True, text=True)
                self.assertEqual(f"EXAKT_NUM_THREADS={text} is not a positive number" in run.stderr, complains, run.stderr)

    def test_hard_vectors_side_by_side(self):
        random = np.random.default_rng(7)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                both = np.stack([x, x[::-1], -x, x, x], 1)
                for verb in ("sum", "mean"):
                    values = [rounded(value_of(verb, column), dtype) for column in (x, -x)]
                    wanted = np.array([values[k] for k in (0, 0, 1, 0, 0)], dtype)
                    with self.subTest(dtype=dtype, family=name, verb=verb):
                        self.same(getattr(exakt, verb)(both, axis=0), wanted)
                        self.same(getattr(exakt, verb)(both.T.copy(), axis=1), wanted)

    def test_zeros_and_constants_hide_nothing(self):
        """Columns of one number have ways of their own; among them may be a single other one."""
        for dtype in FLOATS:
            tiny = np.finfo(dtype).smallest_subnormal
            for n in (1, 64, 65, 150, 300):
                rows = [np.full(n, value) for value in (0.0, -0.0, 0.1, tiny, np.inf, -np.inf, np.nan, np.finfo(dtype).max)]
                rows += [np.where(np.arange(n) == place, other, value) for place in (0, n // 2, n - 1)
                         for other in (tiny, -tiny, -0.0, np.inf, np.nan, 1.0) for value in (0.0, 1.0)]
                with np.errstate(over="ignore"):
                    a = np.array(rows).astype(dtype)
                for verb in VERBS:
                    wanted = np.array([expected(verb, row, dtype) for row in a], dtype)
                    with self.subTest(dtype=dtype, n=n, verb=verb):
                        f = getattr(exakt, verb)
                        self.same(f(a, axis=1), wanted)
                        self.same(f(a.T.copy(), axis=0), wanted)
                        self.same(f(np.repeat(a, 2, 1)[:, ::2], axis=1), wanted)
                        self.same(np.array([f(row) for row in a], dtype), wanted)
                self.same(exakt.var(a[:3], axis=1, ddof=n), np.full(3, np.nan, dtype))
                for value in (np.nan, np.inf):
                    with self.subTest(dtype=dtype, n=n, factor=value):
                        self.same(exakt.dot(a[0], np.where(np.arange(n) == n // 2, value, 1).astype(dtype)),
                                  dtype(np.nan))

    def test_where_takes_some_of_the_entries(self):
        random = np.random.default_rng(5)
        x = random.standard_normal((4, 5, 6)) * 1e10
        x[0, 0, 0] = np.nan
        for where in (random.random(x.shape) < 0.5, np.array([True, False, True, True, False, True]), ~np.isnan(x)):
            for axis in (0, 2, (0, 1), (0, 1, 2)):
                for verb in VERBS:
                    axes = axis if isinstance(axis, tuple) else (axis,)
                    with self.subTest(axis=axis, verb=verb):
                        self.same(getattr(exakt, verb)(x, axis=axis, where=where),
                                  along(verb, x, axes, x.dtype, where))
        self.same(exakt.sum(np.arange(6), where=[True, False] * 3), np.int64(6))

    def test_a_mask_in_where_is_not_dropped(self):
        with self.assertRaisesRegex(TypeError, "masked arrays are not taken"):
            exakt.sum(np.ones(3), where=np.ma.array([True] * 3, mask=[0, 1, 0]))

    def test_norms_of_no_complex_numbers(self):
        for shape in ((0, 3), (3, 0), (0,)):
            self.same(exakt.nrm2(np.ones(shape, complex), axis=-1), np.linalg.norm(np.ones(shape, complex), axis=-1))

    def test_ddof_and_initial(self):
        x = np.array([[1.0, 2, 4], [1e200, 1, -1e200]])
        for ddof in (-1, 0, 1, 2, 3, 4):
            for verb in ("var", "std"):
                wanted = [expected(verb, row, np.float64, ddof) for row in x]
                self.same(getattr(exakt, verb)(x, axis=1, ddof=ddof), np.array(wanted))
        self.same(exakt.sum(x, axis=1, initial=0.5), np.array([7.5, 1.5]))
        self.same(exakt.sum([True, True], initial=5), np.int64(7))
        # It is of the type of the sums, not of the terms.
        self.same(exakt.sum(np.array([1, 2], np.uint8), initial=300), np.uint64(303))
        self.same(exakt.sum(np.array([1, 2], np.int32), initial=2**62), np.int64(2**62 + 3))
        self.same(exakt.sum(np.ones(2, np.float32), initial=1e300, dtype=float), np.float64(1e300))
        self.same(exakt.sum(np.ones(1, np.float16), initial=0.1, out=np.empty(())), np.array(1.1))
        self.same(exakt.sum([1, 2], initial=0.5, dtype=np.float32), np.float32(3.5))
        # With dtype and out, one rounding to the narrower of both; not of what is added to.
        for dtype in (np.float16, np.float32):
            initial = float(np.finfo(dtype).eps) / 2 + 2.0**-50
            self.same(exakt.sum(np.ones(1, dtype), initial=initial, dtype=np.float64, out=np.empty((), dtype)),
                      np.asarray(1 + np.finfo(dtype).eps, dtype))
        for f in (exakt.var, exakt.std):
            with self.assertRaisesRegex(TypeError, "not offered for complex128 with a result of type float32"):
                f(np.ones(3, complex), dtype=np.float64, out=np.empty((), np.float32))
        for terms in ([1, 2.0**-24, 2.0**-60], [1.0, 2.0**-11, 2.0**-60], np.array([2**60, 2**36, 1])):
            for dtype, out in ((np.float64, np.float32), (np.float32, np.float64), (np.float64, np.float16), (complex, np.complex64)):
                narrow = min(np.dtype(dtype), np.dtype(out), key=lambda one: one.itemsize)
                with np.errstate(over="ignore"):
                    self.same(exakt.sum(terms, dtype=dtype, out=np.empty((), out)), np.asarray(exakt.sum(terms, dtype=narrow), out))
                    self.same(exakt.cumsum(terms, dtype=dtype, out=np.empty(3, out)), exakt.cumsum(terms, dtype=narrow).astype(out))
            # A real type is compared with that of the parts of a complex out, and norms of complex numbers are real.
            for f in (exakt.sum, exakt.mean, exakt.nrm2, exakt.var, exakt.std, exakt.cumsum):
                wanted = np.asarray(f(terms, dtype=np.float32), np.complex64)
                self.same(f(terms, dtype=float, out=np.empty(wanted.shape, np.complex64)), wanted)
            numbers = np.sqrt(np.array(terms, complex)) * (2.0**-30 + 1j)
            for dtype, out in ((complex, np.float32), (complex, np.complex64), (float, np.complex64), (np.complex64, float)):
                wanted = np.asarray(exakt.nrm2(numbers, dtype=np.float32), out)
                self.same(exakt.nrm2(numbers, dtype=dtype, out=np.empty((), out)), wanted)
        # Above a tie of floats by so little that a double would not tell.
        for dtype, out in ((complex, np.float32), (float, np.complex64)):
            self.same(exakt.nrm2([1 + 2.0**-24, 2.0**-40 * 1j], dtype=dtype, out=np.empty((), out)), np.asarray(1 + 2.0**-23, out))
        self.same(exakt.sum(np.ones(2, np.float32), initial=1e300), np.float32(np.inf))
        self.same(exakt.sum(np.ones((2, 2), np.int8), axis=0, initial=7, where=[True, False]), np.array([9, 7]))
        self.same(exakt.sum(np.ones(2), initial=2**60), np.float64(2**60 + 2))
        for initial in (0.1, np.float64(0.1), np.array(0.1)):
            self.same(exakt.sum(np.ones(2, np.float32), initial=initial), np.float32(2.1))
        for initial in (np.nan, np.float16(np.nan), np.float32(np.nan)):
            self.assertTrue(np.isnan(exakt.sum(np.ones(2), initial=initial)))
        for initial, terms in ((2**53 + 1, np.ones(1)), (np.int64(2**53 + 1), np.ones(1)), ("7", np.ones(1)),
                               (2**24 + 1, np.ones(1, np.float32)), (1.5, np.ones(1, int)), ("7", np.ones(1, int)),
                               (np.longdouble(1) + np.longdouble(2) ** -60, np.ones(1))):
            with self.assertRaisesRegex(TypeError, "initial is .*, which is no"):
                exakt.sum(terms, initial=initial)
        with self.assertRaisesRegex(OverflowError, "initial does not fit into uint64"):
            exakt.sum(np.array([1, 2], np.uint8), initial=-1)
        with self.assertRaisesRegex(TypeError, "initial is complex"):
            exakt.sum(np.ones(2), initial=1j)
        with self.assertRaisesRegex(TypeError, "beyond 2.53"):
            exakt.sum([2**60, 1], initial=0.5, dtype=float)
        self.same(exakt.var(x[0], ddof=np.float32(1)), np.float64(expected("var", x[0], np.float64, 1)))
        for f in (exakt.var, exakt.std):
            for wrong in (0.5, "1", None, np.nan, 1j):
                with self.assertRaisesRegex(TypeError, f"^exakt.{f.__name__}: ddof is .*, which is no whole number$"):
                    f(x, ddof=wrong)

    def test_real_entries_and_a_complex_result(self):
        x = np.array([[0.1] * 10, [1.0, 1e100, 1.0, -1e100] + [0.0] * 6])
        self.same(exakt.sum(x, axis=1, dtype=complex), np.array([1 + 0j, 2 + 0j]))
        self.same(exakt.mean(x[0], dtype=np.complex64), np.complex64(np.float32(0.1)))
        self.same(exakt.sum([2**53, 1, 1], dtype=complex), complex(2**53 + 2))
        out = np.full(2, 7 + 7j)
        y = np.full((2, 10), 0.1, np.float32)
        self.assertIs(exakt.sum(y, axis=1, out=out, where=[[True], [False]]), out)
        self.same(out, np.array([exakt.sum(y[0], dtype=float), 0], complex))
        with self.assertRaises(TypeError):
            exakt.var(x, dtype=complex)

    def test_results_go_into_out(self):
        x = np.array([[0.1] * 10, [0.2] * 10])
        out = np.zeros((2, 3))
        self.assertEqual(exakt.sum(x, axis=1, out=out[:, 1]).tolist(), [1.0, 2.0])
        self.assertEqual(out.tolist(), [[0, 1, 0], [0, 2, 0]])
        with self.assertRaisesRegex(ValueError, "out has the shape"):
            exakt.sum(x, out=out)
        with self.assertRaises(TypeError):
            exakt.sum(x, axis=1, out=np.zeros(2, int))
        for f in (exakt.sum, exakt.mean, exakt.cumsum):
            with self.assertRaisesRegex(TypeError, "return arrays must be of ArrayType"):
                f(x, axis=1, out=[0, 0])

    def test_numbers_and_errors_are_those_of_numpy(self):
        self.assertIs(type(exakt.sum(np.float64(3))), np.float64)
        self.assertIs(type(exakt.sum(np.ones(3, np.float32))), np.float32)
        self.same(exakt.sum(np.array(2.5)), np.float64(2.5))
        for axis in (0, -1, ()):
            self.same(exakt.sum(np.array(2.5), axis=axis), np.sum(np.array(2.5), axis=axis))
        for axis in (0, -1):
            self.same(exakt.cumsum(np.array(2.5), axis), np.cumsum(np.array(2.5), axis))
        for axis in (1.0, "0", (0, None)):
            with self.assertRaisesRegex(TypeError, "cannot be interpreted as an integer"):
                exakt.sum(np.ones((2, 2)), axis=axis)
        # The stride of an axis of one entry is any number.
        odd = np.zeros((2, 2), np.dtype([("b", "f8"), ("a", "i4")]))["b"][:, :1]
        for verb in (exakt.sum, exakt.mean, exakt.var, exakt.cumsum):
            self.same(verb(odd, axis=0), verb(odd.copy(), axis=0))
        z = np.zeros((3, 4), np.dtype([("b", "c16"), ("a", "f8")]))["b"]
        z[...] = np.arange(12).reshape(3, 4) * (1 + 2j)
        for verb in (exakt.sum, exakt.mean, exakt.var, exakt.cumsum):
            for axis in (0, 1):
                self.same(verb(z, axis=axis), verb(z.copy(), axis=axis))
        self.same(exakt.matmul(z, z.T), exakt.matmul(z.copy(), z.T.copy()))
        self.same(exakt.dot(z[0], z[1]), exakt.dot(z[0].copy(), z[1].copy()))
        with self.assertRaises(AxisError):
            exakt.sum(np.array(2.5), axis=1)
        with self.assertRaises(AxisError):
            exakt.sum(np.ones(3), axis=1)
        with self.assertRaises(ValueError):
            exakt.sum(np.ones((2, 2)), axis=(0, 0))



if __name__ == "__main__":
    unittest.main()
