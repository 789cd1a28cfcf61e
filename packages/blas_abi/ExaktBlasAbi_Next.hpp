// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_NEXT_HPP
#define EXAKTBLASABI_NEXT_HPP

/// \file
/// \brief The BLAS behind this library: what is not ours goes there.

namespace ExaktBlasAbi {

/// \brief The function of that name in the BLAS behind: in the file that EXAKT_BLAS_NEXT names, else in what the
/// program has loaded after this library, else in the system's BLAS. Never one of our own.
///
/// \return null if there is none.
void* next_symbol(char const* name);

/// The same; ends the program with a sentence if there is none.
void* require_next_symbol(char const* name);

/// \brief The same function of the BLAS behind by any of its names: also with SciPy's prefix, which wheels have alone, and
/// for C and integers of 64 bits as the reference implementation has it.
///
/// \return null if there is none.
void* next_function(char const* name);

/// Says why and ends the program: the BLAS has no other way to fail.
[[noreturn]] void fail(char const* what, char const* why);

}  // namespace ExaktBlasAbi

#endif
