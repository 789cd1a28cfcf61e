// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../sparse/ExaktTest_SparseMatrices.hpp"
#include "ExaktTest_C.hpp"
#include "ExaktTest_FpEnvironment.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cmath>

namespace {

using namespace ExaktTest;

exakt_status csrmv(exakt_transpose trans, std::size_t m, std::size_t n, double alpha, std::int32_t const* map,
                   std::int32_t const* columns, double const* a, double const* x, double beta, double* y) {
  return exakt_dcsrmv(trans, static_cast<std::ptrdiff_t>(m), static_cast<std::ptrdiff_t>(n), alpha, map, columns, a, x,
                      beta, y);
}
exakt_status csrmv(exakt_transpose trans, std::size_t m, std::size_t n, float alpha, std::int32_t const* map,
                   std::int32_t const* columns, float const* a, float const* x, float beta, float* y) {
  return exakt_scsrmv(trans, static_cast<std::ptrdiff_t>(m), static_cast<std::ptrdiff_t>(n), alpha, map, columns, a, x,
                      beta, y);
}
exakt_status csrmv(exakt_transpose trans, std::size_t m, std::size_t n, double alpha, std::int64_t const* map,
                   std::int64_t const* columns, double const* a, double const* x, double beta, double* y) {
  return exakt_dcsrmv_64(trans, static_cast<std::ptrdiff_t>(m), static_cast<std::ptrdiff_t>(n), alpha, map, columns, a,
                         x, beta, y);
}
exakt_status csrmv(exakt_transpose trans, std::size_t m, std::size_t n, float alpha, std::int64_t const* map,
                   std::int64_t const* columns, float const* a, float const* x, float beta, float* y) {
  return exakt_scsrmv_64(trans, static_cast<std::ptrdiff_t>(m), static_cast<std::ptrdiff_t>(n), alpha, map, columns, a,
                         x, beta, y);
}

template <class T, class Index>
struct Rows {
  std::vector<Index> map, columns;
  std::vector<T> values;

  explicit Rows(Entries<T> const& a) : map(a.rows + 1) {
    for (auto const& entry : a.list) {
      ++map[entry.row + 1];
      columns.push_back(static_cast<Index>(entry.column));
      values.push_back(entry.value);
    }
    for (std::size_t i = 0; i < a.rows; ++i) map[i + 1] += map[i];
  }
};

template <class T, class Index>
void check_products(Random& random, Hardness hardness) {
  auto const m = random.between<std::size_t>(1, 60), n = random.between<std::size_t>(1, 70);
  auto const [a, x] = hard_sparse_product<T, T>(random, hardness, m, n);
  Rows<T, Index> const rows(a);
  HardFactors const factors(random);
  // An alpha of zero has a test of its own.
  T const alpha = static_cast<T>(factors.alpha) == 0 ? T{-1} : static_cast<T>(factors.alpha),
          beta = static_cast<T>(factors.beta);
  for (exakt_transpose const trans : {EXAKT_NO_TRANS, EXAKT_TRANS, EXAKT_CONJ_TRANS}) {
    INFO(name_of(hardness) << ", trans " << trans << ", " << m << " x " << n << ", alpha " << alpha << ", beta "
                           << beta);
    bool const transposed = trans != EXAKT_NO_TRANS;
    auto right = x;
    right.resize(transposed ? m : n, T{3});
    std::vector<T> y(transposed ? n : m);
    for (T& entry : y) entry = hard_number<T>(random, hardness);
    auto const expected = expected_sparse_product(transposed, double{alpha}, a, right, double{beta}, y);
    for (FpSettings const& settings : every_fp_environment_of_hosts()) {
      auto result = y;
      exakt_status status{};
      {
        ScopedFpEnvironment const hostile(settings);
        status = csrmv(trans, m, n, alpha, rows.map.data(), rows.columns.data(), rows.values.data(), right.data(), beta,
                       result.data());
      }
      EXAKT_CHECK(status == EXAKT_SUCCESS);
      for (std::size_t i = 0; i < expected.size(); ++i) EXAKT_CHECK_BITS(result[i], expected[i]);
    }
  }
}

}  // namespace

TEST_CASE("sparse products from C: each entry is the exact alpha op(A) x + beta y, rounded once, in any environment") {
  Random random(9100);
  for (std::uint64_t i = 0; i < 20 * case_factor(); ++i)
    for (Hardness const hardness : every_hardness) {
      check_products<double, std::int32_t>(random, hardness);
      check_products<double, std::int64_t>(random, hardness);
      check_products<float, std::int32_t>(random, hardness);
      check_products<float, std::int64_t>(random, hardness);
    }
}

