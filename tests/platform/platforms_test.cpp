// Claim: every platform of platforms/ has the routes of its machine's diagram, worked out by hand here; a
// route joins every two endpoints, with several machines, too; every constant has a source; and the README
// lists the platform.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/random.h"
#include "platform/platforms.h"
#include "platform/slice.h"

namespace wt::platform {
namespace {

namespace fs = std::filesystem;

// d3 is device 3, h0 is host 0. "set" is a parameter.
constexpr const char* expected_routes = R"(
  platform                    set             from  to     links  us     GB/s
  ideal_switch                -               d0    d3     2      2      100
  ideal_switch                -               d0    h0     2      1      25
  ideal_switch                machines=2      d0    d3     2      2      100
  ideal_switch                machines=2      h0    h1     6      12     12.5
  ideal_ring                  -               d0    d1     1      1      50
  ideal_ring                  -               d0    d4     4      4      50
  ideal_ring                  -               d0    d7     1      1      50
  ideal_ring                  -               h0    d2     2      1      25
  ideal_torus                 -               d0    d1     1      1      25
  ideal_torus                 -               d0    d10    4      4      25
  ideal_torus                 -               d0    d15    2      2      25
  ideal_torus                 ranks=64        d0    d63    2      2      25
  ideal_torus                 -               d5    h0     2      1      25

  laptop_rtx3060              -               d0    h0     2      0.5    26
  laptop_rtx3060              -               h0    d0     2      0.5    26
  laptop_rtx4060              -               d0    h0     2      0.5    13
  laptop_rtx4060              -               h0    d0     2      0.5    13
  laptop_rtx4070              -               d0    h0     2      0.5    13
  laptop_rtx4070              -               h0    d0     2      0.5    13
  laptop_rtx4090              -               d0    h0     2      0.5    26
  laptop_rtx4090              -               h0    d0     2      0.5    26

  workstation_2x4090          -               d0    d1     4      1      26
  workstation_2x4090          -               d1    h0     2      0.5    26
  workstation_4gpu_pcie       -               d0    d3     4      1      26
  workstation_4gpu_pcie       -               d3    h0     2      0.5    26
  workstation_8x4090_2socket  -               d0    d1     6      2      26
  workstation_8x4090_2socket  -               d0    d4     7      2.5    16
  workstation_8x4090_2socket  -               d7    h1     3      1      26
  workstation_8x4090_2socket  machines=2      d0    d8     14     8      5.625
  workstation_8x2080ti_2socket -              d0    d1     6      2      12.35
  workstation_8x2080ti_2socket -              d0    d4     7      2.5    10
  workstation_8x2080ti_2socket -              d7    h1     3      1      12.35
  workstation_2xp100_pcie     -               d0    d1     2      1      12.35
  workstation_2xp100_pcie     -               d0    h0     2      0.5    12.35
  workstation_4xa100_pcie     -               d0    d3     2      1      26
  workstation_4xa100_pcie     -               d0    h0     3      1      26
  workstation_8xa100_pcie     -               d0    d3     2      1      26
  workstation_8xa100_pcie     -               d0    d4     7      2.5    16
  workstation_8xa100_pcie     -               d7    h0     4      1.5    16

