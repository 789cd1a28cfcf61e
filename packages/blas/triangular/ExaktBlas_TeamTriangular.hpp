// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TEAMTRIANGULAR_HPP
#define EXAKTBLAS_TEAMTRIANGULAR_HPP

/// \file
/// \brief Triangular systems on devices: blocks of rows in the order of solution, for each two kernels, in order.
///
///     | known | triangle |    known       exact sums of all rows and right-hand sides, as in gemv, by the whole device
///                             triangle    a team for each right-hand side, one unknown after the other
///
/// Sums of known products become two doubles and a bound, and go on as in ExaktBlas_SmallTriangle.hpp; rows that these
/// do not decide are added exactly, from the exact sum of what was known. It runs on any space.

#include "../matrix_vector/ExaktBlas_TeamMatrixVector.hpp"
#include "ExaktBlas_SmallTriangle.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// The products of a block's rows with what is known of each right-hand side; a number for each pair of both.
template <class T, class R>
struct KnownProducts {
  using Operations = ProductOperations<double, double>;
  Strided<T const> A;  // from the first row of the block on, and the first known unknown
  Strided<R const> X;  // likewise

  static KOKKOS_FORCEINLINE_FUNCTION std::size_t number(std::size_t row, std::size_t right_side) {
    return right_side * small_triangle + row;
  }
  KOKKOS_FORCEINLINE_FUNCTION FactorPair term(std::size_t j, std::size_t number) const {
    return {exact_double(*A.at(number % small_triangle, j)), exact_double(*X.at(j, number / small_triangle))};
  }
};

/// \brief An exact sum as two doubles and a bound, HUGE_VAL where it is no number or close to the end of the range.
///
/// With digits in [-2^55, 2^55) the leading one tells the size of the sum: it and the next two, with U the unit of the
/// first, are the sum up to 0.51 * 2^-112 U, and the sum is 0.49 U at least.
KOKKOS_INLINE_FUNCTION Enclosure enclosure_of_words(Word const* words) {
  using Sum = AtomicAccumulator<ExactProducts>;
  constexpr int bits = Sum::radix_bits;
  static_assert(bits == 56, "three digits, each with what the double of the one before has left, fit into 63 bits");
  constexpr std::int64_t half = std::int64_t{1} << (bits - 1), mask = 2 * half - 1;
  std::int64_t carry = 0, last = 0, last_but_one = 0, leading[3] = {};
  int leading_index = 0;
  constexpr int at_once = 16;  // loads under way
  for (int first = 0; first < Sum::digit_count; first += at_once) {
    Word some[at_once];
    EXAKT_UNROLLED_LOOP
    for (int k = 0; k < at_once; ++k) some[k] = first + k < Sum::digit_count ? words[first + k] : 0;
    EXAKT_UNROLLED_LOOP
    for (int k = 0; k < at_once; ++k) {
      if (first + k >= Sum::digit_count) continue;
      // |digit / 2^56| + |carry| stays below 2^8.
      auto const word = static_cast<std::int64_t>(some[k]), low = (word & mask) + carry;
      std::int64_t const up = (low + half) >> bits, digit = low - up * (2 * half);
      carry = (word >> bits) + up;
      if (digit != 0) {
        leading[0] = digit;
        leading[1] = last;
        leading[2] = last_but_one;
        leading_index = first + k;
      }
      last_but_one = last;
      last = digit;
    }
  }
  int const exponent = Sum::lowest_exponent + bits * leading_index;
  if (words[Sum::digit_count] != 0 || carry != 0 || exponent > 900) return {0, 0, HUGE_VAL};
  if (leading[0] == 0) return {0, 0, 0};
  // Digits that are small are not worth subnormal numbers: |sum| <= 2^(56 + exponent).
  if (exponent < -800) return {0, 0, 0x1p-744};

  double part[3];
  std::int64_t rest = 0;
  for (int k = 0; k < 3; ++k) {
    // A rest is 2 at most, then 16 of the next digit's units, then 2^7.
    std::int64_t const digit = rest * (2 * half) + leading[k];
    part[k] = static_cast<double>(digit);
    rest = digit - static_cast<std::int64_t>(part[k]);
  }
  double const unit = power_of_two(exponent);
  auto const high = two_sum(part[0], part[1] * 0x1p-56);
  double const low = high.error + part[2] * 0x1p-112;
  return {high.value * unit, low * unit, (0x1p-104 + 0x1p-52 * magnitude_of(low)) * unit};
}

