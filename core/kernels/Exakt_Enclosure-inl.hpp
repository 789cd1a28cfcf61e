// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The step of an enclosure on packs (Exakt_LongEnclosure.hpp has the method and its proof).
//
// Included inside a namespace that has packs: once for each instruction set of the kernels (Exakt_Lanes-inl.hpp), where
// the functions must be compiled for it, and once for all other code (summation/Exakt_Pack.hpp).

/// \brief One lane of each pack: the head, and the plain sum of what it leaves. Known beforehand, or found out by
/// others, must be that the head does not leave its binade.
struct HeadAndRest {
  Pack head, rest;

  // Written out: an implicit constructor is not compiled for the instruction set.
  KOKKOS_FORCEINLINE_FUNCTION HeadAndRest() {}
  KOKKOS_FORCEINLINE_FUNCTION HeadAndRest(Pack a_head, Pack a_rest) : head(a_head), rest(a_rest) {}

  /// A term.
  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack t) {
    Pack const s = head + t;
    rest = rest + (t - (s - head));
    head = s;
  }

  /// A product. \pre has_fused_packs
  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack a, Pack b) {
    Pack const s = fused_add(a, b, head);
    rest = rest + fused_subtract(a, b, s - head);
    head = s;
  }

  /// A product and its error, of at most 2^-53 of it: the remainder is rounded as that of a fused one.
  KOKKOS_FORCEINLINE_FUNCTION void absorb(ErrorFree<Pack> const& product) {
    Pack const s = head + product.value;
    rest = rest + ((product.value - (s - head)) + product.error);
    head = s;
  }
};

/// \brief The same, and whether the head ever left its binade.
///
/// \tparam is_watched  Where false, all terms are known to be small enough for the head, or NaN: then it is enough to
/// look at it in the end.
template <bool is_watched>
struct EnclosureChainOf : HeadAndRest {
  IntegerPack origin, moved;

  KOKKOS_FORCEINLINE_FUNCTION explicit EnclosureChainOf(double start)
      : HeadAndRest(broadcast(start), zeros()), origin(bits_of_pack(head)), moved(zero_integers()) {}

  /// A term, or the factors of a product.
  template <class... Terms>
  KOKKOS_FORCEINLINE_FUNCTION void absorb(Terms... terms) {
    HeadAndRest::absorb(terms...);
    if constexpr (is_watched) moved = moved | (bits_of_pack(head) ^ origin);
  }

  /// No bit of sign and exponent is set where the head has stayed in its binade.
  KOKKOS_FORCEINLINE_FUNCTION IntegerPack all_moves() const {
    if constexpr (is_watched) {
      return moved;
    } else {
      return bits_of_pack(head) ^ origin;
    }
  }
};
using EnclosureChain = EnclosureChainOf<true>;
