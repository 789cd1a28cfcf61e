// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_MIXEDENVIRONMENTS_HPP
#define EXAKTTEST_MIXEDENVIRONMENTS_HPP

/// \file
/// \brief Functions that run on several threads, where the floating-point environments of these differ: the results in
/// the default environment, which other tests compare with MPFR, must come out whichever threads have which settings.

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"

namespace ExaktTest {

using Space = Kokkos::DefaultHostExecutionSpace;
using Vector = HostVector<double>;
template <class T>
using Results = std::vector<T>;

/// The control word of each thread.
inline std::vector<unsigned long> control_words() {
  int const threads = Space().concurrency();
  std::vector<unsigned long> words(static_cast<std::size_t>(threads));
  Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, threads, Kokkos::ChunkSize(1)),
                       [&](int i) { words[static_cast<std::size_t>(i)] = fp_control_word(); });
  return words;
}

/// Runs `compute` under each setting of each choice of threads: every result as in the default environment, and the
/// settings of all threads as they were. On one thread there are no others to choose.
template <class Compute>
void check_mixtures(std::string const& what, Compute const& compute) {
  using Threads = ScopedFpEnvironment::Threads;
  auto const expected = compute();
  for (FpSettings const& settings : every_fp_environment().subspan(1)) {
    for (auto const threads : ScopedFpEnvironment::every_choice) {
      if (Space().concurrency() == 1 && threads != Threads::this_one) continue;
      auto actual = expected;
      bool are_left_alone = false;
      {
        ScopedFpEnvironment const scope(settings, threads);
        auto const before = control_words();
        actual = compute();
        are_left_alone = control_words() == before;
      }
      INFO(what << ": " << describe(settings, threads));
      CHECK(are_left_alone);
      REQUIRE(actual.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(actual[i], expected[i]);
    }
  }
}

template <class Matrix>
Results<typename Matrix::non_const_value_type> entries_of(Matrix const& matrix) {
  Results<typename Matrix::non_const_value_type> result;
  result.reserve(matrix.size());
  for (std::size_t j = 0; j < matrix.extent(1); ++j)
    for (std::size_t i = 0; i < matrix.extent(0); ++i) result.push_back(matrix(i, j));
  return result;
}

template <class T>
Results<T> entries_of(HostVector<T> const& x) {
  return Results<T>(x.data(), x.data() + x.extent(0));
}

/// Vectors of some terms for each thread. Every other term may be the negative of the one before: what is left then
/// needs a second pass.
template <class T>
Vector hard_vector(Random& random, Hardness hardness, std::size_t n) {
  Vector const x("x", n);
  for (std::size_t i = 0; i < n; ++i) {
    bool const cancels = hardness == Hardness::cancelling && i % 2 == 1 && random.between(0, 9) != 0;
    x(i) = cancels ? -x(i - 1) : static_cast<double>(hard_number<T>(random, hardness));
  }
  return x;
}

}  // namespace ExaktTest

#endif
