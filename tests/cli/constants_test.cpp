// Claim: simulated times move only together with the version of the model's constants, and CHANGELOG.md has an
// entry for each version. After such a change raise platform/constants_version.h, write down what moved, and
// renew the figures with UPDATE_EXPECTED=1.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "base/json_writer.h"
#include "cli/scenario_runs.h"
#include "platform/constants_version.h"
#include "platform/load.h"

namespace wt {
namespace {

using Figures = std::map<std::string, double>;

const std::filesystem::path file = std::filesystem::path(WT_TEST_DATA) / "cli" / "constants.json";

class Constants : public test::ScenarioRuns {
 protected:
  // The simulated steps of scenarios that take little time, in seconds.
  void add_steps(Figures& figures) const {
    for (const std::string name :
         {"central_storage_4_gpus", "mirrored_dgx_a100", "mirrored_hierarchical_copy", "multi_worker_2x2",
          "multi_worker_8_k80_10gbe", "quickstart", "tpu_v3_8", "tpu_v4_resnet50", "two_virtual_gpus"}) {
      EXPECT_EQ(run(name, name, {"numerics=none"}).exit, cli::Exit::done) << name;
      figures["step of " + name] = test::number_at(results(name), {"simulated", "step_time_s"});
    }
  }
  // An all-reduce of 1 MiB on every platform, in microseconds.
  static void add_collectives(Figures& figures) {
    for (const platform::KnownPlatform& known : platform::known_platforms()) {
      const test::Said said =
          test::call({"collective", "--platform", known.id, "-b", "1M", "-e", "1M", "--json"});
      if (said.exit != cli::Exit::done) continue;  // a platform of one device
      const json::Value table = json::parse(said.results, known.id);
      const json::Value& row = table.find("rows")->elements()[0];
      figures["all-reduce on " + known.id] = test::number_at(row, {"time_us"});
    }
  }
};

void write(const Figures& figures) {
  json::Writer out;
  out.begin_object().member("constants_version", platform::constants_version).key("figures").begin_object();
  for (const auto& [name, figure] : figures) out.member(name, figure);
  test::write_bytes(file, out.end_object().end_object().text());
}

TEST_F(Constants, MoveWithTheirVersionAlone) {
  Figures figures;
  add_steps(figures);
  add_collectives(figures);
  if (std::getenv("UPDATE_EXPECTED") != nullptr) write(figures);
  const json::Value recorded = json::parse_file(file);
  ASSERT_EQ(recorded.find("constants_version")->integer(), platform::constants_version);
  EXPECT_EQ(recorded.find("figures")->members().size(), figures.size());
  for (const json::Member& member : recorded.find("figures")->members()) {
    ASSERT_TRUE(figures.contains(member.key)) << member.key;
    const double before = member.value.real(), now = figures.at(member.key);
    EXPECT_LE(std::abs(now - before), 1e-9 * before) << fmt::format(
        "{} moved by {:+.3g} %: raise constants_version", member.key, 100 * (now / before - 1));
  }
}

TEST_F(Constants, EveryVersionHasAnEntry) {
  const std::string changes = test::bytes_of(std::filesystem::path(WT_SOURCE_DIR) / "CHANGELOG.md");
  for (int version = 1; version <= platform::constants_version; ++version)
    EXPECT_TRUE(test::has(changes, fmt::format("\n## Constants version {}\n", version))) << version;
}

}  // namespace
}  // namespace wt
