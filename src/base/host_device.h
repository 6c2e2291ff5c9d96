#pragma once

// Marks functions that run on a GPU as well as on the CPU. nvcc compiles them for both; for other compilers
// the macro is empty, and they see an ordinary function.
#ifdef __CUDACC__
#define WT_HOST_DEVICE __host__ __device__
#else
#define WT_HOST_DEVICE
#endif
