// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_C.hpp"
#include "ExaktTest_Cases.hpp"
#include "ExaktTest_FpEnvironment.hpp"

#include <Exakt_Accumulator.hpp>
#include <Exakt_Serialization.hpp>

#include <cstring>

namespace {

using namespace ExaktTest;

void check_value(Handle const& a, Exact const& exact) {
  for (Rounding const mode : every_rounding) {
    double result = 1;
    float narrow = 1;
    REQUIRE(exakt_accumulator_round(a.get(), static_cast<exakt_rounding>(mode), &result) == EXAKT_SUCCESS);
    REQUIRE(exakt_accumulator_round_float(a.get(), static_cast<exakt_rounding>(mode), &narrow) == EXAKT_SUCCESS);
    EXAKT_CHECK_BITS(result, exact.round<double>(mode));
    EXAKT_CHECK_BITS(narrow, exact.round<float>(mode));
    REQUIRE(exakt_accumulator_round_sqrt(a.get(), static_cast<exakt_rounding>(mode), &result) == EXAKT_SUCCESS);
    REQUIRE(exakt_accumulator_round_sqrt_float(a.get(), static_cast<exakt_rounding>(mode), &narrow) == EXAKT_SUCCESS);
    EXAKT_CHECK_BITS(result, exact.round_sqrt<double>(mode));
    EXAKT_CHECK_BITS(narrow, exact.round_sqrt<float>(mode));
  }
}

bool are_equal(Handle const& a, Handle const& b) {
  int equal = -1;
  REQUIRE(exakt_accumulator_equal(a.get(), b.get(), &equal) == EXAKT_SUCCESS);
  return equal == 1;
}

std::vector<std::byte> bytes_of(Handle const& a) {
  std::size_t size = 0, again = 0;
  REQUIRE(exakt_accumulator_to_bytes(a.get(), nullptr, 0, &size) == EXAKT_SUCCESS);
  std::vector<std::byte> bytes(size);
  REQUIRE(exakt_accumulator_to_bytes(a.get(), bytes.data(), size, &again) == EXAKT_SUCCESS);
  REQUIRE((again == size && size <= EXAKT_BYTES_AT_MOST));
  return bytes;
}

/// The words of an accumulator, `copies` times, added to an empty one.
void check_words(Handle const& a, exakt_accumulator_kind kind, Exact const& exact) {
  std::int64_t words[EXAKT_DOT_WORDS], total[EXAKT_DOT_WORDS] = {};
  std::size_t const count = kind == EXAKT_SUM ? EXAKT_SUM_WORDS : EXAKT_DOT_WORDS;
  REQUIRE(exakt_accumulator_to_words(a.get(), words) == EXAKT_SUCCESS);
  constexpr std::int64_t most = 0x7fffffff;
  for (std::size_t k = 0; k < count; ++k) total[k] = words[k] * most;
  auto const sum = make(kind), many = make(kind);
  REQUIRE(exakt_accumulator_add_words(sum.get(), words) == EXAKT_SUCCESS);
  EXAKT_CHECK(are_equal(sum, a));
  check_value(sum, exact);
  // 2^31 - 1 times the sum, once more by doubling: 2^31 times, less one.
  REQUIRE(exakt_accumulator_add_words(many.get(), total) == EXAKT_SUCCESS);
  auto const doubled = make(kind);
  exakt_accumulator_merge(doubled.get(), a.get());
  for (int i = 0; i < 31; ++i) exakt_accumulator_merge(doubled.get(), doubled.get());
  if (exact.is_finite()) exakt_accumulator_subtract(doubled.get(), a.get());
  EXAKT_CHECK(are_equal(many, doubled));
}

}  // namespace

