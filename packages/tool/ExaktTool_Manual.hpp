// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_MANUAL_HPP
#define EXAKTTOOL_MANUAL_HPP

#include <string>

namespace CLI {
class App;
}

/// What is made from the option parser, so that nothing is said twice.
namespace Exakt::Tool {

/// The manual page, for `man`.
std::string manual_page(CLI::App const& app);

/// \brief A completion script.
/// \param shell  bash, zsh or fish.
/// \throws Failure  It is another one.
std::string completion(CLI::App const& app, std::string const& shell);

}  // namespace Exakt::Tool

#endif
