// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_ContractionProbe.hpp"

namespace ExaktTest {
namespace {

ContractionProbe const*& first_probe() {
  static ContractionProbe const* first = nullptr;
  return first;
}

}  // namespace

ContractionProbe::ContractionProbe(char const* flags, ProbeResult (*probe)())
    : options(flags), run(probe), next(first_probe()) {
  first_probe() = this;
}

ContractionProbe const* contraction_probes() { return first_probe(); }

}  // namespace ExaktTest

TEST_CASE("no optimization, contraction or instruction set changes a bit of any result") {
  using namespace ExaktTest;
  int probes = 0;
  auto const expected = contraction_probes()->run();
  CHECK(expected.results > 10'000);
  for (auto probe = contraction_probes(); probe != nullptr; probe = probe->next, ++probes) {
    INFO(probe->options);
    auto const result = probe->run();
    CHECK(result.mismatches == 0);
    CHECK(result.hash == expected.hash);
    CHECK(result.results == expected.results);
    tally().against_itself += result.results;
    tally().differences += result.mismatches;
  }
  CHECK(probes == EXAKT_TEST_PROBES);
}
