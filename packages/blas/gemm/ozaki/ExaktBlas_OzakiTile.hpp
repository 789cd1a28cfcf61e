// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_OZAKITILE_HPP
#define EXAKTBLAS_OZAKITILE_HPP

/// \file
/// \brief The steps of the Ozaki engine behind the products of its backend, on any execution space: sums to classes, and
/// a tile of C from those.
///
///     s products of matrices of residues --> y_t --> integers X --> (alpha X 2^units + beta C) rounded once
///
/// X = sum over k of a b, with |a| <= 2^p and |b| <= 2^q in units of their lines, and 2^h >= k: |X| <= 2^(p + q + h).
/// So many bits the moduli must have room for. X is exact, and whatever the entries cancel it costs the same; an entry
/// next to a tie is decided by the integer itself.
///
/// Where lines have been cut, each entry rounded to the nearest unit, X is not the sum S of what there was:
///
///     |S - X|  <=  k (1/2 * 2^q [A was cut] + 1/2 * 2^p [B was cut]),      in units,
///
/// for the other factor is at most 2^q (B as it was) and 2^p (A as it is now). That is a bound as those of the direct
/// engine. Entries that it does not decide are added exactly, one by one, as are those of lines with infinities or NaN.
///
/// Kernels do all of this on hosts; on devices, the same arithmetic on single numbers.

#include "../ExaktBlas_ExactGemm.hpp"
#include "ExaktBlas_OzakiFactor.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// y_t := sums * inverse modulo m, or y_t + that, some per call, by kernels of hosts.
template <class Backend>
struct ReduceSums {
  using Kind = typename Backend::Kind;
  static constexpr std::size_t piece = 4096;

  typename Backend::Sum const* sums;
  std::size_t size;
  Modulus<Kind> modulus;
  double inverse;
  bool add;
  typename Backend::Class* y;

  std::size_t tasks() const { return (size + piece - 1) / piece; }

  void operator()(std::size_t task) const {
    std::size_t const begin = task * piece, end = std::min(size, begin + piece);
    ResidueKernelsOf<Kind> const& kernels = matrix_kernels();
    kernels.reduce(sums + begin, end - begin, modulus.t, inverse, add, y + begin);
  }
};

/// \brief The same without kernels, for some moduli: sums and classes of each are `size` apart.
template <class Backend>
class ReducePieces {
  using Kind = typename Backend::Kind;
  using Sum = typename Backend::Sum;
  using Class = typename Backend::Class;
  static constexpr std::size_t piece = 8;

 public:
  ReducePieces(Sum const* sums, std::size_t size, Basis<Kind> const& basis, int first, int count, bool add, Class* y)
      : m_sums(sums), m_size(size), m_add(add), m_y(y), m_count(count) {
    for (int t = 0; t < count; ++t) {
      m_modulo[t] = Modulus<Kind>(first + t).modulo;
      m_inverse[t] = basis.inverse[first + t];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION std::size_t pieces() const { return (m_size + piece - 1) / piece; }
  std::size_t tasks() const { return pieces() * static_cast<std::size_t>(m_count); }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    std::size_t const t = task / pieces(), begin = (task - t * pieces()) * piece, left = m_size - begin,
                      count = left < piece ? left : piece;
    Sum const* const sums = m_sums + t * m_size + begin;
    Class* const y = m_y + t * m_size + begin;
    Remainder const modulo = m_modulo[t];
    double classes[piece];
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < piece; ++k) {
      std::size_t const i = k < count ? k : 0;
      classes[k] = reduced_sum(static_cast<double>(sums[i]), m_inverse[t], modulo);
      if (m_add) classes[k] = modulo(classes[k] + static_cast<double>(y[i]));
    }
    store_some(classes, count, y);
  }

 private:
  Sum const* m_sums;
  std::size_t m_size;
  bool m_add;
  Class* m_y;
  int m_count;
  Remainder m_modulo[moduli_of_pieces];
  double m_inverse[moduli_of_pieces];
};

/// A tile of C and its classes.
template <class Space, class Backend, class T, class U, class R>
struct OzakiTile {
  using Kind = typename Backend::Kind;
  using Class = typename Backend::Class;
  using Kernels = ResidueKernelsOf<Kind>;
  static constexpr bool has_kernels = has_residue_kernels_v<Backend>, on_host = is_on_host_v<Space>;
  static constexpr std::size_t finished_at_once = 512;
  static_assert(sizeof(typename Backend::Left) == sizeof(typename Backend::Right));
  static_assert(!has_kernels || on_host, "Exakt: kernels are for hosts");
  static_assert(!has_kernels || (Backend::depth_multiple % Kernels::at_once == 0 &&
                                 (Backend::lines_multiple % Kernels::at_once == 0 ||
                                  Kernels::at_once % Backend::lines_multiple == 0)),
                "Exakt: kernels work on whole packs");

