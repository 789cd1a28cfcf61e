// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The step of an enclosure on packs (Exakt_EnclosedSum.hpp has the method and its proof).
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

  /// The same in units of both kinds, two additions in each.
  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack t, FusedAdder adder) {
    Pack const s = head + t;
    rest = adder.sum(adder.difference(t, s - head), rest);
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
  FusedAdder adder;

  KOKKOS_FORCEINLINE_FUNCTION explicit EnclosureChainOf(double start)
      : HeadAndRest(broadcast(start), zeros()), origin(bits_of_pack(head)), moved(zero_integers()) {}

  /// A term.
  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack t) {
    HeadAndRest::absorb(t, adder);
    watch();
  }

  /// A product.
  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack a, Pack b) {
    HeadAndRest::absorb(a, b);
    watch();
  }

  /// No bit of sign and exponent is set where the head has stayed in its binade.
  KOKKOS_FORCEINLINE_FUNCTION IntegerPack all_moves() const {
    if constexpr (is_watched) {
      return moved;
    } else {
      return bits_of_pack(head) ^ origin;
    }
  }

  /// How far the head has moved: exact, below 2^51 units.
  KOKKOS_FORCEINLINE_FUNCTION IntegerPack units() const { return bits_of_pack(head) - origin; }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void watch() {
    if constexpr (is_watched) moved = moved | (bits_of_pack(head) ^ origin);
  }
};
using EnclosureChain = EnclosureChainOf<true>;

/// Whether a head of those moves has left its binade. \param moves  all_moves() of some chains, joined by |.
KOKKOS_FORCEINLINE_FUNCTION bool leaves_binade(IntegerPack moves) {
  return has_bits(moves, FloatFormat<double>::sign_mask | FloatFormat<double>::infinity);
}

/// Sums, one per lane, known up to a bound: |S - (high + low)| <= bound.
struct EnclosurePack {
  Pack high, low, bound;
};

/// The bound of each lane's own sum of `products`: the unit is 2^-52 of the head's power of two, 2/3 of the start.
KOKKOS_FORCEINLINE_FUNCTION Pack bound_of_lanes(Pack start, int products) {
  return start * broadcast(bound_of_rests(1, products) * 0x1p-52) + broadcast(bound_of_underflows(1, products));
}

/// What is known of each lane's own sum: head - start is exact, for both are in one binade.
KOKKOS_FORCEINLINE_FUNCTION EnclosurePack enclosure_of_lanes(HeadAndRest const& sum, Pack start, int products) {
  return {sum.head - start, sum.rest, bound_of_lanes(start, products)};
}

/// sum += term, whose roundings go to the bound.
KOKKOS_FORCEINLINE_FUNCTION void add_enclosure(EnclosurePack& sum, EnclosurePack const& term) {
  auto const high = two_sum_of_packs(sum.high, term.high);
  Pack const size = (absolute(sum.low) + absolute(term.low)) + absolute(high.error);
  sum = {high.value, sum.low + (high.error + term.low), (sum.bound + term.bound) + broadcast(0x1p-51) * size};
}
