// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point environments that differ between ranks, and between the threads of a rank.
#include <array>
#include <iterator>
#include <optional>
#include <span>

#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Ranks.hpp"

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace {

using namespace ExaktTest;
using Exakt::Mpi::Distribution;

/// Which of a number of ranks, or of threads, compute under other settings than the default.
struct Which {
  char const* name;
  bool (*includes)(int i, int n);
};
constexpr Which some_ranks[] = {{"the first rank", [](int i, int) { return i == 0; }},
                                {"the last rank", [](int i, int n) { return i == n - 1; }},
                                {"all ranks but the first", [](int i, int) { return i != 0; }},
                                {"all ranks", [](int, int) { return true; }}};
constexpr Which some_threads[] = {{"the calling thread", [](int i, int) { return i == 0; }},
                                  {"one other thread", [](int i, int) { return i == 1; }},
                                  {"all other threads", [](int i, int) { return i != 0; }},
                                  {"all threads", [](int, int) { return true; }}};

/// Settings on some threads of this rank, for its lifetime.
class ScopedThreadEnvironments {
 public:
  ScopedThreadEnvironments(FpSettings const& settings, Which const& threads) : m_scopes(count()) {
    for_each_thread([&](int thread) {
      if (threads.includes(thread, count())) m_scopes[static_cast<std::size_t>(thread)].emplace(settings);
    });
  }
  ~ScopedThreadEnvironments() {
    for_each_thread([&](int thread) { m_scopes[static_cast<std::size_t>(thread)].reset(); });
  }
  ScopedThreadEnvironments(ScopedThreadEnvironments const&) = delete;
  ScopedThreadEnvironments& operator=(ScopedThreadEnvironments const&) = delete;

 private:
  static int count() { return static_cast<int>(Kokkos::DefaultHostExecutionSpace().concurrency()); }
  template <class F>
  static void for_each_thread(F const& f) {
#if defined(KOKKOS_ENABLE_OPENMP)
    // Kokkos' OpenMP kernels run on the threads of an ordinary parallel region.
#pragma omp parallel num_threads(count())
    f(omp_get_thread_num());
#else
    f(0);
#endif
  }

  std::vector<std::optional<ScopedFpEnvironment>> m_scopes;
};

/// Calls f(k), the k-th time with the next mixture of environments. The function computes within it and returns another
/// one, which checks when all environments are the default again. A rank of one thread has no others to choose.
template <class F>
void in_mixed_environments(F const& f) {
  int const rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
  auto const threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  std::size_t k = 0;
  for (std::uint64_t repetition = 0; repetition < case_factor(); ++repetition)
    for (auto const& settings : every_fp_environment().subspan(1))
      for (auto const& which_ranks : some_ranks)
        for (auto const& which_threads : std::span(some_threads).first(threads == 1 ? 1 : std::size(some_threads))) {
          INFO(settings.name << " on " << which_ranks.name << ", " << which_threads.name);
          auto const check = [&] {
            std::optional<ScopedThreadEnvironments> scope;
            if (which_ranks.includes(rank, ranks)) scope.emplace(settings, which_threads);
            return f(k);
          }();
          check();
          ++k;
        }
}

/// Subnormal numbers, and the smallest normal ones: what is flushed to zero is missed in any sum of them.
template <class T>
T near_smallest(Random& random) {
  using F = Exakt::FloatFormat<T>;
  return random.value<T>(random.between(F::lsb_exponent, F::min_exponent + 2));
}

/// One part of n entries for each rank.
std::vector<int> even_owners(std::size_t n) {
  std::vector<int> owners(n);
  for (std::size_t i = 0; i < n; ++i)
    owners[i] = static_cast<int>(i * static_cast<std::size_t>(size_of(MPI_COMM_WORLD)) / n);
  return owners;
}

/// Enough for all threads of each rank.
std::size_t entries_of_all_ranks() { return 3 * block_size * static_cast<std::size_t>(size_of(MPI_COMM_WORLD)) + 77; }

template <class T>
struct VectorProblem {
  using Vector = HostVector<T>;
  using Results = std::array<T, 5>;
  static constexpr char const* names[] = {"sum", "nrm1", "nrm2", "mean", "dot"};
  Vector x, y;
  std::array<Expected<T>, 5> expected;

  explicit VectorProblem(ProductTerms<T> const& terms) {
    Exact sum, nrm1, squares, dot;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      double const a = static_cast<double>(terms.x[i]), b = static_cast<double>(terms.y[i]);
      sum.add(a);
      nrm1.add(std::fabs(a));
      squares.add_product(a, a);
      dot.add_product(a, b);
    }
    expected = {sum.round<T>(), nrm1.round<T>(), squares.round_sqrt<T>(),
                sum.round_quotient<T>(static_cast<std::uint64_t>(terms.size())), dot.round<T>()};
    auto const owners = even_owners(terms.size());
    x = contiguous(part_of(terms.x, owners, rank_in(MPI_COMM_WORLD)));
    y = contiguous(part_of(terms.y, owners, rank_in(MPI_COMM_WORLD)));
  }
  Results results() const {
    using namespace Exakt::Mpi;
    return {sum(MPI_COMM_WORLD, x), nrm1(MPI_COMM_WORLD, x), nrm2(MPI_COMM_WORLD, x), mean(MPI_COMM_WORLD, x),
            dot(MPI_COMM_WORLD, x, y)};
  }
};

