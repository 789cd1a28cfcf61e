// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sum of a few products, enclosed and rounded in one pass (Exakt_EnclosedSum.hpp has the method and its proof).
//
// Included behind Exakt_Enclosure-inl.hpp: once for each instruction set of the kernels, and once for the packs of two that
// users' own code computes with (summation/Exakt_TwoLanes.hpp).

/// \brief At most few_products of them, in one head per lane, for terms up to 2^10 times as large as the first one.
struct FewProducts : HeadAndRest {
  IntegerPack power, origin, moved;

  /// The power of two in the first product, times 2^(10 + 1 + level_head): found on packs, for integers on their way to other
  /// registers and back would be waited for. With a product that is too large this is negative or no number.
  ///
  /// \param first  The first product, rounded, in each lane.
  KOKKOS_FORCEINLINE_FUNCTION explicit FewProducts(Pack first)
      : power(masked(bits_of_pack(first), FloatFormat<double>::infinity) +
              broadcast_integer(std::int64_t{10 + 1 + level_head} << stored)),
        origin(power | broadcast_integer(std::int64_t{1} << (stored - 1))),
        moved(zero_integers()) {
    head = start();
    rest = zeros();
  }

  KOKKOS_FORCEINLINE_FUNCTION void absorb(Pack a, Pack b) {
    if constexpr (has_fused_packs) {
      HeadAndRest::absorb(a, b);
    } else {
      HeadAndRest::absorb(two_product_of_packs(a, b));
    }
    moved = moved | (bits_of_pack(head) ^ origin);
  }

  /// False if a term was too large.
  KOKKOS_FORCEINLINE_FUNCTION bool read(Enclosure& sum) const {
    // Each lane is 2^51 units at most if its head has stayed in its binade, and the sum of two is finite; that of more is a
    // double, and finite, if it is below 2^53.
    auto const [high, low] = sums_of_lanes(head - start(), rest);
    constexpr int per_lane = few_products / pack_lanes;
    // With 2^-50 of all rests, which are half a unit each at most: for the roundings of `low +- radius`.
    constexpr double bound = bound_of_rests(pack_lanes, per_lane) + few_products * 0x1p-51,
                     underflows = bound_of_underflows(pack_lanes, per_lane);
    sum.high = high;
    sum.low = low;
    sum.bound = first_lane(pack_of_bits(power)) * (bound * 0x1p-52) + underflows;
    return !leaves_binade(moved) && (pack_lanes <= 2 || std::fabs(high) < first_lane(start()));
  }

  /// Rounded to R, if that is decided.
  template <class R>
  KOKKOS_FORCEINLINE_FUNCTION bool round(R& result) const {
    Enclosure sum;
    if (!read(sum)) return false;
    if constexpr (std::is_same_v<R, double>) {
      // Heads leave room for all sums. Numbers that are equal have the same bits: the bound is larger than the least number,
      // so that not both are zero. The radius is known before the sum is, which is waited for.
      double const radius = sum.bound * (1 + 0x1p-10), upper = sum.high + (sum.low + radius);
      result = sum.high + (sum.low - radius);
      return result == upper;
    } else {
      return try_round(sum, result);
    }
  }

 private:
  static constexpr int stored = FloatFormat<double>::precision - 1;

  /// 1.5 times the power.
  KOKKOS_FORCEINLINE_FUNCTION Pack start() const { return pack_of_bits(origin); }
};
