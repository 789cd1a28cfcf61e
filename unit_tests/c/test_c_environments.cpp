// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief Functions of C that run on the library's threads, in every floating-point environment: of the calling thread, and of
/// threads that are started in it. What they give in the default one, other tests compare with MPFR.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <string>

#include "../support/ExaktTest_Matrices.hpp"
#include "ExaktTest_C.hpp"
#include "ExaktTest_FpEnvironment.hpp"

namespace {

using namespace ExaktTest;

constexpr exakt_layout layout = EXAKT_COLUMN_MAJOR;
constexpr exakt_transpose none = EXAKT_NO_TRANS;

constexpr std::ptrdiff_t triangle_side = 80;

/// Made in the default environment.
template <class T>
struct Input {
  std::vector<T> x, y, triangle;
  std::vector<double> places;  // in a histogram

  Input(Random& random, Hardness hardness)
      : x(12'000), y(12'000), triangle(static_cast<std::size_t>(triangle_side * triangle_side)), places(12'000) {
    for (T& entry : x) entry = hard_number<T>(random, hardness);
    for (T& entry : y) entry = hard_number<T>(random, hardness);
    // Little but the diagonal, or solutions overflow.
    for (std::size_t i = 0; i < triangle.size(); ++i)
      triangle[i] = i % (triangle_side + 1) == 0 ? T(3) : random.value<T>(random.between(-40, -8));
    for (double& place : places) place = random.one_of(0x1p-1074, 0.0, 0.5);
  }
};

/// Exception flags that some call has left behind, and calls that were refused.
std::atomic<int> raised_flags{0}, refusals{0};

/// Every function once for each type. The letters are those of real and of complex numbers.
#define RESULTS(d, z, T)                                                                                               \
  std::vector<T> results_of(Input<T> const& input) {                                                                   \
    auto const& [x, y, triangle, places] = input;                                                                      \
    std::ptrdiff_t const n = length(x), half = n / 2, side = triangle_side, rows = 2000;                               \
    auto const size = static_cast<std::size_t>(n);                                                                     \
    std::vector<T> all;                                                                                                \
    auto const take = [&](std::size_t count, auto const& f) {                                                          \
      std::vector<T> r(count, T{7});                                                                                   \
      std::feclearexcept(FE_ALL_EXCEPT);                                                                               \
      exakt_status const status = f(r.data());                                                                         \
      raised_flags |= std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT);                                                  \
      refusals += status != EXAKT_SUCCESS;                                                                             \
      all.push_back(static_cast<T>(status));                                                                           \
      all.insert(all.end(), r.begin(), r.end());                                                                       \
    };                                                                                                                 \
    for (auto const f : {exakt_##d##sum, exakt_##d##nrm1, exakt_##d##nrm2, exakt_##d##nrm2_squared, exakt_##d##mean})  \
      take(1, [&](T* r) { return f(n, x.data(), 1, r); });                                                             \
    for (auto const f : {exakt_##z##sum, exakt_##z##mean}) take(2, [&](T* r) { return f(half, x.data(), 1, r); });     \
    for (auto const f : {exakt_##z##dotc, exakt_##z##dotu})                                                            \
      take(2, [&](T* r) { return f(half, x.data(), 1, y.data(), -1, r); });                                            \
    for (auto const f : {exakt_##d##variance, exakt_##d##stddev})                                                      \
      take(1, [&](T* r) { return f(n, x.data(), 1, 1, r); });                                                          \
    for (auto const f : {exakt_##d##covariance, exakt_##d##complex_variance, exakt_##d##complex_stddev})               \
      take(1, [&](T* r) { return f(n, x.data(), 1, y.data(), 1, 1, r); });                                             \
    take(1, [&](T* r) { return exakt_##d##correlation(n, x.data(), 1, y.data(), 1, r); });                             \
    for (auto const f : {exakt_##d##inclusive_scan, exakt_##d##exclusive_scan})                                        \
      take(size, [&](T* r) { return f(n, x.data(), 1, r, 1); });                                                       \
    for (auto const f : {exakt_##d##sum_batch, exakt_##d##nrm2_batch, exakt_##d##mean_batch})                          \
      take(50, [&](T* r) { return f(n / 50, 50, x.data(), 1, n / 50, r, 1); });                                        \
    for (auto const f : {exakt_##d##variance_batch, exakt_##d##stddev_batch})                                          \
      take(50, [&](T* r) { return f(n / 50, 50, x.data(), 1, n / 50, 0, r, 1); });                                     \
    std::vector<std::ptrdiff_t> offsets{0};                                                                            \
    std::vector<std::int64_t> keys(size), unique_keys(size);                                                           \
    for (std::size_t i = 0; i < size; ++i) {                                                                           \
      keys[i] = static_cast<std::int64_t>(i * i % 97);                                                                 \
      if (i % 211 == 0) offsets.push_back(static_cast<std::ptrdiff_t>(i));                                             \
    }                                                                                                                  \
    take(offsets.size() - 1,                                                                                           \
         [&](T* r) { return exakt_##d##segmented_sum(length(offsets) - 1, offsets.data(), n, x.data(), 1, r, 1); });   \
    take(97, [&](T* r) {                                                                                               \
      std::ptrdiff_t count = 0;                                                                                        \
      return exakt_##d##sum_by_key(n, keys.data(), x.data(), 1, unique_keys.data(), r, 97, &count);                    \
    });                                                                                                                \
    double const edges[] = {0, 0x1p-1074, 1};                                                                          \
    take(2, [&](T* r) { return exakt_##d##histogram(n, places.data(), 1, x.data(), 1, 2, edges, r); });                \
    auto const square = static_cast<std::size_t>(side * side);                                                         \
    T const alpha = std::numeric_limits<T>::min() / 8, beta = T(-0.7);                                                 \
    take(square, [&](T* r) {                                                                                           \
      std::copy_n(y.data(), square, r);                                                                                \
      return exakt_##d##gemm(layout, none, EXAKT_TRANS, side, side, side, alpha, x.data(), side, y.data(), side, beta, \
                             r, side);                                                                                 \
    });                                                                                                                \
    T const complex_alpha[] = {T(0.3), alpha}, complex_beta[] = {T(1), T(0)};                                          \
    take(square, [&](T* r) {                                                                                           \
      std::copy_n(y.data(), square, r);                                                                                \
      return exakt_##z##gemm(layout, none, EXAKT_CONJ_TRANS, side / 2, side, side / 3, complex_alpha, x.data(),        \
                             side / 2, y.data(), side, complex_beta, r, side / 2);                                     \
    });                                                                                                                \
    for (exakt_transpose const trans : {EXAKT_NO_TRANS, EXAKT_TRANS}) {                                                \
      std::ptrdiff_t const few = n / rows;                                                                             \
      take(static_cast<std::size_t>(trans == none ? rows : few), [&](T* r) {                                           \
        return exakt_##d##gemv(layout, trans, rows, few, alpha, x.data(), rows, y.data(), 1, beta, r, 1);              \
      });                                                                                                              \
    }                                                                                                                  \
    take(static_cast<std::size_t>(side), [&](T* r) {                                                                   \
      std::copy_n(y.data(), side, r);                                                                                  \
      return exakt_##d##trsv(layout, EXAKT_LOWER, none, EXAKT_NON_UNIT, side, triangle.data(), side, r, 1);            \
    });                                                                                                                \
    take(square, [&](T* r) {                                                                                           \
      std::copy_n(y.data(), square, r);                                                                                \
      return exakt_##d##trsm(layout, EXAKT_LEFT, EXAKT_UPPER, none, EXAKT_NON_UNIT, side, side, beta, triangle.data(), \
                             side, r, side);                                                                           \
    });                                                                                                                \
    std::vector<std::int32_t> map(1001), columns(12'000);                                                              \
    for (std::size_t i = 0; i < map.size(); ++i) map[i] = static_cast<std::int32_t>(12 * i);                           \
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = static_cast<std::int32_t>(k * 7 % 500);              \
    for (exakt_transpose const trans : {EXAKT_NO_TRANS, EXAKT_TRANS})                                                  \
      take(trans == none ? 1000 : 500, [&](T* r) {                                                                     \
        return exakt_##d##csrmv(trans, 1000, 500, alpha, map.data(), columns.data(), x.data(), y.data(), beta, r);     \
      });                                                                                                              \
    return all;                                                                                                        \
  }
RESULTS(d, z, double)
RESULTS(s, c, float)

}  // namespace

TEMPLATE_TEST_CASE("functions of C find the same bits in any environment of their threads", "", double, float) {
  using T = TestType;
  Random random(1930);
  for (Hardness const hardness : {Hardness::none, Hardness::every_exponent, Hardness::tiny, Hardness::special}) {
    INFO(name_of(hardness));
    Input<T> const input(random, hardness);
    auto const expected = results_of(input);
    auto const has_expected = [&](std::vector<T> const& results) {
      bool same = results.size() == expected.size();
      for (std::size_t i = 0; same && i < results.size(); ++i) same = same_bits(results[i], expected[i]);
      return same;
    };
    for (FpSettings const& settings : every_fp_environment_of_hosts()) {
      INFO(settings.name);
      auto const hostile_results = [&] {
        ScopedFpEnvironment const hostile(settings);
        return results_of(input);
      };
      CHECK(has_expected(hostile_results()));
      pid_t const child = fork();  // it starts threads anew
      if (child == 0) _exit(has_expected(hostile_results()) && has_expected(results_of(input)) ? 0 : 1);
      int status = 1;
      CHECK(waitpid(child, &status, 0) == child);
      CHECK(status == 0);
    }
  }
  CHECK(raised_flags == 0);
  CHECK(refusals == 0);
  char const* const threads = std::getenv("EXAKT_NUM_THREADS");
  if (threads != nullptr)
    CHECK(std::string(exakt_describe()).find(std::string(", ") + threads + " thread") != std::string::npos);
}
