// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_RESIDUEGEMM_HPP
#define EXAKTBLAS_RESIDUEGEMM_HPP

/// \file
/// \brief The modular engine of gemm where a library multiplies whole matrices (Ozaki scheme II), on any execution
/// space.
///
///     rows of A, columns of B --> measured: integers * 2^unit, and how many moduli they need
///     for each modulus:  residues of A and of B --> the library's product --> y_t
///     all y_t --> integers (Chinese remainder theorem) --> (alpha X 2^units + beta C) rounded once
///
/// X = sum over k of a b, with |a| <= 2^p and |b| <= 2^q in units of their lines, and 2^h >= k: |X| <= 2^(p + q + h),
/// for which the moduli have room. Nothing is cut: X is exact, whatever cancels. Matrices with infinities, NaN, or too
/// many bits for the moduli are declined.
///
/// A residue is at most m/2 in magnitude, so of `depth` products, as many as a library sums at once, the sum fits:
///
///     doubles:  m < 2^21,  (2^13 - 64) * 2^40 <= 2^53 - 2^46        bytes, in 32 bits:  m <= 2^8,  2^16 * 2^14 < 2^31

#include "ExaktBlas_ResidueTasks.hpp"

#include <algorithm>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief The engine. Fastest where the columns of C are contiguous.
///
/// \tparam Library  Multiplies residues: `Kind`, the moduli; the types `Residue`, `Sum` and `Class` (of y_t); `depth`,
///                  how many products of residues make a sum that fits; `lines_multiple` and `depth_multiple`, what
///                  matrices are padded to; and the product itself.
template <class Library, class Space, class T, class U, class R>
class ResidueGemm {
  using Kind = typename Library::Kind;
  using Memory = typename Space::memory_space;
  template <class V>
  using Array = Kokkos::View<V*, Memory>;
  static constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;
  static constexpr std::size_t group = on_host ? lines_at_once : 1, piece = on_host ? piece_of_line : 8;

 public:
  /// \param workspace  Bytes, if more than the least that it needs; 0: three times what the matrices take.
  ResidueGemm(Library const& library, Space const& space, GemmProblem<T, U, R> const& problem, std::size_t workspace)
      : m_library(library),
        m_space(space),
        m_problem(problem),
        m_rows(space, problem.m),
        m_columns(space, problem.n),
        m_workspace(workspace != 0 ? workspace
                                   : 3 * (problem.m * problem.k * sizeof(T) + problem.k * problem.n * sizeof(U) +
                                          problem.m * problem.n * sizeof(R))) {}

  /// \brief C, or false and nothing written: infinities, NaN, or more bits than there are moduli for.
  ///
  /// \param is_worth_it  Asked on hosts with the number of moduli, and something that tells whether sums cancel.
  /// \param otherwise    Does a part of the problem if the library fails on the way.
  template <class Choice, class Other>
  bool run(Choice const& is_worth_it, Other const& otherwise) {
    auto const turned = Strided<U const>{m_problem.B.data, m_problem.B.column_stride, m_problem.B.row_stride};
    m_rows.measure(m_space, m_problem.A, m_problem.k);
    m_columns.measure(m_space, turned, m_problem.k);
    auto const rows_here = m_rows.on_host(m_space), columns_here = m_columns.on_host(m_space);
    int const p = most_bits(rows_here), q = most_bits(columns_here), most = Kind::limbs_at_most * Kind::chunk_bits;
    if (p > most || q > most) return false;
    int const moduli_needed = moduli_for<Kind>(p + q + bit_width(m_problem.k - 1));
    if (moduli_needed > Kind::moduli_at_most) return false;
    if constexpr (on_host) {
      auto const top = [](auto const& of) { return [=](std::size_t line) { return of(line, 0); }; };
      if (!is_worth_it(moduli_needed, [&] {
            return most_entries_cancel(m_problem, m_problem.m, m_problem.n, top(rows_here), top(columns_here));
          }))
        return false;
    }
    m_basis = Basis<Kind>(moduli_needed);
    m_row_limbs = limbs_for(p);
    m_column_limbs = limbs_for(q);

    std::size_t down = m_problem.m, across = m_problem.n;
    while (bytes(down, across) > m_workspace && std::max(down, across) > 64)
      (down >= across ? down : across) = (std::max(down, across) + 1) / 2;
    reserve(down, across);
    for (std::size_t j = 0; j < m_problem.n; j += across) {
      for (std::size_t i = 0; i < m_problem.m; i += down) {
        Span const rows{i, std::min(m_problem.m, i + down)}, columns{j, std::min(m_problem.n, j + across)};
        if (multiply(rows, columns, turned)) {
          run_tasks("Exakt::gemm::round",
                    FinishEntries<Library, T, U, R, piece>{m_problem, rows, columns, m_basis, m_y.data(), padded(rows),
                                                           padded(rows) * padded(columns), m_rows.exponents(),
                                                           m_columns.exponents()});
        } else {
          otherwise(part_of(m_problem, rows, columns));
        }
      }
    }
    m_space.fence();
    return true;
  }

