// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// test_blas_abi_verify LIBRARY BEHIND: the tables that EXAKT_BLAS_VERIFY=FILE appends, of a BLAS behind whose errors are
// known: whatever its functions are called, of a program and of its children, what is said where there is none, and that
// results are ours where there is no memory to compare.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

// The GNU C library's own, behind the name that the library finds here. NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
static constexpr long any_number = -1;
static long granted = any_number;  // requests until there is no memory
extern "C" {
void* __libc_malloc(std::size_t);
__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  if (granted == 0) return nullptr;
  if (granted != any_number) --granted;
  return __libc_malloc(size);
}
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace {

template <class F>
F* function(void* library, char const* name) {
  void* const symbol = dlsym(library, name);
  if (symbol != nullptr) return reinterpret_cast<F*>(symbol);
  std::fprintf(stderr, "%s\n", dlerror());
  std::_Exit(2);
}

int wait_for(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

/// What a program does, which then ends as programs do.
[[noreturn]] void be_the_program(char const* file) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::_Exit(3);
  double const x[] = {1, -2, 3}, y[] = {3, 4, 6};
  std::int32_t const n = 2, one = 1, three = 3;
  auto* const dot =
      function<double(std::int32_t const*, double const*, std::int32_t const*, double const*, std::int32_t const*)>(
          library, "ddot_");
  auto* const dot64 = function<double(std::int64_t, double const*, std::int64_t, double const*, std::int64_t)>(
      library, "scipy_cblas_ddot64_");
  auto* const asum = function<double(std::int64_t, double const*, std::int64_t)>(library, "cblas_dasum64_");
  auto* const nrm2 = function<double(std::int32_t const*, double const*, std::int32_t const*)>(library, "dnrm2_");
  bool is_right = dot(&n, x, &one, y, &one) == -5 && dot(&n, x, &one, y, &one) == -5;
  is_right = is_right && dot64(2, x, 1, y, 1) == -5 && asum(2, x, 1) == 3 && nrm2(&one, x, &one) == 1;
  // The other triangle is not this call's: it stays as it was left meanwhile.
  auto* const syrk =
      function<void(char const*, char const*, std::int32_t const*, std::int32_t const*, double const*, double const*,
                    std::int32_t const*, double const*, double*, std::int32_t const*)>(library, "dsyrk_");
  for (char const* const uplo : {"L", "U"}) {
    double const factor = 1;
    double c[] = {1, 2, 3, 4, 5, 6};  // of three rows, the last of which is not the matrix's
    syrk(uplo, "N", &n, &one, &factor, x, &n, &factor, c, &three);
    bool const is_lower = *uplo == 'L';
    is_right = is_right && c[0] == 2 && c[1] == (is_lower ? 0 : 66) && c[2] == 3 && c[3] == (is_lower ? 68 : 2) &&
               c[4] == 9 && c[5] == 6;
  }
  // What the BLAS behind says of an inverse is not what is told.
  auto* const trtri =
      function<void(char const*, char const*, std::int32_t const*, double*, std::int32_t const*, std::int32_t*)>(
          library, "dtrtri_");
  double inverse = 2;
  std::int32_t info = -1;
  trtri("L", "N", &one, &inverse, &one, &info);
  is_right = is_right && inverse == 0.5 && info == 0;
  // Nor is what it says of a factorization.
  auto* const geqrf = function<void(std::int32_t const*, std::int32_t const*, double*, std::int32_t const*, double*,
                                    double*, std::int32_t const*, std::int32_t*)>(library, "dgeqrf_");
  double column[] = {3, 4}, tau = 0, work = 0;
  info = -1;
  geqrf(&n, &one, column, &n, &tau, &work, &one, &info);
  is_right = is_right && column[0] == -5 && tau == 1.6 && work == 1 && info == 0;
  // One entry again and again, and parts of complex numbers.
  auto* const axpy = function<void(std::int32_t const*, double const*, double const*, std::int32_t const*, double*,
                                   std::int32_t const*)>(library, "daxpy_");
  std::int32_t const none = 0;
  double const factor = 1;
  double entry = 5;
  axpy(&three, &factor, x, &one, &entry, &none);
  is_right = is_right && entry == 7;
  auto* const complex_axpy =
      function<void(std::int32_t const*, float const*, float const*, std::int32_t const*, float*, std::int32_t const*)>(
          library, "caxpy_");
  float const i[] = {0, 1}, number_one[] = {1, 0};
  float number[] = {0, 0};
  complex_axpy(&one, i, number_one, &one, number, &one);
  is_right = is_right && number[0] == 0 && number[1] == 1;
  // Its memory ends at each request of a call: to keep what it writes, to remember that, to make a line of the table.
  for (long requests = 0; requests < 4; ++requests) {
    granted = requests;
    double const sum = dot(&three, x, &one, y, &one);
    granted = any_number;
    is_right = is_right && sum == 13;
  }
  is_right = is_right && chdir("/") == 0;  // the table is where its name was given
  // One child calls nothing, one calls once; both end as programs do.
  for (bool const calls : {false, true}) {
    pid_t const child = fork();
    if (child == 0) std::exit(calls && dot(&n, x, &one, y, &one) != -5 ? 1 : 0);
    is_right = wait_for(child) == 0 && is_right;
  }
  std::exit(is_right ? 0 : 1);
}

/// Runs the program with a table in this file. \return what it says on standard error.
std::string run_program(char const* library, std::string const& table, std::string const& errors) {
  pid_t const child = fork();
  if (child == 0) {
    setenv("EXAKT_BLAS_VERIFY", table.c_str(), 1);
    if (std::freopen(errors.c_str(), "w", stderr) == nullptr) std::_Exit(4);
    be_the_program(library);
  }
  if (wait_for(child) != 0) {
    std::printf("the program fails\n");
    std::exit(1);
  }
  std::ifstream file(errors);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  char folder[] = "/tmp/exakt_blas_verify_XXXXXX";
  if (argc != 3 || mkdtemp(folder) == nullptr || chdir(folder) != 0) return 1;
  std::string const table = std::string(folder) + "/table", errors = std::string(folder) + "/errors";
  setenv("EXAKT_BLAS_NEXT", argv[2], 1);

  // Of the child that calls once, then of the program. The process numbers and widths of columns do not matter.
  std::string const nothing_said = run_program(argv[1], "table", errors);
  std::string found;
  std::ifstream file(table);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# process") || line.starts_with("# name")) continue;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] != ' ' || line[i - 1] != ' ') found += line[i];
    found += '\n';
  }
  std::string const expected =
      "ddot 2 1 1 1 1 1\n"
      "caxpy 1 1 1 2 1 1\n"
      "dasum 2 1 1 1 1 1\n"
      "daxpy 4 1 1 1 1 1\n"
      "ddot 2 3 2 3 2 1\n"
      "ddot 4 1 1 1 1 1\n"
      "dgeqrf 2 1 1 2 2 9.23e+18\n"
      "dsyrk 2 2 2 6 6 9.22e+18\n"
      "dtrtri 1 1 1 1 1 9.01e+15\n"
      "# dnrm2: 1 calls, compared with nothing: the BLAS behind does not have it\n"
      "# 3 calls, compared with nothing: there was not enough memory\n";
  bool is_right = found == expected && nothing_said.empty();
  if (!is_right)
    std::printf("the tables are\n%sand not\n%s%s\n", found.c_str(), expected.c_str(), nothing_said.c_str());
  std::fflush(stdout);  // not again by every child

  for (std::string const& place : {std::string(folder) + "/nowhere/table", std::string("/dev/full")}) {
    std::string const said = run_program(argv[1], place, errors);
    if (said.find("EXAKT_BLAS_VERIFY: " + place + " cannot be written\n") != std::string::npos) continue;
    std::printf("of %s it says: %s\n", place.c_str(), said.c_str());
    is_right = false;
  }
  std::remove(table.c_str());
  std::remove(errors.c_str());
  rmdir(folder);
  if (is_right) std::puts("the tables are right");
  return is_right ? 0 : 1;
}
