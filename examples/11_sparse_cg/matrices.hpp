// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAMPLE_MATRICES_HPP
#define EXAMPLE_MATRICES_HPP

/// \file
/// \brief The rows of one rank of a square matrix: of the 27-point stencil of HPCG, or of a Matrix Market file.

#include <ExaktSparse_CrsViews.hpp>
#include <Kokkos_Core.hpp>

#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using Numbers = Kokkos::View<int*, Kokkos::HostSpace>;
using Vector = Kokkos::View<double*, Kokkos::HostSpace>;
using Matrix = Exakt::CrsViews<Numbers, Numbers, Vector>;

/// All of an argument as a number that is not negative, or nothing.
inline std::optional<int> number_of(std::string_view text) {
  int number = 0;
  auto const* const end = text.data() + text.size();
  auto const [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < 0) return {};
  return number;
}

inline constexpr int most_points = 1290;  // the cube of which is an int

struct Rows {
  int first, last, count;  // of all `count` rows this rank has [first, last)

  Rows(int n, int rank, int ranks)
      : first(static_cast<int>(static_cast<long>(n) * rank / ranks)),
        last(static_cast<int>(static_cast<long>(n) * (rank + 1) / ranks)),
        count(n) {}
  bool has(int row) const { return first <= row && row < last; }
  int size() const { return last - first; }
};

struct Entry {
  int row, column;
  double value;
};

/// Entries of the rows of this rank, in any order, as compressed rows.
inline Matrix compressed(Rows const& rows, std::vector<Entry> const& entries) {
  if (entries.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw std::runtime_error("the rows of this rank have " + std::to_string(entries.size()) +
                             " entries, which an int does not count: take more ranks");
  Numbers const map("row_map", rows.size() + 1), columns("columns", entries.size());
  Vector const values("values", entries.size());
  for (auto const& entry : entries) ++map(entry.row - rows.first + 1);
  for (int i = 0; i < rows.size(); ++i) map(i + 1) += map(i);
  std::vector<int> place(map.data(), map.data() + rows.size());
  for (auto const& entry : entries) {
    int const k = place[entry.row - rows.first]++;
    columns(k) = entry.column;
    values(k) = entry.value;
  }
  return Exakt::crs_matrix(map, columns, values, rows.count);
}

/// 26 on the diagonal and -1 for each of the 26 neighbours of a point of an n x n x n grid.
inline Matrix stencil(int n, Rows const& rows) {
  std::vector<Entry> entries;
  for (int row = rows.first; row < rows.last; ++row)
    for (int k = 0; k < 27; ++k) {
      int const x = row % n + k % 3 - 1, y = row / n % n + k / 3 % 3 - 1, z = row / n / n + k / 9 - 1;
      if (x < 0 || x >= n || y < 0 || y >= n || z < 0 || z >= n) continue;
      entries.push_back({row, (z * n + y) * n + x, k == 13 ? 26.0 : -1.0});
    }
  return compressed(rows, entries);
}

/// A file of the Matrix Market's coordinate format, read once: real or integer entries, general or symmetric.
class MatrixMarket {
 public:
  explicit MatrixMarket(std::string const& name) : m_name(name), m_file(name) {
    if (!m_file) throw std::runtime_error(name + ": cannot be opened");
    std::string mark, object, format, field, symmetry;
    line() >> mark >> object >> format >> field >> symmetry;
    if (mark != "%%MatrixMarket" || object != "matrix" || format != "coordinate")
      refuse("this is not '%%MatrixMarket matrix coordinate'");
    if (field != "real" && field != "integer") refuse("the entries are '" + field + "', neither real nor integer");
    if (symmetry != "general" && symmetry != "symmetric") refuse("'" + symmetry + "' is neither general nor symmetric");
    m_is_symmetric = symmetry == "symmetric";
    auto sizes = line();
    while (sizes.str().empty() || sizes.str()[0] == '%') sizes = line();
    int columns = 0;
    if (!(sizes >> m_rows >> columns >> m_entries)) refuse("here the numbers of rows, columns and entries must stand");
    if (m_rows != columns || m_rows < 1) refuse("the matrix must be square and not empty");
  }
  int rows() const { return m_rows; }

  Matrix read(Rows const& rows) {
    std::vector<Entry> entries;
    for (long k = 0; k < m_entries; ++k) {
      Entry entry{};
      if (!(line() >> entry.row >> entry.column >> entry.value)) refuse("here row, column and value must stand");
      if (entry.row < 1 || entry.row > m_rows || entry.column < 1 || entry.column > m_rows)
        refuse("there is no such row or column: the matrix has " + std::to_string(m_rows));
      --entry.row, --entry.column;
      if (rows.has(entry.row)) entries.push_back(entry);
      if (m_is_symmetric && entry.row != entry.column && rows.has(entry.column))
        entries.push_back({entry.column, entry.row, entry.value});
    }
    return compressed(rows, entries);
  }

 private:
  std::istringstream line() {
    std::string text;
    ++m_line;
    if (!std::getline(m_file, text)) refuse("the file ends too early");
    return std::istringstream(text);
  }
  [[noreturn]] void refuse(std::string const& why) const {
    throw std::runtime_error(m_name + ", line " + std::to_string(m_line) + ": " + why);
  }

  std::string m_name;
  std::ifstream m_file;
  long m_line = 0, m_entries = 0;
  int m_rows = 0;
  bool m_is_symmetric = false;
};

#endif
