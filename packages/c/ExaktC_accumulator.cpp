// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Call.hpp"
#include "ExaktC_Words.hpp"

#include <Exakt_Accumulator.hpp>
#include <Exakt_Serialization.hpp>
#include <summation/Exakt_Extraction.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

namespace {
using Sum = Exakt::SumAccumulator<double>;
using Dot = Exakt::DotAccumulator<double>;
}  // namespace

/// The alternatives are those of exakt_accumulator_kind, in its order.
struct exakt_accumulator {
  std::variant<Sum, Dot> value;
};

namespace ExaktC {
namespace {

template <class T>
using LongOf = std::remove_cvref_t<decltype(std::declval<T&>().to_long_accumulator())>;

void require_accumulator(exakt_accumulator const* accumulator, char const* name = "the accumulator") {
  require_pointer(accumulator, name);
}

/// f(value), a Sum or a Dot.
template <class A, class F>
exakt_status with(char const* function, A* accumulator, F const& f) {
  return guarded(function, [&] {
    require_accumulator(accumulator);
    std::visit(f, accumulator->value);
  });
}

/// A sum of numbers as one of numbers and products.
Dot with_products(Sum const& sum) {
  auto const value = sum.normalized();
  auto const magnitude = value.magnitude();
  LongOf<Dot> same;
  same.add_special(value.special());
  int const leading = value.special() == Exakt::Impl::Special::none ? magnitude.leading() : -1;
  for (int i = 0; i * LongOf<Sum>::radix_bits <= leading; ++i)
    same.add_scaled(magnitude.digit[i], magnitude.lowest_exponent + LongOf<Sum>::radix_bits * i, magnitude.negative);
  Dot result;
  result += same;
  return result;
}

/// f(value, the other's value), of one kind; a sum of numbers is one of products, too.
template <class A, class F>
exakt_status with_both(char const* function, A* accumulator, exakt_accumulator const* other, F const& f) {
  return guarded(function, [&] {
    require_accumulator(accumulator);
    require_accumulator(other, "the other accumulator");
    std::visit(
        [&]<class Value>(Value& value) {
          using Kind = std::remove_const_t<Value>;
          if (auto const* const same = std::get_if<Kind>(&other->value)) return f(value, *same);
          if constexpr (std::is_same_v<Kind, Dot>)
            f(value, with_products(std::get<Sum>(other->value)));
          else
            refuse("the accumulator is an EXAKT_SUM, the other an EXAKT_DOT, which may hold products");
        },
        accumulator->value);
  });
}

std::variant<Sum, Dot> empty_sum(int kind) {
  if (kind == EXAKT_SUM) return Sum();
  if (kind != EXAKT_DOT) refuse("the kind is " + std::to_string(kind) + "; it must be EXAKT_SUM or EXAKT_DOT");
  return Dot();
}

exakt_status create(char const* function, exakt_accumulator** created, auto const& value_of) {
  return guarded(function, [&] {
    require_pointer(created, "created");
    *created = new exakt_accumulator{value_of()};
  });
}

inline constexpr std::size_t piece_size = 512;

/// A part of a vector next to each other.
template <class T>
struct Piece {
  T entries[piece_size];

