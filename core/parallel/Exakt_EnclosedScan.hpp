// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_ENCLOSEDSCAN_HPP
#define EXAKT_ENCLOSEDSCAN_HPP

/// \file
/// \brief Prefixes on devices, as enclosures, and exactly where these do not decide them: in kernels none of which the
/// host waits for.
///
///     enclose      each column by a parallel_scan of cascades; an entry is written if its own decides it
///     add          the entries that are left, a team for each, from the first term on
///     otherwise    instead of that, where many are left: whatever the caller enqueues, which is for all entries
///
/// How many are left is read on the device, where one of the last two has nothing to do then. It runs on any space.

#include "../summation/Exakt_EnclosedSum.hpp"
#include "Exakt_ManySums.hpp"
#include "Exakt_Operand.hpp"

#include <type_traits>

namespace Exakt::Impl::inline EXAKT_ABI {

/// The numbers of the entries that enclosures leave, while they are few: for each, a team adds all terms before it.
struct UndecidedPrefixes : UndecidedSums {
  static constexpr std::size_t few = 255;

  /// Many are no longer counted one by one, for that takes longer than to round them.
  KOKKOS_FORCEINLINE_FUNCTION void add_if_few(std::size_t i) const {
    if (are_many()) return;
    auto const k = static_cast<std::size_t>(Kokkos::atomic_fetch_add(count, Word{1}));
    if (k < few) numbers[k] = i;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool are_many() const { return atomic_load(count) > few; }
};

/// The prefixes of a column, for parallel_scan. \tparam is_inclusive  Whether r(i) takes x(i) in.
template <bool is_inclusive, class X, class R>
struct EnclosePrefixes {
  using value_type = CascadedSum;
  static_assert(is_float_v<typename R::non_const_value_type>, "half types are not decided by enclosures");

  X x;
  R r;
  std::size_t column;
  UndecidedPrefixes undecided;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t row, CascadedSum& sum, bool is_final) const {
    EXAKT_IF_ON_DEVICE((add(row, sum, is_final);))
    EXAKT_IF_ON_HOST((in_default_environment([&] { add(row, sum, is_final); });))
  }

  KOKKOS_INLINE_FUNCTION void init(CascadedSum& sum) const { sum.clear(); }
  KOKKOS_INLINE_FUNCTION void join(CascadedSum& into, CascadedSum const& from) const { into += from; }
  // FIXME(kokkos<4): older versions call join on volatile references, to values that no other thread writes then.
  KOKKOS_INLINE_FUNCTION void join(CascadedSum volatile& into, CascadedSum const volatile& from) const {
    const_cast<CascadedSum&>(into) += const_cast<CascadedSum const&>(from);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t row, CascadedSum& sum, bool is_final) const {
    double const term = exact_double(entry_at(x, row, column));
    if constexpr (is_inclusive) sum += term;
    if (is_final) round(row, sum);
    if constexpr (!is_inclusive) sum += term;
  }
  KOKKOS_FORCEINLINE_FUNCTION void round(std::size_t row, CascadedSum const& sum) const {
    typename R::non_const_value_type result;
    if (try_round(sum.enclosure(), result)) {
      entry_at(r, row, column) = result;
    } else {
      undecided.add_if_few(column * x.extent(0) + row);
    }
  }
};

/// The terms of each prefix, and zeros instead of those behind it. Prefix i ends in row i % rows of column i / rows.
template <bool is_inclusive, class X>
struct TermsOfPrefixes {
  using Operations = SumOperations<double>;

  X x;

  KOKKOS_FORCEINLINE_FUNCTION double term(std::size_t row, std::size_t i) const {
    std::size_t const rows = x.extent(0), column = X::rank == 1 ? 0 : i / rows, last = i - column * rows;
    bool const is_before = is_inclusive ? row <= last : row < last;
    return is_before ? exact_double(entry_at(x, row, column)) : 0;
  }
};

/// What becomes of the sum of a prefix.
template <class R>
struct FinishPrefix {
  using Result = typename R::non_const_value_type;

  R r;

