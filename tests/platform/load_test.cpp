// Claim: platforms are found by name, by alias and by path, or given as content; parameters change keys; a
// file may refer to the machine of another file.

#include "platform/load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/quantity_literals.h"
#include "platform/platforms.h"
#include "support/folder.h"

namespace wt::platform {
namespace {

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was accepted";
}

Loaded from_text(const std::string& text) { return from_json(json::parse(text, "test.json")); }

TEST(Load, FindsPlatformsByIdAndByAlias) {
  EXPECT_EQ(platform_of("dgx1_v100").name(), "dgx1_v100");
  EXPECT_EQ(platform_of("dgx1").name(), "dgx1_v100");
  EXPECT_NE(loaded("dgx1").description, "");
}

TEST(Load, SuggestsANameThatIsNear) {
  const std::string text = refusal([] { load("dgx_h10"); });
  EXPECT_EQ(text.substr(0, text.find(" `windtunnel")), R"(unknown platform "dgx_h10"
did you mean "dgx_h100"?)");
}

TEST(Load, SuggestsATypeThatIsNear) {
  const std::string text = refusal([] { loaded("dgx1", {"machine.devices.type=v100_sxm2_61"}); });
  EXPECT_EQ(text.substr(0, text.find(" known:")), R"(--set:1:22: unknown device type "v100_sxm2_61"
  1 | machine.devices.type="v100_sxm2_61"
    |                      ^~~~~~~~~~~~~~
did you mean "v100_sxm2_16"?)");
}

TEST(Load, ListsAllPlatforms) {
  const auto known = known_platforms();
  ASSERT_GE(known.size(), 6u);
  std::vector<std::string> names;
  for (const KnownPlatform& platform : known) {
    EXPECT_NE(platform.description, "") << platform.id;
    EXPECT_EQ(platform.description.find('\n'), std::string::npos);
    names.push_back(platform.id);
    names.insert(names.end(), platform.aliases.begin(), platform.aliases.end());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << "two platforms have one name";
}

TEST(Load, SetsKeysFromOutside) {
  EXPECT_EQ(platform_of("dgx_h100", {"machines=4"}).devices(), 32);
  EXPECT_EQ(platform_of("dgx1_v100", {"devices=3"}).devices(), 3);
  EXPECT_EQ(platform_of("ideal_switch", {"ranks=6", "machines=2"}).devices(), 6);
  EXPECT_EQ(platform_of("tpu_v4", {"slice=v4-32"}).devices(), 16);
  const Platform slow = platform_of("dgx_h100", {R"(machine.nvlink.bandwidth="1 GB/s")"});
  EXPECT_DOUBLE_EQ(slow.route(slow.device(0), slow.device(1)).bottleneck.count(), 18 * 1e9 * 0.82);
}

TEST(FromJson, TakesANameOrAFileWithSettings) {
  EXPECT_EQ(from_text(R"("dgx1")").platform.devices(), 8);
  const Platform two = from_text(R"({"file": "dgx_h100", "set": {"machines": 2}})").platform;
  EXPECT_EQ(two.devices(), 16);
  EXPECT_EQ(two.name(), "dgx_h100");
}

TEST(FromJson, MakesVirtualDevices) {
  const Platform eight =
      from_text(R"({"virtual": {"devices": 8, "workers": 2, "type": "rtx4090"}})").platform;
  EXPECT_EQ(eight.devices(), 8);
  EXPECT_EQ(eight.machines(), 2);
  EXPECT_EQ(eight.type(eight.device(0)).id, "rtx4090");
  EXPECT_EQ(names(eight, 1, 6),
            (std::vector<std::string>{"machine 0/gpu 1 -> switch", "switch -> machine 1/gpu 2"}));
  EXPECT_EQ(from_text(R"({"virtual": {"devices": 1}})").platform.devices(), 1);
  EXPECT_EQ(from_text(R"({"virtual": {"devices": 4096}})").platform.devices(), 4096);
}

TEST(FromJson, PointsAtTheScenarioWhereItsSettingIsWrong) {
  EXPECT_EQ(refusal([] { from_text(R"({"file": "tpu_v4", "set": {"slice": "v4-24"}})"); }),
            R"(test.json:1:37: this TPU generation has no slice "v4-24"
  1 | {"file": "tpu_v4", "set": {"slice": "v4-24"}}
    |                                     ^~~~~~~
nearest: 2x2x1 (v4-8, 4 chips), 2x2x2 (v4-16, 8 chips), 2x2x4 (v4-32, 16 chips), 2x4x4 (v4-64, 32 chips))");
  EXPECT_EQ(refusal([] { from_text(R"({"virtual": {"workers": 2}})"); }),
            R"(test.json:1:13: this object has no "devices"
  1 | {"virtual": {"workers": 2}}
    |             ^
add "devices": the number of devices)");
}

class Folder : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text).string();
  }

  test::TestFolder folder_{};
};

