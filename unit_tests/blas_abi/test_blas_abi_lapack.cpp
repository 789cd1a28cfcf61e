// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_BlasAbiLapack.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Traps.hpp"

#include <algorithm>
#include <cmath>

namespace {

using namespace ExaktTest;

/// \brief Factors with P A = L U, and the A, all of small integers: entries of L below its diagonal are 0 or of size one,
/// those of U are powers of two on the diagonal, so that nothing is rounded.
template <class Z>
struct KnownFactors {
  Table<Z> l, u, a;
  std::vector<std::size_t> pivots;

  KnownFactors(Random& random, std::size_t m, std::size_t n) : l(m, std::min(m, n)), u(std::min(m, n), n) {
    std::size_t const k = std::min(m, n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < std::min(i + 1, k); ++j)
        l(i, j) = i == j ? Z(1) : Z(random.one_of(0, 0, -1, 1) * 0.5F);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = i; j < n; ++j)
        u(i, j) = i == j ? Z(random.one_of(1.0F, -2.0F, 4.0F)) : small_integer<Z>(random);
    a = product(l, u);
    for (std::size_t i = 0; i < k; ++i) pivots.push_back(i);
    for (std::size_t i = k; i-- > 0;) {
      pivots[i] = random.between<std::size_t>(i, m - 1);
      for (std::size_t j = 0; j < n; ++j) std::swap(a(i, j), a(pivots[i], j));
    }
  }
};

TEST_CASE("getrf, getrs and gesv find factors and solutions that are known exactly") {
  Random random(1);
  for (int run = 0; run < 120; ++run)
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      Interface const interface = any_interface(random);
      auto const m = random.between<std::size_t>(1, run % 10 == 0 ? 24 : 7),
                 n = random.coin() ? m : random.between<std::size_t>(1, 9);
      INFO(interface.name_of(name<Z>("getrf")) << ", m = " << m << ", n = " << n);
      KnownFactors<Z> const known(random, m, n);
      Operand<Z> A(known.a, false, random);
      Integers pivots(std::min(m, n));
      auto const verb = name<Z>(either(random, "getrf", "getf2"));
      CHECK(call_lapack(interface, verb, Size(m), Size(n), A.data(), A.step(), &pivots) == 0);
      for (std::size_t i = 0; i < std::min(m, n); ++i)
        CHECK(get(interface, pivots, i) == static_cast<std::int64_t>(known.pivots[i]) + 1);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) check_equal(A(i, j), j < i ? known.l(i, j) : known.u(i, j));
      A.check_rest();
      if (m != n) return;

      auto x = Table<Z>(n, 3);
      for (Z& entry : x.entries) entry = small_integer<Z>(random);
      Operand<Z> again(known.a, false, random), B(product(known.a, x), false, random);
      Integers others(n);
      CHECK(call_lapack(interface, name<Z>("gesv"), Size(n), Size(3), again.data(), again.step(), &others, B.data(),
                        B.step()) == 0);
      char const mode = random.one_of('N', 'T', 'C');
      auto const op = mode == 'N' ? known.a : mode == 'T' ? known.a.transposed() : adjoint(known.a);
      Operand<Z> C(product(op, x), false, random);
      CHECK(call_lapack(interface, name<Z>("getrs"), trans(mode), Size(n), Size(3), A.data(), A.step(), &pivots,
                        C.data(), C.step()) == 0);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          check_equal(B(i, j), x(i, j));
          check_equal(C(i, j), x(i, j));
        }
      B.check_rest();
      C.check_rest();
    });
}

