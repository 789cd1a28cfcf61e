// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// \brief The rest of the BLAS: each name a jump into the BLAS behind, whatever its arguments are.
///
///     dswap_:  jmp *slot      slot --> resolve     at first: keeps all arguments, looks the name up, fills the slot
///                             slot --> dswap_      afterwards, of the BLAS behind
///
/// Preloaded, a library without these names would do. Linked, or as the system's libblas.so.3, it has to have them.

#include "ExaktBlasAbi_Next.hpp"

#if !defined(__x86_64__) || !defined(__ELF__)
#error "Jumps are written for x86-64; without this file the names are found in the BLAS behind itself"
#endif

namespace ExaktBlasAbi {

struct Slot {
  void* target;
  char const* name;
};

/// Called by the code below.
extern "C" __attribute__((visibility("hidden"), used)) void* exakt_blas_fill(Slot* slot) {
  void* const target = require_next_symbol(slot->name);
  __atomic_store_n(&slot->target, target, __ATOMIC_RELEASE);
  return target;
}

}  // namespace ExaktBlasAbi

// r11 holds the slot, and then the target; rdi to r9 and xmm0 to xmm7 hold arguments. The stack is as at any entry, 8 bytes
// off a multiple of 16.
__asm__(R"(
  .text
  .type exakt_blas_resolve, @function
exakt_blas_resolve:
  .cfi_startproc
  endbr64
  subq $184, %rsp
  .cfi_adjust_cfa_offset 184
  movq %rdi, 0(%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movups %xmm0, 48(%rsp)
  movups %xmm1, 64(%rsp)
  movups %xmm2, 80(%rsp)
  movups %xmm3, 96(%rsp)
  movups %xmm4, 112(%rsp)
  movups %xmm5, 128(%rsp)
  movups %xmm6, 144(%rsp)
  movups %xmm7, 160(%rsp)
  movq %r11, %rdi
  call exakt_blas_fill
  movq %rax, %r11
  movq 0(%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  movups 48(%rsp), %xmm0
  movups 64(%rsp), %xmm1
  movups 80(%rsp), %xmm2
  movups 96(%rsp), %xmm3
  movups 112(%rsp), %xmm4
  movups 128(%rsp), %xmm5
  movups 144(%rsp), %xmm6
  movups 160(%rsp), %xmm7
  addq $184, %rsp
  .cfi_adjust_cfa_offset -184
  jmp *%r11
  .cfi_endproc
  .size exakt_blas_resolve, . - exakt_blas_resolve

  .macro exakt_blas_forward name
  .pushsection .data.rel.local, "aw"
  .balign 8
.Lslot_\name:
  .quad exakt_blas_resolve
  .quad .Lname_\name
  .popsection
  .pushsection .rodata
.Lname_\name:
  .asciz "\name"
  .popsection
  .globl \name
  .type \name, @function
  .balign 16
\name:
  .cfi_startproc
  endbr64
  leaq .Lslot_\name(%rip), %r11
  jmp *(%r11)
  .cfi_endproc
  .size \name, . - \name
  .endm
)");

// Short names, for the lists. NOLINTBEGIN(readability-identifier-naming)
#define FORTRAN(verb) __asm__("exakt_blas_forward " #verb "_");
#define BOTH(verb) __asm__("exakt_blas_forward " #verb "_\n\texakt_blas_forward cblas_" #verb);
// NOLINTEND(readability-identifier-naming)
BOTH(scopy)
BOTH(dcopy)
BOTH(ccopy)
BOTH(zcopy)
BOTH(sswap)
BOTH(dswap)
BOTH(cswap)
BOTH(zswap)
BOTH(scabs1)
BOTH(dcabs1)
// What there is in Fortran alone.
FORTRAN(lsame)
FORTRAN(xerbla_array)
