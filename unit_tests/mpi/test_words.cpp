// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_Ranks.hpp"

#include <cmath>
#include <limits>

namespace {

using namespace ExaktTest;
using Exakt::LongAccumulator;
using Exakt::Mpi::Impl::DigitRange;
using Exakt::Mpi::Impl::UsedDigits;
using Exakt::Mpi::Impl::Words;

constexpr int most_ranks = std::numeric_limits<int>::max();

/// Sums and how many ranks contribute each: the words of many ranks without the ranks.
template <class Long>
class ManyRanks {
 public:
  explicit ManyRanks(int ranks) : m_format(ranks), m_words(static_cast<std::size_t>(m_format.per_sum())) {}

  void contribute(Long sum, Exact const& exact, int ranks) {
    std::vector<std::int64_t> words(m_words.size(), 42);
    std::int64_t const special = m_format.prepare(sum);
    m_format.pack(sum, Long::all_digits, words.data());
    m_used.add(sum);
    for (std::size_t i = 0; i < words.size(); ++i) add(m_words[i], words[i], ranks);
    add(m_special, special, ranks);
    // The oracle multiplies by doubling.
    Exact power = exact;
    for (int rest = ranks; rest > 0; rest /= 2) {
      if (rest % 2 != 0) m_exact.add(power);
      power.add(Exact(power));
    }
  }

  void check() const {
    check_range(Long::all_digits);
    check_range(m_used.range());
  }

 private:
  /// What MPI_SUM does with one word of that many ranks, in any order: no partial sum leaves 64 bits.
  static void add(std::int64_t& total, std::int64_t word, int ranks) {
    std::int64_t product = 0;
    EXAKT_CHECK(!__builtin_mul_overflow(word, std::int64_t{ranks}, &product));
    EXAKT_CHECK(!__builtin_add_overflow(total, product, &total));
  }

  void check_range(DigitRange range) const {
    Long total;
    m_format.unpack(m_words.data() + std::min(range.begin, Long::digit_count - 1) * m_format.per_digit(), range, total);
    Words<Long>::unpack_special(m_special, total);
    for (auto const mode : every_rounding)
      EXAKT_CHECK_BITS(total.template round<double>(mode), m_exact.round<double>(mode));
  }

  Words<Long> m_format;
  std::vector<std::int64_t> m_words;
  UsedDigits<Long> m_used;
  std::int64_t m_special = 0;
  Exact m_exact;
};

template <class Long>
void check_families_on_many_ranks() {
  Random random(910);
  std::vector<SumCase<double>> const& cases = stored_sum_cases<double>(2, 911);
  for (int const ranks : {1, 2, 3, 4, 63, 64, 127, 128, 100'000, most_ranks}) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      auto const& other = cases[random.between<std::size_t>(0, cases.size() - 1)];
      INFO(cases[i].family << " and " << other.family << " on " << ranks << " ranks");
      ManyRanks<Long> all(ranks);
      int const with_other = random.one_of(0, 1, ranks / 2);
      Long sum, other_sum;
      for (double const x : cases[i].terms) sum += x;
      for (double const x : other.terms) other_sum += x;
      all.contribute(sum, cases[i].exact, ranks - with_other);
      all.contribute(i % 2 == 0 ? other_sum : other_sum.normalized(), other.exact, with_other);
      all.check();
    }
  }
}

/// Digits that are not normalized, as large as a rank may send them: many additions of all ones.
template <class Long>
void check_full_digits() {
  for (int const ranks : {2, 3, 4, 7, 63, 64}) {
    for (int additions = 1; additions < 130; additions += additions < 20 ? 1 : 9) {
      Long sum;
      Exact exact;
      for (int i = 0; i < additions; ++i) {
        for (int exponent = -1021; exponent < 1000; exponent += 53) {
          double const ones = std::ldexp(0x1.fffffffffffffp0, exponent);
          sum -= ones;
          exact.subtract(ones);
        }
      }
      ManyRanks<Long> all(ranks);
      all.contribute(sum, exact, ranks);
      all.check();
    }
  }
}

/// Words as large as they get: all digits ones, and leading digits of -2^RadixBits.
template <class Long>
void check_extreme_digits() {
  for (int const ranks : {3, 4, 63, 64, most_ranks}) {
    for (int exponent = -1074; exponent < 1024; exponent += exponent % 7 == 0 ? 1 : 13) {
      double const power = std::ldexp(1.0, exponent);
      for (double const below : {0.0, 0x1p-1074}) {
        for (bool const negative : {false, true}) {
          Long sum;
          sum += power;
          sum -= below;
          Long opposite;
          opposite -= sum;
          Exact exact = exact_sum<double>({power, -below});
          if (negative) exact.negate();
          ManyRanks<Long> all(ranks);
          all.contribute(negative ? opposite : sum, exact, ranks);
          all.check();
        }
      }
    }
  }
}

bool not_the_only_rank() { return size_of(MPI_COMM_WORLD) > 1; }  // nothing here communicates: one rank is enough

}  // namespace