TEST_CASE("potrf and potrs find factors and solutions that are known exactly, in one triangle") {
  Random random(2);
  for (int run = 0; run < 120; ++run)
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      Interface const interface = any_interface(random);
      auto const n = random.between<std::size_t>(1, run % 10 == 0 ? 20 : 7);
      StoredTriangle const triangle{random.coin()};
      INFO(interface.name_of(name<Z>("potrf")) << ", lower " << triangle.is_lower << ", n = " << n);
      Table<Z> l(n, n), x(n, 2);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          l(i, j) = i == j ? Z(random.one_of(1.0F, 2.0F, 4.0F)) : small_integer<Z>(random);
      for (Z& entry : x.entries) entry = small_integer<Z>(random);
      auto const a = product(l, adjoint(l));
      auto const factor = triangle.is_lower ? l : adjoint(l);
      Operand<Z> A(triangle.poisoned(a), false, random), B(product(a, x), false, random);
      auto const verb = name<Z>(either(random, "potrf", "potf2"));
      CHECK(call_lapack(interface, verb, uplo(triangle.is_lower), Size(n), A.data(), A.step()) == 0);
      CHECK(call_lapack(interface, name<Z>("potrs"), uplo(triangle.is_lower), Size(n), Size(2), A.data(), A.step(),
                        B.data(), B.step()) == 0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (triangle.contains(i, j)) {
            check_equal(A(i, j), factor(i, j));
          } else {
            check_unchanged(A(i, j), nan_of<Z>());
          }
        }
        for (std::size_t j = 0; j < 2; ++j) check_equal(B(i, j), x(i, j));
      }
      A.check_rest();
      B.check_rest();
    });
}

TEST_CASE(
    "trtri, lauum, potri and trtrs find inverses, products and solutions that are known exactly, in one triangle") {
  Random random(5);
  for (int run = 0; run < 60; ++run)
    for_all_numbers([&](auto type) {
      using Z = decltype(type);
      Interface const interface = any_interface(random);
      auto const n = random.between<std::size_t>(1, 6);
      StoredTriangle const triangle{random.coin(), random.coin()};
      Mode const up = uplo(triangle.is_lower), ones = diag(triangle.has_ones);
      INFO(interface.name_of(name<Z>("trtri"))
           << ", lower " << triangle.is_lower << ", ones " << triangle.has_ones << ", n = " << n);
      Table<Z> a(n, n), unit(n, n), x(n, 2);
      for (std::size_t i = 0; i < n; ++i) {
        unit(i, i) = Z(1);
        for (std::size_t j = 0; j < n; ++j)
          if (triangle.contains(i, j))
            a(i, j) = i != j ? small_integer<Z>(random, 1) : Z(triangle.has_ones ? 1.0F : random.one_of(1.0F, 2.0F));
      }
      for (Z& entry : x.entries) entry = small_integer<Z>(random);
      auto const stored = triangle.poisoned(a);
      Operand<Z> inverse(stored, false, random), A(stored, false, random), B(product(a, x), false, random);
      auto const invert = name<Z>(either(random, "trtri", "trti2")), square = name<Z>(either(random, "lauum", "lauu2"));
      CHECK(call_lapack(interface, invert, up, ones, Size(n), inverse.data(), inverse.step()) == 0);
      CHECK(call_lapack(interface, name<Z>("trtrs"), up, trans('N'), ones, Size(n), Size(2), A.data(), A.step(),
                        B.data(), B.step()) == 0);
      Table<Z> known(n, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          if (!triangle.contains(i, j) || (i == j && triangle.has_ones)) {
            check_unchanged(inverse(i, j), stored(i, j));
            known(i, j) = i == j ? Z(1) : Z(0);
          } else {
            known(i, j) = inverse(i, j);
          }
        }
      auto const identity = product(a, known);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) check_equal(identity(i, j), unit(i, j));
        for (std::size_t j = 0; j < 2; ++j) check_equal(B(i, j), x(i, j));
      }
      StoredTriangle const plain{triangle.is_lower};
      auto const squared = plain.is_lower ? product(adjoint(a), a) : product(a, adjoint(a));
      auto const inverted = plain.is_lower ? product(adjoint(known), known) : product(known, adjoint(known));
      Operand<Z> C(plain.poisoned(a), false, random), D(plain.poisoned(a), false, random);
      CHECK(call_lapack(interface, square, up, Size(n), C.data(), C.step()) == 0);
      CHECK(call_lapack(interface, name<Z>("potri"), up, Size(n), D.data(), D.step()) == 0);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          if (plain.contains(i, j)) {
            check_equal(C(i, j), squared(i, j));
            check_equal(D(i, j), inverted(i, j));
          } else {
            check_unchanged(C(i, j), nan_of<Z>());
            check_unchanged(D(i, j), nan_of<Z>());
          }
        }
      for (auto* const operand : {&inverse, &A, &B, &C, &D}) operand->check_rest();
    });
}