  dgx1_p100                   -               d0    d3     1      0.3    18
  dgx1_p100                   -               d0    d5     2      0.6    18
  dgx1_p100                   -               d0    h0     3      1      12.35
  dgx1_p100                   machines=2      d0    d8     6      3      11.5
  dgx1_v100                   -               d0    d1     1      0.3    22
  dgx1_v100                   -               d0    d3     1      0.3    44
  dgx1_v100                   -               d0    d6     2      0.6    22
  dgx1_v100                   -               d0    d7     2      0.6    44
  dgx1_v100                   -               d0    h0     3      1      12.35
  dgx1_v100                   -               d7    h0     4      1.5    12.35
  dgx1_v100                   machines=2      d0    d8     6      3      11.5
  dgx2                        -               d0    d15    2      0.936  124.5
  dgx2                        -               d0    h0     4      1.5    12.35
  dgx2                        -               d0    h1     5      2      10
  dgx2                        machines=2      d0    d16    6      3      11.5
  dgx_a100                    -               d0    d7     2      0.936  234
  dgx_a100                    -               d0    h0     3      1      26
  dgx_a100                    machines=2      d0    d8     6      3.2    23.5
  dgx_a100                    machines=2      d0    d15    8      4.136  23.5
  dgx_h100                    -               d0    d7     2      0.936  369
  dgx_h100                    -               d0    h0     3      1      55
  dgx_h100                    machines=2      d0    d8     6      3.2    48
  dgx_h100                    machines=2      d1    d13    8      4.136  48
  dgx_h200                    -               d0    d7     2      0.936  369
  dgx_h200                    -               d0    h0     3      1      55
  dgx_h200                    machines=2      d0    d8     6      3.2    48
  dgx_b200                    -               d0    d7     2      0.936  684
  dgx_b200                    -               d7    h0     4      1.5    40
  dgx_b200                    machines=2      d0    d8     6      3.2    48
  gb200_nvl72                 -               d0    d71    2      0.936  684
  gb200_nvl72                 -               d0    h0     2      0.5    450
  gb200_nvl72                 -               d3    h0     3      1      100
  gb200_nvl72                 machines=36     d0    d72    6      3.2    48
  gb200_nvl72                 machines=36     d0    d73    8      4.136  48
  hgx_mi300x                  -               d0    d7     1      0.5    44.8
  hgx_mi300x                  -               d0    h0     3      1      55
  hgx_mi300x                  machines=2      d0    d8     6      3.2    48
  hgx_mi300x                  machines=2      d0    d9     7      3.7    44.8
  hgx_mi355x                  -               d0    d7     1      0.5    53.76
  hgx_mi355x                  -               d0    h0     3      1      55
  hpe_ex235a                  -               d0    d1     1      0.5    140
  hpe_ex235a                  -               d0    d6     1      0.5    70
  hpe_ex235a                  -               d0    d2     1      0.5    35
  hpe_ex235a                  -               d0    h0     3      1      26

  aws_p2_8xlarge              -               d0    d1     2      1      12.35
  aws_p2_8xlarge              -               d0    d7     4      2      12.35
  aws_p2_8xlarge              -               d0    h0     3      1      12.35
  aws_p2_8xlarge              machines=2      d0    d8     12     23     1.125
  aws_p2_16xlarge             -               d0    d1     2      1      12.35
  aws_p2_16xlarge             -               d0    d15    5      2.5    6
  aws_p2_16xlarge             -               d15   h1     3      1      12.35
  aws_p2_16xlarge             machines=2      d0    d16    12     23     2.25
  aws_p3_16xlarge             -               d0    d3     1      0.3    44
  aws_p3_16xlarge             -               d0    h0     3      1      12.35
  aws_p3_16xlarge             machines=2      d0    d8     12     23     2.8125
  aws_p3_16xlarge             machines=2      d7    d8     13     23.5   2.8125
  aws_g4dn_8xlarge            -               d0    h0     2      0.5    12.35
  aws_g4dn_8xlarge            machines=2      d0    d1     10     3.2    3.125
  aws_p3dn_24xlarge           -               d0    d4     1      0.3    44
  aws_p3dn_24xlarge           -               d7    h0     4      1.5    10
  aws_p3dn_24xlarge           machines=2      d0    d8     12     4.2    9
  aws_p4d_24xlarge            -               d0    d7     2      0.936  234
  aws_p4d_24xlarge            -               d0    h0     3      1      26
  aws_p4d_24xlarge            machines=2      d0    d8     6      3.2    10.625
  aws_p4d_24xlarge            machines=2      d7    d8     6      3.2    10.625
  aws_p5_48xlarge             -               d0    d7     2      0.936  369
  aws_p5_48xlarge             -               d7    h0     4      1.5    16
  aws_p5_48xlarge             machines=2      d0    d15    6      3.2    48
  aws_p5en_48xlarge           -               d0    d7     2      0.936  369
  aws_p5en_48xlarge           -               d0    h0     3      1      55
  aws_p5en_48xlarge           machines=2      d0    d8     6      3.2    48.5
  aws_p6_b200_48xlarge        -               d0    d7     2      0.936  684
  aws_p6_b200_48xlarge        -               d0    h0     3      1      55
  aws_p6_b200_48xlarge        machines=2      d0    d8     6      3.2    48

