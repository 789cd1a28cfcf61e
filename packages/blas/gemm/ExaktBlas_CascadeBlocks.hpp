// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_CASCADEBLOCKS_HPP
#define EXAKTBLAS_CASCADEBLOCKS_HPP

/// \file
/// \brief Small products on devices, by one kernel: three doubles for a sum, a sum for each thread; see
/// ExaktBlas_TeamGemm.hpp.

#include "ExaktBlas_StagedBlocks.hpp"

#include <summation/Exakt_CascadedSum.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief Whether cascades take less time than anything else: up to 310 x 310 x 310 of real matrices, on an H100. Of long
/// sums heads can be shared out in segments.
template <class T, class U, class Y>
bool is_worth_cascading(PlaneProblem<T, U, Y> const& problem) {
  constexpr std::size_t depth_at_most = 2048, products_at_most = 30'000'000;
  std::size_t const depth = problem.depth(), sums = problem.matrices.m * problem.matrices.n * problem.parts;
  return depth <= depth_at_most && sums * depth <= products_at_most;
}

/// What is known of a sum of products.
struct CascadedProducts : CascadedSum {
  KOKKOS_FORCEINLINE_FUNCTION void absorb(double x, double y) { add_product(x, y); }
};

/// Blocks of C, by teams: what is certain is written.
template <class Space, class T, class U, class Y>
struct CascadeBlocks : StagedBlocks<Space, T, U, Y, Scalar<Y>::parts> {
  static constexpr int side = Scalar<Y>::parts;
  // Registers for six teams: two cost latency.
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<threads_down * threads_across, 6>>;
  using Staged = StagedBlocks<Space, T, U, Y, side>;
  using Staged::blocks;
  using Staged::problem;
  using typename Staged::Member;
  using typename Staged::Scratch;

  explicit CascadeBlocks(typename Staged::Base const& base) : Staged(base) {}

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const entries = Staged::scratch_entries;
    Scratch const scratch(member.team_scratch(0), entries);
    for (auto block = static_cast<std::size_t>(member.league_rank()); block < blocks.count();
         block += static_cast<std::size_t>(member.league_size())) {
      std::size_t const tile = (block << blocks.bits()) + static_cast<std::size_t>(member.team_rank());
      auto const place = blocks.place(tile);
      CascadedProducts sums[side][side];
      this->add_products(member, place, 0, static_cast<int>(problem.depth()), scratch.data(), sums);
      this->try_round(tile, place, [&](int q, int c) {
        return problem.depth_of(q % Staged::parts) == 0 ? empty_sum() : sums[c][q].enclosure();
      });
    }
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