TEST_CASE("an accumulator of C holds the exact sum, whichever way its terms came in") {
  Random random(1920);
  for (auto const& family : short_families<double>()) {
    for (int repetition = 0; repetition < 5; ++repetition) {
      INFO(family.name);
      auto const terms = family.make(random);
      Exact const exact = exact_sum(terms);
      auto const one_by_one = make(EXAKT_SUM), at_once = make(EXAKT_SUM), of_products = make(EXAKT_DOT);
      for (double const x : terms) {
        EXAKT_CHECK(exakt_accumulator_add(one_by_one.get(), x) == EXAKT_SUCCESS);
        EXAKT_CHECK(exakt_accumulator_add_product(of_products.get(), x, 1) == EXAKT_SUCCESS);
      }
      std::ptrdiff_t const increment = random.one_of(1, 2, -1, -3);
      Incremented<double> x(terms, increment);
      REQUIRE(exakt_accumulator_add_array(at_once.get(), length(terms), x.data(), increment) == EXAKT_SUCCESS);
      check_value(one_by_one, exact);
      check_value(at_once, exact);
      check_value(of_products, exact);
      EXAKT_CHECK(are_equal(one_by_one, at_once));
      EXAKT_CHECK(bytes_of(one_by_one) == bytes_of(at_once));
      check_words(one_by_one, EXAKT_SUM, exact);

      // Bytes are those of C++.
      Exakt::SumAccumulator<double> sum;
      for (double const term : terms) sum += term;
      auto const bytes = bytes_of(at_once);
      EXAKT_CHECK(Exakt::to_bytes(sum) == bytes);
      exakt_accumulator* read = nullptr;
      REQUIRE(exakt_accumulator_from_bytes(bytes.data(), bytes.size(), &read) == EXAKT_SUCCESS);
      Handle const owner(read);
      EXAKT_CHECK(are_equal(owner, one_by_one));
    }
  }
}

TEST_CASE("an accumulator of C holds exact products, of doubles and of floats, in arrays of any increment") {
  Random random(1921);
  for (auto const& family : short_product_families<double>()) {
    INFO(family.name);
    auto const terms = family.make(random);
    Exact const exact = exact_dot(terms.x, terms.y);
    for (std::ptrdiff_t const incx : every_increment) {
      for (std::ptrdiff_t const incy : every_increment) {
        Incremented<double> x(terms.x, incx), y(terms.y, incy);
        auto const a = make(EXAKT_DOT);
        REQUIRE(exakt_accumulator_add_products(a.get(), length(terms.x), x.data(), incx, y.data(), incy) ==
                EXAKT_SUCCESS);
        check_value(a, exact);
        if (incx == 1) check_words(a, EXAKT_DOT, exact);
        auto const bytes = bytes_of(a);
        exakt_accumulator* read = nullptr;
        REQUIRE(exakt_accumulator_from_bytes(bytes.data(), bytes.size(), &read) == EXAKT_SUCCESS);
        Handle const owner(read);
        EXAKT_CHECK(are_equal(owner, a));
      }
    }
  }
  for (auto const& family : long_product_families<float>()) {
    INFO(family.name);
    auto const terms = family.make(random);
    Incremented<float> x(terms.x, -2), y(terms.y, 3);
    auto const a = make(EXAKT_DOT), b = make(EXAKT_SUM);
    REQUIRE(exakt_accumulator_add_float_products(a.get(), length(terms.x), x.data(), -2, y.data(), 3) == EXAKT_SUCCESS);
    check_value(a, exact_dot(terms.x, terms.y));
    REQUIRE(exakt_accumulator_add_floats(b.get(), length(terms.x), x.data(), -2) == EXAKT_SUCCESS);
    check_value(b, exact_sum(terms.x));
  }
}

TEST_CASE("words hold sums far beyond the largest term, up to where accumulators are infinite") {
  for (exakt_accumulator_kind const kind : {EXAKT_SUM, EXAKT_DOT}) {
    for (double const sign : {1.0, -1.0}) {
      auto const a = make(kind);
      if (kind == EXAKT_SUM)
        exakt_accumulator_add(a.get(), sign * 0x1.8p1023);
      else
        exakt_accumulator_add_product(a.get(), sign * 0x1.8p1023, 0x1p1023);
      for (int doubled = 0; doubled < 130; ++doubled) {
        INFO(kind << ", " << sign << ", " << doubled);
        std::int64_t words[EXAKT_DOT_WORDS];
        REQUIRE(exakt_accumulator_to_words(a.get(), words) == EXAKT_SUCCESS);
        auto const b = make(kind);
        REQUIRE(exakt_accumulator_add_words(b.get(), words) == EXAKT_SUCCESS);
        EXAKT_CHECK(are_equal(a, b));
        REQUIRE(exakt_accumulator_merge(a.get(), a.get()) == EXAKT_SUCCESS);
      }
      // One more than there are digits for.
      std::int64_t words[EXAKT_DOT_WORDS] = {};
      words[(kind == EXAKT_SUM ? EXAKT_SUM_WORDS : EXAKT_DOT_WORDS) - 3] = sign > 0 ? 0xffffffff : -0xffffffffLL;
      auto const b = make(kind);
      REQUIRE(exakt_accumulator_add_words(b.get(), words) == EXAKT_SUCCESS);
      EXAKT_CHECK(are_equal(a, b));
    }
  }
}

