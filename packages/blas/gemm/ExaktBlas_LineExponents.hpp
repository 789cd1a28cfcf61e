// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_LINEEXPONENTS_HPP
#define EXAKTBLAS_LINEEXPONENTS_HPP

/// \file
/// \brief What the entries of a line (a row of A, a column of B) have in common, on any execution space.
///
///     entry = X * 2^unit,  |X| <= 2^bits         | top = unit + bits ....... unit | truncated: rounded at the unit
///
/// A line is measured: bits above all entries, and the last bit that is set anywhere in it. If these are too many bits
/// for the Ozaki engine, the unit is put higher, and entries are rounded to multiples of it: off by at most half a unit.

#include "../operands/ExaktBlas_LinePieces.hpp"
#include "../operands/ExaktBlas_Tasks.hpp"
#include "../operands/ExaktBlas_Workspace.hpp"

#include <algorithm>
#include <optional>

namespace Exakt::Impl::inline EXAKT_ABI {

/// A line's integers.
struct LineScale {
  int unit = 0, bits = 0;
  bool is_truncated = false;
  bool is_special = false;  // has infinities or NaN, which no integer stands for

  LineScale() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit LineScale(LineMeasure const& line)
      : is_special(line.top == LineMeasure::special) {
    if (is_special || line.unit == LineMeasure::none) return;
    unit = line.unit;
    bits = line.top - line.unit;
  }

  KOKKOS_FORCEINLINE_FUNCTION int top() const { return unit + bits; }

  /// With at most so many bits.
  KOKKOS_FORCEINLINE_FUNCTION LineScale truncated_to(int limit) const {
    LineScale result = *this;
    result.is_truncated = bits > limit;
    if (result.is_truncated) {
      result.unit = top() - limit;
      result.bits = limit;
    }
    return result;
  }
};

/// Measures a piece of some lines per call.
template <class T>
struct MeasureLines {
  Strided<T const> from;  // (line, place in it)
  std::size_t lines, depth, group, piece;
  LineMeasure* measures;  // of the lines

  KOKKOS_FORCEINLINE_FUNCTION std::size_t groups() const { return (lines + group - 1) / group; }
  std::size_t tasks() const { return groups() * ((depth + piece - 1) / piece); }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    std::size_t const first = task % groups() * group, begin = task / groups() * piece;
    Span const some{first, lines - first < group ? lines : first + group};
    EXAKT_IF_ON_HOST((by_kernels(some, begin);))
    EXAKT_IF_ON_DEVICE((std::size_t const end = depth - begin < piece ? depth : begin + piece;
                        for (std::size_t line = some.begin; line < some.end; ++line) {
                          LineMeasure measure;
                          for (std::size_t k = begin; k < end; k += at_once) add_some(line, k, end, measure);
                          keep(line, measure);
                        }))
  }

 private:
  static constexpr std::size_t at_once = 8;  // loads under way

  KOKKOS_FORCEINLINE_FUNCTION void add_some(std::size_t line, std::size_t begin, std::size_t end,
                                            LineMeasure& measure) const {
    T entries[at_once];
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < at_once; ++k) entries[k] = begin + k < end ? *from.at(line, begin + k) : T(0);
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < at_once; ++k) add(entries[k], measure);
  }

  void by_kernels(Span some, std::size_t begin) const {
    LinePieces pieces;
    pieces.gather(from, some, begin, depth);
    for (std::size_t l = 0; l < some.size(); ++l) {
      LineMeasure measure;
      matrix_kernels().measure(pieces.entries[l], pieces.size, measure);
      keep(some.begin + l, measure);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void keep(std::size_t line, LineMeasure const& measure) const {
    Kokkos::atomic_fetch_max(&measures[line].top, measure.top);
    Kokkos::atomic_fetch_min(&measures[line].unit, measure.unit);
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

/// What is known about some lines, in the memory of a space.
template <class Space>
class MeasuredLines {
  using Measures = Kokkos::View<LineMeasure*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr bool on_host = is_on_host_v<Space>;

 public:
  /// Nothing is known yet.
  MeasuredLines(Space const& space, std::size_t lines)
      : m_measures(reinterpret_cast<LineMeasure*>(m_workspace.reserve(space, lines * sizeof(LineMeasure))), lines) {
    if constexpr (on_host) {
      std::fill_n(m_measures.data(), lines, LineMeasure());
    } else {
      Kokkos::deep_copy(space, m_measures, LineMeasure());
    }
  }

  std::size_t lines() const { return m_measures.extent(0); }
  LineMeasure const* data() const { return m_measures.data(); }

  /// Looks at more entries of the first `count` lines; enqueued.
  template <class T>
  void measure(Space const& space, Strided<T const> const& from, std::size_t count, std::size_t depth) const {
    // Threads of a device read neighbouring lines side by side, short pieces where there are few; those of hosts walk along
    // some lines.
    constexpr std::size_t many_entries = 1 << 20;
    std::size_t const piece = on_host ? piece_of_line : count * depth <= many_entries ? 8 : 32;
    MeasureLines<T> const step{from, count, depth, on_host ? lines_at_once : 1, piece, m_measures.data()};
    constexpr std::size_t entries_worth_threads = 16'384;
    for_each_task("Exakt::gemm::measure", space, step.tasks(), count * depth >= entries_worth_threads, step);
  }

  /// Copies measures, enqueued, to where on_host_of() finds them.
  void copy_to_host(Space const& space) {
    if constexpr (!on_host) {
      m_copy.emplace(space, lines() * sizeof(LineMeasure));
      auto* const copy = reinterpret_cast<LineMeasure*>(m_copy->data());
      Kokkos::deep_copy(space, Kokkos::View<LineMeasure*, PinnedSpace<Space>, Kokkos::MemoryUnmanaged>(copy, lines()),
                        m_measures);
      m_on_host = copy;
    }
  }
  LineMeasure const& on_host_of(std::size_t line) const {
    if constexpr (on_host) return m_measures(line);
    return m_on_host[line];
  }

 private:
  Workspace<Space> m_workspace;
  Measures m_measures;
  std::optional<ScratchMemory<Space, PinnedSpace<Space>>> m_copy;  // of a device
  LineMeasure const* m_on_host = nullptr;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
