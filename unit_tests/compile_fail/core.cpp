// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt.hpp>

#include <cstdint>
#include <string>

#include "ExaktTest_Instead.hpp"

using Vector = Kokkos::View<double*>;
using Sum = Exakt::ExactSum<double>;
using Total = Sum::value_type;
using Dot = Exakt::ExactDot<double>;

#ifdef CASE_wider_term  // would have to be rounded to float before it is added
void add(Exakt::SumAccumulator<float>& sum, RightInsteadOf<float, double> term) { sum += term; }
#endif
#ifdef CASE_long_double_term
void add(Exakt::SumAccumulator<double>& sum, RightInsteadOf<double, long double> term) { sum += term; }
#endif
#ifdef CASE_product_among_values  // there are no digits for bits as low as those of a product
using ForProducts = RightInsteadOf<Exakt::DotAccumulator<double>, Exakt::SumAccumulator<double>>;
void add(ForProducts& sum, double x, double y) { sum.add_product(x, y); }
#endif
#ifdef CASE_radix_without_headroom  // the first carry would overflow the digit
using Radix = RightInsteadOf<std::integral_constant<int, 60>, std::integral_constant<int, 63>>;
void add(Exakt::LongAccumulator<double, Radix::value>& sum, double x) { sum += x; }
#endif
#ifdef CASE_expansion_of_nine
using Slots = RightInsteadOf<std::integral_constant<int, 8>, std::integral_constant<int, 9>>;
void add(Exakt::Expansion<double, Slots::value>& sum, double x) { sum += x; }
#endif
#ifdef CASE_expansion_of_half_precision  // Kokkos' half types are float where it has no backend for devices
struct HalfPrecision {
  std::uint16_t bits;
};
template <>
inline constexpr bool Exakt::Impl::has_float_format_v<HalfPrecision> = true;
template <>
struct Exakt::FloatFormat<HalfPrecision> : Exakt::BinaryFormat<std::uint16_t, 11, 15> {};
void clear(Exakt::Expansion<RightInsteadOf<float, HalfPrecision>, 4>& sum) { sum.clear(); }
#endif