/// Vectors of numbers that do not cancel, that do, that are subnormal, and that have every exponent.
template <class T>
std::vector<VectorProblem<T>> vector_problems(Random& random) {
  std::vector<VectorProblem<T>> problems;
  std::size_t const n = entries_of_all_ranks();
  for (Hardness const hardness : {Hardness::none, Hardness::cancelling, Hardness::tiny, Hardness::every_exponent}) {
    ProductTerms<T> terms;
    for (std::size_t i = 0; i < n; ++i)
      terms.push_back(hard_number<T>(random, hardness), hard_number<T>(random, hardness));
    if (hardness == Hardness::cancelling) {
      // What is left is less than the bounds of the enclosures.
      for (std::size_t i = 0; i + 1 < n; i += 2) {
        terms.x[i + 1] = -terms.x[i];
        terms.y[i + 1] = terms.y[i];
      }
      terms.x[n - 1] = random.value<T>(-60);
    }
    if (hardness == Hardness::tiny) {
      for (auto& x : terms.x) x = near_smallest<T>(random);
      for (auto& y : terms.y) y = random.value<T>(0);
    }
    problems.emplace_back(terms);
  }
  return problems;
}

template <class T, class X, class R>
struct ProductProblem {
  Table<T> a;
  std::vector<X> x;
  double alpha, beta;
  std::vector<R> y;
  std::vector<Expected<R>> expected = expected_product(alpha, a, x, beta, y);

