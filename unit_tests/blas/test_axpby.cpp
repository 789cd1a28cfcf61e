// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_axpby.hpp>
#include <ExaktBlas1_axpy.hpp>
#include <ExaktBlas1_scal.hpp>

#include <cmath>
#include <set>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"
#include "ExaktTest_ReductionCases.hpp"

namespace {

using namespace ExaktTest;
using Exakt::axpby;
using Exakt::axpy;
using Exakt::scal;

/// One entry as it has to be; a factor of zero does not look at what it multiplies, and 0 * x + 1 * y is y.
template <class R>
Expected<R> expected_entry(double alpha, double x, double beta, double y) {
  if (alpha == 0 && beta == 1) return {static_cast<R>(y)};
  Exact sum;
  if (alpha != 0) sum.add_product(alpha, x);
  if (beta != 0) sum.add_product(beta, y);
  return sum.round<R>();
}

template <class T>
T any_number(Random& random) {
  using Limits = std::numeric_limits<T>;
  switch (random.between(0, 19)) {
    case 0:
      return random.one_of(T{0}, -T{0});
    case 1:
      return random.one_of(Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN());
    case 2:
      return random.one_of(Limits::max(), -Limits::max(), Limits::denorm_min(), -Limits::min());
    case 3:
      return random.one_of(T{1}, T{-1}, T{2}, T{0.5});
    case 4:
    case 5:
      return random.value<T>(random.between(Limits::min_exponent - Limits::digits, Limits::max_exponent - 1));
    default:
      return random.value<T>(random.between(-20, 20));
  }
}

/// Entries that are hard together: alpha * x + beta * y cancels, is a tie, or underflows.
template <class T>
std::pair<T, T> hard_entries(Random& random, double alpha, double beta) {
  T const x = any_number<T>(random);
  if (random.coin()) return {x, any_number<T>(random)};
  T const cancelling = Exact().add_product(-alpha, x).template round_quotient<T>(beta).value;
  return {x, random.coin() ? cancelling : std::nextafter(cancelling, T{0})};
}

template <class X, class Y, class A, class B>
void check_axpby(A alpha, B beta, std::vector<X> const& x, std::vector<Y> const& y) {
  for_each_host_space([&](auto space) {
    auto const result = contiguous(y);
    axpby(space, alpha, borrowed(x), beta, result);
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto const expected = expected_entry<Y>(static_cast<double>(alpha), x[i], static_cast<double>(beta), y[i]);
      if (!compare(result(i), expected))
        report_difference(__FILE__, __LINE__,
                          describe_bits(static_cast<double>(alpha)) + " * " + describe_bits(x[i]) + " + " +
                              describe_bits(static_cast<double>(beta)) + " * " + describe_bits(y[i]) + " is " +
                              describe_bits(result(i)) + ", expected " + describe_bits(expected));
    }
  });
}

template <class Y, class X, class A, class B>
void check_random_axpby(Random& random) {
  for (std::uint64_t i = 0; i < 60 * case_factor(); ++i) {
    A const alpha = any_number<A>(random);
    B const beta = any_number<B>(random);
    std::vector<X> x;
    std::vector<Y> y;
    for (auto n = random.between<std::size_t>(0, 100); x.size() < n;) {
      auto const entries = hard_entries<Y>(random, alpha, beta);
      x.push_back(static_cast<X>(entries.first));
      y.push_back(entries.second);
    }
    check_axpby(alpha, beta, x, y);
  }
}

}  // namespace

TEST_CASE("each entry of axpby is the exact alpha * x + beta * y, rounded once") {
  Random random(750);
  check_random_axpby<double, double, double, double>(random);
  check_random_axpby<float, float, float, float>(random);
}

TEST_CASE("operands and factors of axpby may be of different types, wider ones than y too") {
  Random random(751);
  check_random_axpby<float, double, double, double>(random);
  check_random_axpby<double, float, float, double>(random);
}