TEST_CASE("merged sums of C are removed without a trace, copies are their own, cleared ones empty") {
  Random random(1922);
  for (auto const& family : short_families<double>()) {
    auto const terms = family.make(random), others = family.make(random);
    auto const a = make(EXAKT_SUM), b = make(EXAKT_SUM);
    exakt_accumulator_add_array(a.get(), length(terms), terms.data(), 1);
    exakt_accumulator_add_array(b.get(), length(others), others.data(), 1);
    exakt_accumulator* copied = nullptr;
    REQUIRE(exakt_accumulator_copy(a.get(), &copied) == EXAKT_SUCCESS);
    Handle const copy(copied);
    REQUIRE(exakt_accumulator_merge(a.get(), b.get()) == EXAKT_SUCCESS);
    check_value(a, Exact().add_all(terms).add_all(others));
    check_value(copy, exact_sum(terms));
    if (exact_sum(others).is_finite()) {
      REQUIRE(exakt_accumulator_subtract(a.get(), b.get()) == EXAKT_SUCCESS);
      EXAKT_CHECK(are_equal(a, copy));
    }
    REQUIRE(exakt_accumulator_clear(a.get()) == EXAKT_SUCCESS);
    check_value(a, Exact());
  }
  auto const a = make(EXAKT_SUM), b = make(EXAKT_SUM);
  exakt_accumulator_add(a.get(), 0x1p-1074);
  CHECK(!are_equal(a, b));
}

TEST_CASE("a sum of numbers is merged into one of products, removed from it and compared with it") {
  Random random(1924);
  for (auto const& family : short_families<double>()) {
    INFO(family.name);
    auto const terms = family.make(random), others = family.make(random);
    auto const numbers = make(EXAKT_SUM), products = make(EXAKT_DOT), both = make(EXAKT_DOT), same = make(EXAKT_DOT);
    exakt_accumulator_add_array(numbers.get(), length(terms), terms.data(), 1);
    exakt_accumulator_add_array(same.get(), length(terms), terms.data(), 1);
    EXAKT_CHECK(are_equal(numbers, same));
    EXAKT_CHECK(are_equal(same, numbers));
    for (auto const& a : {products.get(), both.get()})
      exakt_accumulator_add_products(a, length(others), others.data(), 1, others.data(), 1);
    REQUIRE(exakt_accumulator_merge(both.get(), numbers.get()) == EXAKT_SUCCESS);
    Exact const exact = exact_dot(others, others).add_all(terms);
    check_value(both, exact);
    if (exact_sum(terms).is_finite()) {
      REQUIRE(exakt_accumulator_subtract(both.get(), numbers.get()) == EXAKT_SUCCESS);
      EXAKT_CHECK(are_equal(both, products));
    }
  }
  // The smallest number, and sums beyond the largest: of both signs.
  for (double const sign : {1.0, -1.0}) {
    auto const numbers = make(EXAKT_SUM), products = make(EXAKT_DOT);
    exakt_accumulator_add(numbers.get(), sign * 0x1p-1074);
    exakt_accumulator_merge(products.get(), numbers.get());
    check_value(products, Exact().add_all(std::vector<double>{sign * 0x1p-1074}));
    for (int i = 0; i < 1000; ++i) exakt_accumulator_add(numbers.get(), sign * 0x1.fffffffffffffp1023);
    CHECK(!are_equal(numbers, products));
    exakt_accumulator_subtract(products.get(), numbers.get());
    for (int i = 0; i < 999; ++i) exakt_accumulator_add(products.get(), sign * 0x1.fffffffffffffp1023);
    check_value(products, Exact().add_all(std::vector<double>{sign * -0x1.fffffffffffffp1023}));
  }
}