  /// The four ways to spread it. What becomes of y for this rank, in the environment; its check, for afterwards.
  auto multiply(Distribution distribution, bool plain) const {
    int const rank = rank_in(MPI_COMM_WORLD);
    bool const splits_sums = (distribution == Distribution::columns) == plain;
    auto const owners = even_owners(splits_sums ? a.columns : a.rows);
    Table<T> const part = [&] {
      Table<T> const whole = splits_sums ? a.transposed() : a;
      Table<T> rows(static_cast<std::size_t>(std::count(owners.begin(), owners.end(), rank)), whole.columns);
      std::size_t row = 0;
      for (std::size_t i = 0; i < whole.rows; ++i) {
        if (owners[i] != rank) continue;
        for (std::size_t j = 0; j < whole.columns; ++j) rows(row, j) = whole(i, j);
        ++row;
      }
      return splits_sums ? rows.transposed() : rows;
    }();
    auto const matrix = stored(plain ? part : part.transposed(), Storage::left);
    StridedVector<X> const own_x = contiguous(splits_sums ? part_of(x, owners, rank) : x);
    StridedVector<R> const own_y = contiguous(splits_sums ? y : part_of(y, owners, rank));
    auto const own_expected = splits_sums ? expected : part_of(expected, owners, rank);
    auto const old_y = contiguous(splits_sums ? y : part_of(y, owners, rank));
    return [=, alpha = alpha, beta = beta] {
      Kokkos::deep_copy(own_y, old_y);  // copies bits
      Exakt::Mpi::gemv(MPI_COMM_WORLD, Kokkos::DefaultHostExecutionSpace(), distribution, plain ? "N" : "T", alpha,
                       matrix, own_x, beta, own_y);
      return [=] {
        for (std::size_t i = 0; i < own_expected.size(); ++i) EXAKT_CHECK_BITS(own_y(i), own_expected[i]);
      };
    };
  }
};

template <class T, class X, class R>
void check_products(std::vector<ProductProblem<T, X, R>> const& problems) {
  for (auto const distribution : {Distribution::rows, Distribution::columns})
    for (bool const plain : {true, false}) {
      INFO((distribution == Distribution::rows ? "rows" : "columns") << (plain ? ", N" : ", T"));
      using Multiply = decltype(problems[0].multiply(distribution, plain));
      std::vector<Multiply> multiply;
      for (auto const& problem : problems) multiply.push_back(problem.multiply(distribution, plain));
      // Not one problem for one choice of threads, or of ranks, which are fours as well.
      in_mixed_environments([&](std::size_t k) { return multiply[(k + k / 4 + k / 16) % multiply.size()](); });
    }
}

template <class T, class X, class R>
ProductProblem<T, X, R> product_problem(Random& random, Hardness hardness, std::size_t m, std::size_t columns_of_rank,
                                        double alpha, double beta, R y) {
  auto [a, x] =
      hard_product<T, X>(random, hardness, m, columns_of_rank * static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  if (hardness == Hardness::tiny) {
    for (auto& entry : a.entries) entry = near_smallest<T>(random);
    for (auto& entry : x) entry = random.value<X>(0);
  }
  return {std::move(a), std::move(x), alpha, beta, std::vector<R>(m, y)};
}

}  // namespace

TEST_CASE("mixed environments are in effect on the threads that they name, and on no other") {
  int const threads = static_cast<int>(Kokkos::DefaultHostExecutionSpace().concurrency());
  auto const everything = every_fp_environment();
  for (auto const& settings : everything)
    for (auto const& which : some_threads) {
      INFO(settings.name << " on " << which.name);
      std::vector<int> found(static_cast<std::size_t>(threads), -1);
      {
        ScopedThreadEnvironments const scope(settings, which);
        Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, threads), [&](int thread) {
          auto const& wanted = which.includes(thread, threads) ? settings : everything[0];
          found[static_cast<std::size_t>(thread)] = fp_settings_are_active(wanted);
        });
      }
      for (int const as_wanted : found) EXAKT_CHECK(as_wanted == 1);
      EXAKT_CHECK(fp_settings_are_active(everything[0]));
    }
}

TEMPLATE_TEST_CASE("sum, nrm1, nrm2, mean and dot across ranks have the same bits in mixed environments", "", double,
                   float) {
  using T = TestType;
  Random random(970);
  auto const problems = vector_problems<T>(random);
  // Each of the problems in each of the environments.
  for (auto const& problem : problems) {
    in_mixed_environments([&](std::size_t) {
      return [&problem, results = problem.results()] {
        for (std::size_t i = 0; i < results.size(); ++i) {
          INFO(VectorProblem<T>::names[i]);
          EXAKT_CHECK_BITS(results[i], problem.expected[i]);
        }
      };
    });
  }
}

