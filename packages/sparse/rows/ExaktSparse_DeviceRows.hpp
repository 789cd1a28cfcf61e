// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_DEVICEROWS_HPP
#define EXAKTSPARSE_DEVICEROWS_HPP

/// \file
/// \brief Rows of any matrix times a vector on devices: a row for each thread, long ones shared by its vector lanes.

#include "ExaktSparse_AnyRows.hpp"

#include <parallel/Exakt_ManySums.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

inline constexpr int workers_of_team = 128;

/// Entries that a lane asks for before it uses the first of them.
inline constexpr int entries_asked_for = 4;

/// Lanes for each row: each has as many entries as it asks for at once, on the average, or twice as many.
template <class Space, class Matrix>
int lanes_of_row(Matrix const& a) {
  if (is_on_host_v<Space> || a.row_count() == 0) return 1;
  std::size_t const of_row = a.entry_count() * a.block() / a.block_row_count();
  int lanes = 1;
  while (lanes < lanes_of_thread && of_row > static_cast<std::size_t>(2 * entries_asked_for * lanes)) lanes *= 2;
  return lanes;
}

/// \brief kernel(member) by teams of so many lanes, the row being number_of_thread(member), for all rows and perhaps some that
/// do not exist; enqueued.
template <class Space, class Kernel>
void for_each_row(char const* label, Space const& space, std::size_t rows, int lanes, Kernel const& kernel) {
  if (rows == 0) return;
  int const most = policy_of_teams<Kernel>(space, 1, 1, lanes).team_size_max(held(kernel), Kokkos::ParallelForTag()),
            threads = std::min(workers_of_team / lanes, most);
  std::size_t const of_team = static_cast<std::size_t>(threads);
  Kokkos::parallel_for(label, policy_of_teams<Kernel>(space, (rows + of_team - 1) / of_team, threads, lanes),
                       held(kernel));
}

/// \brief y(i) := alpha * (A x)(i) + beta * y(i): three doubles and a bound for each part, and if these do not decide, exactly.
/// Rows that do not exist, or have a column that does not, become NaN.
template <class Space, class Matrix, class X, class Y>
struct DeviceRows {
  // Registers of devices are for many threads, and not for the exact sum, which is rare.
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<workers_of_team, 8>>;
  using Member = typename Policy::member_type;
  using Result = EntryOf<Y>;
  static constexpr bool complex = Scalar<Result>::is_complex;
  static std::size_t scratch_size() { return 0; }

  Matrix A;
  X x;
  Y y;
  EntryEpilogue epilogue;
  bool conjugated;
  int lanes;

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
    std::size_t const count = (range.end - range.begin) * A.block(), columns = A.column_count(),
                      step = static_cast<std::size_t>(lanes);
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, lanes),
        [&](int lane, Sum& mine) {
          for (std::size_t j = static_cast<std::size_t>(lane); j < count; j += entries_asked_for * step) {
            typename Matrix::Value values[entries_asked_for];
            EntryOf<X> factors[entries_asked_for];
            EXAKT_UNROLLED_LOOP
            for (int k = 0; k < entries_asked_for; ++k) {
              std::size_t const entry = j + static_cast<std::size_t>(k) * step;
              bool const exists = entry < count;
              std::size_t const column = exists ? A.column(range, entry) : 0;
              values[k] = exists ? A.value(range, row_of_block, entry) : typename Matrix::Value{};
              factors[k] = !exists ? EntryOf<X>{} : column < columns ? x(column) : not_a_number<EntryOf<X>>();
            }
            EXAKT_UNROLLED_LOOP
            for (int k = 0; k < entries_asked_for; ++k)
              mine.add_product(conjugated ? conjugate_entry(values[k]) : values[k], factors[k]);
          }
        },
        Reducer<Sum>(products));
    return products;
  }
};

template <class Space, class Matrix, class X, class Y>
void multiply_on_device(Space const& space, Matrix const& a, bool conjugated, EntryEpilogue const& epilogue, X const& x,
                        Y const& y) {
  int const lanes = lanes_of_row<Space>(a);
  for_each_row("Exakt::spmv", space, a.row_count(), lanes,
               DeviceRows<Space, Matrix, X, Y>{a, x, y, epilogue, conjugated, lanes});
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
