# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import collections
import ctypes.util
import itertools
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

import numpy as np

import exakt
from exakt import _core, _integers
from support import Case, dot, expected, root, rounded

REDUCTIONS = (exakt.sum, exakt.mean, exakt.nrm2, exakt.var, exakt.std)


class Integers(Case):
    def test_sums_are_integers_and_do_not_wrap(self):
        random = np.random.default_rng(41)
        for dtype in (bool, np.int8, np.uint8, np.int16, np.uint32, np.int32, np.int64, np.uint64, ">i8", ">u2"):
            dtype = np.dtype(dtype)
            least, most = (0, 1) if dtype == bool else (np.iinfo(dtype).min >> 6, np.iinfo(dtype).max >> 6)
            x = random.integers(least, most, (5, 8), dtype="u8" if dtype.kind == "u" else "i8", endpoint=True)
            x = x.astype(dtype)
            for axis in (0, 1, None):
                self.same(exakt.sum(x, axis=axis), np.sum(x, axis=axis))
            self.same(exakt.sum(x, dtype=object), np.sum(x.astype(object)))
            for y in (x[0, ::3], x[::-1, 1], x.T):
                self.same(exakt.sum(y), np.sum(y))
        self.same(exakt.sum([2**62, 2**62, -(2**62)]), np.int64(2**62))
        self.same(exakt.sum([2**62, 2**62], dtype=float), np.float64(2**63))
        self.same(exakt.sum(np.array([2**63, 2**63 - 1], np.uint64)), np.uint64(2**64 - 1))
        self.assertEqual(exakt.sum([-(2**63), -1, 5], dtype=object), 4 - 2**63)
        for terms in ([2**62, 2**62], [-(2**63), -1]):
            with self.assertRaisesRegex(OverflowError, "does not fit into int64"):
                exakt.sum(terms)
        with self.assertRaisesRegex(OverflowError, "does not fit into int8"):
            exakt.sum([100, 100], dtype=np.int8)
        for f, terms, dtype, out in ((exakt.sum, [100, 100], np.int64, np.full((), 7, np.int8)),
                                     (exakt.sum, np.array([2**63], np.uint64), np.uint64, np.full((), 7, np.int64)),
                                     (exakt.cumsum, [100, 100], np.int64, np.full(2, 7, np.int8))):
            with self.assertRaisesRegex(OverflowError, f"^exakt: a result does not fit into {out.dtype}; give a wider out$"):
                f(terms, dtype=dtype, out=out)
            self.assertTrue((out == 7).all())

    def test_sums_of_more_terms_than_64_bits_have_room_for(self):
        # Pieces of 7 terms here: arrays of 2^31 take minutes, other than one that repeats a number.
        most, _integers.MOST_TERMS = _integers.MOST_TERMS, 7
        try:
            for dtype in (np.uint8, np.int32, np.uint32, np.int64, np.uint64):
                limit = int(np.iinfo(dtype).max)
                for n in (7, 8, 30):
                    x = np.full((3, n), limit, dtype)
                    self.assertEqual(exakt.sum(x, axis=1, dtype=object).tolist(), [n * limit] * 3)
                    self.assertEqual(int(exakt.mean(x)), int(float(limit)))
                    for keys in (np.arange(n) % 2, np.arange(n) < 1, np.arange(n) < n - 3):
                        terms = x[0] // 32 - np.arange(n, dtype=dtype)
                        wanted = [sum(terms[keys == key].tolist()) for key in (0, 1)]
                        self.assertEqual(exakt.sum_by_key(keys, terms)[1].tolist(), wanted)
                    if np.dtype(dtype).itemsize < 8:
                        self.same(exakt.sum(x), np.sum(x))
                        self.same(exakt.cumsum(x), np.cumsum(x))
        finally:
            _integers.MOST_TERMS = most
        repeated = np.broadcast_to(np.uint32(2**32 - 1), 2**31 + 5)
        self.assertEqual(exakt.sum(repeated, dtype=object), (2**32 - 1) * (2**31 + 5))

    def test_a_sum_of_integers_is_rounded_once_to_a_float(self):
        for terms in ([2**53, 1], [2**53, 2], [2**53, 1, 1, 1], [2**24, 1, 0], [2**60, 2**36, 1], [-(2**60), -(2**36), -1]):
            for dtype in (np.float64, np.float32):
                self.same(exakt.sum(np.array(terms), dtype=dtype), rounded(sum(map(Fraction, terms)), dtype))

    def test_other_functions_of_integers(self):
        random = np.random.default_rng(42)
        for x in (random.integers(-100, 100, 50), random.integers(-(2**62), 2**62, 50), np.array([2**62 + 1, 2**62]),
                  np.array([7], np.int64), np.array([], np.int64), np.array([2**53 + 1, 1], np.uint64), random.integers(0, 2**64, 9, dtype=np.uint64),
                  np.array([True, False, True])):
            values = [Fraction(v) for v in x.tolist()]
            n = len(values)
            s, q = sum(values), sum(v * v for v in values)
            self.same(exakt.mean(x), rounded(s / n if n else np.nan, np.float64))
            self.same(exakt.nrm2(x), rounded(root(Fraction(q)), np.float64))
            v = (n * q - s * s) / (n * n) if n else np.nan
            self.same(exakt.var(x), rounded(v, np.float64))
            self.same(exakt.std(x), rounded(root(v), np.float64))
            v = (n * q - s * s) / (n * (n - 1)) if n > 1 else np.nan
            self.same(exakt.var(x, ddof=1), rounded(v, np.float64))
            self.same(exakt.std(x, ddof=1), rounded(root(v), np.float64))
        self.same(exakt.mean([-(2**53) - 1, 2**53]), np.float64(-0.5))

    def test_large_ones_with_where_and_as_narrower_floats(self):
        random = np.random.default_rng(45)
        x = random.integers(-(2**62), 2**62, (4, 9))
        where = random.random(x.shape) < 0.6
        where[2] = False
        for dtype in (np.float64, np.float32, np.float16):
            for name, value in (("sum", lambda n, s, q: s), ("mean", lambda n, s, q: s / n if n else np.nan),
                                ("nrm2", lambda n, s, q: root(q)),
                                ("var", lambda n, s, q: (n * q - s * s) / (n * n) if n else np.nan),
                                ("std", lambda n, s, q: root((n * q - s * s) / (n * n)) if n else np.nan)):
                for dividend in (1, 2**50 + 1):  # the smaller ones fit into a float16
                    terms = x // dividend + 2**54 * (dividend > 1) * np.array([1, -1, 0] * 3)
                    for mask in (where, np.ones_like(where)):
                        wanted = []
                        for row, taken in zip(terms, mask):
                            values = [Fraction(v) for v in row[taken].tolist()]
                            moments = len(values), sum(values, Fraction(0)), sum((v * v for v in values), Fraction(0))
                            wanted.append(rounded(value(*moments), dtype))
                        with self.subTest(dtype=dtype, name=name, dividend=dividend):
                            f = getattr(exakt, name)
                            self.same(f(terms, axis=1, where=mask, dtype=dtype), np.array(wanted, dtype))
                            if mask is not where:
                                self.same(f(terms, axis=1, dtype=dtype), np.array(wanted, dtype))
                                self.same(f(terms[0], dtype=dtype), wanted[0])

    def test_roots_ofFractions(self):
        for numerator, denominator in ((2, 1), (1, 3), (2**2000 + 1, 2**2000), ((2**53 + 1) ** 2, 4),
                                       ((2**53 + 1) ** 2 * 2**200 + 1, 2**202), (0, 5), (1, 10**600)):
            self.same(np.float64(_integers.root(numerator, denominator)),
                      rounded(root(Fraction(numerator) / denominator), np.float64))