  gce_n1_k80                  -               d0    d1     2      1      12.35
  gce_n1_k80                  -               d0    d2     6      2      12.35
  gce_n1_k80                  devices=1       d0    h0     3      1      12.35
  gce_n1_k80                  machines=2      d0    d8     12     23     3.6
  gce_n1_v100                 -               d0    d3     1      0.3    44
  gce_n1_v100                 -               d0    h0     3      1      12.35
  gce_n1_v100                 machines=2      d0    d8     12     23     11.25
  gce_a2_highgpu_8g           -               d0    d7     2      0.936  234
  gce_a2_highgpu_8g           -               d0    h0     3      1      26
  gce_a2_highgpu_8g           machines=2      d0    d8     12     23     11.25
  gce_a2_highgpu_8g           machines=2      d7    d8     13     23.5   10
  gce_a2_megagpu_16g          -               d0    d15    2      0.936  234
  gce_a2_megagpu_16g          -               d15   h1     3      1      26
  gce_a2_megagpu_16g          machines=2      d0    d16    12     23     11.25
  gce_a3_highgpu_8g           -               d0    d7     2      0.936  369
  gce_a3_highgpu_8g           -               d0    h0     3      1      55
  gce_a3_highgpu_8g           machines=2      d1    d15    6      22     21.25
  gce_a3_megagpu_8g           -               d0    d7     2      0.936  369
  gce_a3_megagpu_8g           -               d0    h0     3      1      55
  gce_a3_megagpu_8g           machines=2      d0    d8     6      22     22.75
  gce_a3_ultragpu_8g          -               d0    d7     2      0.936  369
  gce_a3_ultragpu_8g          -               d0    h0     3      1      55
  gce_a3_ultragpu_8g          machines=2      d0    d8     6      3.2    46
  gce_a4x                     -               d0    d3     2      0.936  684
  gce_a4x                     -               d0    h0     2      0.5    450
  gce_a4x                     machines=2      d0    d4     2      0.936  684
  gce_a4x                     machines=2      h0    h2     6      2.2    46
  gce_a4x                     machines=36     d0    d72    6      3.2    46

  cpu_cluster_10gbe           -               d0    d1     8      5      1.18625
  cpu_cluster_10gbe           -               d0    h0     1      0      77
  cpu_cluster_25gbe           -               d0    d3     8      4      2.965625
  cpu_cluster_25gbe           -               d0    h0     1      0      128
  cpu_cluster_100gbe          -               d0    d1     8      3      11.8625
  cpu_cluster_100gbe          -               d0    h0     1      0      205

  cpu_server                  -               d0    h0     1      0      128
  cpu_server                  -               d0    h1     4      0.5    10
  cpu_server                  machines=2      d0    d1     8      4      2.965625