/// One block of rows, all before it being known: a right-hand side per team.
template <class Space, class T, class R, class Sums>
struct TeamTriangles {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;

  TriangularSystems<T, R> systems;
  Sums totals;  // of KnownProducts; zeros are left for the next block
  Span rows;

  /// What a team shares. (On devices, with packs of one lane, it is smaller than the host says.)
  struct Shared {
    TeamTriangle triangle;
    double x[small_triangle];  // right-hand sides, then unknowns
    double divisor[small_triangle], inverse[small_triangle];
  };
  using Scratch = Kokkos::View<double*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int scratch_doubles = sizeof(Shared) / sizeof(double);
  static std::size_t scratch_size() { return Scratch::shmem_size(scratch_doubles); }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    int const count = scratch_doubles;
    Scratch const scratch(member.team_scratch(0), count);
    Shared& shared = *reinterpret_cast<Shared*>(scratch.data());
    auto const thread = static_cast<std::size_t>(member.team_rank());
    auto const threads = static_cast<std::size_t>(member.team_size());
    auto const right_side = static_cast<std::size_t>(member.league_rank());
    // A thread has every threads-th pack of rows.
    constexpr std::size_t lanes = TeamTriangle::lanes;
    gather(shared, right_side, thread, threads);
    if (has_fused_packs) gather_sums(shared.triangle, right_side, thread * lanes, threads * lanes);
    member.team_barrier();

