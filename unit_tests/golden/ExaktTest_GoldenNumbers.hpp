// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_GOLDENNUMBERS_HPP
#define EXAKTTEST_GOLDENNUMBERS_HPP

/// \file
/// \brief The inputs of the golden set, as README.md defines them: by integer operations only, so that no compiler, no
/// floating-point environment and no other language can make others of them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ExaktTest::Golden {

/// Bits of floating-point numbers, one number each.
using Words = std::vector<std::uint64_t>;

/// A binary interchange format of IEEE 754: numbers of `precision` bits in `width` bits.
struct Format {
  int width, precision, min_exponent, max_exponent;

  /// The exponent of the smallest subnormal number.
  constexpr int lowest_exponent() const { return min_exponent - precision + 1; }
  constexpr std::uint64_t hidden_bit() const { return std::uint64_t{1} << (precision - 1); }
  constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << (width - 1); }
  constexpr std::uint64_t infinity() const { return sign_bit() - hidden_bit(); }
  constexpr std::uint64_t quiet_nan() const { return infinity() + hidden_bit() / 2; }
  constexpr std::uint64_t largest() const { return infinity() - 1; }
};
inline constexpr Format f64{64, 53, -1022, 1023}, f32{32, 24, -126, 127};

/// The families of each kind of input, in the order of README.md.
extern std::vector<std::string> const vector_families, product_families, pair_families, triangle_families;

Words vector_of(Format, std::string const& family, std::uint64_t seed, std::size_t n);

struct Pair {
  Words x, y;
};
Pair pair_of(Format, std::string const& family, std::uint64_t seed, std::size_t n);

/// op(A), m x k; op(B), k x n; C, m x n: row by row, each entry of `parts` numbers (2 if complex).
struct Product {
  Words a, b, c;
};
Product product_of(Format a, Format b, std::size_t parts, std::string const& family, std::uint64_t seed, std::size_t m,
                   std::size_t n, std::size_t k);

/// A, n x n and lower triangular; B, n x columns: row by row, each entry of `parts` numbers. What is not to be read of A
/// is NaN.
struct Triangle {
  Words a, b;
};
Triangle triangle_of(Format, std::size_t parts, std::string const& family, std::uint64_t seed, std::size_t n,
                     std::size_t columns, bool has_unit_diagonal);

/// Which entries of an m x k matrix are stored, row by row.
std::vector<bool> pattern_of(std::uint64_t seed, std::size_t m, std::size_t k);

/// n indices below `bins`.
std::vector<std::size_t> indices_of(std::uint64_t seed, std::size_t n, std::size_t bins);

/// One more than there are segments, ascending, from 0 to n.
std::vector<std::size_t> offsets_of(std::uint64_t seed, std::size_t n, std::size_t segments);

/// n keys, of `keys` different ones: small for even seeds, spread over all 64 bits for odd ones.
std::vector<std::int64_t> keys_of(std::uint64_t seed, std::size_t n, std::size_t keys);

/// Where the n weights of a histogram lie, the first one nowhere; and the edges of its bins, some of them the same.
struct Places {
  Words x, edges;
};
Places places_of(Format, std::uint64_t seed, std::size_t n, std::size_t bins);

}  // namespace ExaktTest::Golden

#endif
