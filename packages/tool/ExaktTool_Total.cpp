// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_Total.hpp"

#include "ExaktTool_Decimal.hpp"
#include "ExaktTool_Failure.hpp"
#include "ExaktTool_Sequence.hpp"
#include "ExaktTool_Terms.hpp"
#include "ExaktTool_Workers.hpp"

#include <summation/Exakt_Moments.hpp>

#include <algorithm>

namespace Exakt::Tool {
namespace {

template <class Accumulator>
struct Partial {
  Accumulator exact{};
  std::uint64_t count = 0;
  std::uint64_t skipped = 0;
};

template <class Accumulator>
Total merged(Verb verb, std::vector<Partial<Accumulator>> const& partials) {
  Partial<Accumulator> whole;
  for (auto const& partial : partials) {
    whole.exact += partial.exact;
    whole.count += partial.count;
    whole.skipped += partial.skipped;
  }
  return {verb, whole.count, whole.exact, whole.skipped};
}

/// \brief Adds the products of n pairs of elements, each the sum of x_terms or y_terms terms.
void add_products(Dot& exact, double const* x, std::size_t x_terms, double const* y, std::size_t y_terms,
                  std::size_t n) {
  if (x_terms == 1 && y_terms == 1) return exact.add_products(x, y, n);
  for (std::size_t i = 0; i < n; ++i)
    for_each_product(x + i * x_terms, x_terms, y + i * y_terms, y_terms,
                     [&](double a, double b) { exact.add_product(a, b); });
}

template <class Accumulator, class Add>
Total total_of_sequence(Options const& options, Share& share, Add add) {
  Sequence sequence(options, share);
  auto const perform = [&](ReadPiece& taken, Partial<Accumulator>& partial) {
    share.note_failure(taken.place, [&] {
      auto const terms = taken.reader->decode(taken.piece);
      std::size_t const per_number = taken.reader->terms_per_element();
      add(partial.exact, terms, per_number);
      partial.count += terms.size() / per_number;
      partial.skipped += taken.piece.skipped;
    });
  };
  Total total =
      merged(options.verb, run_workers<ReadPiece, Partial<Accumulator>>(
                               options.threads, [&](ReadPiece& taken) { return sequence.next(taken); }, perform));
  if (!options.column.empty() && !sequence.columns().empty()) total.column = sequence.columns().front();
  return total;
}

struct Pairs {
  std::vector<double> x, y;
  std::size_t count = 0;
};

void check_orders(Reader const& x, Reader const& y) {
  if (x.unusual_order() == y.unusual_order()) return;
  auto const describe = [](Reader const& reader) {
    return reader.input().name() + " is in " + (reader.unusual_order().empty() ? "C order" : reader.unusual_order());
  };
  throw Failure("dot: " + describe(x) + ", and " + describe(y) + "; save both in the same order");
}

[[noreturn]] void refuse_lengths(Reader const& shorter, Reader const& longer, std::uint64_t numbers) {
  throw Failure("dot: " + shorter.input().name() + " ends after " + std::to_string(numbers) + " numbers, " +
                longer.input().name() + " has more");
}

Total total_of_products(Options const& options, Share& share) {
  constexpr std::size_t at_a_time = Piece::capacity / sizeof(double);
  // What can be read only once is read by one process.
  bool const has_stream = is_stream(options.files[0]) || is_stream(options.files[1]);
  if (has_stream && share.rank != 0) return {options.verb, 0, Dot(), 0};
  ElementStream x(options.files[0], options), y(options.files[1], options);
  check_orders(x.reader(), y.reader());
  Progress progress(total_size(options.files));
  std::uint64_t taken = 0, place = 0;

  auto const claim_next = [&](Pairs& pairs) {
    for (bool for_us = false; !for_us; ++place) {
      for_us = has_stream || share.has(0, place);
      pairs.count = for_us ? x.take(at_a_time, pairs.x) : x.skip(at_a_time);
      std::size_t const m = for_us ? y.take(at_a_time, pairs.y) : y.skip(at_a_time);
      if (pairs.count < m) refuse_lengths(x.reader(), y.reader(), taken + pairs.count);
      if (m < pairs.count) refuse_lengths(y.reader(), x.reader(), taken + m);
      taken += pairs.count;
      progress.update(x.reader().input().offset() + y.reader().input().offset());
      if (pairs.count == 0) return false;
    }
    return true;
  };
  auto const claim = [&](Pairs& pairs) { return share.note_failure(place, [&] { return claim_next(pairs); }); };
  auto const perform = [&](Pairs& pairs, Partial<Dot>& partial) {
    add_products(partial.exact, pairs.x.data(), x.reader().terms_per_element(), pairs.y.data(),
                 y.reader().terms_per_element(), pairs.count);
    partial.count += pairs.count;
  };
  return merged(options.verb, run_workers<Pairs, Partial<Dot>>(options.threads, claim, perform));
}

template <class R, bool is_root>
R round_variance(Total const& total, Rounding mode) {
  constexpr int lost_degrees_of_freedom = 1;
  auto const& moments = std::get<Moments>(total.exact);
  return Impl::round_variance<R, is_root>(moments.sum.normalized(), moments.squares.normalized(), total.count,
                                          lost_degrees_of_freedom, mode);
}

template <class R>
R round_to(Total const& total, Rounding mode) {
  if (auto const* decimal = std::get_if<GrowingSum>(&total.exact))
    return round_decimal<R>(*decimal, total.verb == Verb::mean ? total.count : 1, mode);
  switch (total.verb) {
    case Verb::var:
      return round_variance<R, false>(total, mode);
    case Verb::stddev:
      return round_variance<R, true>(total, mode);
    case Verb::mean:
      return std::get<Sum>(total.exact).round_quotient<R>(total.count, mode);
    case Verb::nrm2:
      return std::get<Dot>(total.exact).round_sqrt<R>(mode);
    case Verb::dot:
      return std::get<Dot>(total.exact).round<R>(mode);
    default:
      return std::get<Sum>(total.exact).round<R>(mode);
  }
}

}  // namespace

Answer round(Total const& total, Options const& options) {
  double const value = options.result == Result::f32 ? static_cast<double>(round_to<float>(total, options.rounding))
                                                     : round_to<double>(total, options.rounding);
  return {total.verb, value, total.count, {}, total.column};
}

Total total_of_files(Options const& options, Share& share) {
  switch (options.verb) {
    case Verb::dot:
      return total_of_products(options, share);
    case Verb::nrm2:
      return total_of_sequence<Dot>(
          options, share, [](Dot& exact, std::span<double const> terms, std::size_t per_number) {
            add_products(exact, terms.data(), per_number, terms.data(), per_number, terms.size() / per_number);
          });
    case Verb::var:
    case Verb::stddev:
      return total_of_sequence<Moments>(
          options, share, [](Moments& exact, std::span<double const> terms, std::size_t per_number) {
            exact.sum.add(terms.data(), terms.size());
            add_products(exact.squares, terms.data(), per_number, terms.data(), per_number, terms.size() / per_number);
          });
    default:
      return total_of_sequence<Sum>(options, share, [](Sum& exact, std::span<double const> terms, std::size_t) {
        exact.add(terms.data(), terms.size());
      });
  }
}

}  // namespace Exakt::Tool