#ifdef CASE_policy_without_index  // its iterations are teams; a term needs an index
double sum(RightInsteadOf<Kokkos::RangePolicy<>, Kokkos::TeamPolicy<>> const& policy) {
  return Exakt::transform_sum(
      policy, KOKKOS_LAMBDA(int i) { return 1.0 / (1 + i); });
}
#endif
#ifdef CASE_transform_sum_of_integers
double sum_of_indices() {
  return static_cast<double>(Exakt::transform_sum(
      9, KOKKOS_LAMBDA(int i) { return static_cast<RightInsteadOf<double, int>>(i); }));
}
#endif
#ifdef CASE_transform_sum_of_long_doubles
double sum_of_wide_indices() {
  return static_cast<double>(Exakt::transform_sum(
      9, KOKKOS_LAMBDA(int i) { return static_cast<RightInsteadOf<double, long double>>(i); }));
}
#endif
#ifdef CASE_transform_sum_into_number
struct AddIndex {
  KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += i; }
};
struct IndexItself {
  KOKKOS_FUNCTION double operator()(int i) const { return i; }
};
double sum_of_calls() { return Exakt::transform_sum(9, RightInsteadOf<IndexItself, AddIndex>()); }
#endif
#ifdef CASE_transform_sum_to_number
void sum_to(RightInsteadOf<Exakt::SumAccumulator<double>, double>& total) {
  Exakt::transform_sum(
      9, KOKKOS_LAMBDA(int i) { return 0.5 * i; }, total);
}
#endif
#ifdef CASE_transform_sum_of_space_and_policy
double sum_on(Kokkos::DefaultHostExecutionSpace const& space,
              RightInsteadOf<Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>,
                             Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>> const& policy) {
  return Exakt::transform_sum(
      space, policy, KOKKOS_LAMBDA(int i, auto...) { return 0.5 * i; });
}
#endif
#ifdef CASE_transform_sum_of_function_first
double sum_of_function() {
  auto const f = KOKKOS_LAMBDA(int i) { return 0.5 * i; };
#ifdef EXAKT_CORRECTED
  return Exakt::transform_sum(9, f);
#else
  return Exakt::transform_sum(f, 9);
#endif
}
#endif
#ifdef CASE_transform_sum_of_real_number
double sum_of_terms(RightInsteadOf<int, double> n) {
  return Exakt::transform_sum(
      n, KOKKOS_LAMBDA(int i) { return 0.5 * i; });
}
#endif
#ifdef CASE_transform_dot_on_space_of_real_number
double dot_on(Kokkos::DefaultExecutionSpace const& space, RightInsteadOf<int, double> n) {
  return Exakt::transform_dot(
      space, n, KOKKOS_LAMBDA(int i) { return Kokkos::pair<double, double>(i, i); });
}
#endif
#ifdef CASE_transform_sum_with_label
double sum_with_label(RightInsteadOf<Kokkos::DefaultExecutionSpace, char const*> label) {
  return Exakt::transform_sum(
      label, 9, KOKKOS_LAMBDA(int i) { return 0.5 * i; });
}
#endif
#ifdef CASE_transform_dot_with_label
void dot_with_label(RightInsteadOf<Kokkos::DefaultExecutionSpace, std::string> const& label,
                    Exakt::DotAccumulator<double>& total) {
  Exakt::transform_dot(
      label, 9, KOKKOS_LAMBDA(int i) { return Kokkos::pair<double, double>(i, i); }, total);
}
#endif
#ifdef CASE_transform_dot_to_expansion
void dot_to(RightInsteadOf<Exakt::DotAccumulator<double>, Exakt::Expansion<double, 4>>& total) {
  Exakt::transform_dot(
      9, KOKKOS_LAMBDA(int i) { return Kokkos::pair<double, double>(i, i); }, total);
}
#endif
#ifdef CASE_transform_dot_of_numbers
double dot_of_numbers() {
  using Term = RightInsteadOf<Kokkos::pair<double, double>, double>;
  return Exakt::transform_dot(
      9, KOKKOS_LAMBDA(int i) { return i > 0 ? Term() : Term(); });
}
#endif
#ifdef CASE_transform_dot_of_integers
double dot_of_integers() {
  using Factor = RightInsteadOf<double, int>;
  return Exakt::transform_dot(
      9, KOKKOS_LAMBDA(int i) { return Kokkos::pair<Factor, int>(i, 1); });
}
#endif
#ifdef CASE_transform_dot_of_64_bits  // 2^53 + 1 is not a double
double dot_of_wide_integers() {
  using Factor = RightInsteadOf<std::int32_t, std::int64_t>;
  return Exakt::transform_dot(
      9, KOKKOS_LAMBDA(int i) { return Kokkos::pair<Factor, double>(i, 1.0); });
}
#endif
#ifdef CASE_sum_by_key_of_terms_first
using Keys = Kokkos::View<int*>;
std::size_t sums_of(RightInsteadOf<Keys, Vector> const& keys, RightInsteadOf<Vector, Keys> const& x) {
  return Exakt::sum_by_key(keys, x, keys, x);
}
#endif
#ifdef CASE_sum_of_three_that_returns_one
double component(Vector const& x) {
  using Term = RightInsteadOf<Kokkos::Array<double, 3>, double>;
  auto const sums = Exakt::sum_of<3>(9, [=](int i) { return x(i) > 0 ? Term() : Term(); });
  return sizeof(sums);
}
#endif
#ifdef CASE_exponent_range_of_integers
auto range(Kokkos::View<RightInsteadOf<double, int>*> const& x) { return Exakt::exponent_range(x); }
#endif

#ifdef CASE_variance_of_half_a_degree  // would be that of all entries
double spread(Vector const& x, RightInsteadOf<long, double> ddof) { return Exakt::variance(x, ddof); }
#endif
#ifdef CASE_stddev_of_half_a_degree
void spread_into(Vector const& r, Kokkos::View<double**> const& x, RightInsteadOf<unsigned char, float> ddof) {
  Exakt::stddev(Kokkos::DefaultExecutionSpace(), r, x, ddof);
}
#endif
#ifdef CASE_covariance_of_half_a_degree
double joint_spread(Vector const& x, RightInsteadOf<std::uint64_t, long double> ddof) {
  return Exakt::covariance(x, x, ddof, Exakt::Rounding::upward);
}
#endif

