// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing: a shared library of what a static one holds has a source, too.