TEST_CASE("factors may be integers") {
  Random random(752);
  std::vector<double> x, y;
  for (int i = 0; i < 200; ++i) {
    x.push_back(any_number<double>(random));
    y.push_back(any_number<double>(random));
  }
  for (int const alpha : {0, 1, -3, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
    for (unsigned const beta : {0u, 1u, 7u, std::numeric_limits<unsigned>::max()}) check_axpby(alpha, beta, x, y);
}

TEST_CASE("with beta = 0 the old y is not looked at, whatever it holds") {
  for (double const old : {not_a_number, infinity, -infinity, 1.0, 0x1p-1074})
    for (double const beta : {0.0, -0.0}) {
      auto const y = contiguous(std::vector<double>{old, old});
      axpby(3.0, contiguous(std::vector<double>{2, -0.0}), beta, y);
      CHECK(same_bits(y(0), 6.0));
      CHECK(same_bits(y(1), 0.0));
      axpby(1, y, 0, y);
      CHECK(same_bits(y(0), 6.0));
    }
}

TEST_CASE("with alpha = 0 x is not looked at, whatever it holds; y stays as it is if beta is one") {
  std::vector<double> const x{infinity, -infinity, not_a_number, 5}, old{1, -0.0, not_a_number, 0x1p-1074};
  for (double const alpha : {0.0, -0.0}) {
    auto const y = contiguous(old);
    axpby(alpha, contiguous(x), 1.0, y);
    for (std::size_t i = 0; i < old.size(); ++i) CHECK(bits_of(y(i)) == bits_of(old[i]));
    axpby(alpha, contiguous(x), 2, y);
    CHECK(same_bits(y(0), 2.0));
    CHECK(same_bits(y(1), 0.0));
    CHECK(same_bits(y(2), not_a_number));
    CHECK(same_bits(y(3), 0x1p-1073));
    axpby(alpha, contiguous(x), 0, y);
    for (std::size_t i = 0; i < old.size(); ++i) CHECK(same_bits(y(i), 0.0));
  }
}

TEST_CASE("products that over- or underflow on their own do not in the sum") {
  double const max = std::numeric_limits<double>::max();
  check_axpby(max, -max, std::vector<double>{max, 2, 1, 0x1p-1074, 1.5},
              std::vector<double>{max, 2 - 0x1p-52, 1, 0x1p-1074, 1.5 - 0x1p-52});
  check_axpby(0x1p-1074, 0x1p-1074, std::vector<double>{0.5, 0.25, 0.75, 0x1p-1074, -0.5},
              std::vector<double>{0.5, 0.25, 0.25, 0x1p-1074, 0x1p-1074});
}

TEST_CASE("a tie that the first product makes is decided by the second one, however far below") {
  // (1 + 2^-27) * (1 + 2^-26) has the bit 2^-53 as its last one, half a unit of a double.
  std::vector<double> x, y;
  for (int exponent = -1074; exponent <= -20; ++exponent)
    for (double const x_sign : {1.0, -1.0})
      for (double const y_sign : {1.0, -1.0}) {
        x.push_back(x_sign * (1 + 0x1p-26));
        y.push_back(std::ldexp(y_sign, exponent));
      }
  for (double const beta : {1.0, 0x1p-30, -0x1p-500, 0x1p-1000, 0x1p-1074}) check_axpby(1 + 0x1p-27, beta, x, y);

  // These are half way between two floats, also where those are subnormal or overflow.
  std::vector<float> narrow_x, narrow_y;
  for (int exponent = -149; exponent <= -20; ++exponent)
    for (float const x_sign : {1.0f, -1.0f})
      for (float const y_sign : {1.0f, -1.0f}) {
        narrow_x.push_back(x_sign);
        narrow_y.push_back(std::ldexp(y_sign, exponent));
      }
  for (double const alpha :
       {1 + 0x1p-24, 1 + 0x3p-24, 1 - 0x1p-25, 0x1p-126 + 0x1p-150, 0x1p-149 * 2.5, 0x1p127 * (2 - 0x1p-24)})
    for (double const beta : {1.0, 0x1p-20, -0x1p-50, 0x1p-120, 0x1p-500, 0x1p-1074})
      check_axpby(alpha, beta, narrow_x, narrow_y);
}

TEST_CASE("results of axpby at every exponent of float and double, with and without much cancellation") {
  Random random(757);
  for (std::uint64_t i = 0; i < 30 * case_factor(); ++i) {
    double const alpha = random.value<double>(random.between(-1022, 1000));
    double const beta = random.value<double>(random.between(-40, 40));
    std::vector<double> x, y;
    std::vector<float> narrow_y;
    for (int exponent = -1000; exponent <= 1023; ++exponent) {
      double const factor = random.value<double>(exponent);
      double const cancelling = Exact().add_product(-alpha, factor).round_quotient<double>(beta).value;
      for (double const old : {cancelling, std::nextafter(cancelling, 0), cancelling / 2, cancelling * 0x1p-60, 0.0}) {
        x.push_back(factor);
        y.push_back(old);
        narrow_y.push_back(static_cast<float>(old));
      }
    }
    check_axpby(alpha, beta, x, y);
    check_axpby(alpha, beta, x, narrow_y);
  }
}

TEST_CASE("y may be x itself") {
  Random random(753);
  for (std::size_t const n : {std::size_t{1}, std::size_t{100}, 2 * block_size}) {
    auto const terms = random_terms<double>(random, n);
    auto const y = contiguous(terms.x);
    axpby(0.1, y, 0.7, y);
    for (std::size_t i = 0; i < n; ++i)
      EXAKT_CHECK_BITS(y(i), expected_entry<double>(0.1, terms.x[i], 0.7, terms.x[i]));
    axpby(1, HostVector<double const>(y), -1, y);
    for (std::size_t i = 0; i < n; ++i) EXAKT_CHECK_BITS(y(i), Expected<double>{0.0});
  }
  // The stride of a single entry says nothing.
  auto const single = strided(std::vector<double>{3.0});
  axpby(2, HostVector<double>(single.data(), 1), 1, single);
  CHECK(single(0) == 9);
}

TEST_CASE("two views share an entry if one address is in both") {
  using View = Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace>;
  Random random(718);
  std::vector<double> const memory(400);
  auto const some_view = [&] {
    auto const extent = [&] { return random.between<std::size_t>(1, 5); };
    auto const stride = [&] {
      return random.one_of(std::size_t{0}, std::size_t{1}, random.between<std::size_t>(1, 30));
    };
    Kokkos::LayoutStride const layout(extent(), stride(), extent(), stride());
    return View(const_cast<double*>(memory.data()) + random.between<std::size_t>(0, 100), layout);
  };
  std::size_t shared = 0;
  constexpr std::size_t pairs = 20'000;
  for (std::size_t n = 0; n < pairs; ++n) {
    auto const a = some_view(), b = some_view();
    bool expected = false;
    for (std::size_t i = 0; i < a.extent(0); ++i)
      for (std::size_t j = 0; j < a.extent(1); ++j)
        for (std::size_t k = 0; k < b.extent(0); ++k)
          for (std::size_t l = 0; l < b.extent(1); ++l) expected = expected || &a(i, j) == &b(k, l);
    shared += expected;
    if (Exakt::Impl::share_entries(a, b) != expected)
      FAIL("strides " << a.stride(0) << ", " << a.stride(1) << " and " << b.stride(0) << ", " << b.stride(1));
  }
  CHECK(shared > pairs / 10);
  CHECK(shared < pairs / 2 * 1.8);
}

namespace {

template <class A, class B>
void check_shared_bytes(Random& random) {
  std::vector<double> const memory(400);
  auto const some_view = [&]<class T>(T*) {
    auto const extent = [&] { return random.between<std::size_t>(1, 4); };
    auto const stride = [&] {
      return random.one_of(std::size_t{0}, std::size_t{1}, random.between<std::size_t>(1, 12));
    };
    Kokkos::LayoutStride const layout(extent(), stride(), extent(), stride());
    auto* const first = reinterpret_cast<T*>(const_cast<double*>(memory.data()) + random.between<std::size_t>(0, 50));
    return Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace>(first, layout);
  };
  auto const bytes_of = [](auto const& view) {
    std::set<char const*> bytes;
    for (std::size_t i = 0; i < view.extent(0); ++i)
      for (std::size_t j = 0; j < view.extent(1); ++j)
        for (std::size_t byte = 0; byte < sizeof(view(i, j)); ++byte)
          bytes.insert(reinterpret_cast<char const*>(&view(i, j)) + byte);
    return bytes;
  };
  std::size_t shared = 0;
  constexpr std::size_t pairs = 3000;
  for (std::size_t n = 0; n < pairs; ++n) {
    auto const a = some_view(static_cast<A*>(nullptr));
    auto const b = some_view(static_cast<B*>(nullptr));
    auto const of_a = bytes_of(a);
    bool expected = false;
    for (char const* const byte : bytes_of(b)) expected = expected || of_a.count(byte) != 0;
    shared += expected;
    if (Exakt::Impl::share_entries(a, b) != expected || Exakt::Impl::share_entries(b, a) != expected)
      FAIL("strides " << a.stride(0) << ", " << a.stride(1) << " and " << b.stride(0) << ", " << b.stride(1));
  }
  CHECK((shared > pairs / 10 && shared < pairs * 9 / 10));
}

}  // namespace

TEST_CASE("views of different types share memory if a byte is in both, as of a complex number and one of its parts") {
  Random random(720);
  check_shared_bytes<std::complex<double>, double>(random);
  check_shared_bytes<std::complex<double>, std::complex<double>>(random);
  check_shared_bytes<double, float>(random);
  check_shared_bytes<std::complex<float>, double>(random);
  check_shared_bytes<Exakt::SumAccumulator<double>, double>(random);
  std::vector<double> memory(7, 1);
  Kokkos::View<Kokkos::complex<double>*, Kokkos::HostSpace> const y(
      reinterpret_cast<Kokkos::complex<double>*>(memory.data()), 2);
  HostVector<double> const x(memory.data() + 3, 2);
  CHECK(refusal_of([&] { axpby(1, x, 1, y); }) ==
        "Exakt::axpby: y is 2 entries, x is 2 entries; they must be the same entries, or share no memory");
  CHECK(memory == std::vector<double>(7, 1));
}

TEST_CASE("two entries of a view are one if they have one address; such a view is not written") {
  using View = Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace>;
  Random random(719);
  std::vector<double> memory(400, 1);
  std::size_t shared = 0;
  constexpr std::size_t views = 20'000;
  for (std::size_t n = 0; n < views; ++n) {
    auto const extent = [&] { return random.between<std::size_t>(0, 6); };
    auto const stride = [&] { return random.between<std::size_t>(0, 12); };
    View const a(memory.data(), Kokkos::LayoutStride(extent(), stride(), extent(), stride()));
    std::set<double const*> places;
    for (std::size_t i = 0; i < a.extent(0); ++i)
      for (std::size_t j = 0; j < a.extent(1); ++j) places.insert(&a(i, j));
    bool const expected = places.size() < a.size();
    shared += expected;
    if (Exakt::Impl::has_shared_entries(Exakt::Impl::Footprint(a)) != expected)
      FAIL(a.extent(0) << " x " << a.extent(1) << ", strides " << a.stride(0) << " and " << a.stride(1));
  }
  CHECK(shared > views / 10);
  CHECK(shared < views / 2 * 1.8);

  auto const x = contiguous(std::vector<double>{1, 2, 3});
  Kokkos::View<double*, Kokkos::LayoutStride, Kokkos::HostSpace> const y(memory.data(), Kokkos::LayoutStride(3, 0));
  CHECK(refusal_of([&] { axpby(1, x, 1, y); }) ==
        "Exakt::axpby: y is 3 entries, some of which are one in memory by their strides; each is written");
  CHECK(memory == std::vector<double>(400, 1));
  axpby(1, y, 1, x);  // what is read may be one number
  CHECK(x(2) == 4);
}

TEST_CASE("y shares no other entries with x, and may lie between the entries of x") {
  using Range = std::pair<int, int>;
  auto const numbers = contiguous(std::vector<double>{1, 2, 3, 4, 5, 6});
  for (int const shift : {1, 2}) {
    auto const x = Kokkos::subview(numbers, Range(0, 3)), y = Kokkos::subview(numbers, Range(shift, shift + 3));
    for (auto const& [first, second] : {std::pair(x, y), std::pair(y, x)})
      CHECK(refusal_of([&, u = first, v = second] { axpby(1, u, 1, v); }) ==
            "Exakt::axpby: y is 3 entries, x is 3 entries; they must be the same entries, or share no memory");
  }
  CHECK(numbers(2) == 3);
  axpby(1, Kokkos::subview(numbers, Range(0, 3)), 1, Kokkos::subview(numbers, Range(3, 6)));
  CHECK(numbers(5) == 9);

  auto const A = poisoned<HostMatrix<double, Kokkos::LayoutRight>>(4, 3);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) A(i, j) = 10 * i + j;
  axpby(1, Kokkos::subview(A, Kokkos::ALL, 0), 1, Kokkos::subview(A, Kokkos::ALL, 1));
  CHECK(A(3, 1) == 61);
  CHECK(refusal_of([&] { axpby(1, Kokkos::subview(A, 2, Range(0, 3)), 1, Kokkos::subview(A, Range(0, 3), 1)); }) ==
        "Exakt::axpby: y is 3 entries, x is 3 entries; they must be the same entries, or share no memory");
  auto const left = Kokkos::subview(A, Kokkos::ALL, Range(0, 1)), right = Kokkos::subview(A, Kokkos::ALL, Range(2, 3)),
             middle = Kokkos::subview(A, Kokkos::ALL, Range(1, 2));
  axpby(1, left, 1, right);
  CHECK(A(3, 2) == 62);
  axpby(1, right, -1, middle);
  CHECK(A(3, 1) == 1);
  CHECK(refusal_of([&] {
          axpby(1, Kokkos::subview(A, Kokkos::ALL, Range(0, 2)), 1, Kokkos::subview(A, Kokkos::ALL, Range(1, 3)));
        }) == "Exakt::axpby: y is 4 x 2, x is 4 x 2; they must be the same entries, or share no memory");
  axpby(1, Kokkos::subview(A, Range(0, 2), Kokkos::ALL), 0, Kokkos::subview(A, Range(2, 4), Kokkos::ALL));
  CHECK(A(3, 0) == 10);

  auto const B = whole_matrix<Kokkos::LayoutLeft>(std::vector<std::vector<double>>{{1, 2, 3, 4}, {5, 6, 7, 8}}, 4);
  auto const top = Kokkos::subview(B, Range(0, 2), Kokkos::ALL), bottom = Kokkos::subview(B, Range(2, 4), Kokkos::ALL);
  axpby(1, top, 1, bottom);
  CHECK(B(3, 1) == 14);
  axpby(1, bottom, 0, top);
  CHECK(B(1, 1) == 14);
}

TEST_CASE("axpby takes vectors of every kind, and nothing around them is read or written") {
  Random random(754);
  for (std::size_t const n :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{33}, std::size_t{1000}}) {
    auto const terms = random_terms<double>(random, n);
    auto const check = [&](auto const& x, auto const& y) {
      axpby(-0.3, x, 1.1, y);
      for (std::size_t i = 0; i < n; ++i)
        EXAKT_CHECK_BITS(y(i), expected_entry<double>(-0.3, terms.x[i], 1.1, terms.y[i]));
    };
    GuardedArray<double> const x(terms.x);
    check(BorrowedVector<double>(x.data(), n), misaligned(terms.y));
    check(strided(terms.x), contiguous(terms.y));
    check(column_of<Kokkos::LayoutLeft>(terms.x), strided(terms.y));
    auto const entries = strided(terms.y, 3);
    check(row_of<Kokkos::LayoutLeft>(terms.x), entries);
    if (n > 0) CHECK((is_nan_bits(entries.data()[-1]) && is_nan_bits(entries.data()[1])));
  }
}

