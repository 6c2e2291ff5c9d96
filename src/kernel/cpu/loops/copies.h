#pragma once

// Stands before a loop in which no iteration reads what another one writes. Two operands may be the same
// array but must not overlap otherwise. `restrict` would promise more than kernels that work in place can
// keep.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // loops that call libm are not vectorised
#define WT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define WT_INDEPENDENT _Pragma("GCC ivdep")
#endif

// The name of this copy of a table of loops. WT_COPY(elementwise) is elementwise_avx2 where WT_ISA is avx2.
#define WT_COPY_JOIN(name, isa) name##_##isa
#define WT_COPY_OF(name, isa) WT_COPY_JOIN(name, isa)
#define WT_COPY(name) WT_COPY_OF(name, WT_ISA)