  T const* of(Exakt::Compiled::Matrix<T const> const& x, std::size_t begin, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) entries[i] = x.data[static_cast<std::ptrdiff_t>(begin + i) * x.row_stride];
    return entries;
  }
};

/// f(count, entries...) for all of some vectors: in place, or in pieces.
template <class F, class... T>
void for_each_piece(std::size_t n, F const& f, Exakt::Compiled::Matrix<T const> const&... x) {
  if (((x.row_stride == 1) && ...)) return f(n, x.data...);
  for (std::size_t begin = 0; begin < n; begin += piece_size) {
    std::size_t const count = std::min(piece_size, n - begin);
    f(count, Piece<T>().of(x, begin, count)...);
  }
}

template <class T>
exakt_status add_array(char const* function, exakt_accumulator* accumulator, std::ptrdiff_t n, T const* x,
                       std::ptrdiff_t incx) {
  return with(function, accumulator, [&]<class Value>(Value& value) {
    std::size_t const size = size_of(n);
    auto const entries = vector_of(size, x, ascending(incx), "x");
    auto& sum = value.to_long_accumulator();
    Exakt::Impl::Extraction<LongOf<Value>, 3> extraction{};
    for_each_piece(
        size, [&](std::size_t count, T const* terms) { extraction.add(terms, count, sum); }, entries);
    extraction.drain(sum);
  });
}

void refuse_products() { refuse("products are for accumulators of the kind EXAKT_DOT, this one is an EXAKT_SUM"); }

template <class T>
exakt_status add_products(char const* function, exakt_accumulator* accumulator, std::ptrdiff_t n, T const* x,
                          std::ptrdiff_t incx, T const* y, std::ptrdiff_t incy) {
  return with(function, accumulator, [&]<class Value>(Value& value) {
    if constexpr (std::is_same_v<Value, Dot>) {
      std::size_t const size = size_of(n);
      auto const left = vector_of(size, x, incx, "x"), right = vector_of(size, y, incy, "y");
      auto& sum = value.to_long_accumulator();
      Exakt::Impl::Extraction<LongOf<Value>, 4> extraction{};
      for_each_piece(
          size, [&](std::size_t count, T const* a, T const* b) { extraction.add_products(a, b, count, sum); }, left,
          right);
      extraction.drain(sum);
    } else {
      refuse_products();
    }
  });
}

template <class R>
exakt_status round(char const* function, exakt_accumulator const* accumulator, exakt_rounding mode, R* result) {
  return with(function, accumulator, [&](auto const& value) {
    auto const rounding = rounding_of(mode);
    require_pointer(result, "result");
    *result = value.template round<R>(rounding);
  });
}

template <class R>
exakt_status round_sqrt(char const* function, exakt_accumulator const* accumulator, exakt_rounding mode, R* result) {
  return with(function, accumulator, [&](auto const& value) {
    auto const rounding = rounding_of(mode);
    require_pointer(result, "result");
    *result = value.template round_sqrt<R>(rounding);
  });
}

}  // namespace
}  // namespace ExaktC

using namespace ExaktC;

exakt_status exakt_accumulator_create(exakt_accumulator_kind kind, exakt_accumulator** created) {
  return create("exakt_accumulator_create", created, [&] { return empty_sum(kind); });
}

exakt_status exakt_accumulator_create_in(exakt_accumulator_kind kind, void* memory, size_t capacity,
                                         exakt_accumulator** created) {
  static_assert(sizeof(exakt_accumulator) <= EXAKT_ACCUMULATOR_SIZE);
  static_assert(alignof(exakt_accumulator) <= alignof(std::int64_t));
  static_assert(std::is_trivially_copyable_v<exakt_accumulator>);
  return guarded("exakt_accumulator_create_in", [&] {
    require_pointer(memory, "memory");
    require_pointer(created, "created");
    if (capacity < sizeof(exakt_accumulator))
      refuse("there is room for " + std::to_string(capacity) + " bytes, an accumulator of this library takes " +
             std::to_string(sizeof(exakt_accumulator)));
    require(reinterpret_cast<std::uintptr_t>(memory) % alignof(exakt_accumulator) == 0,
            "the memory is not aligned as an int64_t is");
    *created = new (memory) exakt_accumulator{empty_sum(kind)};
  });
}

exakt_status exakt_accumulator_copy(exakt_accumulator const* from, exakt_accumulator** created) {
  return create("exakt_accumulator_copy", created, [&] {
    require_accumulator(from);
    return from->value;
  });
}

exakt_status exakt_accumulator_destroy(exakt_accumulator* accumulator) {
  delete accumulator;
  return EXAKT_SUCCESS;
}

exakt_status exakt_accumulator_clear(exakt_accumulator* accumulator) {
  return with("exakt_accumulator_clear", accumulator, [](auto& value) { value.clear(); });
}

exakt_status exakt_accumulator_add(exakt_accumulator* accumulator, double x) {
  return with("exakt_accumulator_add", accumulator, [&](auto& value) { value += x; });
}
exakt_status exakt_accumulator_add_array(exakt_accumulator* accumulator, ptrdiff_t n, double const* x, ptrdiff_t incx) {
  return add_array("exakt_accumulator_add_array", accumulator, n, x, incx);
}
exakt_status exakt_accumulator_add_floats(exakt_accumulator* accumulator, ptrdiff_t n, float const* x, ptrdiff_t incx) {
  return add_array("exakt_accumulator_add_floats", accumulator, n, x, incx);
}

