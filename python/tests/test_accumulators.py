# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import copy
import decimal
import math
import multiprocessing
import pickle
import subprocess
import sys
import threading
import unittest
from collections import UserString
from fractions import Fraction

import numpy as np

import exakt
from support import FLOATS, Case, add, dot, families, layouts, rounded

MODES = ("to_nearest", "toward_zero", "upward", "downward")


def in_mode(exact, mode):
    """A fraction rounded to a double in a direction, by looking at the neighbours of the nearest one."""
    nearest = float(rounded(exact, np.float64))
    if mode == "to_nearest" or Fraction(nearest) == exact:
        return -0.0 if exact == 0 and mode == "downward" else nearest
    upward = mode == "upward" or mode == "toward_zero" and exact < 0
    if (Fraction(nearest) > exact) == upward:
        return nearest
    return math.nextafter(nearest, math.inf if upward else -math.inf)


class SumOfSome(exakt.SumAccumulator):
    """With attributes."""


class SumWithSlots(exakt.SumAccumulator):
    __slots__ = ("weight", "cache", "__dict__")


class SumWithSlotsAlone(exakt.SumAccumulator):
    __slots__ = ("weight", "cache")


class SumWithState(exakt.SumAccumulator):
    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "cache"}


class DotOfSome(exakt.DotAccumulator):
    """With attributes."""


