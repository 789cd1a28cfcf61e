// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Table.hpp"

#include "ExaktTool_Answer.hpp"
#include "ExaktTool_Bytes.hpp"

#include <algorithm>

namespace Exakt::Tool {
void Table::merge(std::string_view name, Cells const& cells) {
  Map& map = shard_of(name);
  auto const found = map.find(name);
  if (found == map.end()) {
    map.emplace(name, cells);
    return;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    found->second[i].count += cells[i].count;
    found->second[i].sum += cells[i].sum;
  }
}

std::string Table::bytes() const {
  std::string bytes;
  append(bytes, skipped.size());
  for (auto const count : skipped) append(bytes, count);
  for (auto const& map : m_maps)
    for (auto const& [name, cells] : map) {
      append(bytes, name.size());
      bytes += name;
      append(bytes, cells.size());
      for (auto const& cell : cells) {
        append(bytes, cell.count);
        cell.sum.append_bytes(bytes);
      }
    }
  return bytes;
}

void Table::merge_bytes(std::string_view bytes) {
  auto const columns_there = take<std::size_t>(bytes);  // none, if that process opened no input
  skipped.resize(std::max(skipped.size(), columns_there));
  for (std::size_t c = 0; c < columns_there; ++c) skipped[c] += take<std::uint64_t>(bytes);
  Cells cells;
  while (!bytes.empty()) {
    auto const size = take<std::size_t>(bytes);
    std::string_view const name = bytes.substr(0, size);
    bytes.remove_prefix(size);
    cells.resize(take<std::size_t>(bytes));
    for (auto& cell : cells) {
      cell.count = take<std::uint64_t>(bytes);
      cell.sum = GrowingSum::take_bytes(bytes);
    }
    merge(name, cells);
  }
}

std::vector<Table::Map::value_type const*> Table::sorted() const {
  std::vector<Map::value_type const*> groups;
  for (auto const& map : m_maps)
    for (auto const& group : map) groups.push_back(&group);
  std::sort(groups.begin(), groups.end(), [](auto const* a, auto const* b) { return a->first < b->first; });
  return groups;
}

Total total_of(Cells const& cells, std::size_t column, Options const& options) {
  using SumLong = decltype(Sum().normalized());
  using DotLong = decltype(Dot().normalized());
  bool const is_variance = options.verb == Verb::var || options.verb == Verb::stddev;
  Cell const& cell = cells[is_variance ? 2 * column : column];
  Total total{options.verb, cell.count, {}, 0};
  if (options.decimal) {
    total.exact = cell.sum;
  } else if (is_variance) {
    Moments moments;
    moments.sum += to_long_accumulator<SumLong>(cell.sum);
    moments.squares += to_long_accumulator<DotLong>(cells[2 * column + 1].sum);
    total.exact = moments;
  } else if (options.verb == Verb::dot || options.verb == Verb::nrm2) {
    Dot dot;
    dot += to_long_accumulator<DotLong>(cell.sum);
    total.exact = dot;
  } else {
    Sum sum;
    sum += to_long_accumulator<SumLong>(cell.sum);
    total.exact = sum;
  }
  return total;
}

void print(Table const& table, Options const& options) {
  constexpr std::size_t at_a_time = 1 << 20;
  std::size_t const results = options.verb == Verb::dot ? 1 : table.columns.size();
  bool const has_groups = !options.by.empty();
  // Whoever reads JSON of columns finds the name of each, of one as of several; the factors of a dot are two.
  bool const has_column = options.verb != Verb::dot && (has_groups || results > 1 || !options.column.empty());
  std::string text;
  for (auto const* group : table.sorted()) {
    auto const& [name, cells] = *group;
    if (has_groups && !options.json) text += format_name(name);
    for (std::size_t c = 0; c < results; ++c) {
      Answer answer = round(total_of(cells, c, options), options);
      if (has_groups) answer.group = name;
      if (has_column) answer.column = table.columns[c];
      if (options.json)
        text += format(answer, options);
      else if (has_groups)
        text += "\t" + format_value(answer, options);
      else
        text += (results > 1 ? format_name(table.columns[c]) + "\t" : "") + format(answer, options);
    }
    if (has_groups && !options.json) text += "\n";
    if (text.size() > at_a_time) {
      write_to_standard_output(text);
      text.clear();
    }
  }
  write_to_standard_output(text);
}

}  // namespace Exakt::Tool