#ifdef CASE_exact_sum_of_integers
using Entry = RightInsteadOf<double, int>;
void reduce(Kokkos::View<Entry*> const& x) {
  Exakt::ExactSum<Entry>::value_type total;
  Kokkos::parallel_reduce(
      9, KOKKOS_LAMBDA(int i, Exakt::ExactSum<Entry>::value_type& sum) { sum += x(i); }, Exakt::ExactSum<Entry>(total));
}
#endif
#ifdef CASE_exact_dot_of_long_doubles
void accumulate(RightInsteadOf<double, long double> x) {
  Exakt::ExactDot<decltype(x)>::value_type total;
  total.add_product(x, x);
}
#endif
#ifdef CASE_lambda_on_number  // Kokkos would have to add in double
void reduce_by_lambda(Vector const& x, Total& total) {
  Kokkos::parallel_reduce(
      9, KOKKOS_LAMBDA(int i, RightInsteadOf<Total, double>& sum) { sum += x(i); }, Sum(total));
}
#endif
#ifdef CASE_labelled_lambda_on_number
void reduce_by_labelled_lambda(Vector const& x, Total& total) {
  Kokkos::parallel_reduce(
      "label", Kokkos::RangePolicy<>(0, 9), KOKKOS_LAMBDA(int i, RightInsteadOf<Total, double>& sum) { sum += x(i); },
      Sum(total));
}
#endif
#ifdef CASE_plane_lambda_on_number
void reduce_plane(Vector const& x, Total& total) {
  Kokkos::parallel_reduce(
      Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {3, 3}),
      KOKKOS_LAMBDA(int i, int j, RightInsteadOf<Total, double>& sum) { sum += x(3 * i + j); }, Sum(total));
}
#endif
#ifdef CASE_dot_lambda_on_number
struct Product {
  Vector x;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += x(i) * x(i); }
};
struct ExactProduct {
  Vector x;
  KOKKOS_FUNCTION void operator()(int i, Dot::value_type& sum) const { sum.add_product(x(i), x(i)); }
};
void reduce_products(Vector const& x, Dot::value_type& total) {
  Kokkos::parallel_reduce(9, RightInsteadOf<ExactProduct, Product>{x}, Dot(total));
}
#endif
#ifdef CASE_functor_on_number  // the form of before lambdas, of which Kokkos takes the type of its values
struct OldFunctor {
  typedef RightInsteadOf<Total, double> value_type;
  Vector x;
  KOKKOS_FUNCTION void operator()(int i, value_type& sum) const { sum += x(i); }
};
void reduce_by_functor(Vector const& x, Total& total) { Kokkos::parallel_reduce(9, OldFunctor{x}, Sum(total)); }
#endif
#ifdef CASE_functor_with_join_on_number
struct JoiningFunctor {
  typedef RightInsteadOf<Total, double> value_type;
  Vector x;
  KOKKOS_FUNCTION void operator()(int i, value_type& sum) const { sum += x(i); }
  KOKKOS_FUNCTION void init(value_type& sum) const { sum = value_type(); }
#if KOKKOS_VERSION < 40000
  KOKKOS_FUNCTION void join(value_type volatile& into, value_type const volatile& from) const { into += from; }
#endif
  KOKKOS_FUNCTION void join(value_type& into, value_type const& from) const { into += from; }
};
void reduce_by_joining_functor(Vector const& x, Total& total) {
  Kokkos::parallel_reduce(9, JoiningFunctor{x}, Sum(total));
}
#endif
#if defined(CASE_nested_lambda_on_number) || defined(CASE_team_lambda_on_number)
using Policy = Kokkos::TeamPolicy<>;
using Member = Policy::member_type;
#endif
#ifdef CASE_nested_lambda_on_number
void reduce_nested(Vector const& x) {
  Kokkos::parallel_for(
      Policy(1, 1), KOKKOS_LAMBDA(Member const& member) {
        Total total;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, 9), [&](int i, RightInsteadOf<Total, double>& sum) { sum += x(i); },
            Sum(total));
      });
}
#endif
#ifdef CASE_team_lambda_on_number
void reduce_teams(Vector const& x, Total& total) {
  Kokkos::parallel_reduce(
      Policy(9, 1),
      KOKKOS_LAMBDA(Member const& member, RightInsteadOf<Total, double>& sum) { sum += x(member.league_rank()); },
      Sum(total));
}
#endif
#ifdef CASE_reducer_on_number
void reduce_into_number(Vector const& x, RightInsteadOf<Total, double>& total) {
  Kokkos::parallel_reduce(
      9, KOKKOS_LAMBDA(int i, Total& sum) { sum += x(i); }, Sum(total));
}
#endif
#ifdef CASE_reducer_and_lambda_on_number
void reduce_as_ever(Vector const& x, RightInsteadOf<Total, double>& total) {
  using Partial = RightInsteadOf<Total, double>;
  Kokkos::parallel_reduce(
      9, KOKKOS_LAMBDA(int i, Partial& sum) { sum += x(i); }, Sum(total));
}
#endif
#ifdef CASE_reducer_on_view_of_number
void reduce_into_view(Vector const& x, Kokkos::View<RightInsteadOf<Total, double>, Kokkos::HostSpace> const& total) {
  Kokkos::parallel_reduce(
      9, KOKKOS_LAMBDA(int i, Total& sum) { sum += x(i); }, Sum(total));
}
#endif
#ifdef CASE_deduced_reducer_on_number
void reduce_deduced(Vector const& x, RightInsteadOf<Total, double>& total) {
  Kokkos::parallel_reduce(
      9, KOKKOS_LAMBDA(int i, Total& sum) { sum += x(i); }, Exakt::Reducer(total));
}
#endif
#ifdef CASE_reducer_on_other_accumulator
void reduce_values(Vector const& x, RightInsteadOf<Total, Dot::value_type>& total) {
  Kokkos::parallel_reduce(
      9, KOKKOS_LAMBDA(int i, Total& sum) { sum += x(i); }, Sum(total));
}
#endif
#ifdef CASE_products_added_to_values
void add_sum(RightInsteadOf<Dot::value_type, Total>& total, Dot::value_type const& products) { total += products; }
#endif
#ifdef CASE_products_subtracted_from_values
void subtract_sum(RightInsteadOf<Dot::value_type, Total>& total, Dot::value_type const& products) { total -= products; }
#endif
#ifdef CASE_accumulator_of_number
#ifdef EXAKT_CORRECTED
Total const zero;
#else
Total const zero(0.0);
#endif
#endif
#ifdef CASE_number_assigned
void reset(Total& total) {
#ifdef EXAKT_CORRECTED
  total = Total();
  total = {};
#else
  total = 0.0;
#endif
}
#endif
#ifdef CASE_comparison_with_number
bool is_zero(Total const& total, RightInsteadOf<Total, double> const& zero) { return total == zero; }
#endif
#ifdef CASE_number_compared_with_accumulator
bool is_not_zero(Total const& total, RightInsteadOf<Total, int> const& zero) { return zero != total; }
#endif
#ifdef CASE_accumulator_as_number
double value(Total const& total) {
#ifdef EXAKT_CORRECTED
  return total.round();
#else
  return total;
#endif
}
#endif

#ifdef CASE_terms_as_radix
#ifdef EXAKT_CORRECTED
using OfProducts = Exakt::LongAccumulator<double, 56, Exakt::Terms::products>;
#else
using OfProducts = Exakt::LongAccumulator<double, Exakt::Terms::products>;
#endif
void add(OfProducts& sum, double x) { sum += x; }
#endif
#ifdef CASE_terms_as_argument
#ifdef EXAKT_CORRECTED
Exakt::LongAccumulator<double, 56, Exakt::Terms::values> const empty;
#else
Exakt::LongAccumulator<double> const empty(Exakt::Terms::values);
#endif
#endif
#ifdef CASE_terms_as_argument_of_sum
#ifdef EXAKT_CORRECTED
Exakt::SumAccumulator<double> const empty_sum;
#else
Exakt::SumAccumulator<double> const empty_sum(Exakt::Terms::values);
#endif
#endif
#ifdef CASE_bytes_of_binned  // would come back as an exact sum
auto bytes_of(RightInsteadOf<Exakt::Hallberg<10, 52>, Exakt::Binned<double>> const& sum) {
  return Exakt::to_bytes(sum);
}
#endif
