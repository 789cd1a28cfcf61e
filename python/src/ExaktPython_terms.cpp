// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPython_Accumulator.hpp"
#include "ExaktPython_Environment.hpp"

#include <cfenv>

namespace ExaktPython {

Handle make(exakt_accumulator_kind kind) {
  exakt_accumulator* created = nullptr;
  if (!succeeded(exakt_accumulator_create(kind, &created))) return nullptr;
  return Handle(created);
}

namespace {

/// PyFloat_AsDouble(object) in the default floating-point environment, as conversions in _operands.py are done. To read
/// that takes less time than a conversion, to write it ten times as much.
double as_double(PyObject* object) {
  Environment environment;
  if (Environment::is_default() || !environment.hold()) return PyFloat_AsDouble(object);
  double const x = PyFloat_AsDouble(object);
  environment.restore();
  return x;
}

/// Leaves the exception flags, but that of inexact results, as conversions have found them.
class FoundFlags {
 public:
  FoundFlags() = default;
  ~FoundFlags() {
    if (int const raised = std::fetestexcept(of_interest) & ~m_found; raised != 0) std::feclearexcept(raised);
  }
  FoundFlags(FoundFlags const&) = delete;
  FoundFlags& operator=(FoundFlags const&) = delete;

 private:
  static constexpr int of_interest = FE_ALL_EXCEPT & ~FE_INEXACT;
  int m_found = std::fetestexcept(of_interest);
};

/// The numbers of an iterable, added a block at a time.
class Block {
 public:
  explicit Block(exakt_accumulator* sum) : m_sum(sum) {}

  bool add(double x) {
    m_terms[m_count++] = x;
    return m_count < size || flush();
  }
  bool flush() {
    Py_ssize_t const count = std::exchange(m_count, 0);
    return succeeded(exakt_accumulator_add_array(m_sum, count, m_terms, 1));
  }

  /// A float or an integer, NumPy's too, exactly; anything else that has a float, as math.fsum takes it.
  bool add_number(PyObject* object) {
    if (PyFloat_Check(object)) return add(PyFloat_AS_DOUBLE(object));
    if (PyLong_Check(object)) return add_integer(object);
    // As numbers.Integral has it, other than NumPy's bools; and arrays, which refuse unless they are one integer.
    bool const may_be_array = PySequence_Check(object) != 0;
    if (PyIndex_Check(object) != 0 && (may_be_array || PyObject_HasAttrString(object, "denominator") != 0)) {
      if (may_be_array && PyObject_HasAttrString(object, "mask") != 0) return add_object(m_sum, object);  // a TypeError
      Reference const integer(PyNumber_Index(object));
      if (integer) return add_integer(integer.get());
      if (!may_be_array || PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
      PyErr_Clear();
      if (PyObject_Size(object) >= 0) {
        PyErr_SetString(PyExc_TypeError, "exakt.fsum: an array with axes is no number; give it alone, or its entries");
        return false;
      }
      PyErr_Clear();
    }
    double const x = as_double(object);
    return (x != -1 || PyErr_Occurred() == nullptr) && add(x);
  }

 private:
  static constexpr Py_ssize_t size = 1024;

  bool add_integer(PyObject* object) {
    int overflow = 0;
    long long const x = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) {
      Reference const terms(helper("terms"));
      Reference const parts(terms ? PyObject_CallOneArg(terms.get(), object) : nullptr);
      return parts && flush() && add_object(m_sum, PyList_GET_ITEM(parts.get(), 0));
    }
    if (x == -1 && PyErr_Occurred() != nullptr) return false;
    constexpr long long low = 0xffffffff;
    return add(static_cast<double>(x & ~low)) && add(static_cast<double>(x & low));
  }

  exakt_accumulator* m_sum;
  double m_terms[size];
  Py_ssize_t m_count = 0;
};

bool add_vector(exakt_accumulator* sum, Array const& x) {
  return with_type_of(x, [&]<class T>(T) {
    auto const terms = vector_of<T const>(x);
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(terms.n);
      if constexpr (sizeof(T) == sizeof(double))
        status = exakt_accumulator_add_array(sum, terms.n, terms.lowest, terms.increment);
      else
        status = exakt_accumulator_add_floats(sum, terms.n, terms.lowest, terms.increment);
    }
    return succeeded(status);
  });
}

/// What exakt._operands.terms makes of an object: arrays of floats.
bool add_converted(exakt_accumulator* sum, PyObject* object) {
  Reference const terms(helper("terms"));
  Reference const parts(terms ? PyObject_CallOneArg(terms.get(), object) : nullptr);
  if (!parts) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parts.get()); ++i) {
    Array const x(PyList_GET_ITEM(parts.get(), i), false);
    if (!x.is_open()) return false;
    if (!is_vector(x)) {
      PyErr_SetString(PyExc_RuntimeError, "exakt: terms() has returned something else than vectors of floats");
      return false;
    }
    if (!add_vector(sum, x)) return false;
  }
  return true;
}