  static constexpr std::size_t padded_columns(std::size_t columns) {
    std::size_t const multiple = has_kernels ? Kernels::at_once : 1;
    return rounded_up(columns, multiple > Backend::lines_multiple ? multiple : Backend::lines_multiple);
  }
  /// Of sums, of so many moduli at once, and classes.
  static constexpr std::size_t bytes(std::size_t rows, std::size_t columns, int moduli, int at_once) {
    std::size_t const entry = static_cast<std::size_t>(std::min(moduli, at_once)) * sizeof(typename Backend::Sum) +
                              static_cast<std::size_t>(moduli) * sizeof(Class);
    return rounded_up(padded_lines<Backend>(rows) * padded_columns(columns) * entry, 64);
  }

  GemmProblem<T, U, R> problem;
  GemmEpilogue epilogue;
  LineScales of_rows, of_columns;
  Span rows, columns;
  std::size_t across, size;  // padded columns; entries in memory
  Basis<Kind> basis;
  Class const* y;  // of the entry (i, j) and modulus t at t * size + i * across + j

  /// \brief Some entries of row r of the tile, at most finished_at_once, those of whole packs, by kernels.
  /// \return How many entries of cut lines are not decided; what is not is found exactly. Nothing of that if not `write`.
  std::size_t finish(std::size_t r, Span some, bool write) const {
    std::size_t const row = rows.begin + r, column = columns.begin + some.begin, count = some.size();
    std::size_t const padded = (count + Kernels::at_once - 1) / Kernels::at_once * Kernels::at_once;
    Class const* const from = y + r * across + some.begin;
    double high[finished_at_once], low[finished_at_once], bound[finished_at_once];
    EnclosureArrays const found{high, low, bound};
    double const depth = static_cast<double>(problem.k) * (1 + 0x1p-10);
    Kernels const& kernels = matrix_kernels();
    kernels.enclose(from, size, padded, basis, of_rows.cuts.get(row), of_columns.cuts.from(column), depth, found);
    if (epilogue.keeps_sums()) return keep_sums(row, column, found, count, write);

    R tried[finished_at_once];
    if (!write && epilogue.reads_y) {
      for (std::size_t j = 0; j < count; ++j) tried[j] = *problem.C.at(row, column + j);
    }
    MatrixKernelsOf<R> const& rounding = matrix_kernels();
    int undecided[finished_at_once];
    int const others =
        rounding.try_round(epilogue, found, 1, static_cast<int>(count), write ? problem.C.at(row, column) : tried,
                           write ? problem.C.column_stride : 1, undecided);
    std::size_t uncertain = 0;
    for (int i = 0; i < others; ++i) {
      auto const j = static_cast<std::size_t>(undecided[i]);
      LineScale const line = of_rows.of(row), other = of_columns.of(column + j);
      if (!line.is_special && !other.is_special && (line.is_truncated || other.is_truncated)) ++uncertain;
      if (write) *problem.C.at(row, column + j) = exactly(row, column + j, from + Kernels::place(j), high[j] == 0);
    }
    return uncertain;
  }

  /// Without kernels: entry (r, j) of the tile. \return False, and nothing written, if its integer is next to a tie.
  KOKKOS_FORCEINLINE_FUNCTION bool try_entry(std::size_t r, std::size_t j) const {
    std::size_t const row = rows.begin + r, column = columns.begin + j;
    Class const* const of_entry = y + r * across + j;
    int const unit = of_rows.of(row).unit + of_columns.of(column).unit;
    // Not a number next to the ends of the range: nothing is decided then. |X| <= 2^420.
    double const scale =
        unit > -900 && unit < 500 ? power_of_two(unit) : from_bits<double>(false, FloatFormat<double>::infinity);
    double high, low;
    // With a number of chunks that the compiler knows, they are in registers; those beyond are zero.
    constexpr int most = Kind::chunks_at_most, few = (most + 1) / 2;
    if (basis.chunks <= few) {
      integer<few>(of_entry).add_up(high, low);
    } else {
      integer<most>(of_entry).add_up(high, low);
    }
    R result{};
    if (!try_round({high * scale, low * scale, magnitude_of(high) * (bound_of_balanced_sum * scale)},
                   epilogue.old_entry(problem.C, row, column), result))
      return false;
    *problem.C.at(row, column) = result;
    return true;
  }

