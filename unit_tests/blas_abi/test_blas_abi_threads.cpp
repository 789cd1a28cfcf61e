// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EXAKT_NUM_THREADS=3: calls that are worth threads, and others, have the bits that one thread finds, whatever the
// environment of the calling thread, which starts the others.
#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_FpEnvironment.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

using namespace ExaktTest;

constexpr std::size_t n = 200, terms = 100'000;

/// Some rows of a and columns of b are so small that their products are subnormal: flushing and rounding would show.
struct Input {
  std::vector<double> a = std::vector<double>(n * n), b = a, x = std::vector<double>(terms), y = x;

  Input() {
    Random random(1);
    auto const number = [&](bool is_tiny) {
      return random.value<double>(is_tiny ? random.between(-540, -520) : random.between(-8, 8));
    };
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) {
        a[j * n + i] = number(i % 16 == 3);
        b[j * n + i] = number(j % 16 == 3);
      }
    for (double& entry : x) entry = number(true);
    for (double& entry : y) entry = number(true);
  }
};

/// Results of calls that are shared among threads.
std::vector<double> results_of(Input const& input) {
  auto const size = static_cast<std::int32_t>(n), length = static_cast<std::int32_t>(terms);
  std::vector<double> gemm(n * n), syrk(n * n), gemv(n), trsm = input.b, axpy = input.y, all;
  double const one = 1, zero = 0, third = 1.0 / 3;
  std::int32_t const step = 1;
  using I = std::int32_t const*;
  using D = double const*;
  invoke<void, char const*, char const*, I, I, I, D, D, I, D, I, D, double*, I>(
      "dgemm_", "N", "T", &size, &size, &size, &one, input.a.data(), &size, input.b.data(), &size, &zero, gemm.data(),
      &size);
  invoke<void, char const*, char const*, I, I, D, D, I, D, double*, I>(
      "dsyrk_", "U", "N", &size, &size, &third, input.a.data(), &size, &zero, syrk.data(), &size);
  invoke<void, char const*, I, I, D, D, I, D, I, D, double*, I>(
      "dgemv_", "T", &size, &size, &one, input.a.data(), &size, input.x.data(), &step, &zero, gemv.data(), &step);
  invoke<void, char const*, char const*, char const*, char const*, I, I, D, D, I, double*, I>(
      "dtrsm_", "L", "L", "N", "N", &size, &size, &third, input.a.data(), &size, trsm.data(), &size);
  invoke<void, I, D, D, I, double*, I>("daxpy_", &length, &third, input.x.data(), &step, axpy.data(), &step);
  for (auto const* const part : {&gemm, &syrk, &gemv, &trsm, &axpy}) all.insert(all.end(), part->begin(), part->end());
  // Short ones, on the calling thread.
  std::vector<double> short_axpy = input.b;
  auto const some = std::int32_t{50};
  for (std::size_t k = 0; k + 50 <= n * n; k += 50) {
    double const *const a = input.a.data() + k, *const b = input.b.data() + k;
    all.push_back(invoke<double, I, D, I, D, I>("ddot_", &some, a, &step, b, &step));
    all.push_back(invoke<double, I, D, I>("dnrm2_", &some, a, &step));
    invoke<void, I, D, D, I, double*, I>("daxpy_", &some, &third, a, &step, short_axpy.data() + k, &step);
  }
  all.insert(all.end(), short_axpy.begin(), short_axpy.end());
  all.push_back(invoke<double, I, D, I, D, I>("ddot_", &length, input.x.data(), &step, input.y.data(), &step));
  all.push_back(invoke<double, I, D, I>("dnrm2_", &length, input.x.data(), &step));
  return all;
}

bool are_same(std::vector<double> const& a, std::vector<double> const& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = same_bits(a[i], b[i]);
  return same;
}

