// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_CHECKS_HPP
#define EXAKTSCATTER_CHECKS_HPP

/// \file
/// \brief Checks of the operands of this package's functions, with one wording for all. They stay on in Release.

#include "ExaktScatter_Bins.hpp"

#include <parallel/Exakt_OperandChecks.hpp>
#include <parallel/Exakt_Region.hpp>

#include <stdexcept>
#include <string>

namespace Exakt::Impl::inline EXAKT_ABI {

/// "1 bin", "3 bins".
inline std::string counted(std::int64_t count, std::string const& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

/// "1 entry", "3 entries".
inline std::string counted_entries(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

/// "name", with the quotation marks.
inline std::string quoted(std::string const& name) {
  std::string result(1, '"');
  return (result += name) += '"';
}

[[noreturn]] inline void refuse_scatter(std::string const& function, std::string const& why) {
  throw std::invalid_argument("Exakt::" + function + ": " + why);
}

/// \brief Where to read and change bins, after all kernels there are: they may have added on any instance, and to memory that
/// the host shares with a device.
template <class Space>
Space space_behind_all_kernels() {
  Kokkos::fence();
  return Space();
}

/// After all kernels of `space`; waited for.
template <class Report, class Space, class ReportView>
Report read_report(Space const& space, ReportView const& report) {
  Report result;
  if (report.data()) {
    Kokkos::View<Report, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const copy(&result);
    Kokkos::deep_copy(space, copy, report);
  }
  space.fence();
  return result;
}

template <class Report, class Space, class ReportView>
void write_report(Space const& space, ReportView const& report, Report value) {
  Kokkos::View<Report, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const from(&value);
  Kokkos::deep_copy(space, report, from);
  space.fence();
}

/// What kernels could only take down.
inline void require_no_refusals(std::string const& function, std::string const& bins, std::string const& shape,
                                int rank, ExponentRange range, ScatterReport const& report) {
  if (report.outside_of_bins.count > 0) {
    refuse_scatter(function, bins + " has " + shape + ", and was asked for " +
                                 counted(report.outside_of_bins.count, "addition") + " to others, the lowest " +
                                 (rank == 1 ? "of them " : "wrong index was ") +
                                 std::to_string(report.outside_of_bins.lowest_index) + "; every index must be below " +
                                 (rank == 1 ? "the number of bins" : "its extent") + " and not negative");
  }
  if (report.outside_of_range.count > 0) {
    refuse_scatter(function, counted(report.outside_of_range.count, "addition") + " to " + bins +
                                 " did not fit its exponent range, the lowest bin was " +
                                 std::to_string(report.outside_of_range.lowest_index) +
                                 "; every term must be a multiple of 2^" + std::to_string(range.lowest) +
                                 " and below 2^" + std::to_string(range.highest));
  }
  if (report.inexact.count > 0) {
    bool const one = report.inexact.count == 1;
    refuse_scatter(function, counted(report.inexact.count, "sum") + (one ? " that was" : " that were") + " added to " +
                                 bins + " had lost bits of " + (one ? "its" : "their") + " terms, the lowest bin was " +
                                 std::to_string(report.inexact.lowest_index) +
                                 "; only exact sums are added, those of which is_inexact() is false");
  }
}

/// The same of a CrsAssembly.
inline void require_no_refusals(std::string const& function, std::string const& matrix, std::int64_t rows,
                                std::int64_t long_sums, AssemblyReport const& report) {
  if (report.outside_of_rows.count > 0) {
    refuse_scatter(function, matrix + " has " + counted(rows, "row") + ", and was asked for " +
                                 counted(report.outside_of_rows.count, "addition") + " to others, the lowest of them " +
                                 std::to_string(report.outside_of_rows.lowest_index) +
                                 "; every row must be below the number of rows and not negative");
  }
  if (report.outside_of_columns.count > 0) {
    refuse_scatter(function, matrix + " was asked for " + counted(report.outside_of_columns.count, "addition") +
                                 " to columns that their rows do not have, the lowest row was " +
                                 std::to_string(report.outside_of_columns.lowest_index) +
                                 "; every column must be in the graph of the matrix");
  }
  if (report.without_memory.count > 0) {
    refuse_scatter(function, matrix + " has room for " + counted(long_sums, "long sum") + ", and left out " +
                                 counted(report.without_memory.count, "addition") +
                                 " that needed more of them, the lowest entry was " +
                                 std::to_string(report.without_memory.lowest_index) +
                                 "; make it with more, as in CrsAssembly(graph, name, long_sums)");
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