TEST_CASE("words of any number of ranks are added without overflow, and to the exact sum") {
  if (not_the_only_rank()) return;
  check_families_on_many_ranks<LongAccumulator<double>>();
  check_families_on_many_ranks<LongAccumulator<double, 60>>();
  check_families_on_many_ranks<LongAccumulator<double, 33>>();
  check_families_on_many_ranks<LongAccumulator<double, 16>>();
  check_families_on_many_ranks<LongAccumulator<double, 56, Exakt::Terms::products>>();
}

TEST_CASE("the largest and smallest digits of any number of ranks are added without overflow") {
  if (not_the_only_rank()) return;
  check_extreme_digits<LongAccumulator<double>>();
  check_extreme_digits<LongAccumulator<double, 60>>();
  check_full_digits<LongAccumulator<double>>();
  check_full_digits<LongAccumulator<double, 53>>();
}

TEST_CASE("whole digits travel as long as they fit: 63 ranks at 56 bits, any number at 31") {
  auto const per_digit = [](auto const& format) { return format.per_digit(); };
  using Long56 = Words<LongAccumulator<double>>;
  using Long60 = Words<LongAccumulator<double, 60>>;
  using Long32 = Words<LongAccumulator<double, 32>>;
  CHECK(per_digit(Long56(1)) == 1);
  CHECK(per_digit(Long56(63)) == 1);
  CHECK(per_digit(Long56(64)) == 2);
  CHECK(per_digit(Long60(3)) == 1);
  CHECK(per_digit(Long60(4)) == 2);
  CHECK(per_digit(Long32(most_ranks / 2)) == 1);
  CHECK(per_digit(Long32(most_ranks)) == 2);
}

TEST_CASE("sums beyond the last digit on many ranks are infinities of their sign") {
  if (not_the_only_rank()) return;
  using Long = LongAccumulator<double>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (bool const negative : {false, true}) {
    Long sum;
    sum += negative ? -std::numeric_limits<double>::max() : std::numeric_limits<double>::max();
    for (int i = 0; i < 64; ++i) sum += Long(sum);
    Words<Long> const format(most_ranks);
    std::vector<std::int64_t> words(static_cast<std::size_t>(format.per_sum()));
    Long prepared = sum, total, received;
    EXAKT_CHECK(format.prepare(prepared) == 0);
    format.pack(prepared, Long::all_digits, words.data());
    for (auto& word : words) EXAKT_CHECK(!__builtin_mul_overflow(word, std::int64_t{most_ranks}, &word));
    format.unpack(words.data(), Long::all_digits, total);
    EXAKT_CHECK_BITS(total.round(), negative ? -infinity : infinity);
    EXAKT_CHECK(!total.is_finite());
    // Beyond the last digit on one rank already: an infinity, which is sent as one.
    while (sum.is_finite()) sum += Long(sum);
    std::int64_t const special = Words<Long>(2).prepare(sum);
    Words<Long>(2).pack(sum, Long::all_digits, words.data());
    Words<Long>(2).unpack(words.data(), Long::all_digits, received);
    Words<Long>::unpack_special(special, received);
    EXAKT_CHECK_BITS(received.round(), negative ? -infinity : infinity);
  }
}
