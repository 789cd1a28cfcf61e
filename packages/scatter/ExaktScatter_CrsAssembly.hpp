// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_CRSASSEMBLY_HPP
#define EXAKTSCATTER_CRSASSEMBLY_HPP

#include "impl/ExaktScatter_CrsGraph.hpp"
#include "impl/ExaktScatter_ReadEntries.hpp"
#include "impl/ExaktScatter_SumStorage.hpp"
#include "impl/ExaktScatter_Windows.hpp"

#include <string>

namespace Exakt {

/// \brief The values of a sparse matrix of known sparsity, each the exact sum of what any threads added to it, rounded
/// once: the same bits in any order, at any concurrency.
///
/// Method: an entry has a few words for terms within 60 powers of two below its first one and 57 above (17 and 17 for
/// float), to which they are added as integers, by one or two fetch-and-adds; other terms go to a long accumulator that
/// the entry takes when it needs one. Both are exact (impl/ExaktScatter_Windows.hpp).
///
///     Exakt::CrsAssembly<double> S(graph);
///     Kokkos::parallel_for(elements, KOKKOS_LAMBDA(int e) { ... S.add(row, column, x); });
///     S.round_to(matrix.values);
///
/// Like a View it is a handle: copies share the sums, and kernels capture it by value. A kernel cannot throw, so an
/// addition to an entry that the graph does not have changes nothing, is taken down, and makes round_to() throw until
/// clear().
///
/// \tparam T      Type of the terms: float, double.
/// \tparam Space  Where it lives, an execution or memory space.
///
/// Memory per entry: 32 bytes for double, 16 for float, which is 2.7 and 2 times that of a matrix with 4 bytes a column;
/// and 320 (double) or 64 (float) bytes for each entry that takes a long accumulator. On hosts there are as many of those as
/// are needed; kernels on devices cannot allocate and have as many as `long_sums` says.
template <class T, class Space = Kokkos::DefaultExecutionSpace>
class CrsAssembly {
  static_assert(Impl::converts_exactly_v<T, double>,
                "Exakt: a matrix is assembled of float or double (or Kokkos' half types); add() takes integers, too");

 public:
  using value_type = T;
  using execution_space = typename Space::execution_space;
  using memory_space = typename Space::memory_space;

 private:
  template <class Entries, class Sums>
  EXAKT_ABI_TAG void merge_known(execution_space const& space, Entries const& entries, Sums const& sums) const {
    Impl::for_each_in_blocks("Exakt::CrsAssembly::merge", space, static_cast<std::int64_t>(entries.extent(0)),
                             Impl::MergeEntries<Windows, Entries, Sums>{m_sums, entries, sums});
  }
  using Windows = Impl::Windows<T, memory_space>;

 public:
  using accumulator_type = typename Windows::Long;

  /// No entries, and no memory for refusals: additions change nothing and are not reported.
  EXAKT_ABI_TAG CrsAssembly() = default;
  EXAKT_TAGGED_COPIES(CrsAssembly);

  /// \brief All entries empty sums.
  ///
  /// \param graph      With members row_map and entries: a Kokkos::StaticCrsGraph. Its memory is shared if the row map is
  ///                   of std::size_t and columns are of int or std::int64_t, else copied; it does not change.
  /// \param name       For messages and profilers.
  /// \param long_sums  How many entries of terms more different than above there are room for from the beginning; 0 for
  ///                   an entry in 256.
  /// \throws std::invalid_argument  The row map is negative or decreases, or goes beyond the entries; long_sums is
  /// negative.
  template <class Graph>
  requires requires(Graph const& graph) {
    graph.row_map;
    graph.entries;
  }
  EXAKT_ABI_TAG explicit CrsAssembly(Graph const& graph, std::string const& name = "matrix", std::int64_t long_sums = 0)
      : CrsAssembly(graph.row_map, graph.entries, name, long_sums) {}

  /// \brief The same with a View for each.
  ///
  /// \param row_map  Of integers, one more than there are rows, or none for no rows: entries row_map(i) ... row_map(i+1)-1
  ///                 are those of row i.
  /// \param columns  Of integers below 2^63 - 1, one for each entry. Those of a row may come in any order; if all rows are
  ///                 sorted, long ones are searched by bisection. If a column comes more than once in a row, its first entry
  ///                 gets all.
  template <class RowMap, class Columns>
  requires Kokkos::is_view<RowMap>::value EXAKT_ABI_TAG CrsAssembly(RowMap const& row_map, Columns const& columns,
                                                                    std::string const& name = "matrix",
                                                                    std::int64_t long_sums = 0) {
    static_assert(Impl::require_views<RowMap, Columns>());
    static_assert(RowMap::rank == 1 && Columns::rank == 1, "Exakt: a row map and its columns are Views of rank 1");
    static_assert(Impl::is_integer_v<typename RowMap::non_const_value_type> &&
                      Impl::is_integer_v<typename Columns::non_const_value_type>,
                  "Exakt: a row map and its columns are integers of at most 64 bits");
    if (long_sums < 0)
      Impl::refuse_scatter("CrsAssembly",
                           Impl::quoted(name) + " cannot have " + std::to_string(long_sums) + " long sums");
    auto const space = Impl::space_behind_all_kernels<execution_space>();
    m_graph = Impl::CrsGraph<memory_space>(space, name, row_map, columns);
    m_sums = Windows(name, m_graph.entries, long_sums > 0 ? long_sums : 16 + m_graph.entries / 256);
    clear();
  }

