// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ADDPAIRMOMENTS_HPP
#define EXAKT_ADDPAIRMOMENTS_HPP

/// \file
/// \brief The sums of x, y and x y, and where they are wanted of x^2 and y^2, in one pass: enclosed, or exactly; on hosts.

#include "Exakt_AddMoments.hpp"

#include <algorithm>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief The differences x - shift; false unless all x are between shift / 2 and 2 * shift: then they are doubles (Sterbenz).
template <class Value>
bool subtract_shift(Value const* x, int count, double shift, double* differences) {
  double const below = shift < 0 ? 2 * shift : shift / 2, above = shift < 0 ? shift / 2 : 2 * shift;
  int outside = 0;
  for (int i = 0; i < count; ++i) {
    double const t = static_cast<double>(x[i]);
    outside |= static_cast<int>(!(t >= below)) | static_cast<int>(!(t <= above));
    differences[i] = t - shift;
  }
  return outside == 0 && shift != 0;
}

/// Sums over pairs, as far as enclosures go.
template <bool has_squares>
struct EnclosedPairs {
  Enclosure x = empty_sum(), y = empty_sum(), products = empty_sum(), x_squares = empty_sum(), y_squares = empty_sum();

  bool is_known() const { return products.bound < HUGE_VAL; }
  void clear() { *this = EnclosedPairs(); }
  EnclosedPairs& operator+=(EnclosedPairs const& other) {
    in_default_environment([&] { add(other); });
    return *this;
  }

  template <class X, class Y>
  void add(X const* a, Y const* b, int count, std::size_t behind, double, double) {
    if (!is_known()) return;
    auto const n = static_cast<std::size_t>(count);
    EnclosedPairs tile{{}, {}, {}, {}, {}};
    // What is behind is asked for by the first ones that read a and b.
    bool known = SumOperations<X>{a, n + behind}.enclose(0, n, tile.x) &&
                 SumOperations<Y>{b, n + behind}.enclose(0, n, tile.y) &&
                 ProductOperations<X, Y>{a, b}.enclose(0, n, tile.products);
    if constexpr (has_squares)
      known = known && ProductOperations<X, X>{a, a}.enclose(0, n, tile.x_squares) &&
              ProductOperations<Y, Y>{b, b}.enclose(0, n, tile.y_squares);
    if (known) {
      add(tile);
    } else {
      products.bound = HUGE_VAL;
    }
  }

 private:
  void add(EnclosedPairs const& other) {
    add_enclosure(x, other.x);
    add_enclosure(y, other.y);
    add_enclosure(products, other.products);
    if constexpr (has_squares) {
      add_enclosure(x_squares, other.x_squares);
      add_enclosure(y_squares, other.y_squares);
    }
  }
};

/// \brief The same of x and y less a shift each, where all differences are doubles. A shift of zero is none.
template <bool has_squares>
struct ShiftedPairs : EnclosedPairs<has_squares> {
  template <class X, class Y>
  void add(X const* a, Y const* b, int count, std::size_t, double x_shift, double y_shift) {
    double x_differences[enclosure_tile_size], y_differences[enclosure_tile_size];
    if (!this->is_known()) return;
    if (subtract(a, count, x_shift, x_differences) && subtract(b, count, y_shift, y_differences)) {
      EnclosedPairs<has_squares>::add(x_differences, y_differences, count, 0, 0, 0);
    } else {
      this->products.bound = HUGE_VAL;
    }
  }

 private:
  template <class Value>
  static bool subtract(Value const* from, int count, double shift, double* differences) {
    if (shift != 0) return subtract_shift(from, count, shift, differences);
    for (int i = 0; i < count; ++i) differences[i] = static_cast<double>(from[i]);
    return true;
  }
};

/// All sums, exactly.
template <class X, class Y, bool has_squares>
class ExactPairs {
 public:
  void clear() { *this = ExactPairs(); }
  ExactPairs& operator+=(ExactPairs const& other) {
    m_x += other.m_x;
    m_y += other.m_y;
    m_products += other.m_products;
    if constexpr (has_squares) {
      m_x_squares += other.m_x_squares;
      m_y_squares += other.m_y_squares;
    }
    return *this;
  }
  void add(X const* a, Y const* b, int count, std::size_t, double, double) {
    auto const n = static_cast<std::size_t>(count);
    m_x.add({a}, 0, n);
    m_y.add({b}, 0, n);
    m_products.add({a, b}, 0, n);
    if constexpr (has_squares) {
      m_x_squares.add({a, a}, 0, n);
      m_y_squares.add({b, b}, 0, n);
    }
  }

  auto x() const { return m_x.sum(); }
  auto y() const { return m_y.sum(); }
  auto products() const { return m_products.sum(); }
  auto x_squares() const { return m_x_squares.sum(); }
  auto y_squares() const { return m_y_squares.sum(); }

 private:
  struct None {};
  template <class Operations>
  using Squares = std::conditional_t<has_squares, Exactly<Operations>, None>;

  Exactly<SumOperations<X>> m_x;
  Exactly<SumOperations<Y>> m_y;
  Exactly<ProductOperations<X, Y>> m_products;
  Squares<ProductOperations<X, X>> m_x_squares;
  Squares<ProductOperations<Y, Y>> m_y_squares;
};

/// What is subtracted from the entries of two columns.
struct PairShifts {
  double x = 0, y = 0;
};

/// Adds a block of pairs of some columns per call; on hosts.
template <class PairSums, int Columns, class X, class Y>
struct AddPairMoments {
  using Sums = MomentsOfColumns<PairSums, Columns>;
  using Tiles = GatheredTiles<Columns>;

  ColumnTiles<X> x;
  ColumnTiles<Y> y;
  std::size_t rows, column;
  int columns;               // at most Columns
  PairShifts const* shifts;  // of each column

  std::size_t blocks() const { return (rows + Tiles::block_size - 1) / Tiles::block_size; }

  void operator()(std::size_t block, Sums& sums) const {
    std::size_t const begin = block * Tiles::block_size, rest = rows - begin;
    std::size_t const end = rest < Tiles::block_size ? rows : begin + Tiles::block_size;
    typename ColumnTiles<X>::Buffer of_x;
    typename ColumnTiles<Y>::Buffer of_y;
    for (std::size_t row = begin; row < end; row += Tiles::tile_size) {
      std::size_t const count = end - row < Tiles::tile_size ? end - row : Tiles::tile_size;
      x.gather(row, column, count, columns, Tiles::distance, of_x);
      y.gather(row, column, count, columns, Tiles::distance, of_y);
      for (int c = 0; c < columns; ++c)
        sums.of[c].add(x.at(row, column + c, of_x.entries + c * Tiles::distance),
                       y.at(row, column + c, of_y.entries + c * Tiles::distance), static_cast<int>(count),
                       std::min(x.size_from(row + count), y.size_from(row + count)), shifts[c].x, shifts[c].y);
    }
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
