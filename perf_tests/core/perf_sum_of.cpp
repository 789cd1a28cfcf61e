// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief A sum of products per row of a matrix of one length, in a kernel of the user's own, beside a plain loop.

#include "ExaktPerf_Plain.hpp"
#include "ExaktPerf_Suite.hpp"

#include <Exakt_sum_of.hpp>

#include <bit>
#include <stdexcept>

#if defined(__FMA__)
#define EXAKT_PERF_FMA ", fused"
#else
#define EXAKT_PERF_FMA ""
#endif

namespace ExaktPerf {
namespace {

/// Rows that stay in the second-level cache.
struct Rows {
  int terms;
  std::size_t count;
  Data values, x;
  Kokkos::View<int*, Kokkos::HostSpace> columns;

  Rows(int a_terms, std::int64_t entries)
      : terms(a_terms),
        count(static_cast<std::size_t>(std::max(std::int64_t{1}, entries / a_terms))),
        values(log_uniform(static_cast<std::int64_t>(count) * terms, 2)),
        x(log_uniform(static_cast<std::int64_t>(count) + terms, 2, 7)),
        columns("columns", values.extent(0)) {
    for (std::size_t k = 0; k < columns.extent(0); ++k)
      columns(k) = static_cast<int>(k / static_cast<std::size_t>(terms) + (7 * k) % static_cast<std::size_t>(terms));
  }

  KOKKOS_FORCEINLINE_FUNCTION std::size_t begin(std::int64_t row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(terms);
  }
  KOKKOS_FORCEINLINE_FUNCTION double factor(std::size_t k) const { return x(static_cast<std::size_t>(columns(k))); }
};

template <class Row>
void for_each_row(Rows const& rows, Row const& row) {
  Kokkos::parallel_for(Range(0, static_cast<std::int64_t>(rows.count)), row);
  Kokkos::fence();
}

Comparison compare(int terms, std::int64_t entries) {
  Rows const rows(terms, entries);
  Data const sums("sums", rows.count);
  Comparison ways(
      static_cast<std::int64_t>(rows.values.extent(0)), sizeof(double) + sizeof(int), [=](std::string const& way) {
        for (std::size_t i = 0; i < rows.count; ++i) {
          Exakt::DotAccumulator<double> sum;
          for (int k = 0; k < rows.terms; ++k) {
            std::size_t const entry = rows.begin(static_cast<std::int64_t>(i)) + static_cast<std::size_t>(k);
            sum.add_product(rows.values(entry), rows.factor(entry));
          }
          if (std::bit_cast<std::uint64_t>(sum.round()) != std::bit_cast<std::uint64_t>(sums(i)))
            throw std::runtime_error("row " + std::to_string(i) + " by " + way + " has other bits than it should");
        }
      });
  ways.add_exact("Exakt::product_sum_of", [=] {
    for_each_row(rows, [=](std::int64_t i) {
      std::size_t const begin = rows.begin(i);
      sums(static_cast<std::size_t>(i)) = Exakt::product_sum_of(rows.terms, [&](int k) {
        std::size_t const entry = begin + static_cast<std::size_t>(k);
        return Kokkos::make_pair(rows.values(entry), rows.factor(entry));
      });
    });
    return 0.0;
  });
  ways.add_plain("plain", [=] {
    for_each_row(rows, [=](std::int64_t i) {
      std::size_t const begin = rows.begin(i);
      double sum = 0;
      for (int k = 0; k < rows.terms; ++k) {
        std::size_t const entry = begin + static_cast<std::size_t>(k);
        sum += rows.values(entry) * rows.factor(entry);
      }
      sums(static_cast<std::size_t>(i)) = sum;
    });
    return 0.0;
  });
  return ways;
}

Registration const sums_of_rows([] {
  for (int const terms : {8, 27, 64, 300}) {
    cases().push_back({"product_sum_of of " + std::to_string(terms) + " terms" EXAKT_PERF_FMA, 40'000,
                       [=](std::int64_t n) { return compare(terms, n); },
                       terms < 27 ? std::vector<Floor>{} : std::vector<Floor>{{"plain", 1 / 2.0}}});
  }
});

}  // namespace
}  // namespace ExaktPerf
