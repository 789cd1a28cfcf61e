// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPYTHON_HPP
#define EXAKTPYTHON_HPP

/// \file
/// \brief What the functions of the module exakt._core share: references, buffers, exceptions, the global lock.
///
/// Arrays come in by the buffer protocol, so that neither a version of NumPy's C interface nor NumPy itself is needed
/// here. The Python part of the package sees to types, axes and shapes; nevertheless everything is checked that could
/// read or write memory of others.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exakt.h>

#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>

namespace ExaktPython {

/// A reference that is counted, or none.
class Reference {
 public:
  Reference() = default;
  explicit Reference(PyObject* owned) : m_object(owned) {}
  Reference(Reference&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
  Reference& operator=(Reference&& other) noexcept {
    std::swap(m_object, other.m_object);
    return *this;
  }
  ~Reference() { Py_XDECREF(m_object); }
  PyObject* get() const { return m_object; }
  PyObject* release() { return std::exchange(m_object, nullptr); }
  explicit operator bool() const { return m_object != nullptr; }

 private:
  PyObject* m_object = nullptr;
};

/// Lets other threads run Python meanwhile, if the work is worth it.
class WithoutLock {
 public:
  explicit WithoutLock(Py_ssize_t terms) : m_state(terms > 4096 ? PyEval_SaveThread() : nullptr) {}
  ~WithoutLock() {
    if (m_state == nullptr) return;
    // Where the interpreter is ending, Python before 3.14 ends daemon threads that come back here, by an exception on Linux. C++
    // would abort the program, or release arrays without the lock: they wait for the end of the program, as since 3.14.
    try {
      PyEval_RestoreThread(m_state);
    } catch (...) {
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }
  WithoutLock(WithoutLock const&) = delete;
  WithoutLock& operator=(WithoutLock const&) = delete;

 private:
  PyThreadState* m_state;
};

/// False, and a Python exception, unless the call went well.
bool succeeded(exakt_status status);

/// Python's objects and long doubles are one kind: what becomes a double only by Python's float().
enum class Entries { doubles, floats, complex_doubles, complex_floats, integers, objects, others };

/// The memory of an object, for the lifetime of this.
class Array {
 public:
  Array() = default;
  /// \param is_written  Then read-only memory is refused, with a Python exception.
  /// \post is_open() tells whether the object has given its memory.
  Array(PyObject* object, bool is_written);
  ~Array() {
    if (m_is_open) PyBuffer_Release(&m_view);
  }
  Array(Array const&) = delete;
  Array& operator=(Array const&) = delete;

  bool is_open() const { return m_is_open; }
  Entries entries() const { return m_entries; }
  bool is_real() const { return m_entries == Entries::doubles || m_entries == Entries::floats; }
  bool is_complex() const { return m_entries == Entries::complex_doubles || m_entries == Entries::complex_floats; }
  int rank() const { return m_view.ndim; }
  Py_ssize_t size(int d) const { return m_view.shape[d]; }
  /// In entries.
  Py_ssize_t stride(int d) const { return m_view.strides[d] / m_view.itemsize; }
  Py_ssize_t size() const { return m_view.itemsize == 0 ? 0 : m_view.len / m_view.itemsize; }
  /// Whether strides are whole entries, and addresses multiples of their size, or of that of their parts.
  bool is_aligned() const;
  bool is_contiguous() const { return PyBuffer_IsContiguous(&m_view, 'C') != 0; }
  template <class T>
  T* data() const {
    return static_cast<T*>(m_view.buf);
  }

 private:
  Py_buffer m_view{};
  Entries m_entries = Entries::others;
  bool m_is_open = false;
};

/// n entries in memory as the BLAS has it: the lowest address, and an increment of any sign.
template <class T>
struct Vector {
  T* lowest;
  Py_ssize_t n, increment;

  Vector(T* first, Py_ssize_t size, Py_ssize_t stride)
      : lowest(stride < 0 && size > 0 ? first + (size - 1) * stride : first), n(size), increment(stride) {}
};

/// Whether the array can be taken as a vector: of rank 1, or contiguous.
inline bool is_vector(Array const& x) { return x.is_real() && x.is_aligned() && (x.rank() == 1 || x.is_contiguous()); }
template <class T>
Vector<T> vector_of(Array const& x) {
  return x.rank() == 1 ? Vector<T>(x.data<T>(), x.size(0), x.stride(0)) : Vector<T>(x.data<T>(), x.size(), 1);
}

/// f(T()), T being the type of the real entries.
template <class F>
auto with_type_of(Array const& x, F const& f) {
  return x.entries() == Entries::floats ? f(float()) : f(double());
}

/// The same of entries that may be complex.
template <class F>
auto with_number_of(Array const& x, F const& f) {
  if (x.entries() == Entries::complex_doubles) return f(std::complex<double>());
  return x.entries() == Entries::complex_floats ? f(std::complex<float>()) : with_type_of(x, f);
}

/// Whether conversions on this thread might take it for a zero: a subnormal float.
inline bool may_vanish(double) { return false; }
inline bool may_vanish(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits & 0x7f800000) == 0 && (bits & 0x007fffff) != 0;
}

/// A result as Python's float or complex; None if a part may vanish on the way.
template <class T>
PyObject* number(T result) {
  if (may_vanish(result)) Py_RETURN_NONE;
  return PyFloat_FromDouble(static_cast<double>(result));
}
template <class T>
PyObject* number(std::complex<T> const& result) {
  if (may_vanish(result.real()) || may_vanish(result.imag())) Py_RETURN_NONE;
  return PyComplex_FromDoubles(static_cast<double>(result.real()), static_cast<double>(result.imag()));
}

/// The functions of the module.
PyObject* total(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* reduce(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* reduce_segments(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* dot(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* multiply(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* scan(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* sum_by_key(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* reduce_pairs(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* histogram(PyObject* module, PyObject* const* arguments, Py_ssize_t count);
PyObject* fsum(PyObject* module, PyObject* iterable);

/// Adds the types SumAccumulator and DotAccumulator; false with an exception.
bool add_accumulators(PyObject* module);

/// `name` of exakt._operands, a new reference: what is easier said in Python.
PyObject* helper(char const* name);

/// False, and an exception, unless there are as many arguments.
bool has_arguments(char const* function, Py_ssize_t count, Py_ssize_t expected);

/// False, and an exception, unless the object is an int that is the number of one of so many verbs.
bool parse_verb(PyObject* object, int verbs, int& verb);

/// False, and an exception, unless the object is an int, and exakt.h's int has room for it.
bool parse_ddof(PyObject* object, int& ddof);

/// A null pointer, and the exception for arrays whose types or shapes the function cannot take together.
PyObject* refuse_arrays(char const* function);

}  // namespace ExaktPython

#endif
