// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// \brief Matrices of 8-node hexahedra, and forces of pairs of particles: what is added to entries that many share.

#include "ExaktPerf_Suite.hpp"

#include <ExaktScatter.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace ExaktPerf {
namespace {

template <class T>
using Array = Kokkos::View<T*, Kokkos::HostSpace>;

__extension__ typedef __int128 Wide;

/// In units of 2^-74: what numbers of magnitude 2^-21 to 2^40 are multiples of.
Wide units_of(double x) { return static_cast<Wide>(std::ldexp(x, 74)); }

void require_sums(std::string const& way, std::vector<Wide> const& expected, Array<double> const& values) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    double const wanted = std::ldexp(static_cast<double>(expected[k]), -74);  // GCC rounds such a conversion to nearest
    if (std::memcmp(&wanted, &values(k), sizeof(double)) != 0)
      throw std::runtime_error("entry " + std::to_string(k) + " by " + way + " has other bits than it should");
  }
}

double number(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
  return 0.5 + static_cast<double>(z >> 11) * 0x1p-53;
}

/// A cube of n^3 elements.
struct Mesh {
  int n;
  Array<std::size_t> row_map;
  Array<int> columns;
  Array<double> coefficient;  // of an element
  double stiffness[8][8];

  explicit Mesh(int elements)
      : n(elements), row_map("row map", rows() + 1), coefficient("coefficient", static_cast<std::size_t>(n) * n * n) {
    std::vector<int> in_order;
    for (int z = 0; z <= n; ++z)
      for (int y = 0; y <= n; ++y)
        for (int x = 0; x <= n; ++x) {
          for (int k = 0; k < 27; ++k) {
            int const u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
            if (std::min({u, v, w}) >= 0 && std::max({u, v, w}) <= n) in_order.push_back(node(u, v, w));
          }
          row_map(static_cast<std::size_t>(node(x, y, z)) + 1) = in_order.size();
        }
    columns = Array<int>("columns", in_order.size());
    for (std::size_t k = 0; k < in_order.size(); ++k) columns(k) = in_order[k];
    for (std::size_t e = 0; e < coefficient.extent(0); ++e) coefficient(e) = number(e);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        int const distance = __builtin_popcount(static_cast<unsigned>(i ^ j));
        stiffness[i][j] = (distance == 0 ? 1 : -0.15 / distance) * (1 + 0.01 * ((i * j) % 7));
      }
  }

  std::size_t rows() const { return static_cast<std::size_t>(n + 1) * (n + 1) * (n + 1); }
  KOKKOS_FUNCTION int node(int x, int y, int z) const { return (z * (n + 1) + y) * (n + 1) + x; }

  /// add(row, column, x) for all parts of element e.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void assemble(std::int64_t e, Add const& add) const {
    int const x = static_cast<int>(e % n), y = static_cast<int>(e / n % n), z = static_cast<int>(e / n / n);
    int nodes[8];
    for (int i = 0; i < 8; ++i) nodes[i] = node(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));
    double const c = coefficient(static_cast<std::size_t>(e));
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) add(nodes[i], nodes[j], c * stiffness[i][j]);
  }

  KOKKOS_FORCEINLINE_FUNCTION std::size_t entry(int row, int column) const {
    std::size_t first = row_map(static_cast<std::size_t>(row)),
                count = row_map(static_cast<std::size_t>(row) + 1) - first;
    while (count > 8) {
      std::size_t const half = count / 2;
      first = columns(first + half - 1) < column ? first + half : first;
      count -= half;
    }
    while (columns(first) != column) ++first;
    return first;
  }
};