  /// \brief Entry (row, column) += x, exactly. From any thread, at any time.
  ///
  /// \param row, column  Of any integer types; no such entry: refused.
  /// \param x            A T, a narrower floating-point number, or an integer.
  template <class Row, class Column, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add(Row row, Column column, X const& x) const {
    add_or_subtract<false>(row, column, x);
  }

  /// \brief Entry (row, column) -= x, exactly.
  template <class Row, class Column, class X>
  KOKKOS_FORCEINLINE_FUNCTION void subtract(Row row, Column column, X const& x) const {
    add_or_subtract<true>(row, column, x);
  }

  /// \brief values(k) := entry k, rounded once, for all entries in the order of the graph; waited for.
  ///
  /// \param space   Where to run, after what has been enqueued there.
  /// \param values  As many as there are columns, of any floating-point type, any layout; written.
  /// \throws std::invalid_argument  There are more or fewer values, two of them are one in memory, or additions were
  /// refused: how many, and why. Nothing is written then.
  template <Impl::ExecutionSpace ExecutionSpace, class Values>
  EXAKT_ABI_TAG void round_to(ExecutionSpace const& space, Values const& values,
                              Rounding mode = Rounding::to_nearest) const {
    static_assert(Impl::require_views<Values>());
    static_assert(Values::rank == 1, "Exakt: round_to writes to a View of rank 1, the values of a matrix");
    static_assert(Impl::require_bin_results<ExecutionSpace, memory_space, Values, 1>());
    if (static_cast<std::int64_t>(values.extent(0)) != entries()) {
      Impl::refuse_scatter("CrsAssembly::round_to", quoted() + " has " + Impl::counted_entries(entries()) +
                                                        ", the result " + Impl::counted_entries(values.extent(0)) +
                                                        "; they must be as many");
    }
    Impl::require_separate_entries("CrsAssembly::round_to", "the result", values);
    Impl::Region const region("Exakt::CrsAssembly::round_to");
    require_no_refusals("CrsAssembly::round_to", space);
    using Round = Impl::RoundBin<typename Values::non_const_value_type>;
    Impl::for_each_in_blocks("Exakt::CrsAssembly::round_to", space, entries(),
                             Impl::ReadBins<Windows, Round, Values>{m_sums, Round{mode}, values, 0});
  }

  /// \brief The same on the execution space of the assembly, after all kernels.
  template <Impl::NoExecutionSpace Values>
  EXAKT_ABI_TAG void round_to(Values const& values, Rounding mode = Rounding::to_nearest) const {
    static_assert(Impl::require_views<Values>());
    round_to(Impl::space_behind_all_kernels<execution_space>(), values, mode);
  }

  /// \brief sums(k) := the exact value of entry entries(k), counted in the order of the graph; waited for.
  /// Exakt::Mpi::exchange is made of this, of merge() and of clear(entries).
  ///
  /// \param entries  A View of std::int64_t, of rank 1, in memory that the space reaches. None twice.
  /// \param sums     A View of accumulator_type, as many; written.
  /// \throws std::invalid_argument  There is no such entry, or additions were refused. Nothing is written then.
  template <class Entries, class Sums>
  EXAKT_ABI_TAG void accumulators_to(Entries const& entries, Sums const& sums) const {
    static_assert(Impl::is_row_of_sums<Sums, execution_space, accumulator_type>());
    auto const space = Impl::space_behind_all_kernels<execution_space>();
    require_entries("CrsAssembly::accumulators_to", space, entries, sums.extent(0));
    Impl::require_separate_entries("CrsAssembly::accumulators_to", "the result", sums);
    require_no_refusals("CrsAssembly::accumulators_to", space);
    Impl::for_each_in_blocks("Exakt::CrsAssembly::accumulators_to", space, static_cast<std::int64_t>(entries.extent(0)),
                             Impl::ReadEntries<Windows, Entries, Sums>{m_sums, entries, sums});
  }

