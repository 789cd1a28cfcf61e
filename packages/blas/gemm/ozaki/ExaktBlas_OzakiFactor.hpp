// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_OZAKIFACTOR_HPP
#define EXAKTBLAS_OZAKIFACTOR_HPP

/// \file
/// \brief Either factor of the Ozaki engine as lines: rows of A, columns of B; measured, cut to a number of bits, and as
/// residues. Kernels write these on hosts; on devices, the same arithmetic on single numbers.

#include "../../operands/ExaktBlas_Workspace.hpp"
#include "../ExaktBlas_LineExponents.hpp"
#include "ExaktBlas_BalancedInteger.hpp"

#include <algorithm>
#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

/// Whether hosts have kernels for the residues of a backend.
template <class Backend, class Kernels = ResidueKernelsOf<typename Backend::Kind>>
inline constexpr bool has_residue_kernels_v = std::is_same_v<typename Backend::Left, typename Kernels::Left>&&
    std::is_same_v<typename Backend::Right, typename Kernels::Right>&&
        std::is_same_v<typename Backend::Sum, typename Kernels::Sum>&&
            std::is_same_v<typename Backend::Class, typename Kernels::Class>;

/// The t-th modulus.
template <class Kind>
struct Modulus {
  int t = 0;
  Remainder modulo{};
  double power[Kind::limbs_at_most] = {};

  Modulus() = default;
  explicit Modulus(int number) : t(number), modulo{moduli<Kind>.as_double[t], moduli<Kind>.reciprocal[t]} {
    for (int j = 0; j < Kind::limbs_at_most; ++j) power[j] = moduli<Kind>.power[j][t];
  }
};

/// The scale of a line, infinite where it is special or next to the ends of the range, so that nothing is decided: of
/// others 2^420 2^(2 * 300) and 2^-98 2^(-2 * 300) are doubles.
inline CutLine cut_line(LineScale const& line) {
  bool const usable = !line.is_special && line.unit > -300 && line.unit < 300;
  return {usable ? power_of_two(line.unit) : HUGE_VAL, line.is_truncated ? 1.0 : 0.0, power_of_two(line.bits - 1)};
}

/// An upper bound of a line's bits.
template <class Kind>
inline constexpr int most_bits_of_line = Kind::limbs_at_most* Kind::chunk_bits;

/// The integers of lines.
struct LineScales {
  LineMeasure const* measures;
  int most_bits;  // what has more is cut
  CutLines cuts;  // the same for kernels

  KOKKOS_FORCEINLINE_FUNCTION LineScale of(std::size_t line) const {
    return LineScale(measures[line]).truncated_to(most_bits);
  }
};

/// Limbs of an integer of so many bits.
template <class Kind>
KOKKOS_FORCEINLINE_FUNCTION int limbs_for(int bits) {
  return bits < 1 ? 1 : (bits + Kind::chunk_bits - 1) / Kind::chunk_bits;
}

/// \brief Stores small integers, as many as there are, or `size` of them. Eight bytes are one word where they may be.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION void store_some(double const (&x)[8], std::size_t size, Number* to) {
  if constexpr (sizeof(Number) == 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
    if (size == 8 && reinterpret_cast<std::uintptr_t>(to) % 8 == 0) {
      std::uint64_t bytes = 0;
      EXAKT_UNROLLED_LOOP
      for (int k = 0; k < 8; ++k)
        bytes |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(static_cast<std::int32_t>(x[k]))) << 8 * k;
      *reinterpret_cast<std::uint64_t*>(to) = bytes;
      return;
    }
  }
  for (std::size_t k = 0; k < size; ++k) to[k] = static_cast<Number>(x[k]);
}

/// The residues of a panel of lines modulo some numbers, by kernels of hosts: a piece of some lines per call.
template <class Backend, class T, class Residue>
struct WriteResidues {
  using Kind = typename Backend::Kind;
  static constexpr std::size_t group = lines_at_once, piece = piece_of_line;
  static constexpr int at_once = 1;  // moduli, of libraries that multiply whole panels

  Strided<T const> from;
  std::size_t depth, padded_depth, stride;  // of a line
  Span lines;
  std::size_t padded_lines;  // entries and lines behind the last ones are zero
  LineScales scales;
  int first, count;  // of moduli; of kernels for bytes only they may be others than one
  Residue* to;       // of line i and the t-th of these moduli at (t * padded_lines + i - lines.begin) * stride

