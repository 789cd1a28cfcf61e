// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows whose columns are those of the row before, each plus one, as stencils on grids have them: lanes across the rows.
//
//     row 0   a b c ...  columns  4 5 9 ...        pack of a: one entry of each row, from a transpose of 8 x 8 entries
//     row 1   a b c ...  columns  5 6 10 ...       pack of x: x(4), x(5), x(6) ... in one load
//     row 2   a b c ...  columns  6 7 11 ...       -> heads and rests of 8 rows
//
// Nothing of x is picked entry by entry, and no lanes are added in the end.
//
// Included inside the namespace of each instruction set, behind ExaktSparse_Packs-inl.hpp.

/// Rows of fewer packs than this are not worth a transpose.
inline constexpr int fewest_shifted = pack_lanes < 4 ? pack_lanes : pack_lanes / 2;

/// Whether each of pack_lanes rows is the one before, shifted: each column is loaded once. Nothing is said of rows that are
/// shorter than a pack of columns.
template <class Number>
HWY_INLINE bool are_shifted(Number const* row, std::size_t length) {
  hn::ScalableTag<Number> const tag;
  std::size_t const lanes = hn::Lanes(tag);
  if (length < lanes) return false;
  auto const one = hn::Set(tag, 1);
  for (std::size_t k = 0; k < length; k += lanes) {
    Number const* const here = row + (length - k < lanes ? length - lanes : k);  // some of the pack before, in the end
    auto before = hn::LoadU(tag, here), others = hn::Zero(tag);
#pragma GCC unroll 8
    for (int r = 1; r < pack_lanes; ++r) {
      auto const next = hn::LoadU(tag, here + static_cast<std::size_t>(r) * length);
      others = hn::Or(others, hn::Xor(hn::Sub(next, before), one));
      before = next;
    }
    if (!hn::AllTrue(tag, hn::Eq(others, hn::Zero(tag)))) return false;
  }
  return true;
}

/// \brief How many rows from the first one on are the one before, shifted, and that one: at least 1.
///
/// \param offsets  Of the first row, and of `most` more. \param some_entry  Whose column can be read.
template <class Index>
HWY_INLINE int count_shifted(Index const* columns, std::size_t const* offsets, int most, std::size_t some_entry) {
  using Number = std::make_unsigned_t<Index>;
  auto const* const numbers = reinterpret_cast<Number const*>(columns);
  std::size_t const begin = offsets[0], length = offsets[1] - begin;
  // Lengths of rows may be anything: nothing of them is to be guessed. A row that is not alike is compared with itself.
  auto const is_alike =
      static_cast<std::size_t>(length - 1 < sparse_piece) & static_cast<std::size_t>(offsets[2] - offsets[1] == length);
  std::size_t const entry = some_entry + is_alike * (begin - some_entry);
  if (numbers[entry + is_alike * length] - numbers[entry] != 1) return 1;
  int rows = 2;
  while (rows < most && offsets[rows + 1] - offsets[rows] == length) ++rows;
  Number const* const row = numbers + begin;
  if (rows == pack_lanes && are_shifted(row, length)) return rows;
  // All columns but those of the last row, and those one row behind them.
  hn::ScalableTag<Number> const tag;
  std::size_t const lanes = hn::Lanes(tag), count = static_cast<std::size_t>(rows - 1) * length;
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    auto const difference = hn::Sub(hn::LoadU(tag, row + k + length), hn::LoadU(tag, row + k));
    if (!hn::AllTrue(tag, hn::Eq(difference, hn::Set(tag, 1)))) return static_cast<int>(k / length) + 1;
  }
  for (; k < count; ++k) {
    if (row[k + length] - row[k] != 1) return static_cast<int>(k / length) + 1;
  }
  return rows;
}

/// Rows that are done together: at most pack_lanes that are shifted, or some others whose entries of x are picked at once.
struct Stretch {
  int rows;
  bool are_shifted;
};

/// Where stretches of rows end.
template <class T, class Index>
class Stretches {
 public:
  HWY_INLINE Stretches(SparseRows<T, Index> const& A, int rows)
      : m_A(A), m_rows(rows), m_has_entries(A.offsets[rows] > A.offsets[0]) {}

  /// The stretch behind the one before; `first` is its first row.
  HWY_INLINE Stretch next(int first) {
    int const shifted = m_shifted > 0 ? m_shifted : shifted_from(first);
    m_shifted = 0;
    if (shifted >= fewest_shifted) {
      m_are_mixed = true;
      return {shifted, true};
    }
    int const most = at_most(first, picked_rows);
    int rows = !m_are_mixed && are_few(first, most) ? most : 1;
    for (; rows < most && are_few(first, rows + 1); ++rows) {
      if (!m_are_mixed) continue;
      int const others = shifted_from(first + rows);
      if (others >= fewest_shifted) {
        m_shifted = others;
        break;
      }
    }
    m_are_mixed = rows < most;
    return {rows, false};
  }

 private:
  HWY_INLINE int at_most(int first, int rows) const { return m_rows - first < rows ? m_rows - first : rows; }
  /// Whether the entries of rows can be picked at once.
  HWY_INLINE bool are_few(int first, int rows) const {
    return m_A.offsets[first + rows] - m_A.offsets[first] <= sparse_piece;
  }
  HWY_INLINE int shifted_from(int first) const {
    int const most = at_most(first, pack_lanes);
    if (pack_lanes == 1 || most < fewest_shifted || !m_has_entries) return 1;
    return count_shifted(m_A.columns, m_A.offsets + first, most, m_A.offsets[0]);
  }

  SparseRows<T, Index> const& m_A;
  int m_rows;
  bool m_has_entries;
  int m_shifted = 0;        // of the next rows, if they have been looked at
  bool m_are_mixed = true;  // where a whole stretch had no shifted rows, only the first ones of stretches are looked at
};