TEST_CASE("accumulators and bins of C in every floating-point environment") {
  Random random(1923);
  for (FpSettings const& settings : every_fp_environment_of_hosts()) {
    INFO(settings.name);
    for (auto const& family : short_product_families<double>()) {
      auto const terms = family.make(random);
      auto const a = make(EXAKT_DOT), b = make(EXAKT_DOT);
      auto const bins = make_bins(1);
      double result[3] = {};
      bool done = true;
      {
        ScopedFpEnvironment const hostile(settings);
        for (std::size_t i = 0; i < terms.size(); ++i) {
          done = done && exakt_accumulator_add_product(a.get(), terms.x[i], terms.y[i]) == EXAKT_SUCCESS &&
                 exakt_accumulator_add(a.get(), terms.x[i]) == EXAKT_SUCCESS &&
                 exakt_scatter_add(bins.get(), 0, terms.x[i]) == EXAKT_SUCCESS;
        }
        done = done &&
               exakt_accumulator_add_products(b.get(), length(terms.x), terms.x.data(), 1, terms.y.data(), 1) ==
                   EXAKT_SUCCESS &&
               exakt_accumulator_add_array(b.get(), length(terms.x), terms.x.data(), 1) == EXAKT_SUCCESS &&
               exakt_accumulator_round(a.get(), EXAKT_TO_NEAREST, &result[0]) == EXAKT_SUCCESS &&
               exakt_accumulator_round(b.get(), EXAKT_TO_NEAREST, &result[1]) == EXAKT_SUCCESS &&
               exakt_scatter_round(bins.get(), 0, EXAKT_TO_NEAREST, &result[2]) == EXAKT_SUCCESS;
      }
      EXAKT_CHECK(done);
      auto const expected = exact_dot(terms.x, terms.y).add_all(terms.x).round<double>();
      EXAKT_CHECK_BITS(result[0], expected);
      EXAKT_CHECK_BITS(result[1], expected);
      EXAKT_CHECK_BITS(result[2], exact_sum(terms.x).round<double>());
    }
  }
}

TEST_CASE("accumulators in memory of the caller are copied as bytes") {
  struct Memory {
    alignas(std::int64_t) unsigned char bytes[EXAKT_ACCUMULATOR_SIZE];
  };
  double const x[] = {1, 0x1p900, 2, -0x1p900};
  for (exakt_accumulator_kind const kind : {EXAKT_SUM, EXAKT_DOT}) {
    Memory memory, copied;
    exakt_accumulator* created = nullptr;
    REQUIRE(exakt_accumulator_create_in(kind, memory.bytes, sizeof memory.bytes, &created) == EXAKT_SUCCESS);
    CHECK(static_cast<void*>(created) == memory.bytes);
    for (double const term : x) REQUIRE(exakt_accumulator_add(created, term) == EXAKT_SUCCESS);
    std::memcpy(copied.bytes, memory.bytes, sizeof memory.bytes);
    std::memset(memory.bytes, 0xff, sizeof memory.bytes);
    auto* const copy = reinterpret_cast<exakt_accumulator*>(copied.bytes);
    REQUIRE(exakt_accumulator_add_array(copy, 4, x, 1) == EXAKT_SUCCESS);
    double result = 0;
    CHECK(exakt_accumulator_round(copy, EXAKT_TO_NEAREST, &result) == EXAKT_SUCCESS);
    CHECK(result == 6);
  }
}