TEST_F(Folder, SixteenMachinesAreTenLines) {
  const std::string file = write("cluster.json", R"({
    // sixteen copies of the machine of another file
    "machine": "dgx_h100",
    "machines": 16,
    "network": {
      "type": "leaf_spine", "machines_per_leaf": 4, "spines": 4,
      "oversubscription": { "value": 2, "source": "a drawing" }
    }
  })");
  const Platform cluster = load(file).platform;
  EXPECT_EQ(cluster.name(), "cluster");
  EXPECT_EQ(cluster.devices(), 128);
  const Route route = cluster.route(cluster.device(0), cluster.device(127));
  EXPECT_DOUBLE_EQ(route.bottleneck.count(),
                   50e9 * 0.96);  // 32 ports over 4 spines at 2 : 1 are 4 ports' worth
  EXPECT_EQ(load(write("two.json", R"({"machine": "cluster.json", "machines": 2})")).platform.devices(), 16);
}

TEST_F(Folder, BorrowsTheNetworkWithTheMachine) {
  const Platform two = load(write("two.json", R"({"machine": "dgx_h100", "machines": 2})")).platform;
  EXPECT_EQ(names(two, 0, 8).at(2), "machine 0/nic 0 -> rail 0");
}

TEST_F(Folder, RefusesAMachineThatIsDescribedByItself) {
  const std::string first = write("first.json", R"({"machine": "second.json"})");
  write("second.json", R"({"machine": "first.json"})");
  const std::string text = refusal([&] { load(first); });
  EXPECT_NE(text.find(R"(1:13: the machine "first.json" is described by itself)"), std::string::npos) << text;
}

TEST_F(Folder, FindsFilesFromTheFolderOfTheScenario) {
  write("own.json", R"({"machine": "dgx1"})");
  EXPECT_EQ(from_json(json::parse(R"({"file": "own.json"})", "x.json"), folder_.path()).platform.devices(),
            8);
}

constexpr const char* plain = R"({"machine": {
  "devices": {"type": "rtx4090", "count": 2}, "hosts": {"type": "desktop_cpu", "memory": "128 GB"},
  "pcie": {"bandwidth": "26 GB/s", "latency": "0.5 us"}}})";

TEST(Constants, MayCarryTheirSource) {
  const Platform bare = written(plain);
  const Platform sourced = written(R"({"source": "s", "machine": {"source": "s",
    "devices": {"type": "rtx4090", "count": {"value": 2, "source": "s"}, "source": "s"},
    "hosts": {"type": "desktop_cpu", "memory": {"value": "128 GB", "source": "s"}},
    "pcie": {"bandwidth": {"value": "26 GB/s", "source": "s"}, "latency": {"value": "0.5 us", "description": "d"}}}})");
  EXPECT_EQ(names(bare, 0, 1), names(sourced, 0, 1));
  EXPECT_EQ(bare.route(bare.device(0), bare.device(1)).bottleneck,
            sourced.route(sourced.device(0), sourced.device(1)).bottleneck);
  EXPECT_EQ(sourced.type(sourced.host(0)).memory, 128_GB);
  EXPECT_EQ(sourced.type(sourced.host(0)).memory_bandwidth, 90_GBps);
}

