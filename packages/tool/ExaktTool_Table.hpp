// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_TABLE_HPP
#define EXAKTTOOL_TABLE_HPP

#include "ExaktTool_Total.hpp"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace Exakt::Tool {

/// Whether the command asks for more than one sum, or for another one than that of doubles in one column.
bool is_about_records(Options const& options);

/// An exact sum, and how many numbers went into it.
struct Cell {
  std::uint64_t count = 0;
  GrowingSum sum;
};

/// \brief What is known of one group of records: a cell for each column; of variances two, the second of which sums
/// squares; of dot one.
using Cells = std::vector<Cell>;

/// \brief The groups of a table, by name; without --by one, whose name is empty.
class Table {
 public:
  /// Groups are spread over so many maps, each with its lock.
  static constexpr std::size_t shards = 64;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  using Map = std::unordered_map<std::string, Cells, Hash, std::equal_to<>>;

  Map& shard_of(std::string_view name) { return m_maps[shard_index(name)]; }
  static std::size_t shard_index(std::string_view name) { return Hash()(name) % shards; }
  Map& shard(std::size_t index) { return m_maps[index]; }

  /// Adds cells to those of a group.
  void merge(std::string_view name, Cells const& cells);

  /// All of it, for another process; merge_bytes() adds it to a table of the same command.
  std::string bytes() const;
  void merge_bytes(std::string_view bytes);

  /// Names and cells in the order of the names' bytes; valid as long as the table is not changed.
  std::vector<Map::value_type const*> sorted() const;

  std::vector<std::string> columns;    ///< names; empty where no input was opened
  std::vector<std::uint64_t> skipped;  ///< missing values of each column; of dot only one number, of records

 private:
  std::array<Map, shards> m_maps;
};

/// \brief Reads the tables that the options name, as much of them as is this process' share.
/// \throws Failure  An input is missing or malformed.
Table read_table(Options const& options, Share& share);

/// The total of a group's result: that of a column, from 0.
Total total_of(Cells const& cells, std::size_t column, Options const& options);

/// Prints a line per group, or per column.
void print(Table const& table, Options const& options);

}  // namespace Exakt::Tool

#endif
