#include "session/host_queues.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/cpu/cpu_queue.h"
#include "session/host_device.h"

namespace wt::session {

namespace {

// NCCL does not support two ranks on one GPU.
void require_gpu_each(const std::vector<device::CudaDevice>& gpus, const scenario::Scenario& scenario,
                      const cluster::Machine& machine) {
  if (gpus.size() == machine.replicas.size()) return;
  throw InputError(Problem{scenario.place("host.collectives"),
                           fmt::format("NCCL needs a GPU for each of the {} replicas, and CUDA finds {}",
                                       machine.replicas.size(), gpus.size()),
                           "leave the key out: replicas that share a GPU compute the sums of the plan"});
}

}  // namespace

HostQueues::HostQueues(device::Workers& workers) { take_workers(workers); }

HostQueues::HostQueues(const scenario::Scenario& scenario, const cluster::Machine& machine,
                       device::Workers& workers) {
  if (scenario.numerics != scenario::Numerics::cuda) {
    take_workers(workers);
    return;
  }
  std::vector<device::CudaDevice> gpus = host_gpus(scenario);
  if (gpus.size() > machine.replicas.size()) gpus.resize(machine.replicas.size());
  take_gpus(gpus, scenario, machine);
}

void HostQueues::take_workers(device::Workers& workers) {
  cpu_ = std::make_unique<device::CpuQueue>(workers);
  queues_.emplace(*cpu_);
}

void HostQueues::take_gpus(const std::vector<device::CudaDevice>& gpus, const scenario::Scenario& scenario,
                           const cluster::Machine& machine) {
  const bool has_nccl = scenario.host.collectives == scenario::HostCollectives::nccl;
  if (has_nccl) require_gpu_each(gpus, scenario, machine);
  team_ =
      device::make_cuda_team(gpus, host_precision(scenario),
                             has_nccl ? device::CudaTeam::Library::nccl : device::CudaTeam::Library::none);
  std::vector<execute::PlaceQueues> places;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const device::CudaTeam::Member& member = team_.members[i];
    device::Queue* const communication =
        member.communication ? member.communication.get() : member.compute.get();
    places.push_back({member.compute.get(), communication, member.copies.get()});
    gpus_.push_back({print(gpus[i]), member.compute->memory().available()});
  }
  const auto place_of = [&machine, count = gpus.size()](const plan::Device& device) {
    return replica_of(machine, device.name) % count;
  };
  queues_.emplace(std::move(places), place_of, team_.nccl.get());
  if (gpus.size() > 1) {
    std::vector<std::string> names;
    for (const HostPiece& gpu : gpus_) names.push_back(gpu.name);
    notes_.push_back(
        fmt::format("{} replicas compute on {}", machine.replicas.size(), fmt::join(names, ", ")));
  }
  for (const auto& [from, to] : team_.staged)
    notes_.push_back(
        fmt::format("GPU {} can't access the memory of GPU {}: copies pass through the host's", from, to));
}

}  // namespace wt::session