  tpu_v2                      -               d0    d1     2      0      358
  tpu_v2                      -               d0    d2     3      1      62
  tpu_v2                      -               d0    d7     4      2      62
  tpu_v2                      -               d0    h0     3      1      12.35
  tpu_v2                      slice=v2-32     d0    d31    8      6      62
  tpu_v2                      slice=v2-512    d0    d511   4      2      62
  tpu_v3                      -               d0    d1     2      0      450
  tpu_v3                      -               d0    d2     3      1      82
  tpu_v3                      -               d0    h0     3      1      12.35
  tpu_v3                      slice=v3-32     d0    d31    8      6      82
  tpu_v3                      slice=v3-2048   d0    d2047  4      2      82
  tpu_v4                      -               d0    d1     1      1      45
  tpu_v4                      -               d0    d3     2      2      45
  tpu_v4                      -               d0    h0     2      1      16
  tpu_v4                      slice=4x4x4     d0    d63    3      3      45
  tpu_v4                      slices=2        d0    d4     10     24     16
  tpu_v5e                     -               d0    d1     1      1      45
  tpu_v5e                     -               d0    d7     4      4      45
  tpu_v5e                     -               d0    h0     2      1      15
  tpu_v5e                     slice=16x16     d0    d255   2      2      45
  tpu_v5e                     slices=2        d0    d8     10     24     12.5
  tpu_v5p                     -               d0    d3     2      2      90
  tpu_v5p                     -               d0    h0     2      1      15
  tpu_v5p                     slice=16x16x24  d0    d6143  3      3      90
  tpu_v5p                     slices=2        d0    d4     10     24     15
  tpu_v6e                     -               d0    d7     4      4      90
  tpu_v6e                     -               d0    h0     2      1      32
  tpu_v6e                     slices=2        d0    d8     10     24     32
  tpu_v7                      -               d0    d1     2      0      600
  tpu_v7                      -               d0    d2     3      1      90
  tpu_v7                      -               d0    h0     3      1      32
  tpu_v7                      -               d7    h0     4      1.5    32
  tpu_v7                      slices=2        d0    d8     12     24     25
)";

struct Row {
  std::string platform{};
  std::string set{};
  std::string from{};
  std::string to{};
  std::size_t links = 0;
  double microseconds = 0;
  double gigabytes_per_second = 0;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  std::istringstream text(expected_routes);
  std::string line;
  while (std::getline(text, line)) {
    std::istringstream cells(line);
    Row row;
    if (cells >> row.platform >> row.set >> row.from >> row.to >> row.links >> row.microseconds >>
        row.gigabytes_per_second)
      all.push_back(row);
  }
  return all;
}

Platform platform_of_row(const Row& row) {
  return row.set == "-" ? platform_of(row.platform) : platform_of(row.platform, {row.set.c_str()});
}

Endpoint endpoint(const Platform& platform, const std::string& name) {
  const int index = std::stoi(name.substr(1));
  return name[0] == 'h' ? platform.host(index) : platform.device(index);
}

TEST(NamedPairs, HaveTheRoutesThatTheDiagramsSay) {
  ASSERT_GT(rows().size(), 150u);
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.platform + " " + row.set + " " + row.from + " " + row.to);
    const Platform platform = platform_of_row(row);
    const Route route = platform.route(endpoint(platform, row.from), endpoint(platform, row.to));
    EXPECT_EQ(route.links.size(), row.links);
    EXPECT_NEAR(route.latency.count() * 1e6, row.microseconds, 1e-9);
    EXPECT_NEAR(route.bottleneck.count() / 1e9, row.gigabytes_per_second, 1e-9);
  }
}

TEST(NamedPairs, AreThereForEveryPlatform) {
  std::map<std::string, int> pairs;
  std::set<std::string> with_host;
  for (const Row& row : rows()) {
    ++pairs[row.platform];
    if (row.from[0] == 'h' || row.to[0] == 'h') with_host.insert(row.platform);
  }
  for (const KnownPlatform& known : known_platforms()) {
    EXPECT_GE(pairs[known.id], 2) << known.id << " needs named pairs in this file";
    EXPECT_TRUE(with_host.contains(known.id)) << known.id << " needs a pair with a host in this file";
  }
  EXPECT_EQ(pairs.size(), known_platforms().size());
}

// ---- Every endpoint is reached

