// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_PICTURE_HPP
#define EXAKTTOOL_PICTURE_HPP

#include <string>
#include <vector>

namespace Exakt::Tool {

/// How far plain sums of one type are from the exact value: their differences from it.
struct Scatter {
  struct Named {
    std::string name;
    double difference;
  };
  std::string title;
  std::vector<Named> named;             ///< in orders that have a name
  std::vector<double> orders, threads;  ///< in random orders; by threads, each a part
};

/// Text as it stands in HTML and SVG.
std::string escaped(std::string const& text);

/// A number of three digits, for people.
std::string short_number(double value);

/// \brief A drawing, as an element <svg>: how often the sums in random orders fall where, a mark for each number of threads,
/// and the named orders; the exact value in the middle.
std::string picture(Scatter const& scatter);

}  // namespace Exakt::Tool

#endif