std::vector<std::string> warnings(const std::string& text) {
  std::vector<std::string> facts;
  for (const Problem& warning : from_text(text).warnings)
    facts.push_back(std::to_string(warning.place.line) + ": " + warning.fact);
  return facts;
}

TEST(Warnings, NameLinksThatNothingUses) {
  using Facts = std::vector<std::string>;
  EXPECT_EQ(warnings(plain), Facts{});
  EXPECT_EQ(warnings(R"({"machine": {
    "devices": {"type": "rtx4090"},
    "hosts": {"type": "desktop_cpu", "link": {"bandwidth": "10 GB/s"}},
    "pcie": {"bandwidth": "26 GB/s",
             "switches": 2}}})"),
            (Facts{"3: the link between hosts is unused: a machine has one host",
                   "4: the link pcie switch 1 -> socket 0 is unused"}));
  EXPECT_EQ(warnings(R"({"machines": 2, "machine": "dgx_h100",
    "network": {"type": "leaf_spine", "machines_per_leaf": 4, "spines": 2}})"),
            Facts{"2: the links between switches are unused: one leaf switch has every port"});
  EXPECT_EQ(warnings(R"({"machine": {
    "devices": {"type": "v100_sxm2_16", "count": 2}, "hosts": {"type": "desktop_cpu"}, "pcie": {"bandwidth": "12 GB/s"},
    "nvlink": {"bandwidth": "25 GB/s"}},
    "fabric": {"type": "switch", "bandwidth": "25 GB/s"}})"),
            Facts{"3: these links are unused: the fabric joins the devices"});
}

// Every function of a platform that was accepted can be called.
void ask(const Platform& platform) {
  const Endpoint ends[] = {platform.device(0), platform.device(platform.devices() - 1), platform.host(0),
                           platform.host(platform.hosts() - 1)};
  for (const Endpoint from : ends) {
    for (const Endpoint to : ends) {
      const Route route = platform.route(from, to);
      EXPECT_EQ(route.links.empty(), from == to);
      for (const LinkId link : route.links) EXPECT_NE(platform.name(link), "");
    }
    EXPECT_NE(platform.name(from), "");
    EXPECT_NE(platform.type(from).id, "");
  }
}

void collect_paths(const json::Value& tree, std::vector<std::string> path,
                   std::vector<std::vector<std::string>>& all) {
  if (!path.empty()) all.push_back(path);
  if (tree.kind() != json::Kind::object) return;
  for (const json::Member& member : tree.members()) {
    path.push_back(member.key);
    collect_paths(member.value, path, all);
    path.pop_back();
  }
}

TEST(Files, WithAnyValueReplacedAreReadOrRefused) {
  const std::vector<const char*> values{"0",
                                        "-1",
                                        "1",
                                        "3",
                                        "1024",
                                        "4194304",
                                        "1e300",
                                        "null",
                                        "true",
                                        "[]",
                                        "{}",
                                        R"("")",
                                        R"("1 GB/s")",
                                        R"("1 us")",
                                        R"("3x3")",
                                        R"("2x2x2")",
                                        R"("switch")",
                                        R"("rails")",
                                        R"("torus")",
                                        R"("none")",
                                        R"("core")",
                                        "[[0, 1], [1, 2, 3]]",
                                        "[2, 4]",
                                        R"({"value": 3})",
                                        R"([{"devices": [0]}])",
                                        R"("xeon_8168")",
                                        R"("v4-64")"};
  int read = 0;
  int refused = 0;
  int turn = 0;
  for (const KnownPlatform& known : known_platforms()) {
    const json::Value file =
        json::parse_file(std::filesystem::path(WT_SOURCE_DIR) / "platforms" / (known.id + ".json"));
    std::vector<std::vector<std::string>> paths;
    collect_paths(file, {}, paths);
    for (const auto& path : paths) {
      for (const char* value : values) {
        if (++turn % 5 != 0) continue;  // all of them: 1
        SCOPED_TRACE(known.id + ": " + testing::PrintToString(path) + " = " + value);
        const json::Value changed = json::replaced(file, path, json::parse(value, "test.json"));
        try {
          ask(from_json(changed).platform);
          ++read;
        } catch (const InputError&) {
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace wt::platform