TEST_CASE("sparse products from C: no rows, no entries, factors of zero") {
  std::int32_t const map[] = {0, 0, 0}, offset_map[] = {1, 1, 2}, column[] = {7, 1};
  double const value[] = {9, 2}, x[] = {10, 20, 30}, nan = std::numeric_limits<double>::quiet_NaN();
  double y[] = {1, 2, 3};
  CHECK(exakt_dcsrmv(EXAKT_NO_TRANS, 0, 3, 1, nullptr, nullptr, nullptr, nullptr, 1, nullptr) == EXAKT_SUCCESS);
  CHECK(exakt_dcsrmv(EXAKT_TRANS, 0, 3, 1, nullptr, nullptr, nullptr, nullptr, 2, y) == EXAKT_SUCCESS);
  CHECK((y[0] == 2 && y[2] == 6));
  CHECK(exakt_dcsrmv(EXAKT_NO_TRANS, 2, 3, 1, map, nullptr, nullptr, x, 0.5, y) == EXAKT_SUCCESS);
  CHECK((y[0] == 1 && y[1] == 2 && y[2] == 6));
  CHECK(exakt_dcsrmv(EXAKT_NO_TRANS, 2, 3, 0, nullptr, nullptr, nullptr, nullptr, 2, y) == EXAKT_SUCCESS);
  CHECK((y[0] == 2 && y[1] == 4));
  // Entries in front of the first row are of none; without beta y is not read.
  y[0] = y[1] = nan;
  CHECK(exakt_dcsrmv(EXAKT_NO_TRANS, 2, 3, 1, offset_map, column, value, x, 0, y) == EXAKT_SUCCESS);
  CHECK((y[0] == 0 && y[1] == 40));
}

TEST_CASE("sparse matrices that are none are refused in a sentence") {
  std::int32_t const map[] = {0, 1, 2}, decreasing[] = {0, 3, 2}, negative[] = {-1, 0, 2}, ends_negative[] = {0, 0, -5},
                     columns[] = {0, 2}, wrong[] = {0, -1};
  double const a[] = {1, 2}, x[] = {1, 1, 1};
  double y[3] = {};
  auto const product = [&](exakt_transpose trans, std::int32_t const* row_map, std::int32_t const* of,
                           std::ptrdiff_t n) { return exakt_dcsrmv(trans, 2, n, 1, row_map, of, a, x, 0, y); };
  for (exakt_transpose const trans : {EXAKT_NO_TRANS, EXAKT_TRANS}) {
    check_refused(
        product(trans, decreasing, columns, 3),
        "exakt_dcsrmv: row_map[0] is 0, row_map[1] is 3, row_map[2] is 2; a row map must not decrease, nor be "
        "negative");
    check_refused(
        product(trans, negative, columns, 3),
        "exakt_dcsrmv: row_map[0] is -1, row_map[1] is 0, row_map[2] is 2; a row map must not decrease, nor be "
        "negative");
    check_refused(
        product(trans, ends_negative, columns, 3),
        "exakt_dcsrmv: row_map[0] is 0, row_map[1] is 0, row_map[2] is -5; a row map must not decrease, nor be "
        "negative");
    check_refused(product(trans, map, columns, 2), "exakt_dcsrmv: columns[1] is 2, in row 1; the matrix has 2 columns");
    check_refused(product(trans, map, wrong, 2), "exakt_dcsrmv: columns[1] is -1, in row 1; the matrix has 2 columns");
  }
  check_refused(product(7, map, columns, 3),
                "exakt_dcsrmv: trans is 7; it must be EXAKT_NO_TRANS, EXAKT_TRANS or EXAKT_CONJ_TRANS");
  check_refused(product(EXAKT_NO_TRANS, nullptr, columns, 3), "exakt_dcsrmv: row_map is NULL");
  check_refused(product(EXAKT_NO_TRANS, map, nullptr, 3), "exakt_dcsrmv: columns is NULL");
  check_refused(product(EXAKT_NO_TRANS, map, columns, -1), "exakt_dcsrmv: n is -1; it must not be negative");
  check_refused(exakt_dcsrmv(EXAKT_NO_TRANS, 2, 3, 1, map, columns, a, y, 0, y),
                "exakt_dcsrmv: y and x share memory; one is written, the other read");
  std::int64_t offsets[] = {0, 1, 2}, places[] = {0, 2};
  check_refused(exakt_dcsrmv_64(EXAKT_NO_TRANS, 2, 3, 1, offsets, places, a, x, 0, reinterpret_cast<double*>(offsets)),
                "exakt_dcsrmv_64: y and row_map share memory; one is written, the other read");
  check_refused(exakt_dcsrmv_64(EXAKT_NO_TRANS, 2, 3, 1, offsets, places, a, x, 0, reinterpret_cast<double*>(places)),
                "exakt_dcsrmv_64: y and columns share memory; one is written, the other read");
  double values[] = {1, 2, 3};
  check_refused(exakt_dcsrmv(EXAKT_TRANS, 2, 3, 1, map, columns, values, x, 0, values),
                "exakt_dcsrmv: y and values share memory; one is written, the other read");
  check_refused(exakt_dcsrmv(EXAKT_NO_TRANS, 2, 3, 1, map, columns, nullptr, x, 0, y), "exakt_dcsrmv: values is NULL");
  check_refused(exakt_dcsrmv(EXAKT_NO_TRANS, 2, 3, 1, map, columns, a, nullptr, 0, y), "exakt_dcsrmv: x is NULL");
  check_refused(exakt_dcsrmv(EXAKT_NO_TRANS, 2, 3, 1, map, columns, a, x, 0, nullptr), "exakt_dcsrmv: y is NULL");
  CHECK((offsets[1] == 1 && places[1] == 2 && values[0] == 1));
}

