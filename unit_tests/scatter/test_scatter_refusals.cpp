// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter_ScatterCache.hpp>
#include <ExaktScatter_ScatterSum.hpp>
#include <Exakt_Hallberg.hpp>
#include <Exakt_HighPrecision.hpp>

#include <string>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Refusal.hpp"

namespace {

using Exakt::ExponentRange;
// In host memory, whatever the default is: these tests look into it.
template <class T, class Space = Kokkos::HostSpace, int radix_bits = Exakt::ScatterSum<T>::radix_bits>
using ScatterSum = Exakt::ScatterSum<T, Space, radix_bits>;
using ExaktTest::refusal_of;
using Space = Kokkos::DefaultHostExecutionSpace;
using Result = Kokkos::View<double*, Kokkos::HostSpace>;

}  // namespace

TEST_CASE("an addition to a bin that there is not is reported, and changes nothing") {
  ScatterSum<double> const bins("forces", 10);
  Result const result("result", 10);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, 1000), KOKKOS_LAMBDA(int j) { bins.add(j % 10, 0.5); });
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, 1000), KOKKOS_LAMBDA(int j) {
        if (j % 100 == 0) bins.add(10 + j, 1.0);
        if (j == 7) bins.add_product(~std::uint64_t{0}, 1.0, 1.0);
      });
  Space().fence();
  std::string const message =
      "Exakt::ScatterSum::round_to: \"forces\" has 10 bins, and was asked for 11 additions to others, the lowest of "
      "them 10; every index must be below the number of bins and not negative";
  CHECK(refusal_of([&] { bins.round_to(result); }) == message);
  CHECK(result(0) == 0);  // nothing is written
  bins.add(-3, 1.0);
  CHECK(refusal_of([&] { bins.round(0); }).find("12 additions to others, the lowest of them -3;") != std::string::npos);
  CHECK(refusal_of([&] { bins.accumulator(0); }).find("Exakt::ScatterSum::accumulator") == 0);
  bins.clear();
  bins.add(9, 2.0);
  CHECK(refusal_of([&] { bins.round_to(result); }) == "no refusal");
  CHECK((result(8) == 0 && result(9) == 2));
}

TEST_CASE("the other bins of a refused addition keep their sums") {
  ScatterSum<double> const bins("bins", 4), other("other", 4);
  for (int i = 0; i < 4; ++i) bins.add(i, 1.5);
  bins.add(4, 1e300);
  other.merge(bins);
  CHECK(refusal_of([&] { other.round(1); }).find("1 addition to others, the lowest of them 4;") != std::string::npos);
  bins.clear();
  bins.merge(bins);
  CHECK(bins.round(3) == 0);
  ScatterSum<double> const none("none", 0), no_others("no others", 0);
  no_others.add(0, 1.0);
  none.merge(no_others);
  Kokkos::View<double*, Kokkos::HostSpace> const result("result", 0);
  CHECK(refusal_of([&] { none.round_to(result); }).find("1 addition to others, the lowest of them 0;") !=
        std::string::npos);
}

TEST_CASE("additions to a handle without bins change nothing, in any number of ranks") {
  ScatterSum<double> none;
  ScatterSum<double*[3]> no_forces;
  ScatterSum<double[3]> no_force;
  none.add(0, 1.0);
  none.subtract_product(-1, 1.0, 1.0);
  no_forces.add(0, 0, 1.0);
  no_force.add(0, 1.0);
  {
    Exakt::ScatterCache cache(none);
    cache.add(0, 1.0);
  }
  ScatterSum<double> const zero("zero", 0);
  zero.add(0, 1.0);
  none.merge(zero);
  none.merge(none);
  CHECK(refusal_of([&] { none.round_to(Result("result", 0)); }) == "no refusal");
  none.resize(1);
  none.add(0, 1.0);
  CHECK(none.round(0) == 1);
  no_force.resize();
  no_force.add(2, 1.0);
  CHECK(no_force.round(2) == 1);
}

