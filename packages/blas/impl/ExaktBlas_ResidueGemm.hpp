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

#include "ExaktBlas_BalancedInteger.hpp"
#include "ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_LineExponents.hpp"

#include <algorithm>

namespace Exakt::Impl {

/// Whether hosts have kernels for these residues: bytes come in another order there (ModularGemm).
template <class Library>
inline constexpr bool has_residue_kernels_v =
    std::is_same_v<typename Library::Kind, DoubleResidues>&& std::is_same_v<typename Library::Residue, double>&&
                std::is_same_v<typename Library::Sum, double>&& std::is_same_v<typename Library::Class, std::int32_t>&&
                    Library::lines_multiple %
            kernel_lanes ==
        0 &&
    Library::depth_multiple % kernel_lanes == 0;

/// The t-th modulus.
template <class Kind>
struct Modulus {
  int t;
  Remainder modulo;
  double power[Kind::limbs_at_most];

  explicit Modulus(int number) : t(number), modulo{moduli<Kind>.as_double[t], moduli<Kind>.reciprocal[t]} {
    for (int j = 0; j < Kind::limbs_at_most; ++j) power[j] = moduli<Kind>.power[j][t];
  }
};

/// The residues of a panel of lines modulo one number, a piece of some lines per call.
template <class T, class Library, std::size_t group, std::size_t piece>
struct WriteResidues {
  using Kind = typename Library::Kind;
  using Residue = typename Library::Residue;
  Strided<T const> from;
  Span lines;
  std::size_t depth, padded_lines, stride;  // lines and places behind the last ones are zero
  LineExponents exponents;
  int limbs;
  Modulus<Kind> modulus;
  Residue* to;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t groups() const { return (padded_lines + group - 1) / group; }
  std::size_t tasks() const { return groups() * ((stride + piece - 1) / piece); }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    std::size_t const first = task % groups() * group, begin = task / groups() * piece;
    std::size_t const end = padded_lines - first < group ? padded_lines : first + group,
                      known = end < lines.size()     ? end
                              : lines.size() < first ? first
                                                     : lines.size();
    std::size_t const size = stride - begin < piece ? stride - begin : piece;
    write(first, known, begin, size);
    for (std::size_t i = known; i < end; ++i) {
      for (std::size_t k = 0; k < size; ++k) to[i * stride + begin + k] = 0;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write(std::size_t first, std::size_t end, std::size_t begin,
                                         std::size_t size) const {
    EXAKT_IF_ON_HOST((if constexpr (has_residue_kernels_v<Library>) {
      static_assert(group <= lines_at_once && piece <= piece_of_line);
      LinePieces pieces;
      pieces.gather(from, {lines.begin + first, lines.begin + end}, begin, depth);
      for (std::size_t i = first; i < end; ++i)
        matrix_kernels().write_doubles(pieces.entries[i - first], size, exponents.unit_of(lines.begin + i), limbs,
                                       modulus.t, to + i * stride + begin);
      return;
    }))
    for (std::size_t i = first; i < end; ++i) write_line(i, begin, size);
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_line(std::size_t i, std::size_t begin, std::size_t size) const {
    double entries[piece];
    std::size_t count = begin >= depth ? 0 : depth - begin < piece ? depth - begin : piece;
    widen(from.at(lines.begin + i, begin), from.column_stride, count, entries);
    for (; count < piece; ++count) entries[count] = 0;
    // Two factors, for one may be beyond the range.
    int const shift = -(exponents.unit_of(lines.begin + i) + Kind::chunk_bits * (limbs - 1)), half = shift / 2;
    double const factor = power_of_two(half), other_factor = power_of_two(shift - half);
    Residue* const result = to + i * stride + begin;
    for (std::size_t k = 0; k < size; ++k)
      result[k] = static_cast<Residue>(
          residue_of<Kind>((entries[k] * factor) * other_factor, limbs, modulus.power, modulus.modulo));
  }
};

/// y_t := sums * inverse modulo m, or y_t + that, in pieces.
template <class Library, std::size_t piece>
struct ReduceSums {
  typename Library::Sum const* sums;
  std::size_t size;
  Modulus<typename Library::Kind> modulus;
  double inverse;
  bool add;
  typename Library::Class* y;

  std::size_t tasks() const { return (size + piece - 1) / piece; }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    std::size_t const begin = task * piece, end = size - begin < piece ? size : begin + piece;
    EXAKT_IF_ON_HOST((if constexpr (has_residue_kernels_v<Library>) {
      return matrix_kernels().reduce_to_integers(sums + begin, end - begin, modulus.t, inverse, add, y + begin);
    }))
    for (std::size_t i = begin; i < end; ++i) {
      double const reduced = reduced_sum(static_cast<double>(sums[i]), inverse, modulus.modulo);
      y[i] = static_cast<typename Library::Class>(add ? modulus.modulo(reduced + static_cast<double>(y[i])) : reduced);
    }
  }
};

/// Some entries of a column of C per call.
template <class Library, class T, class U, class R, std::size_t group>
struct FinishEntries {
  using Kind = typename Library::Kind;
  using Class = typename Library::Class;
  static_assert(group % kernel_lanes == 0);

