// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_RESIDUETASKS_HPP
#define EXAKTBLAS_RESIDUETASKS_HPP

/// \file
/// \brief The steps of ResidueGemm around its library's products, each in tasks for any execution space: kernels do
/// them on hosts, the same arithmetic on single numbers on devices.

#include "../ExaktBlas_DirectGemm.hpp"
#include "ExaktBlas_BalancedInteger.hpp"
#include "ExaktBlas_LineExponents.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

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
          try_round({high * scale, low * scale, magnitude_of(high) * (bound_of_balanced_sum * scale)}, old, result);
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

  KOKKOS_FORCEINLINE_FUNCTION bool try_round(Enclosure const& sum, double old, R& result) const {
    EXAKT_IF_ON_HOST((MatrixKernelsOf<R> const& kernel = matrix_kernels();
                      return kernel.try_round_row(problem.epilogue, sum, old, 1, result);))
    EXAKT_IF_ON_DEVICE((return try_round_row(problem.epilogue, sum, old, 1, result);))
  }

  void finish_by_kernels(Class const* from, std::size_t row, std::size_t count, std::size_t column) const {
    double high[group], low[group], bound[group], scales[group];
    std::size_t const padded = (count + kernel_lanes - 1) / kernel_lanes * kernel_lanes;
    for (std::size_t p = 0; p < padded; ++p) scales[p] = p < count ? scale_of(unit_of(row + p, column)) : 0;
    EnclosureArrays const sums{high, low, bound};
    matrix_kernels().sums_of_integers(from, stride, padded, basis, scales, sums);
    MatrixKernelsOf<R> const& kernel = matrix_kernels();
    int undecided[group];
    int const others = kernel.try_round(problem.epilogue, sums, static_cast<int>(count), problem.C.at(row, column),
                                        problem.C.row_stride, undecided);
    for (int i = 0; i < others; ++i) {
      auto const p = static_cast<std::size_t>(undecided[i]);
      *problem.C.at(row + p, column) =
          finish(from + p, unit_of(row + p, column), high[p] == 0, problem.old_entry(row + p, column));
    }
  }

  EXAKT_NOINLINE_FUNCTION R finish(Class const* from, int unit, bool is_zero, double old) const {
    auto const& epilogue = problem.epilogue;
    if (is_zero && !epilogue.reads_y && is_finite(epilogue.alpha)) return R{0};
    return epilogue.template exactly<R>(scaled(integer(from), unit), old, 1);
  }

  /// Not a number next to the ends of the range: nothing is decided then. |X| <= 2^420.
  static KOKKOS_FORCEINLINE_FUNCTION double scale_of(int unit) {
    return unit > -900 && unit < 500 ? power_of_two(unit) : from_bits<double>(false, FloatFormat<double>::infinity);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