  std::size_t groups() const { return (padded_lines + group - 1) / group; }
  std::size_t tasks() const { return groups() * ((padded_depth + piece - 1) / piece); }
  std::size_t line_of(std::size_t task) const { return lines.begin + task % groups() * group; }

  void operator()(std::size_t task) const {
    std::size_t const number = task % groups() * group, begin = task / groups() * piece;
    std::size_t const end = std::min(padded_lines, number + group), known = std::clamp(lines.size(), number, end);
    std::size_t const size = std::min(padded_depth - begin, piece);
    write({lines.begin + number, lines.begin + known}, begin, size, to + number * stride + begin);
    for (std::size_t i = known; i < end; ++i) std::fill_n(to + i * stride + begin, size, Residue{0});
  }

 private:
  void write(Span some, std::size_t begin, std::size_t size, Residue* result) const {
    LinePieces pieces;
    pieces.gather(from, some, begin, depth);
    for (std::size_t l = 0; l < some.size(); ++l, result += stride) {
      LineScale const scale = scales.of(some.begin + l);
      double* const entries = pieces.entries[l];
      if (scale.is_special) std::memset(entries, 0, size * sizeof(double));
      if constexpr (std::is_same_v<Kind, ByteResidues>) {
        matrix_kernels().write_bytes(entries, size, scale.unit, scale.bits, count, std::is_signed_v<Residue>,
                                     reinterpret_cast<std::uint8_t*>(result), padded_lines * stride);
      } else if constexpr (std::is_same_v<Kind, WordResidues>) {
        matrix_kernels().write_words(entries, size, scale.unit, scale.bits, count, result, padded_lines * stride);
      } else {
        matrix_kernels().write_doubles(entries, size, scale.unit, limbs_for<Kind>(scale.bits), first, result);
      }
    }
  }
};

/// \brief Moduli at once where there are no kernels, at most: entries are read once for so many, and their products are one
/// call.
inline constexpr int moduli_of_pieces = 16;

/// \brief The same without kernels: eight entries of a line per call.
///
/// 32 neighbouring calls, those of a device's lanes, are for 4 lines and 8 neighbouring pieces of each. So whether lines or
/// their entries are neighbours in memory, whole sectors of 32 bytes are read and written.
template <class Backend, class T, class Residue>
struct WriteResiduesOfPieces {
  using Kind = typename Backend::Kind;
  static constexpr std::size_t piece = 8, lines_together = 4, pieces_together = 8,
                               together = lines_together * pieces_together;
  static constexpr int at_once = moduli_of_pieces;