  GemmProblem<T, U, R> problem;
  Span rows, columns;
  Basis<Kind> basis;
  Class const* y;
  std::size_t column_stride, stride;  // from column to column, from modulus to modulus
  LineExponents of_rows, of_columns;

  std::size_t tasks() const { return (rows.size() + group - 1) / group * columns.size(); }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    std::size_t const groups = (rows.size() + group - 1) / group, first = task % groups * group,
                      column = columns.begin + task / groups, row = rows.begin + first;
    std::size_t const count = rows.size() - first < group ? rows.size() - first : group;
    Class const* const from = y + (column - columns.begin) * column_stride + first;
    EXAKT_IF_ON_HOST(
        (if constexpr (has_residue_kernels_v<Library>) { return finish_by_kernels(from, row, count, column); }))
    for (std::size_t p = 0; p < count; ++p) {
      double const scale = scale_of(unit_of(row + p, column)), old = problem.old_entry(row + p, column);
      double high, low;
      integer(from + p).add_up(high, low);
      R result{};
      bool const decided =
          decide({high * scale, low * scale, magnitude_of(high) * (bound_of_balanced_sum * scale)}, old, result);
      *problem.C.at(row + p, column) = decided ? result : finish(from + p, unit_of(row + p, column), high == 0, old);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int unit_of(std::size_t row, std::size_t column) const {
    return of_rows.unit_of(row) + of_columns.unit_of(column);
  }

  KOKKOS_FORCEINLINE_FUNCTION BalancedInteger<Kind, double> integer(Class const* from) const {
    return BalancedInteger<Kind, double>(
        basis, [=, this](int t) { return static_cast<double>(from[static_cast<std::size_t>(t) * stride]); });
  }

  KOKKOS_FORCEINLINE_FUNCTION bool decide(Estimate const& sum, double old, R& result) const {
    EXAKT_IF_ON_HOST((MatrixKernelsOf<R> const& kernel = matrix_kernels();
                      return kernel.decide_row(problem.combination, sum, old, 1, result);))
    EXAKT_IF_ON_DEVICE((return decide_row(problem.combination, sum, old, 1, result);))
  }

  void finish_by_kernels(Class const* from, std::size_t row, std::size_t count, std::size_t column) const {
    double high[group], low[group], bound[group], scales[group];
    std::size_t const padded = (count + kernel_lanes - 1) / kernel_lanes * kernel_lanes;
    for (std::size_t p = 0; p < padded; ++p) scales[p] = p < count ? scale_of(unit_of(row + p, column)) : 0;
    EstimateArrays const sums{high, low, bound};
    matrix_kernels().sums_of_integers(from, stride, padded, basis, scales, sums);
    MatrixKernelsOf<R> const& kernel = matrix_kernels();
    int undecided[group];
    int const others = kernel.decide(problem.combination, sums, static_cast<int>(count), problem.C.at(row, column),
                                     problem.C.row_stride, undecided);
    for (int i = 0; i < others; ++i) {
      auto const p = static_cast<std::size_t>(undecided[i]);
      *problem.C.at(row + p, column) =
          finish(from + p, unit_of(row + p, column), high[p] == 0, problem.old_entry(row + p, column));
    }
  }

  EXAKT_NOINLINE_FUNCTION R finish(Class const* from, int unit, bool is_zero, double old) const {
    auto const& combination = problem.combination;
    if (is_zero && !combination.reads_y && is_finite(combination.alpha)) return R{0};
    return combination.template exactly<R>(scaled(integer(from), unit), old, 1);
  }

  /// Not a number next to the ends of the range: nothing is decided then. |X| <= 2^420.
  static KOKKOS_FORCEINLINE_FUNCTION double scale_of(int unit) {
    return unit > -900 && unit < 500 ? power_of_two(unit) : from_bits<double>(false, FloatFormat<double>::infinity);
  }
};

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

}  // namespace Exakt::Impl

#endif
