// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTOOL_ZIP_HPP
#define EXAKTTOOL_ZIP_HPP

#include "ExaktTool_Input.hpp"

#include <string>
#include <string_view>

namespace Exakt::Tool {

/// True if the bytes begin as a zip archive does, which an .npz file is.
bool looks_like_zip(std::string_view head);

/// \brief From here on, the bytes of the input are those of one member of its archive, decompressed and checked.
///
/// What is read is the directory at the end of the archive, also that of Zip64. A member that does not have the length
/// and the CRC-32 that the directory says is a Failure when its end is reached.
/// \param wanted  Name of the member, with its `.npy` or without; if empty, the archive must have one member only.
/// \pre  The input is a regular file of which nothing has been taken, and can_inflate.
/// \throws Failure  The archive is damaged, has no such member, or it is neither stored nor deflated.
void enter_zip_member(Input& input, std::string const& wanted);

}  // namespace Exakt::Tool

#endif