exakt_status exakt_accumulator_add_product(exakt_accumulator* accumulator, double x, double y) {
  return with("exakt_accumulator_add_product", accumulator, [&]<class Value>(Value& value) {
    if constexpr (std::is_same_v<Value, Dot>)
      value.add_product(x, y);
    else
      refuse_products();
  });
}
exakt_status exakt_accumulator_add_products(exakt_accumulator* accumulator, ptrdiff_t n, double const* x,
                                            ptrdiff_t incx, double const* y, ptrdiff_t incy) {
  return add_products("exakt_accumulator_add_products", accumulator, n, x, incx, y, incy);
}
exakt_status exakt_accumulator_add_float_products(exakt_accumulator* accumulator, ptrdiff_t n, float const* x,
                                                  ptrdiff_t incx, float const* y, ptrdiff_t incy) {
  return add_products("exakt_accumulator_add_float_products", accumulator, n, x, incx, y, incy);
}

exakt_status exakt_accumulator_merge(exakt_accumulator* accumulator, exakt_accumulator const* other) {
  return with_both("exakt_accumulator_merge", accumulator, other, [](auto& value, auto const& more) { value += more; });
}
exakt_status exakt_accumulator_subtract(exakt_accumulator* accumulator, exakt_accumulator const* other) {
  return with_both("exakt_accumulator_subtract", accumulator, other,
                   [](auto& value, auto const& less) { value -= less; });
}

exakt_status exakt_accumulator_round(exakt_accumulator const* accumulator, exakt_rounding mode, double* result) {
  return round("exakt_accumulator_round", accumulator, mode, result);
}
exakt_status exakt_accumulator_round_float(exakt_accumulator const* accumulator, exakt_rounding mode, float* result) {
  return round("exakt_accumulator_round_float", accumulator, mode, result);
}

exakt_status exakt_accumulator_round_sqrt(exakt_accumulator const* accumulator, exakt_rounding mode, double* result) {
  return round_sqrt("exakt_accumulator_round_sqrt", accumulator, mode, result);
}
exakt_status exakt_accumulator_round_sqrt_float(exakt_accumulator const* accumulator, exakt_rounding mode,
                                                float* result) {
  return round_sqrt("exakt_accumulator_round_sqrt_float", accumulator, mode, result);
}

exakt_status exakt_accumulator_equal(exakt_accumulator const* a, exakt_accumulator const* b, int* equal) {
  // Of two kinds the first is the one that takes the other.
  bool const swapped = a != nullptr && b != nullptr && std::holds_alternative<Sum>(a->value);
  return with_both("exakt_accumulator_equal", swapped ? b : a, swapped ? a : b,
                   [&](auto const& value, auto const& other) {
                     require_pointer(equal, "equal");
                     *equal = value == other ? 1 : 0;
                   });
}

exakt_status exakt_accumulator_to_bytes(exakt_accumulator const* accumulator, void* bytes, size_t capacity,
                                        size_t* size) {
  return with("exakt_accumulator_to_bytes", accumulator, [&](auto const& value) {
    require_pointer(size, "size");
    auto const all = Exakt::to_bytes(value);
    static_assert(16 + 4 + (LongOf<Dot>::digit_count * LongOf<Dot>::radix_bits + 7) / 8 <= EXAKT_BYTES_AT_MOST);
    if (bytes != nullptr) {
      if (capacity < all.size())
        refuse("there is room for " + std::to_string(capacity) + " bytes, the accumulator has " +
               std::to_string(all.size()));
      std::memcpy(bytes, all.data(), all.size());
    }
    *size = all.size();
  });
}

exakt_status exakt_accumulator_from_bytes(void const* bytes, size_t size, exakt_accumulator** created) {
  return create("exakt_accumulator_from_bytes", created, [&]() -> std::variant<Sum, Dot> {
    require_pointer(bytes, "bytes");
    auto const* const first = static_cast<std::byte const*>(bytes);
    constexpr std::size_t place_of_kind = 5;
    bool const is_dot = size > place_of_kind && first[place_of_kind] == std::byte{EXAKT_DOT};
    if (is_dot) return Exakt::from_bytes<Dot>(first, size);
    return Exakt::from_bytes<Sum>(first, size);
  });
}

exakt_status exakt_accumulator_to_words(exakt_accumulator const* accumulator, int64_t* words) {
  return with("exakt_accumulator_to_words", accumulator, [&](auto const& value) {
    require_pointer(words, "words");
    to_words(value.normalized(), words);
  });
}

exakt_status exakt_accumulator_add_words(exakt_accumulator* accumulator, int64_t const* words) {
  return with("exakt_accumulator_add_words", accumulator, [&]<class Value>(Value& value) {
    require_pointer(words, "words");
    value.to_long_accumulator() += of_words<LongOf<Value>>(words);
  });
}