  /// The same exactly.
  KOKKOS_INLINE_FUNCTION void finish_entry(std::size_t r, std::size_t j) const {
    std::size_t const row = rows.begin + r, column = columns.begin + j;
    Class const* const of_entry = y + r * across + j;
    double high, low;
    integer<0>(of_entry).add_up(high, low);
    *problem.C.at(row, column) = exactly(row, column, of_entry, high == 0);
  }

 private:
  /// \return How many of them are not known well enough for most decisions.
  std::size_t keep_sums(std::size_t row, std::size_t column, EnclosureArrays const& found, std::size_t count,
                        bool write) const {
    constexpr double well_enough = 0x1p-60;
    std::size_t uncertain = 0;
    for (std::size_t j = 0; j < count; ++j) uncertain += !(found.bound[j] <= well_enough * magnitude_of(found.high[j]));
    if (write) {
      auto const to = epilogue.sums_from(row, column);
      std::memcpy(to.high, found.high, count * sizeof(double));
      std::memcpy(to.low, found.low, count * sizeof(double));
      std::memcpy(to.bound, found.bound, count * sizeof(double));
    }
    return uncertain;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool try_round(Enclosure const& sum, double old, R& result) const {
    EXAKT_IF_ON_HOST((MatrixKernelsOf<R> const& kernels = matrix_kernels();
                      return kernels.try_round_row(epilogue, sum, old, 1, result);))
    EXAKT_IF_ON_DEVICE((return try_round_sum(epilogue, sum, old, result);))
  }

  template <int chunks>
  KOKKOS_FORCEINLINE_FUNCTION auto integer(Class const* of_entry) const {
    std::size_t const stride = size;
    return BalancedInteger<Kind, double, chunks>(
        basis, [=](int t) { return static_cast<double>(of_entry[static_cast<std::size_t>(t) * stride]); });
  }

  EXAKT_NOINLINE_FUNCTION R exactly(std::size_t row, std::size_t column, Class const* of_entry, bool is_zero) const {
    LineScale const line = of_rows.of(row), other = of_columns.of(column);
    double const old = epilogue.old_entry(problem.C, row, column);
    if constexpr (Backend::by_tiles) {
      if (line.is_special || other.is_special || line.is_truncated || other.is_truncated)
        return epilogue.template exactly<R>(exact_entry(problem, row, column), old, 1);
    }
    if (is_zero && !epilogue.reads_y && is_finite(epilogue.alpha)) return R{0};
    return epilogue.template exactly<R>(scaled(integer<0>(of_entry), line.unit + other.unit), old, 1);
  }
};

/// A tile's classes to C by kernels, some entries of a row per call.
template <class Tile>
struct FinishTile {
  Tile tile;

  std::size_t pieces() const { return (tile.columns.size() + Tile::finished_at_once - 1) / Tile::finished_at_once; }
  std::size_t tasks() const { return tile.rows.size() * pieces(); }

  void operator()(std::size_t task) const {
    std::size_t const begin = task % pieces() * Tile::finished_at_once, left = tile.columns.size() - begin;
    tile.finish(task / pieces(), {begin, begin + std::min(left, Tile::finished_at_once)}, true);
  }
};

/// The same without kernels, an entry per call: those that are not decided are left, each by its number.
template <class Tile>
struct DecideEntries {
  Tile tile;
  std::uint32_t* count;
  std::uint32_t* undecided;

  std::size_t tasks() const { return tile.rows.size() * tile.columns.size(); }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    auto const entry = static_cast<std::uint32_t>(task), across = static_cast<std::uint32_t>(tile.columns.size());
    if (!tile.try_entry(entry / across, entry % across))
      undecided[Kokkos::atomic_fetch_add(count, std::uint32_t{1})] = entry;
  }
};

/// Those that are left, exactly: a share of them per call. A kernel of its own: it takes all registers that there are.
template <class Tile>
struct FinishEntries {
  Tile tile;
  std::uint32_t const* count;
  std::uint32_t const* undecided;

  static constexpr std::size_t shares = 16'384;
  std::size_t tasks() const { return std::min(shares, tile.rows.size() * tile.columns.size()); }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    auto const across = static_cast<std::uint32_t>(tile.columns.size());
    for (std::size_t i = task; i < *count; i += shares) tile.finish_entry(undecided[i] / across, undecided[i] % across);
  }
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
