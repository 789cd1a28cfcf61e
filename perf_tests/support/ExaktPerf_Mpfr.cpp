// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPerf_Mpfr.hpp"

#ifdef EXAKT_PERF_HAS_MPFR

#include <mpfr.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

namespace ExaktPerf {
namespace {

// Numbers of `precision` bits each, freed together.
class Numbers {
 public:
  Numbers(std::size_t n, int precision) : m_numbers(n) {
    for (auto& number : m_numbers) mpfr_init2(number.value, precision);
  }
  ~Numbers() {
    for (auto& number : m_numbers) mpfr_clear(number.value);
  }
  Numbers(Numbers const&) = delete;
  Numbers& operator=(Numbers const&) = delete;

  mpfr_ptr operator[](std::size_t i) { return m_numbers[i].value; }

 private:
  // A class with a name: nvcc 13 breaks down over a vector of MPFR's own, which has none.
  struct Number {
    mpfr_t value;
  };
  std::vector<Number> m_numbers;
};

constexpr int double_precision = std::numeric_limits<double>::digits;

void require_exact(int ternary) {
  if (ternary != 0) throw std::runtime_error("the MPFR number is too narrow for the exact sum");
}

}  // namespace

std::string mpfr_description() { return mpfr_get_version(); }

double by_mpfr(Verb verb, Data const& x, Data const& y) {
  // From the lowest bit of a product, 2^-2148, to the highest, 2^2048, and 64 bits for carries.
  constexpr int wide_precision = 2148 + 2048 + 64;
  bool const is_product = verb == Verb::dot || verb == Verb::nrm2;
  Numbers wide(1, wide_precision), narrow(2, 2 * double_precision);
  mpfr_ptr const sum = wide[0], term = narrow[0], result = narrow[1];
  mpfr_set_zero(sum, 1);
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    require_exact(mpfr_set_d(term, verb == Verb::nrm1 ? std::abs(x(i)) : x(i), MPFR_RNDN));
    if (is_product) require_exact(mpfr_mul_d(term, term, verb == Verb::dot ? y(i) : x(i), MPFR_RNDN));
    require_exact(mpfr_add(sum, sum, term, MPFR_RNDN));
  }
  if (verb != Verb::nrm2 && verb != Verb::mean) return mpfr_get_d(sum, MPFR_RNDN);
  mpfr_set_prec(result, double_precision);
  if (verb == Verb::nrm2) {
    mpfr_sqrt(result, sum, MPFR_RNDN);
  } else {
    mpfr_div_ui(result, sum, x.extent(0), MPFR_RNDN);
  }
  return mpfr_get_d(result, MPFR_RNDN);
}

std::function<double()> mpfr_sum_of(Data const& x) {
  auto const numbers = std::make_shared<Numbers>(x.extent(0), double_precision);
  auto const pointers = std::make_shared<std::vector<mpfr_ptr>>();
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    mpfr_set_d((*numbers)[i], x(i), MPFR_RNDN);
    pointers->push_back((*numbers)[i]);
  }
  return [numbers, pointers] {
    Numbers result(1, double_precision);
    mpfr_sum(result[0], pointers->data(), pointers->size(), MPFR_RNDN);
    return mpfr_get_d(result[0], MPFR_RNDN);
  };
}

}  // namespace ExaktPerf

#else

namespace ExaktPerf {

std::string mpfr_description() { return "not found"; }
double by_mpfr(Verb, Data const&, Data const&) { return 0; }
std::function<double()> mpfr_sum_of(Data const&) { return {}; }

}  // namespace ExaktPerf

#endif