TEST_CASE("what accumulators of C cannot do is refused in a sentence") {
  auto const sum = make(EXAKT_SUM), dot = make(EXAKT_DOT);
  exakt_accumulator* created = nullptr;
  double result = 7;
  int equal = 7;
  std::size_t size = 7;
  check_refused(exakt_accumulator_create(static_cast<exakt_accumulator_kind>(2), &created),
                "exakt_accumulator_create: the kind is 2; it must be EXAKT_SUM or EXAKT_DOT");
  check_refused(exakt_accumulator_create(EXAKT_SUM, nullptr), "exakt_accumulator_create: created is NULL");
  alignas(std::int64_t) unsigned char memory[EXAKT_ACCUMULATOR_SIZE + 1] = {};
  auto const create_in = [&](int kind, void* where, std::size_t capacity, exakt_accumulator** to) {
    return exakt_accumulator_create_in(static_cast<exakt_accumulator_kind>(kind), where, capacity, to);
  };
  check_refused(create_in(7, memory, EXAKT_ACCUMULATOR_SIZE, &created),
                "exakt_accumulator_create_in: the kind is 7; it must be EXAKT_SUM or EXAKT_DOT");
  check_refused(create_in(EXAKT_DOT, nullptr, EXAKT_ACCUMULATOR_SIZE, &created),
                "exakt_accumulator_create_in: memory is NULL");
  check_refused(create_in(EXAKT_DOT, memory, EXAKT_ACCUMULATOR_SIZE, nullptr),
                "exakt_accumulator_create_in: created is NULL");
  check_refused(create_in(EXAKT_DOT, memory + 1, EXAKT_ACCUMULATOR_SIZE, &created),
                "exakt_accumulator_create_in: the memory is not aligned as an int64_t is");
  CHECK(create_in(EXAKT_DOT, memory, 100, &created) == EXAKT_INVALID_ARGUMENT);
  CHECK(std::string(exakt_message())
            .find("exakt_accumulator_create_in: there is room for 100 bytes, an accumulator of this library takes ") ==
        0);
  check_refused(exakt_accumulator_add(nullptr, 1), "exakt_accumulator_add: the accumulator is NULL");
  check_refused(exakt_accumulator_add_product(sum.get(), 1, 1),
                "exakt_accumulator_add_product: products are for accumulators of the kind EXAKT_DOT, this one is an "
                "EXAKT_SUM");
  check_refused(
      exakt_accumulator_merge(sum.get(), dot.get()),
      "exakt_accumulator_merge: the accumulator is an EXAKT_SUM, the other an EXAKT_DOT, which may hold products");
  check_refused(exakt_accumulator_subtract(sum.get(), dot.get()),
                "exakt_accumulator_subtract: the accumulator is an EXAKT_SUM, the other an EXAKT_DOT, which may hold "
                "products");
  check_refused(exakt_accumulator_equal(dot.get(), nullptr, &equal),
                "exakt_accumulator_equal: the other accumulator is NULL");
  check_refused(exakt_accumulator_equal(dot.get(), dot.get(), nullptr), "exakt_accumulator_equal: equal is NULL");
  check_refused(exakt_accumulator_round(sum.get(), static_cast<exakt_rounding>(-1), &result),
                "exakt_accumulator_round: the rounding mode is -1; it must be EXAKT_TO_NEAREST, EXAKT_TOWARD_ZERO, "
                "EXAKT_UPWARD or EXAKT_DOWNWARD");
  char bytes[EXAKT_BYTES_AT_MOST] = {};
  check_refused(exakt_accumulator_to_bytes(sum.get(), bytes, 3, &size),
                "exakt_accumulator_to_bytes: there is room for 3 bytes, the accumulator has 20");
  check_refused(exakt_accumulator_to_bytes(sum.get(), bytes, 20, nullptr), "exakt_accumulator_to_bytes: size is NULL");
  check_refused(exakt_accumulator_from_bytes(bytes, 20, &created),
                "exakt_accumulator_from_bytes: not an accumulator: the bytes do not begin with EXKT");
  check_refused(exakt_accumulator_from_bytes(nullptr, 20, &created), "exakt_accumulator_from_bytes: bytes is NULL");
  check_refused(exakt_accumulator_to_words(sum.get(), nullptr), "exakt_accumulator_to_words: words is NULL");
  check_refused(exakt_accumulator_add_words(sum.get(), nullptr), "exakt_accumulator_add_words: words is NULL");
  CHECK((result == 7 && equal == 7 && size == 7 && created == nullptr));
  CHECK(exakt_accumulator_destroy(nullptr) == EXAKT_SUCCESS);
}
