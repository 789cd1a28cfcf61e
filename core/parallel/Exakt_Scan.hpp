// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SCAN_HPP
#define EXAKT_SCAN_HPP

/// \file
/// \brief How inclusive_scan and exclusive_scan run.
///
///     columns --> chunks of rows --> their exact sums --> what lies before each chunk --> each chunk term by term
///                 as many as         one pass over x      integer additions,              a second pass over x
///                 threads want                            of many: block by block
///
/// With one chunk for each column there is the last pass only. Columns whose rows lie side by side in memory are scanned
/// some at once, a tile of rows each in turn.
///
/// On devices enclosures come first (Exakt_EnclosedScan.hpp), and this is for data of which they leave many prefixes.

#include "../Exakt_Reducer.hpp"
#include "../summation/Exakt_RunningSum.hpp"
#include "Exakt_EnclosedScan.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_OperandChecks.hpp"
#include "Exakt_Region.hpp"
#include "Exakt_ScratchMemory.hpp"

#include <algorithm>
#include <optional>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \tparam is_inclusive  Whether r(i) takes x(i) in.
/// \tparam Memory        Of the sums before each chunk.
template <bool is_inclusive, bool is_on_host, class Memory, class X, class R>
struct Scan {
  using Long = RunningSum::Long;
  using Result = typename R::non_const_value_type;
  using Starts = Kokkos::View<Long*, Memory>;
  static constexpr bool on_host = is_on_host;
  static constexpr int tile_size = RunningSum::tile_size<on_host>;
  static constexpr int columns_at_once = on_host && X::rank == 2 ? 8 : 1;
  /// The least number of rows of a chunk: hosts have to wake a thread for it, devices have thousands.
  static constexpr std::size_t least_chunk = on_host ? 16384 : 256;

  X x;
  R r;
  std::size_t rows, columns, group_size, chunks, chunk_size;
  Starts starts;           // the sum before each chunk of each column; empty if there is one chunk
  Starts before_all;       // what all prefixes begin with; empty for nothing
  Starts blocks;           // the sum before each block of chunks of each column; empty if there is one block
  UndecidedPrefixes left;  // by what ran before; nothing is to be done unless they are many, or not counted

  KOKKOS_FORCEINLINE_FUNCTION bool is_wanted() const { return left.count == nullptr || left.are_many(); }

  struct Sums {};
  struct BlockSums {};
  struct BlockPrefixes {};
  struct Prefixes {};
  struct Entries {};

  /// Chunks whose sums one thread adds up.
  static constexpr std::size_t block_size = 256;
  KOKKOS_FORCEINLINE_FUNCTION std::size_t blocks_per_column() const { return (chunks + block_size - 1) / block_size; }

  /// The exact sum of a chunk of a column.
  KOKKOS_INLINE_FUNCTION void operator()(Sums, std::size_t task) const {
    std::size_t const column = task / chunks, chunk = task % chunks;
    Long sum;
    Extraction<Long, 3> extraction;
    double buffer[tile_size];
    for (std::size_t row = begin_of(chunk); row < end_of(chunk); row += tile_size) {
      std::size_t const count = end_of(chunk) - row < tile_size ? end_of(chunk) - row : tile_size;
      extraction.add(tile(row, column, count, buffer), count, sum);
    }
    extraction.drain(sum);
    starts(task) = sum;
  }

  /// The sum of a block of chunks.
  KOKKOS_INLINE_FUNCTION void operator()(BlockSums, std::size_t task) const {
    Long sum;
    for_each_chunk(task, [&](Long& of_chunk) { sum += of_chunk; });
    blocks(task) = sum;
  }

  /// The sums before the blocks of a column.
  KOKKOS_INLINE_FUNCTION void operator()(BlockPrefixes, std::size_t column) const {
    Long sum;
    if (before_all.extent(0) > 0) sum = before_all(0);
    for (std::size_t block = 0; block < blocks_per_column(); ++block)
      put_before(sum, blocks(column * blocks_per_column() + block));
  }

  /// The sums before the chunks of a block.
  KOKKOS_INLINE_FUNCTION void operator()(Prefixes, std::size_t task) const {
    Long sum;
    if (blocks.extent(0) > 0) {
      sum = blocks(task);
    } else if (before_all.extent(0) > 0) {
      sum = before_all(0);
    }
    for_each_chunk(task, [&](Long& of_chunk) { put_before(sum, of_chunk); });
  }

