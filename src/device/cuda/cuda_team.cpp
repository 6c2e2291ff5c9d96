#include <cuda_runtime_api.h>

#include "device/cuda/check.h"
#include "device/cuda/cuda_queue.h"
#include "device/cuda/nccl.h"

namespace wt::device {

namespace {

// Enables direct access from one GPU to the memory of another. Returns false if the machine doesn't support
// it.
bool connect(const CudaDevice& from, const CudaDevice& to) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, from.ordinal, to.ordinal), "query peer access", from);
  if (can == 0) return false;
  check(cudaSetDevice(from.ordinal), "use", from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to.ordinal, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // resets the error, because the access was enabled before
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

// CUDA graphs are not used in two cases. NVIDIA's manual doesn't state whether a graph may contain copies
// that go through the memory of the host. The manual of NCCL 2.30 ("Using NCCL with CUDA Graphs") advises
// against graphs if one thread drives several GPUs.
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