// Platforms without a network, which cannot have a second machine.
const std::set<std::string> single_machines{
    "laptop_rtx3060",         "laptop_rtx4060",          "laptop_rtx4070",
    "laptop_rtx4090",         "workstation_2x4090",      "workstation_2xp100_pcie",
    "workstation_4gpu_pcie",  "workstation_4xa100_pcie", "workstation_8x2080ti_2socket",
    "workstation_8xa100_pcie"};

bool is_tpu(const std::string& id) { return id.starts_with("tpu_"); }

// "machine 1/gpu 3" becomes "gpu 3", because the name of a link has the machine of only one of its ends.
std::string without_machine(const std::string& name) {
  const bool has_machine = name.starts_with("machine ");
  return has_machine ? name.substr(name.find('/') + 1) : name;
}

// Expects that every link of the route begins where the previous one ends, and that the last one ends at
// `to`.
void expect_way(const Platform& platform, Endpoint from, Endpoint to) {
  SCOPED_TRACE(platform.name(from) + " to " + platform.name(to));
  const Route route = platform.route(from, to);
  ASSERT_FALSE(route.links.empty());
  ASSERT_GT(route.bottleneck, BytesPerSecond(0));
  std::string place = without_machine(platform.name(from));
  for (const LinkId link : route.links) {
    const std::string name = platform.name(link);
    const std::size_t arrow = name.find(" -> ");
    ASSERT_EQ(without_machine(name.substr(0, arrow)), place);
    place = without_machine(name.substr(arrow + 4));
  }
  ASSERT_EQ(place, without_machine(platform.name(to)));
}