class Complex(Case):
    def test_parts_are_rounded_once_each(self):
        random = np.random.default_rng(43)
        x = random.standard_normal((3, 40)) * 1e10 + 1j * random.standard_normal((3, 40))
        for z in (x, x.astype(np.complex64), x[::-1, ::3], x.astype(">c16")):
            native = z.dtype.newbyteorder("=")
            part = np.empty(0, native).real.dtype
            for f in (exakt.sum, exakt.mean):
                wanted = np.empty(3, native)
                wanted.real, wanted.imag = f(z.real, axis=1), f(z.imag, axis=1)
                self.same(f(z, axis=1), wanted)
            both = np.concatenate([z.real, z.imag], 1)
            self.same(exakt.nrm2(z, axis=1), np.array([expected("nrm2", row, part) for row in both], part))
        self.same(exakt.sum(x, axis=1, where=[True] + [False] * 39), x[:, 0])
        where = [True, False] * 10 + [False] * 20
        for f in (exakt.var, exakt.std):
            self.same(f(x, axis=1, ddof=1, where=where), f(x[:, :20:2], axis=1, ddof=1))
            self.same(f(x.T, axis=0, where=np.array([where]).T), f(x[:, :20:2], axis=1))
        self.same(exakt.nrm2(x, axis=1, where=where), exakt.nrm2(x[:, :20:2], axis=1))


