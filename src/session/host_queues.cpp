#include "session/host_queues.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/cpu/cpu_queue.h"
#include "session/host_device.h"

namespace wt::session {

namespace {

// What a driver and its libraries take when a step is captured (cuDNN's and cuBLAS's kernels, CUDA graphs) is not known
// before. A sixteenth of the free memory is left to them, and 512 MiB at most.
Bytes limit_of(const device::Memory& memory) {
  const Bytes available = memory.available();
  return available - std::min(Bytes(available.count() / 16), Bytes(std::int64_t{512} << 20));
}

// NCCL does not support two ranks on one GPU.
void require_gpu_each(std::size_t gpus, std::size_t replicas, const scenario::Scenario& scenario) {
  if (gpus == replicas) return;
  throw InputError(
      Problem{scenario.place("host.collectives"),
              fmt::format("NCCL needs a GPU for each of the {} replicas, and {} of this machine {}", replicas,
                          gpus, gpus == 1 ? "computes" : "compute"),
              "leave the key out: replicas that share a GPU compute the sums of the plan"});
}

}  // namespace

Computed computed_on(const cluster::Machine& machine) {
  return {machine.replicas.size(), replicas_of(machine)};
}

HostQueues::HostQueues(device::Workers& workers) { take_workers(workers); }

HostQueues::HostQueues(const scenario::Scenario& scenario, const Computed& computed,
                       device::Workers& workers) {
  if (scenario.numerics != scenario::Numerics::cuda) {
    pieces_ = std::make_shared<HostPieces>(scenario, std::vector<HostPiece>(), computed.replica_of);
    take_workers(workers);
    return;
  }
  std::vector<device::CudaDevice> gpus = host_gpus(scenario);
  std::size_t most = computed.replicas;
  if (scenario.host.logical_devices) most = std::min(most, scenario.host.logical_devices->cut.size());
  if (gpus.size() > std::max<std::size_t>(most, 1)) gpus.resize(std::max<std::size_t>(most, 1));
  take_gpus(gpus, scenario, computed);
}

void HostQueues::take_workers(device::Workers& workers) {
  cpu_ = std::make_unique<device::CpuQueue>(workers);
  queues_.emplace(*cpu_);
}

void HostQueues::take_gpus(const std::vector<device::CudaDevice>& gpus, const scenario::Scenario& scenario,
                           const Computed& computed) {
  const bool has_nccl = scenario.host.collectives == scenario::HostCollectives::nccl;
  if (has_nccl) require_gpu_each(gpus.size(), computed.replicas, scenario);
  team_ =
      device::make_cuda_team(gpus, host_precision(scenario),
                             has_nccl ? device::CudaTeam::Library::nccl : device::CudaTeam::Library::none);
  std::vector<execute::PlaceQueues> places;
  std::vector<HostPiece> pieces;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const device::CudaTeam::Member& member = team_.members[i];
    device::Queue* const communication =
        member.communication ? member.communication.get() : member.compute.get();
    places.push_back({member.compute.get(), communication, member.copies.get()});
    names.push_back(print(gpus[i]));
    pieces.push_back({names.back(), limit_of(member.compute->memory())});
  }
  pieces_ = std::make_shared<HostPieces>(scenario, std::move(pieces), computed.replica_of);
  const auto place_of = [pieces = pieces_](const plan::Device& device) { return pieces->gpu_of(device); };
  queues_.emplace(std::move(places), place_of, team_.nccl.get());
  if (gpus.size() > 1)
    notes_.push_back(fmt::format("{} replicas compute on {}", computed.replicas, fmt::join(names, ", ")));
  for (const auto& [from, to] : team_.staged)
    notes_.push_back(
        fmt::format("GPU {} can't access the memory of GPU {}: copies pass through the host's", from, to));
}

train::Resources HostQueues::resources(train::Lowering lower, const data::Distribution& input) const {
  return {.lower = std::move(lower),
          .queues = *queues_,
          .input = input,
          .seat = [this](const plan::Plan& plan) -> std::optional<plan::Plan> {
            std::optional<plan::InTurns> turns = seated(plan);
            if (!turns) return std::nullopt;
            return std::move(turns->plan);
          }};
}

std::optional<plan::InTurns> HostQueues::seated(const plan::Plan& plan) const {
  return pieces_ ? pieces_->seated(plan) : std::nullopt;
}

void HostQueues::require_room(const plan::Plan& plan) const {
  if (pieces_) pieces_->require_room(plan);
}

}  // namespace wt::session