/// H(0)^H ... applied to A in plain double arithmetic, which leaves R.
template <class Z>
void check_qr(Random& random, std::size_t m, std::size_t n) {
  using Wide = std::complex<double>;
  using R = typename PartsOf<Z>::Real;
  Interface const interface = any_interface(random);
  std::size_t const k = std::min(m, n);
  INFO(interface.name_of(name<Z>("geqrf")) << ", m = " << m << ", n = " << n);
  auto const a = any_table<Z>(random, Hardness::none, m, n);
  Operand<Z> A(a, false, random);
  std::vector<Z> tau(k + 1, Z(-77)), work(n + 1);
  CHECK(call_lapack(interface, name<Z>("geqrf"), Size(m), Size(n), A.data(), A.step(), tau.data(), work.data(),
                    Size(n)) == 0);
  CHECK(Number(tau[k]).is(-77));
  for (std::size_t l = 0; l < k; ++l) CHECK(Number(A(l, l)).imaginary == 0);
  auto const wide = [](Z const& x) { return Wide(Number(x).real, Number(x).imaginary); };
  double largest = 0;
  Table<Wide> rest(m, n);
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    rest.entries[i] = wide(a.entries[i]);
    largest = std::max(largest, std::abs(rest.entries[i]));
  }
  for (std::size_t l = 0; l < k; ++l)
    for (std::size_t j = 0; j < n; ++j) {
      auto const v = [&](std::size_t i) { return i == l ? Wide(1) : wide(A(i, l)); };
      Wide sum = 0;
      for (std::size_t i = l; i < m; ++i) sum += std::conj(v(i)) * rest(i, j);
      for (std::size_t i = l; i < m; ++i) rest(i, j) -= v(i) * (std::conj(wide(tau[l])) * sum);
    }
  double worst = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      worst = std::max(worst, std::abs(rest(i, j) - (j < i ? Wide(0) : wide(A(i, j)))));
  double const unit = std::numeric_limits<R>::epsilon();
  CHECK(worst <= 4 * unit * largest * static_cast<double>(m + n));
  A.check_rest();
}

TEST_CASE("geqrf: its reflectors make R of A, up to roundings, and small columns are as good as others") {
  Random random(3);
  for (auto const& [m, n] : {std::pair<std::size_t, std::size_t>{1, 1},
                             {1, 4},
                             {5, 1},
                             {4, 4},
                             {9, 5},
                             {5, 9},
                             {70, 40},
                             {40, 70},
                             {33, 33}})
    for_all_numbers([&, m = m, n = n](auto type) { check_qr<decltype(type)>(random, m, n); });
  Interface interface(random);
  interface.is_of_c = interface.by_rows = interface.has_64_bits = interface.has_prefix = false;
  for_all_numbers([&](auto type) {
    using Z = decltype(type);
    using R = typename PartsOf<Z>::Real;
    auto const verb = name<Z>("geqrf");
    // x = s (3, 4) has beta = -5 s, v = 4 / 8, tau = 8 / 5, exactly but for tau: below the smallest normal number, and
    // next to the largest one, where the first entry less beta would be infinite.
    for (R const s :
         {16 * std::numeric_limits<R>::denorm_min(), std::ldexp(R{1}, std::numeric_limits<R>::max_exponent - 3)}) {
      INFO(verb << ", s = " << s);
      Z column[] = {Z(3 * s), Z(4 * s)}, tau[1], work[1];
      CHECK(call_lapack(interface, verb, Size(2), Size(1), static_cast<Z*>(column), Size(2), static_cast<Z*>(tau),
                        static_cast<Z*>(work), Size(1)) == 0);
      check_equal(column[0], Z(-5 * s));
      check_equal(column[1], Z(R(0.5)));
      check_equal(tau[0], Z(R(1.6)));
    }
  });
  // The size of the workspace is told as a number that is no smaller, though it may be inexact.
  float told[1], unused[1];
  std::int64_t info = -1;
  {
    ScopedTraps const traps(FE_INEXACT);
    info = call_lapack(interface, "sgeqrf", Size(1), Size(16777217), unused, Size(1), unused, told, Size(-1));
  }
  CHECK(info == 0);
  CHECK(told[0] == 16777218);
}

