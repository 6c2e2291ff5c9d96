#include "study/evidence/class_constants.h"

#include <algorithm>
#include <string>

namespace wt::evidence {

namespace {

using collective::Protocol;
using communication::Constants, communication::Generation, communication::Network, communication::PerProtocol;

Generation& generation(Constants& all, std::string_view name) { return all.generations.find(name)->second; }
Network& network(Constants& all, std::string_view name) { return all.networks.find(name)->second; }

template <class Quantity>
void multiply(Quantity& value, double factor) {
  value = value * factor;
}
void multiply(Bytes& value, double factor) {
  value = Bytes(static_cast<std::int64_t>(static_cast<double>(value.count()) * factor));
}

void scale_share(double& share, double factor) { share = std::min(1., share * factor); }

// RoCE's crossings are taken from InfiniBand's.
constexpr std::string_view wires[] = {"infiniband", "roce"};

template <Protocol protocol>
void scale_wires(Constants& all, double factor) {
  for (const std::string_view wire : wires) multiply(network(all, wire).step.at(protocol), factor);
}
template <Protocol protocol>
void forget_wires(Constants& all) {
  for (const std::string_view wire : wires)
    network(all, wire).step.at(protocol) = network(all, "efa").step.at(protocol);
}

PerProtocol* of_generation(Constants& all, std::string_view wire, std::string_view generation) {
  auto& known = network(all, wire).of_generation;
  const auto found = known.find(generation);
  return found == known.end() ? nullptr : &found->second;
}

template <Protocol protocol>
void scale_crossing(Constants& all, std::string_view wire, std::string_view generation, double factor) {
  if (PerProtocol* steps = of_generation(all, wire, generation);
      steps != nullptr && steps->contains(protocol))
    multiply(steps->at(protocol), factor);
}
template <Protocol protocol>
void forget_crossing(Constants& all, std::string_view wire, std::string_view generation) {
  if (PerProtocol* steps = of_generation(all, wire, generation)) steps->erase(protocol);
}

constexpr char hopper[] = "hopper", blackwell[] = "blackwell";
template <const char* name, Protocol protocol>
void scale_wires_of(Constants& all, double factor) {
  for (const std::string_view wire : wires) scale_crossing<protocol>(all, wire, name, factor);
}
template <const char* name, Protocol protocol>
void forget_wires_of(Constants& all) {
  for (const std::string_view wire : wires) forget_crossing<protocol>(all, wire, name);
}

template <Protocol protocol>
void scale_efa(Constants& all, double factor) {
  multiply(network(all, "efa").step.at(protocol), factor);
}
template <Protocol protocol>
void forget_efa(Constants& all) {
  network(all, "efa").step.at(protocol) = network(all, "ethernet").step.at(protocol);
}

std::vector<ClassConstant> all_constants() {
  return {
      // ---- Generations of GPUs
      {"Volta: a step of Simple",
       {"V100 x8, cube mesh"},
       [](Constants& all, double factor) { multiply(generation(all, "volta").simple, factor); },
       [](Constants& all) { generation(all, "volta").simple = generation(all, "ampere").simple; },
       "Ampere's"},
      {"Volta: rate of LL",
       {"V100 x8, cube mesh"},
       [](Constants& all, double factor) { multiply(generation(all, "volta").ll_rate, factor); },
       [](Constants& all) { generation(all, "volta").ll_rate = generation(all, "ampere").ll_rate; },
       "Ampere's"},
      {"Volta: share of trees",
       {"DGX-1V, 2 nodes, InfiniBand"},
       [](Constants& all, double factor) { scale_share(generation(all, "volta").tree_share, factor); },
       [](Constants& all) { generation(all, "volta").tree_share = 1; },
       "all of the cards' rate"},
      {"Ampere: a step of Simple",
       {"A100 x8"},
       [](Constants& all, double factor) { multiply(generation(all, "ampere").simple, factor); },
       [](Constants& all) { generation(all, "ampere").simple = generation(all, "volta").simple; },
       "Volta's"},
      {"Ampere: payload of large vectors of LL128",
       {"A100 x8"},
       [](Constants& all, double factor) { scale_share(generation(all, "ampere").ll128_payload, factor); },
       [](Constants& all) { generation(all, "ampere").ll128_from.reset(); },
       "that of small ones"},
      {"Ampere: rate of LL between machines",
       {"DGX A100, 2 nodes"},
       [](Constants& all, double factor) { multiply(generation(all, "ampere").ll_network, factor); },
       [](Constants& all) { generation(all, "ampere").ll_network = generation(all, "hopper").ll_network; },
       "Hopper's"},
      {"Hopper: rate of LL",
       {"H100 x8"},
       [](Constants& all, double factor) { multiply(generation(all, "hopper").ll_rate, factor); },
       [](Constants& all) { generation(all, "hopper").ll_rate = generation(all, "ampere").ll_rate; },
       "Ampere's"},
      {"Hopper: rate of NVLS",
       {"H100 x8"},
       [](Constants& all, double factor) { multiply(generation(all, "hopper").nvls->rate, factor); },
       [](Constants& all) { generation(all, "hopper").nvls.reset(); },
       "the switches' links alone"},
      {"Hopper: a loop of NVLS",
       {"H100 x8"},
       [](Constants& all, double factor) { multiply(generation(all, "hopper").nvls->loop, factor); },
       [](Constants& all) { generation(all, "hopper").nvls.reset(); },
       "the switches' links alone"},
      {"Hopper: start of NVLS",
       {"H100 x8"},
       [](Constants& all, double factor) { multiply(generation(all, "hopper").nvls->start, factor); },
       [](Constants& all) { generation(all, "hopper").nvls.reset(); },
       "the switches' links alone"},
      {"Hopper: a loop of NVLSTree",
       {"p5, 2 nodes, EFA", "H100, 2 nodes, InfiniBand"},
       [](Constants& all, double factor) { multiply(generation(all, "hopper").nvls_tree->loop, factor); },
       [](Constants& all) {
         generation(all, "hopper").nvls_tree->loop = generation(all, "blackwell").nvls_tree->loop;
       },
       "Blackwell's"},
      {"Hopper and Blackwell: rate of LL between machines",
       {"B200, 2 nodes"},
       [](Constants& all, double factor) {
         for (const auto* name : {"hopper", "blackwell"}) multiply(generation(all, name).ll_network, factor);
       },
       [](Constants& all) {
         for (const auto* name : {"hopper", "blackwell"})
           generation(all, name).ll_network = generation(all, "ampere").ll_network;
       },
       "Ampere's"},
      {"Blackwell: rate of NVLS in a rack",
       {"GB200 NVL72, 1 rack"},
       [](Constants& all, double factor) {
         multiply(generation(all, "blackwell").nvls_joined->rate, factor);
       },
       [](Constants& all) { generation(all, "blackwell").nvls_joined.reset(); },
       "that of one machine"},
      // ---- Networks
      {"InfiniBand and RoCE: a crossing of LL",
       {"DGX A100, 2 nodes"},
       scale_wires<Protocol::ll>,
       forget_wires<Protocol::ll>,
       "EFA's"},
      {"InfiniBand and RoCE: a crossing of LL128",
       {"DGX A100, 2 nodes"},
       scale_wires<Protocol::ll128>,
       forget_wires<Protocol::ll128>,
       "EFA's"},
      {"InfiniBand and RoCE: a crossing of Simple",
       {"DGX A100, 2 nodes"},
       scale_wires<Protocol::simple>,
       forget_wires<Protocol::simple>,
       "EFA's"},
      {"InfiniBand and RoCE on Hopper: a crossing of LL",
       {"H100, 2 nodes, InfiniBand"},
       scale_wires_of<hopper, Protocol::ll>,
       forget_wires_of<hopper, Protocol::ll>,
       "that of other generations"},
      {"InfiniBand and RoCE on Hopper: a crossing of LL128",
       {"H100, 2 nodes, InfiniBand"},
       scale_wires_of<hopper, Protocol::ll128>,
       forget_wires_of<hopper, Protocol::ll128>,
       "that of other generations"},
      {"InfiniBand and RoCE on Hopper: a crossing of Simple",
       {"H100, 2 nodes, InfiniBand"},
       scale_wires_of<hopper, Protocol::simple>,
       forget_wires_of<hopper, Protocol::simple>,
       "that of other generations"},
      {"InfiniBand and RoCE on Blackwell: a crossing of LL",
       {"B200, 2 nodes"},
       scale_wires_of<blackwell, Protocol::ll>,
       forget_wires_of<blackwell, Protocol::ll>,
       "that of other generations"},
      {"InfiniBand and RoCE on Blackwell: a crossing of Simple",
       {"B200, 2 nodes"},
       scale_wires_of<blackwell, Protocol::simple>,
       forget_wires_of<blackwell, Protocol::simple>,
       "that of other generations"},
      {"InfiniBand and RoCE: what NVLSTree stores",
       {"H100, 2 nodes, InfiniBand", "B200, 2 nodes"},
       [](Constants& all, double factor) {
         for (const std::string_view wire : wires) multiply(network(all, wire).stored, factor);
       },
       [](Constants& all) {
         for (const std::string_view wire : wires) network(all, wire).stored = network(all, "efa").stored;
       },
       "EFA's"},
      {"EFA: a crossing of LL",
       {"p5, 2 nodes, EFA", "p3dn, 2 nodes, EFA"},
       scale_efa<Protocol::ll>,
       forget_efa<Protocol::ll>,
       "Ethernet's"},
      {"EFA: a crossing of LL128",
       {"p5, 2 nodes, EFA"},
       scale_efa<Protocol::ll128>,
       forget_efa<Protocol::ll128>,
       "Ethernet's"},
      {"EFA: a crossing of Simple",
       {"p5, 2 nodes, EFA"},
       scale_efa<Protocol::simple>,
       forget_efa<Protocol::simple>,
       "Ethernet's"},
      {"EFA: what NVLSTree stores",
       {"p5, 2 nodes, EFA"},
       [](Constants& all, double factor) { multiply(network(all, "efa").stored, factor); },
       [](Constants& all) { network(all, "efa").stored = network(all, "infiniband").stored; },
       "InfiniBand's"},
      {"EFA: share of NVLSTree among more than two machines",
       {"p5en, 4 nodes, EFA"},
       [](Constants& all, double factor) { scale_share(network(all, "efa").branched, factor); },
       [](Constants& all) { network(all, "efa").branched = 1; },
       "all of the cards' rate"},
      {"first generation of EFA: a crossing of Simple",
       {"p4de, 2 nodes, EFA", "T4, 2 nodes, EFA"},
       [](Constants& all, double factor) {
         multiply(network(all, "efa_v1").step.at(Protocol::simple), factor);
       },
       [](Constants& all) {
         network(all, "efa_v1").step.at(Protocol::simple) = network(all, "efa").step.at(Protocol::simple);
       },
       "EFA's"},
      {"TCPXO: a crossing of Simple",
       {"A3 Mega, 2 nodes"},
       [](Constants& all, double factor) {
         multiply(network(all, "tcpxo").step.at(Protocol::simple), factor);
       },
       [](Constants& all) {
         network(all, "tcpxo").step.at(Protocol::simple) = network(all, "efa_v1").step.at(Protocol::simple);
       },
       "the first generation of EFA's"},
      // ---- Copies through the host, and launches
      {"share of host copies without GPUDirect",
       {"p3dn, 2 nodes, EFA"},
       [](Constants& all, double factor) { scale_share(all.host_copies_share, factor); },
       [](Constants& all) { all.host_copies_share = 1; },
       "all of the cards' rate"},
      {"share of large vectors that are staged",
       {"RTX 2080 Ti x8"},
       [](Constants& all, double factor) { scale_share(all.staging.beyond_cache, factor); },
       [](Constants& all) { all.staging.beyond_cache = 1; },
       "that of small ones"},
      {"payload of LL that is staged",
       {"RTX 2080 Ti x8"},
       [](Constants& all, double factor) { scale_share(all.staging.ll, factor); },
       [](Constants& all) { all.staging.ll = all.payload.at(Protocol::ll); },
       "that of LL on other wires"},
      {"Ampere: rate of the blocks of rings",
       {"DGX A100 x2, PyTorch", "DGX A100 x4, PyTorch", "DGX A100 x8, PyTorch"},
       [](Constants& all, double factor) { multiply(*generation(all, "ampere").ring_blocks, factor); },
       [](Constants& all) { generation(all, "ampere").ring_blocks.reset(); },
       "that of the links"},
      {"launch by mpi",
       {"H100 x8"},
       [](Constants& all, double factor) { multiply(all.launches.find("mpi")->second.call, factor); },
       [](Constants& all) { all.launches.find("mpi")->second.call = Seconds(0); },
       "none"},
      {"launch by threads",
       {"A100 x8", "V100 x8, cube mesh"},
       [](Constants& all, double factor) {
         multiply(all.launches.find("threads")->second.per_device, factor);
       },
       [](Constants& all) { all.launches.find("threads")->second = all.launches.find("mpi")->second; },
       "that by mpi"},
      {"launch under a profiler",
       {"DGX A100 x2, PyTorch", "DGX A100 x4, PyTorch", "DGX A100 x8, PyTorch"},
       [](Constants& all, double factor) { multiply(all.launches.find("profiler")->second.call, factor); },
       [](Constants& all) { all.launches.find("profiler")->second = all.launches.find("mpi")->second; },
       "that by mpi"},
      {"launch by torch",
       {"H200 x8"},
       [](Constants& all, double factor) { multiply(all.launches.find("torch")->second.call, factor); },
       [](Constants& all) { all.launches.find("torch")->second = all.launches.find("mpi")->second; },
       "that by mpi"},
      {"rate of a channel of LL",
       {"A100 x8", "V100 x8, cube mesh", "H100 x8", "H200 x8", "RTX 2080 Ti x8", "DGX A100 x2, PyTorch"},
       [](Constants& all, double factor) { multiply(all.ll_channel.rate, factor); },
       [](Constants&) {},
       "itself"},
      {"bytes of a channel of LL",
       {"A100 x8", "V100 x8, cube mesh", "H100 x8", "H200 x8", "RTX 2080 Ti x8", "DGX A100 x2, PyTorch"},
       [](Constants& all, double factor) { multiply(all.ll_channel.bytes, factor); },
       [](Constants&) {},
       "itself"},
  };
}

}  // namespace

std::span<const ClassConstant> class_constants() {
  static const std::vector<ClassConstant> all = all_constants();
  return all;
}

}  // namespace wt::evidence
