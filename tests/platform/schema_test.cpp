// Claim: platforms/schema/platform.json agrees with the parser. Platforms that together have every key are
// valid for both. If one of the keys is unknown, null or below its bound, they are valid for neither.

#include "platform/schema.h"

#include <gtest/gtest.h>

#include <functional>

#include "platform/load.h"
#include "platform/parse.h"
#include "scenario/golden.h"
#include "scenario/schema_check.h"

namespace wt::platform {
namespace {

namespace fs = std::filesystem;
using json::Value;
using Path = std::vector<std::string>;

constexpr const char* gpus = R"({
  "$schema": "s", "description": "d", "source": "s", "aliases": ["a"], "machines": 2, "ranks": 8,
  "machine": {
    "devices": {"type": "rtx4090", "count": {"value": 4, "source": "s"}},
    "hosts": {"count": 2, "type": "xeon_8168", "memory": "1 GB", "memory_bandwidth": "1 GB/s",
              "link": {"bandwidth": "1 GB/s", "links": 2, "efficiency": 0.5, "latency": "1 us"}},
    "pcie": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "1 us", "peer_to_peer": "none",
             "switches": [{"host": 1, "devices": [0, 1], "nics": [0], "switches": [{"devices": [2, 3]}]}],
             "uplink": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s"}},
    "c2c": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s"},
    "nvlink": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s", "layout": "switch", "pairs": [[0, 1, 2]]},
    "xgmi": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s", "layout": "full_mesh", "pairs": [[0, 1]]},
    "nics": {"type": "roce", "bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s", "count": 2,
             "attached": "hosts", "gpu_direct": "socket"}
  },
  "network": {"type": "torus", "bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s", "machines_per_leaf": 1,
              "spines": 1, "oversubscription": 1.5, "children": [2], "parents": [2],
              "uplink": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s"},
              "routes": "ecmp", "seed": 3, "shape": "2x2", "wrap": [true, false], "twisted": false},
  "fabric": {"type": "torus", "bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s", "machines_per_leaf": 1,
             "spines": 1, "oversubscription": 1.5, "children": [2], "parents": [2],
             "uplink": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s"},
             "routes": "ecmp", "seed": 3, "shape": "2x2", "wrap": [true, false], "twisted": false, "kind": "nvlink", "machines": 2}
})";
constexpr const char* tpus = R"({
  "slice": "v4-8", "slices": 2,
  "machine": {"devices": {"type": "tpu_v4"}, "hosts": {"type": "xeon_8168"}},
  "ici": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s", "pod": "4x4x4", "host": "2x2x1",
          "single_host": ["2x2x2"], "shapes": ["2x2x1"], "multiples_of": 4, "wrap": "never", "twist": true, "names": ["v4"],
          "counts": "chips", "cores": 2, "device": "core",
          "on_chip": {"bandwidth": "1 GB/s", "links": 1, "efficiency": 1, "latency": "0 s"}}
})";
// The keys of a calibration, with all of their factors.
constexpr const char* calibrated = R"({
  "machine": "x",
  "calibration": {
    "source": "s", "kernels": 1.1, "synchronization": {"spread": 0.01, "process": "1 ms"},
    "inside": {"ll": {"latency": 1, "rate": 1, "start": "1 us"}, "ll128": {"latency": 1, "rate": 1, "start": "1 us"},
               "simple": {"latency": 1, "rate": 1, "start": "1 us"}, "switches": {"latency": 1, "rate": 1, "start": "1 us"},
               "wires": {"latency": 1, "rate": 1, "start": "0 s"}},
    "between": {"ll": {"latency": 1, "rate": 1, "start": "1 us"}, "ll128": {"latency": 1, "rate": 1, "start": "1 us"},
               "simple": {"latency": 1, "rate": 1, "start": "1 us"}, "switches": {"latency": 1, "rate": 1, "start": "1 us"},
               "wires": {"latency": 1, "rate": 1, "start": "0 s"}}
  }
})";
constexpr const char* first_devices = R"({"devices": 2, "machine": "x", "machines": 3})";
constexpr const char* plain = R"({"network": {"type": "switch"},
    "machine": {"devices": {"type": "rtx4090"}, "hosts": {"type": "xeon_8168"}}})";
constexpr const char* groups = R"({"network": {"type": "switch"}, "machines": [
    {"source": "s", "file": "plain", "count": 2, "devices": {"value": 1, "source": "s"}},
    {"file": "plain"}]})";
// A machine with "like", without any key that a complete machine requires.
constexpr const char* other_parts = R"({"machine": {"like": "x",
    "devices": {"count": 4}, "hosts": {"memory": "1 GB", "link": {"latency": "1 us"}},
    "pcie": {"switches": 2, "uplink": {"links": 1}}, "c2c": {"links": 2}, "nvlink": {"links": 3}, "xgmi": {"links": 4},
    "nics": {"count": 1}}})";

Value tree_of(const std::string& text) { return json::parse(text, "test.json"); }

bool parses(const Value& tree) {
  static const Value other = tree_of(gpus), simple = tree_of(plain);
  Problems problems;
  parse(
      tree, [](const Value& name, Problems&) { return name.string() == "plain" ? &simple : &other; },
      problems);
  return !problems.any();
}

