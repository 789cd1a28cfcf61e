// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_SUMBYKEY_HPP
#define EXAKT_SUMBYKEY_HPP

/// \file
/// \brief How sum_by_key runs: few keys have an accumulator each, and close ones an enclosure; else, and where enclosures do
/// not decide, the terms in ascending order of their keys, then the sum of each run of equal keys. On devices keys that
/// can be numbered have an accumulator each; others go to the host.

#include "Exakt_CloseKeys.hpp"
#include "Exakt_FewKeys.hpp"
#include "Exakt_HostCopies.hpp"
#include "Exakt_NumberedKeys.hpp"
#include "Exakt_Segments.hpp"
#include "Exakt_SortByKey.hpp"

namespace Exakt::Impl::inline EXAKT_ABI {

/// What sum_by_key writes to, and the name that it is called by.
template <class UniqueKeys, class Sums>
struct KeyedSums {
  char const* function;
  UniqueKeys unique_keys;
  Sums sums;

  /// \throws std::invalid_argument  There is not room for so many.
  void require_room(std::size_t count) const {
    if (unique_keys.extent(0) >= count && sums.extent(0) >= count) return;
    throw std::invalid_argument(std::string("Exakt::") + function + ": unique_keys is " + shape_of(unique_keys) +
                                ", sums is " + shape_of(sums) + "; there are " + std::to_string(count) +
                                " different keys, each needs an entry in both");
  }
};

/// The runs of equal keys, which ascend. \tparam key_of  The key of an entry of `keys`.
template <class Space, class Keys, class X, class KeyOf, class UniqueKeys, class Sums>
std::size_t sum_runs(Space const& space, Keys const& keys, X const& x, KeyOf const& key_of,
                     KeyedSums<UniqueKeys, Sums> const& result) {
  auto const runs = runs_of(space, keys);
  std::size_t const count = runs.size() - 1;
  result.require_room(count);
  std::size_t longest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    result.unique_keys(k) = key_of(keys(runs[k]));
    longest = std::max(longest, runs[k + 1] - runs[k]);
  }
  using Offsets = Kokkos::View<std::size_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  sum_segments(space, Offsets(runs.data(), runs.size()), x, result.sums, count, static_cast<std::int64_t>(longest));
  return count;
}

/// The keys of which there are terms, and their sums.
template <class Key, class UniqueKeys, class Sums>
std::size_t write_totals(std::vector<KeyTotal> const& totals, Key least, KeyedSums<UniqueKeys, Sums> const& result) {
  auto const is_there = [](KeyTotal const& total) { return total.count > 0; };
  auto const count = static_cast<std::size_t>(std::count_if(totals.begin(), totals.end(), is_there));
  result.require_room(count);
  std::size_t k = 0;
  for (std::size_t above = 0; above < totals.size(); ++above) {
    if (!is_there(totals[above])) continue;
    auto const key = static_cast<Key>(static_cast<std::uint64_t>(least) + above);
    result.unique_keys(k) = static_cast<typename UniqueKeys::non_const_value_type>(key);
    result.sums(k) = totals[above].sum.template round<typename Sums::non_const_value_type>();
    ++k;
  }
  return count;
}

/// Terms in any order.
template <class Space, class Keys, class X, class UniqueKeys, class Sums>
std::size_t sum_sorted(Space const& space, Keys const& keys, KeyRange<typename Keys::non_const_value_type> const& range,
                       X const& x, KeyedSums<UniqueKeys, Sums> const& result) {
  using Key = typename Keys::non_const_value_type;
  using UniqueKey = typename UniqueKeys::non_const_value_type;
  auto const sorted = [&](auto offset) {
    SortedTerms<decltype(offset), typename ColumnTiles<X>::Value> const terms(space, keys, range, x);
    auto const key_of = [least = range.least](std::uint64_t above) {
      return static_cast<UniqueKey>(static_cast<Key>(static_cast<std::uint64_t>(least) + above));
    };
    return sum_runs(space, terms.offsets(), terms.values(), key_of, result);
  };
  return range.offset_of(range.most) >> 32 == 0 ? sorted(std::uint32_t{0}) : sorted(std::uint64_t{0});
}

/// Close keys: by enclosures, and sorted terms where these do not decide.
template <class Space, class Keys, class X, class UniqueKeys, class Sums>
std::size_t sum_close_keys(Space const& space, Keys const& keys,
                           KeyRange<typename Keys::non_const_value_type> const& range, X const& x,
                           KeyedSums<UniqueKeys, Sums> const& result) {
  CloseKeys<Space, Keys, X> close(space, keys, range, x);
  std::size_t const count = close.count();
  result.require_room(count);
  if (std::size_t const left = close.write(result.unique_keys, result.sums); left > 0)
    close.with_terms_left([&](auto const& keys_left, auto const& x_left) {
      UninitializedArray<typename UniqueKeys::non_const_value_type> const unique(left);
      UninitializedArray<typename Sums::non_const_value_type> const sums(left);
      using Left = KeyedSums<decltype(unique.view()), decltype(sums.view())>;
      sum_sorted(space, keys_left, range, x_left, Left{result.function, unique.view(), sums.view()});
      std::size_t k = 0;
      for (std::size_t i = 0; i < left; ++i) {
        while (result.unique_keys(k) != unique.data()[i]) ++k;
        result.sums(k) = sums.data()[i];
      }
    });
  return count;
}

