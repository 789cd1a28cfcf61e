// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktPython_Accumulator.hpp"

#include <cstring>
#include <utility>

namespace ExaktPython {
namespace {

/// SumAccumulator or DotAccumulator. The global lock is held while `sum` is changed or read: what is added without it
/// goes into another one first.
struct Accumulator {
  PyObject head;
  exakt_accumulator* sum;
};

PyTypeObject* types[2];  // by exakt_accumulator_kind

exakt_accumulator* sum_of(PyObject* self) { return reinterpret_cast<Accumulator*>(self)->sum; }
bool is_accumulator(PyObject* object) {
  return PyObject_TypeCheck(object, types[EXAKT_SUM]) || PyObject_TypeCheck(object, types[EXAKT_DOT]);
}
exakt_accumulator_kind kind_of(PyTypeObject* type) {
  return PyType_IsSubtype(type, types[EXAKT_DOT]) ? EXAKT_DOT : EXAKT_SUM;
}

PyObject* wrap(PyTypeObject* type, Handle sum) {
  if (!sum) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self != nullptr) reinterpret_cast<Accumulator*>(self)->sum = sum.release();
  return self;
}

PyObject* make_new(PyTypeObject* type, PyObject*, PyObject*) { return wrap(type, make(kind_of(type))); }

void deallocate(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  exakt_accumulator_destroy(sum_of(self));
  type->tp_free(self);
  Py_DECREF(type);
}

bool merge(PyObject* self, exakt_accumulator const* other, bool subtracts) {
  return succeeded(subtracts ? exakt_accumulator_subtract(sum_of(self), other)
                             : exakt_accumulator_merge(sum_of(self), other));
}

bool add(PyObject* self, PyObject* other, bool subtracts) {
  if (PyFloat_CheckExact(other)) {
    double const x = PyFloat_AS_DOUBLE(other);
    return succeeded(exakt_accumulator_add(sum_of(self), subtracts ? -x : x));
  }
  if (is_accumulator(other)) {
    if (kind_of(Py_TYPE(self)) == kind_of(Py_TYPE(other))) return merge(self, sum_of(other), subtracts);
    PyErr_SetString(PyExc_TypeError, "exakt: a SumAccumulator and a DotAccumulator cannot be added to each other");
    return false;
  }
  Handle const more = make(kind_of(Py_TYPE(self)));
  return more && add_object(more.get(), other) && merge(self, more.get(), subtracts);
}

template <bool subtracts>
PyObject* add_in_place(PyObject* self, PyObject* other) {
  if (!add(self, other, subtracts)) return nullptr;
  Py_INCREF(self);
  return self;
}

template <bool subtracts>
PyObject* add_product(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  if (!has_arguments(subtracts ? "DotAccumulator.subtract_product" : "DotAccumulator.add_product", count, 2))
    return nullptr;
  bool added = false;
  if (PyFloat_CheckExact(arguments[0]) && PyFloat_CheckExact(arguments[1])) {
    double const x = PyFloat_AS_DOUBLE(arguments[0]), y = PyFloat_AS_DOUBLE(arguments[1]);
    added = succeeded(exakt_accumulator_add_product(sum_of(self), subtracts ? -x : x, y));
  } else {
    Handle const more = make(EXAKT_DOT);
    added = more && add_products(more.get(), arguments[0], arguments[1]) && merge(self, more.get(), subtracts);
  }
  if (!added) return nullptr;
  Py_RETURN_NONE;
}

int initialize(PyObject* self, PyObject* arguments, PyObject* names) {
  static char const* keywords[] = {"terms", nullptr};
  PyObject* terms = nullptr;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "|O", const_cast<char**>(keywords), &terms)) return -1;
  // Called again, it leaves the sum as it was if the terms cannot be added; and that sum may be among them.
  Reference const made(make_new(types[kind_of(Py_TYPE(self))], nullptr, nullptr));
  if (!made || (terms != nullptr && !add(made.get(), terms, false))) return -1;
  std::swap(reinterpret_cast<Accumulator*>(self)->sum, reinterpret_cast<Accumulator*>(made.get())->sum);
  return 0;
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !is_accumulator(other) ||
      kind_of(Py_TYPE(self)) != kind_of(Py_TYPE(other)))
    Py_RETURN_NOTIMPLEMENTED;
  int equal = 0;
  if (!succeeded(exakt_accumulator_equal(sum_of(self), sum_of(other), &equal))) return nullptr;
  return PyBool_FromLong((equal != 0) == (operation == Py_EQ) ? 1 : 0);
}

