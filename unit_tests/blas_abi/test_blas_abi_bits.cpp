// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"

#include <cstdio>
#include <random>

namespace {

using namespace ExaktTest;

/// \brief A fixed set of calls with the same numbers in each program, and a digest of all that they write.
///
/// The numbers come from integers, hence they are those of any machine. Operands begin `shift` entries behind an aligned
/// address.
class FixedCalls {
 public:
  explicit FixedCalls(std::size_t shift) : m_shift(shift) {
    m_interface.is_of_c = m_interface.by_rows = m_interface.has_64_bits = m_interface.has_prefix = false;
  }

  template <class Z>
  void run() {
    for (std::size_t const n : {20, 50}) run<Z>(n);
    // Enough for threads, and fast enough for a test.
    if (std::is_same_v<Z, double>) run<Z>(190);
  }
  std::uint64_t digest() const { return m_digest; }

 private:
  template <class Z>
  Z number() {
    using R = typename PartsOf<Z>::Real;
    auto const part = [&] {
      auto const bits = m_engine();
      // 25 bits, over some binades.
      return static_cast<R>(static_cast<double>(static_cast<std::int64_t>(bits % (1U << 25)) - (1 << 24)) /
                            static_cast<double>(1U << (bits >> 60)));
    };
    if constexpr (PartsOf<Z>::is_complex) {
      R const real = part();
      return Z(real, part());
    } else {
      return part();
    }
  }
  template <class Z>
  struct Vector {
    std::vector<Z> memory;
    std::size_t first;
    Z* data() { return memory.data() + first; }
  };
  template <class Z>
  Vector<Z> numbers(std::size_t count) {
    Vector<Z> result{std::vector<Z>(count + 16), 0};
    auto const address = reinterpret_cast<std::uintptr_t>(result.memory.data());
    result.first = (64 - address % 64) % 64 / sizeof(Z) + m_shift;
    for (std::size_t i = 0; i < count; ++i) result.data()[i] = number<Z>();
    return result;
  }
  /// FNV-1a, by entries.
  template <class Z>
  void look_at(Vector<Z>& vector, std::size_t count) {
    using R = typename PartsOf<Z>::Real;
    auto const* const bytes = reinterpret_cast<R const*>(vector.data());
    for (std::size_t i = 0; i < count * (sizeof(Z) / sizeof(R)); ++i)
      m_digest = (m_digest ^ bits_of(bytes[i])) * 0x100000001b3U;
  }
  template <class... A>
  void call_it(std::string const& verb, A const&... arguments) {
    call_vectors(m_interface, verb, arguments...);
  }

