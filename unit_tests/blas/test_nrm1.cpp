// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_ReductionContract.hpp"

namespace {

using namespace ExaktTest;

struct Nrm1 {
  static constexpr int operands = 1;
  static constexpr bool signs_cancel = false;
  template <class... A>
  static auto call(A const&... arguments) {
    return Exakt::nrm1(arguments...);
  }
  template <class R, class X, class Y>
  static Expected<R> expected(std::vector<X> x, std::vector<Y> const&, Rounding mode = Rounding::to_nearest) {
    for (X& entry : x) entry = std::abs(entry);
    return exact_sum(x).template round<R>(mode);
  }
};

}  // namespace

EXAKT_TEST_REDUCTION(Nrm1, "nrm1")

TEST_CASE("nrm1 adds magnitudes: infinities of both signs make one, and zeros of any sign +0") {
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t const n : {std::size_t{3}, tile_size, block_size + 1}) {
    std::vector<double> x(n, -1.0);
    x[0] = infinity;
    x[n - 1] = -infinity;
    CHECK(same_bits(Exakt::nrm1(contiguous(x)), infinity));
    x[n / 2] = -nan;
    CHECK(same_bits(Exakt::nrm1(contiguous(x)), nan));
  }
  CHECK(same_bits(Exakt::nrm1(contiguous(std::vector<double>{-infinity})), infinity));
  CHECK(same_bits(Exakt::nrm1(contiguous(std::vector<double>{-0.0, -0.0})), 0.0));
  CHECK(same_bits(Exakt::nrm1(HostVector<float>()), 0.0f));
  CHECK(std::is_same_v<decltype(Exakt::nrm1(HostVector<float const>())), float>);
}