/// -1, and an exception, if there is no such mode.
int mode_of(char const* name) {
  char const* const names[] = {"to_nearest", "toward_zero", "upward", "downward"};
  for (int mode = 0; mode < 4; ++mode)
    if (std::strcmp(name, names[mode]) == 0) return mode;
  PyErr_Format(PyExc_ValueError,
               "exakt: the rounding mode is '%s'; it must be 'to_nearest', 'toward_zero', 'upward' or 'downward'",
               name);
  return -1;
}

PyObject* round_in_mode(PyObject* self, PyObject* arguments, PyObject* names) {
  static char const* keywords[] = {"mode", nullptr};
  char const* name = "to_nearest";
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "|s:round", const_cast<char**>(keywords), &name)) return nullptr;
  int const mode = mode_of(name);
  double result = 0;
  if (mode < 0 || !succeeded(exakt_accumulator_round(sum_of(self), mode, &result))) return nullptr;
  return PyFloat_FromDouble(result);
}

PyObject* to_float(PyObject* self) {
  double result = 0;
  if (!succeeded(exakt_accumulator_round(sum_of(self), EXAKT_TO_NEAREST, &result))) return nullptr;
  return PyFloat_FromDouble(result);
}

PyObject* represent(PyObject* self) {
  Reference const value(to_float(self));
  if (!value) return nullptr;
  return PyUnicode_FromFormat("<%s, rounded %R>", Py_TYPE(self)->tp_name, value.get());
}

PyObject* clear(PyObject* self, PyObject*) {
  if (!succeeded(exakt_accumulator_clear(sum_of(self)))) return nullptr;
  Py_RETURN_NONE;
}

PyObject* copy(PyObject* self, PyObject*) {
  exakt_accumulator* created = nullptr;
  if (!succeeded(exakt_accumulator_copy(sum_of(self), &created))) return nullptr;
  return wrap(Py_TYPE(self), Handle(created));
}

PyObject* to_bytes(PyObject* self, PyObject*) {
  char bytes[EXAKT_BYTES_AT_MOST];
  std::size_t size = 0;
  if (!succeeded(exakt_accumulator_to_bytes(sum_of(self), bytes, sizeof bytes, &size))) return nullptr;
  return PyBytes_FromStringAndSize(bytes, static_cast<Py_ssize_t>(size));
}

PyObject* from_bytes(PyObject* type, PyObject* object) {
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0) return nullptr;
  exakt_accumulator* created = nullptr;
  if (!succeeded(exakt_accumulator_from_bytes(bytes, static_cast<std::size_t>(size), &created))) return nullptr;
  Handle sum(created);
  auto* const wanted = reinterpret_cast<PyTypeObject*>(type);
  // Accumulators of one kind merge both ways, others do not.
  Handle const empty = make(kind_of(wanted));
  if (!empty) return nullptr;
  if (exakt_accumulator_merge(sum.get(), empty.get()) != EXAKT_SUCCESS ||
      exakt_accumulator_merge(empty.get(), sum.get()) != EXAKT_SUCCESS) {
    PyErr_Format(PyExc_ValueError, "exakt: these are not the bytes of a %s", wanted->tp_name);
    return nullptr;
  }
  return wrap(wanted, std::move(sum));
}

/// What object.__getstate__ returns since Python 3.11: the attributes that a subclass has; with its slots, if there are
/// any, as a pair.
PyObject* attributes_of(PyObject* self) {
  Reference attributes(PyObject_GetAttrString(self, "__dict__"));
  PyErr_Clear();
  if (!attributes) {
    Py_INCREF(Py_None);
    attributes = Reference(Py_None);
  }
  Reference const copyreg(PyImport_ImportModule("copyreg"));
  Reference const names(copyreg ? PyObject_CallMethod(copyreg.get(), "_slotnames", "O", Py_TYPE(self)) : nullptr);
  Reference const slots(PyDict_New());
  if (!names || !slots) return nullptr;
  for (Py_ssize_t i = 0; i < PyList_Size(names.get()); ++i) {
    PyObject* const name = PyList_GetItem(names.get(), i);
    Reference const value(PyObject_GetAttr(self, name));
    if (value && PyDict_SetItem(slots.get(), name, value.get()) != 0) return nullptr;
    PyErr_Clear();  // a slot may be empty
  }
  return PyDict_Size(slots.get()) == 0 ? attributes.release() : PyTuple_Pack(2, attributes.get(), slots.get());
}