bool is_text(PyObject* object) { return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object); }

/// Whether fsum() adds it as a whole. Other entries are taken one by one, as math.fsum takes them.
bool is_array(PyObject* object) {
  if (is_text(object) || PyObject_CheckBuffer(object) == 0) return PyObject_HasAttrString(object, "__dlpack__") != 0;
  Array const x(object, false);
  PyErr_Clear();
  return x.entries() != Entries::objects || PyObject_HasAttrString(object, "mask") != 0;  // a TypeError
}

}  // namespace

bool add_object(exakt_accumulator* sum, PyObject* object) {
  bool const has_mask = PyObject_HasAttrString(object, "mask") != 0;  // which terms() refuses
  if (PyObject_CheckBuffer(object) && !is_text(object) && !has_mask) {
    Array const x(object, false);
    if (x.is_open() && is_vector(x)) return add_vector(sum, x);
    PyErr_Clear();
  }
  return add_converted(sum, object);
}

bool add_products(exakt_accumulator* sum, PyObject* x, PyObject* y) {
  Reference const factors(helper("factors"));
  Reference const parts(factors ? PyObject_CallFunctionObjArgs(factors.get(), x, y, nullptr) : nullptr);
  if (!parts) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parts.get()); ++i) {
    PyObject* const pair = PyList_GET_ITEM(parts.get(), i);
    Array const a(PyTuple_GET_ITEM(pair, 0), false), b(PyTuple_GET_ITEM(pair, 1), false);
    if (!a.is_open() || !b.is_open()) return false;
    if (!is_vector(a) || a.entries() != Entries::doubles || b.entries() != Entries::doubles || !is_vector(b) ||
        a.size() != b.size()) {
      PyErr_SetString(PyExc_RuntimeError, "exakt: factors() has returned something else than vectors of doubles");
      return false;
    }
    auto const left = vector_of<double const>(a), right = vector_of<double const>(b);
    exakt_status status = EXAKT_SUCCESS;
    {
      WithoutLock const unlocked(left.n);
      status = exakt_accumulator_add_products(sum, left.n, left.lowest, left.increment, right.lowest, right.increment);
    }
    if (!succeeded(status)) return false;
  }
  return true;
}

PyObject* fsum(PyObject*, PyObject* iterable) {
  FoundFlags const restored;
  Handle const sum = make(EXAKT_SUM);
  if (!sum) return nullptr;
  bool added = false;
  if (PyList_CheckExact(iterable) || PyTuple_CheckExact(iterable)) {
    // The size is asked for each time: __float__ of an entry may change the list.
    Block block(sum.get());
    added = true;
    for (Py_ssize_t i = 0; added && i < PySequence_Fast_GET_SIZE(iterable); ++i) {
      PyObject* const borrowed = PySequence_Fast_GET_ITEM(iterable, i);
      if (PyFloat_CheckExact(borrowed)) {
        added = block.add(PyFloat_AS_DOUBLE(borrowed));
      } else {
        Py_INCREF(borrowed);
        Reference const held(borrowed);
        added = block.add_number(borrowed);
      }
    }
    added = added && block.flush();
  } else if (is_array(iterable)) {
    added = add_object(sum.get(), iterable);
  } else {
    Reference const iterator(PyObject_GetIter(iterable));
    if (!iterator) return nullptr;
    Block block(sum.get());
    added = true;
    while (added) {
      Reference const item(PyIter_Next(iterator.get()));
      if (!item) break;
      added = block.add_number(item.get());
    }
    added = added && PyErr_Occurred() == nullptr && block.flush();
  }
  double result = 0;
  if (!added || !succeeded(exakt_accumulator_round(sum.get(), EXAKT_TO_NEAREST, &result))) return nullptr;
  return PyFloat_FromDouble(result);
}

}  // namespace ExaktPython
