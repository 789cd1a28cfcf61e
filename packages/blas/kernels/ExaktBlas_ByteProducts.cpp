// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices of bytes on AVX-512 VNNI, whose instruction adds four products to each of 16 sums of 32 bits. Some
// columns of B^T, and of k as much as the caches of first level hold, are packed for it,
//
//     | column 0: k = 0 1 2 3 | column 1: k = 0 1 2 3 | ... | column 0: k = 4 5 6 7 | ...
//
// and a tile of C is in registers: its rows of A come as four bytes each, the same ones for all columns.

#include "ExaktBlas_ResidueKernels.hpp"

#if defined(__x86_64__)

#include <hwy/base.h>

#include <immintrin.h>
#include <algorithm>
#include <cstring>

#define EXAKT_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))

namespace Exakt::Impl::N_AVX3_VNNI {
namespace {

constexpr int tile_rows = 6, tile_packs = 4, pack_columns = 16;
constexpr std::size_t tile_columns = tile_packs * pack_columns, pack_bytes = 64, depth_of_pass = 512;

/// sums += four products in each lane. (GCC 12 copies each sum before the intrinsic function that does this.)
EXAKT_VNNI HWY_INLINE void add_products(__m512i a, __m512i b, __m512i& sums) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b));
}

/// 16 x 16 numbers of 32 bits: those of 1, 2, 4, 8 rows and columns change places.
EXAKT_VNNI HWY_INLINE void transpose(__m512i* rows) {
  __m512i const lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  HWY_UNROLL(4)
  for (int step = 1; step < pack_columns; step *= 2) {
    __mmask16 const is_odd = _mm512_test_epi32_mask(lane, _mm512_set1_epi32(step));
    // Of two packs: lanes of the second one are numbered from 16 on.
    __m512i const low = _mm512_mask_add_epi32(lane, is_odd, lane, _mm512_set1_epi32(pack_columns - step)),
                  high = _mm512_add_epi32(low, _mm512_set1_epi32(step));
    HWY_UNROLL(16)
    for (int i = 0; i < pack_columns; ++i) {
      if ((i & step) != 0) continue;
      __m512i const first = rows[i], second = rows[i + step];
      rows[i] = _mm512_permutex2var_epi32(first, low, second);
      rows[i + step] = _mm512_permutex2var_epi32(first, high, second);
    }
  }
}

/// \param count  Columns of B^T, at most pack_columns; the others are zero.
EXAKT_VNNI void pack(std::int8_t const* b, std::size_t stride, std::size_t count, std::size_t depth, std::int8_t* to) {
  for (std::size_t k = 0; k < depth; k += pack_bytes) {
    std::size_t const bytes = std::min(depth - k, pack_bytes);
    __mmask64 const mask = ~__mmask64{0} >> (pack_bytes - bytes);
    __m512i rows[pack_columns];
    for (std::size_t j = 0; j < pack_columns; ++j)
      rows[j] = j < count ? _mm512_maskz_loadu_epi8(mask, b + j * stride + k) : _mm512_setzero_si512();
    transpose(rows);
    for (std::size_t i = 0; i < bytes / 4; ++i) _mm512_store_si512(to + (k / 4 + i) * tile_packs * pack_bytes, rows[i]);
  }
}

/// \param columns  Masks of those that C has.
template <int rows>
EXAKT_VNNI void multiply_tile(std::uint8_t const* a, std::size_t a_stride, std::int8_t const* packed, std::size_t depth,
                              bool is_first, std::int32_t* c, std::size_t c_stride, __mmask16 const* columns) {
  __m512i sums[rows][tile_packs];
  HWY_UNROLL(8)
  for (int i = 0; i < rows; ++i) {
    HWY_UNROLL(4)
    for (int p = 0; p < tile_packs; ++p)
      sums[i][p] = is_first ? _mm512_setzero_si512()
                            : _mm512_maskz_loadu_epi32(columns[p],
                                                       c + static_cast<std::size_t>(i) * c_stride + p * pack_columns);
  }
  for (std::size_t k = 0; k < depth; k += 4, packed += tile_packs * pack_bytes) {
    __m512i b[tile_packs];
    HWY_UNROLL(4)
    for (int p = 0; p < tile_packs; ++p) b[p] = _mm512_load_si512(packed + p * pack_bytes);
    HWY_UNROLL(8)
    for (int i = 0; i < rows; ++i) {
      std::int32_t four;
      std::memcpy(&four, a + static_cast<std::size_t>(i) * a_stride + k, sizeof(four));
      __m512i const of_row = _mm512_set1_epi32(four);
      HWY_UNROLL(4)
      for (int p = 0; p < tile_packs; ++p) add_products(of_row, b[p], sums[i][p]);
    }
  }
  HWY_UNROLL(8)
  for (int i = 0; i < rows; ++i) {
    HWY_UNROLL(4)
    for (int p = 0; p < tile_packs; ++p)
      _mm512_mask_storeu_epi32(c + static_cast<std::size_t>(i) * c_stride + p * pack_columns, columns[p], sums[i][p]);
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

void multiply(std::size_t m, std::size_t n, std::size_t k, std::uint8_t const* a, std::size_t a_stride,
              std::int8_t const* b, std::size_t b_stride, std::int32_t* c, std::size_t c_stride) {
  alignas(pack_bytes) std::int8_t packed[depth_of_pass * tile_columns];
  for (std::size_t first = 0; first < k; first += depth_of_pass) {
    std::size_t const depth = std::min(k - first, depth_of_pass);
    for (std::size_t j = 0; j < n; j += tile_columns) {
      __mmask16 columns[tile_packs];
      for (std::size_t p = 0; p < tile_packs; ++p) {
        std::size_t const begin = std::min(n, j + p * pack_columns),
                          count = std::min<std::size_t>(n - begin, pack_columns);
        columns[p] = static_cast<__mmask16>((1u << count) - 1);
        pack(b + begin * b_stride + first, b_stride, count, depth, packed + p * pack_bytes);
      }
      for (std::size_t i = 0; i < m; i += tile_rows)
        multiply_rows<tile_rows>(m - i, a + i * a_stride + first, a_stride, packed, depth, first == 0,
                                 c + i * c_stride + j, c_stride, columns);
    }
  }
}

}  // namespace
}  // namespace Exakt::Impl::N_AVX3_VNNI

Exakt::Impl::MultiplyBytes Exakt::Impl::find_byte_products() {
  return __builtin_cpu_supports("avx512vnni") ? &N_AVX3_VNNI::multiply : nullptr;
}

#else

Exakt::Impl::MultiplyBytes Exakt::Impl::find_byte_products() { return nullptr; }

#endif