#ifdef __linux__
TEST_CASE("sparse products from C: more rows and columns than 32 bits number") {
  // Nearly all of it is never written, and takes no memory.
  constexpr std::ptrdiff_t many = std::ptrdiff_t{1} << 32, page = 1 << 12;
  std::size_t const bytes = (many + page) * sizeof(double);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  double* const x = static_cast<double*>(memory) + page;
  std::int32_t const map[] = {0, 1}, first[] = {0}, last[] = {INT32_MAX}, wrong[] = {-1};
  double const a[] = {3};
  double y = 0;
  x[-1] = x[0] = x[INT32_MAX] = 7;
  for (std::int32_t const* const column : {first, last}) {
    CHECK(exakt_dcsrmv(EXAKT_NO_TRANS, 1, many, 2, map, column, a, x, 0, &y) == EXAKT_SUCCESS);
    CHECK(y == 42);
  }
  check_refused(exakt_dcsrmv(EXAKT_NO_TRANS, 1, many, 2, map, wrong, a, x, 0, &y),
                "exakt_dcsrmv: columns[0] is -1, in row 0; the matrix has 4294967296 columns");
  x[-1] = x[0] = x[INT32_MAX] = 0;
  auto const* const no_entries = static_cast<std::int32_t const*>(memory);
  check_refused(
      exakt_dcsrmv(EXAKT_TRANS, many / 2, 1, 2, no_entries, nullptr, nullptr, x, 0, &y),
      "exakt_dcsrmv: A is 2147483648 x 1; with more rows than a 32-bit integer counts, modes T and H need 64-bit "
      "columns");
  munmap(memory, bytes);
}
#endif

TEST_CASE("the root of a sum from C is rounded once, in every direction") {
  Handle const sum = make(EXAKT_DOT);
  REQUIRE(exakt_accumulator_add(sum.get(), 2) == EXAKT_SUCCESS);
  REQUIRE(exakt_accumulator_add_product(sum.get(), 0x1p-300, 0x1p-300) == EXAKT_SUCCESS);
  double nearest = 0, up = 0;
  CHECK(exakt_accumulator_round_sqrt(sum.get(), EXAKT_TO_NEAREST, &nearest) == EXAKT_SUCCESS);
  CHECK(nearest == std::sqrt(2.0));
  CHECK(exakt_accumulator_round_sqrt(sum.get(), EXAKT_UPWARD, &up) == EXAKT_SUCCESS);
  CHECK(up == std::max(nearest, std::nextafter(nearest, nearest * nearest < 2 ? 2.0 : 1.0)));
  // 1 + 2^-600: to nearest 1, upward one more; a square that overflows; less than nothing.
  CHECK(exakt_accumulator_clear(sum.get()) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_add(sum.get(), 1) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_add_product(sum.get(), 0x1p-300, 0x1p-300) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_round_sqrt(sum.get(), EXAKT_UPWARD, &up) == EXAKT_SUCCESS);
  CHECK(up == 1 + 0x1p-52);
  CHECK(exakt_accumulator_add_product(sum.get(), 0x1p1000, 0x1p1000) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_round_sqrt(sum.get(), EXAKT_TO_NEAREST, &nearest) == EXAKT_SUCCESS);
  CHECK(nearest == 0x1p1000);
  CHECK(exakt_accumulator_add_product(sum.get(), -0x1p1001, 0x1p1000) == EXAKT_SUCCESS);
  CHECK(exakt_accumulator_round_sqrt(sum.get(), EXAKT_TO_NEAREST, &nearest) == EXAKT_SUCCESS);
  CHECK(std::isnan(nearest));
  check_refused(exakt_accumulator_round_sqrt(sum.get(), 9, &nearest),
                "exakt_accumulator_round_sqrt: the rounding mode is 9; it must be EXAKT_TO_NEAREST, EXAKT_TOWARD_ZERO, "
                "EXAKT_UPWARD or EXAKT_DOWNWARD");
}