TEST_CASE("an addition outside of the exponent range is reported, and changes nothing") {
  ScatterSum<double> const bins("bounded", 5, ExponentRange{-10, 20});
  auto const is_refused = [&](auto const& add) {
    bins.clear();
    bins.add(3, 1.25);
    add();
    auto const message = refusal_of([&] { bins.round(3); });
    CHECK((message == "no refusal" ||
           message == "Exakt::ScatterSum::round: 1 addition to \"bounded\" did not fit its exponent range, "
                      "the lowest bin was 3; every term must be a multiple of 2^-10 and below 2^20"));
    return message != "no refusal";
  };
  CHECK(is_refused([&] { bins.add(3, 0x1p20); }));
  CHECK(is_refused([&] { bins.add(3, -1e300); }));
  CHECK(is_refused([&] { bins.add(3, 0x1p-11); }));
  CHECK(is_refused([&] { bins.add(3, 3 * 0x1p-11); }));
  CHECK(is_refused([&] { bins.add(3, 0x1p-1074); }));
  CHECK(is_refused([&] { bins.add(3, 0.1); }));
  CHECK(is_refused([&] { bins.add(3, 0.1f); }));
  CHECK(is_refused([&] { bins.add(3, 1 << 20); }));
  CHECK(is_refused([&] { bins.add_product(3, 0x1p-6, 0x1p-5); }));
  CHECK(is_refused([&] { bins.add_product(3, 0x1p10, 0x1p10); }));
  CHECK(is_refused([&] { bins.add(3, ScatterSum<double>::accumulator_type() += 0.1); }));
  CHECK(!is_refused([&] { bins.add(3, 0x1.ffffp19); }));
  CHECK(!is_refused([&] { bins.add(3, -0x1p-10); }));
  CHECK(!is_refused([&] { bins.add(3, 0.0); }));
  CHECK(!is_refused([&] { bins.add(3, std::numeric_limits<double>::infinity()); }));
  CHECK(!is_refused([&] { bins.add(3, (1 << 20) - 1); }));
  CHECK(!is_refused([&] { bins.add_product(3, 0x1p-5, 0x1p-5); }));
  CHECK(!is_refused([&] { bins.add_product(3, 0x1p300, 0x1p-300); }));

  ScatterSum<double> const values("values", 1, Exakt::Terms::values);
  values.add_product(0, 0x1p-1000, 0x1p-74);
  CHECK(values.round(0) == 0x1p-1074);
  values.add_product(0, 0x1p-1000, 0x1p-75);
  CHECK(refusal_of([&] { values.round(0); }).find("a multiple of 2^-1074 and below 2^1024") != std::string::npos);

  // A bounded sum that is doubled beyond its 64 bits of headroom does not end as a wrong number.
  bins.clear();
  bins.add(3, 1000);
  for (int i = 0; i < 200; ++i) bins.merge(bins);
  CHECK(refusal_of([&] { bins.round(3); }) != "no refusal");
}

