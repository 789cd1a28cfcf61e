// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GATHEREDSYSTEMS_HPP
#define EXAKTBLAS_GATHEREDSYSTEMS_HPP

/// \file
/// \brief Systems of triangles that have no faster way than row by row: complex ones, bands, packed triangles.
///
/// Many unknowns are solved in blocks. What those before a block contribute to the sums of its rows goes through the
/// engines of gemm, as real matrices:
///
///     sums of a block                  known unknowns
///     | real parts      |   | -Re A   Im A |   | Re x |
///     | imaginary parts | = | -Im A  -Re A | * | Im x |     columns of A alternate, as parts of x do
///
/// The rest of a row is gathered (ExaktBlas_GatheredRows.hpp). On devices a team solves for the unknowns of a right-hand side, one
/// after the other.

#include "../gemm/ExaktBlas_GemmEngines.hpp"
#include "../triangular/ExaktBlas_ComplexQuotient.hpp"
#include "../triangular/ExaktBlas_SmallTriangle.hpp"
#include "ExaktBlas_GatheredRows.hpp"

#include <parallel/Exakt_ManySums.hpp>

#include <cmath>

namespace Exakt::Impl::inline EXAKT_ABI {

template <class V>
struct ColumnOf {
  V view;
  std::size_t column;
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(std::size_t row) const { return view(row, column); }
};

/// \brief op(A) X = alpha B for a triangular A, a column of B per call, which becomes that of X:
///
///     x(i) := (alpha * b(i) - sum of a(i, j) x(j)) / a(i, i), its parts rounded once each.
template <class V, class B>
struct GatheredSystems {
  using Entry = EntryOf<B>;
  using R = typename Scalar<Entry>::Real;
  static constexpr int parts = Scalar<Entry>::parts;
  static constexpr bool divides_by_complex = Scalar<EntryOf<V>>::is_complex;

  Structured<V> matrix;
  Factor alpha;
  B b;

  SolvingOrder order() const { return SolvingOrder{matrix.is_lower_triangle()}; }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t column) const {
    std::size_t const n = matrix.size();
    SolvingOrder const order{matrix.is_lower_triangle()};
    for (std::size_t step = 0; step < n; ++step) {
      std::size_t const row = order.number_of(step, {0, n});
      EXAKT_IF_ON_HOST((if (try_alone(row, column)) continue;))
      solve_exactly(row, column);
    }
  }

  /// \brief One unknown, if enclosures decide it.
  ///
  /// \param columns  Of the products that are not in `sums` already.
  bool try_unknown(std::size_t row, std::size_t column, Span columns, GatheredSums<parts>& sums) const {
    Entry& unknown = b(row, column);
    for_dividend(row, column, columns, [&](auto const& a, auto const& x) { sums.add(a, x); });
    Enclosure dividend[parts];
    for (int part = 0; part < parts; ++part) dividend[part] = sums.sum(part);
    return try_quotient(dividend, row, unknown);
  }

  KOKKOS_INLINE_FUNCTION void solve_exactly(std::size_t row, std::size_t column) const {
    ExactParts<parts == 2> dividend;
    for_dividend(row, column, known_columns(row), [&](auto const& a, auto const& x) { dividend.add_product(a, x); });
    b(row, column) = quotient(dividend, row);
  }

  /// An unknown from its exact dividend.
  EXAKT_NOINLINE_FUNCTION Entry quotient(ExactParts<parts == 2> const& dividend, std::size_t row) const {
    bool const has_divisor = !is_unstored_one(matrix, row, row);
    R results[parts];
    if constexpr (divides_by_complex) {
      auto const divisor = has_divisor ? matrix.entry(row, row) : EntryOf<V>(1);
      if (has_divisor) {
        divide_by_complex(dividend.parts, part_of(divisor, false), part_of(divisor, true), results);
      } else {
        for (int part = 0; part < parts; ++part) results[part] = dividend.parts[part].template round<R>();
      }
    } else {
      double const divisor = has_divisor ? exact_double(matrix.entry(row, row)) : 1;
      for (int part = 0; part < parts; ++part) results[part] = dividend.parts[part].template round_quotient<R>(divisor);
    }
    return entry_of<Entry>(results);
  }

