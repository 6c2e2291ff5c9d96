#include "kernel/element/resize.h"

#include "kernel/cuda/each.cuh"
#include "kernel/cuda/kernels.h"

namespace wt::cuda {

// A thread makes a row.
void resize_shares(const Numbers& numbers, device::CudaQueue& queue) {
  const auto& resize = attributes_as<ResizeAttributes>(numbers.attributes);
  const element::ResizeShares shares{resize.method, resize.antialias, resize.given, resize.rows,
                                     numbers.outputs[0].as<float>()};
  for_each(queue, resize.rows, [=] __device__(Index row) { shares(row); });
}

}  // namespace wt::cuda
