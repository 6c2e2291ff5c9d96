#include "cli/host_queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/host_device.h"
#include "device/cpu/cpu_queue.h"

namespace wt {

HostQueues::HostQueues(device::Workers& workers) { take_workers(workers); }

HostQueues::HostQueues(const scenario::Scenario& scenario, const scenario::Machine& machine,
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
                           const scenario::Machine& machine) {
  team_ = device::make_cuda_team(gpus, host_precision(scenario));
  std::vector<execute::PlaceQueues> places;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const device::CudaTeam::Member& member = team_.members[i];
    device::Queue* const communication =
        member.communication ? member.communication.get() : member.compute.get();
    places.push_back({member.compute.get(), communication, member.copies.get()});
    gpus_.push_back({print(gpus[i]), member.compute->memory().available()});
  }
  queues_.emplace(std::move(places), [&machine, count = gpus.size()](const plan::Device& device) {
    return replica_of(machine, device.name) % count;
  });
  if (gpus.size() > 1) {
    std::vector<std::string> names;
    for (const HostPiece& gpu : gpus_) names.push_back(gpu.name);
    notes_.push_back(
        fmt::format("{} replicas compute on {}", machine.replicas.size(), fmt::join(names, ", ")));
  }
  for (const auto& [from, to] : team_.staged)
    notes_.push_back(
        fmt::format("GPU {} has no way into the memory of GPU {}: copies pass through the host's", from, to));
}

}  // namespace wt