  /// The same from enclosures of its parts, if these decide it.
  KOKKOS_INLINE_FUNCTION bool try_quotient(Enclosure const (&dividend)[parts], std::size_t row, Entry& unknown) const {
    bool const has_divisor = !is_unstored_one(matrix, row, row);
    if constexpr (divides_by_complex) {
      if (has_divisor) {
        auto const divisor = matrix.entry(row, row);
        return try_parts(
            [&](int part, R& result) {
              return try_divide_by_complex(dividend, part_of(divisor, false), part_of(divisor, true), part, result);
            },
            unknown);
      }
    }
    double divisor = 1;
    if constexpr (!divides_by_complex) divisor = has_divisor ? exact_double(matrix.entry(row, row)) : 1;
    Factors const factors{1, 0, false, has_divisor};
    return try_parts([&](int part, R& result) { return try_round_part(factors, dividend[part], divisor, result); },
                     unknown);
  }

  KOKKOS_FORCEINLINE_FUNCTION Span known_columns(std::size_t row) const {
    Span const all = columns_of_row(matrix, row);
    return matrix.is_lower_triangle() ? Span{all.begin, row} : Span{row + 1, all.end};
  }

  /// add(a, x) for alpha * b(row), part of the dividend.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void for_right_side(std::size_t row, std::size_t column, Add const& add) const {
    if (parts == 2 && alpha.is_complex) {
      add(Kokkos::complex<double>(alpha.real, alpha.imaginary), b(row, column));
    } else {
      add(alpha.real, b(row, column));
    }
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION bool try_round_part(Factors const& factors, Enclosure const& dividend,
                                                         double divisor, R& result) {
    EXAKT_IF_ON_HOST((MatrixKernelsOf<R> const& kernels = matrix_kernels();
                      return kernels.try_round_row(factors, dividend, 0, divisor, result);))
    EXAKT_IF_ON_DEVICE((return try_round_row(factors, dividend, 0, divisor, result);))
  }

  bool try_alone(std::size_t row, std::size_t column) const {
    if constexpr (is_float_v<R>) {
      if (!are_enclosed_here<Entry>()) return false;
      GatheredSums<parts> sums;
      return try_unknown(row, column, known_columns(row), sums);
    } else {
      return false;
    }
  }

  /// add(a, x) for the products whose sum is alpha * b(row) - sum of a(row, j) x(j) for those columns.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void for_dividend(std::size_t row, std::size_t column, Span columns,
                                                Add const& add) const {
    for_right_side(row, column, add);
    for_products(matrix, row, columns, ColumnOf<B>{b, column}, true, add);
  }
};

/// \brief The same on devices, a column of B for each team: its threads share the products of a row.
template <class Space, class V, class B>
struct TeamSystems {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  using Systems = GatheredSystems<V, B>;
  static constexpr bool complex = Systems::parts == 2;
  static std::size_t scratch_size() { return 0; }

  Systems systems;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    auto const column = static_cast<std::size_t>(member.league_rank());
    std::size_t const n = systems.matrix.size();
    SolvingOrder const order{systems.matrix.is_lower_triangle()};
    for (std::size_t step = 0; step < n; ++step) {
      std::size_t const row = order.number_of(step, {0, n});
      EntryOf<B> unknown{};
      if (!try_unknown(member, row, column, unknown)) {
        member.team_barrier();  // the next reduction writes where all threads read this one
        unknown = systems.quotient(dividend<ExactParts<complex>>(member, row, column), row);
      }
      member.team_barrier();  // all have read the right-hand side
      Kokkos::single(Kokkos::PerTeam(member), [&] { systems.b(row, column) = unknown; });
      member.team_barrier();
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION bool try_unknown(Member const& member, std::size_t row, std::size_t column,
                                          EntryOf<B>& unknown) const {
    if constexpr (is_float_v<RealEntryOf<B>>) {
      auto const sums = dividend<SumParts<CascadedSum, complex>>(member, row, column);
      Enclosure known[Systems::parts];
      for (int part = 0; part < Systems::parts; ++part) known[part] = sums.parts[part].enclosure();
      return systems.try_quotient(known, row, unknown);
    } else {
      return false;
    }
  }

  template <class Sum>
  KOKKOS_INLINE_FUNCTION Sum dividend(Member const& member, std::size_t row, std::size_t column) const {
    Span const known = systems.known_columns(row);
    ColumnOf<B> const x{systems.b, column};
    Sum sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, known.size()),
        [&](std::size_t k, Sum& mine) {
          for_product(systems.matrix, row, known.begin + k, x, true,
                      [&](auto const& a, auto const& factor) { mine.add_product(a, factor); });
        },
        Reducer<Sum>(sum));
    systems.for_right_side(row, column, [&](auto const& a, auto const& factor) { sum.add_product(a, factor); });
    return sum;
  }
};

