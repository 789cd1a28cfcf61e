// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/ExaktBlas_GemmKernels.hpp>

#include <Exakt_LongAccumulator.hpp>

#include <limits>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_NextToTies.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"
#include "ExaktTest_ScaledExact.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Terms;
using Exakt::Impl::Factors;
using Exakt::Impl::GemmKernels;
using Exakt::Impl::GemmKernelsOf;
using Exakt::Impl::GemmTile;
using Exakt::Impl::Span;
using Exakt::Impl::Strided;

using Long = Exakt::LongAccumulator<double, 56, Terms::products>;

GemmKernels const& kernels() { return Exakt::Impl::gemm_kernels(); }

/// Without a fused multiply-add nothing here is called.
bool has_kernels() {
  bool const has = Exakt::Impl::matrix_kernels().has_enclosures;
  CHECK((kernels().multiply != nullptr) == has);
  return has;
}

/// |sum - (high + low)| - bound, as a sum that is not positive where the bound holds.
struct Gap {
  Long error;
  double bound;
  bool is_within() const {
    Long above = error, below = error;
    above += bound;
    below -= bound;
    return above.round<double>() >= 0 && below.round<double>() <= 0;
  }
};

/// One tile, packed from factors that are kept, too.
struct PackedTile {
  std::size_t rows, columns, depth;
  std::vector<double> A, B;  // A(i, k) at i + k * rows, B(k, j) at k + j * depth
  std::vector<double> a, b, row_magnitudes, row_units, column_magnitudes, column_units, state, enclosures;
  double row_spread = 0, column_spread = 0;
  GemmTile tile{};

  template <class Entry>
  PackedTile(std::size_t m, std::size_t n, std::size_t k, std::size_t segment, Entry const& entry)
      : rows(m), columns(n), depth(k), A(m * k), B(k * n) {
    for (double& x : A) x = entry();
    for (double& x : B) x = entry();
    pack(segment);
  }

  void pack(std::size_t segment) {
    std::size_t const height = kernels().tile_rows, width = kernels().tile_columns;
    a.assign(height * depth, -1);
    b.assign(width * depth, -1);
    for (auto* const some : {&row_magnitudes, &row_units}) some->assign(height, -1);
    for (auto* const some : {&column_magnitudes, &column_units}) some->assign(width, -1);
    state.assign(2 * height * width, -1);
    enclosures.assign(3 * height * width, -1);
    GemmKernelsOf<double> const& packing = kernels();
    row_spread = packing.pack_rows(A.data(), 1, static_cast<std::ptrdiff_t>(rows), rows, depth, a.data(),
                                   row_magnitudes.data(), row_units.data());
    column_spread = packing.pack_columns(B.data(), static_cast<std::ptrdiff_t>(depth), 1, columns, depth, b.data(),
                                         column_magnitudes.data(), column_units.data());
    tile = {a.data(),
            b.data(),
            row_magnitudes.data(),
            column_magnitudes.data(),
            row_units.data(),
            column_units.data(),
            std::ldexp(1.0, Exakt::Impl::bit_width(segment) + 1),
            depth,
            state.data(),
            segment < depth ? enclosures.data() : nullptr,
            static_cast<int>(rows),
            static_cast<int>(columns)};
  }

  /// All products, some at a time.
  void multiply(std::size_t segment, std::size_t at_once) {
    std::size_t begin = 0;
    do {
      std::size_t const end = std::min(begin + segment, depth);
      std::size_t k = begin;
      do {
        std::size_t const some = std::min(at_once, end - k);
        (tile.plain_sums.are_used() ? kernels().multiply_plainly : kernels().multiply)(tile, Span{k, k + some},
                                                                                       k == begin);
        k += some;
      } while (k < end);
      if (segment < depth) kernels().add_segment(tile, end - begin, begin == 0);
      begin = end;
    } while (begin < depth);
  }

  Long exact(std::size_t i, std::size_t j) const {
    Long sum;
    for (std::size_t k = 0; k < depth; ++k) sum.add_product(A[i + k * rows], B[k + j * depth]);
    return sum;
  }

  template <class R>
  Expected<R> rounded(std::size_t i, std::size_t j, Factors const& factors, R old) const {
    Exact sum;
    for (std::size_t k = 0; k < depth; ++k) sum.add_product(A[i + k * rows], B[k + j * depth]);
    ScaledExact total(factors.alpha, sum);
    if (factors.reads_y) total.add_product(factors.beta, static_cast<double>(old));
    return total.template round<R>();
  }

  /// Of all entries, by columns.
  std::vector<Gap> gaps() const {
    std::size_t const stride = rows + 3;
    std::vector<double> high(stride * columns, 7), low = high, bound = high;
    kernels().write_sums(tile, {high.data(), low.data(), bound.data()}, stride);
    std::vector<Gap> result;
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < rows; ++i) {
        std::size_t const at = i + j * stride;
        Gap gap{exact(i, j), bound[at]};
        gap.error -= high[at];
        gap.error -= low[at];
        result.push_back(gap);
      }
      for (std::size_t i = rows; i < stride; ++i) CHECK((high[i + j * stride] == 7 && bound[i + j * stride] == 7));
    }
    return result;
  }
};

/// C before and after a kernel: what is decided is right, nothing else is written, but for entries of the tile that are
/// not read.
template <class R>
struct Results {
  std::vector<R> before, after;
  std::ptrdiff_t row_stride, column_stride;
  std::vector<std::uint32_t> decided = std::vector<std::uint32_t>(Exakt::Impl::tile_columns_at_most, 0);

  Results(Random& random, std::size_t rows, std::size_t columns, bool by_rows)
      : row_stride(by_rows ? static_cast<std::ptrdiff_t>(columns) + 2 : 1),
        column_stride(by_rows ? 1 : static_cast<std::ptrdiff_t>(rows) + 2) {
    before.resize((rows + 2) * (columns + 2));
    for (R& x : before) x = random.value<R>(random.between(-3, 3));
    after = before;
  }
  Strided<R> C() { return {after.data(), row_stride, column_stride}; }
  std::size_t place(std::size_t i, std::size_t j) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) * row_stride +
                                    static_cast<std::ptrdiff_t>(j) * column_stride);
  }

  /// \return How many are decided.
  std::size_t check(PackedTile const& tile, Factors const& factors) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < tile.columns; ++j) {
      CHECK(decided[j] >> tile.rows == 0);
      for (std::size_t i = 0; i < tile.rows; ++i) {
        R& result = after[place(i, j)];
        if ((decided[j] >> i & 1) == 0) {
          if (!factors.reads_y) result = before[place(i, j)];
          continue;
        }
        ++count;
        EXAKT_CHECK_BITS(result, tile.rounded(i, j, factors, before[place(i, j)]));
        result = before[place(i, j)];
      }
    }
    for (std::size_t at = 0; at < after.size(); ++at) EXAKT_CHECK_BITS(after[at], before[at]);
    return count;
  }
};

/// The last bit of a number that is not zero.
double last_bit(double x) {
  int exponent;
  double fraction = std::frexp(x, &exponent);
  while (fraction != std::trunc(fraction)) {
    fraction *= 2;
    --exponent;
  }
  return std::ldexp(1.0, exponent);
}

std::vector<std::size_t> up_to(std::size_t most) { return {1, most / 2 + 1, most}; }

/// Terms that nearly or exactly cancel in pairs: the second half of k is the first one's negative, but for the last
/// bits.
void cancel(PackedTile& some, double difference) {
  std::size_t const half = some.depth / 2;
  for (std::size_t l = 0; l < half; ++l) {
    for (std::size_t i = 0; i < some.rows; ++i) some.A[i + (l + half) * some.rows] = some.A[i + l * some.rows];
    for (std::size_t j = 0; j < some.columns; ++j)
      some.B[l + half + j * some.depth] = -some.B[l + j * some.depth] * (j % 2 == 0 ? 1 : 1 + difference);
  }
  some.pack(some.depth);
}

}  // namespace