TEST_CASE("axpby takes multivectors, without rows or columns too") {
  Random random(755);
  for (auto const& shape :
       {std::pair<std::size_t, std::size_t>{0, 0}, {0, 3}, {3, 0}, {1, 1}, {5, 7}, {100, 3}, {2, 300}}) {
    std::size_t const n = shape.first, m = shape.second;
    INFO(n << " x " << m);
    std::vector<std::vector<double>> x, y;
    for (std::size_t j = 0; j < m; ++j) {
      auto terms = random_terms<double>(random, n);
      x.push_back(terms.x);
      y.push_back(terms.y);
    }
    for_each_host_space([&](auto space) {
      auto const check = [&](auto const& X, auto const& Y) {
        axpby(space, 0.9, X, -1.7, Y);
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t i = 0; i < n; ++i)
            EXAKT_CHECK_BITS(Y(i, j), expected_entry<double>(0.9, x[j][i], -1.7, y[j][i]));
      };
      check(whole_matrix<Kokkos::LayoutLeft>(x, n), whole_matrix<Kokkos::LayoutRight>(y, n));
      check(corner_of_poison<Kokkos::LayoutRight>(x, n), corner_of_poison<Kokkos::LayoutLeft>(y, n));
    });
  }
}

TEST_CASE("axpby, axpy and scal take a factor for each column") {
  Random random(757);
  std::size_t const n = 70, m = 5;
  std::vector<std::vector<double>> x, y;
  for (std::size_t j = 0; j < m; ++j) {
    auto terms = random_terms<double>(random, n);
    x.push_back(terms.x);
    y.push_back(terms.y);
  }
  auto const alpha = contiguous(std::vector<double>{0.9, 0, -1.7, 1, 3});
  HostVector<float> const beta("beta", m);
  for (std::size_t j = 0; j < m; ++j) beta(j) = static_cast<float>(j);
  for_each_host_space([&](auto space) {
    auto const X = whole_matrix<Kokkos::LayoutLeft>(x, n);
    auto const check = [&](auto const& update, auto const& a, auto const& b) {
      auto const Y = whole_matrix<Kokkos::LayoutRight>(y, n);
      update(Y);
      for (std::size_t j = 0; j < m; ++j)
        for (std::size_t i = 0; i < n; ++i)
          EXAKT_CHECK_BITS(Y(i, j), expected_entry<double>(a(j), x[j][i], b(j), y[j][i]));
    };
    auto const one = [](std::size_t) { return 1.0; };
    auto const zero = [](std::size_t) { return 0.0; };
    check([&](auto const& Y) { axpby(space, alpha, X, beta, Y); }, alpha, beta);
    check([&](auto const& Y) { axpby(space, 1, X, beta, Y); }, one, beta);
    check([&](auto const& Y) { axpby(space, alpha, X, Kokkos::subview(beta, 1), Y); }, alpha, one);
    check([&](auto const& Y) { axpy(space, alpha, X, Y); }, alpha, one);
    check([&](auto const& Y) { scal(space, Y, alpha, X); }, alpha, zero);
    auto const r = contiguous(y[0]);
    axpby(space, Kokkos::subview(alpha, std::pair<std::size_t, std::size_t>(2, 3)), contiguous(x[0]), 1, r);
    for (std::size_t i = 0; i < n; ++i) EXAKT_CHECK_BITS(r(i), expected_entry<double>(-1.7, x[0][i], 1, y[0][i]));
  });
  HostMatrix<Kokkos::complex<double>, Kokkos::LayoutLeft> const Z("Z", 1, 2);
  Kokkos::deep_copy(Z, Kokkos::complex<double>(1, 2));
  HostVector<Kokkos::complex<double>> const turns("turns", 2);
  turns(0) = Kokkos::complex<double>(0, 1);
  turns(1) = Kokkos::complex<double>(3, 0);
  scal(Z, turns, Z);
  CHECK((Z(0, 0) == Kokkos::complex<double>(-2, 1) && Z(0, 1) == Kokkos::complex<double>(3, 6)));
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  CHECK(refusal_of([&] { axpby(alpha, poisoned<Matrix>(2, 3), 1, poisoned<Matrix>(2, 3)); }) ==
        "Exakt::axpby: alpha is 5 entries, y is 2 x 3; a View of factors has one for each column");
  CHECK(refusal_of([&] { axpby(1, contiguous(x[0]), beta, contiguous(y[0])); }) ==
        "Exakt::axpby: beta is 5 entries, y is 70 entries; a View of factors has one for each column");
}

