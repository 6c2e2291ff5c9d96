#pragma once

// For functions that a GPU computes as well as the CPU: nvcc compiles them for both, others see a plain function.
#ifdef __CUDACC__
#define WT_HOST_DEVICE __host__ __device__
#else
#define WT_HOST_DEVICE
#endif
