// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every target has a source; this one is compiled by no test.
