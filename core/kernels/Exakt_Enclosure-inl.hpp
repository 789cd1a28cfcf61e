// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The step of an enclosure on packs (Exakt_Certificate.hpp has the method and its proof).
//
// Included inside a namespace that has packs: once for each instruction set of the kernels (Exakt_Lanes-inl.hpp), where
// the functions must be compiled for it, and once for all other code (impl/Exakt_Pack.hpp).

/// One lane of each pack: the head, the plain sum of what it leaves, and whether it ever left its binade.
struct EnclosureChain {
  Pack head, rest;
  IntegerPack origin, moved;

  KOKKOS_FORCEINLINE_FUNCTION explicit EnclosureChain(double start)
      : head(broadcast(start)), rest(zeros()), origin(bits_of_pack(head)), moved(zero_integers()) {}

  /// A term.
  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack t) {
    Pack const s = head + t;
    rest = rest + (t - (s - head));
    move_to(s);
  }

  /// A product. \pre has_fused_packs
  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack a, Pack b) {
    Pack const s = fused_add(a, b, head);
    rest = rest + fused_subtract(a, b, s - head);
    move_to(s);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void move_to(Pack s) {
    moved = moved | (bits_of_pack(s) ^ origin);
    head = s;
  }
};