    std::size_t pack = thread * lanes;  // the first that is not solved
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double const* const column = shared.triangle.column(r);  // known before the unknown is
      if (pack <= r) solve_row(shared, r, right_side);
      member.team_barrier();
      if (pack + lanes == r + 1) pack += threads * lanes;
      if (has_fused_packs) add_column(shared.triangle, column, shared.x[r], pack, threads * lanes, rows.size());
    }

    constexpr std::size_t words_per_team = small_triangle * Sums::Accumulator::word_count;
    Word* const words = totals.words.data() + right_side * words_per_team;
    for (std::size_t i = thread; i < words_per_team; i += threads) words[i] = 0;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Word* words_of(std::size_t r, std::size_t right_side) const {
    std::size_t const row = systems.order.number_of(r, rows) - rows.begin;
    return totals.words.data() + KnownProducts<T, R>::number(row, right_side) * Sums::Accumulator::word_count;
  }

  /// Entries, diagonal and right-hand side; neighbouring threads take neighbouring entries.
  KOKKOS_FORCEINLINE_FUNCTION void gather(Shared& shared, std::size_t right_side, std::size_t thread,
                                          std::size_t threads) const {
    auto const& A = systems.A;
    std::ptrdiff_t const turn = systems.order.is_lower ? 1 : -1, down = turn * A.row_stride,
                         across = turn * A.column_stride;
    bool const by_columns = A.row_stride <= A.column_stride;
    constexpr int size = small_triangle, lanes = TeamTriangle::lanes, at_once = 16;
    int const count = static_cast<int>(rows.size());
    for (int fast = static_cast<int>(thread); fast < size; fast += static_cast<int>(threads)) {
      T const* const line = A.at(number_of(0), number_of(0)) + fast * (by_columns ? down : across);
      // Loads that do not wait for the stores of those before.
      for (int first = 0; first < size; first += at_once) {
        double some[at_once];
        EXAKT_UNROLLED_LOOP
        for (int k = 0; k < at_once; ++k) {
          int const slow = first + k, r = by_columns ? fast : slow, c = by_columns ? slow : fast;
          some[k] = c < r && r < count ? exact_double(line[slow * (by_columns ? across : down)]) : 0;
        }
        EXAKT_UNROLLED_LOOP
        for (int k = 0; k < at_once; ++k) {
          int const slow = first + k, r = by_columns ? fast : slow, c = by_columns ? slow : fast;
          if (r >= c / lanes * lanes) shared.triangle.column(static_cast<std::size_t>(c))[r] = some[k];
        }
      }
    }
    for (std::size_t r = thread; r < rows.size(); r += threads) {
      std::size_t const i = number_of(r);
      shared.x[r] = systems.old(i, right_side);
      shared.divisor[r] = systems.divisor(i);
      shared.inverse[r] = 1 / shared.divisor[r];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void gather_sums(TeamTriangle& triangle, std::size_t right_side, std::size_t first,
                                               std::size_t step) const {
    for (std::size_t pack = first; pack < small_triangle; pack += step) {
      for (std::size_t r = pack; r < pack + TeamTriangle::lanes; ++r)
        triangle.set_sum(r, r < rows.size() ? enclosure_of_words(words_of(r, right_side)) : empty_sum());
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void solve_row(Shared& shared, std::size_t r, std::size_t right_side) const {
    Epilogue const epilogue = systems.epilogue();
    double const old = shared.x[r], divisor = shared.divisor[r], inverse = shared.inverse[r];
    R unknown{};
    if (!has_fused_packs || (!try_round_row(epilogue, shared.triangle.sum(r), old, divisor, inverse, unknown) &&
                             !is_nothing_yet(shared, r))) {
      ExactProducts sum = typename Sums::Accumulator(words_of(r, right_side), 1).sum();
      for (std::size_t c = 0; c < r; ++c) sum.add_product(shared.triangle.column(c)[r], shared.x[c]);
      unknown = epilogue.template exactly<R>(sum, old, divisor);
    }
    *systems.B.at(number_of(r), right_side) = unknown;
    shared.x[r] = exact_double(unknown);
  }

  /// The sum of nothing but zeros has no bound; of what was known before the block the words said so.
  KOKKOS_FORCEINLINE_FUNCTION bool is_nothing_yet(Shared const& shared, std::size_t r) const {
    TeamTriangle const& triangle = shared.triangle;
    Enclosure const sum{triangle.high[r], triangle.low[r], triangle.bound[r]};
    return is_zero(sum.bound) && systems.leave_zero(sum, shared.x[r], shared.divisor[r], shared.x, r);
  }

  KOKKOS_FORCEINLINE_FUNCTION std::size_t number_of(std::size_t r) const { return systems.order.number_of(r, rows); }
};

/// \brief Solves for all unknowns of all right-hand sides, enqueued.
///
/// \param team_size  Threads of all teams; 0: as Kokkos recommends.
template <class Space, class T, class R>
void solve_by_teams(std::string const& label, Space const& space, TriangularSystems<T, R> const& systems,
                    std::size_t right_sides, int team_size = 0) {
  std::size_t const n = systems.n;
  if (n == 0 || right_sides == 0) return;
  std::size_t const at_once = std::min(right_sides, rows_in_memory / small_triangle);
  using Words = Kokkos::View<Word*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
  std::size_t const word_count = at_once * small_triangle * AtomicAccumulator<ExactProducts>::word_count;
  ScratchMemory<Space> const memory(space, word_count * sizeof(Word));
  Totals<ExactProducts, Words> const totals{Words(reinterpret_cast<Word*>(memory.data()), word_count)};
  Kokkos::deep_copy(space, totals.words, Word{0});
  using Kernel = TeamTriangles<Space, T, R, std::decay_t<decltype(totals)>>;
  Kernel kernel{systems, totals, {0, 0}};
  // Threads without a row would only be waited for.
  int const recommended = threads_of_team<Kernel>(space, held(kernel), team_size);
  int const threads = team_size > 0 ? team_size : std::min(recommended, static_cast<int>(small_triangle));

  auto const& A = systems.A;
  auto const& B = kernel.systems.B;
  bool const row_is_contiguous = A.column_stride <= A.row_stride;
  for (std::size_t begin = 0; begin < right_sides; begin += at_once) {
    kernel.systems.B.data = systems.B.at(0, begin);
    std::size_t const count = std::min(right_sides - begin, at_once);
    // The first block is the one that is not full: nothing is known to it.
    std::size_t size = (n - 1) % small_triangle + 1;
    for (std::size_t done = 0; done < n; done += size, size = small_triangle) {
      kernel.rows = systems.order.block(done, size, {0, n});
      Span const known = systems.order.known_to(kernel.rows, {0, n});
      if (known.size() > 0) {
        KnownProducts<T, R> const products{{A.at(kernel.rows.begin, known.begin), A.row_stride, A.column_stride},
                                           {B.at(known.begin, 0), B.row_stride, B.column_stride}};
        add_rows(label, space, products, row_is_contiguous, known.size(), 0, count * small_triangle, totals, team_size);
      }
      Kokkos::parallel_for(label, policy_of_teams<Kernel>(space, count, threads), held(kernel));
    }
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