  /// The entries of a chunk of a group of columns.
  KOKKOS_INLINE_FUNCTION void operator()(Entries, std::size_t task) const {
    std::size_t const first = task / chunks * group_size, chunk = task % chunks;
    std::size_t const rest = columns - first;
    int const some = static_cast<int>(rest < group_size ? rest : group_size);
    RunningSum sums[columns_at_once];
    Result before[columns_at_once] = {};
    for (int c = 0; c < some; ++c) {
      if (chunks > 1) {
        sums[c] = RunningSum(starts((first + c) * chunks + chunk));
      } else if (before_all.extent(0) > 0) {
        sums[c] = RunningSum(before_all(0));
      }
      if constexpr (!is_inclusive) before[c] = sums[c].template round<Result>();
    }
    double buffer[tile_size];
    Result results[tile_size + 1];
    std::size_t const step = tile_size / static_cast<std::size_t>(some > 1 ? columns_at_once : 1);
    for (std::size_t row = begin_of(chunk); row < end_of(chunk); row += step) {
      std::size_t const count = end_of(chunk) - row < step ? end_of(chunk) - row : step;
      for (int c = 0; c < some; ++c) {
        sums[c].template scan<tile_size>(tile(row, first + c, count, buffer), static_cast<int>(count), results + 1);
        results[0] = before[c];
        before[c] = results[count];
        Result const* const from = is_inclusive ? results + 1 : results;
        for (std::size_t i = 0; i < count; ++i) entry_at(r, row + i, first + c) = from[i];
      }
    }
  }

 private:
  /// f(the sum of a chunk) for those of a block.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_chunk(std::size_t task, F const& f) const {
    std::size_t const column = task / blocks_per_column(), first = task % blocks_per_column() * block_size,
                      end = chunks - first < block_size ? chunks : first + block_size;
    for (std::size_t chunk = first; chunk < end; ++chunk) f(starts(column * chunks + chunk));
  }

  /// next := the sum so far, which grows by what was there.
  static KOKKOS_FORCEINLINE_FUNCTION void put_before(Long& sum, Long& next) {
    Long const before = sum;
    sum += next;
    next = before;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::size_t begin_of(std::size_t chunk) const { return chunk * chunk_size; }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t end_of(std::size_t chunk) const {
    return rows - begin_of(chunk) < chunk_size ? rows : begin_of(chunk) + chunk_size;
  }

  /// Terms as doubles: where they are, or in the buffer.
  KOKKOS_FORCEINLINE_FUNCTION double const* tile(std::size_t row, std::size_t column, std::size_t count,
                                                 double* buffer) const {
    if constexpr (std::is_same_v<typename X::non_const_value_type, double>) {
      if (x.stride(0) == 1) return &entry_at(x, row, column);
    }
    for (std::size_t i = 0; i < count; ++i) {
      EXAKT_IF_ON_HOST((buffer[i] = static_cast<double>(entry_at(x, row + i, column));))
      EXAKT_IF_ON_DEVICE((buffer[i] = exact_double(entry_at(x, row + i, column));))
    }
    return buffer;
  }
};

template <bool is_inclusive, class Space, class X, class R>
using ScanOn = Scan<is_inclusive, runs_on_host<Space>, typename Space::memory_space, X, R>;

/// A step of a scan as a kernel.
template <class Step, class Kernel>
struct ScanStep {
  Kernel kernel;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    if (kernel.is_wanted()) kernel(Step(), task);
  }
};

/// Runs a step of a scan for each number below `tasks`.
template <class Step, class Space, class Kernel>
void run_step(char const* label, Space const& space, std::size_t tasks, Kernel const& kernel) {
  for_each_task(label, space, tasks, kernel.rows * kernel.columns >= Kernel::least_chunk,
                ScanStep<Step, Kernel>{kernel});
}