TEMPLATE_TEST_CASE("accumulators reduced across ranks have the same bits in mixed environments", "",
                   Exakt::SumAccumulator<double>, Exakt::DotAccumulator<double>) {
  constexpr bool products = std::is_same_v<TestType, Exakt::DotAccumulator<double>>;
  using View = HostVector<TestType>;
  Random random(971);
  int const ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
  // Enough entries for the threads, few terms each.
  std::size_t const entries = 600, terms = 5;
  std::vector<double> x(entries * terms * static_cast<std::size_t>(ranks)), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = i % 3 == 0 ? near_smallest<double>(random) : hard_number<double>(random, Hardness::every_exponent);
    if (i % entries % 2 == 0) x[i] = near_smallest<double>(random);
    y[i] = products ? random.value<double>(random.between(-3, 3)) : 1;
  }
  std::vector<Expected<double>> expected;
  for (std::size_t i = 0; i < entries; ++i) {
    Exact sum;
    for (std::size_t j = i; j < x.size(); j += entries) sum.add_product(x[j], y[j]);
    expected.push_back(sum.round<double>());
  }
  // This rank's terms of entry i.
  auto const fill = [&](std::size_t i, TestType& sum) {
    sum.clear();
    for (std::size_t k = 0; k < terms; ++k) {
      std::size_t const j = i + entries * (static_cast<std::size_t>(rank) * terms + k);
      if constexpr (products) {
        sum.add_product(x[j], y[j]);
      } else {
        sum += x[j];
      }
    }
  };
  View const sums("sums", entries);
  std::vector<double> rounded(entries);
  for (Method const method : every_method) {
    in_mixed_environments([&](std::size_t k) {
      TestType single;
      fill(k % entries, single);
      Exakt::Mpi::allreduce(MPI_COMM_WORLD, single, method);
      double const of_single = single.round();

      Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, entries),
                           [&](std::size_t i) { fill(i, sums(i)); });
      Exakt::Mpi::Request request;
      int const root = k % 3 == 1 ? static_cast<int>(k) % ranks : rank;
      if (k % 3 == 0) Exakt::Mpi::allreduce(MPI_COMM_WORLD, sums, method);
      if (k % 3 == 1) Exakt::Mpi::reduce(MPI_COMM_WORLD, sums, root, method);
      if (k % 3 == 2) Exakt::Mpi::iallreduce(MPI_COMM_WORLD, sums, method, request);
      request.wait();
      Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, entries),
                           [&](std::size_t i) { rounded[i] = sums(i).round(); });
      return [&, k, of_single, root] {
        EXAKT_CHECK_BITS(of_single, expected[k % entries]);
        for (std::size_t i = 0; i < entries && root == rank; ++i) EXAKT_CHECK_BITS(rounded[i], expected[i]);
      };
    });
  }
}

TEST_CASE("a distributed gemv has the same bits in mixed environments") {
  Random random(972);
  // Rows shared out among the threads; then a few rows, whose columns are. Two powers of two are subnormal.
  check_products<double, double, double>(
      {product_problem<double, double, double>(random, Hardness::none, 128, 300, 0.1, -0.7, 3.0),
       product_problem<double, double, double>(random, Hardness::tiny, 128, 300, 1.0, 0x1p-1074, 3.0),
       product_problem<double, double, double>(random, Hardness::cancelling, 64, 600, 0x1p-1070, 0.0, 3.0),
       product_problem<double, double, double>(random, Hardness::every_exponent, 2, 40'000, 0.1, -0.7, 3.0)});
}

TEST_CASE("a distributed gemv of floats has the same bits in mixed environments") {
  Random random(973);
  check_products<float, float, float>(
      {product_problem<float, float, float>(random, Hardness::tiny, 128, 300, 1.0, -0.7, 0x1p-149f),
       product_problem<float, float, float>(random, Hardness::cancelling, 128, 300, 0.1, 0x1p-149, 3.0f)});
}
