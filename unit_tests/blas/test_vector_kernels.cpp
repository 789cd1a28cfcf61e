// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <kernels/ExaktBlas_VectorKernels.hpp>

#include <cmath>
#include <tuple>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"
#include "ExaktTest_ScaledExact.hpp"

namespace {

using namespace ExaktTest;
using Exakt::Impl::VectorKernelsOf;

/// An array with a stride, poison between its entries and around them.
template <class T>
struct Strided {
  static constexpr T poison = std::numeric_limits<T>::signaling_NaN();
  std::vector<T> memory;
  std::ptrdiff_t stride;

  Strided(std::vector<T> const& entries, std::ptrdiff_t step)
      : memory(entries.size() * static_cast<std::size_t>(step) + 2, poison), stride(step) {
    for (std::size_t i = 0; i < entries.size(); ++i) (*this)[i] = entries[i];
  }
  T* data() { return memory.data() + 1; }
  T& operator[](std::size_t i) { return memory[1 + i * static_cast<std::size_t>(stride)]; }

  bool is_whole_between() const {
    std::size_t poisoned = 0;
    for (T const x : memory) poisoned += bits_of(x) == bits_of(poison);
    std::size_t const step = static_cast<std::size_t>(stride), entries = (memory.size() - 2) / step;
    return poisoned == memory.size() - entries;
  }
};

/// Entries are as expected(i) says where they are decided, else as they were.
template <class Y, class ExpectedEntry>
void check_entries(Strided<Y>& to, std::vector<Y> const& before, std::vector<int> const& undecided, int others,
                   ExpectedEntry const& expected) {
  REQUIRE(others <= static_cast<int>(before.size()));
  CHECK(undecided[static_cast<std::size_t>(others)] == -1);
  CHECK(to.is_whole_between());
  std::size_t next = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (next < static_cast<std::size_t>(others) && undecided[next] == static_cast<int>(i)) {
      ++next;
      EXAKT_CHECK(bits_of(to[i]) == bits_of(before[i]));
    } else {
      EXAKT_CHECK_BITS(to[i], expected(i));
    }
  }
  CHECK(next == static_cast<std::size_t>(others));
}

/// What the kernel decides is right and what it does not is left alone. \return How many it does not decide.
template <class X, class Y>
int check_kernel(double alpha, std::vector<X> const& x, double beta, std::vector<Y> const& y) {
  VectorKernelsOf<X, Y> const& kernel = Exakt::Impl::vector_kernels();
  int most = 0;
  for (std::ptrdiff_t const x_stride : {1, 2})
    for (std::ptrdiff_t const y_stride : {1, 3}) {
      INFO("strides " << x_stride << ", " << y_stride << ", " << x.size() << " entries");
      Strided<X> from(x, x_stride);
      Strided<Y> to(y, y_stride);
      std::vector<int> undecided(x.size() + 1, -1);
      int const others = kernel.axpby(alpha, from.data(), x_stride, beta, to.data(), y_stride,
                                      static_cast<int>(x.size()), 0, undecided.data());
      most = std::max(most, others);
      check_entries(to, y, undecided, others, [&](std::size_t i) {
        Exact sum;
        if (alpha != 0) sum.add_product(alpha, static_cast<double>(x[i]));
        if (beta != 0) sum.add_product(beta, static_cast<double>(y[i]));
        return sum.template round<Y>();
      });
    }
  return most;
}

/// A multiple, and what it is multiplied with.
struct Multiple {
  double alpha, factor;
  std::vector<double> x;
};