class Sums(Case):
    def test_sums_grow_by_numbers_arrays_and_iterables(self):
        random = np.random.default_rng(31)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                wanted = rounded(add(x.tolist()), np.float64)
                forms = [x.tolist(), tuple(x), iter(x.tolist()), x.reshape(1, -1), x.reshape(-1, 1).T]
                for form in forms + [stored for _, stored in layouts(x)]:
                    with self.subTest(dtype=dtype, family=name, form=type(form)):
                        a = exakt.SumAccumulator()
                        a += form
                        self.same(np.float64(a.round()), wanted)
                one_by_one = exakt.SumAccumulator(1.0)
                for term in x:
                    one_by_one += term
                one_by_one -= 1
                self.assertEqual(one_by_one, exakt.SumAccumulator(x))
                if np.isfinite(x).all():
                    one_by_one -= x
                    self.assertEqual(one_by_one, exakt.SumAccumulator())

    def test_rounding_in_every_direction(self):
        for terms in ([1, 2.0**-60], [-1, -(2.0**-60)], [0.1] * 10, [-5e-324, 1e-10], [1, -1], []):
            a, exact = exakt.SumAccumulator(terms), add([float(t) for t in terms])
            for mode in MODES:
                self.same(np.float64(a.round(mode)), np.float64(in_mode(exact, mode)))
            self.assertEqual(float(a), a.round())
        with self.assertRaisesRegex(ValueError, "'up'; it must be"):
            exakt.SumAccumulator().round("up")

    def test_integers_of_any_size_are_exact(self):
        a = exakt.SumAccumulator([2**100 + 1, -(2**100), 10**300 + 1])
        a -= 10**300 + 1
        with self.assertRaises(OverflowError):
            a += 10**400
        self.assertEqual(a.round(), 1.0)
        a += np.array([2**63 - 1, -(2**63), 1], np.int64)
        a += np.array([2**64 - 1], np.uint64)
        a -= 2**64
        a += np.array([True, False])
        self.assertEqual(a.round(), 1.0)

    def test_what_is_no_float_is_refused_and_nothing_is_added(self):
        a = exakt.SumAccumulator(0.5)
        for wrong in ("1", b"1", ["1"], UserString("1"), [UserString("1")], [0.5, None], None, 1j, np.ones(2) * 1j, decimal.Decimal(1), Fraction(1, 3),
                      np.ones(2, np.longdouble), np.array(["a"]), exakt.DotAccumulator()):
            with self.assertRaises(TypeError):
                a += wrong
            with self.assertRaises(TypeError):
                a -= wrong
        self.assertEqual(a, exakt.SumAccumulator(0.5))
        for wrong in ("1", UserString("1"), [b"1"], [0.5, [UserString("12")]]):
            with self.assertRaisesRegex(TypeError, "^exakt: text is no number$"):
                a += wrong
        for wrong, kind in ((None, "NoneType"), (1j, "complex"), ([0.5, 1j], "complex")):
            with self.assertRaisesRegex(TypeError, f"^exakt: a {kind} is neither a real number nor a collection of such$"):
                a += wrong

    def test_initialized_again_it_has_the_new_terms_or_is_as_it_was(self):
        for kind in (exakt.SumAccumulator, exakt.DotAccumulator):
            a = kind(0.5)
            for wrong in ("x", [1.0, None]):
                with self.assertRaises(TypeError):
                    a.__init__(wrong)
            self.assertEqual(a, kind(0.5))
            for terms, wanted in ((a, 0.5), ([a.round(), 2.0], 2.5), (4.0, 4.0)):
                a.__init__(terms)
                self.assertEqual(a, kind(wanted))
            a.__init__()
            self.assertEqual(a, kind())

    def test_equality_copies_and_pickles(self):
        for kind in (exakt.SumAccumulator, exakt.DotAccumulator):
            a = kind([1e300, 1.0, -1e300])
            self.assertTrue(a == kind(1.0) and not a != kind(1.0) and a != kind(2.0) and a != 1.0)
            self.assertFalse(exakt.SumAccumulator() == exakt.DotAccumulator())
            with self.assertRaises(TypeError):
                hash(a)
            with self.assertRaises(TypeError):
                a < a
            for twin in (a.copy(), copy.copy(a), copy.deepcopy([a])[0], pickle.loads(pickle.dumps(a)),
                         pickle.loads(pickle.dumps(a, 0)), kind.from_bytes(a.to_bytes())):
                self.assertIs(type(twin), kind)
                self.assertEqual(twin, a)
                twin += 1e-300
                self.assertNotEqual(twin, a)
            self.assertEqual(kind(1.0).to_bytes(), a.to_bytes())
            other = exakt.DotAccumulator if kind is exakt.SumAccumulator else exakt.SumAccumulator
            for wrong in (b"", b"x" * 40, a.to_bytes()[:-1], other(1.0).to_bytes()):
                with self.assertRaises(ValueError):
                    kind.from_bytes(wrong)
            a.clear()
            self.assertEqual(a, kind())
            self.assertEqual(repr(kind(0.5)), f"<exakt.{kind.__name__}, rounded 0.5>")

    def test_attributes_of_a_subclass_are_copied_and_pickled(self):
        for kind in (SumOfSome, DotOfSome):
            a = kind(0.5)
            a.names = ["x"]
            for twin in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
                self.assertIs(type(twin), kind)
                self.assertEqual((twin, twin.names), (a, ["x"]))
            self.assertIs(copy.copy(a).names, a.names)
            self.assertIsNot(copy.deepcopy(a).names, a.names)

    def test_slots_and_states_of_a_subclass_are_copied_and_pickled(self):
        for kind in (SumWithSlots, SumWithSlotsAlone, SumWithState):
            a = kind(0.5)
            for twin in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
                self.assertFalse(hasattr(twin, "weight") or hasattr(twin, "names"))
            a.weight, a.cache = 3, [1]
            if kind is not SumWithSlotsAlone:
                a.names = ["x"]
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                twin = pickle.loads(pickle.dumps(a, protocol))
                self.assertIs(type(twin), kind)
                self.assertEqual((twin, twin.weight, getattr(twin, "names", None)), (a, 3, getattr(a, "names", None)))
                self.assertEqual(hasattr(twin, "cache"), kind is not SumWithState)
            self.assertEqual(copy.copy(a).weight, 3)
            self.assertEqual(copy.deepcopy(a).weight, 3)

    def test_products(self):
        random = np.random.default_rng(32)
        for dtype in FLOATS:
            for name, x in families(dtype, random):
                with np.errstate(all="ignore"):
                    y = random.permutation(x)[::-1] * dtype(0.7)
                wanted = rounded(dot(x.tolist(), y.tolist()), np.float64)
                for layout, stored in layouts(x):
                    with self.subTest(dtype=dtype, family=name, layout=layout):
                        a = exakt.DotAccumulator()
                        a.add_product(stored, y)
                        self.same(np.float64(a.round()), wanted)
                with self.subTest(dtype=dtype, family=name):
                    for s, t in zip(x.tolist(), y.tolist()):
                        if np.isfinite(s) and np.isfinite(t):
                            a.subtract_product(s, t)
                    if np.isfinite(x).all() and np.isfinite(y).all():
                        self.assertEqual(a, exakt.DotAccumulator())
        a = exakt.DotAccumulator()
        a.add_product(np.array([2**62 + 1]), 2)
        a.subtract_product([0.5, 0.25], 4)
        a -= 2**63 - 1
        self.assertEqual(a.round(), 0.0)
        # Integers of 64 bits are added in parts, which no infinity may meet as zeros.
        for integers in ([5], [-1], [2**62 + 2**40], [3, 2**62 + 1], np.array([2**63 + 1], np.uint64)):
            for others in (np.inf, -np.inf, np.array([np.inf] * len(integers), np.float32)):
                wanted = np.inf if (integers[0] > 0) == (np.max(others) > 0) else -np.inf
                for x, y in ((integers, others), (others, integers)):
                    a = exakt.DotAccumulator()
                    a.add_product(x, y)
                    self.assertEqual(a.round(), wanted)
        for x in ([0], [2**62, 0], [2**62 + 1, -(2**62) - 1], 7):
            a = exakt.DotAccumulator()
            a.add_product(x, np.inf if x != 7 else np.nan)
            self.assertTrue(np.isnan(a.round()))
        a = exakt.DotAccumulator(-np.inf)
        a.add_product([2**62 + 1, 2**62 + 3], [1.0, -np.inf])
        self.assertEqual(a.round(), -np.inf)
        a = exakt.DotAccumulator()
        with self.assertRaises(TypeError):
            a.add_product("1", 2)
        with self.assertRaises(ValueError):
            a.add_product([1.0, 2.0], [1.0, 2.0, 3.0])


