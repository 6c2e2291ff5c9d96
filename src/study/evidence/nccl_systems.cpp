#include "study/evidence/nccl_systems.h"

#include <fmt/format.h>

#include <algorithm>

#include "collective/library_settings.h"
#include "communication/nccl_tests_output.h"
#include "platform/load.h"

namespace wt::evidence {

namespace {

const std::vector<NcclSystem>& known_systems() {
  static const std::vector<NcclSystem> rows{
      {"A100 x8", "1 node 8xA100", "dgx_a100", {}, "threads"},
      {.name = "V100 x8, cube mesh",
       .system = "1 node 8xV100",
       .platform = "dgx1_v100",
       .launch = "threads",
       .has_ll128 = false},
      {"H100 x8", "1 node 8xH100", "dgx_h100"},
      {"H200 x8", "1 node 8xH200", "dgx_h200", {}, "torch"},
      {.name = "H200 x4 to x8",
       .system = "8xH200 node",
       .platform = "dgx_h200",
       .launch = "torch",
       .by_row = true},
      {"DGX A100, 2 nodes", "2x DGX A100", "dgx_a100", {"machines=2"}},
      {"p5, 2 nodes, EFA", "2x p5.48xlarge", "aws_p5_48xlarge", {"machines=2"}},
      {"B200, 2 nodes", "2x Lambda 8xB200", "dgx_b200", {"machines=2"}},
      {.name = "DGX-1V, 2 nodes, RoCE",
       .system = "2x DGX-1",
       .platform = "dgx1_v100",
       .overrides = {"machines=2", "machine.nics.count=2", "machine.nics.type=\"roce\""},
       .algorithm = "Ring",
       .has_stalls = true},
      {.name = "p3dn, 2 nodes, EFA",
       .system = "2x EC2 instance",
       .platform = "aws_p3dn_24xlarge",
       .overrides = {"machines=2"},
       .algorithm = "Ring",
       .has_ll128 = false},
      {"RTX 2080 Ti x8", "1 node 8x RTX 2080 Ti", "workstation_8x2080ti_2socket"},
      {"H100, 2 nodes, InfiniBand", "2x Nebius", "dgx_h100", {"machines=2"}},
      {"p4de, 2 nodes, EFA", "2x p4de.24xlarge", "aws_p4d_24xlarge", {"machines=2"}},
      {"A3 Mega, 2 nodes", "2x GCP A3 Mega", "gce_a3_megagpu_8g", {"machines=2"}},
      {"DGX-1V, 2 nodes, InfiniBand", "DGX-1 cluster on IB", "dgx1_v100", {"machines=2"}},
      {"T4, 2 nodes, EFA", "2 EC2 nodes x 1 T4", "aws_g4dn_8xlarge", {"machines=2"}},
      {"MI300X, 2 nodes, RoCE", "2x OCI BM.GPU.MI300X.8", "hgx_mi300x", {"machines=2"}},
      {"GB200 NVL72, 1 rack", "GB200 NVL72 1 rack", "gb200_nvl72"},
      {"p6, 4 nodes, EFA", "AWS p6-b200.48xlarge", "aws_p6_b200_48xlarge", {"machines=4"}, "torch"},
      {.name = "p5en, 4 nodes, EFA",
       .system = "AWS p5en.48xlarge",
       .platform = "aws_p5en_48xlarge",
       .overrides = {"machines=4"},
       .launch = "torch",
       .by_row = true},
      {"B200, 2 nodes, sends", "2x Together 8xB200", "dgx_b200", {"machines=2"}},
      {"B200, 4 nodes, sends", "4x Together 8xB200", "dgx_b200", {"machines=4"}},
      {.name = "DGX A100 x2, PyTorch",
       .system = "DGX A100 (8xA100)",
       .platform = "dgx_a100",
       .overrides = {"devices=2"},
       .launch = "profiler",
       .devices = 2},
      {.name = "DGX A100 x4, PyTorch",
       .system = "DGX A100 (8xA100)",
       .platform = "dgx_a100",
       .overrides = {"devices=4"},
       .launch = "profiler",
       .devices = 4},
      {.name = "DGX A100 x8, PyTorch",
       .system = "DGX A100 (8xA100)",
       .platform = "dgx_a100",
       .launch = "profiler",
       .devices = 8},
  };
  return rows;
}

bool is_known(const Measurement& row) {
  return std::ranges::any_of(known_systems(), [&](const NcclSystem& system) { return is_of(row, system); });
}

bool is_platform(const std::string& name) {
  return std::ranges::any_of(platform::known_platforms(), [&](const platform::KnownPlatform& known) {
    return known.id == name || std::ranges::find(known.aliases, name) != known.aliases.end();
  });
}

NcclSystem system_of_platform(const Measurement& row) {
  NcclSystem system{.name = fmt::format("{} x{}", row.system, row.devices),
                    .system = row.system,
                    .platform = row.system,
                    .devices = row.devices,
                    .nodes = row.nodes};
  if (row.nodes == 1) return system;
  system.name += fmt::format(", {} nodes", row.nodes);
  system.overrides = {fmt::format("machines={}", row.nodes)};
  return system;
}

}  // namespace

std::vector<NcclSystem> nccl_systems(const std::vector<Measurement>& rows) {
  std::vector<NcclSystem> systems = known_systems();
  for (const Measurement& row : rows) {
    if (!operation_of(row) || is_known(row) || !is_platform(row.system)) continue;
    NcclSystem found = system_of_platform(row);
    if (std::ranges::find(systems, found.name, &NcclSystem::name) == systems.end())
      systems.push_back(std::move(found));
  }
  return systems;
}

std::map<std::string, int> unknown_nccl_systems(const std::vector<Measurement>& rows) {
  std::map<std::string, int> unknown;
  for (const Measurement& row : rows)
    if (operation_of(row) && !is_known(row) && !is_platform(row.system)) ++unknown[row.system];
  return unknown;
}

std::string algorithm_of(const Measurement& row) {
  const std::string word = row.strategy.substr(0, row.strategy.find(' '));
  return collective::is_nccl_name(word) ? word : std::string();
}

bool is_of(const Measurement& row, const NcclSystem& system) {
  if (row.system.find(system.system) == std::string::npos) return false;
  return (system.devices == 0 || row.devices == system.devices) &&
         (system.nodes == 0 || row.nodes == system.nodes);
}

std::optional<collective::Operation> operation_of(const Measurement& row) {
  const std::string_view name = std::string_view(row.model).substr(0, row.model.find('('));
  if (const auto of_program = communication::operation_of_program(name)) return of_program;
  const auto found = std::ranges::find(collective::operations(), name, &collective::OperationRow::name);
  return found == collective::operations().end() ? std::nullopt : std::optional(found->operation);
}

}  // namespace wt::evidence
