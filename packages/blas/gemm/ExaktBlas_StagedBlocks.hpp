// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_STAGEDBLOCKS_HPP
#define EXAKTBLAS_STAGEDBLOCKS_HPP

/// \file
/// \brief How teams of ExaktBlas_TeamGemm.hpp read their factors. While k goes by, slices of rows and columns are staged as
/// doubles in the team's scratch memory:
///
///     A  |  k: a_0 a_1 .. a_63 |      row q * 16 + t is one of thread t's four, so that neighbouring threads read
///        |  next k:  ...       |      neighbouring doubles; from k to k is one double more than that, so that those
///     B  |  likewise           |      who write a row along k meet in no bank either

#include "ExaktBlas_BlockGemm.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr int threads_down = 16, threads_across = 8;  // of a team, at most
inline constexpr int depth_of_slice = 32;                    // of k
static_assert(largest_segment % depth_of_slice == 0);

/// A slice of lines: at k, line q of thread t at stride * k + threads * q + t.
template <int threads_at_most, int side>
struct Slice {
  static constexpr int threads = threads_at_most, stride = side * threads + 1, size = depth_of_slice * stride;
  double* entries;

  KOKKOS_FORCEINLINE_FUNCTION double& at(int l, int q, int thread) const {
    return entries[l * stride + q * threads + thread];
  }
};

/// What a team does for its block.
template <class Space, class T, class U, class Y, int side>
struct StagedBlocks : BlockGemm<T, U, Y, side> {
  using Base = BlockGemm<T, U, Y, side>;
  using Base::blocks;
  using Base::parts;
  using Base::problem;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Scratch = Kokkos::View<double*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  using Rows = Slice<threads_down, side>;
  using Columns = Slice<threads_across, side>;
  static constexpr int scratch_entries = Rows::size + Columns::size;  // 25 KB for a side of 4

  explicit StagedBlocks(Base const& base) : Base(base) {}
  static std::size_t scratch_size() { return Scratch::shmem_size(scratch_entries); }

  /// Adds the products [begin, begin + depth) of the thread's tile.
  ///
  /// \param sums  Has sums[c][q], each of which can `absorb` two factors.
  template <class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Member const& member, TilePlace const& place, std::size_t begin,
                                                int depth, double* scratch, Sums& sums) const {
    Rows const a{scratch};
    Columns const b{scratch + Rows::size};
    auto const thread = static_cast<std::size_t>(member.team_rank());
    for (int l = 0; l < depth; l += depth_of_slice) {
      member.team_barrier();  // until all have used the slices before
      stage(member, place, begin + static_cast<std::size_t>(l), depth - l, a, b);
      member.team_barrier();
      add_slice(a.entries + blocks.thread_down(thread), b.entries + blocks.thread_across(thread), sums);
    }
  }

 private:
  /// \param a, b  The first of the thread's own rows and columns.
  template <class Sums>
  static KOKKOS_FORCEINLINE_FUNCTION void add_slice(double const* a, double const* b, Sums& sums) {
    for (int l = 0; l < depth_of_slice; ++l, a += Rows::stride, b += Columns::stride) {
      double x[side], y[side];
      EXAKT_UNROLLED_LOOP
      for (int q = 0; q < side; ++q) x[q] = a[static_cast<std::ptrdiff_t>(q) * Rows::threads];
      EXAKT_UNROLLED_LOOP
      for (int c = 0; c < side; ++c) y[c] = b[static_cast<std::ptrdiff_t>(c) * Columns::threads];
      EXAKT_UNROLLED_LOOP
      for (int c = 0; c < side; ++c) {
        EXAKT_UNROLLED_LOOP
        for (int q = 0; q < side; ++q) sums[c][q].absorb(x[q], y[c]);
      }
    }
  }

  /// A slice of the block's rows of A, and of its columns of B: `depth` products, and zeros beyond all ends.
  ///
  /// \param place  Of the thread's own tile, from which those of the others are not far.
  KOKKOS_FORCEINLINE_FUNCTION void stage(Member const& member, TilePlace const& place, std::size_t begin, int depth,
                                         Rows const& a, Columns const& b) const {
    auto const& A = problem.matrices.A;
    auto const& B = problem.matrices.B;
    auto const thread = static_cast<std::size_t>(member.team_rank());
    std::size_t const first_row = place.first_row - static_cast<std::size_t>(blocks.thread_down(thread)),
                      first_column = place.first_column - static_cast<std::size_t>(blocks.thread_across(thread));
    stage_lines(member, blocks.down_bits, A.row_stride <= A.column_stride, a, [&](int q, int t, int l) {
      std::size_t const row = first_row + static_cast<std::size_t>((q / parts << blocks.down_bits) + t);
      return row < blocks.m && l < depth ? problem.left(row, q % parts, begin + static_cast<std::size_t>(l)) : 0;
    });
    stage_lines(member, blocks.across_bits, B.column_stride <= B.row_stride, b, [&](int c, int t, int l) {
      std::size_t const column = first_column + static_cast<std::size_t>((c << blocks.across_bits) + t);
      return column < blocks.n && l < depth ? problem.right(column, begin + static_cast<std::size_t>(l)) : 0;
    });
  }

  /// Neighbouring threads read what is close together in memory.
  template <class Slice, class EntryOf>
  static KOKKOS_FORCEINLINE_FUNCTION void stage_lines(Member const& member, int thread_bits, bool lines_are_neighbours,
                                                      Slice const& to, EntryOf const& entry) {
    int const line_bits = thread_bits + bit_width(side) - 1, depth_bits = bit_width(depth_of_slice) - 1,
              count = 1 << (line_bits + depth_bits);
    auto const at = [&](int i, auto const& use) {
      int const l = lines_are_neighbours ? i >> line_bits : i & (depth_of_slice - 1);
      int const line = lines_are_neighbours ? i & ((1 << line_bits) - 1) : i >> depth_bits;
      use(l, line >> thread_bits, line & ((1 << thread_bits) - 1));
    };
    // Loads that do not wait for the stores of those before, as far as compilers know.
    constexpr int loads = 8;
    int const threads = member.team_size();
    for (int first = member.team_rank(); first < count; first += loads * threads) {
      double entries[loads];
      EXAKT_UNROLLED_LOOP
      for (int k = 0; k < loads; ++k) {
        if (int const i = first + k * threads; i < count)
          at(i, [&](int l, int q, int t) { entries[k] = entry(q, t, l); });
      }
      EXAKT_UNROLLED_LOOP
      for (int k = 0; k < loads; ++k) {
        if (int const i = first + k * threads; i < count)
          at(i, [&](int l, int q, int t) { to.at(l, q, t) = entries[k]; });
      }
    }
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
