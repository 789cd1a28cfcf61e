// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_ReductionContract.hpp"

namespace {

using namespace ExaktTest;

struct Nrm2Squared {
  static constexpr int operands = 1;
  static constexpr bool signs_cancel = false;
  template <class... A>
  static auto call(A const&... arguments) {
    return Exakt::nrm2_squared(arguments...);
  }
  template <class R, class X, class Y>
  static Expected<R> expected(std::vector<X> const& x, std::vector<Y> const&, Rounding mode = Rounding::to_nearest) {
    return exact_dot(x, x).template round<R>(mode);
  }
};

}  // namespace

EXAKT_TEST_REDUCTION(Nrm2Squared, "nrm2_squared")

TEST_CASE("a sum of squares half way between two numbers goes to the even one, and up when anything is added") {
  for (int const scale : {0, -200, -420, 400})
    for (std::size_t const n : {std::size_t{4}, tile_size, block_size + 3}) {
      INFO("2^" << scale << ", " << n << " entries");
      std::vector<double> x(n, 0.0);
      x[0] = std::ldexp(1.0, scale + 27);
      x[1] = std::ldexp(1.0, scale);
      x[n / 2] = -std::ldexp(1.0, scale);
      CHECK(same_bits(Exakt::nrm2_squared(contiguous(x)), std::ldexp(1.0, 2 * scale + 54)));
      x[n - 1] = 0x1p-537;
      CHECK(same_bits(Exakt::nrm2_squared(contiguous(x)), std::ldexp(1 + 0x1p-52, 2 * scale + 54)));
    }
}

TEST_CASE("squares that underflow add up, and a sum that overflows is infinite") {
  double const max = std::numeric_limits<double>::max(), infinity = std::numeric_limits<double>::infinity();
  CHECK(same_bits(Exakt::nrm2_squared(contiguous(std::vector<double>(4, 0x1p-538))), 0x1p-1074));
  CHECK(same_bits(Exakt::nrm2_squared(contiguous(std::vector<double>(2, 0x1p-538))), 0.0));
  CHECK(same_bits(Exakt::nrm2_squared(contiguous(std::vector<double>(3, 0x1p-538))), 0x1p-1074));
  CHECK(same_bits(Exakt::nrm2_squared(contiguous(std::vector<double>(block_size * 2, 0x1p-545))), 0x1p-1074));
  CHECK(same_bits(Exakt::nrm2_squared(contiguous(std::vector<double>{max})), infinity));
  CHECK(same_bits(Exakt::nrm2_squared(HostVector<float>()), 0.0f));
}
