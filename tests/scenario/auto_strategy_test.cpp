// Claim: `"strategy": "auto"` is the strategy that uses all that a program finds on its machine, on every shipped
// machine and any number of them; it chooses for the machine after all overrides, and anew for every number of
// replicas; a scenario that it resolved to is the same without it.

#include "scenario/auto_strategy.h"

#include <gtest/gtest.h>

#include "platform/load.h"
#include "scenario/parse.h"
#include "scenario/resolved.h"
#include "scenario/schema.h"
#include "scenario/schema_check.h"
#include "scenario/variant.h"
#include "strategy/automatic.h"

namespace wt::scenario {
namespace {

std::string text_with(const std::string& strategy, const std::string& platform,
                      const std::string& more = "") {
  return fmt::format(R"({{"name": "small", {} "strategy": {}, {} "model": "mlp", "numerics": "none",
    "dataset": {{"type": "synthetic", "rows": 64}},
    "training": {{"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "per_replica_batch": 2}}}})",
                     platform.empty() ? "" : fmt::format("\"platform\": {},", platform), strategy, more);
}

Scenario with_auto(const std::string& platform, const Overrides& overrides = {},
                   const std::string& more = "") {
  return parse(text_with(R"("auto")", platform, more), "small.json", overrides);
}

// The strategy and the reason that the user reads.
std::string chosen(const std::string& platform, const Overrides& overrides = {},
                   const std::string& more = "") {
  return with_auto(platform, overrides, more).chosen_strategy();
}

std::string refusal(const std::string& text, const Overrides& overrides = {}) {
  try {
    parse(text, "small.json", overrides);
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& problem : error.problems())
      all += fmt::format("{}:{}: {}; {}\n", problem.place.line, problem.place.column, problem.fact,
                         problem.remedy);
    return all;
  }
  return "";
}

// ---- What it chooses

// The strategy is right if it trains on every accelerator of the machine, and one_device if there is only one.
void expect_all_devices(const std::string& id, const Overrides& overrides) {
  SCOPED_TRACE(id + (overrides.empty() ? "" : " " + overrides.front()));
  const Scenario scenario = with_auto("\"" + id + "\"", overrides);
  const cluster::Machine machine = build_machine(scenario);
  const platform::Platform& platform = *machine.platform;
  EXPECT_EQ(machine.replicas.size(), static_cast<std::size_t>(platform.devices()));
  const std::string_view name = scenario.strategy->name();
  EXPECT_EQ(name == "tpu", platform.slice() != nullptr);
  EXPECT_EQ(name == "one_device", platform.devices() == 1 && platform.slice() == nullptr);
  EXPECT_EQ(name == "multi_worker_mirrored", platform.machines() > 1 && platform.slice() == nullptr);
}

// Machines without a network can't be several.
bool can_be(const std::string& id, const std::string& parameter) {
  try {
    platform::load(id, {platform::parse_parameter(parameter)});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

TEST(AutoStrategy, TrainsOnAllDevicesOfEveryShippedMachine) {
  int slices = 0, several = 0;
  for (const platform::KnownPlatform& known : platform::known_platforms()) {
    expect_all_devices(known.id, {});
    if (platform::load(known.id).ici) {
      ++slices;
      continue;
    }
    for (const int count : {1, 2, 8}) {
      if (!can_be(known.id, fmt::format("machines={}", count))) continue;
      expect_all_devices(known.id, {fmt::format(R"(platform={{"file": "{}", "set": {{"machines": {}}}}})",
                                                known.id, count)});
      if (count > 1) ++several;
    }
  }
  EXPECT_GE(slices, 7);
  EXPECT_GE(several, 2 * 20);
}

TEST(AutoStrategy, TakesTpusWhateverTheSlice) {
  for (const char* slice : {"2x2", "4x4", "8x8"})
    expect_all_devices(
        "tpu_v3", {fmt::format("platform={{\"file\": \"tpu_v3\", \"set\": {{\"slice\": \"{}\"}}}}", slice)});
  expect_all_devices("tpu_v5e", {R"(platform={"file": "tpu_v5e", "set": {"slice": "1x1"}})"});
  EXPECT_EQ(chosen(R"("tpu_v4")"), "strategy auto: tpu, since the machine is a slice of TPUs");
}

TEST(AutoStrategy, SaysWhatItSaw) {
  EXPECT_EQ(chosen(R"("dgx_a100")"), "strategy auto: mirrored, since the machine is one with 8 devices");
  EXPECT_EQ(chosen(R"("laptop_rtx4060")"),
            "strategy auto: one_device, since the machine is one with 1 device");
  EXPECT_EQ(chosen(R"({"file": "dgx_a100", "set": {"machines": 1}})", {"platform.set.machines=4"}),
            "strategy auto: multi_worker_mirrored, since there are 4 machines with 8 devices each");
  EXPECT_EQ(chosen(R"("dgx_a100")", {}, R"("devices": {"visible": ["GPU:3"]},)"),
            "strategy auto: one_device, since the machine is one with 1 visible device");
  EXPECT_EQ(chosen(R"("dgx_a100")", {R"(devices.visible=["GPU:3", "GPU:5"])"}),
            "strategy auto: mirrored, since the machine is one with 2 visible devices");
  EXPECT_EQ(chosen(R"("laptop_rtx4060")", {},
                   R"("devices": {"logical": {"GPU:0": [{"memory_limit": 1024}, {"memory_limit": 1024}]}},)"),
            "strategy auto: mirrored, since the machine is one with 2 devices");
  EXPECT_EQ(chosen(""), "strategy auto: one_device, since the machine is one with 1 device");
  EXPECT_EQ(chosen(R"({"virtual": {"devices": 4, "workers": 2}})"),
            "strategy auto: multi_worker_mirrored, since there are 2 machines with 2 devices each");
}

TEST(AutoStrategy, AScenarioThatNamesItsStrategyHasNoRule) {
  EXPECT_EQ(parse(text_with(R"("mirrored")", R"("dgx_a100")"), "small.json").chosen_strategy(), "");
  EXPECT_EQ(parse(text_with(R"({"type": "one_device"})", R"("dgx_a100")"), "small.json").chosen_strategy(),
            "");
}

// ---- How it is written

TEST(AutoStrategy, AWordIsShortForTheObjectAndTakesOptions) {
  for (const std::string word : {"auto", "mirrored"}) {
    const std::string quoted = "\"" + word + "\"", object = R"({"type": ")" + word + R"("})";
    const Overrides option{"strategy.overlap=true"}, word_first{"strategy=" + word, option.front()};
    const std::string wanted = resolved(parse(text_with(object, R"("dgx_a100")"), "small.json", option), ".");
    EXPECT_NE(wanted.find(R"("type": "mirrored")"), std::string::npos);
    EXPECT_NE(wanted.find(R"("overlap": true)"), std::string::npos);
    EXPECT_EQ(resolved(parse(text_with(quoted, R"("dgx_a100")"), "small.json", option), "."), wanted);
    EXPECT_EQ(
        resolved(parse(text_with(R"({"type": "tpu"})", R"("dgx_a100")"), "small.json", word_first), "."),
        wanted);
  }
}

TEST(AutoStrategy, ResolvesToWhatItChose) {
  for (const std::string platform : {R"("dgx_a100")", R"("laptop_rtx4060")", R"("tpu_v3")",
                                     R"({"virtual": {"devices": 4, "workers": 2}})"}) {
    const Scenario scenario = with_auto(platform);
    const std::string once = resolved(scenario, ".");
    EXPECT_EQ(once.find(R"("type": "auto")"), std::string::npos) << once;
    const Scenario again = parse(once, "small.json");
    EXPECT_EQ(again.strategy->name(), scenario.strategy->name());
    EXPECT_FALSE(again.strategy_rule.has_value());
    EXPECT_EQ(resolved(again, "."), once);
  }
}

TEST(AutoStrategy, StandsInTheSchemaWithTheOptionsOfWhatItChooses) {
  const json::Value root = json::parse(schema(), "schema.json");
  const SchemaCheck check(root);
  const auto accepts = [&](const std::string& strategy) {
    return check.accepts(json::parse(text_with(strategy, R"("dgx_a100")"), "small.json"));
  };
  EXPECT_TRUE(accepts(R"("auto")"));
  EXPECT_TRUE(accepts(R"("tpu")"));
  EXPECT_TRUE(accepts(R"({"type": "auto"})"));
  EXPECT_TRUE(accepts(R"({"type": "auto", "overlap": true})"));
  EXPECT_TRUE(accepts(R"({"type": "auto", "computation_shape": [1, 1, 1, 2]})"));
  EXPECT_FALSE(accepts(R"("automatic")"));
  EXPECT_FALSE(accepts(R"({"type": "auto", "parameter_device": "/CPU:0"})"));
  EXPECT_FALSE(accepts(R"({"type": "auto", "computation_shape": [1], "overlap": true})"));
}

// ---- What it refuses

TEST(AutoStrategy, RefusesOptionsOfWhatItDidNotChoose) {
  EXPECT_EQ(
      refusal(text_with(R"({"type": "auto", "communication": "nccl"})", R"("dgx_a100")")),
      "1:89: \"communication\" is an option of multi_worker_mirrored, and the strategy is mirrored, which "
      "auto chose; leave it out, or change the \"type\"\n");
  EXPECT_EQ(
      refusal(text_with(R"({"type": "auto", "overlap": true})", R"("laptop_rtx4060")")),
      "1:89: \"overlap\" is an option of mirrored and multi_worker_mirrored, and the strategy is one_device, "
      "which auto chose; leave it out, or change the \"type\"\n");
  EXPECT_EQ(refusal(text_with(R"({"type": "auto", "overlap": true})", R"("dgx_a100")")), "");
  EXPECT_NE(refusal(text_with(R"({"type": "auto", "overlaps": true})", R"("dgx_a100")")).find("\"overlap\"?"),
            std::string::npos);
}

TEST(AutoStrategy, RefusesWhatIsWrongWithTheMachineAndTheRest) {
  EXPECT_NE(refusal(text_with(R"("auto")", R"("dgx_a10")")).find("dgx_a100"), std::string::npos);
  EXPECT_NE(refusal(text_with(R"("auto")", R"("dgx_a100")", R"("devices": {"visible": ["GPU:8"]},)"))
                .find("there is no physical device \"GPU:8\""),
            std::string::npos);
  EXPECT_NE(refusal(text_with(R"("atuo")", R"("dgx_a100")")).find("did you mean \"auto\"?"),
            std::string::npos);
  // Problems of the platform and of other keys come together.
  const std::string both = refusal(text_with(R"("auto")", R"("dgx_a10")"), {"seed=x"});
  EXPECT_NE(both.find("dgx_a10"), std::string::npos) << both;
  EXPECT_NE(both.find("expected a whole number"), std::string::npos) << both;
  for (const char* strategy : {"3", "null", "[]", "[\"auto\"]", "{\"type\": 3}", "{\"type\": [\"auto\"]}"})
    EXPECT_NE(refusal(text_with(strategy, R"("dgx_a100")")), "") << strategy;
}

// ---- Another number of replicas

std::string resized(const std::string& platform, int replicas, const std::string& strategy = R"("auto")",
                    const std::string& more = "") {
  const std::string text = text_with(strategy, platform, more);
  try {
    const Scenario scenario = parse(text, "small.json");
    const Scenario variant =
        parse(text, "small.json", with_replicas(scenario, build_machine(scenario), replicas));
    EXPECT_EQ(build_machine(variant).replicas.size(), static_cast<std::size_t>(replicas));
    return std::string(variant.strategy->name());
  } catch (const InputError& error) {
    return error.problems().front().fact;
  }
}

TEST(AutoStrategy, ChoosesAnewForEveryNumberOfReplicas) {
  for (const std::string platform : {R"("dgx_a100")", R"({"file": "dgx_a100", "set": {"machines": 1}})",
                                     R"({"file": "dgx_a100", "set": {"machines": 4}})"}) {
    EXPECT_EQ(resized(platform, 1), "one_device");
    for (const int replicas : {2, 3, 8}) EXPECT_EQ(resized(platform, replicas), "mirrored");
    for (const int replicas : {16, 24, 64}) EXPECT_EQ(resized(platform, replicas), "multi_worker_mirrored");
    EXPECT_EQ(resized(platform, 12), "12 replicas: every worker has 8 devices");
  }
  EXPECT_EQ(resized(R"("laptop_rtx4060")", 1), "one_device");
  // A machine whose program sees one device takes further machines.
  const std::string one = R"("devices": {"visible": ["GPU:0"]},)";
  EXPECT_EQ(resized(R"("dgx_a100")", 3, R"("auto")", one), "multi_worker_mirrored");
  for (const int replicas : {8, 32}) EXPECT_EQ(resized(R"("tpu_v3")", replicas), "tpu");
  for (const int replicas : {4, 16})
    EXPECT_EQ(resized(R"("tpu_v3")", replicas, R"({"type": "auto", "computation_shape": [1, 1, 1, 2]})"),
              "tpu");
}

TEST(AutoStrategy, ResizesVirtualDevices) {
  const std::string four = R"({"virtual": {"devices": 4}})";
  EXPECT_EQ(resized(four, 1), "one_device");
  for (const int replicas : {2, 3, 4, 6, 12}) EXPECT_EQ(resized(four, replicas), "mirrored");
  const std::string of_two = R"({"virtual": {"devices": 4, "workers": 2}})";
  EXPECT_EQ(resized(of_two, 1), "one_device");
  EXPECT_EQ(resized(of_two, 2), "mirrored");
  EXPECT_EQ(resized(of_two, 8), "multi_worker_mirrored");
}

TEST(AutoStrategy, SaysWhyItCannotResize) {
  const std::string visible = R"("devices": {"visible": ["GPU:0", "GPU:2"]},)";
  EXPECT_EQ(resized(R"("dgx_a100")", 1, R"("auto")", visible), "one_device");
  EXPECT_EQ(resized(R"("dgx_a100")", 4, R"("auto")", visible), "multi_worker_mirrored");
  EXPECT_EQ(resized(R"({"virtual": {"devices": 4}})", 3, R"("auto")", visible),
            "3 replicas: the scenario says which devices the program sees");
  EXPECT_EQ(resized(R"("dgx_a100")", 4, R"({"type": "auto", "devices": ["GPU:0", "GPU:1"]})"),
            "4 replicas: the strategy is auto, and the scenario names its devices");
}

}  // namespace
}  // namespace wt::scenario