Comparison compare_assemblies(int elements) {
  Mesh const mesh(elements);
  auto const count = static_cast<std::int64_t>(mesh.coefficient.extent(0));
  std::vector<Wide> expected(mesh.columns.extent(0));
  for (std::int64_t e = 0; e < count; ++e)
    mesh.assemble(e, [&](int row, int column, double x) { expected[mesh.entry(row, column)] += units_of(x); });
  Array<double> const values("values", mesh.columns.extent(0));
  Comparison ways(64 * count, sizeof(double), [=](std::string const& way) { require_sums(way, expected, values); });
  Exakt::CrsAssembly<double, Space> const sums(mesh.row_map, mesh.columns);
  ways.add_exact("CrsAssembly", [=] {
    sums.clear();
    Kokkos::parallel_for(
        Range(0, count), KOKKOS_LAMBDA(std::int64_t e) {
          mesh.assemble(e, [&](int row, int column, double x) { sums.add(row, column, x); });
        });
    sums.round_to(values);
    return 0.0;
  });
  Exakt::ScatterSum<double, Space> const bins("bins", values.extent(0), Exakt::ExponentRange{-74, 4});
  ways.add_exact("ScatterSum, bounded", [=] {
    bins.clear();
    Kokkos::parallel_for(
        Range(0, count), KOKKOS_LAMBDA(std::int64_t e) {
          mesh.assemble(e, [&](int row, int column, double x) { bins.add(mesh.entry(row, column), x); });
        });
    bins.round_to(values);
    return 0.0;
  });
  ways.add_plain("atomic_add", [=] {
    Kokkos::deep_copy(values, 0.0);
    Kokkos::parallel_for(
        Range(0, count), KOKKOS_LAMBDA(std::int64_t e) {
          mesh.assemble(
              e, [&](int row, int column, double x) { Kokkos::atomic_add(&values(mesh.entry(row, column)), x); });
        });
    Kokkos::fence();
    return 0.0;
  });
  ways.add_plain("one plain loop", [=] {
    Kokkos::deep_copy(values, 0.0);
    for (std::int64_t e = 0; e < count; ++e)
      mesh.assemble(e, [&](int row, int column, double x) { values(mesh.entry(row, column)) += x; });
    return 0.0;
  });
  return ways;
}

/// Particles near the points of a cubic lattice, each with half of its 26 neighbours.
struct Particles {
  int n;
  Kokkos::View<double* [3], Kokkos::HostSpace> position;

  explicit Particles(int side) : n(side), position("position", static_cast<std::size_t>(side) * side * side) {
    for (std::size_t i = 0; i < position.extent(0); ++i) {
      std::size_t const side_length = static_cast<std::size_t>(n);
      std::size_t const point[3] = {i % side_length, i / side_length % side_length, i / side_length / side_length};
      for (std::size_t c = 0; c < 3; ++c) position(i, c) = static_cast<double>(point[c]) + 0.2 * number(3 * i + c);
    }
  }

  /// force(i, j, f) for all pairs of particle i.
  template <class Force>
  KOKKOS_FORCEINLINE_FUNCTION void interact(std::int64_t i, Force const& force) const {
    int const x = static_cast<int>(i % n), y = static_cast<int>(i / n % n), z = static_cast<int>(i / n / n);
    for (int k = 14; k < 27; ++k) {
      int const u = x + k % 3 - 1, v = y + k / 3 % 3 - 1, w = z + k / 9 - 1;
      if (u < 0 || v < 0 || u >= n || v >= n || w >= n) continue;
      std::int64_t const j = (static_cast<std::int64_t>(w) * n + v) * n + u;
      double d[3], square = 0;
      for (int c = 0; c < 3; ++c) {
        d[c] = position(i, c) - position(j, c);
        square += d[c] * d[c];
      }
      double const inverse = 1 / square, sixth = inverse * inverse * inverse, f = (sixth - 0.5) * sixth * inverse;
      double const forces[3] = {f * d[0], f * d[1], f * d[2]};
      force(i, j, forces);
    }
  }
};