/// \brief The same in blocks of unknowns, some columns of B at once. \pre matrix_kernels().has_enclosures, on hosts.
template <class V, class B>
class BlockedSystems {
  static_assert(GatheredSystems<V, B>::divides_by_complex);

 public:
  static constexpr std::size_t block = 16;

  /// \param columns  Of B.
  BlockedSystems(GatheredSystems<V, B> const& systems, Span columns)
      : m_systems(systems),
        m_columns(columns),
        m_matrix(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::trsm::parts of A"), 2 * block,
                 2 * systems.matrix.size()),
        m_unknowns(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::trsm::parts of X"),
                   2 * systems.matrix.size(), columns.size()),
        m_sums(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::trsm::sums"), 2 * block, 3 * columns.size()),
        m_has_begun("Exakt::trsm::columns that are not zero yet", columns.size()) {}

  template <class Space>
  void solve(char const* label, Space const& space) const {
    std::size_t const n = m_systems.matrix.size(), right_sides = m_columns.size();
    SolvingOrder const order = m_systems.order();
    for (std::size_t done = 0; done < n; done += block) {
      Span const rows = order.block(done, block, {0, n}), known = order.known_to(rows, {0, n});
      add_known(space, rows, known);
      auto const systems = *this;
      for_each_task(label, space, right_sides, rows.size() * right_sides >= rows_worth_threads / 2,
                    [=](std::size_t k) { systems.solve_block(rows, known.size() > 0, k); });
    }
  }

 private:
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

  /// Of the rows of a block: real parts of a column, then imaginary ones.
  EnclosureArrays sums_of(std::size_t k, std::size_t rows) const {
    std::size_t const plane = 2 * block * m_columns.size();
    double* const first = m_sums.data() + 2 * rows * k;
    return {first, first + plane, first + 2 * plane};
  }

  template <class Space>
  void add_known(Space const& space, Span rows, Span known) const {
    if (known.size() == 0) return;
    auto const& matrix = m_systems.matrix;
    auto const& parts = m_matrix;
    std::size_t const r = rows.size();
    bool const threaded = r * known.size() >= products_worth_threads;
    for_each_task("Exakt::trsm::split", space, known.size(), threaded, [=](std::size_t c) {
      for (std::size_t i = 0; i < r; ++i) {
        auto const entry = matrix.entry(rows.begin + i, known.begin + c);
        double const real = part_of(entry, false), imaginary = part_of(entry, true);
        parts(i, 2 * c) = -real;
        parts(i, 2 * c + 1) = imaginary;
        parts(r + i, 2 * c) = -imaginary;
        parts(r + i, 2 * c + 1) = -real;
      }
    });
    auto const step = [](Matrix const& of) { return static_cast<std::ptrdiff_t>(of.extent(0)); };
    GemmProblem<double, double, double> const problem{{m_matrix.data(), 1, step(m_matrix)},
                                                      {&m_unknowns(2 * known.begin, 0), 1, step(m_unknowns)},
                                                      {nullptr, 0, 0},
                                                      2 * r,
                                                      m_columns.size(),
                                                      2 * known.size()};
    gemm_on_host(space, problem, GemmEpilogue{{}, sums_of(0, r), 1, 2 * r});
    space.fence();
  }

  void solve_block(Span rows, bool has_known, std::size_t k) const {
    SolvingOrder const order = m_systems.order();
    auto const arrays = sums_of(k, rows.size());
    std::size_t const column = m_columns.begin + k;
    for (std::size_t step = 0; step < rows.size(); ++step) {
      std::size_t const row = order.number_of(step, rows), i = row - rows.begin;
      auto& unknown = m_systems.b(row, column);
      auto sums = has_known ? GatheredSums<2>({arrays.get(i), arrays.get(rows.size() + i)}) : GatheredSums<2>();
      if (!m_systems.try_unknown(row, column, order.known_to({row, row + 1}, rows), sums) &&
          !leave_zero(row, k, unknown, sums))
        m_systems.solve_exactly(row, column);
      for (int part = 0; part < 2; ++part)
        m_unknowns(2 * row + static_cast<std::size_t>(part), k) = part_of(unknown, part == 1);
      if (!is_zero_entry(unknown)) m_has_begun(k) = true;
    }
  }

  /// As TriangularSystems::leave_zero(): columns of an inverse begin so.
  bool leave_zero(std::size_t row, std::size_t k, EntryOf<B>& unknown, GatheredSums<2>& sums) const {
    auto const& alpha = m_systems.alpha;
    bool const is_zero = !m_has_begun(k) && is_zero_entry(unknown) && sums.sum(0).bound < HUGE_VAL &&
                         sums.sum(1).bound < HUGE_VAL && is_finite(alpha.real) && is_finite(alpha.imaginary) &&
                         has_finite_divisor(row);
    if (is_zero) unknown = EntryOf<B>{};
    return is_zero;
  }

  /// And none of zero.
  bool has_finite_divisor(std::size_t row) const {
    if (is_unstored_one(m_systems.matrix, row, row)) return true;
    auto const divisor = m_systems.matrix.entry(row, row);
    return !is_zero_entry(divisor) && is_finite(part_of(divisor, false)) && is_finite(part_of(divisor, true));
  }

  template <class Entry>
  static bool is_zero_entry(Entry const& entry) {
    return is_zero(part_of(entry, false)) && is_zero(part_of(entry, true));
  }

  GatheredSystems<V, B> m_systems;
  Span m_columns;
  Matrix m_matrix, m_unknowns, m_sums;
  Kokkos::View<bool*, Kokkos::HostSpace> m_has_begun;
};

/// \brief The same for all columns of B. alpha is not zero.
template <class Space, class V, class B>
void solve_gathered(char const* label, Space const& space, Structured<V> const& matrix, Factor const& alpha,
                    B const& b) {
  if (matrix.size() == 0) return;
  GatheredSystems<V, B> const systems{matrix, alpha, b};
  if constexpr (runs_on_host<Space> && GatheredSystems<V, B>::divides_by_complex &&
                is_float_v<typename Scalar<EntryOf<B>>::Real>) {
    constexpr std::size_t columns_at_once = 256;
    if (are_enclosed_here<EntryOf<B>>() && !is_band(matrix) && matrix.size() >= 2 * BlockedSystems<V, B>::block) {
      for (Span const columns : Pieces{{0, b.extent(1)}, columns_at_once})
        BlockedSystems<V, B>(systems, columns).solve(label, space);
      return;
    }
  }
  if constexpr (runs_on_host<Space>) {
    for_each_task(label, space, b.extent(1), matrix.size() * b.extent(1) >= rows_worth_threads, systems);
  } else {
    using Kernel = TeamSystems<Space, V, B>;
    Kernel const kernel{systems};
    int const lanes = is_on_host_v<Space> ? 1 : lanes_of_thread,
              most = policy_of_teams<Kernel>(space, 1, 1, lanes).team_size_max(held(kernel), Kokkos::ParallelForTag());
    Kokkos::parallel_for(
        label, policy_of_teams<Kernel>(space, b.extent(1), std::min(threads_of_small_team, most), lanes), held(kernel));
  }
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
