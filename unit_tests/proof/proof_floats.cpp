// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All 2^32 floats: each as the only term of a sum, and each with its neighbour, the next one further from zero. A seed is a
// range of 2^20 of them, and seed 4095 the last one.
#include <ExaktBlas1_sum.hpp>

#include "ExaktTest_Proof.hpp"
#include "ExaktTest_Vectors.hpp"

namespace ExaktTest::Proof {
namespace {

constexpr std::uint64_t floats_of_a_seed = 1u << 20;
constexpr std::size_t batch = 4096;

float number(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

void run_floats(std::size_t family, Trial& trial) {
  std::size_t const n = family + 1;  // terms
  std::vector<float> actual(batch), terms(2 * batch);
  for (std::uint64_t first = 0; first < floats_of_a_seed; first += batch) {
    for (std::size_t i = 0; i < batch; ++i) {
      std::uint64_t const bits = trial.seed() * floats_of_a_seed + first + i;
      terms[2 * i] = number(bits);
      terms[2 * i + 1] = number(bits + 1);
    }
    trial.call([&] {
      for (std::size_t i = 0; i < batch; ++i) actual[i] = Exakt::sum(BorrowedVector<float>(&terms[2 * i], n));
    });
    for (std::size_t i = 0; i < batch; ++i) {
      // Two neighbours have 25 bits at most: their sum in double arithmetic is exact, and -0 becomes +0.
      double const exact = static_cast<double>(terms[2 * i]) + (n == 2 ? static_cast<double>(terms[2 * i + 1]) : 0.0);
      trial.compare(actual[i], exact == 0 ? 0.0f : static_cast<float>(exact));
      if (trial.asks_mpfr() && first == 0) {
        Exact sum;
        sum.add(terms[2 * i]);
        if (n == 2) sum.add(terms[2 * i + 1]);
        trial.confirm(exact == 0 ? 0.0f : static_cast<float>(exact), sum.round<float>());
      }
    }
  }
}

}  // namespace

std::vector<Verb> floats() {
  return {{"floats", {"single terms", "pairs of neighbours"}, run_floats, (std::uint64_t{1} << 32) / floats_of_a_seed}};
}

}  // namespace ExaktTest::Proof
