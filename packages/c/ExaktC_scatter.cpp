// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Call.hpp"

#include <Exakt_AtomicAccumulator.hpp>

#include <algorithm>
#include <memory>

namespace {
using Long = Exakt::LongAccumulator<double>;
using Bin = Exakt::AtomicAccumulator<Long>;
using Word = Exakt::Impl::Word;
}  // namespace

/// The words of a bin lie next to each other: an addition touches two or three.
struct exakt_scatter {
  std::size_t size;
  std::unique_ptr<Word[]> words;

  Word* words_of(std::size_t i) const { return words.get() + i * Bin::word_count; }
  Bin bin(std::size_t i) const { return Bin(words_of(i), 1); }
};

namespace ExaktC {
namespace {

void require_bins(exakt_scatter const* bins, char const* name = "the array of bins") { require_pointer(bins, name); }

std::size_t bin_number(exakt_scatter const& bins, std::ptrdiff_t i) {
  if (i < 0 || static_cast<std::size_t>(i) >= bins.size) [[unlikely]]
    refuse("there is no bin " + std::to_string(i) + "; there are " + std::to_string(bins.size) + ", from 0 on");
  return static_cast<std::size_t>(i);
}

}  // namespace
}  // namespace ExaktC

using namespace ExaktC;

exakt_status exakt_scatter_create(ptrdiff_t n, exakt_scatter** created) {
  return guarded("exakt_scatter_create", [&] {
    std::size_t const size = size_of(n);
    require_pointer(created, "created");
    if (size > static_cast<std::size_t>(PTRDIFF_MAX) / (Bin::word_count * sizeof(Word))) throw std::bad_alloc();
    *created = new exakt_scatter{size, std::make_unique<Word[]>(size * Bin::word_count)};
  });
}

exakt_status exakt_scatter_destroy(exakt_scatter* bins) {
  delete bins;
  return EXAKT_SUCCESS;
}

exakt_status exakt_scatter_clear(exakt_scatter* bins) {
  return guarded("exakt_scatter_clear", [&] {
    require_bins(bins);
    std::fill_n(bins->words.get(), bins->size * Bin::word_count, Word{0});
  });
}

exakt_status exakt_scatter_add(exakt_scatter* bins, ptrdiff_t i, double x) {
  return guarded("exakt_scatter_add", [&] {
    require_bins(bins);
    bins->bin(bin_number(*bins, i)).add_multiple(x);
  });
}

exakt_status exakt_scatter_add_array(exakt_scatter* bins, ptrdiff_t n, ptrdiff_t const* indices, double const* x) {
  return guarded("exakt_scatter_add_array", [&] {
    require_bins(bins);
    std::size_t const size = size_of(n);
    if (size == 0) return;
    require_pointer(indices, "indices");
    require_pointer(x, "x");
    for (std::size_t k = 0; k < size; ++k) bin_number(*bins, indices[k]);
    for (std::size_t k = 0; k < size; ++k) bins->bin(static_cast<std::size_t>(indices[k])).add_multiple(x[k]);
  });
}

exakt_status exakt_scatter_merge(exakt_scatter* bins, exakt_scatter const* other) {
  return guarded("exakt_scatter_merge", [&] {
    require_bins(bins);
    require_bins(other, "the other array of bins");
    if (bins->size != other->size)
      refuse("there are " + std::to_string(bins->size) + " bins and " + std::to_string(other->size) +
             "; they must be as many");
    for (std::size_t i = 0; i < bins->size; ++i) {
      // Copied first, for carries would change what is added where bins are added to themselves.
      Word words[Bin::word_count];
      std::copy_n(other->words_of(i), Bin::word_count, words);
      for (int k = 0; k < Bin::word_count; ++k) bins->bin(i).merge_word(k, words[k]);
    }
  });
}

exakt_status exakt_scatter_round(exakt_scatter const* bins, ptrdiff_t i, exakt_rounding mode, double* result) {
  return guarded("exakt_scatter_round", [&] {
    require_bins(bins);
    auto const rounding = rounding_of(mode);
    std::size_t const number = bin_number(*bins, i);
    require_pointer(result, "result");
    *result = bins->bin(number).sum().round(rounding);
  });
}

exakt_status exakt_scatter_round_all(exakt_scatter const* bins, exakt_rounding mode, double* result) {
  return guarded("exakt_scatter_round_all", [&] {
    require_bins(bins);
    auto const rounding = rounding_of(mode);
    if (bins->size > 0) require_pointer(result, "result");
    for (std::size_t i = 0; i < bins->size; ++i) result[i] = bins->bin(i).sum().round(rounding);
  });
}
