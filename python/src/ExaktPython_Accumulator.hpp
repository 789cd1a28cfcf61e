// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPYTHON_ACCUMULATOR_HPP
#define EXAKTPYTHON_ACCUMULATOR_HPP

#include "ExaktPython.hpp"

#include <memory>

namespace ExaktPython {

struct Destroy {
  void operator()(exakt_accumulator* a) const { exakt_accumulator_destroy(a); }
};
using Handle = std::unique_ptr<exakt_accumulator, Destroy>;

/// An empty one; none, and a Python exception, if there is no memory.
Handle make(exakt_accumulator_kind kind);

/// \brief Adds all that an object holds, and only if all of it can be added: a number, an array, or any iterable of these.
/// False with an exception.
bool add_object(exakt_accumulator* sum, PyObject* object);

/// The same for the products of two.
bool add_products(exakt_accumulator* sum, PyObject* x, PyObject* y);

}  // namespace ExaktPython

#endif
