// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ADDMOMENTS_HPP
#define EXAKT_ADDMOMENTS_HPP

/// \file
/// \brief The sum of numbers and that of their squares in one pass: enclosed, or exactly; on hosts.

#include "../Exakt_Reducer.hpp"
#include "../summation/Exakt_EnclosedSum.hpp"
#include "Exakt_ColumnTiles.hpp"
#include "Exakt_Loop.hpp"
#include "Exakt_Region.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// Sums of numbers and of their squares, as far as enclosures go.
struct EnclosedMoments {
  Enclosure sum = empty_sum(), squares = empty_sum();

  bool is_known() const { return sum.bound < HUGE_VAL && squares.bound < HUGE_VAL; }
  void clear() { *this = EnclosedMoments(); }
  EnclosedMoments& operator+=(EnclosedMoments const& other) {
    in_default_environment([&] {
      add_enclosure(sum, other.sum);
      add_enclosure(squares, other.squares);
    });
    return *this;
  }

  /// \param behind  Entries of the array behind these, of which some may be prefetched.
  /// \param shift   Subtracted from all x; all of these must be between half of it and twice it. None if zero.
  template <class Value>
  void add(Value const* x, int count, std::size_t behind, double shift) {
    if (!is_known()) return;
    KernelsOf<Value> const& kernel = kernels();
    EnclosedMoments tile{{}, {}};
    if (kernel.enclose_moments != nullptr && kernel.enclose_moments(x, count, behind, shift, tile.sum, tile.squares)) {
      add_enclosure(sum, tile.sum);
      add_enclosure(squares, tile.squares);
    } else {
      squares.bound = HUGE_VAL;
    }
  }
};

/// Both sums, exactly.
template <class Value>
class ExactMoments {
  using Numbers = SumOperations<Value>;
  using Squares = ProductOperations<Value, Value>;

 public:
  void clear() { *this = ExactMoments(); }
  ExactMoments& operator+=(ExactMoments const& other) {
    m_sum += other.m_sum;
    m_squares += other.m_squares;
    return *this;
  }
  void add(Value const* x, int count, std::size_t, double) {
    m_sum.add({x}, 0, static_cast<std::size_t>(count));
    m_squares.add({x, x}, 0, static_cast<std::size_t>(count));
  }

  typename Numbers::Long sum() const { return m_sum.sum(); }
  typename Squares::Long squares() const { return m_squares.sum(); }

 private:
  Exactly<Numbers> m_sum;
  Exactly<Squares> m_squares;
};

/// Of neighbouring columns.
template <class Moments, int Columns>
struct MomentsOfColumns {
  Moments of[Columns];

  void clear() {
    for (Moments& moments : of) moments.clear();
  }
  MomentsOfColumns& operator+=(MomentsOfColumns const& other) {
    for (int c = 0; c < Columns; ++c) of[c] += other.of[c];
    return *this;
  }
};

inline constexpr std::size_t moments_block_size = std::size_t{8} * enclosure_tile_size;  // rows

/// How some columns at a time are gathered.
template <int Columns>
struct GatheredTiles {
  static constexpr std::size_t block_size = moments_block_size;
  static constexpr int distance = enclosure_tile_size / Columns;  // of gathered columns
  // Columns a power of two apart would fall on each other in the cache.
  static constexpr std::size_t tile_size = Columns == 1 ? distance : distance - 8;
};

/// Adds a block of rows of some columns per call; on hosts.
template <class Moments, int Columns, class V>
struct AddMoments {
  using Sums = MomentsOfColumns<Moments, Columns>;
  using Tiles = GatheredTiles<Columns>;

  ColumnTiles<V> x;
  std::size_t rows, column;
  int columns;           // at most Columns
  double const* shifts;  // of each column

  std::size_t blocks() const { return (rows + Tiles::block_size - 1) / Tiles::block_size; }

  void operator()(std::size_t block, Sums& moments) const {
    std::size_t const begin = block * Tiles::block_size, rest = rows - begin;
    std::size_t const end = rest < Tiles::block_size ? rows : begin + Tiles::block_size;
    typename ColumnTiles<V>::Buffer buffer;
    for (std::size_t row = begin; row < end; row += Tiles::tile_size) {
      std::size_t const count = end - row < Tiles::tile_size ? end - row : Tiles::tile_size;
      x.gather(row, column, count, columns, Tiles::distance, buffer);
      for (int c = 0; c < columns; ++c)
        moments.of[c].add(x.at(row, column + c, buffer.entries + c * Tiles::distance), static_cast<int>(count),
                          x.size_from(row + count), shifts[c]);
    }
  }
};

/// Add::Sums of all blocks that `add` adds: on all threads, or on this one.
template <class Space, class Add>
auto moments_of_blocks(Label const& label, Space const& space, Add const& add, bool on_all_threads) {
  using Sums = typename Add::Sums;
  Sums sums;
  if (on_all_threads && add.blocks() > 1) {
    reduce_loop(std::string(label), space, add.blocks(), held<Sums>(add), Reducer<Sums>(sums));
  } else {
    for (std::size_t block = 0; block < add.blocks(); ++block) add(block, sums);
  }
  return sums;
}

/// \brief f(column, columns, on_all_threads) for all columns, at most Columns at a time: side by side on the threads, where
/// there are enough of such groups; f then keeps to its own thread.
template <int Columns, class Space, class F>
void for_each_group_of_columns(Label const& label, Space const& space, std::size_t rows, std::size_t all, F const& f) {
  std::size_t const groups = (all + Columns - 1) / Columns;
  auto const of_group = [&](std::size_t group, bool on_all_threads) {
    std::size_t const column = group * Columns, rest = all - column;
    f(column, rest < Columns ? static_cast<int>(rest) : Columns, on_all_threads);
  };
  bool const is_worth_waking_threads = rows * all > moments_block_size;
  if (is_worth_waking_threads && groups >= static_cast<std::size_t>(space.concurrency())) {
    loop(std::string(label), space, groups, [&](std::size_t group) { of_group(group, false); });
  } else {
    for (std::size_t group = 0; group < groups; ++group) of_group(group, true);
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
