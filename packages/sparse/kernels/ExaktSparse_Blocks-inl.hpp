// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A few entries of each of as many rows as a pack has lanes, transposed: an entry of each row in a pack.
//
//     row 0   a0 a1 a2 a3       a0 b0 c0 ...
//     row 1   b0 b1 b2 b3  -->  a1 b1 c1 ...
//     row 2   c0 c1 c2 c3       a2 b2 c2 ...
//     ...                       a3 b3 c3 ...
//
// Included inside the namespace of each instruction set, behind Exakt_Transpose-inl.hpp.

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Half as many entries as a pack has lanes: the halves of packs are joined by the loads, of which fewer are of two lines of
// the cache, and a third of the shuffles is saved.
inline constexpr int block_entries = pack_lanes / 2;
using RowTag = hn::Half<Doubles>;
#else
inline constexpr int block_entries = pack_lanes;
using RowTag = Doubles;
#endif

/// Entries of one row.
using RowPart = hn::Vec<RowTag>;

HWY_INLINE RowPart load_part(double const* from) { return hn::LoadU(RowTag(), from); }
HWY_INLINE RowPart load_part(float const* from) {
  return hn::PromoteTo(RowTag(), hn::LoadU(hn::Rebind<float, RowTag>(), from));
}
/// The first ones, zeros behind them.
template <class T>
HWY_INLINE RowPart load_some_of_part(T const* from, int count) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  hn::Rebind<T, RowTag> const tag;
  auto const some = hn::MaskedLoad(hn::FirstN(tag, static_cast<std::size_t>(count)), tag, from);
  if constexpr (sizeof(T) == sizeof(double)) {
    return some;
  } else {
    return hn::PromoteTo(RowTag(), some);
  }
#else
  return load_some(from, count);
#endif
}

/// v[j] receives entry j of each row. \param part_of  From the number of a row to some entries.
template <class PartOf>
HWY_INLINE void load_block(PartOf const& part_of, Pack (&v)[block_entries]) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  static_assert(pack_lanes == 8);
  Doubles const tag;
  Pack rows[4];  // l and l + 4
#pragma GCC unroll 4
  for (int l = 0; l < 4; ++l) rows[l] = hn::Combine(tag, part_of(l + 4), part_of(l));
  Pack const a = hn::InterleaveLower(tag, rows[0], rows[1]), b = hn::InterleaveUpper(tag, rows[0], rows[1]);
  Pack const c = hn::InterleaveLower(tag, rows[2], rows[3]), d = hn::InterleaveUpper(tag, rows[2], rows[3]);
  // Pairs of lanes: of rows 0, 1 and 2, 3 and 4, 5 and 6, 7.
  __m512i const even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  v[0] = Pack{_mm512_permutex2var_pd(a.raw, even, c.raw)};
  v[1] = Pack{_mm512_permutex2var_pd(b.raw, even, d.raw)};
  v[2] = Pack{_mm512_permutex2var_pd(a.raw, odd, c.raw)};
  v[3] = Pack{_mm512_permutex2var_pd(b.raw, odd, d.raw)};
#else
#pragma GCC unroll 8
  for (int l = 0; l < pack_lanes; ++l) v[l] = part_of(l);
  transpose(v);
#endif
}

/// \brief Entries of pack_lanes rows, of which each begins `row_length` behind the one before.
///
/// Two rows and two distances in bytes, of which processors make all addresses: in eight registers they would leave none.
template <class T>
HWY_INLINE void load_block(T const* from, std::size_t row_length, Pack (&v)[block_entries]) {
  std::size_t const step = row_length * sizeof(T), three_steps = 3 * step;
  auto const* const first = reinterpret_cast<unsigned char const*>(from);
  auto const* const fifth = first + 4 * step;
  load_block(
      [=](int l) HWY_ATTR {
        auto const* const base = l < 4 ? first : fifth;
        int const steps = l % 4;
        return load_part(
            reinterpret_cast<T const*>(base + (steps == 3 ? three_steps : static_cast<std::size_t>(steps) * step)));
      },
      v);
}
/// \brief The same where there are fewer.
///
/// \param rows  The others are the last one once more. \param n  Entries of each, at most block_entries; zeros behind
/// them.
template <class T>
HWY_INLINE void load_block(T const* from, std::size_t row_length, int rows, int n, Pack (&v)[block_entries]) {
  load_block(
      [=](int l) HWY_ATTR {
        return load_some_of_part(from + static_cast<std::size_t>(l < rows ? l : rows - 1) * row_length, n);
      },
      v);
}
