// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_INSTEAD_HPP
#define EXAKTTEST_INSTEAD_HPP

/// \file
/// \brief Of two types the wrong one, which is refused, or the right one where a file is compiled corrected.

#ifdef EXAKT_CORRECTED
template <class Right, class>
using RightInsteadOf = Right;
#else
template <class, class Wrong>
using RightInsteadOf = Wrong;
#endif

#endif