/// The same for y + the sum of multiples by alpha * factor. Each alpha is the same.
template <class Y>
int check_multiples(std::vector<Multiple> const& multiples, std::vector<Y> const& y) {
  Exakt::Impl::OuterKernelOf<Y> const& kernel = Exakt::Impl::vector_kernels();
  int most = 0;
  for (std::ptrdiff_t const stride : {1, 3}) {
    INFO(multiples.size() << " multiples, stride " << stride << ", " << y.size() << " entries");
    std::vector<Exakt::Impl::MultipleOf> terms;
    for (Multiple const& m : multiples) {
      double const high = m.alpha * m.factor;
      terms.push_back({high, std::fma(m.alpha, m.factor, -high), m.x.data()});
    }
    Strided<Y> to(y, stride);
    std::vector<int> undecided(y.size() + 1, -1);
    int const others = kernel.add_multiples(terms.data(), static_cast<int>(terms.size()), to.data(), stride,
                                            static_cast<int>(y.size()), 0, undecided.data());
    most = std::max(most, others);
    check_entries(to, y, undecided, others, [&](std::size_t i) {
      Exact sum;
      for (Multiple const& m : multiples) sum.add_product(m.factor, m.x[i]);
      return ScaledExact(multiples[0].alpha, sum).add_product(static_cast<double>(y[i]), 1).template round<Y>();
    });
  }
  return most;
}