/// For pickle and copy: from_bytes, the bytes, which are the same on all machines, and what a subclass has besides.
PyObject* pickled(PyObject* self, PyObject*) {
  Reference make_again(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(self)), "from_bytes"));
  Reference bytes(make_again ? to_bytes(self, nullptr) : nullptr);
  if (!bytes) return nullptr;
  bool const has_state = PyObject_HasAttrString(self, "__getstate__") != 0;
  Reference state(has_state ? PyObject_CallMethod(self, "__getstate__", nullptr) : attributes_of(self));
  if (!state) return nullptr;
  return Py_BuildValue("N(N)N", make_again.release(), bytes.release(), state.release());
}

#define EXAKT_COMMON_METHODS                                                                                          \
  {"round", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(round_in_mode)), METH_VARARGS | METH_KEYWORDS, \
   "round(mode='to_nearest'): the sum, rounded once to a float"},                                                     \
      {"clear", clear, METH_NOARGS, "clear(): back to the empty sum"},                                                \
      {"copy", copy, METH_NOARGS, "copy(): another accumulator with the same sum"},                                   \
      {"to_bytes", to_bytes, METH_NOARGS, "to_bytes(): the sum as bytes, of one form on all machines"},               \
      {"from_bytes", from_bytes, METH_O | METH_CLASS, "from_bytes(bytes): the accumulator that these bytes are"},     \
      {"__reduce__", pickled, METH_NOARGS, nullptr}, {                                                                \
    nullptr, nullptr, 0, nullptr                                                                                      \
  }

PyMethodDef sum_methods[] = {EXAKT_COMMON_METHODS};
PyMethodDef dot_methods[] = {
    {"add_product", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(add_product<false>)), METH_FASTCALL,
     "add_product(x, y): adds x * y exactly, or all products of the entries of two arrays"},
    {"subtract_product", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(add_product<true>)), METH_FASTCALL,
     "subtract_product(x, y): subtracts the same"},
    EXAKT_COMMON_METHODS};

template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

bool add_type(PyObject* module, exakt_accumulator_kind kind, char const* name, char const* text, PyMethodDef* methods) {
  PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(text)},
                         {Py_tp_new, slot(make_new)},
                         {Py_tp_init, slot(initialize)},
                         {Py_tp_dealloc, slot(deallocate)},
                         {Py_tp_repr, slot(represent)},
                         {Py_tp_richcompare, slot(compare)},
                         {Py_tp_methods, methods},
                         {Py_nb_inplace_add, slot(add_in_place<false>)},
                         {Py_nb_inplace_subtract, slot(add_in_place<true>)},
                         {Py_nb_float, slot(to_float)},
                         {0, nullptr}};
  PyType_Spec spec = {name, sizeof(Accumulator), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  PyObject* const type = PyType_FromSpec(&spec);
  if (type == nullptr) return false;
  types[kind] = reinterpret_cast<PyTypeObject*>(type);
  return PyModule_AddType(module, types[kind]) == 0;
}

}  // namespace

bool add_accumulators(PyObject* module) {
  return add_type(module, EXAKT_SUM, "exakt.SumAccumulator",
                  "SumAccumulator(terms=...): an exact sum that grows.\n\n"
                  ">>> import exakt\n"
                  ">>> a = exakt.SumAccumulator()\n"
                  ">>> a += 1e100\n"
                  ">>> a += [1.0, -1e100]\n"
                  ">>> a.round()\n"
                  "1.0\n",
                  sum_methods) &&
         add_type(module, EXAKT_DOT, "exakt.DotAccumulator",
                  "DotAccumulator(terms=...): an exact sum of numbers and of products of two.\n\n"
                  ">>> import exakt\n"
                  ">>> a = exakt.DotAccumulator()\n"
                  ">>> a.add_product(1e200, 1e200)\n"
                  ">>> a.subtract_product(1e200, 1e200)\n"
                  ">>> a += 0.5\n"
                  ">>> a.round()\n"
                  "0.5\n",
                  dot_methods);
}

}  // namespace ExaktPython
