#pragma once
// The real GPUs of this machine, as far as this program computes on them. Without CUDA's headers, so that everything
// above includes it: device/cuda/ answers where CUDA was found at configure time, device/none/ elsewhere.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/communicator.h"
#include "device/physical_device.h"

namespace wt::device {

struct CudaDevice {
  int ordinal = 0;  // as the CUDA runtime counts what CUDA_VISIBLE_DEVICES leaves
  std::string product{};
  std::string pci_bus_id{};
  Bytes memory{};
  int processors = 0;
  ComputeCapability compute_capability{};
  int driver = 0;  // the CUDA version that the driver speaks: 13000
};

// "GPU 0 (NVIDIA H100 80GB HBM3)", as errors name it.
std::string print(const CudaDevice& device);

struct CudaDevices {
  std::vector<CudaDevice> found{};
  std::string reason{};  // why there are none
  std::string remedy{};
};
CudaDevices find_cuda_devices();

// The same in the words of described devices: Context then names, hides, cuts and limits real GPUs by the same rules.
std::vector<PhysicalDevice> physical_devices(const std::vector<CudaDevice>& found);

// Products and convolutions compute in the precision. Requires: a device that was found.
std::unique_ptr<Queue> make_cuda_queue(const CudaDevice& device, Precision precision);

// GPUs that compute together, a stream for each of the things that one does at once. A single one needs no
// `communication`: what its replicas tell each other stays in its memory, where nothing is won by telling it meanwhile.
struct CudaTeam {
  enum class Library : bool { none, nccl };  // that carries out collectives
  struct Member {
    std::unique_ptr<Queue> compute{};
    std::unique_ptr<Queue> communication{};  // none: `compute` does it
    std::unique_ptr<Queue> copies{};         // from the host; it computes nothing
  };
  std::vector<Member> members{};
  // Ordinals of those between which the machine has no direct way: CUDA carries their copies through the host's memory.
  std::vector<std::pair<int, int>> staged{};
  std::unique_ptr<Communicator> nccl{};  // if asked for; its ranks are the queues for communication
};
CudaTeam make_cuda_team(const std::vector<CudaDevice>& devices, Precision precision,
                        CudaTeam::Library library = CudaTeam::Library::none);

}  // namespace wt::device