TEST_CASE("info says which pivot is zero, which part is not positive definite, and which argument is wrong") {
  Random random(4);
  Interface const interface = any_interface(random);
  double a[] = {2, 4, 1, 4, 8, 3, 0, 1, 5}, b[] = {1, 2, 3}, tau[3], work[3];
  Integers pivots(3);
  // Rows (2, 4, 0), (4, 8, 1), (1, 3, 5), then (2, 4, 0), (4, 8, 0), (1, 2, 5).
  CHECK(call_lapack(interface, "dgetrf", Size(3), Size(3), a, Size(3), &pivots) == 0);
  double singular[] = {2, 4, 1, 4, 8, 2, 0, 0, 5};
  CHECK(call_lapack(interface, "dgesv", Size(3), Size(1), singular, Size(3), &pivots, b, Size(3)) == 2);
  CHECK((b[0] == 1 && b[1] == 2 && b[2] == 3));
  CHECK((singular[0] == 4 && singular[1] == 0.5 && singular[2] == 0.25));
  double indefinite[] = {4, 2, 0, 0, 1, 0, 0, 0, 9};
  CHECK(call_lapack(interface, "dpotrf", uplo(true), Size(3), indefinite, Size(3)) == 2);
  double const hole[] = {1, 1, 0, 0};
  CHECK(call_lapack(interface, "dtrtrs", uplo(true), trans('N'), diag(false), Size(2), Size(1), hole, Size(2), b,
                    Size(2)) == 2);
  CHECK(b[0] == 1);
  double nothing[9] = {};
  CHECK(call_lapack(interface, "dgetrf", Size(3), Size(3), nothing, Size(3), &pivots) == 1);
  // A diagonal of ones is not stored, and what is there may be zero.
  double ones[] = {0, 3, 0, 0};
  CHECK(call_lapack(interface, "dtrtrs", uplo(true), trans('N'), diag(true), Size(2), Size(1), ones, Size(2), b,
                    Size(2)) == 0);
  CHECK((b[0] == 1 && b[1] == -1));
  CHECK(call_lapack(interface, "dtrtri", uplo(true), diag(true), Size(2), ones, Size(2)) == 0);
  CHECK((ones[0] == 0 && ones[1] == -3 && ones[3] == 0));
  // Only trtri looks for zeros.
  double with_hole[] = {1, 1, 0, 0};
  CHECK(call_lapack(interface, "dtrtri", uplo(true), diag(false), Size(2), with_hole, Size(2)) == 2);
  CHECK(call_lapack(interface, "dtrti2", uplo(true), diag(false), Size(2), with_hole, Size(2)) == 0);
  CHECK((with_hole[0] == 1 && with_hole[2] == 0 && std::isinf(with_hole[3])));
  // A subnormal pivot is none, whatever the caller's environment makes of it.
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  for (FpSettings const& settings : every_fp_environment_of_hosts()) {
    INFO(settings.name);
    double small[] = {1, 0, 0, tiny}, of_small[] = {1, tiny}, scaled[] = {0x1p-1022 / 4};
    float narrow[] = {std::numeric_limits<float>::denorm_min()};
    std::ptrdiff_t solved = -1, inverted = -1, of_narrow = -1;
    {
      ScopedFpEnvironment const hostile(settings);
      solved = call_lapack(interface, "dtrtrs", uplo(true), trans('N'), diag(false), Size(2), Size(1), small, Size(2),
                           of_small, Size(2));
      inverted = call_lapack(interface, "dpotri", uplo(true), Size(1), scaled, Size(1));
      of_narrow = call_lapack(interface, "strtri", uplo(true), diag(false), Size(1), narrow, Size(1));
    }
    CHECK((solved == 0 && inverted == 0 && of_narrow == 0));
    CHECK((of_small[0] == 1 && of_small[1] == 1));
  }
  double nan[] = {std::numeric_limits<double>::quiet_NaN()};
  CHECK(call_lapack(interface, "dpotrf", uplo(false), Size(1), nan, Size(1)) == 1);
  CHECK(call_lapack(interface, "dgeqrf", Size(3), Size(3), a, Size(3), tau, work, Size(-1)) == 0);
  CHECK(work[0] == 3);
  CHECK(call_lapack(interface, "dgeqrf", Size(0), Size(3), a, Size(1), tau, work, Size(1)) == 0);
  CHECK(call_lapack(interface, "dgeqrf", Size(1), Size(3), a, Size(1), tau, work, Size(2)) == -7);
  CHECK(call_lapack(interface, "dgetrf", Size(0), Size(3), a, Size(1), &pivots) == 0);

  // Each argument in turn, and nothing is written.
  double const before[] = {1, 2, 3, 4};
  double c[] = {1, 2, 3, 4}, d[] = {1, 2, 3, 4};
  int wrong = 0;
  auto const letter = [&](int number, Mode const& mode) { return number == wrong ? Mode{'X', 0} : mode; };
  auto const size = [&](int number) { return Size(number == wrong ? -1 : 2); };
  auto const leading = [&](int number) { return Size(number == wrong ? 1 : 2); };
  auto const check = [&](char const* verb, std::vector<int> const& numbers, auto const& info) {
    for (int const number : numbers) {
      INFO(verb << ", argument " << number);
      wrong = number;
      CHECK(info(verb) == -number);
      CHECK((std::equal(c, c + 4, before) && std::equal(d, d + 4, before)));
    }
  };
  check("dgetrf", {1, 2, 4},
        [&](auto verb) { return call_lapack(interface, verb, size(1), size(2), c, leading(4), &pivots); });
  check("dgetrs", {1, 2, 3, 5, 8}, [&](auto verb) {
    return call_lapack(interface, verb, letter(1, trans('N')), size(2), size(3), c, leading(5), &pivots, d, leading(8));
  });
  check("dgesv", {1, 2, 4, 7}, [&](auto verb) {
    return call_lapack(interface, verb, size(1), size(2), c, leading(4), &pivots, d, leading(7));
  });
  for (char const* const verb : {"dpotrf", "dlauum", "dpotri"})
    check(verb, {1, 2, 4},
          [&](auto name) { return call_lapack(interface, name, letter(1, uplo(true)), size(2), c, leading(4)); });
  check("dpotrs", {1, 2, 3, 5, 7}, [&](auto verb) {
    return call_lapack(interface, verb, letter(1, uplo(true)), size(2), size(3), c, leading(5), d, leading(7));
  });
  for (char const* const verb : {"dtrtri", "dtrti2"})
    check(verb, {1, 2, 3, 5}, [&](auto name) {
      return call_lapack(interface, name, letter(1, uplo(true)), letter(2, diag(false)), size(3), c, leading(5));
    });
  check("dtrtrs", {1, 2, 3, 4, 5, 7, 9}, [&](auto verb) {
    return call_lapack(interface, verb, letter(1, uplo(true)), letter(2, trans('N')), letter(3, diag(false)), size(4),
                       size(5), c, leading(7), d, leading(9));
  });
  check("dgeqrf", {1, 2, 4, 7}, [&](auto verb) {
    return call_lapack(interface, verb, size(1), size(2), c, leading(4), tau, work, leading(7));
  });
}

}  // namespace
