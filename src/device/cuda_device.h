#pragma once
// The NVIDIA GPUs of the computer that runs this program. This header includes no CUDA header, so every other
// folder can include it. The functions are implemented in device/cuda/ if CUDA was found at configure time,
// and otherwise in device/none/, where find_cuda_devices gives the reason.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/communicator.h"
#include "device/physical_device.h"

namespace wt::device {

// The properties of a GPU, as the CUDA runtime reports them.
struct CudaDevice {
  int ordinal = 0;  // the CUDA runtime's number of the GPU, after CUDA_VISIBLE_DEVICES
  std::string product{};
  std::string pci_bus_id{};
  Bytes memory{};
  int processors = 0;
  ComputeCapability compute_capability{};
  int driver = 0;  // the CUDA version that the driver supports: 13000 for 13.0
};

// "GPU 0 (NVIDIA H100 80GB HBM3)", for messages.
std::string print(const CudaDevice& device);

// The GPUs on which this program can compute, or the reason why there are none.
struct CudaDevices {
  std::vector<CudaDevice> found{};
  std::string reason{};  // why `found` is empty
  std::string remedy{};
};
CudaDevices find_cuda_devices();

// Converts real GPUs to the type of described devices, so that the rules of Context for names, visibility,
// logical devices and memory limits apply to them.
std::vector<PhysicalDevice> physical_devices(const std::vector<CudaDevice>& found);

// A queue on a GPU. Its matrix products and convolutions compute in the given precision. Requires: `device`
// is a result of find_cuda_devices.
std::unique_ptr<Queue> make_cuda_queue(const CudaDevice& device, Precision precision);

// GPUs that train together. Each GPU has one queue for each activity that can overlap with the others. A
// single GPU has no queue for communication: its replicas exchange data within its own memory, where an
// overlap with kernels saves no time.
struct CudaTeam {
  // The library that runs collectives. Without one, the plan's own copies and sums do it.
  enum class Library : bool { none, nccl };
  struct Member {
    std::unique_ptr<Queue> compute{};
    std::unique_ptr<Queue> communication{};  // null if `compute` is also used for communication
    std::unique_ptr<Queue> copies{};         // for copies from the host; it runs no kernels
  };
  std::vector<Member> members{};
  // Pairs of GPUs, given by their ordinals, that have no direct access to each other's memory. CUDA copies
  // between them through the memory of the host.
  std::vector<std::pair<int, int>> staged{};
  // NCCL, with the queues for communication as its ranks. Null unless it was requested.
  std::unique_ptr<Communicator> nccl{};
};
// Creates the queues of a team and enables direct access between its GPUs. Requires: the devices are results
// of find_cuda_devices. Throws InputError if NCCL is requested and this program was built without it.
CudaTeam make_cuda_team(const std::vector<CudaDevice>& devices, Precision precision,
                        CudaTeam::Library library = CudaTeam::Library::none);

}  // namespace wt::device
