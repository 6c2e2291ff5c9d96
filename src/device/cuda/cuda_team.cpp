#include <cuda_runtime_api.h>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"

namespace wt::device {

namespace {

// Whether `from` reaches into the memory of `to` now.
bool connect(const CudaDevice& from, const CudaDevice& to) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, from.ordinal, to.ordinal), "ask for peer access", from);
  if (can == 0) return false;
  check(cudaSetDevice(from.ordinal), "use", from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to.ordinal, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // forget it: that is what was wanted
  else
    check(status, "enable peer access", from);
  return true;
}

std::unique_ptr<CudaQueue> make_queue(const CudaDevice& device, Precision precision, bool has_graphs) {
  auto queue = std::make_unique<CudaQueue>(device);
  queue->set_precision(precision);
  queue->set_graphs(has_graphs);
  return queue;
}

}  // namespace

// NVIDIA's manual doesn't say whether a graph may hold copies that the host's memory stages, so there is none then.
CudaTeam make_cuda_team(const std::vector<CudaDevice>& devices, Precision precision) {
  CudaTeam team;
  for (const CudaDevice& from : devices)
    for (const CudaDevice& to : devices)
      if (from.ordinal != to.ordinal && !connect(from, to))
        team.staged.emplace_back(from.ordinal, to.ordinal);
  const bool has_graphs = team.staged.empty();
  for (const CudaDevice& device : devices) {
    CudaTeam::Member& member = team.members.emplace_back();
    member.compute = make_queue(device, precision, has_graphs);
    if (devices.size() > 1) member.communication = make_queue(device, precision, has_graphs);
    member.copies = std::make_unique<CudaQueue>(device, CudaQueue::Libraries::none);
  }
  return team;
}

}  // namespace wt::device