template <class T>
std::vector<T> numbers(Random& random, std::size_t count, int exponents) {
  std::vector<T> x;
  while (x.size() < count) x.push_back(random.value<T>(random.between(-exponents, exponents)));
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("the kernel of axpby decides nearly all entries, and what it decides is right", "",
                   (std::tuple<double, double>), (std::tuple<double, float>), (std::tuple<float, double>),
                   (std::tuple<float, float>)) {
  using X = std::tuple_element_t<0, TestType>;
  using Y = std::tuple_element_t<1, TestType>;
  Random random(810);
  for (std::size_t const count : {0, 1, 2, 3, 7, 8, 9, 16, 33, 100, 512}) {
    auto const x = numbers<X>(random, count, 20);
    auto const y = numbers<Y>(random, count, 20);
    for (double const alpha : {0.0, 1.0, -1.0, random.value<double>(3), random.value<double>(-30)})
      for (double const beta : {0.0, 1.0, -1.0, random.value<double>(3), random.value<double>(-30)}) {
        INFO("alpha " << alpha << ", beta " << beta);
        // Where two units meet ties are common.
        CHECK(check_kernel(alpha, x, beta, y) <= 1);
      }
  }
}

TEMPLATE_TEST_CASE("the kernel of axpby decides zeros, and sums that are numbers or ties of exact ones", "", double,
                   float) {
  std::vector<TestType> x, y;
  for (int i = -40; i < 40; ++i) {
    x.push_back(static_cast<TestType>(i % 5));
    y.push_back(static_cast<TestType>(i % 3));
  }
  for (double const alpha : {1.0, -2.0, 0.5, 0.0})
    for (double const beta : {1.0, -1.0, 4.0, 0.0}) CHECK(check_kernel(alpha, x, beta, y) == 0);
  CHECK(check_kernel(1.0, x, -1.0, x) == 0);
  // Half way between two floats, and exact as doubles.
  std::vector<float> const ones(20, 1.0f), halves(20, 0x1p-24f), others(20, 0x3p-24f);
  CHECK(check_kernel(1.0, ones, 1.0, halves) == 0);
  CHECK(check_kernel(-1.0, ones, -1.0, others) == 0);
}

TEST_CASE("the kernel of axpby does not decide a tie that something far below decides") {
  // (1 + 2^-27) * (1 + 2^-26) has the bit 2^-53 as its last one, half a unit of a double.
  std::vector<double> x, y;
  std::vector<float> ones, narrow_y;
  for (int exponent = -400; exponent <= -20; ++exponent)
    for (double const sign : {1.0, -1.0}) {
      x.push_back(sign * (1 + 0x1p-26));
      y.push_back(std::ldexp(1, exponent));
      ones.push_back(static_cast<float>(sign));
      narrow_y.push_back(std::ldexp(1.0f, exponent / 3));
    }
  for (double const beta : {1.0, -0x1p-30, 0x1p-300}) check_kernel(1 + 0x1p-27, x, beta, y);
  // The errors of both products together: half a unit, and 2^-60 of a unit, which their sum loses.
  std::vector<double> const last_bits{0x1p-52 * (1 - 0x1p-30), -0x1p-52 * (1 - 0x1p-30), 0x1p-51 * (1 - 0x1p-30), 0};
  std::vector<double> const ties(4, 1 + 0x1p-26);
  for (double const alpha : {1 + 0x1p-30, -1 - 0x1p-30})
    for (double const beta : {1 + 0x1p-27, -1 - 0x1p-27}) {
      check_kernel(alpha, last_bits, beta, ties);
      check_kernel(beta, ties, alpha, last_bits);
    }
  // Where a product and the bound underflow.
  std::vector<double> small_x, small_y;
  for (double const sign : {1.0, -1.0})
    for (int exponent = -1010; exponent <= -850; ++exponent) {
      small_x.push_back(std::ldexp(sign * (1 + 0x1p-26), exponent));
      small_y.push_back(0x1p-1074);
    }
  for (double const beta : {0x1p-500, -0x1p-30}) check_kernel(1 + 0x1p-27, small_x, beta, small_y);

  // Half way between two floats, or beyond the last one, or subnormal.
  for (double const alpha : {1 + 0x1p-24, 1 + 0x3p-24, 1 - 0x1p-25, 0x1p-126 + 0x1p-150, 0x1p-149 * 2.5,
                             0x1p127 * (2 - 0x1p-24), 0x1p127 * (2 - 0x1p-25), 0x1p128})
    for (double const beta : {1.0, -0x1p-50, 0x1p-120, 0x1p-500}) {
      check_kernel(alpha, ones, beta, narrow_y);
      check_kernel(alpha, ones, 0, narrow_y);
    }
}

TEMPLATE_TEST_CASE("the kernel of axpby does not decide wrongly at the limits of the format", "",
                   (std::tuple<double, double>), (std::tuple<double, float>), (std::tuple<float, float>)) {
  using X = std::tuple_element_t<0, TestType>;
  using Y = std::tuple_element_t<1, TestType>;
  Random random(811);
  using XLimits = std::numeric_limits<X>;
  using YLimits = std::numeric_limits<Y>;
  for (std::uint64_t k = 0; k < 30 * case_factor(); ++k) {
    std::vector<X> x;
    std::vector<Y> y;
    double const alpha = random.value<double>(random.between(-1074, 1023));
    double const beta =
        random.coin() ? random.value<double>(random.between(-1074, 1023)) : random.one_of(1.0, -1.0, 0.0);
    for (int i = 0; i < 100; ++i) {
      x.push_back(random.one_of(random.value<X>(random.between(XLimits::min_exponent - 20, XLimits::max_exponent - 1)),
                                X{0}, XLimits::max(), XLimits::denorm_min(), XLimits::infinity(),
                                XLimits::quiet_NaN()));
      auto const cancelling =
          Exact().add_product(-alpha, static_cast<double>(x.back())).template round_quotient<Y>(beta).value;
      y.push_back(random.one_of(cancelling, std::nextafter(cancelling, Y{0}),
                                random.value<Y>(random.between(YLimits::min_exponent - 20, YLimits::max_exponent - 1)),
                                -Y{0}, YLimits::max(), YLimits::denorm_min(), -YLimits::infinity()));
    }
    check_kernel(alpha, x, beta, y);
    check_kernel(random.value<double>(0), x, random.value<double>(0), y);
  }
}

TEST_CASE("the kernel of axpby decides all floats by factors that they multiply to doubles") {
  Random random(812);
  using Limits = std::numeric_limits<float>;
  auto const any_float = [&] {
    return random.one_of(random.value<float>(random.between(-160, 127)), random.value<float>(random.between(-3, 3)),
                         0.0f, -0.0f, Limits::max(), -Limits::denorm_min(), Limits::infinity(), -Limits::infinity(),
                         Limits::quiet_NaN(), 1.0f, -1.0f);
  };
  auto const short_factor = [&](int exponent) {
    double const factor = std::ldexp(static_cast<double>(random.between(1 << 28, (1 << 29) - 1)), exponent - 28);
    return random.coin() ? factor : -factor;
  };
  for (std::uint64_t k = 0; k < 60 * case_factor(); ++k) {
    int const exponent = random.one_of(0, random.between(-200, 200), -699, 699);
    double const alpha = random.one_of(short_factor(exponent), 1.0, -1.0, 0.0);
    double const beta = random.one_of(short_factor(random.one_of(exponent, -exponent)), 1.0, 0.0);
    std::vector<float> x, y;
    for (int i = 0; i < 100; ++i) {
      x.push_back(any_float());
      auto const cancelling =
          beta == 0 ? 0.0f : Exact().add_product(-alpha, x.back()).template round_quotient<float>(beta).value;
      y.push_back(random.one_of(any_float(), cancelling, std::nextafter(cancelling, 0.0f)));
    }
    CHECK(check_kernel(alpha, x, beta, y) == 0);
  }
  // A float that is half way, or that the last bit of the other product moves from there.
  std::vector<float> const ones(20, 1.0f), halves(20, 0x1p-24f), tiny(20, 0x1p-149f);
  for (double const beta : {1.0, 1 + 0x1p-28, 1 - 0x1p-29}) CHECK(check_kernel(1.0, ones, beta, halves) == 0);
  for (double const beta : {1.0, -1.0}) {
    CHECK(check_kernel(1 + 0x1p-24, ones, beta, tiny) == 0);
    CHECK(check_kernel(0x1p-126 + 0x1p-150, ones, beta * 0x1p-100, tiny) == 0);
    CHECK(check_kernel(0x1p127 * (2 - 0x1p-24), ones, beta, tiny) == 0);
  }
  // Factors whose products overflow and cancel, or underflow beside a tie: what is decided is right.
  for (int const exponent : {701, 750, 900, 950, 1000}) {
    double const large = std::ldexp(1.0, exponent), small = std::ldexp(1.0, -exponent);
    for (float const x : {Limits::max(), 0x1.8p60f})
      check_kernel(large, std::vector<float>(20, x), -large, std::vector<float>(20, x));
    for (double const alpha : {small, -small}) {
      check_kernel(alpha, tiny, 1 + 0x1p-24, ones);
      check_kernel(1 + 0x1p-24, ones, alpha, tiny);
    }
  }
}

TEMPLATE_TEST_CASE(
    "the kernel of axpby decides all doubles that one operation rounds, ties and the ends of the format among them", "",
    double, float) {
  using Limits = std::numeric_limits<TestType>;
  bool const fuses = Exakt::Impl::has_fused_kernels;
  Random random(815);
  for (std::uint64_t k = 0; k < 60 * case_factor(); ++k) {
    double const unit = random.one_of(1.0, -1.0), any = random.one_of(random.value<double>(random.between(-1074, 1023)),
                                                                      random.value<double>(random.between(-3, 3)), 1.5,
                                                                      -0x1p-53, HUGE_VAL, std::nan(""));
    std::vector<TestType> x;
    std::vector<double> y;
    for (int i = 0; i < 100; ++i) {
      x.push_back(
          random.one_of(random.value<TestType>(random.between(Limits::min_exponent - 20, Limits::max_exponent - 1)),
                        random.value<TestType>(random.between(-3, 3)), TestType{0}, -TestType{0}, Limits::max(),
                        Limits::denorm_min(), -Limits::denorm_min(), Limits::infinity(), Limits::quiet_NaN()));
      double const opposite = -static_cast<double>(x.back());
      y.push_back(random.one_of(opposite, std::nextafter(opposite, 0.0), opposite * 0x1p-53,
                                random.value<double>(random.between(-1074, 1023)), 0.0, -0.0, 0x1p-1074, -0x1p-1074,
                                HUGE_VAL, -HUGE_VAL));
    }
    CHECK(check_kernel(unit, x, random.one_of(1.0, -1.0), y) == 0);
    CHECK(check_kernel(any, x, 0, y) == 0);
    CHECK(check_kernel(0, x, any, y) == 0);
    int const by_unit = check_kernel(any, x, unit, y), of_unit = check_kernel(unit, x, any, y);
    if (fuses) CHECK((by_unit == 0 && of_unit == 0));
  }
}

TEMPLATE_TEST_CASE("the kernel of outer products decides nearly all entries, and what it decides is right", "", double,
                   float) {
  Random random(813);
  for (std::size_t const terms : {1, 2})
    for (std::size_t const count : {0, 1, 3, 8, 9, 33, 512})
      for (double const alpha : {1.0, -0.3, 0x1p-30}) {
        std::vector<Multiple> multiples;
        for (std::size_t t = 0; t < terms; ++t)
          multiples.push_back({alpha, random.value<double>(random.between(-9, 9)), numbers<double>(random, count, 20)});
        CHECK(check_multiples(multiples, numbers<TestType>(random, count, 20)) <= 1);
      }
  // Integers, zeros and halves of units: all that is added is exact.
  bool const of_doubles = std::is_same_v<TestType, double>;
  for (std::size_t const terms : {1, 2})
    for (double const alpha : {1.0, -0.5, of_doubles ? 0x1p-300 : 0x1p-30}) {
      std::vector<Multiple> multiples;
      std::vector<TestType> y;
      for (std::size_t t = 0; t < terms; ++t) {
        multiples.push_back({alpha, random.one_of(0.0, 3.0, -2.0), {}});
        for (int i = 0; i < 200; ++i)
          multiples.back().x.push_back(random.one_of(0.0, -0.0, 1.0, -1.0, of_doubles ? 0x1p-53 : 0x1p-24));
      }
      while (y.size() < 200) y.push_back(static_cast<TestType>(alpha * random.between(-2, 2)));
      CHECK(check_multiples(multiples, y) == 0);
    }
}

TEMPLATE_TEST_CASE("the kernel of outer products does not decide wrongly next to ties and at the limits of the format",
                   "", double, float) {
  Random random(814);
  using Limits = std::numeric_limits<TestType>;
  for (std::uint64_t k = 0; k < 40 * case_factor(); ++k) {
    double const alpha = random.one_of(1.0, 1 + 0x1p-52, random.value<double>(random.between(-20, 20)));
    // Products that are a number of few bits and a last bit far below, or that cancel, or that leave the range.
    auto const factor = [&] {
      return random.one_of(1.0, -1.0, 1 + 0x1p-27, 0x1p-53 * (1 + 0x1p-27), 0.0,
                           random.value<double>(random.between(-900, 900)));
    };
    std::vector<Multiple> multiples;
    while (multiples.size() < 1 + k % 2) multiples.push_back({alpha, factor(), {}});
    for (Multiple& m : multiples) {
      double const size = std::abs(alpha * m.factor);
      if (m.factor != 0 && !(size > 0x1p-860 && size < 0x1p1000)) m.factor = 1;
    }
    std::vector<TestType> y;
    for (int i = 0; i < 60; ++i) {
      Exact sum;
      for (Multiple& m : multiples) {
        m.x.push_back(random.one_of(1 - 0x1p-27, 0x1p-53, 0x1p-54, -0x1p-107, 0.0, -0.0,
                                    random.value<double>(random.between(-1074, 900)), random.value<double>(0),
                                    std::numeric_limits<double>::infinity()));
        sum.add_product(m.factor, m.x.back());
      }
      auto const cancelling = ScaledExact(-alpha, sum).template round<TestType>().value;
      y.push_back(random.one_of(cancelling, std::nextafter(cancelling, TestType{0}), static_cast<TestType>(1 + 0x1p-52),
                                TestType{1}, TestType{0}, Limits::denorm_min(), -Limits::max(), Limits::quiet_NaN(),
                                random.value<TestType>(random.between(-100, 100))));
    }
    check_multiples(multiples, y);
  }
}