class Fsum(Case):
    def test_whatever_math_fsum_takes(self):
        random = np.random.default_rng(33)
        for name, x in families(np.float64, random):
            wanted = rounded(add(x.tolist()), np.float64)
            for form in (x.tolist(), tuple(x.tolist()), iter(x.tolist()), x, x[::1], array.array("d", x)):
                self.same(np.float64(exakt.fsum(form)), wanted)
        many = [0.1, 2**60 + 1, 1e300, -(2**60)] * 900 + [-1e300] * 900  # more than are added at once
        for form in (many, iter(many)):
            self.same(np.float64(exakt.fsum(form)), rounded(add([0.1, 1.0] * 900), np.float64))
        self.assertEqual(exakt.fsum([Fraction(1, 2), decimal.Decimal("0.25"), True, 2**80, -(2**80)]), 1.75)
        self.assertEqual(exakt.fsum({0.5: 1, 0.25: 2}), 0.75)
        self.assertEqual(exakt.fsum([2**60 + 1, -(2**60)]), 1.0)
        self.assertEqual(exakt.fsum([np.int64(2**60 + 1), -np.int64(2**60)]), 1.0)
        self.assertEqual(exakt.fsum(iter([np.uint64(2**64 - 1), -(2**64)])), -1.0)
        self.assertEqual(exakt.fsum([np.array(0.5), np.float32(0.25), np.bool_(True), np.array(4)]), 5.75)
        self.assertEqual(exakt.fsum([np.array(2**53 + 1), -2.0**53, np.array(0.5)]), 1.5)
        for entries in (np.array([Fraction(1, 2), 2**60 + 1, -2**60], object), np.array([1, 0.5], np.longdouble)):
            self.assertEqual(exakt.fsum(entries), 1.5)
            self.assertEqual(exakt.fsum(entries[::-1]), 1.5)
        for wrong in (["a"], "12", 3, [None], [1j], np.array([None]), np.array(["1"]), np.array([1j])):
            with self.assertRaises(TypeError):
                exakt.fsum(wrong)
        for vector in (np.array([1.0]), np.array([2**53 + 1]), np.ones((1, 1), np.longdouble)):
            with self.assertRaisesRegex(TypeError, "^exakt.fsum: an array with axes is no number; give it alone, or its entries$"):
                exakt.fsum([vector, -(2.0**53)])
        self.assertEqual(exakt.fsum([2**1024 - 2**970 - 1]), sys.float_info.max)
        self.assertEqual(exakt.fsum([2**1024 - 1, 0.5, 1 - 2**1024]), 0.5)
        for f in (exakt.fsum, exakt.SumAccumulator):
            with self.assertRaisesRegex(OverflowError, "^exakt: an integer of 1101 bits is beyond the largest float$"):
                f([1.5, 2**1100, -(2**1100)])

    def test_a_list_that_changes_meanwhile(self):
        class Shrinks:
            def __float__(self):
                terms.clear()
                return 1.0

        terms = [0.5, Shrinks()] + [1.0] * 100
        self.assertEqual(exakt.fsum(terms), 1.5)


def _sum(x):
    return exakt.sum(x), exakt.SumAccumulator(x)


class Beside(Case):
    def test_threads_and_processes(self):
        x = np.random.default_rng(34).standard_normal((40, 50_000))
        wanted = exakt.sum(x, axis=1)
        results = np.zeros(40)

        def work(first):
            for i in range(first, 40, 4):
                results[i] = exakt.sum(x[i])
                total.__iadd__(x[i])

        total = exakt.SumAccumulator()
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.same(results, wanted)
        self.assertEqual(total, exakt.SumAccumulator(x))
        with multiprocessing.get_context("fork").Pool(2) as pool:
            parts = pool.map(_sum, list(x[:4]))
        self.assertEqual([part[0] for part in parts], wanted[:4].tolist())
        whole = exakt.SumAccumulator()
        for part in parts:
            whole += part[1]
        self.assertEqual(whole, exakt.SumAccumulator(x[:4]))

    def test_a_daemon_that_is_adding_when_the_interpreter_ends(self):
        program = """
import threading, time
import numpy as np, exakt
x = np.zeros(2**22)
def add():
    while True: exakt.sum(x)
for _ in range(3): threading.Thread(target=add, daemon=True).start()
time.sleep(0.1)
"""
        for _ in range(5):
            ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_keys_that_another_thread_changes(self):
        keys, x = np.zeros(200_000, np.int64), np.ones(200_000)
        wide = np.random.default_rng(35).integers(-(2**62), 2**62, len(keys))
        done = threading.Event()

        def change():
            while not done.is_set():
                keys[:] = wide
                keys[:] = 0

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(60):
                self.assertEqual(exakt.sum(exakt.sum_by_key(keys, x)[1]), len(x))
        finally:
            done.set()
            thread.join()


if __name__ == "__main__":
    unittest.main()