/// Operands that the host reads and writes.
template <class Space, class Keys, class X, class UniqueKeys, class Sums>
std::size_t sum_by_key_on_host(Space const& space, Keys const& keys, X const& x,
                               KeyedSums<UniqueKeys, Sums> const& result) {
  using Key = typename Keys::non_const_value_type;
  using UniqueKey = typename UniqueKeys::non_const_value_type;
  if (keys.extent(0) == 0) return 0;
  auto const range = range_of_keys(space, keys);
  if (range.is_ascending)
    return sum_runs(
        space, keys, x, [](Key key) { return static_cast<UniqueKey>(key); }, result);
  if (range.offset_of(range.most) < few_keys)
    return write_totals(totals_of_few_keys(space, keys, range, x), range.least, result);
  if constexpr (is_float_v<typename Sums::non_const_value_type>) {
    if (CloseKeys<Space, Keys, X>::are_close(space, keys.extent(0), range))
      return sum_close_keys(space, keys, range, x, result);
  }
  return sum_sorted(space, keys, range, x, result);
}

/// Whether the operands have types that sums can be made of; nothing else is said of them where they have not.
template <class Keys, class X, class UniqueKeys, class Sums>
constexpr bool are_keys_and_sums() {
  if constexpr (are_views_v<Keys, X, UniqueKeys, Sums>) {
    return is_integer_v<typename Keys::non_const_value_type> &&
           is_integer_v<typename UniqueKeys::non_const_value_type> &&
           converts_exactly_v<typename X::non_const_value_type, double> &&
           converts_exactly_v<typename Sums::non_const_value_type, double> && Keys::rank == 1 && X::rank == 1 &&
           UniqueKeys::rank == 1 && Sums::rank == 1 && !std::is_const_v<typename UniqueKeys::value_type> &&
           !std::is_const_v<typename Sums::value_type>;
  }
  return false;
}

template <class V>
constexpr bool require_keys() {
  if constexpr (are_views_v<V>) {
    static_assert(
        is_integer_v<typename V::non_const_value_type> && V::rank == 1,
        "Exakt: sum_by_key(keys, x, unique_keys, sums): keys and unique_keys are vectors of integers of at most "
        "64 bits, x and sums are vectors of numbers");
  }
  return true;
}

/// What is asked of the operands.
template <class Space, class Keys, class X, class UniqueKeys, class Sums>
void require_keys_and_sums(char const* function, Keys const& keys, X const& x, UniqueKeys const& unique_keys,
                           Sums const& sums) {
  static_assert(require_views<Keys, UniqueKeys>());
  static_assert(require_keys<Keys>());
  static_assert(require_keys<UniqueKeys>());
  static_assert(require_access<Space, Keys>());
  static_assert(require_access<Space, UniqueKeys>());
  static_assert(require_operand<Space, X>());
  static_assert(require_operand<Space, Sums>());
  static_assert(require_output<UniqueKeys>());
  static_assert(require_output<Sums>());
  static_assert(X::rank == 1 && Sums::rank == 1, "Exakt: x and sums of sum_by_key are vectors");
  using Key = std::numeric_limits<typename Keys::non_const_value_type>;
  using UniqueKey = std::numeric_limits<typename UniqueKeys::non_const_value_type>;
  static_assert(!are_keys_and_sums<Keys, X, UniqueKeys, Sums>() ||
                    (Key::digits <= UniqueKey::digits && (UniqueKey::is_signed || !Key::is_signed)),
                "Exakt: unique_keys has the type of the keys, or one that holds all values of it");
  if (keys.extent(0) != x.extent(0)) refuse_shapes(function, "keys", keys, "x", x, "they must be the same");
  require_no_overlap(function, "unique_keys", unique_keys, "keys", keys);
  require_no_overlap(function, "unique_keys", unique_keys, "x", x);
  require_no_overlap(function, "sums", sums, "x", x);
  require_no_overlap(function, "sums", sums, "keys", keys);
  require_no_overlap(function, "sums", sums, "unique_keys", unique_keys);
}

/// Checks, and the sums.
template <class Space, class Keys, class X, class UniqueKeys, class Sums>
std::size_t sum_by_key(char const* function, Space const& space, Keys const& keys, X const& x,
                       UniqueKeys const& unique_keys, Sums const& sums) {
  require_keys_and_sums<Space>(function, keys, x, unique_keys, sums);
  std::size_t count = 0;
  in_region(Label{function}, [&] {
    if constexpr (!are_keys_and_sums<Keys, X, UniqueKeys, Sums>()) {
      return;
    } else if constexpr (std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>) {
      count = sum_by_key_on_host(space, keys, x, KeyedSums<UniqueKeys, Sums>{function, unique_keys, sums});
    } else {
      auto const require_room = [&](std::size_t needed) {
        KeyedSums<UniqueKeys, Sums>{function, unique_keys, sums}.require_room(needed);
      };
      if (auto const numbered = try_numbered_keys(space, keys, x, unique_keys, sums, require_room)) {
        count = *numbered;
        return;
      }
      Kokkos::DefaultHostExecutionSpace const host;
      auto const here = entries_on_host(space, unique_keys);
      auto const sums_here = entries_on_host(space, sums);
      count = sum_by_key_on_host(host, entries_on_host(space, keys), entries_on_host(space, x),
                                 KeyedSums<decltype(here), decltype(sums_here)>{function, here, sums_here});
      write_from_host(space, unique_keys, here, count);
      write_from_host(space, sums, sums_here, count);
    }
  });
  return count;
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