class Environments(Case):
    """What a library with -ffast-math, or one that rounds in its own direction, leaves behind."""

    CODE = """
#include <xmmintrin.h>
/* The control word of SSE, and the rounding mode of x87, which converts long doubles. */
unsigned set(unsigned control) {
  unsigned short x87;
  unsigned found = _mm_getcsr();
  _mm_setcsr(control);
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  x87 = (x87 & ~0xc00) | (control >> 13 & 3) << 10;
  __asm__ volatile("fldcw %0" : : "m"(x87));
  return found;
}
"""

    def setUp(self):
        compiler = shutil.which("cc")
        if compiler is None or platform.machine() != "x86_64":
            self.skipTest("sets the control word of x86-64 with a C compiler")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        library = pathlib.Path(self.folder.name) / "control.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=self.CODE.encode(), check=True)
        self.set = ctypes.CDLL(str(library)).set

    def test_no_environment_changes_a_bit(self):
        random = np.random.default_rng(44)
        x = np.concatenate([np.ldexp(random.uniform(-1, 1, 40), random.integers(-148, -126, 40)), [1e-30, 0.1]])
        narrow, integers = x.astype(np.float32), np.array([2**53, 1, 2**30 + 1])
        matrix = narrow[:40].reshape(5, 8)
        wide = matrix.T.astype(float)
        numbers = [list(a) for a in (narrow, np.ldexp(narrow[:40], 125).astype(np.float16), np.longdouble(x) / 3)]
        numbers.append([Fraction(1, 3), np.float32(1e-45)])
        calls = [lambda f=f, a=a, d=d: f(a, dtype=d)
                 for f in REDUCTIONS + (exakt.cumsum,) for a in (x, narrow, matrix, matrix.astype(">f4")) for d in
                 (None, np.float16, np.float32, np.float64)]
        calls += [lambda: exakt.sum(integers, dtype=np.float32), lambda: exakt.mean(integers), lambda: exakt.std(integers),
                  lambda: exakt.matmul(matrix, wide), lambda: exakt.matmul(matrix, matrix.T),
                  lambda: exakt.dot(narrow, x), lambda: exakt.sum_by_key(np.arange(42) % 3, x)[1],
                  lambda: exakt.fsum(x.tolist()), lambda: exakt.SumAccumulator(matrix.T).round(),
                  lambda: float(exakt.DotAccumulator(x.tolist()))]
        calls += [lambda f=f, a=a, d=d, o=o: f(a, dtype=d, out=np.empty((), o))
                  for f in REDUCTIONS for a in (x, narrow, narrow[:1], np.array([1, 2.0**-30])) for d, o in
                  ((np.float64, np.float32), (np.float32, np.float64), (None, np.float32), (np.float32, np.float16))]
        mask = np.where(np.arange(42) % 2 == 0, 5e-324, 0)
        calls += [lambda f=f: f(narrow, where=mask) for f in REDUCTIONS]
        calls += [lambda: exakt.sum(narrow, initial=np.float32(1e-45)), lambda: exakt.cumsum(x, dtype=float, out=narrow.copy())]
        calls += [lambda f=f, a=a: float(f(iter(a))) for f in (exakt.fsum, exakt.SumAccumulator) for a in numbers[:2]]
        calls += [lambda a=a: exakt.fsum(a) for a in numbers]
        mixed = [np.float32(1e-45), 0.0]  # of which NumPy makes doubles
        calls += [lambda f=f: f(mixed) for f in REDUCTIONS + (exakt.cumsum, exakt.cov)]
        calls += [lambda f=f: f(mixed, [1.0, 1.0]) for f in (exakt.dot, exakt.vdot, exakt.matmul)]
        calls += [lambda: exakt.dot(x, x, out=np.empty((), np.float32)), lambda: exakt.matmul(narrow, x, out=np.empty((), np.float16))]
        wanted = [call() for call in calls]
        self.assertNotEqual(exakt.sum(x, dtype=np.float32), np.float32(0))
        for control in (0x7F80, 0x3F80, 0x5F80, 0x9FC0):  # towards zero, downward, upward, subnormal numbers as zeros
            results, left = [], []
            for call in calls:
                found = self.set(control)
                try:
                    results.append(call())
                finally:
                    left.append(self.set(found) & ~0x3F)
            self.assertEqual(set(left), {control})
            for result, value in zip(results, wanted):
                self.same(result, value)

    def test_an_interruption_leaves_the_environment_as_it_was(self):
        """By Ctrl-C, which may come between any two instructions of the interpreter."""
        package = str(pathlib.Path(exakt.__file__).parent)
        x = np.array([1e-30, 0.1])
        calls = (lambda: exakt.sum(x, dtype=np.float32), lambda: exakt.matmul(x, np.float32([1, 2])),
                 lambda: exakt.SumAccumulator([x, [1]]))

        def interrupt(frame, event, _):
            nonlocal steps
            if not frame.f_code.co_filename.startswith(package):
                return None
            frame.f_trace_opcodes = True  # which Python 3.12 learns at the next settrace()
            steps -= event == "opcode"
            if steps < 0:
                raise KeyboardInterrupt
            return interrupt

        toward_zero = 0x7F80
        for call in calls:
            for instructions in itertools.count():
                steps = instructions
                is_interrupted = False
                with np.errstate():  # whose own end may be what is interrupted
                    found = self.set(toward_zero)
                    sys._getframe().f_trace_opcodes = True
                    sys.settrace(interrupt)
                    try:
                        call()
                    except KeyboardInterrupt:
                        is_interrupted = True
                    finally:
                        sys.settrace(None)
                        left = self.set(found) & ~0x3F
                self.assertEqual(left, toward_zero, f"after {instructions} instructions")
                if not is_interrupted:
                    break
            self.assertGreater(instructions, 20)

    def test_conversions_leave_the_flags_as_they_are(self):
        library = ctypes.CDLL(ctypes.util.find_library("m"))
        all_but_inexact, overflow = 0x1D, 0x08
        for numbers in ([np.longdouble("1e4000")], [np.longdouble("1e-4000")], np.longdouble(["1e4000", "1e-4000"]), [Fraction(1, 3)]):
            for raised in (0, overflow):
                library.feclearexcept(all_but_inexact)
                library.feraiseexcept(raised)
                exakt.fsum(numbers)
                self.assertEqual(library.fetestexcept(all_but_inexact), raised)