Comparison compare_forces(int side) {
  Particles const particles(side);
  auto const count = static_cast<std::int64_t>(particles.position.extent(0));
  using Forces = Kokkos::View<double* [3], Kokkos::LayoutRight, Kokkos::HostSpace>;
  Forces const forces("forces", particles.position.extent(0));
  std::int64_t pairs = 0;
  // Terms of all magnitudes: long accumulators.
  std::vector<Exakt::LongAccumulator<double>> expected(3 * particles.position.extent(0));
  for (std::int64_t i = 0; i < count; ++i)
    particles.interact(i, [&](std::int64_t k, std::int64_t l, double const* f) {
      ++pairs;
      for (int c = 0; c < 3; ++c) {
        expected[static_cast<std::size_t>(3 * k + c)] += f[c];
        expected[static_cast<std::size_t>(3 * l + c)] -= f[c];
      }
    });
  Comparison ways(6 * pairs, sizeof(double), [=](std::string const& way) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      double const wanted = expected[i].round();
      if (std::memcmp(&wanted, &forces(i / 3, i % 3), sizeof(double)) != 0)
        throw std::runtime_error("force " + std::to_string(i / 3) + " by " + way + " has other bits than it should");
    }
  });
  auto const add_way = [&](auto const& sums) {
    ways.add_exact("ScatterSum, " + sums.name(), [=] {
      sums.clear();
      Kokkos::deep_copy(forces, 0.0);
      Kokkos::parallel_for(
          Range(0, count), KOKKOS_LAMBDA(std::int64_t i) {
            particles.interact(i, [&](std::int64_t k, std::int64_t l, double const* f) {
              for (int c = 0; c < 3; ++c) {
                sums.add(k, c, f[c]);
                sums.subtract(l, c, f[c]);
              }
            });
          });
      sums.add_to(forces);
      return 0.0;
    });
  };
  Exakt::ExponentRange const range{-120, 60};
  add_way(Exakt::ScatterSum<double* [3], Space, 8>("bounded, radix 8", count, range));
  add_way(Exakt::ScatterSum<double* [3], Space>("bounded", count, range));
  add_way(Exakt::ScatterSum<double* [3], Space>("values", count, Exakt::Terms::values));
  ways.add_plain("atomic_add", [=] {
    Kokkos::deep_copy(forces, 0.0);
    Kokkos::parallel_for(
        Range(0, count), KOKKOS_LAMBDA(std::int64_t i) {
          particles.interact(i, [&](std::int64_t k, std::int64_t l, double const* f) {
            for (int c = 0; c < 3; ++c) {
              Kokkos::atomic_add(&forces(k, c), f[c]);
              Kokkos::atomic_add(&forces(l, c), -f[c]);
            }
          });
        });
    Kokkos::fence();
    return 0.0;
  });
  ways.add_plain("one plain loop", [=] {
    Kokkos::deep_copy(forces, 0.0);
    for (std::int64_t i = 0; i < count; ++i)
      particles.interact(i, [&](std::int64_t k, std::int64_t l, double const* f) {
        for (int c = 0; c < 3; ++c) {
          forces(k, c) += f[c];
          forces(l, c) -= f[c];
        }
      });
    return 0.0;
  });
  return ways;
}

Registration const assemblies([] {
  for (int const side : {16, 48}) {
    auto const cube = [=](std::int64_t n, std::int64_t per_point) {
      return std::max(2, std::min(side, static_cast<int>(std::cbrt(static_cast<double>(n / per_point)) + 0.5)));
    };
    std::int64_t const points = std::int64_t{side} * side * side;
    cases().push_back({"assembly of hexahedra, " + std::to_string(side) + "^3",
                       64 * points,
                       [=](std::int64_t n) { return compare_assemblies(cube(n, 64)); },
                       {{"atomic_add", 1 / 3.0}}});
    cases().push_back({"forces of pairs, " + std::to_string(side) + "^3",
                       78 * points,
                       [=](std::int64_t n) { return compare_forces(cube(n, 78)); },
                       {{"atomic_add", 1 / 2.5}}});
  }
});

}  // namespace
}  // namespace ExaktPerf
