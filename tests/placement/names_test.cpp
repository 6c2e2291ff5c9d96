// Claims: tf.device and tf.DeviceSpec take and refuse the names that TensorFlow was recorded to take and refuse, and
// operations, constants and variables in the scope of a device that isn't there are placed, or refused, as recorded.

#include "device/spec.h"
#include "placement/placement_recorded.h"

namespace wt::test::placement {
namespace {

using device::DeviceSpec;
using train::constant;

// ---- Devices that aren't there

using Work = std::function<std::string(Process&, const EagerTensor& operand)>;

const std::map<std::string, Work> works{
    {"op", [](Process& process, const EagerTensor& x) { return device_of(process.tf.matmul(x, x)); }},
    {"constant",
     [](Process&, const EagerTensor&) {
       return device_of(constant({1.f, 2.f}));
     }},
    {"variable",
     [](Process&, const EagerTensor&) {
       return device::print(train::Variable(constant({1.f, 2.f})).device());
     }},
};

void compare_absent_devices(const Recording& recording, const Work& work) {
  Process process(2);
  expect_recorded(recording, "soft before", [&] { return process.tf.get_soft_device_placement(); });
  process.tf.set_soft_device_placement(recording.config("soft")->boolean());
  expect_recorded(recording, "soft after", [&] { return process.tf.get_soft_device_placement(); });
  for (const json::Value& device : recording.config("devices")->elements())
    expect_recorded(recording, device.string(), [&] {
      const EagerTensor operand = process.tf.constant<float>({1, 2, 3, 4}, {2, 2});
      const auto scope = process.tf.device(device.string());
      return work(process, operand);
    });
  expect_all_compared(recording, {"config"});
}

TEST(D4_D7, AbsentDevicesArePlacedAsWasRecorded) {
  for (const std::string soft : {"on", "off"})
    for (const auto& [kind, work] : works)
      for (const Recording* recording : both("soft_" + soft + "_" + kind))
        compare_absent_devices(*recording, work);
}

// ---- Names

// The key is the name as Python prints it.
std::string name_in(const std::string& key) { return key.substr(1, key.size() - 2); }

// TensorFlow 2.21 ends the sentence about a malformed name with an address of its own debugging.
constexpr const char* malformed = "'/CPU:-1'";

TEST(D2_ST4, ScopesTakeTheNamesThatWereRecorded) {
  for (const Recording* recording : both("names_scope")) {
    Process process(2);
    for (const std::string& key : keys_of(*recording))
      if (key != malformed)
        expect_recorded(*recording, key, [&] {
          const auto scope = process.tf.device(name_in(key));
          return device_of(constant({1.f}));
        });
    expect_all_compared(*recording, {malformed});
  }
}

TEST(D2_ST4, AMalformedNameIsRefusedByTheOperationAsWasRecorded) {
  for (const Recording* recording : both("names_scope")) {
    Process process(2);
    const auto scope = process.tf.device(name_in(malformed));
    try {
      constant({1.f});
      ADD_FAILURE() << "should be refused";
    } catch (const InvalidArgumentError& error) {
      EXPECT_TRUE(
          recording->error(malformed)
              ->find("sentence")
              ->string()
              .starts_with(
                  std::string(error.what()).substr(0, std::string(error.what()).find_last_not_of(' '))))
          << error.what();
    }
  }
}

using Part = std::variant<std::monostate, int, std::string>;

template <class T>
Part part(const std::optional<T>& value) {
  return value ? Part(*value) : Part();
}

std::map<std::string, Part> parts_of(const DeviceSpec& spec) {
  return {{"string", spec.to_string()}, {"job", part(spec.job)},          {"replica", part(spec.replica)},
          {"task", part(spec.task)},    {"type", part(spec.device_type)}, {"index", part(spec.device_index)}};
}

TEST(D2, SpecsAreReadAsWasRecorded) {
  for (const Recording* recording : both("names_spec")) {
    for (const std::string& key : keys_of(*recording))
      expect_recorded(*recording, key, [&] { return parts_of(DeviceSpec::from_string(name_in(key))); });
    expect_all_compared(*recording);
  }
}

// The parts of a C++ object have types, so that no index is a word and no job a number; and it is no text, which it could
// be compared with.
TEST(D2, SpecsAreMergedAndPrintedAsWasRecorded) {
  const DeviceSpec a{.job = "ps", .device_type = "CPU", .device_index = 0};
  const DeviceSpec b = DeviceSpec::from_string("/job:worker/task:3/device:GPU:1");
  const DeviceSpec empty;
  const auto replaced = [&](auto&& change) {
    DeviceSpec changed = b;
    change(changed);
    return changed.to_string();
  };
  for (const Recording* recording : both("spec_objects")) {
    const auto holds = [&](const std::string& key, const auto& value) {
      expect_recorded(*recording, key, [&] { return value; });
    };
    holds("a", a.to_string());
    holds("b", b.to_string());
    holds("empty", empty.to_string());
    holds("merge a b", a.make_merged_spec(b).to_string());
    holds("merge b a", b.make_merged_spec(a).to_string());
    holds("merge a empty", a.make_merged_spec(empty).to_string());
    holds("merge empty b", empty.make_merged_spec(b).to_string());
    holds("replace", replaced([](DeviceSpec& spec) {
            spec.device_index = 7;
            spec.job = "chief";
          }));
    holds("replace none", replaced([](DeviceSpec& spec) { spec.task.reset(); }));
    holds("equal", a == DeviceSpec::from_string("/job:ps/device:CPU:0"));
    holds("equal case", DeviceSpec::from_string("/cpu:0") == DeviceSpec::from_string("/CPU:0"));
    holds("unequal", a != b);
    holds("parse_from_string", DeviceSpec::from_string("/task:2/gpu:1").to_string());
    holds("lower type", DeviceSpec{.device_type = "gpu", .device_index = 1}.to_string());
    holds("odd type", DeviceSpec{.device_type = "foo", .device_index = 1}.to_string());
    holds("type without index", DeviceSpec{.device_type = "CPU"}.to_string());
    holds("index without type", DeviceSpec{.device_index = 2}.to_string());
    holds("task only", DeviceSpec{.task = 2}.to_string());
    holds("replica zero", DeviceSpec{.replica = 0}.to_string());
    holds("parsed none", DeviceSpec::from_string("").to_string());
    const DeviceSpec star = DeviceSpec::from_string("/device:CPU:*");
    holds("star", std::vector<Part>{part(star.device_index), star.to_string()});
    expect_all_compared(*recording, {"repr same type", "hash equal", "equal to text", "index text",
                                     "job number", "index word", "as text", "set a field", "parse number",
                                     "replace unknown", "merge a text"});
  }
}

TEST(D2, AStarIsAnOpenPart) {
  EXPECT_EQ(DeviceSpec::from_string("/job:*/device:*:2").name(), device::Name{.index = 2});
}

// ---- What else tf.device takes

// A name is text here. Objects, lists, bytes and functions in its place aren't compiled, a scope is a block, which can't be
// left before those inside of it or entered twice, and None, which leaves all scopes, is to be outside of them.
TEST(D2_D7, ScopesTakeWhatWasRecorded) {
  for (const Recording* recording : both("device_argument")) {
    Process process(2);
    const device::LogicalDevice second = process.context.list_logical_devices(device::Kind::cpu)[1];
    const device::PhysicalDevice physical = process.context.list_physical_devices(device::Kind::cpu)[0];
    const auto holds = [&](const std::string& key, const std::string& name) {
      expect_recorded(*recording, key, [&] {
        const auto scope = process.tf.device(name);
        return device_of(constant({1.f}));
      });
    };
    holds("logical object", device::print(second.name));
    holds("logical name", device::short_name(second));
    holds("physical name", device::name(physical));
    holds("spec", DeviceSpec{.device_type = "CPU", .device_index = 1}.to_string());
    holds("partial spec", DeviceSpec{.job = "localhost"}.to_string());
    for (const char* outside : {"none", "after"})
      expect_recorded(*recording, outside, [&] { return device_of(constant({1.f})); });
    expect_all_compared(*recording, {"physical object", "number", "function", "list", "bytes", "crossed",
                                     "entered twice", "function in a function"});
  }
}

}  // namespace
}  // namespace wt::test::placement
