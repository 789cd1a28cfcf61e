// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_ConformanceCalls.hpp"

using namespace ExaktTest;

TEST_CASE("calls of Kokkos Kernels compile with Exakt, take the same shapes, and give the same results") {
  auto const plain = WithKokkosKernels::call_everything(), exact = WithExakt::call_everything();
  REQUIRE(plain.size() == exact.size());
  CHECK(plain.size() > 200);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    INFO(plain[i].call << ", call " << i);
    REQUIRE(plain[i].call == exact[i].call);
    REQUIRE(plain[i].entries.size() == exact[i].entries.size());
    // Of numbers, not of bits: an exact zero is +0 here and may be -0 there.
    for (std::size_t j = 0; j < plain[i].entries.size(); ++j) EXAKT_CHECK(plain[i].entries[j] == exact[i].entries[j]);
  }
}
