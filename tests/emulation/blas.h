#pragma once

#include <cublas_v2.h>

namespace wt::emulation {

cublasComputeType_t asked_for(cublasHandle_t handle);  // by the last product

}  // namespace wt::emulation