  /// \brief Entry entries(k) += sums(k), exactly; waited for. Here an entry may come more than once.
  ///
  /// \throws std::invalid_argument  There is no such entry, or additions were refused. Nothing is added then.
  template <class Entries, class Sums>
  EXAKT_ABI_TAG void merge(Entries const& entries, Sums const& sums) const {
    static_assert(Impl::is_row_of_sums<Sums, execution_space, accumulator_type>());
    auto const space = Impl::space_behind_all_kernels<execution_space>();
    require_entries("CrsAssembly::merge", space, entries, sums.extent(0));
    require_no_refusals("CrsAssembly::merge", space);
    merge_known(space, entries, sums);
  }
  /// The same for loops that merge some sums before others: what was refused there does not end them.
  template <class Entries, class Sums>
  EXAKT_ABI_TAG void merge(Entries const& entries, Sums const& sums, Impl::AlsoAfterRefusals) const {
    auto const space = Impl::space_behind_all_kernels<execution_space>();
    require_entries("CrsAssembly::merge", space, entries, sums.extent(0));
    merge_known(space, entries, sums);
  }

  /// \brief Entries entries(k) back to the empty sum; waited for.
  ///
  /// \param entries  As for accumulators_to: none twice.
  /// \throws std::invalid_argument  There is no such entry.
  template <class Entries>
  EXAKT_ABI_TAG void clear(Entries const& entries) const {
    auto const space = Impl::space_behind_all_kernels<execution_space>();
    require_entries("CrsAssembly::clear", space, entries, entries.extent(0));
    Impl::for_each_in_blocks("Exakt::CrsAssembly::clear", space, static_cast<std::int64_t>(entries.extent(0)),
                             Impl::ClearEntries<Windows, Entries>{m_sums, entries});
  }

  /// \brief All entries back to the empty sum, and what was refused forgotten; waited for.
  EXAKT_ABI_TAG void clear() const { m_sums.clear(Impl::space_behind_all_kernels<execution_space>()); }

  EXAKT_FUNCTION std::int64_t rows() const { return m_graph.rows; }
  EXAKT_FUNCTION std::int64_t entries() const { return m_graph.entries; }
  /// \brief The graph: entries row_map(i) ... row_map(i+1)-1 are those of row i.
  EXAKT_ABI_TAG Kokkos::View<std::size_t const*, memory_space> row_map() const { return m_graph.row_map; }
  /// \brief The column of each entry; a copy, if they are of int.
  EXAKT_ABI_TAG Kokkos::View<std::int64_t const*, memory_space> columns() const { return m_graph.all_columns(); }
  EXAKT_ABI_TAG std::string name() const { return m_sums.words.label(); }

  /// \brief What the sums take, in bytes, without the graph: more after kernels with terms of very different magnitude.
  EXAKT_ABI_TAG std::size_t memory() const { return m_sums.memory(); }

 private:
  EXAKT_ABI_TAG std::string quoted() const { return Impl::quoted(name()); }

  template <bool Negated, class Row, class Column, class X>
  KOKKOS_FORCEINLINE_FUNCTION void add_or_subtract(Row row, Column column, X const& x) const {
    if (!m_graph.has_row(row)) [[unlikely]]
      return m_sums.refuse_row(row);
    std::int64_t const entry = m_graph.find(row, column);
    if (entry < 0) [[unlikely]]
      return Impl::take_down(&m_sums.report().outside_of_columns, static_cast<std::int64_t>(row));
    m_sums.template add_term<Negated>(entry, x);
  }

  template <class Entries>
  EXAKT_ABI_TAG void require_entries(char const* function, execution_space const& space, Entries const& entries,
                                     std::size_t sums) const {
    static_assert(Kokkos::is_view<Entries>::value,
                  "Exakt: the numbers of entries are a View of std::int64_t, of rank 1");
    static_assert(Entries::rank == 1 && std::is_same_v<typename Entries::non_const_value_type, std::int64_t>,
                  "Exakt: the numbers of entries are a View of std::int64_t, of rank 1");
    if (entries.extent(0) != sums)
      Impl::refuse_scatter(function, "there are " +
                                         Impl::counted_entries(static_cast<std::int64_t>(entries.extent(0))) + " of " +
                                         quoted() + " to " + std::to_string(sums) + " sums; they must be as many");
    Impl::require_entries_below(function, space, quoted(), this->entries(), entries);
  }

  template <class ExecutionSpace>
  EXAKT_ABI_TAG void require_no_refusals(char const* function, ExecutionSpace const& space) const {
    Impl::require_no_refusals(function, quoted(), rows(), m_sums.long_sums.capacity(),
                              Impl::read_report<Impl::AssemblyReport>(space, m_sums.report));
  }

  Impl::CrsGraph<memory_space> m_graph;
  Windows m_sums;
};

}  // namespace Exakt

#endif