  template <class Z>
  void run(std::size_t n) {
    using R = typename PartsOf<Z>::Real;
    constexpr bool is_complex = PartsOf<Z>::is_complex;
    std::string const letter(1, letter_of<Z>()), he = letter + (is_complex ? "he" : "sy"),
                                                 h = letter + (is_complex ? "h" : "s");
    Scalar<Z> const alpha{number<Z>()}, beta{number<Z>()}, one{Z(1)};
    Scalar<R> const real{number<R>()}, cosine{R(0.6)}, sine{R(0.8)};
    Size const N(n), step(1), band(5), height(11), three(3);
    auto a = numbers<Z>(n * n), b = numbers<Z>(n * n), c = numbers<Z>(n * n), x = numbers<Z>(n), y = numbers<Z>(n);
    Mode const up = uplo(false), low = uplo(true), plain = trans('N'), turned = trans('C'), left = side(true),
               right = side(false);
    Mode const ones = diag(true), read = diag(false);
    // Triangles whose unknowns stay in range.
    auto const make_dominant = [&](Vector<Z>& matrix, std::size_t lines, std::size_t place, std::size_t distance) {
      for (std::size_t i = 0; i < lines; ++i) matrix.data()[place + i * distance] = Z(R(0x1p30) + R(i));
    };
    call_it(letter + "axpy", N, alpha, x.data(), step, y.data(), step);
    look_at(y, n);
    call_it((is_complex ? letter + (sizeof(R) == 4 ? "s" : "d") : letter) + "rot", N, x.data(), step, y.data(), step,
            cosine, sine);
    look_at(x, n);
    for (Mode const& mode : {plain, turned}) {
      call_it(letter + "gemv", mode, N, N, alpha, a.data(), N, x.data(), step, beta, y.data(), step);
      call_it(letter + "gbmv", mode, N, N, band, band, alpha, a.data(), height, x.data(), step, beta, y.data(), step);
      look_at(y, n);
    }
    call_it(he + "mv", up, N, alpha, a.data(), N, x.data(), step, beta, y.data(), step);
    call_it(h + "bmv", low, N, band, alpha, a.data(), height, x.data(), step, beta, y.data(), step);
    call_it(h + "pmv", up, N, alpha, a.data(), x.data(), step, beta, y.data(), step);
    look_at(y, n);
    if (is_complex) {
      call_it(letter + "geru", N, N, alpha, x.data(), step, y.data(), step, c.data(), N);
      call_it(letter + "gerc", N, N, alpha, y.data(), step, x.data(), step, c.data(), N);
    } else {
      call_it(letter + "ger", N, N, alpha, x.data(), step, y.data(), step, c.data(), N);
    }
    call_it(he + "r", up, N, real, x.data(), step, c.data(), N);
    call_it(he + "r2", low, N, alpha, x.data(), step, y.data(), step, c.data(), N);
    call_it(h + "pr", low, N, real, x.data(), step, c.data());
    call_it(h + "pr2", up, N, alpha, x.data(), step, y.data(), step, c.data());
    look_at(c, n * n);
    x = numbers<Z>(n);
    call_it(letter + "trmv", up, turned, read, N, a.data(), N, x.data(), step);
    call_it(letter + "tbmv", low, plain, ones, N, band, a.data(), height, x.data(), step);
    look_at(x, n);
    x = numbers<Z>(n);
    call_it(letter + "tpmv", low, turned, read, N, a.data(), x.data(), step);
    look_at(x, n);
    x = numbers<Z>(n);
    auto d = a;
    d.first = a.first;
    make_dominant(d, n, 0, n + 1);
    call_it(letter + "trsv", low, plain, read, N, d.data(), N, x.data(), step);
    look_at(x, n);
    auto solved = b;
    call_it(letter + "trsm", left, up, turned, read, N, N, alpha, d.data(), N, solved.data(), N);
    call_it(letter + "trsm", right, low, plain, read, N, N, one, d.data(), N, solved.data(), N);
    look_at(solved, n * n);
    d = a;
    make_dominant(d, n, 0, 11);
    call_it(letter + "tbsv", low, turned, read, N, band, d.data(), height, x.data(), step);
    d = a;
    for (std::size_t line = 0; line < n; ++line) d.data()[line * (line + 3) / 2] = Z(R(0x1p30));
    call_it(letter + "tpsv", up, plain, read, N, d.data(), x.data(), step);
    look_at(x, n);
    call_it(letter + "gemm", plain, turned, N, N, N, alpha, a.data(), N, b.data(), N, beta, c.data(), N);
    call_it(letter + "symm", left, up, N, N, alpha, a.data(), N, b.data(), N, beta, c.data(), N);
    call_it(letter + "syrk", low, plain, N, N, alpha, a.data(), N, beta, c.data(), N);
    call_it(letter + "syr2k", up, plain, N, N, alpha, a.data(), N, b.data(), N, beta, c.data(), N);
    call_it(letter + "trmm", right, up, turned, read, N, N, alpha, a.data(), N, c.data(), N);
    if (is_complex) {
      call_it(letter + "hemm", right, low, N, N, alpha, a.data(), N, b.data(), N, beta, c.data(), N);
      call_it(letter + "herk", up, turned, N, N, real, a.data(), N, real, c.data(), N);
      call_it(letter + "her2k", low, turned, N, N, alpha, a.data(), N, b.data(), N, real, c.data(), N);
    }
    look_at(c, n * n);
    std::vector<std::int32_t> pivots(n);
    std::int32_t info = 0;
    d = a;
    auto e = b;
    call_it(letter + "gesv", N, three, d.data(), N, pivots.data(), e.data(), N, &info);
    look_at(d, n * n);
    look_at(e, 3 * n);
    d = a;
    for (std::size_t i = 0; i < n; ++i) d.data()[i * (n + 1)] = Z(R(0x1p36));
    call_it(letter + "potrf", low, N, d.data(), N, &info);
    call_it(letter + "potrs", low, N, three, d.data(), N, e.data(), N, &info);
    look_at(d, n * n);
    look_at(e, 3 * n);
    d = a;
    auto work = numbers<Z>(n);
    call_it(letter + "geqrf", N, N, d.data(), N, x.data(), work.data(), N, &info);
    look_at(d, n * n);
    look_at(x, n);
  }

  Random m_unused{1};
  Interface m_interface{m_unused};
  std::size_t m_shift;
  std::mt19937_64 m_engine{20};
  std::uint64_t m_digest = 0xcbf29ce484222325U;
};

}  // namespace

TEST_CASE(
    "a fixed set of calls of all routines has one digest, with any number of threads, on any instruction set, and "
    "aligned or not") {
  for (std::size_t const shift : {0, 3}) {
    FixedCalls calls(shift);
    for_all_numbers([&](auto type) { calls.run<decltype(type)>(); });
    INFO("shift " << shift);
    char text[20];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(calls.digest()));
    CHECK(std::string(text) == "dffecfc5b2eee8fb");
  }
}
