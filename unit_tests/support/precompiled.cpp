// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing: the header that is precompiled for tests (exakt_precompile in cmake/ExaktTest.cmake) belongs to a target, and a
// target has a source.
