// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPython.hpp"
#include "ExaktPython_Environment.hpp"

#include <cstring>

namespace ExaktPython {

bool succeeded(exakt_status status) {
  if (status == EXAKT_SUCCESS) return true;
  PyObject* const type = status == EXAKT_INVALID_ARGUMENT ? PyExc_ValueError
                         : status == EXAKT_OUT_OF_MEMORY  ? PyExc_MemoryError
                                                          : PyExc_RuntimeError;
  PyErr_SetString(type, exakt_message());
  return false;
}

bool has_arguments(char const* function, Py_ssize_t count, Py_ssize_t expected) {
  if (count == expected) return true;
  PyErr_Format(PyExc_TypeError, "exakt._core.%s takes %zd arguments, not %zd", function, expected, count);
  return false;
}

bool parse_verb(PyObject* object, int verbs, int& verb) {
  long const number = PyLong_AsLong(object);
  if (number == -1 && PyErr_Occurred() != nullptr) return false;
  if (number < 0 || number >= verbs) {
    PyErr_Format(PyExc_ValueError, "exakt._core: no verb has the number %ld", number);
    return false;
  }
  verb = static_cast<int>(number);
  return true;
}

bool parse_ddof(PyObject* object, int& ddof) {
  int overflow = 0;
  long const degrees = PyLong_AsLongAndOverflow(object, &overflow);
  if (degrees == -1 && PyErr_Occurred() != nullptr) return false;
  if (overflow != 0 || degrees > INT32_MAX || degrees < INT32_MIN) {
    PyErr_SetString(PyExc_ValueError, "exakt: ddof is out of range");
    return false;
  }
  ddof = static_cast<int>(degrees);
  return true;
}

PyObject* refuse_arrays(char const* function) {
  PyErr_Format(PyExc_ValueError, "exakt._core.%s: the arrays do not fit each other", function);
  return nullptr;
}

PyObject* helper(char const* name) {
  Reference const module(PyImport_ImportModule("exakt._operands"));
  return module ? PyObject_GetAttrString(module.get(), name) : nullptr;
}

namespace {

Entries entries_of(Py_buffer const& view) {
  char const* format = view.format == nullptr ? "B" : view.format;
  if (*format == '@' || *format == '=' || *format == (PY_LITTLE_ENDIAN != 0 ? '<' : '>')) ++format;
  Py_ssize_t const parts = *format == 'Z' ? 2 : 1;
  if (parts == 2) ++format;
  if (std::strlen(format) != 1) return Entries::others;
  if (*format == 'd' && view.itemsize == parts * Py_ssize_t{sizeof(double)})
    return parts == 2 ? Entries::complex_doubles : Entries::doubles;
  if (*format == 'f' && view.itemsize == parts * Py_ssize_t{sizeof(float)})
    return parts == 2 ? Entries::complex_floats : Entries::floats;
  if (parts == 1 && (*format == 'l' || *format == 'q') && view.itemsize == sizeof(std::int64_t))
    return Entries::integers;
  if (parts == 1 && (*format == 'O' || *format == 'g')) return Entries::objects;
  return Entries::others;
}

}  // namespace

Array::Array(PyObject* object, bool is_written) {
  int const flags = PyBUF_FORMAT | PyBUF_STRIDES | (is_written ? PyBUF_WRITABLE : 0);
  m_is_open = PyObject_GetBuffer(object, &m_view, flags) == 0;
  if (m_is_open) m_entries = entries_of(m_view);
}

bool Array::is_aligned() const {
  if (size() == 0) return true;  // wherever nothing is
  auto const alignment = static_cast<std::uintptr_t>(is_complex() ? m_view.itemsize / 2 : m_view.itemsize);
  if (reinterpret_cast<std::uintptr_t>(m_view.buf) % alignment != 0) return false;
  for (int d = 0; d < m_view.ndim; ++d)
    if (m_view.shape[d] > 1 && m_view.strides[d] % m_view.itemsize != 0) return false;
  return true;
}

namespace {

PyObject* describe(PyObject*, PyObject*) { return PyUnicode_FromString(exakt_describe()); }

/// A call in the default floating-point environment, which libexakt takes inside of each of its own, for conversions by
/// NumPy. The interpreter has no instruction in between, at which Ctrl-C could leave that environment to the caller.
PyObject* call_held(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments("call_held", count, 3)) return nullptr;
  if (!PyTuple_Check(arguments[1]) || !PyDict_Check(arguments[2])) {
    PyErr_BadArgument();
    return nullptr;
  }
  Environment found;
  bool const is_held = found.hold();
  PyObject* const result = PyObject_Call(arguments[0], arguments[1], arguments[2]);
  if (is_held) found.restore();
  return result;
}

template <PyObject* (*f)(PyObject*, PyObject* const*, Py_ssize_t)>
PyMethodDef fast(char const* name, char const* text) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f)), METH_FASTCALL, text};
}

PyMethodDef methods[] = {
    fast<total>("total", "total(verb, x, ddof): the result for all of x, or None if x is no plain array of floats"),
    fast<reduce>("reduce", "reduce(verb, x, out, ddof, to_odd): along the last axis of x"),
    fast<reduce_segments>("reduce_segments", "reduce_segments(verb, x, offsets, out, ddof, to_odd)"),
    fast<dot>("dot", "dot(x, y, to_odd, conjugated): of vectors, or None if these are no plain ones"),
    fast<multiply>(
        "multiply",
        "multiply(a, b, out): out := a b, a matrix product; False if a or b lie in memory as no BLAS takes them"),
    fast<scan>("scan", "scan(x, out): along the last axis"),
    fast<sum_by_key>("sum_by_key", "sum_by_key(keys, x, unique_keys, sums): how many keys there are"),
    fast<reduce_pairs>("reduce_pairs", "reduce_pairs(verb, x, y, out, ddof): along the last axis of x and y"),
    fast<histogram>("histogram", "histogram(x, weights, edges, out): the sum of the weights in each bin"),
    fast<call_held>("call_held", "call_held(function, arguments, named): in the default floating-point environment"),
    {"fsum", fsum, METH_O, "fsum(iterable): the exact sum, rounded once"},
    {"describe", describe, METH_NOARGS, "describe(): a line for bug reports"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "exakt._core",
                          "Exakt's loops over arrays.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace ExaktPython

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): what Python looks for
PyMODINIT_FUNC PyInit__core() {
  PyObject* const module = PyModule_Create(&ExaktPython::definition);
  if (module == nullptr) return nullptr;
  if (PyModule_AddStringConstant(module, "version", exakt_version()) < 0 || !ExaktPython::add_accumulators(module)) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
