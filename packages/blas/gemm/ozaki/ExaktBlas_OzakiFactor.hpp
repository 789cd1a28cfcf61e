// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_OZAKIFACTOR_HPP
#define EXAKTBLAS_OZAKIFACTOR_HPP

/// \file
/// \brief Either factor of the Ozaki engine as lines: rows of A, columns of B; measured, cut to a number of bits, and
/// the memory of their residues.

#include "ExaktBlas_OzakiTile.hpp"

#include <algorithm>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace Exakt::Impl::inline EXAKT_ABI {

/// Memory for residues, at least `size` of them.
template <class View>
void reserve_residues(View& view, std::size_t size) {
  if (view.extent(0) >= size) return;
  view = {};
  view = View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::gemm::residues"), size);
#ifdef __linux__
  // Large pages: to be given memory in small ones takes as long as to compute what it is for. Where they are not to be
  // had nothing is lost.
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>) {
    constexpr std::uintptr_t page = std::uintptr_t{1} << 12;
    auto const address = reinterpret_cast<std::uintptr_t>(view.data());
    std::uintptr_t const begin = (address + page - 1) / page * page,
                         end = (address + size * sizeof(typename View::value_type)) / page * page;
    if (begin < end) static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
  }
#endif
}

constexpr std::size_t rounded_up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}
/// Lines that the backend multiplies instead of so many.
template <class Backend>
constexpr std::size_t padded_lines(std::size_t lines) {
  return rounded_up(lines, Backend::lines_multiple);
}

/// A block of lines, which share a number of moduli.
struct OzakiBlock {
  Span lines;
  int bits = 0;  // that its integers have
  bool is_cut = false;
  int moduli = 0;  // of which residues are needed
};

/// \tparam Residue  Backend::Left or Backend::Right.
template <class Space, class Backend, class T, class Residue>
class OzakiFactor {
  using Memory = typename Space::memory_space;
  using Kind = typename Backend::Kind;
  static constexpr bool has_kernels = has_residue_kernels_v<Backend>;

 public:
  std::size_t const lines, depth;
  std::vector<OzakiBlock> blocks;
  Span panel{0, 0};  // lines of which there are residues

  OzakiFactor(Space const& space, Strided<T const> const& from, std::size_t line_count, std::size_t line_depth)
      : lines(line_count), depth(line_depth), m_space(space), m_from(from), m_exponents(space, line_count) {}

  /// The first `count` lines.
  void measure(std::size_t count) {
    m_exponents.measure(m_space, m_from, count, depth);
    m_measured = count;
  }
  void wait_for_measures() { m_exponents.copy_to_host(m_space); }
  std::size_t measured() const { return m_measured; }

  LineScale scale(std::size_t line) const { return m_exponents.exponents_on_host().scale(line); }
  int most_bits() const {
    int most = 0;
    for (std::size_t line = 0; line < m_measured; ++line) most = std::max(most, scale(line).bits);
    return most;
  }
  std::size_t specials() const {
    std::size_t count = 0;
    for (std::size_t line = 0; line < m_measured; ++line) count += scale(line).is_special;
    return count;
  }

  void set_blocks(std::size_t size) {
    for (std::size_t begin = 0; begin < lines; begin += size)
      blocks.push_back({{begin, std::min(lines, begin + size)}});
  }

  /// Lines with more bits than that are cut.
  void cut(int bits) {
    m_most_bits = bits;
    if (has_kernels && m_cuts.extent(0) == 0)
      m_cuts = decltype(m_cuts)("Exakt::gemm::lines", lines + ResidueKernelsOf<Kind>::at_once, 3);
    for (OzakiBlock& block : blocks) {
      block = {block.lines};
      for (std::size_t line = block.lines.begin; line < block.lines.end; ++line) {
        LineScale const cut = scale(line).truncated_to(bits);
        block.bits = std::max(block.bits, cut.bits);
        block.is_cut = block.is_cut || cut.is_truncated;
        if (has_kernels) scales().cuts.set(line, cut_line(cut));
      }
    }
  }
  LineScales scales() const {
    if constexpr (!has_kernels) return {m_exponents.exponents(), m_most_bits, {}};
    double* const cuts = m_cuts.data();
    return {m_exponents.exponents(), m_most_bits, {cuts, cuts + m_cuts.stride(1), cuts + 2 * m_cuts.stride(1)}};
  }

  // ---- residues: those of line i and the t-th modulus in memory at (t * padded_lines + i - panel.begin) * stride()

  std::size_t padded_depth() const { return rounded_up(depth, Backend::depth_multiple); }

  /// From line to line: an odd number of cache lines, which do not compete for the same places in a cache.
  std::size_t stride() const {
    constexpr std::size_t line_of_cache = 64 / sizeof(Residue);
    return ((padded_depth() + line_of_cache - 1) / line_of_cache | 1) * line_of_cache;
  }

  void set_panel(Span some, int moduli) {
    panel = some;
    reserve_residues(m_residues, static_cast<std::size_t>(moduli) * padded_lines<Backend>(panel.size()) * stride());
  }

  /// Writes those of the panel, from the first modulus on.
  WriteResidues<Space, Backend, T, Residue> writing(int first, int count) const {
    return {m_from,         depth,
            padded_depth(), stride(),
            panel,          padded_lines<Backend>(panel.size()),
            scales(),       Modulus<Kind>(first),
            count,          m_residues.data()};
  }
  Residue const* residues(std::size_t line, int t) const {
    return m_residues.data() +
           (static_cast<std::size_t>(t) * padded_lines<Backend>(panel.size()) + line - panel.begin) * stride();
  }

 private:
  Space m_space;
  Strided<T const> m_from;
  MeasuredLines<Space> m_exponents;
  std::size_t m_measured = 0;
  int m_most_bits = 0;
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> m_cuts;
  Kokkos::View<Residue*, Memory> m_residues;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