 private:
  static std::size_t rounded_up(std::size_t size, std::size_t multiple) {
    return (size + multiple - 1) / multiple * multiple;
  }
  static std::size_t padded(std::size_t lines) { return rounded_up(lines, Library::lines_multiple); }
  static std::size_t padded(Span lines) { return padded(lines.size()); }
  std::size_t stride() const { return rounded_up(m_problem.k, Library::depth_multiple); }
  static int limbs_for(int bits) { return std::max(1, (bits + Kind::chunk_bits - 1) / Kind::chunk_bits); }

  template <class Tasks>
  void run_tasks(std::string const& label, Tasks const& tasks) const {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(m_space, 0, tasks.tasks()),
                         held(tasks));
  }

  template <class TopAndUnit>
  static int most_bits(TopAndUnit const& of) {
    int most = 0;
    for (std::size_t i = 0; i < of.extent(0); ++i)
      if (of(i, 1) != LineExponents::none) most = std::max(most, of(i, 0) - of(i, 1));
    return most;
  }

  std::size_t bytes(std::size_t rows, std::size_t columns) const {
    return (padded(rows) + padded(columns)) * stride() * sizeof(typename Library::Residue) +
           padded(rows) * padded(columns) *
               (sizeof(typename Library::Sum) +
                static_cast<std::size_t>(m_basis.count) * sizeof(typename Library::Class));
  }
  void reserve(std::size_t rows, std::size_t columns) {
    auto const array = [](auto& view, std::size_t size) {
      view =
          std::decay_t<decltype(view)>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::gemm::residues"), size);
    };
    array(m_a, padded(rows) * stride());
    array(m_b, padded(columns) * stride());
    array(m_sums, padded(rows) * padded(columns));
    array(m_y, static_cast<std::size_t>(m_basis.count) * padded(rows) * padded(columns));
  }

  /// The y_t of a panel; false if the library failed.
  bool multiply(Span rows, Span columns, Strided<U const> const& turned) const {
    std::size_t const m = padded(rows), n = padded(columns);
    for (int t = 0; t < m_basis.count; ++t) {
      write_residues(m_problem.A, rows, m_rows.exponents(), m_row_limbs, t, m_a);
      write_residues(turned, columns, m_columns.exponents(), m_column_limbs, t, m_b);
      for (std::size_t begin = 0; begin < stride(); begin += Library::depth) {
        std::size_t const depth = std::min(stride() - begin, Library::depth);
        if (!m_library(m_space, m, n, depth, m_a.data() + begin, m_b.data() + begin, stride(), m_sums.data()))
          return false;
        run_tasks("Exakt::gemm::reduce",
                  ReduceSums<Library, piece>{m_sums.data(), m * n, Modulus<Kind>(t), m_basis.inverse[t], begin > 0,
                                             m_y.data() + static_cast<std::size_t>(t) * m * n});
      }
    }
    return true;
  }

  template <class V>
  void write_residues(Strided<V const> const& from, Span lines, LineExponents const& of, int limbs, int t,
                      Array<typename Library::Residue> const& to) const {
    run_tasks("Exakt::gemm::residues",
              WriteResidues<V, Library, group, piece>{from, lines, m_problem.k, padded(lines), stride(), of, limbs,
                                                      Modulus<Kind>(t), to.data()});
  }

  Library m_library;
  Space m_space;
  GemmProblem<T, U, R> m_problem;
  MeasuredLines<Space> m_rows, m_columns;
  std::size_t m_workspace;
  Basis<Kind> m_basis;
  int m_row_limbs = 0, m_column_limbs = 0;
  Array<typename Library::Residue> m_a, m_b;
  Array<typename Library::Sum> m_sums;
  Array<typename Library::Class> m_y;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