  KOKKOS_FORCEINLINE_FUNCTION Result& at(std::size_t i) const {
    std::size_t const rows = r.extent(0), column = R::rank == 1 ? 0 : i / rows;
    return entry_at(r, i - column * rows, column);
  }
  KOKKOS_FORCEINLINE_FUNCTION Result old(std::size_t) const { return Result(); }
  KOKKOS_FORCEINLINE_FUNCTION bool try_round(Enclosure const& sum, Result& result) const {
    return Impl::try_round(sum, result);
  }
  KOKKOS_INLINE_FUNCTION Result exactly(LongAccumulator<double> const& sum, Result const&) const {
    return sum.template round<Result>();
  }
};

/// The prefixes that are left, if they are few.
template <class Space, class Terms, class Finish>
struct AddUndecidedPrefixes : AddUndecidedSums<Space, Terms, Finish> {
  using Base = AddUndecidedSums<Space, Terms, Finish>;

  KOKKOS_INLINE_FUNCTION void operator()(typename Base::Member const& member) const {
    if (!UndecidedPrefixes{this->undecided}.are_many()) Base::operator()(member);
  }
};

/// \brief Whether that is worth it: not where columns are many and short, for there is a kernel for each of them. And whether
/// Kokkos counts so far: before version 3.6 it scans with int on CUDA.
template <class X>
bool scans_by_enclosures(X const& x) {
  constexpr std::size_t rows_for_a_column = 256;
  if (KOKKOS_VERSION < 30600 && x.extent(0) >> 30 != 0) return false;
  return x.extent(0) > 0 && (X::rank == 1 || x.extent(1) <= x.extent(0) / rows_for_a_column);
}

/// The entries of X, in memory that somebody else keeps.
template <class X>
using UncountedTerms = Kokkos::View<typename X::const_data_type, typename X::array_layout, typename X::device_type,
                                    Kokkos::MemoryUnmanaged>;

/// x, copied to where there is room for all of its entries.
template <class Space, class X>
UncountedTerms<X> copied_to(Space const& space, X const& x, std::uint8_t* memory) {
  using Layout = typename X::array_layout;
  using Copy = Kokkos::View<typename X::non_const_data_type, Layout, typename X::device_type, Kokkos::MemoryUnmanaged>;
  auto* const entries = reinterpret_cast<typename X::non_const_value_type*>(memory);
  std::size_t const rows = x.extent(0), columns = x.extent(1);
  Copy copy;
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
    copy = Copy(entries, X::rank == 1 ? Layout(rows, 1) : Layout(rows, 1, columns, rows));
  } else {
    copy = Copy(entries, X::rank == 1 ? Layout(rows) : Layout(rows, columns));
  }
  Kokkos::deep_copy(space, copy, x);
  return copy;
}

/// \brief r := the prefixes of the columns of x, enqueued.
///
/// \param otherwise  otherwise(x, undecided) enqueues kernels that write all of r if undecided.are_many(). It gets x as
///                   it was before.
/// \pre x has entries. r is x, or shares no memory with it.
template <bool is_inclusive, class Space, class X, class R, class Otherwise>
void scan_enclosures(std::string const& label, Space const& space, X const& x, R const& r, Otherwise const& otherwise) {
  constexpr std::size_t words = 1 + UndecidedPrefixes::few;
  bool const in_place = static_cast<void const*>(x.data()) == static_cast<void const*>(r.data());
  ScratchMemory<Space> const memory(space,
                                    words * sizeof(Word) + (in_place ? x.size() * sizeof(typename X::value_type) : 0));
  auto* const numbers = reinterpret_cast<Word*>(memory.data());
  UndecidedPrefixes const undecided{{numbers, numbers + 1}};
  using Terms = UncountedTerms<X>;
  Terms const terms = in_place ? copied_to(space, x, memory.data() + words * sizeof(Word)) : Terms(x);

  using Count = Kokkos::View<Word, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(space, Count(undecided.count), Word{0});
  std::size_t const rows = x.extent(0), columns = X::rank == 1 ? 1 : x.extent(1);
  using Enclose = EnclosePrefixes<is_inclusive, Terms, R>;
  for (std::size_t column = 0; column < columns; ++column)
    Kokkos::parallel_scan(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, rows),
                          Enclose{terms, r, column, undecided});

  using Add = AddUndecidedPrefixes<Space, TermsOfPrefixes<is_inclusive, Terms>, FinishPrefix<R>>;
  Add const add{{{terms}, rows, undecided, {r}}};
  int const threads = large_team<Add>(space, held(add), Add::Base::Sums::threads_that_share);
  std::size_t const teams = std::min<std::size_t>(rows * columns, UndecidedPrefixes::few);
  Kokkos::parallel_for(label, policy_of_teams<Add>(space, teams, threads), held(add));
  otherwise(terms, undecided);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
