// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// As many packs as a pack has lanes, transposed. Included inside the namespace of each instruction set, behind
// Exakt_Lanes-inl.hpp, whose packs are as long as the registers are.

/// v[i] receives lane i of every pack.
HWY_INLINE void transpose([[maybe_unused]] Pack (&v)[pack_lanes]) {
#if HWY_TARGET != HWY_SCALAR
  Doubles const tag;
  // Blocks of two lanes first.
#pragma GCC unroll 8
  for (int i = 0; i + 1 < pack_lanes; i += 2) {
    Pack const a = v[i], b = v[i + 1];
    v[i] = hn::InterleaveLower(tag, a, b);
    v[i + 1] = hn::InterleaveUpper(tag, a, b);
  }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  static_assert(pack_lanes == 8);
  auto const even = [](Pack a, Pack b) HWY_ATTR { return Pack{_mm512_shuffle_f64x2(a.raw, b.raw, 0x88)}; };
  auto const odd = [](Pack a, Pack b) HWY_ATTR { return Pack{_mm512_shuffle_f64x2(a.raw, b.raw, 0xdd)}; };
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    // The lanes i, 2 + i, 4 + i, 6 + i of packs 0 ... 3, and of packs 4 ... 7.
    Pack const a = even(v[i], v[i + 2]), b = odd(v[i], v[i + 2]);
    Pack const c = even(v[i + 4], v[i + 6]), d = odd(v[i + 4], v[i + 6]);
    v[i] = even(a, c);
    v[i + 4] = odd(a, c);
    v[i + 2] = even(b, d);
    v[i + 6] = odd(b, d);
  }
#else
  static_assert(pack_lanes <= 4);
  if constexpr (pack_lanes == 4) {
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      Pack const a = v[i], b = v[i + 2];
      v[i] = hn::ConcatLowerLower(tag, b, a);
      v[i + 2] = hn::ConcatUpperUpper(tag, b, a);
    }
  }
#endif
#endif
}
