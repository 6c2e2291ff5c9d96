#pragma once

#include <string_view>

#include "base/error.h"
#include "device/cuda/cuda_queue.h"

namespace wt::device {

template <class Status>
void check(Status status, std::string_view operation, const CudaDevice&) {
  expect(status == Status{}, "{} failed", operation);
}

}  // namespace wt::device
