// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_BYTES_HPP
#define EXAKTTOOL_BYTES_HPP

/// \file
/// \brief Numbers as bytes of this machine, between ranks of one run.

#include <cstring>
#include <string>
#include <string_view>

namespace Exakt::Tool {

/// Appends a number.
template <class T>
void append(std::string& bytes, T const& value) {
  bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
}

/// Takes a number off the front. \pre There are as many bytes.
template <class T>
T take(std::string_view& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

}  // namespace Exakt::Tool

#endif
