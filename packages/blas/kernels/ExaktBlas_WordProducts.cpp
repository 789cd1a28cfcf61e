// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices of words of 16 bits on AVX2. An instruction multiplies pairs of them and adds the two products in
// each of 8 lanes of 32 bits. Columns of B^T are copied, some at a time, so that the caches of first level hold them,
//
//     B^T    | column 0: k = 0 1 | column 1: k = 0 1 | ... | column 0: k = 2 3 | ...
//     A      as it is; its rows come as two words each, the same ones for all columns
//
// and a tile of C is in registers. (AVX2 has no instruction for bytes with enough room: its products of those without a sign
// and with one are added in 16 bits, where two of them do not fit.)

#include "ExaktBlas_ResidueKernels.hpp"

#if defined(__x86_64__)

#include <hwy/base.h>

#include <immintrin.h>
#include <algorithm>
#include <cstring>

#define EXAKT_AVX2 __attribute__((target("avx2")))

namespace Exakt::Impl::N_AVX2_WORDS {
namespace {

constexpr int tile_rows = 6, tile_packs = 2;
constexpr std::size_t pack_columns = 8, pack_words = 16, tile_columns = tile_packs * pack_columns;
constexpr std::size_t rows_of_pass = 40 * tile_rows;  // in the second cache

/// sums += two products in each lane. (GCC 12 at -O3 begins all products of a step before it adds any, and has no registers
/// for them.)
EXAKT_AVX2 HWY_INLINE void add_products(__m256i a, __m256i b, __m256i& sums) {
  __m256i products;
  __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sums), "=&x"(products) : "x"(a), "x"(b));
}

/// 4 x 4 numbers of 64 bits.
EXAKT_AVX2 HWY_INLINE void transpose(__m256i* rows) {
  __m256i const a = _mm256_unpacklo_epi64(rows[0], rows[1]), b = _mm256_unpackhi_epi64(rows[0], rows[1]),
                c = _mm256_unpacklo_epi64(rows[2], rows[3]), d = _mm256_unpackhi_epi64(rows[2], rows[3]);
  rows[0] = _mm256_permute2x128_si256(a, c, 0x20);
  rows[1] = _mm256_permute2x128_si256(b, d, 0x20);
  rows[2] = _mm256_permute2x128_si256(a, c, 0x31);
  rows[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

/// \brief Columns of B^T.
/// \param count  Of columns, at most pack_columns; the others are zero.
EXAKT_AVX2 void pack(std::int16_t const* b, std::size_t stride, std::size_t count, std::size_t depth,
                     std::int16_t* to) {
  for (std::size_t k = 0; k < depth; k += pack_words) {
    // In this order the halves of lanes of 64 bits come out in the order of columns.
    constexpr std::size_t order[pack_columns] = {0, 1, 4, 5, 2, 3, 6, 7};
    __m256i columns[pack_columns];
    HWY_UNROLL(8)
    for (std::size_t j = 0; j < pack_columns; ++j)
      columns[j] = order[j] < count ? _mm256_loadu_si256(reinterpret_cast<__m256i const*>(b + order[j] * stride + k))
                                    : _mm256_setzero_si256();
    transpose(columns);
    transpose(columns + 4);
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < 4; ++i) {
      auto const first = _mm256_castsi256_ps(columns[i]), second = _mm256_castsi256_ps(columns[4 + i]);
      auto* const pair = reinterpret_cast<__m256i*>(to + (k / 2 + 2 * i) * tile_packs * pack_words);
      _mm256_store_si256(pair, _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0x88)));
      _mm256_store_si256(pair + tile_packs, _mm256_castps_si256(_mm256_shuffle_ps(first, second, 0xdd)));
    }
  }
}

/// Of whole packs.
template <int rows>
EXAKT_AVX2 void multiply_tile(std::int16_t const* a, std::size_t a_stride, std::int16_t const* packed,
                              std::size_t depth, std::int32_t* c, std::size_t c_stride) {
  __m256i sums[rows][tile_packs];
  HWY_UNROLL(8)
  for (int i = 0; i < rows; ++i) {
    HWY_UNROLL(2)
    for (int p = 0; p < tile_packs; ++p) sums[i][p] = _mm256_setzero_si256();
  }
  for (std::size_t k = 0; k < depth; k += 2, packed += tile_packs * pack_words) {
    __m256i b[tile_packs];
    HWY_UNROLL(2)
    for (int p = 0; p < tile_packs; ++p) b[p] = _mm256_load_si256(reinterpret_cast<__m256i const*>(packed) + p);
    HWY_UNROLL(8)
    for (int i = 0; i < rows; ++i) {
      std::int32_t two;
      std::memcpy(&two, a + static_cast<std::size_t>(i) * a_stride + k, sizeof(two));
      __m256i const of_row = _mm256_set1_epi32(two);
      HWY_UNROLL(2)
      for (int p = 0; p < tile_packs; ++p) add_products(of_row, b[p], sums[i][p]);
    }
  }
  HWY_UNROLL(8)
  for (int i = 0; i < rows; ++i) {
    HWY_UNROLL(2)
    for (int p = 0; p < tile_packs; ++p)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(c + static_cast<std::size_t>(i) * c_stride) + p, sums[i][p]);
  }
}

/// multiply_tile for `count` rows, which are at most `rows`.
template <int rows, class... Arguments>
void multiply_rows(std::size_t count, Arguments... arguments) {
  if constexpr (rows > 1) {
    if (count < rows) return multiply_rows<rows - 1>(count, arguments...);
  }
  multiply_tile<rows>(arguments...);
}

EXAKT_AVX2 void multiply(std::size_t m, std::size_t n, std::size_t k, std::int16_t const* a, std::size_t a_stride,
                         std::int16_t const* b, std::size_t b_stride, std::int32_t* c, std::size_t c_stride) {
  alignas(64) std::int16_t packed[depth_of_words * tile_columns];
  std::int32_t edge[tile_rows * tile_columns];  // of C, where it has not all columns of a tile
  for (std::size_t row = 0; row < m; row += rows_of_pass) {
    std::size_t const rows = std::min(m - row, rows_of_pass);
    for (std::size_t j = 0; j < n; j += tile_columns) {
      std::size_t const columns = std::min(n - j, tile_columns);
      for (std::size_t p = 0; p < tile_packs; ++p) {
        std::size_t const begin = std::min(columns, p * pack_columns), count = std::min(columns - begin, pack_columns);
        pack(b + (j + begin) * b_stride, b_stride, count, k, packed + p * pack_words);
      }
      for (std::size_t i = 0; i < rows; i += tile_rows) {
        std::size_t const count = std::min<std::size_t>(rows - i, tile_rows);
        std::int16_t const* const of_rows = a + (row + i) * a_stride;
        std::int32_t* const to = c + (row + i) * c_stride + j;
        if (columns == tile_columns) {
          multiply_rows<tile_rows>(count, of_rows, a_stride, packed, k, to, c_stride);
        } else {
          multiply_rows<tile_rows>(count, of_rows, a_stride, packed, k, edge, tile_columns);
          for (std::size_t r = 0; r < count; ++r) std::copy_n(edge + r * tile_columns, columns, to + r * c_stride);
        }
      }
    }
  }
}

}  // namespace
}  // namespace Exakt::Impl::N_AVX2_WORDS

Exakt::Impl::MultiplyWords Exakt::Impl::find_word_products() {
  return __builtin_cpu_supports("avx2") ? &N_AVX2_WORDS::multiply : nullptr;
}

#else

Exakt::Impl::MultiplyWords Exakt::Impl::find_word_products() { return nullptr; }

#endif
