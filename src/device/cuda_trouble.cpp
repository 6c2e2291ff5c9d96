#include "device/cuda_trouble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "device/cuda_device.h"

namespace wt::device {

namespace {

struct Remedy {
  std::string_view status{};
  std::string_view text{};
};

constexpr std::string_view too_little_memory =
    "end what else uses the GPU (nvidia-smi lists it), or take a smaller batch";
constexpr std::string_view update_driver = "install a driver as new as the CUDA Toolkit this was built with";

constexpr std::array remedies{
    Remedy{"CUBLAS_STATUS_ALLOC_FAILED", too_little_memory},
    Remedy{"CUBLAS_STATUS_ARCH_MISMATCH", "take a GPU of compute capability 7.5 or newer"},
    Remedy{"CUDNN_STATUS_ALLOC_FAILED", too_little_memory},
    Remedy{"CUDNN_STATUS_NOT_SUPPORTED",
           "install cuDNN 9 for this GPU, or compute on the CPU: --set numerics=cpu"},
    Remedy{"cudaErrorDevicesUnavailable",
           "another process holds the GPU alone: end it, or set the compute mode back with nvidia-smi -c 0"},
    Remedy{"cudaErrorIllegalAddress",
           "a kernel left its memory, which is our fault: please report the scenario"},
    Remedy{"cudaErrorInitializationError",
           "CUDA doesn't survive a fork: start the program anew, or look at the driver with nvidia-smi"},
    Remedy{"cudaErrorInsufficientDriver", update_driver},
    Remedy{"cudaErrorLaunchTimeout", "the display's watchdog ended a kernel: take a GPU without display"},
    Remedy{"cudaErrorMemoryAllocation", too_little_memory},
    Remedy{"cudaErrorNoDevice",
           "look whether nvidia-smi lists a GPU and CUDA_VISIBLE_DEVICES leaves it visible"},
    Remedy{"cudaErrorNoKernelImageForDevice",
           "build for this GPU: ./windtunnel builds for what it finds, CMake takes "
           "-DCMAKE_CUDA_ARCHITECTURES=native"},
    Remedy{"cudaErrorStreamCaptureUnsupported",
           "a kernel can't be captured, which is our fault: please report the scenario"},
    Remedy{"cudaErrorSystemDriverMismatch",
           "the driver was updated while it was loaded: restart the machine"},
    Remedy{"cudaErrorSystemNotReady", "start the fabric manager of this machine (nvidia-fabricmanager)"},
    Remedy{
        "ncclSystemError",
        "NCCL_DEBUG=WARN says what the system refused: in a container, more shared memory (--shm-size=1g)"},
    Remedy{"ncclUnhandledCudaError",
           "NCCL_DEBUG=WARN says which call of CUDA failed; without NCCL: --set host.collectives=planned"},
};

}  // namespace

std::string_view cuda_remedy(std::string_view status) {
  const auto found = std::find_if(remedies.begin(), remedies.end(),
                                  [&](const Remedy& remedy) { return remedy.status == status; });
  return found == remedies.end()
             ? "look at the GPU with nvidia-smi, or compute on the CPU: --set numerics=cpu"
             : found->text;
}

std::string cuda_trouble_text(const CudaStatus& status, const CudaDevice& device) {
  const std::string words = status.description.empty() ? "" : fmt::format(", {}", status.description);
  return fmt::format("{}: {}{}; {}", print(device), status.name, words, cuda_remedy(status.name));
}

void throw_cuda_trouble(std::string_view operation, const CudaStatus& status, const CudaDevice& device) {
  throw MachineError(operation, cuda_trouble_text(status, device));
}

}  // namespace wt::device
