// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_LINEEXPONENTS_HPP
#define EXAKTBLAS_LINEEXPONENTS_HPP

/// \file
/// \brief What the entries of a line (a row of A, a column of B) have in common, on any execution space.

#include "../../operands/ExaktBlas_LinePieces.hpp"

#include <Kokkos_Core.hpp>

#include <string>

namespace Exakt::Impl::inline EXAKT_ABI {

/// What is known about lines, as LineMeasure says.
struct LineExponents {
  static constexpr int none = LineMeasure::none, special = LineMeasure::special;
  int* top;
  int* unit;

  KOKKOS_FORCEINLINE_FUNCTION int unit_of(std::size_t line) const { return unit[line] == none ? 0 : unit[line]; }
};

/// Measures a piece of some lines per call.
template <class T>
struct MeasureLines {
  Strided<T const> from;  // (line, place in it)
  std::size_t lines, depth, group, piece;
  LineExponents exponents;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t groups() const { return (lines + group - 1) / group; }
  std::size_t tasks() const { return groups() * ((depth + piece - 1) / piece); }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    std::size_t const first = task % groups() * group, begin = task / groups() * piece;
    Span const some{first, lines - first < group ? lines : first + group};
    EXAKT_IF_ON_HOST(
        (LinePieces pieces; pieces.gather(from, some, begin, depth); for (std::size_t l = 0; l < some.size(); ++l) {
          LineMeasure measure;
          matrix_kernels().measure(pieces.entries[l], pieces.size, measure);
          keep(some.begin + l, measure);
        }))
    EXAKT_IF_ON_DEVICE((std::size_t const end = depth - begin < piece ? depth : begin + piece;
                        for (std::size_t line = some.begin; line < some.end; ++line) {
                          LineMeasure measure;
                          for (std::size_t k = begin; k < end; ++k) add(*from.at(line, k), measure);
                          keep(line, measure);
                        }))
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void keep(std::size_t line, LineMeasure const& measure) const {
    Kokkos::atomic_fetch_max(&exponents.top[line], measure.top);
    Kokkos::atomic_fetch_min(&exponents.unit[line], measure.unit);
  }

  static KOKKOS_FORCEINLINE_FUNCTION void add(T const& x, LineMeasure& measure) {
    auto const parts = integer_parts(x);
    if (parts.significand == 0) return;
    int const above = is_finite(x) ? parts.exponent + bit_width(parts.significand) : LineMeasure::special;
    int const last = parts.exponent + bit_width(parts.significand & (0 - parts.significand)) - 1;
    measure.top = above > measure.top ? above : measure.top;
    measure.unit = last < measure.unit ? last : measure.unit;
  }
};

/// The exponents of some lines, in the memory of a space.
template <class Space>
class MeasuredLines {
  using Memory = typename Space::memory_space;

 public:
  /// Nothing is known yet.
  MeasuredLines(Space const& space, std::size_t lines)
      : m_exponents(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::gemm::lines"), lines, 2) {
    Kokkos::deep_copy(space, Kokkos::subview(m_exponents, Kokkos::ALL, 0), -LineExponents::none);
    Kokkos::deep_copy(space, Kokkos::subview(m_exponents, Kokkos::ALL, 1), +LineExponents::none);
  }

  /// Looks at more entries of the lines, the first of `from`; enqueued.
  template <class T>
  void measure(Space const& space, Strided<T const> const& from, std::size_t depth) const {
    // Threads of a device read neighbouring lines side by side; those of hosts walk along some lines.
    constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;
    MeasureLines<T> const tasks{
        from, m_exponents.extent(0), depth, on_host ? lines_at_once : 1, on_host ? piece_of_line : 32, exponents()};
    Kokkos::parallel_for("Exakt::gemm::measure",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, tasks.tasks()),
                         held(tasks));
  }

  LineExponents exponents() const { return {m_exponents.data(), m_exponents.data() + m_exponents.stride(1)}; }

  /// Top and unit of each line, on the host; waits for them.
  auto on_host(Space const& space) const {
    auto const here = Kokkos::create_mirror_view(m_exponents);
    Kokkos::deep_copy(space, here, m_exponents);
    space.fence();
    return here;
  }

 private:
  Kokkos::View<int**, Kokkos::LayoutLeft, Memory> m_exponents;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
