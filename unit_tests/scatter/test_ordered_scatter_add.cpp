// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter_ordered_scatter_add.hpp>

#include <algorithm>
#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Random.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Vectors.hpp"

namespace {

using namespace ExaktTest;
using Host = Kokkos::HostSpace;

/// The definition: block sums from left to right, added block after block.
template <class T, class Index>
std::vector<T> reference(std::vector<Index> const& indices, std::vector<T> const& values, std::vector<T> out,
                         std::size_t block_size) {
  for (std::size_t begin = 0; begin < values.size(); begin += block_size) {
    std::vector<T> sums(out.size());
    std::vector<bool> seen(out.size());
    for (std::size_t j = begin; j < std::min(begin + block_size, values.size()); ++j) {
      sums[indices[j]] = seen[indices[j]] ? sums[indices[j]] + values[j] : values[j];
      seen[indices[j]] = true;
    }
    for (std::size_t i = 0; i < out.size(); ++i)
      if (seen[i]) out[i] += sums[i];
  }
  return out;
}

template <class T, class Index>
void check(std::size_t n, std::size_t entries) {
  Random random(620);
  std::vector<T> values(n), start(entries);
  std::vector<Index> indices(n);
  for (T& x : values) x = random.value<T>(random.between(-10, 10));
  for (T& x : start) x = random.value<T>(random.between(-10, 10));
  for (Index& i : indices) i = static_cast<Index>(random.bits() % entries);
  auto const index_view = contiguous(indices);
  auto const value_view = contiguous(values);
  std::vector<std::vector<T>> results;
  for (std::size_t const block_size :
       {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}, n, 3 * n + 1, std::size_t{1} << 40}) {
    INFO(n << " terms, " << entries << " entries, blocks of " << block_size);
    auto const expected = reference(indices, values, start, block_size);
    results.push_back(expected);
    for_each_host_space([&](auto space) {
      auto const out = contiguous(start);
      Exakt::ordered_scatter_add(space, index_view, value_view, out, static_cast<std::int64_t>(block_size));
      for (std::size_t i = 0; i < entries; ++i) EXAKT_CHECK_BITS(out(i), expected[i]);
    });
  }
  if (n > 1000) CHECK(results[0] != results[4]);  // weak: another block size is another result
}

}  // namespace

TEST_CASE("the bits are those of the definition, for each block size, on any backend") {
  check<double, int>(5000, 40);
  check<double, int>(5000, 1);
  check<double, int>(5000, 5000);
  check<float, std::int64_t>(3000, 17);
  check<double, std::uint8_t>(3000, 256);
  check<double, unsigned>(1, 1);
  check<double, int>(1, 1000);
}

TEST_CASE("views may be constant and strided, and no terms leave the output alone") {
  Kokkos::View<double**, Kokkos::LayoutRight, Host> const matrix("matrix", 3, 3);
  Kokkos::View<int*, Host> const indices("indices", 3);
  for (int i = 0; i < 3; ++i) {
    indices(i) = 2 - i / 2;
    matrix(i, 0) = i + 1;
  }
  Kokkos::View<int const*, Host> const constant_indices = indices;
  auto const out = Kokkos::subview(matrix, Kokkos::ALL, 2);
  Exakt::ordered_scatter_add(constant_indices, Kokkos::subview(matrix, Kokkos::ALL, 0), out, 2);
  CHECK((matrix(0, 2) == 0 && matrix(1, 2) == 3 && matrix(2, 2) == 3));
  Exakt::ordered_scatter_add(Kokkos::View<int*, Host>(), Kokkos::View<double*, Host>(), out, 2);
  CHECK((matrix(0, 2) == 0 && matrix(1, 2) == 3 && matrix(2, 2) == 3));
}

TEST_CASE("wrong arguments are refused by name, and nothing is written") {
  auto const indices = contiguous(std::vector<int>{0, 1, 5, -1});
  auto const values = contiguous(std::vector<double>{1, 2, 3, 4});
  auto const out = contiguous(std::vector<double>{0, 0, 0});
  auto const call = [&](auto const& i, auto const& v, auto const& o, std::int64_t block_size) {
    return refusal_of([&] { Exakt::ordered_scatter_add(i, v, o, block_size); });
  };
  CHECK(call(indices, values, out, 2) ==
        "Exakt::ordered_scatter_add: out has 3 entries, indices(2) is 5, the first of 2 that it does not have; every "
        "index must be below out.extent(0) and not negative");
  CHECK(out(0) == 0);
  CHECK(call(indices, contiguous(std::vector<double>{1}), out, 2) ==
        "Exakt::ordered_scatter_add: indices has 4 entries, values has 1 entry; they must be as many");
  CHECK(call(indices, values, out, 0) == "Exakt::ordered_scatter_add: block_size is 0; it must be at least 1");
  CHECK(
      call(indices, values, values, 1) ==
      "Exakt::ordered_scatter_add: out has 4 entries, values has 4 entries; out must not share memory with indices or "
      "values");
  HostVector<double> const among_indices(reinterpret_cast<double*>(indices.data()), 2);
  CHECK(
      call(indices, values, among_indices, 1) ==
      "Exakt::ordered_scatter_add: out has 2 entries, values has 4 entries; out must not share memory with indices or "
      "values");
  Kokkos::View<double*, Kokkos::LayoutStride, Kokkos::HostSpace> const one(out.data(), Kokkos::LayoutStride(6, 0));
  CHECK(call(indices, values, one, 1) ==
        "Exakt::ordered_scatter_add: out is 6 entries, some of which are one in memory by their strides; each is "
        "written");
}
