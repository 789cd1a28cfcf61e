// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_HELP_HPP
#define EXAKTTOOL_HELP_HPP

/// The texts of `exakt --help`.
namespace Exakt::Tool::Help {

constexpr char const* purpose =
    "Exact sums of the numbers in files, rounded once:\n"
    "the same bits for any order of the numbers and any number of threads.";

constexpr char const* sum = "sum of the numbers";
constexpr char const* mean = "sum of the numbers, divided by how many there are";
constexpr char const* nrm2 = "Euclidean norm: square root of the sum of the squares";
constexpr char const* var = "variance of a sample: the sum of the squared deviations from the mean, divided by n - 1";
constexpr char const* stddev = "standard deviation of a sample: square root of the variance";
constexpr char const* dot = "sum of the products of two files, or of two columns, number by number";
constexpr char const* report = "an HTML page: how far plain sums in many orders are from the exact one";
constexpr char const* merge = "answer for all the data behind several --state files";
constexpr char const* demo = "one sum computed in many ways: plain sums differ, exact ones do not";

constexpr char const* selftest = "whether this build gives the promised bits: the digest of the golden results";

constexpr char const* examples =
    "Examples:\n"
    "  exakt demo                                  see why\n"
    "  exakt sum measurements.npy                  any shape, any number type\n"
    "  exakt sum --member x arrays.npz             one array of an archive\n"
    "  exakt sum --type f64 a.bin b.bin            raw binary; both files together\n"
    "  exakt mean --column price trades.csv        one column of a table\n"
    "  exakt sum --column price,tax --by shop a.csv   a line per group, two sums each\n"
    "  exakt sum --decimal --column price a.csv    0.1 + 0.2 is 0.3\n"
    "  seq 1000000 | exakt sum                     text from a pipe\n"
    "  exakt report x.npy > report.html            how far plain sums are off\n"
    "  exakt dot x.npy y.npy --hex                 hexadecimal, every bit visible\n"
    "  exakt sum day1.npy --state day1.exakt       keep the exact sum, and later:\n"
    "  exakt merge day1.exakt day2.exakt           the sum of all the data\n"
    "\n"
    "exakt COMMAND --help tells the options of a command.";

constexpr char const* formats =
    "Formats, recognized by content and file name unless --format says otherwise:\n"
    "  npy   NumPy arrays of any shape and order; floating point (f2, f4, f8),\n"
    "        integer or bool, in either byte order; of records the fields --column\n"
    "        A,B, of complex numbers --column real,imag or one of them, of a complex\n"
    "        field --column A.real,A.imag\n"
    "  npz   their archives, as np.savez and np.savez_compressed make them: the member\n"
    "        --member, or the only one; files only, not standard input\n"
    "  raw   numbers of one --type, one behind the other; chosen by --type and by\n"
    "        file names that end in .f64, .f32, .i32 and so on\n"
    "  text  numbers separated by white space; # begins a comment. Decimal,\n"
    "        hexadecimal (0x1.8p+3), inf and nan; each is read as the nearest double\n"
    "  csv   comma, semicolon or tab separated values, quoted or not; chosen by\n"
    "        .csv, .tsv, --column, --by, --delimiter, or a comma or semicolon in the\n"
    "        first line. The first record is a header if none of its fields is a\n"
    "        number, or if --column is one of them and not the number of a column; if\n"
    "        it may hold names or values, --header must say so\n"
    "  gzip data is decompressed; an npz archive in it is refused. Other compressed\n"
    "  files, Parquet and Arrow are refused, with the line that converts.\n"
    "\n"
    "--missing error refuses empty fields, NA and NaN; --missing skip leaves them out\n"
    "and says on standard error how many. If neither is given, NaN is a number, and\n"
    "the others are errors.\n"
    "\n"
    "--decimal takes numbers as they are written, not as the nearest doubles: 0.1 is\n"
    "a tenth. Exponents reach from -10000 to 10000.\n"
    "\n"
    "Of several columns there is a line each, the name and the result with a tab\n"
    "between them; with --by a line for each group, sorted: its name and the results.\n"
    "\n"
    "An option that does not apply to every input is refused.\n"
    "\n"
    "Whatever the type of the numbers, the result is the exact value rounded once to\n"
    "a double (f64), or with --result f32 to a float. It is printed as the shortest\n"
    "decimal that reads back to the same bits.\n"
    "\n"
    "Exit code: 0 if an answer was printed, 2 if not (one line says why).";

constexpr char const* page =
    "The page goes to standard output: exakt report FILE > report.html. It shows the\n"
    "differences between plain sums, in random orders and by 2 to 64 threads, and the\n"
    "exact sum, which has none. All numbers are kept in memory, in up to 24 bytes each;\n"
    "there may be 33554432 of them (2^25), of a table one column.\n"
    "\n"
    "Exit code: 0 if a page was printed, 2 if not (one line says why).";

constexpr char const* states =
    "The states are of one command, and the answer is rounded as the options say.\n"
    "\n"
    "Exit code: 0 if an answer was printed, 2 if not (one line says why).";

constexpr char const* verdict =
    "Exit code: 0 if all exact values have the same bits, the correct ones; 1 if not;\n"
    "2 if there is no answer (one line says why).";

constexpr char const* selftest_verdict =
    "Sums, norms, means and dots of the golden set are computed again; every build of\n"
    "this version prints the same digest. EXAKT_ISA chooses the instruction set.\n"
    "\n"
    "Exit code: 0 if all results have the promised bits; 1 if not; 2 if there is no\n"
    "answer (one line says why).";

}  // namespace Exakt::Tool::Help

#endif