  Strided<T const> from;
  std::size_t depth, padded_depth, stride;
  Span lines;
  std::size_t padded_lines;
  LineScales scales;
  Modulus<Kind> modulus[at_once];
  int count;
  Residue* to;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t groups() const {
    return (padded_lines + lines_together - 1) / lines_together;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t pieces() const { return (padded_depth + piece - 1) / piece; }
  std::size_t tasks() const { return groups() * ((pieces() + pieces_together - 1) / pieces_together) * together; }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t task) const {
    std::size_t const lane = task % together, block = task / together, row = block / groups();
    std::size_t const line = (block - row * groups()) * lines_together + lane % lines_together,
                      number = row * pieces_together + lane / lines_together;
    if (line >= padded_lines || number >= pieces()) return;
    write_piece(line, number * piece);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write_piece(std::size_t line, std::size_t begin) const {
    // Limbs from the top, and none of lines that are not there.
    double limb[Kind::limbs_at_most][piece];
    int const limbs = line < lines.size() ? cut(lines.begin + line, begin, limb) : 0;
    for (int t = 0; t < count; ++t) {
      double residue[piece] = {};
      EXAKT_UNROLLED_LOOP
      for (int j = 0; j < Kind::limbs_at_most; ++j) {
        if (j >= limbs) continue;
        double const power = modulus[t].power[limbs - 1 - j];
        EXAKT_UNROLLED_LOOP
        for (std::size_t k = 0; k < piece; ++k) residue[k] = multiply_add(limb[j][k], power, residue[k]);
      }
      EXAKT_UNROLLED_LOOP
      for (std::size_t k = 0; k < piece; ++k) residue[k] = modulus[t].modulo(residue[k]);
      std::size_t const left = padded_depth - begin;
      store_some(residue, left < piece ? left : piece,
                 to + (static_cast<std::size_t>(t) * padded_lines + line) * stride + begin);
    }
  }

  /// The limbs of a piece of a line; how many the line has.
  KOKKOS_FORCEINLINE_FUNCTION int cut(std::size_t line, std::size_t begin,
                                      double (&limb)[Kind::limbs_at_most][piece]) const {
    LineScale const scale = scales.of(line);
    int const limbs = limbs_for<Kind>(scale.bits), shift = -(scale.unit + Kind::chunk_bits * (limbs - 1)),
              half = shift / 2;
    // Two factors, for one may be beyond the range.
    double const factor = power_of_two(half), other_factor = power_of_two(shift - half);
    double rest[piece];
    EXAKT_UNROLLED_LOOP
    for (std::size_t k = 0; k < piece; ++k)
      rest[k] = begin + k < depth ? exact_double(*from.at(line, begin + k)) * factor * other_factor : 0;
    EXAKT_UNROLLED_LOOP
    for (int j = 0; j < Kind::limbs_at_most; ++j) {
      EXAKT_UNROLLED_LOOP
      for (std::size_t k = 0; k < piece; ++k) limb[j][k] = next_limb<Kind>(rest[k]);
    }
    return limbs;
  }
};

/// How residues of a factor are written, for some moduli from the first one on.
template <class Backend, class T, class Residue>
using ResidueWriter = std::conditional_t<has_residue_kernels_v<Backend>, WriteResidues<Backend, T, Residue>,
                                         WriteResiduesOfPieces<Backend, T, Residue>>;

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
  using Writer = ResidueWriter<Backend, T, Residue>;

 public:
  std::size_t const lines, depth;
  std::vector<OzakiBlock> blocks;
  Span panel{0, 0};  // lines of which there are residues

  OzakiFactor(Space const& space, Strided<T const> const& from, std::size_t line_count, std::size_t line_depth)
      : lines(line_count), depth(line_depth), m_space(space), m_from(from), m_measures(space, line_count) {}

  /// The first `count` lines, enqueued: what is asked about them has to wait for that.
  void measure(std::size_t count) {
    m_measures.measure(m_space, m_from, count, depth);
    m_measures.copy_to_host(m_space);
    m_measured = count;
  }
  std::size_t measured() const { return m_measured; }

  LineScale scale(std::size_t line) const { return LineScale(m_measures.on_host_of(line)); }
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
    if constexpr (!has_kernels) return {m_measures.data(), m_most_bits, {}};
    double* const cuts = m_cuts.data();
    return {m_measures.data(), m_most_bits, {cuts, cuts + m_cuts.stride(1), cuts + 2 * m_cuts.stride(1)}};
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
    std::size_t const size = static_cast<std::size_t>(moduli) * padded_lines<Backend>(panel.size()) * stride();
    m_residues = reinterpret_cast<Residue*>(m_workspace.reserve(m_space, size * sizeof(Residue)));
  }

  /// Writes those of the panel, from the first modulus on.
  auto writing(int first, int count) const {
    std::size_t const padded = padded_lines<Backend>(panel.size());
    if constexpr (has_kernels) {
      return Writer{m_from, depth, padded_depth(), stride(), panel, padded, scales(), first, count, m_residues};
    } else {
      Writer writer{m_from, depth, padded_depth(), stride(), panel, padded, scales(), {}, count, m_residues};
      for (int t = 0; t < count; ++t) writer.modulus[t] = Modulus<Kind>(first + t);
      return writer;
    }
  }
  Residue const* residues(std::size_t line, int t) const {
    return m_residues + static_cast<std::size_t>(t) * step() + (line - panel.begin) * stride();
  }
  /// Residues from one modulus to the next.
  std::size_t step() const { return padded_lines<Backend>(panel.size()) * stride(); }

 private:
  Space m_space;
  Strided<T const> m_from;
  MeasuredLines<Space> m_measures;
  std::size_t m_measured = 0;
  int m_most_bits = 0;
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> m_cuts;
  Workspace<Space> m_workspace;
  Residue* m_residues = nullptr;
};

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