class Schema : public testing::Test {
 protected:
  // Calls `body` for each member of each object of a tree, with the path to it.
  static void for_every_member(const Value& tree, const std::function<void(const Path&, const Value&)>& body,
                               const Path& path = {}) {
    for (std::size_t i = 0; tree.kind() == json::Kind::array && i < tree.elements().size(); ++i) {
      Path below = path;
      below.push_back(std::to_string(i));
      for_every_member(tree.elements()[i], body, below);
    }
    if (tree.kind() != json::Kind::object) return;
    for (const json::Member& member : tree.members()) {
      Path below = path;
      below.push_back(member.key);
      body(below, member.value);
      for_every_member(member.value, body, below);
    }
  }

  // Expects that every key of an object's schema occurs in one of the objects in its place.
  void expect_all_keys(const Value& given, const std::vector<const Value*>& values, const std::string& at) {
    const Value& node = check_.resolve(given);
    if (const Value* alternatives = node.find("anyOf"))
      for (const Value& alternative : alternatives->elements()) expect_all_keys(alternative, values, at);
    const Value* properties = node.find("properties");
    if (properties == nullptr || properties->find("value") != nullptr) return;
    for (const json::Member& property : properties->members()) {
      if (at != "" &&
          (property.key == "$schema" || property.key == "description" || property.key == "source"))
        continue;
      std::vector<const Value*> found;
      for (const Value* value : values)
        if (value->kind() == json::Kind::object && value->find(property.key) != nullptr)
          found.push_back(value->find(property.key));
      EXPECT_FALSE(found.empty()) << at << "." << property.key;
      ++keys_;
      expect_all_keys(property.value, found, at + "." + property.key);
    }
  }

  Value root_ = tree_of(schema());
  SchemaCheck check_{root_};
  int keys_ = 0;
};

TEST_F(Schema, IsTheFileThatEditorsRead) {
  expect_golden(fs::path(WT_SOURCE_DIR) / "platforms" / "schema" / "platform.json", schema());
}

TEST_F(Schema, AndTheParserAcceptEveryKey) {
  const std::vector<Value> trees{tree_of(gpus),        tree_of(tpus),   tree_of(first_devices),
                                 tree_of(other_parts), tree_of(groups), tree_of(calibrated)};
  std::vector<const Value*> all;
  for (const Value& tree : trees) {
    EXPECT_TRUE(check_.accepts(tree));
    EXPECT_TRUE(parses(tree));
    all.push_back(&tree);
  }
  expect_all_keys(root_, all, "");
  EXPECT_GT(keys_, 100);
}

TEST_F(Schema, AndTheParserRefuseNullAndOtherKeys) {
  for (const char* text : {gpus, tpus, other_parts, groups}) {
    const Value tree = tree_of(text);
    for_every_member(tree, [&](const Path& path, const Value& value) {
      // The keys of a device type are not part of this schema.
      SCOPED_TRACE(testing::PrintToString(path));
      const Value null = json::replaced(tree, path, tree_of("null"));
      if (path.size() == 1 && (path[0] == "$schema" || path[0] == "description")) return;
      EXPECT_FALSE(check_.accepts(null));
      EXPECT_FALSE(parses(null));
      if (value.kind() != json::Kind::object) return;
      Path below = path;
      below.push_back("no_such_key");
      const Value other = json::replaced(tree, below, tree_of("1"));
      EXPECT_FALSE(check_.accepts(other));
      EXPECT_FALSE(parses(other));
    });
  }
}

TEST_F(Schema, AndTheParserNeedAMachineOrAListOfThem) {
  for (const char* text :
       {R"({"machines": 4})", R"({"machine": "plain", "machines": [{"file": "plain"}]})",
        R"({"machines": []})", R"({"machines": [{"count": 2}]})", R"({"machines": ["plain"]})"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(check_.accepts(tree_of(text)));
    EXPECT_FALSE(parses(tree_of(text)));
  }
}

TEST_F(Schema, AndTheParserKeepTheSameBounds) {
  int refused = 0;
  for (const char* text : {gpus, tpus, other_parts, groups}) {
    const Value tree = tree_of(text);
    for_every_member(tree, [&](const Path& path, const Value& value) {
      if (value.kind() != json::Kind::integer && value.kind() != json::Kind::real) return;
      for (const char* number : {"-1", "0", "1", "1e9"}) {
        SCOPED_TRACE(testing::PrintToString(path) + number);
        const Value changed = json::replaced(tree, path, tree_of(number));
        if (std::string(number) == "1e9" && value.kind() == json::Kind::integer) continue;
        EXPECT_EQ(check_.accepts(changed), parses(changed));
        refused += check_.accepts(changed) ? 0 : 1;
      }
    });
  }
  EXPECT_GT(refused, 60);
}

TEST_F(Schema, AcceptsThePlatformsOfTheHouse) {
  int files = 0;
  for (const KnownPlatform& known : known_platforms()) {
    const fs::path file = fs::path(WT_SOURCE_DIR) / "platforms" / (known.id + ".json");
    EXPECT_TRUE(check_.accepts(json::parse_file(file))) << known.id;
    ++files;
  }
  EXPECT_GE(files, 6);
}

}  // namespace
}  // namespace wt::platform
