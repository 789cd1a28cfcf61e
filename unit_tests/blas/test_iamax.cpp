// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktBlas1_axpy.hpp>
#include <ExaktBlas1_iamax.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Refusal.hpp"

using namespace ExaktTest;

namespace {

/// The number of the first largest magnitude, from one; a NaN is larger than any number.
template <class T>
std::size_t first_largest(std::vector<T> const& x) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_nan_bits(x[i])) return i + 1;
    if (found == 0 || std::abs(x[i]) > std::abs(x[found - 1])) found = i + 1;
  }
  return found;
}

template <class T>
void check_iamax(std::vector<T> const& x) {
  auto const expected = first_largest(x);
  for_each_kind_of_view([&](char const* kind, auto const& make) {
    INFO(kind << ", " << x.size() << " entries");
    auto const view = make(x);
    for_each_host_space([&](auto space) {
      CHECK(Exakt::iamax(space, view) == expected);
      Kokkos::View<int, Kokkos::HostSpace> const r("r");
      Exakt::iamax(space, r, view);
      space.fence();
      CHECK(r() == static_cast<int>(expected));
    });
  });
}

}  // namespace

TEST_CASE("iamax is the number, from one, of the first entry of largest magnitude, NaN being the largest") {
  Random random(870);
  for (Hardness const hardness : every_hardness)
    for (std::size_t const n : {0, 1, 2, 70, 1000}) {
      std::vector<double> x(n);
      for (double& entry : x) entry = hard_number<double>(random, hardness);
      std::vector<float> y(n);
      for (float& entry : y) entry = static_cast<float>(random.between(-3, 3));
      check_iamax(x);
      check_iamax(y);
    }
  CHECK(Exakt::iamax(contiguous<double>({0, -0.0})) == 1);
  CHECK(Exakt::iamax(contiguous<double>({1, -0x1p-1074, -1})) == 1);
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN(),
               another_nan = Exakt::Impl::from_bits<double>(true, 0x7fffffffffffffff);
  check_iamax<double>({infinity, nan, another_nan});
  check_iamax<double>({infinity, another_nan, nan});
}

TEST_CASE("iamax of more entries than one thread takes at a time") {
  std::vector<double> x(50'000, -1);
  check_iamax(x);
  for (std::size_t const larger : {49'999, 40'000, 16'384, 16'383}) {
    x[larger] = 2;  // the one before is the first of those found so far
    CHECK(Exakt::iamax(contiguous(x)) == larger + 1);
  }
  check_iamax(x);
  for (std::size_t const place : {45'000, 33'000}) {
    x[place] = std::numeric_limits<double>::quiet_NaN();
    check_iamax(x);
  }
}

TEST_CASE("iamax of columns, and in every floating-point environment") {
  HostMatrix<double, Kokkos::LayoutRight> const x("x", 3, 3);
  x(0, 0) = 0x1p-1074;
  x(1, 0) = -0x1p-1073;
  x(2, 1) = -std::numeric_limits<double>::infinity();
  x(1, 1) = std::numeric_limits<double>::max();
  HostVector<std::size_t> const r("r", 3);
  for (auto const& environment : every_fp_environment()) {
    INFO(environment.name);
    std::size_t number = 0;
    {
      ScopedFpEnvironment const scope(environment, ScopedFpEnvironment::Threads::all);
      Exakt::iamax(r, x);
      number = Exakt::iamax(Kokkos::subview(x, Kokkos::ALL, 0));
    }
    CHECK(number == 2);
    CHECK((r(0) == 2 && r(1) == 3 && r(2) == 1));
  }
  CHECK(refusal_of([&] { Exakt::iamax(HostVector<int>("r", 2), x); }) ==
        "Exakt::iamax: r is 2 entries, X is 3 x 3; r.extent(0) must equal X.extent(1)");
  std::vector<std::size_t> memory(9);
  HostVector<std::size_t> const within(memory.data() + 2, 3);
  HostMatrix<double, Kokkos::LayoutRight> const around(reinterpret_cast<double*>(memory.data()), 3, 3);
  CHECK(refusal_of([&] { Exakt::iamax(within, around); }) ==
        "Exakt::iamax: r is 3 entries, x is 3 x 3; they must not share memory");
  Kokkos::View<std::size_t*, Kokkos::LayoutStride, Kokkos::HostSpace> const one_place(memory.data(),
                                                                                      Kokkos::LayoutStride(3, 0));
  CHECK(refusal_of([&] { Exakt::iamax(one_place, x); }) ==
        "Exakt::iamax: r is 3 entries, some of which are one in memory by their strides; each is written");
  std::vector<double> most(127);
  most.back() = 1;
  Kokkos::View<signed char, Kokkos::HostSpace> const narrow("r");
  Exakt::iamax(narrow, contiguous(most));
  CHECK(narrow() == 127);
  most.push_back(2);
  CHECK(refusal_of([&] { Exakt::iamax(narrow, contiguous(most)); }) ==
        "Exakt::iamax: x is 128 entries; the integers of r hold numbers up to 127");
}

TEST_CASE("axpy is axpby with a beta of one") {
  Random random(871);
  for (Hardness const hardness : every_hardness) {
    std::vector<double> x(300), y(300);
    for (double& entry : x) entry = hard_number<double>(random, hardness);
    for (double& entry : y) entry = hard_number<double>(random, hardness);
    auto const view = contiguous(x), result = contiguous(y);
    Exakt::axpy(0.3, view, result);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXAKT_CHECK_BITS(result(i), ScaledExact(1, Exact().add_product(0.3, x[i]).add(y[i])).round<double>());
  }
  auto const y = contiguous<double>({-0.0});
  Exakt::axpy(0, poisoned<HostVector<double>>(1), y);
  CHECK(bits_of(y(0)) == bits_of(-0.0));
  CHECK(refusal_of([&] {
          Exakt::axpy(1, contiguous<double>({1, 2}), y);
        }) == "Exakt::axpy: x is 2 entries, y is 1 entry; they must be the same");
}