TEMPLATE_TEST_CASE("kernels of gemm pack lines of every number and stride, and know their magnitudes", "", float,
                   double) {
  if (!has_kernels()) return;
  GemmKernelsOf<TestType> const& packing = kernels();
  Random random(861);
  for (bool const of_rows : {true, false}) {
    std::size_t const width = of_rows ? kernels().tile_rows : kernels().tile_columns;
    for (std::size_t lines = 1; lines <= width; ++lines) {
      for (std::size_t const depth : {1, 2, 5, 33}) {
        INFO(lines << " lines of " << depth << " entries, " << (of_rows ? "rows" : "columns"));
        for (bool const are_neighbours : {true, false}) {
          std::size_t const line_step = are_neighbours ? 1 : depth, entry_step = are_neighbours ? lines : 1;
          std::vector<TestType> x(lines * depth);
          for (TestType& entry : x) entry = random.value<TestType>(random.between(-30, 30));
          std::size_t const special = random.between<std::size_t>(0, 2 * lines - 1);
          if (special < lines)
            x[special * line_step + (depth - 1) * entry_step] =
                static_cast<TestType>(random.one_of(HUGE_VAL, -HUGE_VAL, std::nan("")));
          std::size_t const zero = random.between<std::size_t>(0, 2 * lines - 1);
          for (std::size_t k = 0; k < depth && zero < lines && zero != special; ++k)
            x[zero * line_step + k * entry_step] = 0;
          GuardedArray<TestType> const from(x);
          std::vector<double> entries(width * depth, -1), magnitudes(width, -1), units(width, -1);
          double const spread = (of_rows ? packing.pack_rows : packing.pack_columns)(
              from.data(), static_cast<std::ptrdiff_t>(line_step), static_cast<std::ptrdiff_t>(entry_step), lines,
              depth, entries.data(), magnitudes.data(), units.data());
          double largest_spread = 0;
          for (std::size_t l = 0; l < width; ++l) largest_spread = std::max(largest_spread, magnitudes[l] / units[l]);
          CHECK(spread == largest_spread);
          if constexpr (std::is_same_v<TestType, double>) {
            // Entries that somebody has widened in their place.
            auto in_place = entries;
            auto of_lines = magnitudes, other_units = units;
            (of_rows ? packing.pack_rows : packing.pack_columns)(in_place.data(), 1, static_cast<std::ptrdiff_t>(width),
                                                                 lines, depth, in_place.data(), of_lines.data(),
                                                                 other_units.data());
            for (std::size_t at = 0; at < entries.size(); ++at) EXAKT_CHECK_BITS(in_place[at], entries[at]);
            CHECK((of_lines == magnitudes && other_units == units));
          }
          for (std::size_t l = 0; l < width; ++l) {
            double largest = 0, unit = HUGE_VAL;
            for (std::size_t k = 0; k < depth; ++k) {
              double const expected = l < lines ? static_cast<double>(x[l * line_step + k * entry_step]) : 0;
              EXAKT_CHECK_BITS(entries[k * width + l], expected);
              largest = std::max(largest, std::abs(expected));
              if (expected != 0 && std::isfinite(expected)) unit = std::min(unit, last_bit(expected));
            }
            if (l == special && l < lines) {
              CHECK(magnitudes[l] == HUGE_VAL);
            } else if (largest == 0) {
              CHECK((magnitudes[l] > 0 && magnitudes[l] < 1e-100 && units[l] == 1));
            } else {
              CHECK((largest < magnitudes[l] && magnitudes[l] <= 2 * largest));
              CHECK(units[l] == unit);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("kernels of gemm keep away from the ends of the range") {
  if (!has_kernels()) return;
  GemmKernelsOf<double> const& packing = kernels();
  std::vector<double> entries(kernels().tile_columns), magnitudes = entries, units = entries;
  double spread = 0;
  auto const pack = [&](double x) {
    spread = packing.pack_columns(&x, 1, 1, 1, 1, entries.data(), magnitudes.data(), units.data());
  };
  pack(0x1p450);
  CHECK((magnitudes[0] == HUGE_VAL && spread == HUGE_VAL));
  pack(0x1p448);
  CHECK((magnitudes[0] == 0x1p449 && spread == 2));
  pack(0x1p-531);
  CHECK((magnitudes[0] == 0x1p-400 && units[0] == 0 && spread == HUGE_VAL));
  pack(-0x1p-530);
  CHECK((magnitudes[0] == 0x1p-400 && units[0] == 0x1p-530 && spread == 0x1p130));
  pack(0x1p-479 + 0x1p-531);
  CHECK(units[0] == 0);
  pack(std::numeric_limits<double>::denorm_min());
  CHECK((magnitudes[0] == 0x1p-400 && units[0] == 0));
}

TEST_CASE("tiles of gemm are known up to their bounds") {
  if (!has_kernels()) return;
  Random random(862);
  for (std::size_t const m : up_to(kernels().tile_rows)) {
    for (std::size_t const n : up_to(kernels().tile_columns)) {
      for (std::size_t const k : {0, 1, 2, 7, 100, 700}) {
        for (std::size_t const segment : {k, std::size_t{64}}) {
          if (segment > k) continue;
          INFO(m << " x " << n << " x " << k << ", " << segment << " at a time");
          int const spread = random.one_of(0, 5, 60);
          PackedTile some(m, n, k, segment, [&] { return random.value<double>(random.between(-spread, spread)); });
          some.multiply(segment, random.one_of(std::size_t{1000}, std::size_t{512}, std::size_t{3}));
          for (Gap const& gap : some.gaps()) CHECK(gap.is_within());
        }
      }
    }
  }
}

TEST_CASE("tiles of gemm come close to their bounds") {
  // Each product leaves a rest close to half a unit, of which the sum of the rests cuts off nearly half of its last
  // bit.
  if (!has_kernels()) return;
  Random random(863);
  constexpr std::size_t k = 1000;
  constexpr double start = 0x1.8p+13, unit = 0x1p-39;
  PackedTile some(kernels().tile_rows, kernels().tile_columns, k, k, [] { return 1; });
  double rests = 0, last_bit = 0, a = 1, b = 1, rest = 0;  // those below 32 units hardly count
  for (std::size_t l = 0; l < k; ++l) {
    double const wanted_bit = std::ldexp(1.0, std::ilogb(std::max(rests, 32 * unit)) - 52);
    if (wanted_bit != last_bit) {
      last_bit = wanted_bit;
      double cut = 0;
      while (!(rest > 0.48 * unit && cut > 0.48 * last_bit && cut < 0.4999 * last_bit)) {
        a = std::abs(random.value<double>(0));
        b = std::abs(random.value<double>(0));
        rest = std::fma(a, b, -(std::fma(a, b, start) - start));
        cut = std::fmod(rest, last_bit);
      }
    }
    rests += rest;
    for (std::size_t i = 0; i < some.rows; ++i) some.A[i + l * some.rows] = a;
    for (std::size_t j = 0; j < some.columns; ++j) some.B[l + j * k] = b;
  }
  some.pack(k);
  REQUIRE(some.tile.row_magnitudes[0] * some.tile.column_magnitudes[0] * some.tile.headroom * 1.5 == start);
  some.multiply(k, 512);
  for (Gap const& gap : some.gaps()) {
    CHECK(gap.is_within());
    CHECK(std::abs(gap.error.round<double>()) > 0.2 * gap.bound);
  }
}

TEST_CASE("plain sums of gemm are exact where products have few bits, and tiles know it") {
  if (!has_kernels()) return;
  Random random(868);
  for (std::size_t const m : up_to(kernels().tile_rows)) {
    for (std::size_t const k : {1, 8, 15, 512, 1100}) {
      for (std::size_t const segment : {k, std::size_t{64}}) {
        if (segment > k) continue;
        for (int const bits : {50, 47, 20}) {  // both factors together; of 50 there is room for eight products
          INFO(m << " x " << kernels().tile_columns << " x " << k << ", " << segment << " at a time, " << bits
                 << " bits");
          int const of_a = bits / 2;
          bool const have_signs = random.coin();
          PackedTile some(m, kernels().tile_columns, k, segment, [] { return 1; });
          auto const number = [&](int most) {
            double const largest = std::ldexp(1.0, most) - static_cast<double>(2 * random.between(0, 9) + 1);
            return have_signs && random.coin() ? -largest : largest;
          };
          for (double& x : some.A) x = number(of_a);
          for (double& x : some.B) x = number(bits - of_a);
          // Rows of very different units, and one of zeros.
          for (std::size_t l = 0; l < k; ++l) {
            for (std::size_t i = 0; i < m; ++i)
              some.A[i + l * m] *= i == 3 ? 0 : std::ldexp(1.0, 40 * static_cast<int>(i % 5));
          }
          some.pack(segment);
          double const room = 0x1p53 / (some.row_spread * some.column_spread);
          REQUIRE(room >= std::ldexp(1.0, 53 - bits));
          some.tile.plain_sums = {static_cast<std::size_t>(std::min(room, 512.0)), 0};
          REQUIRE(some.tile.plain_sums.are_exact());
          some.multiply(segment, random.one_of(std::size_t{1000}, std::size_t{512}, std::size_t{30}));
          for (Gap const& gap : some.gaps()) {
            CHECK(gap.is_within());
            CHECK((segment < k || gap.bound == 0));
          }
          Factors const factors{random.one_of(1.0, 0.3), -0.7, random.coin(), false};
          Results<double> results(random, m, some.columns, random.coin());
          GemmKernelsOf<double> const& kernel = kernels();
          kernel.try_round(some.tile, factors, results.C(), results.decided.data());
          std::size_t const decided = results.check(some, factors);
          if (segment == k && factors.alpha == 1 && !factors.reads_y) CHECK(decided == m * some.columns);
        }
      }
    }
  }
}

TEST_CASE("plain sums of gemm come close to their bounds where they are rounded") {
  // Products of two floats just below 1, each of which rounds a plain sum downwards by nearly half of its last bit.
  if (!has_kernels()) return;
  Random random(869);
  for (std::size_t const k : {300, 512, 1024, 2000}) {
    for (std::size_t const segment : {k, std::size_t{1000}}) {
      if (segment > k) continue;
      INFO(k << " products, " << segment << " at a time");
      std::size_t const pass = 512;
      PackedTile some(kernels().tile_rows, kernels().tile_columns, k, segment, [] { return 1; });
      double parts[2] = {};
      for (std::size_t l = 0; l < k; ++l) {
        std::size_t const in_pass = l % segment % pass;
        if (in_pass == 0) parts[0] = parts[1] = 0;
        double& sum = parts[in_pass % 2];
        double a, b, cut;
        int tries = 0;
        do {
          a = std::ldexp(static_cast<double>(random.between(15'800'000, (1 << 24) - 1)), -24);
          b = std::ldexp(static_cast<double>(random.between(15'800'000, (1 << 24) - 1)), -24);
          cut = a * b - ((sum + a * b) - sum);
        } while (cut < 0.4 * std::ldexp(1.0, std::ilogb(sum + 1) - 52) && ++tries < 100);
        sum += a * b;
        for (std::size_t i = 0; i < some.rows; ++i) some.A[i + l * some.rows] = a;
        for (std::size_t j = 0; j < some.columns; ++j) some.B[l + j * k] = b;
      }
      some.pack(segment);
      some.tile.plain_sums = {pass, 0x1p-53 * (static_cast<double>(std::min(k, pass)) / 4 + 3)};
      REQUIRE(!some.tile.plain_sums.are_exact());
      some.multiply(segment, pass);
      for (Gap const& gap : some.gaps()) {
        CHECK(gap.is_within());
        CHECK(std::abs(gap.error.round<double>()) > 0.2 * gap.bound);
      }
    }
  }
}

TEMPLATE_TEST_CASE("tiles of gemm are decided rightly, and nothing else is written", "", float, double) {
  if (!has_kernels()) return;
  GemmKernelsOf<TestType> const& kernel = kernels();
  Random random(864);
  std::size_t all = 0, decided = 0;
  for (std::size_t const m : up_to(kernels().tile_rows)) {
    for (std::size_t const n : up_to(kernels().tile_columns)) {
      for (std::size_t const k : {1, 20, 130}) {
        INFO(m << " x " << n << " x " << k);
        std::size_t const segment = random.one_of(k, std::size_t{64});
        PackedTile some(m, n, k, std::min(segment, k), [&] { return random.value<double>(random.between(-9, 9)); });
        some.multiply(std::min(segment, k), 512);
        Factors const factors{random.one_of(1.0, -1.0, 0.3), random.one_of(1.0, -0.7), random.coin(), false};
        Results<TestType> results(random, m, n, random.coin());
        kernel.try_round(some.tile, factors, results.C(), results.decided.data());
        decided += results.check(some, factors);
        all += m * n;
      }
    }
  }
  CHECK(decided > all * 9 / 10);
}

TEMPLATE_TEST_CASE("tiles of gemm whose sums cancel are decided rightly from several heads", "", float, double) {
  if (!has_kernels()) return;
  GemmKernelsOf<TestType> const& kernel = kernels();
  Random random(865);
  for (int const heads : {2, 3}) {
    auto const& careful = kernels().careful[heads];
    REQUIRE(kernels().tile_columns % static_cast<std::size_t>(careful.columns) == 0);
    for (std::size_t const m : up_to(kernels().tile_rows)) {
      for (std::size_t const k : {2, 40, 600}) {
        for (int const spread : {0, 3, 40}) {
          INFO(heads << " heads, " << m << " x " << kernels().tile_columns << " x " << k << ", spread " << spread);
          PackedTile some(m, kernels().tile_columns, k, k,
                          [&] { return random.value<double>(random.between(-spread, spread)); });
          cancel(some, random.one_of(0x1p-30, 0x1p-50, 0x1p-52));
          Factors const factors{random.one_of(1.0, 0.3), 1.0, random.coin(), false};
          Results<TestType> results(random, m, some.columns, random.coin());
          if (random.coin()) {
            // What is decided before stays as it is.
            some.multiply(k, 512);
            kernel.try_round(some.tile, factors, results.C(), results.decided.data());
          }
          std::size_t exact_ones = 0;
          std::size_t const width = kernels().tile_rows, plane = width * static_cast<std::size_t>(careful.columns);
          std::vector<double> parts(plane * static_cast<std::size_t>(heads + 1), -1);
          for (int first = 0; first < static_cast<int>(some.columns); first += careful.columns) {
            std::uint32_t exact[Exakt::Impl::tile_columns_at_most] = {};
            careful.multiply(some.tile, first, parts.data());
            kernel.try_round_parts(some.tile, heads, first, parts.data(), factors, results.C(), results.decided.data(),
                                   exact);
            for (int c = 0; c < careful.columns; ++c) {
              CHECK(exact[c] >> m == 0);
              for (std::size_t i = 0; i < m; ++i) {
                if ((exact[c] >> i & 1) == 0) continue;
                ++exact_ones;
                Long error = some.exact(i, static_cast<std::size_t>(first + c));
                for (int h = 0; h <= heads; ++h)
                  error -= parts[static_cast<std::size_t>(h) * plane + static_cast<std::size_t>(c) * width + i];
                EXAKT_CHECK(error == Long());
              }
            }
          }
          results.check(some, factors);
          if (heads == 3 && spread < 40) CHECK(exact_ones == m * some.columns);
        }
      }
    }
  }
}

TEST_CASE("tiles of gemm whose sums cancel, next to ties: all that several heads leave is rounded one way") {
  if (!has_kernels()) return;
  GemmKernelsOf<double> const& kernel = kernels();
  Random random(866);
  constexpr std::size_t k = 1000;
  constexpr int heads = 2;
  auto const& careful = kernels().careful[heads];
  for (int exponent = -88; exponent <= -76; ++exponent) {
    INFO("the unit of the last heads is 2^" << exponent);
    double const unit = std::ldexp(1.0, exponent), left = unit * (0.5 - 0x1p-8);
    std::vector<double> const first{1, unit * 0x1p45 - 1};
    std::vector<std::vector<double>> rows{next_to_tie(first, RoundedUpwards(there_and_back(k - 4, left)))};
    // Multiples of a unit for which doubles nearly have room.
    std::vector<double> multiples = first;
    multiples.resize(k - 2, left + unit * 0x1p-47);
    for (double const aside : {unit * 0x1p-40, -unit * 0x1p-40}) rows.push_back(next_to_tie(multiples, aside));
    PackedTile some(rows.size(), static_cast<std::size_t>(careful.columns), k, k, [] { return 1; });
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t i = 0; i < some.rows; ++i) some.A[i + l * some.rows] = rows[i][l];
      some.B[l] = -1;
    }
    some.pack(k);
    Results<double> results(random, some.rows, some.columns, false);
    std::vector<double> parts(kernels().tile_rows * some.columns * (heads + 1));
    std::uint32_t exact[Exakt::Impl::tile_columns_at_most] = {};
    Factors const factors{1, 0, false, false};
    careful.multiply(some.tile, 0, parts.data());
    kernel.try_round_parts(some.tile, heads, 0, parts.data(), factors, results.C(), results.decided.data(), exact);
    results.check(some, factors);
  }
}

TEMPLATE_TEST_CASE("sums that are multiples of a unit are rounded rightly, or left", "", float, double) {
  if (!has_kernels()) return;
  Exakt::Impl::MatrixKernelsOf<TestType> const& kernel = Exakt::Impl::matrix_kernels();
  Random random(865);
  std::size_t decided = 0, all = 0;
  for (int i = 0; i < 60'000; ++i) {
    // The sum is m units, m = 2^31 a + b: anything, or a tie of a double or a float, or next to one.
    int const bits = random.between(0, 29);
    auto const odd = 2 * random.between<std::int64_t>(0, (std::int64_t{1} << bits) - 1) + 1;
    int const zeros = random.one_of(0, 52 - bits, 23 - bits, random.between(0, 20));
    std::int64_t const close = (zeros > 0 ? odd << zeros : odd) + random.one_of(0, 0, 1, -1);
    std::int64_t const wide = (std::int64_t{1} << 60) + (random.between<std::int64_t>(0, 9) << 37) +
                              random.one_of(std::int64_t{1} << 36, std::int64_t{1} << 7) + random.between(-1, 1);
    std::int64_t const m = random.one_of(close, wide, -wide, -close);
    double const unit = std::ldexp(1.0, random.between(-60, -20));
    std::int64_t const a = m >> 31, b = m - (a << 31);
    // Known within less than half a unit, or not at all so well: the error may be as large as the bound.
    double const bound = unit * random.one_of(0.0, 0x1p-20, 0.45, 0.49, 0.51, 0.8, 1.1, 7.0);
    double const error = bound * random.one_of(0.0, 0.99, -0.99, 0.5);
    double const high = static_cast<double>(a) * 0x1p31 * unit, low = static_cast<double>(b) * unit;
    double const other_high = high + low, other_low = (high - other_high) + low;  // high + low is that exactly
    // A high part that is no multiple, or none at all.
    double const moved = random.one_of(0.0, 0.0, 0.25 * unit, other_high);
    Exakt::Impl::Enclosure const sum{other_high - moved, other_low + moved + error, bound};
    Exact exact;
    exact.add_product(high, 1.0).add_product(low, 1.0);
    // What the sum of the last two rounds belongs to the error.
    Long gap;
    gap += sum.high;
    gap += sum.low;
    gap -= high;
    gap -= low;
    if (!(std::abs(gap.round<double>()) <= bound)) continue;

    bool const reads_y = random.coin();
    Factors const factors{random.one_of(1.0, 1.0, -1.0, 0.3, 3.0, 0x1p-30),
                          reads_y ? random.one_of(1.0, -1.0, 0.7) : 0.0, reads_y, false};
    double const y = reads_y ? random.one_of(0.1, 0.0, other_high, unit, 0.5 * unit, 0.5, unit * 0x1p-9) : 0.0;
    TestType result = 7;
    ++all;
    INFO("m " << m << ", unit " << unit << ", bound " << bound / unit << ", error " << error / unit << ", alpha "
              << factors.alpha << ", beta " << (factors.reads_y ? factors.beta : 0) << ", y " << y / unit);
    ScaledExact total(factors.alpha, exact);
    if (factors.reads_y) total.add_product(factors.beta, y);
    if (kernel.try_round_multiple(factors, sum, unit, y, result)) {
      ++decided;
      EXAKT_CHECK_BITS(result, total.template round<TestType>());
    } else {
      CHECK(result == 7);
    }
  }
  CHECK(decided > all / 6);
}

TEMPLATE_TEST_CASE("zeros that are multiples of a unit near the end of the range are zeros, or left", "", float,
                   double) {
  if (!has_kernels()) return;
  Exakt::Impl::MatrixKernelsOf<TestType> const& kernel = Exakt::Impl::matrix_kernels();
  for (int const exponent : {800, 899, 900, 901, 950, 970, 971, 980, 1000, 1015})
    for (double const alpha : {1.0, -1.0, 0.3, 0x1p-30}) {
      INFO("2^" << exponent << ", alpha " << alpha);
      double const unit = std::ldexp(1.0, exponent);
      for (double const high : {0.0, unit, -unit}) {
        TestType result = 7;
        Exakt::Impl::Enclosure const sum{high, -high, unit * 0x1p-20};
        if (kernel.try_round_multiple({alpha, 0, false, false}, sum, unit, 0, result))
          EXAKT_CHECK_BITS(result, TestType{0});
      }
    }
}

TEST_CASE("rows of small integers are known up to their bounds, most of them exactly") {
  if (!has_kernels()) return;
  Exakt::Impl::MatrixKernelsOf<double> const& kernel = Exakt::Impl::matrix_kernels();
  Random random(866);
  constexpr std::size_t m = 125;
  for (std::size_t const k : {64, 130, 700}) {
    for (int const bits : {0, 20, 53}) {
      std::vector<double> A(m * k), x(k), high(m, 0), low(m, 0), bound(m, 0);
      for (double& entry : A) entry = static_cast<double>(random.between(-3, 3));
      for (double& entry : x) entry = std::ldexp(std::trunc(std::ldexp(random.value<double>(2), bits)), -bits);
      // Rows that are larger than the first columns say, far and little, and some that are no multiples of anything.
      for (std::size_t j = k / 2; j < k; ++j) {
        for (std::size_t i = 0; i < 20; ++i) A[i + j * m] *= std::ldexp(1.0, 4 * static_cast<int>(i));
        for (std::size_t const i : {30, 70, 122}) A[i + j * m] = random.value<double>(0);
      }
      // Of these nothing is left in sums that look like multiples.
      for (std::size_t const i : {31, 71, 123}) A[i + k / 2 * m] = 0x1p-90;
      Exakt::Impl::VectorProducts products{x.data(), {high.data(), low.data(), bound.data()}};
      kernel.enclose({A.data(), 1, m}, &products, 1, {0, m}, {0, k});
      std::size_t exact = 0;
      for (std::size_t i = 0; i < m; ++i) {
        Gap gap{{}, bound[i]};
        for (std::size_t j = 0; j < k; ++j) gap.error.add_product(A[i + j * m], x[j]);
        gap.error -= high[i];
        gap.error -= low[i];
        CHECK(gap.is_within());
        exact += bound[i] == 0 ? 1 : 0;
      }
      CHECK(exact > m / 2);
    }
  }
}

TEST_CASE("two vectors multiply rows at once as each of them does alone, within bounds") {
  if (!has_kernels()) return;
  Exakt::Impl::MatrixKernelsOf<double> const& kernel = Exakt::Impl::matrix_kernels();
  Random random(867);
  bool const by_columns = GENERATE(true, false);
  for (std::size_t const m : {1, 12, 301, 1030}) {
    for (std::size_t const k : {1, 9, 530, 1100}) {
      if (m * k > 600'000) continue;
      bool const are_integers = random.coin();
      std::vector<double> A(m * k), x[2];
      for (double& entry : A)
        entry = are_integers ? static_cast<double>(random.between(-3, 3)) : random.value<double>(4);
      Exakt::Impl::Strided<double const> const matrix{A.data(), by_columns ? 1 : static_cast<std::ptrdiff_t>(k),
                                                      by_columns ? static_cast<std::ptrdiff_t>(m) : 1};
      // One of them has larger entries in the end, which its heads do not expect.
      for (int v = 0; v < 2; ++v) {
        x[v].resize(k);
        for (double& entry : x[v]) entry = random.value<double>(2);
        for (std::size_t j = k / 2; v == 1 && j < k; ++j) x[v][j] *= 0x1p40;
      }
      std::vector<double> high[2], low[2], bound[2];
      Exakt::Impl::VectorProducts both[2];
      for (int v = 0; v < 2; ++v) {
        for (auto* const array : {high, low, bound}) array[v].assign(m, 0);
        both[v] = {x[v].data(), {high[v].data(), low[v].data(), bound[v].data()}};
      }
      kernel.enclose(matrix, both, 2, {0, m}, {0, k});
      for (int v = 0; v < 2; ++v) {
        std::vector<double> sums(3 * m, 0);
        Exakt::Impl::VectorProducts alone{x[v].data(), {sums.data(), sums.data() + m, sums.data() + 2 * m}};
        kernel.enclose(matrix, &alone, 1, {0, m}, {0, k});
        for (std::size_t i = 0; i < m; ++i) {
          Gap gap{{}, bound[v][i]};
          for (std::size_t j = 0; j < k; ++j) gap.error.add_product(*matrix.at(i, j), x[v][j]);
          double const exact = gap.error.round<double>();
          gap.error -= high[v][i];
          gap.error -= low[v][i];
          CHECK(gap.is_within());
          // Close enough to decide nearly always, as that of one vector.
          CHECK(bound[v][i] <= std::max(2 * sums[2 * m + i], std::abs(exact) * 0x1p-70));
        }
      }
    }
  }
}

namespace {

/// By columns, or the other way round; nothing between the lines.
struct Guarded {
  GuardedArray<double> entries;
  Strided<double const> matrix;

  Guarded(Table<double> const& table, bool by_columns)
      : entries((by_columns ? table.transposed() : table).entries),
        matrix{entries.data(), by_columns ? 1 : static_cast<std::ptrdiff_t>(table.columns),
               by_columns ? static_cast<std::ptrdiff_t>(table.rows) : 1} {}
};

/// Numbers that decide which way a kernel goes: whole tiles and packs, and one more or less.
std::size_t size_of_small(Random& random, std::size_t most) {
  std::size_t const near = random.one_of<std::size_t>(1, 4, 8, 16, 24, 32, 48, 64);
  std::size_t const some =
      random.coin() ? near + random.one_of<std::size_t>(0, 1, 2) - 1 : random.between<std::size_t>(1, 40);
  return std::clamp<std::size_t>(some, 1, most);
}

/// \brief A row and a column whose products come next to a tie by what a rest has no room for.
///
/// 2^-40 is a rest and goes again; meanwhile 2^-95 has no place beside it. Nor has 2^-97 beside 2^-43, the error of a
/// compensated sum, which goes before the sum is 1.
template <class Column>
void come_next_to_a_tie(Random& random, Table<double>& a, std::size_t row, Column const& column) {
  double const side = random.one_of(1.0, -1.0);
  std::vector<double> const all[] = {{1, random.one_of(0x1p-53, -0x1p-54), side * 0x1p-110},
                                     {1, 0x1p-40, random.one_of(0x1p-53, -0x1p-54), side * 0x1p-95, -0x1p-40},
                                     {1536, 0x1p-43, side * 0x1p-97, 0x1p-53 - 0x1p-43, -1535, side * -0x1p-99}};
  std::vector<double> const& terms = all[random.between(0, 2)];
  if (a.columns < terms.size()) return;
  for (std::size_t l = 0; l < a.columns; ++l) {
    a(row, l) = 0;
    column(l) = 1;
  }
  std::size_t const first = random.between<std::size_t>(0, a.columns - terms.size()),
                    step = (a.columns - first) / terms.size();
  for (std::size_t t = 0; t < terms.size(); ++t) a(row, first + t * step) = terms[t];
}

}  // namespace

TEMPLATE_TEST_CASE("zeros of which each product has a factor of zero are written, and nothing else", "", double,
                   float) {
  if (!has_kernels()) return;
  Random random(865);
  GemmKernelsOf<TestType> const& kernel = kernels();
  std::size_t const height = kernels().tile_rows, width = kernels().tile_columns;
  for (std::size_t const m : up_to(height))
    for (std::size_t const n : up_to(width))
      for (std::size_t const k : {1, 7, 64, 65, 300})
        for (double const special : {1.0, 0x1p-600, HUGE_VAL, std::nan("")}) {
          INFO(m << " x " << n << " x " << k << ", among others " << special);
          // Rows and columns have their entries in one half of k or the other, or in both; some special ones are anywhere.
          PackedTile some(m, n, k, k, [&] { return random.value<double>(0); });
          auto const halves = [&](std::size_t line) { return line % 3; };
          auto const is_in = [&](std::size_t l, std::size_t half) { return half == 2 || (l < k / 2) == (half == 0); };
          for (std::size_t l = 0; l < k; ++l) {
            for (std::size_t i = 0; i < m; ++i)
              if (!is_in(l, halves(i))) some.A[i + l * m] = random.one_of(0.0, -0.0);
            for (std::size_t j = 0; j < n; ++j)
              if (!is_in(l, halves(j))) some.B[l + j * k] = random.one_of(0.0, -0.0);
          }
          some.A[m / 2 + k / 2 * m] = special;
          some.B[k / 2 + n / 2 * k] = special == 1 ? 0 : special;
          std::size_t const segment = random.coin() ? k : k / 3 + 1;
          some.pack(segment);
          some.multiply(segment, segment);
          Results<TestType> results(random, m, n, random.coin());
          Factors const factors = random.coin() ? Factors{-0.7, 0, false, false} : Factors{-0.7, 0.3, true, false};
          for (TestType& old : results.before)
            old = factors.reads_y ? random.one_of(old, TestType{0}, -TestType{0}) : old;
          results.after = results.before;
          // One that is decided already stays.
          results.decided[0] = 1;
          kernel.write_zeros(some.tile, factors, results.C(), results.decided.data());
          EXAKT_CHECK_BITS(results.after[0], results.before[0]);
          results.decided[0] &= ~std::uint32_t{1};
          for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t i = 0; i < m; ++i) {
              bool is_zero = (i > 0 || j > 0) && (!factors.reads_y || results.before[results.place(i, j)] == 0);
              for (std::size_t l = 0; l < k; ++l) {
                double const a = some.A[i + l * m], b = some.B[l + j * k];
                is_zero = is_zero && ((a == 0 && std::isfinite(b)) || (b == 0 && std::isfinite(a)));
              }
              CHECK((results.decided[j] >> i & 1) == is_zero);
            }
          }
          results.check(some, factors);
        }
}

TEST_CASE("small products of matrices: all entries are right or none is decided, and nothing beyond them is touched") {
  if (!has_kernels()) return;
  Random random(866);
  for (Hardness const hardness : every_hardness) {
    std::size_t decided = 0, most = 0;
    for (std::uint64_t repetition = 0; repetition < 80 * case_factor(); ++repetition, ++most) {
      auto const size = [&](std::size_t most, std::size_t of_tiny) {
        return repetition % 2 == 0 ? random.between<std::size_t>(1, of_tiny) : size_of_small(random, most);
      };
      std::size_t const m = repetition == 1 ? 250 : size(70, 8), n = size(30, 4), k = size(50, 8);
      INFO(name_of(hardness) << ", " << m << " x " << n << " x " << k);
      auto [a, b] = hard_factors<double, double>(random, hardness, m, n, k);
      if (random.between(0, 3) == 0) {
        for (std::size_t l = 0; l < k; ++l) a(m / 2, l) = 0;  // a row of nothing, and one of other magnitudes
        for (std::size_t l = 0; l < k; ++l) a(m - 1, l) *= 0x1p100;
      }
      if (random.coin()) come_next_to_a_tie(random, a, m / 3, [&](std::size_t l) -> double& { return b(l, n / 2); });
      Guarded const A(a, true), B(b, random.coin());
      double const alpha = random.one_of(1.0, 1.0, -0.3);
      Table<double> const before(m, n);
      auto const expected = expected_product(alpha, a, b, 0.0, before);
      std::size_t const stride = m + 2;
      std::vector<double> C(stride * n + 2, -7);
      Strided<double> const inside{C.data() + 1, 1, static_cast<std::ptrdiff_t>(stride)};
      bool const is_decided = kernels().multiply_small({A.matrix, B.matrix, inside, m, n, k}, {alpha, 0, false, false});
      if (is_decided) ++decided;
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < m; ++i) {
          double& entry = *inside.at(i, j);
          if (is_decided) EXAKT_CHECK_BITS(entry, Expected<double>{expected(i, j)});
          entry = -7;
        }
      }
      for (double const other : C) EXAKT_CHECK_BITS(other, -7.0);
    }
    INFO(name_of(hardness));
    if (hardness == Hardness::none || hardness == Hardness::ties) CHECK(decided > most / 2);
  }
}

TEST_CASE("small products of matrices next to ties, where what products leave is rounded one way") {
  if (!has_kernels()) return;
  // The high part is about 1.5; all others, a little less than half of its unit, are added to the low one.
  constexpr double t = 0x1p-53 * (1 - 0x1p-7);
  RoundedUpwards const others({t, t, t, t, t, 0x1p-60, 0x1p-60, 0x1p-60, -t, -t, -t, -t, -t});
  auto const terms = next_to_tie({1.5}, others);
  std::size_t const m = 2, k = terms.size();
  Table<double> a(m, k), b(k, 1);
  for (std::size_t l = 0; l < k; ++l) {
    a(0, l) = -(a(1, l) = terms[l]);
    b(l, 0) = 1;
  }
  auto const expected = expected_product(1, a, b, 0.0, Table<double>(m, 1));
  Guarded const A(a, true), B(b, true);
  double C[m];
  if (!kernels().multiply_small({A.matrix, B.matrix, {C, 1, m}, m, 1, k}, {1, 0, false, false})) return;
  for (std::size_t i = 0; i < m; ++i) EXAKT_CHECK_BITS(C[i], Expected<double>{expected(i, 0)});
}

namespace {

/// Something that sums of a small product are not made for, or nothing. \param x  Its factors.
void make_harder(Random& random, Table<double>& a, std::vector<double>& x) {
  std::size_t const m = a.rows, k = a.columns;
  auto const any = [&](std::size_t count) { return random.between<std::size_t>(0, count - 1); };
  switch (random.between(0, 7)) {
    case 0:
      for (std::size_t l = 0; l < k; ++l) a(m / 2, l) = 0;
      break;
    case 1:  // larger than heads that are made for a sample
      for (std::size_t i = m / 3; i < m; i += random.between<std::size_t>(1, 4))
        a(i, any(k)) *= std::ldexp(1.0, random.between(10, 100));
      break;
    case 2:  // not a multiple of what the sample is
      a(m / 2, k / 2) *= 0x1p-20;
      break;
    case 3:
      come_next_to_a_tie(random, a, m / 3, [&](std::size_t l) -> double& { return x[l]; });
      break;
    case 4: {  // larger than the sample, which no lane's head notices, but their sum
      double const size = std::ldexp(1.0, random.between(8, 20));
      for (std::size_t l = 0; l < k; ++l) {
        for (std::size_t i = 0; i < m; ++i) a(i, l) = std::abs(random.value<double>(0)) * (i < 2 ? 1 : size);
        x[l] = std::abs(random.value<double>(0));
      }
      break;
    }
    case 5: {  // heads of every exponent leave their binade, to a smaller one or to zero, and come back
      double const scale = std::ldexp(1.0, random.between(-70, 70)), factor = 1 + std::abs(random.value<double>(0)) / 8;
      double const size = std::ldexp(random.one_of(1.5, -1.5, -1.4, -1.2), random.between(14, 20));
      std::size_t const l = any(k), back = l + random.one_of<std::size_t>(1, 1, 2, 4, 8);
      if (back >= k) break;
      for (double& other : x) other *= scale;
      x[l] = x[back] = factor * scale;
      for (std::size_t i = m / 3; i < m; ++i) a(i, back) = -(a(i, l) = size / factor);
      if (random.coin()) a(m - 1, back) *= 1 + 0x1p-50;
      break;
    }
    default:
      break;
  }
}

/// Results that one kernel decides are right; others, and what is between them, are as they were.
struct SmallResults {
  std::size_t rows, undecided_rows = 0;
  std::vector<std::uint32_t> undecided;

  explicit SmallResults(std::size_t m) : rows(m), undecided(m, 0) {}

  /// \param row  Rows of undecided numbers are in order.
  bool has_decided(std::size_t row) const {
    auto const end = undecided.begin() + static_cast<std::ptrdiff_t>(undecided_rows);
    return undecided_rows < rows && !std::binary_search(undecided.begin(), end, row);
  }
  void check(double result, Expected<double> const& expected, double before, std::size_t row) const {
    if (has_decided(row)) {
      EXAKT_CHECK_BITS(result, expected);
    } else {
      EXAKT_CHECK_BITS(result, before);
    }
  }
};

}  // namespace

TEST_CASE("small matrices times vectors: results are right or not decided, and nothing beyond them is touched") {
  if (!has_kernels()) return;
  Random random(867);
  for (Hardness const hardness : every_hardness) {
    std::size_t decided = 0, all = 0;
    for (std::uint64_t repetition = 0; repetition < 120 * case_factor(); ++repetition) {
      std::size_t const m = size_of_small(random, 256), k = size_of_small(random, 256);
      INFO(name_of(hardness) << ", " << m << " x " << k);
      auto [a, x] = hard_product<double, double>(random, hardness, m, k);
      make_harder(random, a, x);
      std::vector<double> y(m);
      for (double& entry : y) entry = hard_number<double>(random, hardness);
      bool const reads_y = random.coin();
      double const alpha = random.one_of(1.0, 1.0, 0.7), beta = reads_y ? random.one_of(1.0, -3.0) : 0;
      auto const expected = expected_product(alpha, a, x, beta, y);
      Guarded const A(a, random.coin());
      GuardedArray<double> const factor(x);
      std::size_t const stride = random.one_of<std::size_t>(1, 3);
      std::vector<double> result(m * stride + 1, -7);
      for (std::size_t i = 0; i < m; ++i) result[i * stride] = y[i];
      SmallResults results(m);
      results.undecided_rows = Exakt::Impl::matrix_kernels().multiply_small(
          A.matrix, factor.data(), m, k, {alpha, beta, reads_y, false}, result.data(),
          static_cast<std::ptrdiff_t>(stride), results.undecided.data());
      all += m;
      decided += m - results.undecided_rows;
      for (std::size_t i = 0; i < m; ++i) {
        results.check(result[i * stride], expected[i], y[i], i);
        result[i * stride] = -7;
      }
      for (double const other : result) EXAKT_CHECK_BITS(other, -7.0);
    }
    INFO(name_of(hardness));
    if (hardness == Hardness::none || hardness == Hardness::ties) CHECK(decided > all / 2);
  }
}

TEST_CASE(
    "small matrices times vectors: ties are known in any pack of rows, but where something far below breaks them") {
  if (!has_kernels()) return;
  Random random(868);
  constexpr std::size_t k = 40;
  std::vector<double> x(k, 1);
  x[1] = 0x1p-53;
  for (std::size_t const m : {5, 64, 100, 250}) {
    for (bool const all_are_ties : {true, false}) {
      Table<double> a(m, k);
      std::size_t broken = 0;
      for (std::size_t i = 0; i < m; ++i) {
        a(i, 0) = 1;
        // Half a unit, or that of a sum that is decided.
        a(i, 1) = all_are_ties || random.coin() ? 1 : 0.75;
        a(i, 2) = -(a(i, k - 1) = random.between(-3, 3));
        if (i % 25 == 9) a(i, 20) = random.one_of(0x1p-110, -0x1p-110);
        if (i % 25 == 9) ++broken;
      }
      auto const expected = expected_product(1, a, x, 0, std::vector<double>(m));
      for (bool const by_columns : {true, false}) {
        INFO(m << " rows" << (by_columns ? ", columns" : ", rows"));
        Guarded const A(a, by_columns);
        std::vector<double> y(m);
        SmallResults results(m);
        results.undecided_rows = Exakt::Impl::matrix_kernels().multiply_small(
            A.matrix, x.data(), m, k, {1, 0, false, false}, y.data(), 1, results.undecided.data());
        CHECK(results.undecided_rows <= broken);
        for (std::size_t i = 0; i < m; ++i) results.check(y[i], expected[i], 0, i);
      }
    }
  }
}

TEST_CASE("small matrices times vectors: zeros of which each product has a factor of zero are decided, and no others") {
  if (!has_kernels()) return;
  Random random(870);
  for (std::size_t const m : {1, 9, 64, 150})
    for (std::size_t const k : {1, 8, 70})
      for (double const special : {1.0, 0x1p-600, HUGE_VAL, std::nan("")}) {
        INFO(m << " x " << k << ", among others " << special);
        Table<double> a(m, k);
        std::vector<double> x(k);
        for (std::size_t l = 0; l < k; ++l) {
          x[l] = l % 2 == 0 ? random.value<double>(0) : random.one_of(0.0, -0.0);
          // One row in three has nothing where x has, another one nothing at all.
          for (std::size_t i = 0; i < m; ++i)
            a(i, l) = i % 3 == 0 || (i % 3 == 1 && l % 2 == 1) ? random.value<double>(0) : random.one_of(0.0, -0.0);
        }
        if (k > 2) x[2] = special == 0x1p-600 ? special : x[2];
        for (std::size_t i = 1; i < m && k > 2; i += 18) a(i, special == 0x1p-600 ? 2 : 1) = special;
        auto const expected = expected_product(1, a, x, 0, std::vector<double>(m));
        for (bool const by_columns : {true, false}) {
          Guarded const A(a, by_columns);
          std::vector<double> y(m);
          SmallResults results(m);
          results.undecided_rows = Exakt::Impl::matrix_kernels().multiply_small(
              A.matrix, x.data(), m, k, {1, 0, false, false}, y.data(), 1, results.undecided.data());
          for (std::size_t i = 0; i < m; ++i) {
            results.check(y[i], expected[i], 0, i);
            if (special == 1 && m > 9) CHECK(results.has_decided(i));
          }
        }
      }
}

TEST_CASE(
    "a product that takes heads out of their binade is noticed, whatever the exponent, if the next one takes them "
    "back") {
  if (!has_kernels()) return;
  constexpr std::size_t m = 16, k = 40, l = 13;
  constexpr double factor = 1.1, start = 0x1.8p19;  // the head of products up to this factor
  Random random(869);
  for (std::size_t const back : {l + 1, l + 8}) {
    for (double const size : {start, 0.93 * start, 0.8 * start, 0.7 * start, -0.2 * start, -0.4 * start}) {
      Table<double> a(m, k);
      std::vector<double> x(k);
      for (double& entry : a.entries) entry = 0.75 - std::abs(random.value<double>(0)) / 32;
      // Where all of a head is taken, what is left of it stays between 8 and 16 meanwhile: in a field less by 16.
      for (double& entry : x) entry = 1 - std::abs(random.value<double>(0)) / 16;
      a(0, 0) = 1;
      x[l] = x[back] = factor;
      for (std::size_t i = 2; i < m; ++i) a(i, back) = -(a(i, l) = -size / factor);
      auto const expected = expected_product(1, a, x, 0, std::vector<double>(m));
      for (int exponent = -64; exponent < 64; ++exponent) {
        std::vector<double> scaled = x;
        for (double& entry : scaled) entry = std::ldexp(entry, exponent);
        for (bool const by_columns : {true, false}) {
          INFO("heads less " << size << ", times 2^" << exponent << (by_columns ? ", columns" : ", rows"));
          Guarded const A(a, by_columns);
          std::vector<double> y(m);
          std::uint32_t undecided[m];
          std::size_t const others = Exakt::Impl::matrix_kernels().multiply_small(
              A.matrix, scaled.data(), m, k, {1, 0, false, false}, y.data(), 1, undecided);
          CHECK(others < m);
          for (std::size_t i = 0, other = 0; i < m; ++i) {
            if (other < others && undecided[other] == i) {
              ++other;
            } else {
              EXAKT_CHECK_BITS(y[i], Expected<double>{std::ldexp(expected[i].value, exponent)});
            }
          }
        }
      }
    }
  }
}

namespace {

/// Sums of rows by the kernel for matrices of any size, with one vector or two, one of them in another order.
template <class T>
struct EnclosedRows {
  Table<T> a;
  std::vector<double> x[2], high[2], low[2], bound[2];

  EnclosedRows(Table<T> const& table, std::vector<double> const& factors, bool by_columns, int count) : a(table) {
    auto const width = static_cast<std::ptrdiff_t>(by_columns ? a.rows : a.columns);
    GuardedArray<T> const entries((by_columns ? a.transposed() : a).entries);
    Strided<T const> const matrix{entries.data(), by_columns ? 1 : width, by_columns ? width : 1};
    Exakt::Impl::VectorProducts products[2];
    for (int v = 0; v < 2; ++v) {
      x[v] = factors;
      for (auto* const array : {high, low, bound}) array[v].assign(a.rows, 0);
    }
    std::reverse(x[1].begin(), x[1].end());
    GuardedArray<double> const guarded[2] = {GuardedArray<double>(x[0]), GuardedArray<double>(x[1])};
    for (int v = 0; v < 2; ++v) products[v] = {guarded[v].data(), {high[v].data(), low[v].data(), bound[v].data()}};
    Exakt::Impl::MatrixKernelsOf<T> const& kernel = Exakt::Impl::matrix_kernels();
    kernel.enclose(matrix, products, count, {0, a.rows}, {0, a.columns});
  }

  /// \param size  Receives the rounded sum.
  bool is_right(int v, std::size_t row, double& size) const {
    Gap gap{{}, bound[v][row]};
    for (std::size_t j = 0; j < a.columns; ++j) gap.error.add_product(static_cast<double>(a(row, j)), x[v][j]);
    size = std::abs(gap.error.template round<double>());
    gap.error -= high[v][row];
    gap.error -= low[v][row];
    return gap.is_within();
  }
};

}  // namespace

TEST_CASE("heads of rows of any length that leave their binade are noticed, whatever the exponent") {
  if (!has_kernels()) return;
  constexpr std::size_t m = 28;
  constexpr double factor = 1.1;
  Random random(873);
  struct Heads {
    std::size_t before;  // the products that are larger: a sample at least of long rows
    std::vector<int> exponents_of_start;
  };
  for (auto const& [before, exponents_of_start] : {Heads{0, {12, 13, 14, 15}}, Heads{260, {14, 15, 16, 17}}}) {
    std::size_t const k = before + 40, l = before + 13;
    for (std::size_t const back : {l + 1, l + 8}) {
      for (int const exponent_of_start : exponents_of_start) {
        for (double const part : {1.0, 0.93, 0.8, 0.7, -0.2, -0.4}) {
          double const size = part * std::ldexp(1.5, exponent_of_start);
          Table<double> a(m, k);
          std::vector<double> x(k);
          for (double& entry : a.entries) entry = 0.75 - std::abs(random.value<double>(0)) / 32;
          for (double& entry : x) entry = 1 - std::abs(random.value<double>(0)) / 16;
          x[0] = 1.2;  // where a sample begins
          x[l] = x[back] = factor;
          for (std::size_t i = 5; i < m; ++i) a(i, back) = -(a(i, l) = -size / factor);
          for (int exponent = -64; exponent < 64; exponent += before == 0 ? 1 : 3) {
            std::vector<double> scaled = x;
            for (double& entry : scaled) entry = std::ldexp(entry, exponent);
            bool const by_columns = before == 0 && random.coin();
            int const count = random.between(1, 2);
            INFO("heads less " << size << ", times 2^" << exponent << (by_columns ? ", columns, " : ", rows, ") << count
                               << ", k = " << k);
            EnclosedRows<double> const sums(a, scaled, by_columns, count);
            bool are_right = true;
            double sum;
            for (int v = 0; v < count; ++v)
              for (std::size_t i = 0; i < m; ++i) are_right = are_right && sums.is_right(v, i, sum);
            CHECK(are_right);
          }
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("rows of every stride are gathered as doubles, and nothing beyond them is touched", "", float,
                   double) {
  if (!has_kernels()) return;
  Exakt::Impl::MatrixKernelsOf<TestType> const& kernels = Exakt::Impl::matrix_kernels();
  Random random(875);
  for (std::size_t const rows : {1, 2, 7, 8, 9, 20}) {
    for (std::size_t const columns : {1, 3, 8, 15, 16, 37}) {
      struct Steps {
        std::size_t row, column;
      };
      for (Steps const steps : {Steps{1, rows}, {1, rows + 3}, {columns, 1}, {columns + 1, 1}, {2, 2 * rows + 1}}) {
        INFO(rows << " x " << columns << ", steps " << steps.row << " and " << steps.column);
        std::vector<TestType> x((rows - 1) * steps.row + (columns - 1) * steps.column + 1);
        for (TestType& entry : x) entry = random.value<TestType>(random.between(-30, 30));
        GuardedArray<TestType> const from(x);
        std::size_t const to_step = columns + 2;
        std::vector<double> to(rows * to_step, -1);
        kernels.gather_rows(
            {from.data(), static_cast<std::ptrdiff_t>(steps.row), static_cast<std::ptrdiff_t>(steps.column)}, rows,
            columns, to.data(), to_step);
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < to_step; ++j)
            CHECK(to[i * to_step + j] == (j < columns ? static_cast<double>(x[i * steps.row + j * steps.column]) : -1));
      }
    }
  }
}

TEMPLATE_TEST_CASE("rows of any length are known up to their bounds, with one vector and with two", "", double, float) {
  if (!has_kernels()) return;
  Random random(874);
  for (Hardness const hardness : every_hardness) {
    std::size_t close = 0, all = 0;
    for (std::uint64_t repetition = 0; repetition < 40 * case_factor(); ++repetition) {
      bool const is_long = random.between(0, 9) == 0;
      std::size_t const m = size_of_small(random, 70),
                        k = is_long ? random.between(500, 1200) : size_of_small(random, 70);
      auto const [a, factors] = hard_product<TestType, TestType>(random, hardness, m, k);
      Table<TestType> harder = a;
      std::vector<double> x(factors.begin(), factors.end());
      if constexpr (std::is_same_v<TestType, double>) make_harder(random, harder, x);
      bool const by_columns = random.coin();
      int const count = random.between(1, 2);
      INFO(name_of(hardness) << ", " << m << " x " << k << (by_columns ? ", columns, " : ", rows, ") << count);
      EnclosedRows<TestType> const sums(harder, x, by_columns, count);
      for (int v = 0; v < count; ++v) {
        for (std::size_t i = 0; i < m; ++i) {
          double sum;
          CHECK((!(sums.bound[v][i] < HUGE_VAL) || sums.is_right(v, i, sum)));
          close += sums.bound[v][i] <= sum * 0x1p-70 ? 1 : 0;
          ++all;
        }
      }
    }
    INFO(name_of(hardness));
    if (hardness == Hardness::none || hardness == Hardness::ties) CHECK(close > all / 2);
  }
}

TEST_CASE("heads that end at zero are noticed: sums of lanes would be rounded") {
  if (!has_kernels()) return;
  constexpr std::size_t m = 16, k = 32;
  constexpr double start = 0x1.8p19;  // the head of products up to 1
  Table<double> a(m, k);
  for (std::size_t i = 0; i < m; ++i) {
    a(i, 0) = i < 2 ? 1 : 1 + static_cast<double>(i) * 0x1p-31 + 0x1p-32;
    a(i, 8) = 0x1p-41;  // next to ties, in the lane of the first column
    for (std::size_t l = k - 7; i >= 2 && l < k - 4; ++l) a(i, l) = -start;
  }
  std::vector<double> const x(k, 1);
  auto const expected = expected_product(1, a, x, 0, std::vector<double>(m));
  for (bool const by_columns : {true, false}) {
    INFO((by_columns ? "columns" : "rows"));
    Guarded const A(a, by_columns);
    std::vector<double> y(m);
    std::uint32_t undecided[m];
    CHECK(Exakt::Impl::matrix_kernels().multiply_small(A.matrix, x.data(), m, k, {1, 0, false, false}, y.data(), 1,
                                                       undecided) == 0);
    for (std::size_t i = 0; i < m; ++i) EXAKT_CHECK_BITS(y[i], expected[i]);
  }
}

TEST_CASE("small complex matrices times vectors: the same") {
  if (!has_kernels()) return;
  Random random(868);
  for (Hardness const hardness : every_hardness) {
    std::size_t decided = 0, all = 0;
    for (std::uint64_t repetition = 0; repetition < 120 * case_factor(); ++repetition) {
      std::size_t const m = size_of_small(random, 70), k = size_of_small(random, 70);
      INFO(name_of(hardness) << ", " << m << " x " << k);
      // Numbers in the order of their products, which one part of each result is the sum of; the other one is hard as well.
      auto [a, x] = hard_product<double, double>(random, hardness, m, 2 * k);
      make_harder(random, a, x);
      bool const conjugated = random.coin(), real_is_hard = random.coin();
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t l = 1; l < 2 * k && !conjugated && real_is_hard; l += 2) a(i, l) = -a(i, l);
      for (std::size_t l = 0; l < k && !real_is_hard; ++l) std::swap(x[2 * l], x[2 * l + 1]);
      std::vector<double> y(2 * m);
      for (double& entry : y) entry = hard_number<double>(random, hardness);
      bool const reads_y = random.coin();
      double const alpha = random.one_of(1.0, 1.0, 0.7), beta = reads_y ? random.one_of(1.0, -3.0) : 0;
      std::vector<Expected<double>> expected;
      for (std::size_t i = 0; i < 2 * m; ++i) {
        std::size_t const imaginary = i % 2;
        auto const number = [&, j = i / 2](std::size_t l) {
          bool const is_negative = l % 2 == 1 && conjugated == (imaginary == 1);
          return is_negative ? -a(j, l) : a(j, l);
        };
        expected.push_back(expected_epilogue(
            alpha, 2 * k, number, [&](std::size_t l) { return x[l ^ imaginary]; }, beta, y[i]));
      }
      bool const by_columns = random.coin();
      std::vector<double> numbers;
      for (std::size_t i = 0; i < (by_columns ? k : m); ++i)
        for (std::size_t j = 0; j < (by_columns ? m : k); ++j)
          for (std::size_t part = 0; part < 2; ++part)
            numbers.push_back(by_columns ? a(j, 2 * i + part) : a(i, 2 * j + part));
      GuardedArray<double> const A(numbers), factor(x);
      auto const line = static_cast<std::ptrdiff_t>(2 * (by_columns ? m : k));
      std::vector<double> result = y;
      result.push_back(-7);
      SmallResults results(m);
      results.undecided_rows = Exakt::Impl::matrix_kernels().multiply_small_complex(
          {A.data(), by_columns ? 1 : line, by_columns ? line : 1}, conjugated, factor.data(), m, k,
          {alpha, beta, reads_y, false}, result.data(), results.undecided.data());
      all += m;
      decided += m - results.undecided_rows;
      for (std::size_t i = 0; i < 2 * m; ++i) results.check(result[i], expected[i], y[i], i / 2);
      EXAKT_CHECK_BITS(result[2 * m], -7.0);
    }
    INFO(name_of(hardness));
    if (hardness == Hardness::none || hardness == Hardness::ties) CHECK(decided > all / 2);
  }
}
