// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_DEVICEROWS_HPP
#define EXAKTSPARSE_DEVICEROWS_HPP

/// \file
/// \brief Rows of any matrix times a vector on devices: a row for each thread, long ones shared by its vector lanes.

#include "ExaktSparse_AnyRows.hpp"

#include <parallel/Exakt_ManySums.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief kernel(member), the row being number_of_thread(member), for all rows and perhaps some that do not exist; enqueued.
template <class Space, class Matrix, class Kernel>
void for_each_row(char const* label, Space const& space, Matrix const& a, Kernel const& kernel) {
  constexpr std::size_t long_row = 48;
  constexpr int threads_of_long_rows = 8, threads_of_short_ones = 128;
  if (a.row_count() == 0) return;
  bool const are_long = a.entry_count() * a.block() >= long_row * a.block_row_count();
  int const lanes = are_long && !is_on_host_v<Space> ? lanes_of_thread : 1,
            most = policy_of_teams<Kernel>(space, 1, 1, lanes).team_size_max(held(kernel), Kokkos::ParallelForTag()),
            threads = std::min(are_long ? threads_of_long_rows : threads_of_short_ones, most);
  std::size_t const of_team = static_cast<std::size_t>(threads);
  Kokkos::parallel_for(label, policy_of_teams<Kernel>(space, (a.row_count() + of_team - 1) / of_team, threads, lanes),
                       held(kernel));
}

/// \brief y(i) := alpha * (A x)(i) + beta * y(i): three doubles and a bound for each part, and if these do not decide, exactly.
/// Rows that do not exist, or have a column that does not, become NaN.
template <class Space, class Matrix, class X, class Y>
struct DeviceRows {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Result = EntryOf<Y>;
  static constexpr bool complex = Scalar<Result>::is_complex;
  static std::size_t scratch_size() { return 0; }

  Matrix A;
  X x;
  Y y;
  EntryEpilogue epilogue;
  bool conjugated;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    std::size_t const row = number_of_thread(member);
    if (row >= A.row_count()) return;
    auto const range = A.blocks_of(row / A.block());
    Result const old = epilogue.reads_y ? y(row) : Result{};
    Result result{};
    if (!A.is_range(range)) {
      result = not_a_number<Result>();
    } else if (!try_row(member, range, row % A.block(), old, result)) {
      result = epilogue.entry(sum<ExactParts<complex>>(member, range, row % A.block()), old);
    }
    Kokkos::single(Kokkos::PerThread(member), [&] { y(row) = result; });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool try_row(Member const& member, RowRange const& range, std::size_t row_of_block,
                                           Result const& old, Result& result) const {
    if constexpr (is_float_v<typename Scalar<Result>::Real>) {
      return try_parts(epilogue, sum<SumParts<CascadedSum, complex>>(member, range, row_of_block).parts, old, result);
    } else {
      return false;
    }
  }

  template <class Sum>
  KOKKOS_INLINE_FUNCTION Sum sum(Member const& member, RowRange const& range, std::size_t row_of_block) const {
    Sum products;
    std::size_t const columns = A.column_count();
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, (range.end - range.begin) * A.block()),
        [&](std::size_t j, Sum& partial) {
          std::size_t const column = A.column(range, j);
          auto const value = A.value(range, row_of_block, j);
          EntryOf<X> const factor = column < columns ? x(column) : not_a_number<EntryOf<X>>();
          partial.add_product(conjugated ? conjugate_entry(value) : value, factor);
        },
        Reducer<Sum>(products));
    return products;
  }
};

template <class Space, class Matrix, class X, class Y>
void multiply_on_device(Space const& space, Matrix const& a, bool conjugated, EntryEpilogue const& epilogue, X const& x,
                        Y const& y) {
  for_each_row("Exakt::spmv", space, a, DeviceRows<Space, Matrix, X, Y>{a, x, y, epilogue, conjugated});
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
