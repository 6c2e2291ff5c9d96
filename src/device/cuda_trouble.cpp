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
    "stop other processes on the GPU (nvidia-smi lists them), or use a smaller batch";
constexpr std::string_view update_driver =
    "install a driver that supports the CUDA Toolkit with which this program was built";

constexpr std::array remedies{
    Remedy{"CUBLAS_STATUS_ALLOC_FAILED", too_little_memory},
    Remedy{"CUBLAS_STATUS_ARCH_MISMATCH", "use a GPU of compute capability 7.5 or newer"},
    Remedy{"CUDNN_STATUS_ALLOC_FAILED", too_little_memory},
    Remedy{"CUDNN_STATUS_NOT_SUPPORTED",
           "install cuDNN 9 for this GPU, or compute on the CPU: --set numerics=cpu"},
    Remedy{
        "cudaErrorAssert",
        "an IntegerLookup was given a token that is not in its vocabulary: set its num_oov_indices to 1, or "
        "compute on the CPU, which names the token: --set numerics=cpu"},
    Remedy{
        "cudaErrorDevicesUnavailable",
        "another process uses the GPU exclusively: stop it, or reset the compute mode with nvidia-smi -c 0"},
    Remedy{"cudaErrorIllegalAddress",
           "a kernel accessed memory out of bounds, which is an error of this program: please report the "
           "scenario"},
    Remedy{"cudaErrorInitializationError",
           "start the program again, because CUDA can't be used after a fork, or check the driver with "
           "nvidia-smi"},
    Remedy{"cudaErrorInsufficientDriver", update_driver},
    Remedy{"cudaErrorLaunchTimeout", "use a GPU without a display, whose watchdog ended a kernel"},
    Remedy{"cudaErrorMemoryAllocation", too_little_memory},
    Remedy{"cudaErrorNoDevice",
           "check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES doesn't hide it"},
    Remedy{"cudaErrorNoKernelImageForDevice",
           "build the program for this GPU: ./windtunnel builds for the GPUs that it finds, and CMake needs "
           "-DCMAKE_CUDA_ARCHITECTURES=native"},
    Remedy{"cudaErrorStreamCaptureUnsupported",
           "a kernel can't be captured, which is an error of this program: please report the scenario"},
    Remedy{"cudaErrorSystemDriverMismatch",
           "restart the machine, because the driver was updated while it was loaded"},
    Remedy{"cudaErrorSystemNotReady", "start the fabric manager of this machine (nvidia-fabricmanager)"},
    Remedy{"ncclSystemError",
           "set NCCL_DEBUG=WARN to see the failed system call; containers often need more shared memory "
           "(--shm-size=1g)"},
    Remedy{"ncclUnhandledCudaError",
           "set NCCL_DEBUG=WARN to see the failed CUDA call, or train without NCCL: "
           "--set host.collectives=planned"},
};

}  // namespace

std::string_view cuda_remedy(std::string_view status) {
  const auto found = std::find_if(remedies.begin(), remedies.end(),
                                  [&](const Remedy& remedy) { return remedy.status == status; });
  return found == remedies.end() ? "check the GPU with nvidia-smi, or compute on the CPU: --set numerics=cpu"
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
