#include <cuda_runtime_api.h>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "device/cuda/nccl.h"

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

// NVIDIA's manual doesn't say whether a graph may hold copies that the host's memory stages, so there is none then; and
// NCCL's advises against graphs where one thread drives several GPUs ("Using NCCL with CUDA Graphs", 2.30).
CudaTeam make_cuda_team(const std::vector<CudaDevice>& devices, Precision precision,
                        CudaTeam::Library library) {
  CudaTeam team;
  for (const CudaDevice& from : devices)
    for (const CudaDevice& to : devices)
      if (from.ordinal != to.ordinal && !connect(from, to))
        team.staged.emplace_back(from.ordinal, to.ordinal);
  const bool has_nccl = library == CudaTeam::Library::nccl;
  const bool has_graphs = team.staged.empty() && !has_nccl;
  std::vector<const CudaQueue*> ranks;
  for (const CudaDevice& device : devices) {
    CudaTeam::Member& member = team.members.emplace_back();
    member.compute = make_queue(device, precision, has_graphs);
    if (devices.size() > 1 || has_nccl) {
      auto communication = make_queue(device, precision, has_graphs);
      ranks.push_back(communication.get());
      member.communication = std::move(communication);
    }
    member.copies = std::make_unique<CudaQueue>(device, CudaQueue::Libraries::none);
  }
  if (has_nccl) team.nccl = make_nccl(ranks);
  return team;
}

}  // namespace wt::device