/// \brief r := the prefixes of the columns of x.
///
/// \param before_all     One sum that they begin with, or none.
/// \param chunks_wanted  Of each column; 0: as many as keep all threads busy.
/// \param left           If counted, r is written only if they are many: the kernels find out.
/// \pre x and r have the same extents.
template <bool is_inclusive, class Space, class X, class R>
void scan_columns(Space const& space, X const& x, R const& r,
                  typename ScanOn<is_inclusive, Space, X, R>::Starts const& before_all = {},
                  std::size_t chunks_wanted = 0, UndecidedPrefixes const& left = {}) {
  using Kernel = ScanOn<is_inclusive, Space, X, R>;
  std::size_t const rows = x.extent(0);
  Kernel kernel{x, r, rows, 1, 1, 1, rows, {}, before_all, {}, left};
  if constexpr (X::rank == 2) {
    kernel.columns = x.extent(1);
    if (x.stride(1) < x.stride(0)) kernel.group_size = Kernel::columns_at_once;
  }
  if (rows == 0 || kernel.columns == 0) return;
  std::size_t const groups = (kernel.columns + kernel.group_size - 1) / kernel.group_size;

  std::size_t const most_chunks = std::min<std::size_t>((rows + Kernel::least_chunk - 1) / Kernel::least_chunk,
                                                        Kernel::on_host ? std::size_t(-1) : std::size_t{1} << 15);
  std::size_t const wanted =
      chunks_wanted > 0 ? chunks_wanted : (static_cast<std::size_t>(space.concurrency()) + groups - 1) / groups;
  std::size_t const chunks = std::min(wanted, most_chunks);
  std::size_t const tiles = (rows + Kernel::tile_size - 1) / Kernel::tile_size;
  kernel.chunk_size = (tiles + chunks - 1) / chunks * Kernel::tile_size;
  kernel.chunks = (rows + kernel.chunk_size - 1) / kernel.chunk_size;
  using Long = typename Kernel::Long;
  std::size_t const sums = kernel.chunks > 1 ? kernel.columns * kernel.chunks : 0,
                    blocks = kernel.columns * kernel.blocks_per_column(),
                    block_sums = kernel.blocks_per_column() > 1 ? blocks : 0;
  std::optional<ScratchMemory<Space>> memory;
  if (sums > 0) {
    memory.emplace(space, (sums + block_sums) * sizeof(Long));
    auto* const starts = reinterpret_cast<Long*>(memory->data());
    kernel.starts = typename Kernel::Starts(starts, sums);
    run_step<typename Kernel::Sums>("Exakt::scan::sum", space, sums, kernel);
    if (block_sums > 0) {
      kernel.blocks = typename Kernel::Starts(starts + sums, block_sums);
      run_step<typename Kernel::BlockSums>("Exakt::scan::sum_before", space, blocks, kernel);
      run_step<typename Kernel::BlockPrefixes>("Exakt::scan::sum_before", space, kernel.columns, kernel);
    }
    run_step<typename Kernel::Prefixes>("Exakt::scan::sum_before", space, blocks, kernel);
  }
  run_step<typename Kernel::Entries>("Exakt::scan::round", space, groups * kernel.chunks, kernel);
}

/// What is asked of the operands of a scan.
template <class Space, class X, class R>
void require_scan(char const* function, X const& x, R const& r) {
  static_assert(require_operand<Space, X>());
  static_assert(require_operand<Space, R>());
  static_assert(require_output<R>());
  static_assert(int(X::rank) == int(R::rank), "Exakt: x and r of a scan have the same rank");
  require_same_shape(function, x, r, "r");
  if constexpr (std::is_same_v<typename X::non_const_value_type, typename R::non_const_value_type>) {
    require_in_place_or_no_overlap(function, "r", r, "x", x);
  } else {
    require_no_overlap(function, "r", r, "x", x);
  }
}

/// On devices: by enclosures where that is worth it, in chunks where not, and where they leave much.
template <bool is_inclusive, class Space, class X, class R>
void scan_on_device(Space const& space, X const& x, R const& r) {
  // One kind of View for both, for each is a set of kernels.
  auto const in_chunks = [&](UncountedTerms<X> const& terms, UndecidedPrefixes const& left) {
    scan_columns<is_inclusive>(space, terms, r, {}, 0, left);
  };
  if constexpr (is_float_v<typename R::non_const_value_type>) {
    if (scans_by_enclosures(x)) {
      scan_enclosures<is_inclusive>("Exakt::scan::enclose", space, x, r, in_chunks);
      return;
    }
  }
  in_chunks(x, {});
}

/// Checks, and the scan.
template <bool is_inclusive, class Space, class X, class R>
void scan(char const* function, Space const& space, X const& x, R const& r) {
  require_scan<Space>(function, x, r);
  in_region(Label{function}, [&] {
    if constexpr (runs_on_host<Space>) {
      scan_columns<is_inclusive>(space, x, r);
    } else {
      scan_on_device<is_inclusive>(space, x, r);
    }
  });
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
