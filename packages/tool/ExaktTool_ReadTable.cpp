// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Sequence.hpp"
#include "ExaktTool_Table.hpp"
#include "ExaktTool_Terms.hpp"
#include "ExaktTool_Workers.hpp"

#include <algorithm>
#include <mutex>

namespace Exakt::Tool {
namespace {

/// \brief Adds records to the cells of their groups.
class RecordAdder {
 public:
  RecordAdder(Options const& options, std::size_t columns, std::size_t terms)
      : m_options(options), m_columns(columns), m_terms(terms) {}

  Cells empty_cells() const {
    bool const is_variance = m_options.verb == Verb::var || m_options.verb == Verb::stddev;
    std::size_t const count = m_options.verb == Verb::dot ? 1 : is_variance ? 2 * m_columns : m_columns;
    return Cells(count, Cell{0, GrowingSum(m_options.decimal ? Radix::decimal : Radix::binary)});
  }

  std::size_t records_in(Records const& records) const {
    return (m_options.decimal ? records.decimals.size() : records.numbers.size() / m_terms) / m_columns;
  }

  void add(Records const& records, std::size_t record, Cells& cells, std::vector<std::uint64_t>& skipped) const {
    std::size_t const begin = record * m_columns;
    if (m_options.decimal) return add_decimals(&records.decimals[begin], cells, skipped);
    double const* const numbers = &records.numbers[begin * m_terms];
    if (m_options.verb == Verb::dot) {
      if (is_missing(numbers[0]) || is_missing(numbers[m_terms])) {
        ++skipped[0];
      } else {
        ++cells[0].count;
        add_products(cells[0].sum, numbers, numbers + m_terms);
      }
      return;
    }
    for (std::size_t c = 0; c < m_columns; ++c)
      if (is_missing(numbers[c * m_terms]))
        ++skipped[c];
      else
        add_number_of_column(numbers + c * m_terms, c, cells);
  }

 private:
  void add_decimals(Decimal const* numbers, Cells& cells, std::vector<std::uint64_t>& skipped) const {
    for (std::size_t c = 0; c < m_columns; ++c)
      if (numbers[c].is_readable()) {
        ++cells[c].count;
        add_decimal(cells[c].sum, numbers[c]);
      } else {
        ++skipped[c];
      }
  }

  void add_number_of_column(double const* x, std::size_t column, Cells& cells) const {
    switch (m_options.verb) {
      case Verb::nrm2:
        ++cells[column].count;
        return add_products(cells[column].sum, x, x);
      case Verb::var:
      case Verb::stddev:
        ++cells[2 * column].count;
        add_terms(cells[2 * column].sum, x);
        return add_products(cells[2 * column + 1].sum, x, x);
      default:
        ++cells[column].count;
        return add_terms(cells[column].sum, x);
    }
  }

  void add_terms(GrowingSum& sum, double const* x) const {
    for (std::size_t k = 0; k < m_terms; ++k) add_number(sum, x[k]);
  }

  void add_products(GrowingSum& sum, double const* x, double const* y) const {
    for_each_product(x, m_terms, y, m_terms, [&](double a, double b) { add_product(sum, a, b); });
  }

  Options const& m_options;
  std::size_t m_columns, m_terms;
};

/// What one thread has: its records, and the sums if there is one group only.
struct Partial {
  Records records;
  Cells cells;
  std::vector<std::uint64_t> skipped;
  std::vector<std::vector<std::size_t>> records_of_shard;
};

/// Adds the records of a piece to their groups, shard by shard: each is locked once.
void add_to_groups(Table& table, std::array<std::mutex, Table::shards>& locks, RecordAdder const& adder,
                   Partial& partial) {
  auto const& keys = partial.records.keys;
  partial.records_of_shard.resize(Table::shards);
  for (std::size_t r = 0; r < keys.size(); ++r) partial.records_of_shard[Table::shard_index(keys[r])].push_back(r);
  for (std::size_t s = 0; s < Table::shards; ++s) {
    auto& members = partial.records_of_shard[s];
    if (members.empty()) continue;
    std::lock_guard const lock(locks[s]);
    Table::Map& map = table.shard(s);
    auto group = map.end();
    for (auto const r : members) {
      // Neighbours are often of one group.
      if (group == map.end() || group->first != keys[r]) group = map.find(keys[r]);
      if (group == map.end()) group = map.emplace(keys[r], adder.empty_cells()).first;
      adder.add(partial.records, r, group->second, partial.skipped);
    }
    members.clear();
  }
}

}  // namespace

bool is_about_records(Options const& options) {
  if (options.verb == Verb::dot) return is_dot_of_columns(options);
  return options.decimal || !options.by.empty() || options.column.find(',') != std::string::npos;
}

Table read_table(Options const& options, Share& share) {
  bool const has_groups = !options.by.empty();
  Table table;
  std::array<std::mutex, Table::shards> locks;
  Sequence sequence(options, share);
  auto const perform = [&](ReadPiece& taken, Partial& partial) {
    share.note_failure(taken.place, [&] {
      std::size_t const columns = taken.reader->columns().size();
      RecordAdder const adder(options, columns, taken.reader->terms_per_element());
      partial.skipped.resize(columns);
      taken.reader->decode_records(taken.piece, partial.records);
      if (has_groups) return add_to_groups(table, locks, adder, partial);
      if (partial.cells.empty()) partial.cells = adder.empty_cells();
      std::size_t const records = adder.records_in(partial.records);
      for (std::size_t r = 0; r < records; ++r) adder.add(partial.records, r, partial.cells, partial.skipped);
    });
  };
  auto const partials = run_workers<ReadPiece, Partial>(
      options.threads, [&](ReadPiece& taken) { return sequence.next(taken); }, perform);

  table.columns = sequence.columns();
  table.skipped.resize(table.columns.size());
  for (auto const& partial : partials) {
    for (std::size_t c = 0; c < partial.skipped.size(); ++c) table.skipped[c] += partial.skipped[c];
    if (!partial.cells.empty()) table.merge("", partial.cells);
  }
  if (!has_groups && !table.columns.empty())
    table.merge("", RecordAdder(options, table.columns.size(), 1).empty_cells());
  return table;
}

}  // namespace Exakt::Tool
