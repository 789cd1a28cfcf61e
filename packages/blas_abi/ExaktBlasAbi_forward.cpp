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

#define EXAKT_FORWARD_FORTRAN(verb) __asm__("exakt_blas_forward " #verb "_");
#define EXAKT_FORWARD_BOTH(verb) __asm__("exakt_blas_forward " #verb "_\n\texakt_blas_forward cblas_" #verb);
#define EXAKT_BLAS_FOR_OTHERS                                                                                         \
  EXAKT_FORWARD_BOTH(scopy)                                                                                           \
  EXAKT_FORWARD_BOTH(dcopy)                                                                                           \
  EXAKT_FORWARD_BOTH(ccopy)                                                                                           \
  EXAKT_FORWARD_BOTH(zcopy)                                                                                           \
  EXAKT_FORWARD_BOTH(sswap)                                                                                           \
  EXAKT_FORWARD_BOTH(dswap) EXAKT_FORWARD_BOTH(cswap) EXAKT_FORWARD_BOTH(zswap) EXAKT_FORWARD_BOTH(sscal)             \
      EXAKT_FORWARD_BOTH(dscal) EXAKT_FORWARD_BOTH(csscal) EXAKT_FORWARD_BOTH(zdscal) EXAKT_FORWARD_BOTH(isamax)      \
          EXAKT_FORWARD_BOTH(idamax) EXAKT_FORWARD_BOTH(icamax) EXAKT_FORWARD_BOTH(izamax) EXAKT_FORWARD_BOTH(srotg)  \
              EXAKT_FORWARD_BOTH(drotg) EXAKT_FORWARD_BOTH(crotg) EXAKT_FORWARD_BOTH(zrotg) EXAKT_FORWARD_BOTH(       \
                  srotmg) EXAKT_FORWARD_BOTH(drotmg) EXAKT_FORWARD_BOTH(sgbmv) EXAKT_FORWARD_BOTH(dgbmv)              \
                  EXAKT_FORWARD_BOTH(cgbmv) EXAKT_FORWARD_BOTH(zgbmv) EXAKT_FORWARD_BOTH(stbmv) EXAKT_FORWARD_BOTH(   \
                      dtbmv) EXAKT_FORWARD_BOTH(ctbmv) EXAKT_FORWARD_BOTH(ztbmv) EXAKT_FORWARD_BOTH(stbsv)            \
                      EXAKT_FORWARD_BOTH(dtbsv) EXAKT_FORWARD_BOTH(ctbsv) EXAKT_FORWARD_BOTH(ztbsv)                   \
                          EXAKT_FORWARD_BOTH(stpmv) EXAKT_FORWARD_BOTH(dtpmv) EXAKT_FORWARD_BOTH(ctpmv)               \
                              EXAKT_FORWARD_BOTH(ztpmv) EXAKT_FORWARD_BOTH(stpsv) EXAKT_FORWARD_BOTH(dtpsv)           \
                                  EXAKT_FORWARD_BOTH(ctpsv) EXAKT_FORWARD_BOTH(ztpsv) EXAKT_FORWARD_BOTH(ssbmv)       \
                                      EXAKT_FORWARD_BOTH(dsbmv) EXAKT_FORWARD_BOTH(sspmv) EXAKT_FORWARD_BOTH(dspmv)   \
                                          EXAKT_FORWARD_BOTH(sspr) EXAKT_FORWARD_BOTH(dspr) EXAKT_FORWARD_BOTH(sspr2) \
                                              EXAKT_FORWARD_BOTH(dspr2) EXAKT_FORWARD_BOTH(chbmv)                     \
                                                  EXAKT_FORWARD_BOTH(zhbmv) EXAKT_FORWARD_BOTH(chpmv)                 \
                                                      EXAKT_FORWARD_BOTH(zhpmv) EXAKT_FORWARD_BOTH(chpr)              \
                                                          EXAKT_FORWARD_BOTH(zhpr) EXAKT_FORWARD_BOTH(chpr2)          \
                                                              EXAKT_FORWARD_BOTH(zhpr2) EXAKT_FORWARD_BOTH(ctrsv)     \
                                                                  EXAKT_FORWARD_BOTH(ztrsv) EXAKT_FORWARD_BOTH(ctrsm) \
                                                                      EXAKT_FORWARD_BOTH(ztrsm)
EXAKT_BLAS_FOR_OTHERS

// What there is in Fortran alone.
EXAKT_FORWARD_FORTRAN(lsame)
EXAKT_FORWARD_FORTRAN(xerbla_array) EXAKT_FORWARD_FORTRAN(scabs1) EXAKT_FORWARD_FORTRAN(dcabs1)