TEST_CASE("calls find the same bits in any environment of their thread") {
  Input const input;
  auto const expected = results_of(input);
  Exact dot;
  for (std::size_t i = 0; i < terms; ++i) dot.add_product(input.x[i], input.y[i]);
  EXAKT_CHECK_BITS(expected[expected.size() - 2], dot.round<double>());
  for (std::size_t i = 3; i < n; i += 56)
    for (std::size_t j = 3; j < n; j += 40) {
      Exact entry;
      for (std::size_t l = 0; l < n; ++l) entry.add_product(input.a[l * n + i], input.b[l * n + j]);
      EXAKT_CHECK_BITS(expected[j * n + i], entry.round<double>());
    }
  for (FpSettings const& settings : every_fp_environment_of_hosts()) {
    INFO(settings.name);
    // A child starts threads anew, in the environment of its first call.
    pid_t const child = fork();
    if (child == 0) {
      std::vector<double> first, second;
      {
        ScopedFpEnvironment const hostile(settings);
        first = results_of(input);
      }
      second = results_of(input);
      _exit(are_same(first, expected) && are_same(second, expected) ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}

TEST_CASE("ten threads call at once, each in an environment of its own, and so do children of two of them") {
  Input const input;
  auto const expected = results_of(input);
  auto const environments = every_fp_environment_of_hosts();
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 10; ++k)
    threads.emplace_back([&, k] {
      ScopedFpEnvironment const hostile(environments[k % environments.size()]);
      if (!are_same(results_of(input), expected)) ++failures;
      if (k >= 2) return;
      // While others are in the middle of theirs.
      pid_t const child = fork();
      if (child == 0) _exit(are_same(results_of(input), expected) ? 0 : 1);
      int status = 1;
      if (waitpid(child, &status, 0) != child || status != 0) ++failures;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

/// C := A B with matrices of size x size doubles; of sums that cancel, the second half of each is the first one with the other sign, and
/// a little more.
class Product {
 public:
  Product(Random& random, std::int32_t size, bool cancels)
      : m_size(size), m_a(entries(random)), m_b(entries(random)), m_expected(multiply()) {
    if (!cancels) return;
    auto const n = static_cast<std::size_t>(m_size), half = n / 2;
    for (std::size_t l = 0; l < half; ++l)
      for (std::size_t i = 0; i < n; ++i) {
        m_a[(half + l) * n + i] = m_a[l * n + i];
        m_b[i * n + half + l] = -m_b[i * n + l] * (random.between(0, 9) == 0 ? 1 + 0x1p-40 : 1);
      }
    m_expected = multiply();
  }

  bool has_the_same_bits_again() const { return are_same(multiply(), m_expected); }
  double entry(std::size_t i, std::size_t j) const { return m_expected[j * static_cast<std::size_t>(m_size) + i]; }
  auto exact_entry(std::size_t i, std::size_t j) const {
    auto const n = static_cast<std::size_t>(m_size);
    Exact sum;
    for (std::size_t l = 0; l < n; ++l) sum.add_product(m_a[l * n + i], m_b[j * n + l]);
    return sum.round<double>();
  }

 private:
  std::vector<double> entries(Random& random) const {
    std::vector<double> all(static_cast<std::size_t>(m_size) * static_cast<std::size_t>(m_size));
    for (double& x : all) x = random.value<double>(random.between(-20, 20));
    return all;
  }
  std::vector<double> multiply() const {
    std::vector<double> c(m_a.size());
    double const one = 1, zero = 0;
    using I = std::int32_t const*;
    using D = double const*;
    invoke<void, char const*, char const*, I, I, I, D, D, I, D, I, D, double*, I>(
        "dgemm_", "N", "N", &m_size, &m_size, &m_size, &one, m_a.data(), &m_size, m_b.data(), &m_size, &zero, c.data(),
        &m_size);
    return c;
  }

  std::int32_t m_size;
  std::vector<double> m_a, m_b, m_expected;
};

TEST_CASE(
    "threads that multiply matrices of different sizes and kinds at once do not share the memory of their copies") {
  Random random(2);
  std::vector<Product> products;
  for (std::int32_t const size : {3, 40, 96, 130, 170, 256})
    for (bool const cancels : {false, true}) products.emplace_back(random, size, cancels);
  for (Product const& product : products)
    for (std::size_t const i : {0, 2}) EXAKT_CHECK_BITS(product.entry(i, 1), product.exact_entry(i, 1));
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 8; ++k)
    threads.emplace_back([&, k] {
      // Each in an order of its own, so that what one has given back is what another one of another size takes.
      for (std::size_t call = 0; call < 6 * products.size(); ++call)
        if (!products[(5 * call + 7 * k + call / products.size()) % products.size()].has_the_same_bits_again())
          ++failures;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

}  // namespace