class Refusals(Case):
    def test_what_has_no_exact_sum_is_refused(self):
        wrong = (np.ones(2, np.longdouble), np.ones(2, np.clongdouble), np.array(["a"]), np.array([None]),
                 np.array(["2020-01-01"], "M8[D]"), np.zeros(2, [("x", "f8")]))
        for x in wrong:
            for f in REDUCTIONS + (exakt.cumsum,):
                with self.assertRaises(TypeError):
                    f(x)
            with self.assertRaises(TypeError):
                exakt.dot(x, x)
        with self.assertRaisesRegex(TypeError, "float16, float32, float64"):
            exakt.sum(wrong[0])
        with self.assertRaises(TypeError):
            exakt.sum(np.ones(2), dtype=np.longdouble)
        with self.assertRaises(TypeError):
            exakt.sum(np.ones(2), dtype=int)

    def test_integers_of_a_list_that_become_other_floats_are_refused(self):
        for call in (lambda: exakt.sum([2**63 + 1, -2**63]), lambda: exakt.sum([2**60 + 1, 0.5, -2.0**60]),
                     lambda: exakt.mean((2**53 + 1, 0.5)), lambda: exakt.matmul([[2**63 + 1, -2**63]], [[1], [1]]),
                     lambda: exakt.sum_by_key([2**63 + 1, 2**63, -1], [1.0, 2, 4]), lambda: exakt.cumsum([2**64 - 1, 1j]),
                     lambda: exakt.dot([0.5, 2**60 + 1], [1, 1])):
            with self.assertRaisesRegex(TypeError, "^exakt: [0-9]+ in a list is the float .* for NumPy; give integers as an"):
                call()
        entries = [2**53 + 1, -2.0**53]
        for sequence in (collections.deque(entries), collections.UserList(entries), [np.array(2**53 + 1), -2.0**53],
                         collections.UserList([np.array(2**53 + 1), -2.0**53])):
            for call in (exakt.sum, exakt.mean, exakt.cumsum, lambda a: exakt.dot(a, [1, 1]), lambda a: exakt.sum([a, entries[::-1]]),
                         lambda a: exakt.DotAccumulator().add_product(a, [1, 1]), lambda a: exakt.histogram([1, 1], a),
                         lambda a: exakt.histogram([1, 1], [0, 2], weights=a)):
                with self.assertRaisesRegex(TypeError, "in a list is the float"):
                    call(sequence)
        for sequence in (collections.deque([1, 2]), collections.UserList([1, 2]), range(1, 3), [np.array(1), 2]):
            self.same(exakt.sum(sequence), np.int64(3))
        self.same(exakt.sum(collections.deque([np.float32(0.5), np.array(0.25, np.float32)])), np.float32(0.75))
        self.same(exakt.sum([2**60, 0.5, -2.0**60, np.inf]), np.float64(np.inf))
        self.same(exakt.sum([2**60, 0.5, -2.0**60]), np.float64(0.5))
        self.same(exakt.sum([2**60 + 1, -2**60]), np.int64(1))

    def test_the_module_behind_says_what_it_refuses(self):
        x, out, wrong = np.ones((2, 3)), np.ones(2), np.ones(4)
        for call in (lambda verb, ddof: _core.total(verb, x, ddof),
                     lambda verb, ddof: _core.reduce(verb, x, out, ddof, False),
                     lambda verb, ddof: _core.reduce_segments(verb, x[0], np.array([0, 1, 3]), out, ddof, False),
                     lambda verb, ddof: _core.reduce_pairs(verb, x, x, out, ddof)):
            for verb in (-1, 5):
                with self.assertRaisesRegex(ValueError, f"^exakt._core: no verb has the number {verb}$"):
                    call(verb, 0)
            for ddof in (2**31, -(2**31) - 1, 2**70):
                with self.assertRaisesRegex(ValueError, "^exakt: ddof is out of range$"):
                    call(0, ddof)
            for verb, ddof in ((0, "1"), ("0", 1), (0, 1.0)):
                with self.assertRaises(TypeError):
                    call(verb, ddof)
        for name, *arguments in (("reduce", 0, x, wrong, 0, False), ("reduce_pairs", 0, x, x, wrong, 0),
                                 ("reduce_segments", 0, out, np.array([0, 3]), np.ones(1), 0, False),
                                 ("histogram", out, wrong, out, np.ones(1)), ("scan", x, wrong),
                                 ("sum_by_key", np.array([1]), out, np.array([1]), np.ones(1)), ("multiply", x, x, out)):
            with self.assertRaisesRegex(ValueError, f"^exakt._core.{name}: the arrays do not fit each other$"):
                getattr(_core, name)(*arguments)

    def test_ddof_has_a_range_whatever_the_type(self):
        for values in ([2**63, 2**63 + 5, 7], [1, 2, 3], [1.0, 2.0, 3.0], [1j, 2, 3]):
            x = np.array(values, np.uint64) if values[0] == 2**63 else np.array(values)
            for ddof in (-(2**62), 2**31, -(2**31) - 1):
                for named in ({}, {"where": [True, True, False]}, {"axis": 0}):
                    for function in (exakt.var, exakt.std):
                        with self.assertRaisesRegex(ValueError, "^exakt: ddof is out of range$"):
                            function(x, ddof=ddof, **named)

    def test_buffers_of_others_are_taken(self):
        x = array.array("d", [0.1] * 10)
        self.same(exakt.sum(x), np.float64(1.0))
        self.same(exakt.dot(memoryview(x), x), rounded(dot(x, x), np.float64))
        self.same(exakt.sum(array.array("f", [0.1])), np.float32(0.1))

    def test_arrays_of_other_libraries_are_taken_by_dlpack(self):
        class Other:
            """No sequence, and no array for NumPy."""

            def __init__(self, x):
                self.x = x

            def __dlpack__(self, stream=None):
                if stream is not None or self.x is None:
                    raise BufferError("on a device")
                return self.x.__dlpack__()

            def __dlpack_device__(self):
                return self.x.__dlpack_device__() if self.x is not None else (2, 0)

        x = np.random.default_rng(46).standard_normal((5, 6))
        for y in (x, x.astype(np.float32), x[::2, ::-1], x.T):
            for f in REDUCTIONS + (exakt.cumsum,):
                for axis in (None, 0, -1):
                    self.same(f(Other(y), axis=axis), f(y, axis=axis))
            self.assertEqual(exakt.fsum(Other(y)), exakt.fsum(y.ravel()))
            self.assertEqual(exakt.SumAccumulator(Other(y)), exakt.SumAccumulator(y))
            self.same(exakt.matmul(Other(y), Other(y.T)), exakt.matmul(y, y.T))
            self.same(exakt.dot(Other(y), y.T), exakt.matmul(y, y.T))
            self.same(exakt.vdot(Other(y), Other(y)), exakt.vdot(y, y))
        total, wanted = exakt.DotAccumulator(), exakt.DotAccumulator()
        total.add_product(Other(x), x)
        wanted.add_product(x, x)
        self.assertEqual(total, wanted)
        keys, sums = exakt.sum_by_key(Other(np.arange(6) % 2), Other(x[0]))
        self.same(sums, exakt.sum_by_key(np.arange(6) % 2, x[0])[1])
        for f in (exakt.sum, exakt.fsum, exakt.SumAccumulator, exakt.cumsum):
            with self.assertRaisesRegex(TypeError, "memory of a Other by DLPack .on a device."):
                f(Other(None))

    def test_lists_that_contain_themselves_are_refused(self):
        own = [1.0]
        own.append(own)
        for f in REDUCTIONS + (exakt.cumsum, exakt.SumAccumulator, lambda a: exakt.dot(a, 1), lambda a: exakt.sum(1, where=a)):
            with self.assertRaisesRegex(ValueError, "^exakt: a list contains itself, or is too deep$"):
                f(own)

    def test_subclasses_are_arrays_and_masks_are_not_dropped(self):
        class Mine(np.ndarray):
            pass

        self.same(exakt.sum(np.ones(3).view(Mine)), np.float64(3))
        masked = np.ma.masked_array([1.0, 2.0], [True, False])
        for f in REDUCTIONS + (exakt.cumsum, exakt.fsum, exakt.SumAccumulator):
            for entries in (masked, np.ma.masked_array([1.0, 2.0], dtype=np.longdouble), np.ma.masked_array([1, 2], dtype=object)):
                with self.assertRaisesRegex(TypeError, "masked"):
                    f(entries)
        for f in (exakt.dot, exakt.vdot, exakt.matmul, exakt.DotAccumulator().add_product):
            with self.assertRaisesRegex(TypeError, "masked"):
                f(masked, masked)
        with self.assertRaisesRegex(TypeError, "masked"):
            exakt.sum_by_key([1, 2], masked)
        with self.assertRaisesRegex(TypeError, "masked"):
            exakt.sum_by_key(masked, [1.0, 2.0])
        for f in (exakt.sum, exakt.var, exakt.cumsum):
            for entries in ([masked], [1.0, np.ma.masked], [[1.0, np.ma.masked]], [[1.0, 2.0], masked], ([masked, masked], [[1.0, 2.0], [3.0, 4.0]]),
                            collections.UserList([masked, masked]), [collections.deque([masked])]):
                with self.assertRaisesRegex(TypeError, "masked"):
                    f(entries)
        for entries in ([1.0, np.ma.masked], iter([np.ma.masked]), collections.UserList([masked[0]]), [np.ma.array(3, mask=True)]):
            with self.assertRaisesRegex(TypeError, "masked"):
                exakt.fsum(entries)
        with self.assertRaisesRegex(TypeError, "masked"):
            exakt.sum([1.0], initial=np.ma.masked)
        self.same(exakt.sum(masked.data, where=~masked.mask), np.float64(2))


if __name__ == "__main__":
    unittest.main()
