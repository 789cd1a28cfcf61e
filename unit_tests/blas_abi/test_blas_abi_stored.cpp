// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../blas/ExaktTest_ComplexQuotient.hpp"
#include "../blas/ExaktTest_Stored.hpp"
#include "ExaktTest_BlasAbi.hpp"
#include "ExaktTest_Catch.hpp"

static int number_of_wrong_argument = 0;
// The program's own, which the library finds first. NOLINTNEXTLINE(readability-identifier-naming): a name of the BLAS
extern "C" __attribute__((visibility("default"))) void xerbla_(char const*, std::int32_t const* number, std::size_t) {
  number_of_wrong_argument = *number;
}

namespace {

using namespace ExaktTest;

/// f(Z(), interface, random, hardness, n, k) often, for all types of entries; sometimes more than is gathered at once.
template <class F>
void for_random_calls(std::uint64_t stream, F const& f) {
  Random random(stream);
  for (Hardness const hardness : every_hardness)
    for (std::uint64_t run = 0; run < 24 * case_factor(); ++run)
      for_all_numbers([&](auto type) {
        bool const is_large = hardness == Hardness::none && run == 23;
        auto const n = is_large ? std::size_t{270} : random.between<std::size_t>(0, run % 8 == 7 ? 40 : 9);
        auto const k = is_large ? std::size_t{265} : random.between<std::size_t>(0, 5);
        Interface const interface(random);
        INFO(name_of(hardness) << ", " << interface.name_of(name<decltype(type)>("")) << ", by rows "
                               << interface.by_rows << ", n = " << n << ", k = " << k);
        f(type, interface, random, hardness, n, k);
      });
}

template <class Z>
std::string mirrored_verb(std::string const& storage, std::string const& verb) {
  return name<Z>((PartsOf<Z>::is_complex ? "h" : "s") + storage + verb);
}

TEST_CASE("gbmv") {
  for_random_calls(
      1, [](auto type, Interface const& interface, Random& random, Hardness hardness, std::size_t n, std::size_t k) {
        using Z = decltype(type);
        auto const m = random.between<std::size_t>(0, n < 20 ? 12 : n);
        Band const band{k, random.between<std::size_t>(0, 5)};
        char const mode = random.one_of('N', 'T', 'C');
        std::size_t const rows = mode == 'N' ? m : n, columns = mode == 'N' ? n : m;
        auto const a = any_table<Z>(random, hardness, m, n);
        auto const x = any_table<Z>(random, hardness, columns, 1), y = any_table<Z>(random, hardness, rows, 1);
        Z const alpha = any_factor<Z>(random, hardness), beta = any_factor<Z>(random, hardness);
        INFO("trans " << mode << ", m = " << m << ", above " << band.above);
        Operand<Z> A(band.stored(a, interface.by_rows), interface.by_rows, random), X(x, random), Y(y, random);
        call(interface, name<Z>("gbmv"), trans(mode), Size(m), Size(n), Size(band.below), Size(band.above),
             Scalar{alpha}, A.data(), A.step(), X.data(), X.step(), Scalar{beta}, Y.data(), Y.step());
        Expression expression{columns, {}, {}, alpha, beta};
        expression.left = [&](std::size_t i, std::size_t l) -> std::optional<Number> {
          if (!(mode == 'N' ? band.contains(i, l) : band.contains(l, i))) return {};
          return entry_of(a, mode, i, l);
        };
        expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
        expression.is_written = [&](std::size_t, std::size_t) { return columns > 0; };
        check_expression(expression, y, Y);
        Y.check_rest();
      });
}

TEST_CASE("gbmv refuses a leading dimension below kl + ku + 1, also where no integer holds that sum") {
  Random random(6);
  Interface interface(random);
  interface.is_of_c = interface.by_rows = false;
  interface.has_64_bits = true;
  double const one = 1, a = 2, x = 3;
  for (auto const& [kl, ku] : {std::pair{std::int64_t{1} << 62, std::int64_t{1} << 62},
                               {std::numeric_limits<std::int64_t>::max(), 1},
                               {1, std::numeric_limits<std::int64_t>::max()},
                               {2, 1}}) {
    double y = 5;
    number_of_wrong_argument = 0;
    call(interface, "dgbmv", trans('N'), Size(1), Size(1), Size(kl), Size(ku), Scalar{one}, &a, Size(3), &x, Size(1),
         Scalar{one}, &y, Size(1));
    CHECK(number_of_wrong_argument == 8);
    CHECK(y == 5);
  }
}

TEST_CASE("gemmtr says which argument is wrong") {
  Random random(7);
  double const one = 1, a[4] = {}, b[4] = {};
  for (int const wrong : {1, 2, 3, 4, 5, 8, 10, 13}) {
    INFO("argument " << wrong);
    Interface interface(random);
    interface.is_of_c = interface.by_rows = false;
    auto const letter = [&](int number, Mode const& mode) { return number == wrong ? Mode{'X', 0} : mode; };
    auto const size = [&](int number) { return Size(number == wrong ? -1 : 2); };
    auto const leading = [&](int number) { return Size(number == wrong ? 1 : 2); };
    double c[] = {5, 5, 5, 5};
    number_of_wrong_argument = 0;
    call(interface, "dgemmtr", letter(1, uplo(true)), letter(2, trans('N')), letter(3, trans('T')), size(4), size(5),
         Scalar{one}, static_cast<double const*>(a), leading(8), static_cast<double const*>(b), leading(10),
         Scalar{one}, static_cast<double*>(c), leading(13));
    CHECK(number_of_wrong_argument == wrong);
    for (double const entry : c) CHECK(entry == 5);
  }
}

TEST_CASE("sbmv and hbmv, spmv and hpmv") {
  for_random_calls(
      2, [](auto type, Interface const& interface, Random& random, Hardness hardness, std::size_t n, std::size_t k) {
        using Z = decltype(type);
        bool const is_packed = random.coin();
        StoredTriangle const triangle{random.coin(), false, PartsOf<Z>::is_complex};
        Band const band = Band::of_triangle(triangle.is_lower, is_packed ? n : k);
        auto const a = triangle.poisoned(any_table<Z>(random, hardness, n, n));
        auto const x = any_table<Z>(random, hardness, n, 1), y = any_table<Z>(random, hardness, n, 1);
        Z const alpha = any_factor<Z>(random, hardness), beta = any_factor<Z>(random, hardness);
        INFO("packed " << is_packed << ", lower " << triangle.is_lower);
        Operand<Z> X(x, random), Y(y, random);
        if (is_packed) {
          Packed<Z> A(a, triangle.is_lower, interface.by_rows);
          call(interface, mirrored_verb<Z>("p", "mv"), uplo(triangle.is_lower), Size(n), Scalar{alpha}, A.data(),
               X.data(), X.step(), Scalar{beta}, Y.data(), Y.step());
        } else {
          Operand<Z> A(band.stored(a, interface.by_rows), interface.by_rows, random);
          call(interface, mirrored_verb<Z>("b", "mv"), uplo(triangle.is_lower), Size(n), Size(k), Scalar{alpha},
               A.data(), A.step(), X.data(), X.step(), Scalar{beta}, Y.data(), Y.step());
        }
        Expression expression{n, mirrored(a, triangle, band), {}, alpha, beta};
        expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
        check_expression(expression, y, Y);
        Y.check_rest();
      });
}

/// tb<verb> and tp<verb> of random triangles: check(entry of op(A), is_lower, has_ones, x, X) sees x before and X after.
template <class Check>
void check_triangles(std::uint64_t stream, std::string const& verb, Check const& check) {
  for_random_calls(stream, [&](auto type, Interface const& interface, Random& random, Hardness hardness, std::size_t n,
                               std::size_t k) {
    using Z = decltype(type);
    bool const is_packed = random.coin();
    StoredTriangle const triangle{random.coin(), random.coin()};
    Band const band = Band::of_triangle(triangle.is_lower, is_packed ? n : k);
    char const mode = random.one_of('N', 'T', 'C');
    auto const a = triangle.poisoned(any_table<Z>(random, hardness, n, n)), x = any_table<Z>(random, hardness, n, 1);
    INFO("packed " << is_packed << ", lower " << triangle.is_lower << ", ones " << triangle.has_ones << ", trans "
                   << mode);
    Operand<Z> X(x, random);
    if (is_packed) {
      Packed<Z> A(a, triangle.is_lower, interface.by_rows);
      call(interface, name<Z>("tp" + verb), uplo(triangle.is_lower), trans(mode), diag(triangle.has_ones), Size(n),
           A.data(), X.data(), X.step());
    } else {
      Operand<Z> A(band.stored(a, interface.by_rows), interface.by_rows, random);
      call(interface, name<Z>("tb" + verb), uplo(triangle.is_lower), trans(mode), diag(triangle.has_ones), Size(n),
           Size(k), A.data(), A.step(), X.data(), X.step());
    }
    check(triangular(a, triangle, band, mode), triangle.is_lower == (mode == 'N'), triangle.has_ones, x, X);
    X.check_rest();
  });
}

TEST_CASE("tbmv and tpmv") {
  check_triangles(3, "mv", [](auto const& entry, bool, bool, auto const& x, auto const& X) {
    Expression expression{x.rows, entry, {}, 1, 0};
    expression.right = [&](std::size_t l, std::size_t) { return Number(x(l, 0)); };
    check_expression(expression, x, X);
  });
}

TEST_CASE("tbsv and tpsv") {
  check_triangles(4, "sv", [](auto const& entry, bool is_lower, bool has_ones, auto const& x, auto const& X) {
    using Z = std::decay_t<decltype(x(0, 0))>;
    System<Z> const system{x.rows, entry, is_lower, has_ones, 1};
    system.check(x, 0, [&](std::size_t i) { return X(i, 0); });
  });
}

TEST_CASE("spr and hpr, spr2 and hpr2") {
  for_random_calls(
      5, [](auto type, Interface const& interface, Random& random, Hardness hardness, std::size_t n, std::size_t) {
        using Z = decltype(type);
        using R = typename PartsOf<Z>::Real;
        bool const hermitian = PartsOf<Z>::is_complex, has_two = random.coin();
        StoredTriangle const triangle{random.coin(), false, hermitian};
        auto const a = triangle.poisoned(any_table<Z>(random, hardness, n, n));
        auto const x = any_table<Z>(random, hardness, n, 1), y = any_table<Z>(random, hardness, n, 1);
        INFO("two " << has_two << ", lower " << triangle.is_lower);
        Packed<Z> A(a, triangle.is_lower, interface.by_rows);
        Operand<Z> X(x, random), Y(y, random);
        Expression expression{1, {}, {}, 0, 1};
        expression.left = [&](std::size_t i, std::size_t) { return Number(x(i, 0)); };
        expression.is_written = [&](std::size_t i, std::size_t j) { return triangle.contains(i, j); };
        expression.has_real_diagonal = hermitian;
        if (has_two) {
          Z const alpha = any_factor<Z>(random, hardness);
          call(interface, mirrored_verb<Z>("p", "r2"), uplo(triangle.is_lower), Size(n), Scalar{alpha}, X.data(),
               X.step(), Y.data(), Y.step(), A.data());
          expression.alpha = hermitian && Number(alpha).imaginary == 0 ? Number(Number(alpha).real) : Number(alpha);
          expression.right = [&](std::size_t, std::size_t j) { return Number(y(j, 0)).conjugated(hermitian); };
          expression.second_alpha = expression.alpha.conjugated(hermitian);
          expression.second_left = [&](std::size_t i, std::size_t) { return Number(y(i, 0)); };
          expression.second_right = [&](std::size_t, std::size_t j) { return Number(x(j, 0)).conjugated(hermitian); };
        } else {
          R const alpha = any_factor<R>(random, hardness);
          call(interface, mirrored_verb<Z>("p", "r"), uplo(triangle.is_lower), Size(n), Scalar{alpha}, X.data(),
               X.step(), A.data());
          expression.alpha = alpha;
          expression.right = [&](std::size_t, std::size_t j) { return Number(x(j, 0)).conjugated(hermitian); };
        }
        check_expression(expression, a, A);
        A.check_rest();
      });
}

TEST_CASE("trsv and trsm of complex numbers, from both sides") {
  Random random(6);
  for (Hardness const hardness : every_hardness)
    for (std::uint64_t run = 0; run < 48 * case_factor(); ++run)
      for_complex_numbers([&](auto type) {
        using Z = decltype(type);
        Interface const interface(random);
        bool const is_vector = random.coin(), on_left = is_vector || random.coin();
        // From 32 unknowns on in blocks of 16.
        std::size_t const n = run == 47 && hardness == Hardness::none ? 270
                              : run % 12 == 11                        ? random.between<std::size_t>(31, 67)
                                                                      : random.between<std::size_t>(0, 12);
        std::size_t const m = is_vector ? 1 : random.between<std::size_t>(0, n > 67 ? 2 : 5);
        StoredTriangle const triangle{random.coin(), random.coin()};
        char const mode = random.one_of('N', 'T', 'C');
        auto const a = triangle.poisoned(any_table<Z>(random, hardness, n, n));
        auto b = on_left ? any_table<Z>(random, hardness, n, m) : any_table<Z>(random, hardness, m, n);
        // Right-hand sides of an inverse: zeros as long as nothing else is known.
        if (n > 12 && random.coin())
          for (std::size_t i = 0; i < b.rows; ++i)
            for (std::size_t j = 0; j < b.columns; ++j)
              if ((on_left ? i : j) != n / 2 + (on_left ? j : i)) b(i, j) = Z{};
        Z const alpha = is_vector ? Z(1) : any_factor<Z>(random, hardness);
        INFO(name_of(hardness) << ", " << interface.name_of(name<Z>(is_vector ? "trsv" : "trsm")) << ", by rows "
                               << interface.by_rows << ", left " << on_left << ", lower " << triangle.is_lower
                               << ", ones " << triangle.has_ones << ", trans " << mode << ", n = " << n
                               << ", m = " << m);
        Operand<Z> A(a, interface.by_rows, random);
        auto const check = [&](auto& B) {
          for (std::size_t k = 0; k < m; ++k) {
            auto const actual = [&](std::size_t i) { return on_left ? B(i, k) : B(k, i); };
            if (Number(alpha).is(0)) {
              for (std::size_t i = 0; i < n; ++i) check_parts_of<Z>(actual(i), {0}, {0});
              continue;
            }
            Band const whole{n, n};
            auto const entry = triangular(a, triangle, whole, mode);
            // X op(A) = B is op(A)^T X^T = B^T.
            System<Z> const system{n, on_left ? entry : [&](std::size_t i, std::size_t j) { return entry(j, i); },
                                   (triangle.is_lower == (mode == 'N')) == on_left, triangle.has_ones,
                                   is_vector ? Number(1) : Number(alpha)};
            system.check(on_left ? b : b.transposed(), k, actual);
          }
          B.check_rest();
        };
        if (is_vector) {
          Operand<Z> X(b, random);
          call(interface, name<Z>("trsv"), uplo(triangle.is_lower), trans(mode), diag(triangle.has_ones), Size(n),
               A.data(), A.step(), X.data(), X.step());
          check(X);
        } else {
          Operand<Z> B(b, interface.by_rows, random);
          call(interface, name<Z>("trsm"), side(on_left), uplo(triangle.is_lower), trans(mode), diag(triangle.has_ones),
               Size(b.rows), Size(b.columns), Scalar{alpha}, A.data(), A.step(), B.data(), B.step());
          check(B);
        }
      });
}

}  // namespace