TEMPLATE_TEST_CASE("a sum that has lost bits of its terms is reported, and changes nothing", "",
                   (Exakt::HighPrecision<1, 0>), (Exakt::Hallberg<1, 40>)) {
  ScatterSum<double> const bins("forces", 10), merged("merged", 10);
  for (int i = 0; i < 10; ++i) bins.add(i, 0.5);
  TestType exact(3.0), cut(0.75);
  REQUIRE((cut.is_inexact() && cut.round() == 0));
  bins.add(3, exact);
  CHECK(bins.round(3) == 3.5);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Space>(0, 1000), KOKKOS_LAMBDA(int j) {
        TestType own(j % 10);
        if (j % 100 > 95) own += 0.25;
        bins.add(j % 10, own);
      });
  Space().fence();
  std::string const message =
      "40 sums that were added to \"forces\" had lost bits of their terms, the lowest bin was 6; only exact sums are "
      "added, those of which is_inexact() is false";
  Result const result("result", 10);
  CHECK(refusal_of([&] { bins.round_to(result); }) == "Exakt::ScatterSum::round_to: " + message);
  CHECK(refusal_of([&] { bins.round(0); }) == "Exakt::ScatterSum::round: " + message);
  CHECK(refusal_of([&] { bins.accumulator(9); }) == "Exakt::ScatterSum::accumulator: " + message);
  CHECK(result(9) == 0);
  merged.merge(bins);
  CHECK(refusal_of([&] { merged.round(9); }).find("40 sums that were added to \"merged\" had lost bits") !=
        std::string::npos);
  bins.clear();
  {
    Exakt::ScatterCache cache(bins);
    cache.add(4, exact);
    cache.add(5, cut);
  }
  CHECK(refusal_of([&] { bins.round(4); })
            .find("1 sum that was added to \"forces\" had lost bits of its terms, the "
                  "lowest bin was 5;") != std::string::npos);
  bins.clear();
  // What does not end as a number needs no report: a term that was left out is NaN, a sum that was lost infinite.
  TestType left_out(1.0), beyond(std::ldexp(-1.0, TestType::highest_exponent - 1));
  left_out += 1e300;
  Exakt::LongAccumulator<double> expected;
  while (!std::isinf(beyond.round(Exakt::Rounding::toward_zero))) {
    bins.add(0, beyond);
    expected += beyond.round();
    beyond += beyond;
  }
  CHECK(bins.round(0, Exakt::Rounding::upward) == expected.round(Exakt::Rounding::upward));
  bins.add(1, left_out);
  bins.add(2, beyond);
  CHECK(std::isnan(bins.round(1)));
  CHECK(bins.round(2) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("a merge from a wider range that does not fit is reported") {
  ScatterSum<double> const bins("bounded", 2, ExponentRange{-10, 20}), wide("wide", 2);
  wide.add(1, 0.75);
  bins.merge(wide);
  CHECK(bins.round(1) == 0.75);
  wide.add(1, 0x1p-50);
  bins.merge(wide);
  CHECK(refusal_of([&] { bins.round(1); }).find("did not fit its exponent range") != std::string::npos);
}

TEST_CASE("a term outside of the range of merged bins is reported by those that they are merged into, however often") {
  ScatterSum<double> const bounded("bounded", 2, ExponentRange{-10, 20}), wide("wide", 2);
  bounded.add(1, 0x1p-11);
  wide.merge(bounded);
  CHECK(refusal_of([&] { wide.round(0); }).find("1 addition to \"wide\" did not fit its exponent range") !=
        std::string::npos);
  for (int k = 0; k < 100; ++k) {  // more often than there are numbers
    bounded.merge(wide);
    wide.merge(bounded);
  }
  CHECK(refusal_of([&] { wide.round(0); }).find("9223372036854775807 additions to \"wide\" did not fit") !=
        std::string::npos);
}

TEST_CASE("results of which two entries are one in memory are refused") {
  double memory[12] = {};
  using Exakt::ScatterSum;
  using Strided = Kokkos::View<double*, Kokkos::LayoutStride, Kokkos::HostSpace>;
  using StridedCube = Kokkos::View<double***, Kokkos::LayoutStride, Kokkos::HostSpace>;
  ScatterSum<double, Kokkos::HostSpace> const bins("bins", 4);
  bins.add(1, 2.0);
  Strided const one(memory, Kokkos::LayoutStride(4, 0));
  std::string const why =
      ": the result is 4 entries, some of which are one in memory by their strides; each is written";
  CHECK(refusal_of([&] { bins.round_to(one); }) == "Exakt::ScatterSum::round_to" + why);
  CHECK(refusal_of([&] { bins.add_to(one); }) == "Exakt::ScatterSum::add_to" + why);
  using Sum = decltype(bins)::accumulator_type;
  Sum sum{};
  Kokkos::View<Sum*, Kokkos::LayoutStride, Kokkos::HostSpace> const sums(&sum, Kokkos::LayoutStride(4, 0));
  CHECK(refusal_of([&] { bins.accumulators_to(0, sums); }) == "Exakt::ScatterSum::accumulators_to" + why);
  ScatterSum<double***, Kokkos::HostSpace> const cube("cube", 2, 2, 3);
  CHECK(
      refusal_of([&] { cube.round_to(StridedCube(memory, Kokkos::LayoutStride(2, 3, 2, 6, 3, 3))); }) ==
      "Exakt::ScatterSum::round_to: the result is 2 x 2 x 3, some of which are one in memory by their strides; each is "
      "written");
  CHECK(refusal_of([&] { cube.round_to(StridedCube(memory, Kokkos::LayoutStride(2, 1, 2, 6, 3, 2))); }) ==
        "no refusal");
  CHECK(memory[0] == 0);
}

TEST_CASE("wrong arguments are refused by name") {
  ScatterSum<double> const bins("ten", 10), two("two", 2), one("one", 1);
  CHECK(refusal_of([&] { bins.round_to(Result("result", 9)); }) ==
        "Exakt::ScatterSum::round_to: \"ten\" has 10 bins, the result 9 entries; they must be as many");
  CHECK(refusal_of([&] { one.round_to(Result("result", 2)); }) ==
        "Exakt::ScatterSum::round_to: \"one\" has 1 bin, the result 2 entries; they must be as many");
  CHECK(refusal_of([&] { bins.round(10); }) == "Exakt::ScatterSum::round: \"ten\" has 10 bins, there is no bin 10");
  CHECK(refusal_of([&] { bins.round(-1); }) == "Exakt::ScatterSum::round: \"ten\" has 10 bins, there is no bin -1");
  CHECK(refusal_of([&] { bins.accumulator(11u); }) ==
        "Exakt::ScatterSum::accumulator: \"ten\" has 10 bins, there is no bin 11");
  CHECK(refusal_of([&] { bins.merge(two); }) ==
        "Exakt::ScatterSum::merge: \"ten\" has 10 bins, \"two\" has 2 bins; they must be as many");
  CHECK(refusal_of([&] { ScatterSum<double>("x", -2); }) == "Exakt::ScatterSum: \"x\" cannot have -2 bins");
  // More bytes than there are addresses, and bins of which 64 bits hold no number.
  for (std::int64_t const n : {std::int64_t{1} << 55, std::int64_t{1} << 60, std::int64_t{1} << 62})
    CHECK(refusal_of([&] { ScatterSum<double>("x", n); }) ==
          "Exakt::ScatterSum: \"x\" cannot have " + std::to_string(n) + " bins, which no memory holds");
  std::int64_t const many = std::int64_t{1} << 32;
  CHECK(refusal_of([&] { ScatterSum<double**>("x", many, many); }) ==
        "Exakt::ScatterSum: \"x\" cannot have 4294967296 x 4294967296 bins, which no memory holds");
  CHECK(refusal_of([&] { ScatterSum<double**>("x", std::int64_t{1} << 62, 0); }) == "no refusal");
  // On the way to no bins numbers go round that 64 bits do not hold.
  ScatterSum<double***> const no_bins("none", many, many, 0);
  CHECK(no_bins.size() == 0);
  no_bins.add(many - 1, many - 1, 0, 1.0);
  CHECK(refusal_of([&] { no_bins.round(many - 1, many - 1, 0); }) ==
        "Exakt::ScatterSum::round: \"none\" has 4294967296 x 4294967296 x 0 bins, there is no bin (4294967295, "
        "4294967295, 0)");
  CHECK(refusal_of([&] { ScatterSum<double**>("x", 3, 4).round(std::int64_t{1} << 62, 0); }) ==
        "Exakt::ScatterSum::round: \"x\" has 3 x 4 bins, there is no bin (4611686018427387904, 0)");
  CHECK(refusal_of([&] {
          ScatterSum<float>("x", 2, ExponentRange{-300, 0});
        }) ==
        "Exakt::ScatterSum: \"x\" cannot have the exponent range {-300, 0}; it must lie within {-298, 256}, the lower "
        "limit first");
  CHECK(refusal_of([&] { ScatterSum<float>("x", 2, ExponentRange{3, 2}); }) != "no refusal");
}
