// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_GEMMENGINES_HPP
#define EXAKTBLAS_GEMMENGINES_HPP

/// \file
/// \brief The choice of an engine for products of real matrices.

#include "../ExaktBlas3_GemmOptions.hpp"
#include "ExaktBlas_TeamGemm.hpp"
#include "ExaktBlas_ThinGemm.hpp"
#include "ozaki/ExaktBlas_CublasProducts.hpp"
#include "ozaki/ExaktBlas_HostBackends.hpp"
#include "ozaki/ExaktBlas_OzakiGemm.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

namespace Exakt::Impl::inline EXAKT_ABI {

inline void require_engine(GemmOptions const& options, bool is_possible) {
  bool const wants_doubles = options.engine == GemmEngine::modular_doubles;
  if (options.engine != GemmEngine::modular && !wants_doubles) return;
  if (is_possible && (has_double_gemm() || (!wants_doubles && has_integer_gemm()))) return;
  throw std::invalid_argument(std::string("Exakt::gemm: engine is ") + (wants_doubles ? "modular_doubles" : "modular") +
                              "; it needs " +
                              (!is_possible    ? "float or double entries in C and real factors, on a host"
                               : wants_doubles ? "Exakt built with a BLAS"
                                               : "Exakt built with a BLAS, or a processor with AVX2"));
}

/// \brief By residues where the options say so, or where a look at the operands may pay.
template <class Backend, class Fallback, class Space, class T, class U, class R>
bool tries_ozaki(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue,
                 GemmOptions const& options) {
  // On devices the direct engine takes half of the time here, and less below, unless sums cancel. Most products of that
  // size are cascaded there, and do not come here.
  constexpr std::size_t many_products = is_on_host_v<Space> ? 1'000'000 : 10'000'000;
  bool const is_large =
      problem.m >= 32 && problem.n >= 32 && problem.k >= 16 && problem.m * problem.n * problem.k >= many_products;
  bool const is_wanted = options.engine == GemmEngine::automatic ? is_large : options.engine != GemmEngine::direct;
  if (!is_wanted || problem.k == 0) return false;
  OzakiGemm<Backend, Fallback> const engine{{}, {}, options.workspace, options.engine == GemmEngine::automatic};
  // Of a mixture of types not both ways: on devices columns are contiguous nearly always.
  if constexpr (std::is_same_v<T, U> || !Backend::by_tiles) {
    bool const has_rows = epilogue.keeps_sums() ? epilogue.column_stride == 1 : problem.C.column_stride == 1;
    if (!has_rows || !std::is_same_v<T, U>) {
      engine.run(space, transposed(problem), transposed(epilogue));
      return true;
    }
  }
  if constexpr (std::is_same_v<T, U> || Backend::by_tiles) engine.run(space, problem, epilogue);
  return true;
}

/// With few columns or rows, where that pays; of a square, in the direction in which columns of B are contiguous.
template <class Space, class T, class U, class R>
bool tries_thin(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) {
  bool const is_turned =
      problem.m < problem.n || (problem.m == problem.n && problem.B.row_stride != 1 && problem.A.column_stride == 1);
  if (is_turned) {
    auto const turned = transposed(problem);
    if (!ThinGemm::pays(turned, epilogue)) return false;
    ThinGemm::run(space, turned, transposed(epilogue));
  } else {
    if (!ThinGemm::pays(problem, epilogue)) return false;
    ThinGemm::run(space, problem, epilogue);
  }
  return true;
}

/// \brief A product of doubles as the kernel for small matrices takes it, where rows of A and of C are neighbours: as it is, or
/// transposed. Nothing, if it is not such a one.
template <class T, class U, class R>
std::optional<SmallGemm> in_place([[maybe_unused]] GemmProblem<T, U, R> const& problem,
                                  [[maybe_unused]] GemmEpilogue const& epilogue) {
  if constexpr (std::is_same_v<T, double> && std::is_same_v<U, double> && std::is_same_v<R, double>) {
    if (problem.k == 0 || epilogue.keeps_sums() || problem.part != GemmPart::all || !matrix_kernels().has_enclosures)
      return {};
    GemmProblem<T, U, R> const turned = problem.C.row_stride != 1 ? transposed(problem) : problem;
    if (turned.C.row_stride != 1 || turned.A.row_stride != 1 ||
        (turned.B.row_stride != 1 && turned.B.column_stride != 1))
      return {};
    return SmallGemm{turned.A, turned.B, turned.C, turned.m, turned.n, turned.k};
  } else {
    return {};
  }
}

/// \brief Small products by one kernel that copies nothing, some columns of C by each thread. False if it is not made for
/// them, or has not decided all entries: C, which it does not read, then holds anything, and another engine computes the
/// whole.
template <class Space, class T, class U, class R>
bool tries_small(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue,
                 GemmOptions const& options) {
  // Copies pay for themselves where a thread has more products than 2^22.
  constexpr std::size_t worth_a_thread = 4 * products_worth_threads, worth_copies = 1 << 22;
  if (options.engine != GemmEngine::automatic || !SmallGemm::is_small(problem.m, problem.n, problem.k)) return false;
  auto const threads = static_cast<std::size_t>(space.concurrency());
  std::size_t const products = problem.m * problem.n * problem.k,
                    parts = std::clamp(products / worth_a_thread, std::size_t{1}, threads);
  if (products / parts > worth_copies || epilogue.reads_y) return false;
  std::optional<SmallGemm> small = in_place(problem, epilogue);
  if (!small) return false;
  small->leaves_short = threads == 1;
  if (parts == 1) return gemm_kernels().multiply_small(*small, epilogue);
  std::size_t const tile = gemm_kernels().tile_columns, tiles = (small->n + tile - 1) / tile;
  Pieces const pieces{{0, small->n}, (tiles + parts - 1) / parts * tile};
  std::atomic<bool> all_are_decided = true;
  for_each_task("Exakt::gemm::small", space, pieces.count(), true,
                [=, whole = *small, all = &all_are_decided](std::size_t i) {
                  SmallGemm some = whole;
                  some.B.data = whole.B.at(0, pieces[i].begin);
                  some.C.data = whole.C.at(0, pieces[i].begin);
                  some.n = pieces[i].size();
                  if (!gemm_kernels().multiply_small(some, epilogue)) *all = false;
                });
  space.fence();
  return all_are_decided;
}

/// The engine without residues that is faster.
struct EnclosingGemm {
  template <class Space, class T, class U, class R>
  static void run(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue) {
    if (!tries_thin(space, problem, epilogue)) DirectGemm::run(space, problem, epilogue);
  }
};

inline constexpr std::size_t few_lines = 32;  // columns or rows at most

/// A block of a product with few columns or rows. False if the kernel has not decided all of its entries: those that are
/// read are as before.
inline bool tries_block(SmallGemm const& block, GemmEpilogue const& epilogue) {
  if (!epilogue.reads_y) return gemm_kernels().multiply_small(block, epilogue);
  double old[few_lines * SmallGemm::lines_at_most];
  for (std::size_t j = 0; j < block.n; ++j) std::copy_n(block.C.at(0, j), block.m, &old[j * block.m]);
  if (gemm_kernels().multiply_small(block, epilogue)) return true;
  for (std::size_t j = 0; j < block.n; ++j) std::copy_n(&old[j * block.m], block.m, block.C.at(0, j));
  return false;
}

/// \brief Products with few columns, or few rows, by the same kernel, block after block of the others: a copy of the large
/// factor would take as long as the product. Blocks that it has not decided are computed by tiles with copies. False if it is
/// not made for them.
template <class Space, class T, class U, class R>
bool tries_blocks(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue,
                  GemmOptions const& options) {
  constexpr std::size_t entries_of_block = 1 << 16;  // of the large factor: half of a second cache
  std::size_t const few = std::min(problem.m, problem.n), lines = std::max(problem.m, problem.n);
  if (options.engine != GemmEngine::automatic || few < 2 || few > few_lines ||
      SmallGemm::is_small(problem.m, problem.n, problem.k))
    return false;
  std::optional<SmallGemm> const thin = in_place(problem, epilogue);
  if (!thin) return false;
  bool const by_rows = thin->n == few;
  if (few == 2 && (!by_rows || epilogue.reads_y)) return false;  // one by one in the same time, or less
  std::size_t const unit = by_rows ? gemm_kernels().tile_rows : gemm_kernels().tile_columns;
  std::size_t const most = std::min(entries_of_block / thin->k, SmallGemm::lines_at_most) / unit * unit;
  if (most == 0) return false;

  bool const threaded = lines * few * thin->k >= products_worth_threads;
  std::size_t const threads = threaded ? static_cast<std::size_t>(space.concurrency()) : 1;
  std::size_t const of_thread = lines / (4 * threads) / unit * unit;
  Pieces const blocks{{0, lines}, std::clamp(of_thread, std::min(most, std::size_t{2} * unit), most)};
  std::vector<unsigned char> is_left(blocks.count());
  for_each_task("Exakt::gemm", space, blocks.count(), threaded,
                [=, whole = *thin, left = is_left.data()](std::size_t i) {
                  Span const block = blocks[i];
                  SmallGemm some = whole;
                  if (by_rows) {
                    some.A.data = whole.A.at(block.begin, 0);
                    some.C.data = whole.C.at(block.begin, 0);
                    some.m = block.size();
                  } else {
                    some.B.data = whole.B.at(0, block.begin);
                    some.C.data = whole.C.at(0, block.begin);
                    some.n = block.size();
                  }
                  left[i] = !tries_block(some, epilogue);
                });
  space.fence();

  bool const are_rows = by_rows == (problem.C.row_stride == 1);  // of C, which may have been turned
  for (std::size_t i = 0, end; i < is_left.size(); i = end + 1) {
    for (end = i; end < is_left.size() && is_left[end] != 0;) ++end;
    if (end == i) continue;
    Span const block{blocks[i].begin, blocks[end - 1].end}, all{0, few};
    DirectGemm::run(space, are_rows ? part_of(problem, block, all) : part_of(problem, all, block), epilogue);
  }
  return true;
}

/// By the engine of choice.
template <class Space, class T, class U, class R>
void multiply_on_host(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue,
                      GemmOptions const& options) {
  if constexpr (is_float_v<R>) {
    bool const is_automatic = options.engine == GemmEngine::automatic;
    if (options.engine == GemmEngine::direct) return DirectGemm::run(space, problem, epilogue);
    if (tries_small(space, problem, epilogue, options)) return;
    if (tries_blocks(space, problem, epilogue, options)) return;
    // Of more there is a choice.
    if (is_automatic && std::min(problem.m, problem.n) < few_lines && tries_thin(space, problem, epilogue)) return;
    bool const wants_doubles = options.engine == GemmEngine::modular_doubles;
    if (has_byte_products() && !wants_doubles) {
      if (tries_ozaki<ByteProducts, EnclosingGemm>(space, problem, epilogue, options)) return;
    } else if (has_word_products() && !wants_doubles) {
      if (tries_ozaki<WordProducts, EnclosingGemm>(space, problem, epilogue, options)) return;
    } else if (has_double_gemm()) {
      if (tries_ozaki<BlasProducts, EnclosingGemm>(space, problem, epilogue, options)) return;
    }
    EnclosingGemm::run(space, problem, epilogue);
  } else {
    DirectGemm::run(space, problem, epilogue);
  }
}

/// Whether B is the transpose of A, in the same memory: then C is symmetric.
template <class T, class U, class R>
bool is_gram_matrix(GemmProblem<T, U, R> const& problem) {
  if constexpr (std::is_same_v<T, U>) {
    return problem.A.data == problem.B.data && problem.A.row_stride == problem.B.column_stride &&
           problem.A.column_stride == problem.B.row_stride && problem.m == problem.n;
  } else {
    return false;
  }
}

template <class Space, class T, class U, class R>
void gemm_on_host(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue,
                  GemmOptions const& options = {}) {
  constexpr std::size_t worth_halving = 512;
  if (problem.m == 0 || problem.n == 0) return;
  if (problem.n <= worth_halving || problem.part != GemmPart::all || epilogue.reads_y || epilogue.keeps_sums() ||
      !is_gram_matrix(problem))
    return multiply_on_host(space, problem, epilogue, options);
  // Of the four quarters one is another, mirrored.
  Span const first{0, (problem.n / 2 + 63) / 64 * 64}, second{first.end, problem.n};
  gemm_on_host(space, part_of(problem, first, first), epilogue, options);
  gemm_on_host(space, part_of(problem, second, second), epilogue, options);
  auto const corner = part_of(problem, second, first);
  multiply_on_host(space, corner, epilogue, options);
  space.fence();
  auto const mirrored = part_of(problem, first, second).C;
  for_each_task("Exakt::gemm::mirror", space, corner.n, true, [=](std::size_t j) {
    for (std::size_t i = 0; i < corner.m; ++i) *mirrored.at(j, i) = *corner.C.at(i, j);
  });
}

/// Of real matrices on a device.
template <class Space, class T, class U, class R>
void gemm_on_device(Space const& space, GemmProblem<T, U, R> const& problem, GemmEpilogue const& epilogue,
                    [[maybe_unused]] GemmOptions const& options) {
#ifdef EXAKT_HAS_CUBLASLT
  if constexpr (is_float_v<R> && std::is_same_v<Space, Kokkos::Cuda>) {
    if (!is_worth_cascading(PlaneProblem<T, U, R>{problem, false, false}) &&
        tries_ozaki<CublasProducts, TeamGemm>(space, problem, epilogue, options))
      return;
  }
#endif
  TeamGemm().run(space, problem, epilogue);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
