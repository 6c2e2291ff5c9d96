// Replaces device/cuda/ in programs that are built without CUDA.
#include "device/cuda_device.h"

#include "base/error.h"
#include "device/queue.h"

namespace wt::device {

CudaDevices find_cuda_devices() {
  return {
      .reason = "this program was built without CUDA",
      .remedy =
          "type ./windtunnel get cuda, or install the CUDA Toolkit 12 or newer and cuDNN, and build again"};
}

std::unique_ptr<Queue> make_cuda_queue(const CudaDevice& device, Precision) {
  WT_EXPECT(false, "{} was found by a program without CUDA", print(device));
  return nullptr;
}

CudaTeam make_cuda_team(const std::vector<CudaDevice>& devices, Precision, CudaTeam::Library) {
  WT_EXPECT(false, "{} GPUs were found by a program without CUDA", devices.size());
  return {};
}

}  // namespace wt::device
