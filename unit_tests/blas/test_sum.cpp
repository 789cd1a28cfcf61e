// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_ReductionContract.hpp"

namespace {

using namespace ExaktTest;

struct Sum {
  static constexpr int operands = 1;
  static constexpr bool signs_cancel = true;
  template <class... A>
  static auto call(A const&... arguments) {
    return Exakt::sum(arguments...);
  }
  template <class R, class X, class Y>
  static Expected<R> expected(std::vector<X> const& x, std::vector<Y> const&, Rounding mode = Rounding::to_nearest) {
    return exact_sum(x).template round<R>(mode);
  }
};

}  // namespace

EXAKT_TEST_REDUCTION(Sum, "sum")

TEST_CASE("sum returns the type of its entries, +0 for none, and the largest number where the way there overflows") {
  CHECK(std::is_same_v<decltype(Exakt::sum(HostVector<float>())), float>);
  CHECK(std::is_same_v<decltype(Exakt::sum(HostVector<double const>())), double>);
  CHECK(same_bits(Exakt::sum(HostVector<double>()), 0.0));
  CHECK(same_bits(Exakt::sum(contiguous(std::vector<double>{-0.0, -0.0})), 0.0));
  double const max = std::numeric_limits<double>::max();
  CHECK(same_bits(Exakt::sum(contiguous(std::vector<double>{max, max, -max})), max));
}
