// What was measured takes the roofline's place, and what wasn't is estimated from what was. The schema of profiles,
// scenarios/schema/profile.json, says what is written and what is read.
#include "plan/profiled.h"

#include <gtest/gtest.h>

#include "base/quantity_literals.h"
#include "scenario/schema_check.h"

namespace wt::plan {
namespace {

using device::DeviceType;
using device::Precision;

TensorSpec floats(const Shape& shape) { return {Type::float32, shape}; }

DeviceType cpu(double flops = 1e12, double bandwidth = 50e9) {
  return {.id = "cpu",
          .product = "A CPU",
          .kind = device::Kind::cpu,
          .peak = {{Precision::float32, FlopsPerSecond(flops)}},
          .memory = 64_GB,
          .memory_bandwidth = BytesPerSecond(bandwidth),
          .launch_gap = Seconds(0)};
}

Operand operand(Plan& plan, const TensorSpec& spec, DeviceId device = {}) {
  return {plan.add_buffer({"b", device, spec.bytes(), BufferKind::activation, {}}), spec};
}

// n x n by n x n, and relu of as many numbers.
void add_product(Plan& plan, std::int64_t n, ProductAttributes attributes = {}, DeviceId device = {}) {
  const TensorSpec matrix = floats({n, n});
  plan.add_node(Run{device,
                    &kernel_named("matmul"),
                    attributes,
                    {operand(plan, matrix, device), operand(plan, matrix, device)},
                    {operand(plan, matrix, device)},
                    {}},
                "");
}
void add_relu(Plan& plan, std::int64_t n) {
  plan.add_node(
      Run{{}, &kernel_named("relu"), {}, {operand(plan, floats({n}))}, {operand(plan, floats({n}))}, {}}, "");
}

Plan two_products_and_two_relus() {
  Plan plan{.name = "p", .devices = {{.name = "cpu:0"}}};
  add_product(plan, 256);
  add_product(plan, 512);
  add_relu(plan, 1000);
  add_relu(plan, 5000);
  return plan;
}

Profile profile_of(const std::map<std::string, Seconds, std::less<>>& kernels) {
  return {.device = {.type = "cpu", .product = "A CPU", .setup = "2 threads"},
          .date = "2026-11-22",
          .version = "1.2.3",
          .kernels = kernels};
}

const std::string product_256 = "matmul(float32[256,256], float32[256,256]) -> float32[256,256]";
const std::string relu_1000 = "relu(float32[1000]) -> float32[1000]";

TEST(CallOf, TellsApartWhatTakesDifferentTimesAndNothingElse) {
  Plan plan{.name = "p", .devices = {{.name = "cpu:0"}, {.name = "cpu:1"}}};
  add_product(plan, 256);
  add_product(plan, 256, {.transpose_b = true});
  add_product(plan, 256, {}, DeviceId{1});
  EXPECT_EQ(call_of(plan, plan.nodes[0]), product_256);
  EXPECT_EQ(call_of(plan, plan.nodes[1]), product_256 + " transpose_b=true");
  EXPECT_EQ(call_of(plan, plan.nodes[2]), call_of(plan, plan.nodes[0]));
}

TEST(CallOf, CopiesAndSumsOfADeviceAreCallsAndMovesBetweenDevicesAreNone) {
  Plan plan{.name = "p", .devices = {{.name = "cpu:0"}, {.name = "cpu:1"}}};
  const TensorSpec spec = floats({100});
  const Operand here = operand(plan, spec), also_here = operand(plan, spec),
                there = operand(plan, spec, DeviceId{1});
  plan.add_node(Move{here, also_here, {}}, "");
  plan.add_node(Move{here, there, {}}, "");
  plan.add_node(Sum{{}, {here, here, here}, also_here}, "");
  plan.add_node(Sum{{}, {here, here, here}, also_here}, "all_reduce/0");
  plan.nodes.back().stream = Stream::none;
  EXPECT_EQ(call_of(plan, plan.nodes[0]), "copy(400 bytes)");
  EXPECT_EQ(call_of(plan, plan.nodes[1]), "");
  EXPECT_EQ(call_of(plan, plan.nodes[2]), "sum(3 of float32[100])");
  EXPECT_EQ(call_of(plan, plan.nodes[3]), "") << "it is a part of a schedule, which its library times";
}

TEST(Profiled, MeasuredSecondsTakeTheRooflinesPlaceWhereverTheyLie) {
  const Plan plan = two_products_and_two_relus();
  const DeviceType type = cpu();
  const std::vector<const DeviceType*> types{&type};
  const Costs before = roofline(plan, types);
  const Costs costs =
      profiled(plan, types, {}, profile_of({{product_256, Seconds(7)}, {relu_1000, Seconds(1e-12)}}));
  EXPECT_EQ(costs.nodes[0].seconds, Seconds(7));
  EXPECT_EQ(costs.nodes[0].bound, before.nodes[0].bound);
  EXPECT_EQ(costs.nodes[2].seconds, Seconds(1e-12));
  EXPECT_EQ(costs.nodes[2].bound, Seconds(1e-12)) << "nothing comes out faster than its bound";
}

TEST(Profiled, UnknownCallsAreAsFarFromTheRooflineAsKnownOnesOfTheirKind) {
  const Plan plan = two_products_and_two_relus();
  const DeviceType type = cpu();
  const std::vector<const DeviceType*> types{&type};
  const Costs before = roofline(plan, types);
  const Costs costs = profiled(
      plan, types, {},
      profile_of({{product_256, before.nodes[0].seconds * 3}, {relu_1000, before.nodes[2].seconds * 5}}));
  EXPECT_NEAR(costs.nodes[1].seconds / before.nodes[1].seconds, 3, 1e-12);
  EXPECT_NEAR(costs.nodes[3].seconds / before.nodes[3].seconds, 5, 1e-12);
  EXPECT_EQ(costs.basis,
            "measured on A CPU, 2 threads, 2026-11-22; 2 of 4 kernel calls estimated by the roofline and the "
            "others' ratio to it");
}

TEST(Profiled, LeavesDevicesOfOtherTypesToTheRoofline) {
  Plan plan{.name = "p", .devices = {{.name = "cpu:0"}, {.name = "gpu:0"}}};
  add_product(plan, 256);
  add_product(plan, 256, {}, DeviceId{1});
  const DeviceType type = cpu();
  DeviceType gpu = cpu(1e13);
  gpu.id = "gpu";
  const std::vector<const DeviceType*> types{&type, &gpu};
  const Costs costs = profiled(plan, types, {}, profile_of({{product_256, Seconds(7)}}));
  EXPECT_EQ(costs.nodes[0].seconds, Seconds(7));
  EXPECT_EQ(costs.nodes[1].seconds, roofline(plan, types).nodes[1].seconds);
}

TEST(Profiled, RefusesAProfileThatHasNothingOfTheStep) {
  const DeviceType type = cpu();
  const std::vector<const DeviceType*> types{&type};
  try {
    profiled(two_products_and_two_relus(), types, {},
             profile_of({{"relu(float32[7]) -> float32[7]", Seconds(1)}}));
    FAIL() << "it was accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the profile of A CPU, 2 threads has none of this step's 4 kernel calls\n"
                 "calibrate this scenario, with this batch");
  }
}

TEST(Transfer, MultipliesByTheRatioOfTheRooflines) {
  const Plan plan = two_products_and_two_relus();
  const DeviceType slow = cpu(1e12, 50e9);
  DeviceType fast = cpu(4e12, 100e9);
  fast.id = "fast";
  const std::vector<const DeviceType*> types{&fast};
  Profile target{.device = {.type = "fast", .product = "A fast CPU"}, .measured_on = "A CPU, 2 threads"};
  transfer(profile_of({{product_256, 8_ms}, {relu_1000, 8_us}}), slow, plan, types, {}, target);
  ASSERT_EQ(target.kernels.size(), 2u) << "only what was measured";
  EXPECT_NEAR(target.kernels.at(product_256) / 2_ms, 1, 1e-12) << "a product goes by the arithmetic rate";
  EXPECT_NEAR(target.kernels.at(relu_1000) / 4_us, 1, 1e-12) << "relu goes by the memory's";
  target.date = "2026-11-22";
  EXPECT_EQ(
      profiled(plan, types, {}, target).basis,
      "estimated: measured on A CPU, 2 threads, 2026-11-22, times the ratio of rooflines; 2 of 4 kernel "
      "calls estimated by the roofline and the others' ratio to it");
}

TEST(ProfileFile, ReadsBackWhatItWroteToTheLastBit) {
  Profile profile = profile_of({{product_256, Seconds(0.1) / 3.0}, {relu_1000, Seconds(1e-300)}});
  profile.device.rates = {{FlopsPerSecond(1e11 / 3), BytesPerSecond(1e10 / 7)}};
  profile.measured_on = "another";
  profile.device.kind = device::Kind::gpu;
  profile.copies = {{"host", "GPU 0", Bytes(1 << 26), Seconds(0.1) / 7.0}, {"GPU 0", "GPU 1", 4_KiB, 3_us}};
  const Profile read = read_profile(json::parse(print(profile), "profile.json"));
  EXPECT_TRUE(is_same(read.device, profile.device));
  EXPECT_EQ(read.device.rates->product, profile.device.rates->product);
  EXPECT_EQ(read.device.rates->memory, profile.device.rates->memory);
  EXPECT_EQ(read.measured_on, profile.measured_on);
  EXPECT_EQ(read.device.kind, device::Kind::gpu);
  ASSERT_EQ(read.copies.size(), 2u);
  EXPECT_EQ(read.copies[0].seconds, profile.copies[0].seconds);
  EXPECT_EQ(read.copies[1].to, "GPU 1");
  EXPECT_EQ(read.copies[1].bytes, Bytes(4096));
  EXPECT_EQ(read.kernels, profile.kernels);
  EXPECT_EQ(print(read), print(profile));
}

// Nothing is absent.
Profile whole_profile() {
  Profile profile = profile_of({{relu_1000, Seconds(1e-6)}});
  profile.device.rates = {{FlopsPerSecond(1e11), BytesPerSecond(1e10)}};
  profile.measured_on = "another";
  profile.copies = {{"host", "GPU 0", 4_KiB, 3_us}};
  return profile;
}

json::Value schema() {
  return json::parse_file(std::string(WT_SOURCE_DIR) + "/scenarios/schema/profile.json");
}

TEST(ProfileFile, FollowsItsSchemaWhateverIsAbsent) {
  const json::Value rules = schema();
  const std::vector<void (*)(Profile&)> absences{[](Profile&) {},
                                                 [](Profile& profile) { profile.device.setup.clear(); },
                                                 [](Profile& profile) { profile.device.rates.reset(); },
                                                 [](Profile& profile) { profile.measured_on.reset(); },
                                                 [](Profile& profile) { profile.kernels.clear(); },
                                                 [](Profile& profile) { profile.copies.clear(); }};
  for (const device::Kind kind : {device::Kind::cpu, device::Kind::gpu, device::Kind::tpu})
    for (const auto& leave_out : absences) {
      Profile profile = whole_profile();
      profile.device.kind = kind;
      leave_out(profile);
      EXPECT_TRUE(SchemaCheck(rules).accepts(json::parse(print(profile), "profile.json"))) << print(profile);
    }
}

// The value with one key left out, unknown, null or below zero, in all ways. An array has one element.
std::vector<std::string> spoiled(const json::Value& value) {
  std::vector<std::string> all{"null", "-1"};
  if (value.kind() == json::Kind::array)
    for (const std::string& element : spoiled(value.elements()[0])) all.push_back("[" + element + "]");
  if (value.kind() != json::Kind::object) return all;
  const auto object = [&](const json::Member* changed, const std::string& instead) {
    std::string text;
    for (const json::Member& member : value.members()) {
      const std::string kept = &member == changed ? instead : wt::print(member.value);
      if (!kept.empty()) text += (text.empty() ? "" : ",") + json::quote(member.key) + ":" + kept;
    }
    return "{" + text + "}";
  };
  for (const json::Member& member : value.members()) {
    all.push_back(object(&member, ""));
    all.push_back(object(&member, wt::print(member.value) + R"(,"unknown":1)"));
    for (const std::string& instead : spoiled(member.value)) all.push_back(object(&member, instead));
  }
  return all;
}

TEST(ProfileFile, IsRefusedByTheSchemaWhereTheReaderRefusesIt) {
  const json::Value rules = schema();
  int accepted = 0, refused = 0;
  for (const std::string& text : spoiled(json::parse(print(whole_profile()), "profile.json"))) {
    const json::Value file = json::parse(text, "profile.json");
    bool is_read = true;
    try {
      read_profile(file);
    } catch (const InputError&) {
      is_read = false;
    }
    EXPECT_EQ(SchemaCheck(rules).accepts(file), is_read) << text;
    ++(is_read ? accepted : refused);
  }
  EXPECT_EQ(accepted, 5) << "without kind, setup, rates, measured_on or copies";
  EXPECT_GE(refused, 60);
}

std::string refusal(const std::string& text) {
  try {
    read_profile(json::parse(text, "profile.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ProfileFile, TellsEverythingThatIsWrongWithIt) {
  EXPECT_EQ(refusal(R"({
  "format": "windtunnel profile", "format_version": 1, "version": "1", "date": "2026-11-22",
  "device": { "type": "cpu", "produkt": "A CPU" },
  "kernels": [
    { "call": "a", "seconds": 1 },
    { "call": "a", "seconds": 1 },
    { "call": "b", "seconds": -1 }
  ]
})"),
            R"(profile.json:3:13: this object has no "product"
  3 |   "device": { "type": "cpu", "produkt": "A CPU" },
    |             ^
add "product": it has no default

profile.json:3:30: unknown key "produkt"
  3 |   "device": { "type": "cpu", "produkt": "A CPU" },
    |                              ^~~~~~~~~
did you mean "product"? known: kind, product, rates, setup, type

profile.json:6:15: the call "a" is listed twice
  6 |     { "call": "a", "seconds": 1 },
    |               ^~~
keep one of the two

profile.json:7:31: -1 is out of range
  7 |     { "call": "b", "seconds": -1 }
    |                               ^~
it must be at least 0)");
}

TEST(ProfileFile, SaysOfAnotherFileThatItIsNone) {
  EXPECT_EQ(refusal(R"({ "format": "windtunnel results", "format_version": 1, "steps": [] })"),
            R"(profile.json:1:13: the file is not a profile
  1 | { "format": "windtunnel results", "format_version": 1, "steps": [] }
    |             ^~~~~~~~~~~~~~~~~~~~
`windtunnel calibrate SCENARIO --as FILE` writes one)");
}

}  // namespace
}  // namespace wt::plan