#ifndef EXAKT_EMULATE_DEVICE  // devices have one environment only
TEST_CASE("axpby is right in every floating-point environment") {
  Random random(756);
  std::vector<double> x, y;
  for (int i = 0; i < 500; ++i) {
    x.push_back(any_number<double>(random));
    y.push_back(any_number<double>(random));
  }
  // Subnormal factors are not zero, not even where the processor takes them for zero.
  double const factors[] = {1.0, 0.1, 0x1p-1074, -1e-310, 1e300, 0.0};
  for (auto const& environment : every_fp_environment())
    for (double const alpha : factors)
      for (double const beta : factors) {
        INFO(environment.name << ", alpha " << describe_bits(alpha) << ", beta " << describe_bits(beta));
        auto const result = contiguous(y);
        {
          ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
          axpby(alpha, borrowed(x), beta, result);
        }
        for (std::size_t i = 0; i < x.size(); ++i)
          EXAKT_CHECK_BITS(result(i), expected_entry<double>(alpha, x[i], beta, y[i]));
      }
}
#endif

TEST_CASE("axpby refuses operands of different shapes, by name and shape, and leaves y alone") {
  auto const y = contiguous(std::vector<double>{1, 2});
  CHECK(refusal_of([&] { axpby(1.0, contiguous(std::vector<double>(3)), 1.0, y); }) ==
        "Exakt::axpby: x is 3 entries, y is 2 entries; they must be the same");
  CHECK((y(0) == 1 && y(1) == 2));
  using Matrix = HostMatrix<double, Kokkos::LayoutLeft>;
  CHECK(refusal_of([] { axpby(1, poisoned<Matrix>(2, 3), 1, poisoned<Matrix>(3, 2)); }) ==
        "Exakt::axpby: x is 2 x 3, y is 3 x 2; they must be the same");
  CHECK(refusal_of([] { axpby(1, poisoned<Matrix>(2, 3), 1, poisoned<Matrix>(2, 1)); }) ==
        "Exakt::axpby: x is 2 x 3, y is 2 x 1; they must be the same");
}