void expect_all_pairs(const Platform& platform) {
  const std::vector<Endpoint> all = endpoints(platform);
  for (const Endpoint from : all) {
    for (const Endpoint to : all) {
      if (from == to) continue;
      expect_way(platform, from, to);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class EveryPlatformTwice : public testing::TestWithParam<std::string> {};

TEST_P(EveryPlatformTwice, JoinsAllPairs) {
  const std::string id = GetParam();
  if (single_machines.contains(id)) {
    EXPECT_THROW(platform_of(id, {"machines=2"}), InputError);
    return;
  }
  const Platform once = platform_of(id, {is_tpu(id) ? "slices=1" : "machines=1"});
  const Platform twice = platform_of(id, {is_tpu(id) ? "slices=2" : "machines=2"});
  EXPECT_EQ(twice.machines(), 2 * once.machines());
  expect_all_pairs(twice);
}

TEST_P(EveryPlatformTwice, IsNotSlowerInsideThanOneAlone) {
  const std::string id = GetParam();
  if (single_machines.contains(id)) return;
  const Platform once = platform_of(id, {is_tpu(id) ? "slices=1" : "machines=1"});
  const Platform twice = platform_of(id, {is_tpu(id) ? "slices=2" : "machines=2"});
  if (once.devices() == twice.devices()) return;  // ideal platforms distribute the same ranks
  for (int to = 1; to < once.devices(); ++to) {
    const Route alone = once.route(once.device(0), once.device(to));
    const Route together = twice.route(twice.device(0), twice.device(to));
    EXPECT_EQ(alone.bottleneck, together.bottleneck);
    EXPECT_EQ(alone.links.size(), together.links.size());
  }
}

std::vector<std::string> ids() {
  std::vector<std::string> all;
  for (const KnownPlatform& known : known_platforms()) all.push_back(known.id);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Platforms, EveryPlatformTwice, testing::ValuesIn(ids()),
                         [](const auto& row) { return row.param; });

TEST(Racks, OfNvl72AreJoinedByTheirNics) { expect_all_pairs(platform_of("gb200_nvl72", {"machines=36"})); }

TEST(Pods, JoinASampleOfTheirPairs) {
  constexpr struct {
    const char* id;
    const char* slice;
    int devices;
  } pods[] = {{"tpu_v2", "slice=16x16", 512},     {"tpu_v3", "slice=32x32", 2048},
              {"tpu_v4", "slice=16x16x16", 4096}, {"tpu_v4", "slice=8x16x16_twisted", 2048},
              {"tpu_v5e", "slice=16x16", 256},    {"tpu_v5p", "slice=16x16x24", 6144},
              {"tpu_v6e", "slice=16x16", 256},    {"tpu_v7", "slice=16x24x24", 18432}};
  for (const auto& pod : pods) {
    SCOPED_TRACE(pod.slice);
    const Platform platform = platform_of(pod.id, {pod.slice});
    ASSERT_EQ(platform.devices(), pod.devices);
    std::vector<std::uint32_t> words(4000);
    fill_words(words, stream_of({7, pod.devices}));
    const auto ends = static_cast<std::uint32_t>(platform.devices() + platform.hosts());
    for (std::size_t pair = 0; pair + 1 < words.size(); pair += 2) {
      const auto from = Endpoint(static_cast<int>(words[pair] % ends));
      const auto to = Endpoint(static_cast<int>(words[pair + 1] % ends));
      if (from == to) continue;
      expect_way(platform, from, to);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
      EXPECT_EQ(platform.route(to, from).links.size(), platform.route(from, to).links.size());
    }
  }
}

// ---- Files and their README

fs::path platforms_folder() { return fs::path(WT_SOURCE_DIR) / "platforms"; }

// Expects that every constant has a source: its own, or that of an object around it.
void expect_sources(const json::Value& value, const std::string& at, bool is_sourced, int& constants) {
  static const std::set<std::string> sourced_keys{"bandwidth", "latency",          "efficiency",
                                                  "memory",    "memory_bandwidth", "peer_to_peer"};
  if (value.kind() != json::Kind::object) return;
  is_sourced = is_sourced || value.find("source") != nullptr;
  for (const json::Member& member : value.members()) {
    const bool has_own = member.value.kind() == json::Kind::object && member.value.find("source") != nullptr;
    if (sourced_keys.contains(member.key)) {
      EXPECT_TRUE(is_sourced || has_own) << at << "." << member.key << " has no source";
      ++constants;
    }
    expect_sources(member.value, at + "." + member.key, is_sourced, constants);
  }
}

TEST(Files, SayWhenceEveryConstantIs) {
  int constants = 0;
  for (const std::string& id : ids())
    expect_sources(json::parse_file(platforms_folder() / (id + ".json")), id, false, constants);
  EXPECT_GT(constants, 200);
}

TEST(Files, AreShort) {
  for (const std::string& id : ids()) {
    const std::string text = read_text(platforms_folder() / (id + ".json"));
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50) << id;
  }
}

// The row of each platform in the tables, "| `dgx1_v100` | `dgx1` | ...", by its id.
std::map<std::string, std::string> rows_of_readme() {
  std::map<std::string, std::string> all;
  std::istringstream text(read_text(platforms_folder() / "README.md"));
  std::string line;
  bool is_table = false;
  while (std::getline(text, line)) {
    if (line.starts_with("## ")) is_table = line == "## The platforms";
    if (is_table && line.starts_with("| `")) all[line.substr(3, line.find('`', 3) - 3)] = line;
  }
  return all;
}

TEST(Readme, HasEveryPlatformWithItsAliases) {
  std::map<std::string, std::string> rows = rows_of_readme();
  for (const KnownPlatform& known : known_platforms()) {
    ASSERT_TRUE(rows.contains(known.id)) << known.id << " is missing in the table of platforms/README.md";
    for (const std::string& alias : known.aliases)
      EXPECT_NE(rows[known.id].find("`" + alias + "`"), std::string::npos) << known.id << ": " << alias;
    rows.erase(known.id);
  }
  for (const auto& row : rows) ADD_FAILURE() << row.first << " is in the table and no platform";
}

}  // namespace
}  // namespace wt::platform
