// Claims: the devices that a process lists, splits and hides, and what it can't change after its start, are those that
// TensorFlow was recorded to have, with the same refusals.

#include "placement/placement_recorded.h"
#include "train/distributed/constructors.h"

namespace wt::test::placement {
namespace {

using device::Kind;
using device::LogicalDevice;
using device::LogicalDeviceConfiguration;
using device::LogicalDeviceConfigurations;
using device::PhysicalDevice;

using NamesAndTypes = std::vector<std::pair<std::string, std::string>>;

std::string type_of(const PhysicalDevice& device) { return std::string(device::name(device.kind)); }
std::string type_of(const LogicalDevice& device) { return std::string(device::name(*device.name.kind)); }
std::string name_of(const PhysicalDevice& device) { return device::name(device); }
std::string name_of(const LogicalDevice& device) { return device::short_name(device); }

template <class Device>
NamesAndTypes names(const std::vector<Device>& devices) {
  NamesAndTypes found;
  for (const Device& device : devices) found.emplace_back(name_of(device), type_of(device));
  return found;
}

template <class Device>
std::vector<std::string> reprs(const std::vector<Device>& devices) {
  std::vector<std::string> found;
  for (const Device& device : devices) found.push_back(repr(device));
  return found;
}

// A process and the steps of its program, whose results are compared one by one.
struct Program {
  explicit Program(const Recording& all) : recording(all) {}

  template <class Step>
  void step(const std::string& key, const Step& call) {
    expect_recorded(recording, key, call);
  }
  PhysicalDevice cpu() const { return process.context.list_physical_devices(Kind::cpu)[0]; }
  void set_cpus(std::size_t count, const LogicalDeviceConfiguration& each = {}) {
    process.context.set_logical_device_configuration(cpu(), LogicalDeviceConfigurations(count, each));
  }
  void compare_set_cpus(const std::string& key, std::size_t count,
                        const LogicalDeviceConfiguration& each = {}) {
    step(key, [&] { set_cpus(count, each); });
  }
  void compare_start() {
    step("start", [&] { return device_of(train::constant(1.f)); });
  }
  void compare_logical(const std::string& key) {
    step(key, [&] { return names(process.context.list_logical_devices(Kind::cpu)); });
  }
  // What Python prints of the configuration. It says only None where there is none.
  void compare_configuration(const std::string& key) {
    compared()[&recording].insert(key);
    const std::string wanted = recording.value(key)->string();
    const auto found = process.context.get_logical_device_configuration(cpu());
    const std::string one =
        "LogicalDeviceConfiguration(memory_limit=None, experimental_priority=None, "
        "experimental_device_ordinal=None)";
    const std::vector<std::string> each(found ? found->size() : 0, one);
    EXPECT_EQ(wanted, found ? fmt::format("[{}]", fmt::join(each, ", ")) : "None") << key;
  }

  const Recording& recording;
  Process process{1};
};

// A kind of device is one of C++'s enumeration, and not a word of lower case. "printed line" is Python's own; is_gpu_available
// and gpu_device_name are old names; and our program is built for CUDA where it finds it, and not by a constant.
TEST(D1_D11, DevicesAreListedAsWasRecorded) {
  for (const Recording* recording : both("config_list_one")) {
    Program program(*recording);
    device::Context& config = program.process.context;
    program.step("physical", [&] { return reprs(config.list_physical_devices()); });
    program.step("physical CPU", [&] { return reprs(config.list_physical_devices(Kind::cpu)); });
    program.step("physical GPU", [&] { return reprs(config.list_physical_devices(Kind::gpu)); });
    program.step("physical TPU", [&] { return reprs(config.list_physical_devices(Kind::tpu)); });
    program.step("visible", [&] { return reprs(config.get_visible_devices()); });
    program.step("logical", [&] { return reprs(config.list_logical_devices()); });
    program.step("logical CPU", [&] { return reprs(config.list_logical_devices(Kind::cpu)); });
    program.step("logical GPU", [&] { return reprs(config.list_logical_devices(Kind::gpu)); });
    program.step("physical CPU after", [&] { return reprs(config.list_physical_devices(Kind::cpu)); });
    program.step("visible after", [&] { return reprs(config.get_visible_devices(Kind::cpu)); });
    program.step("gpus available", [&] { return config.list_physical_devices(Kind::gpu).size(); });
    program.step("equal", [&] {
      return config.list_logical_devices(Kind::cpu)[0].name == config.list_logical_devices(Kind::cpu)[0].name;
    });
    program.step("tuple", [&] { return names(config.list_logical_devices(Kind::cpu))[0]; });
    expect_all_compared(*recording, {"steps", "physical lower", "physical FOO", "logical lower",
                                     "printed line", "printed printed line", "is_gpu_available",
                                     "printed is_gpu_available", "gpu_device_name", "built with cuda"});
  }
}

// "old name" is an alias of Python's, with the same results.
TEST(D14_D15_D16, TheCpuIsSplitAsWasRecorded) {
  for (const Recording* recording : both("config_logical_twice")) {
    Program program(*recording);
    program.compare_configuration("read first");
    program.compare_set_cpus("three", 3);
    program.compare_configuration("read");
    program.compare_set_cpus("two instead", 2);
    program.compare_configuration("read again");
    program.step("physical", [&] { return names(program.process.context.list_physical_devices(Kind::cpu)); });
    program.compare_logical("logical");
    program.compare_set_cpus("same after start", 2);
    program.compare_set_cpus("other after start", 3);
    program.compare_set_cpus("fewer after start", 1);
    program.compare_configuration("read at last");
    program.compare_logical("still two");
    program.compare_set_cpus("old name", 4);
    program.compare_configuration("old name reads");
    expect_all_compared(*recording, {"steps"});
  }
}

// Words, None and logical devices in the place of a physical one, and unknown fields, aren't compiled. C++ doesn't print a
// configuration ("repr").
TEST(D14_D16, WrongConfigurationsAreRefusedAsWasRecorded) {
  for (const Recording* recording : both("config_logical_wrong")) {
    Program program(*recording);
    device::Context& config = program.process.context;
    program.compare_set_cpus("memory limit", 2, {.memory_limit = Bytes(1024 << 20)});
    program.compare_set_cpus("priority", 1, {.experimental_priority = 1});
    program.compare_set_cpus("ordinal", 1, {.experimental_device_ordinal = 1});
    program.compare_set_cpus("limit zero", 1, {.memory_limit = Bytes(0)});
    program.compare_set_cpus("limit negative", 1, {.memory_limit = Bytes(-1)});
    program.step("one limited of two", [&] {
      config.set_logical_device_configuration(program.cpu(), {{}, {.memory_limit = Bytes(64 << 20)}});
    });
    program.step("unknown",
                 [&] { config.set_logical_device_configuration({.kind = Kind::cpu, .index = 7}, {{}}); });
    program.step("gpu not there", [&] {
      config.set_logical_device_configuration({.kind = Kind::gpu}, {{.memory_limit = Bytes(1024 << 20)}});
    });
    program.compare_configuration("read");
    program.compare_start();
    program.compare_logical("logical");
    expect_all_compared(*recording,
                        {"steps", "limit text", "none", "name", "logical object", "repr", "unknown field"});
  }
}

TEST(D13_D16, MemoryGrowthIsRefusedAsWasRecorded) {
  for (const Recording* recording : both("config_memory_growth")) {
    Program program(*recording);
    device::Context& config = program.process.context;
    const auto grow = [&](const std::string& key, bool enable, const PhysicalDevice& device) {
      program.step(key, [&] { config.set_memory_growth(device, enable); });
    };
    // Python's KeyError for a device whose growth wasn't set is an optional without a value.
    EXPECT_FALSE(config.get_memory_growth(program.cpu()));
    grow("set", true, program.cpu());
    grow("set false", false, program.cpu());
    grow("gpu not there", true, {.kind = Kind::gpu});
    program.step("get gpu not there", [&] { config.get_memory_growth({.kind = Kind::gpu}); });
    program.compare_set_cpus("three cpus", 3);
    grow("set with virtual", true, program.cpu());
    program.compare_start();
    grow("set after start", true, program.cpu());
    EXPECT_FALSE(config.get_memory_growth(program.cpu()));
    train::Eager& tf = program.process.tf;
    program.step("info any gpu", [&] { tf.get_memory_info("GPU"); });
    program.step("info wrong", [&] { tf.get_memory_info("foo"); });
    program.step("reset", [&] { tf.reset_memory_stats("CPU:0"); });
    program.step("info", [&] { tf.get_memory_info("CPU:0"); });
    program.step("info gpu", [&] { tf.get_memory_info("GPU:0"); });
    program.step("reset gpu", [&] { tf.reset_memory_stats("GPU:0"); });
    // get_memory_usage and get_device_details aren't ours, and a name in the place of a physical device isn't compiled.
    expect_all_compared(*recording,
                        {"steps", "get", "get after start", "name", "usage", "printed usage", "details"});
  }
}

// A name or None in the place of a device isn't compiled, and a kind is never a word of lower case.
TEST(D10_D16, DevicesAreHiddenAsWasRecorded) {
  for (const Recording* recording : both("config_visible")) {
    Program program(*recording);
    device::Context& config = program.process.context;
    const auto show = [&](const std::string& key, const std::vector<PhysicalDevice>& devices,
                          std::optional<Kind> kind) {
      program.step(key, [&] { config.set_visible_devices(devices, kind); });
    };
    const auto get = [&](const std::string& key) {
      program.step(key, [&] { return names(config.get_visible_devices()); });
    };
    get("get");
    program.step("one", [&] { config.set_visible_devices(program.cpu(), Kind::cpu); });
    show("list", {program.cpu()}, {});
    show("no gpus", {}, Kind::gpu);
    show("wrong type", {program.cpu()}, Kind::gpu);
    show("type TPU", {}, Kind::tpu);
    show("unknown", {{.kind = Kind::cpu, .index = 3}}, Kind::cpu);
    get("get again");
    program.compare_start();
    show("same after start", {program.cpu()}, Kind::cpu);
    show("none after start", {}, Kind::cpu);
    show("no gpus after start", {}, Kind::gpu);
    show("wrong type after start", {program.cpu()}, Kind::gpu);
    program.compare_logical("logical");
    expect_all_compared(*recording, {"steps", "name", "none", "lower type"});
  }
}

// Threads, synchronous execution, the compiler, eager functions and deterministic operations have no switches here, since
// they change no device and no number.
TEST(D16_D5, WhatChangesAfterTheStartIsWhatWasRecorded) {
  for (const Recording* recording : both("config_after_start")) {
    Program program(*recording);
    train::Eager& tf = program.process.tf;
    program.step("soft before", [&] { return tf.get_soft_device_placement(); });
    program.compare_start();
    program.step("log placement", [&] { tf.set_log_device_placement(true); });
    program.step("log placement off", [&] { tf.set_log_device_placement(false); });
    program.step("soft", [&] { tf.set_soft_device_placement(false); });
    program.step("soft now", [&] { return tf.get_soft_device_placement(); });
    program.compare_set_cpus("logical", 2);
    program.step("policy", [&] { return std::string(tf.get_device_policy()); });
    program.step("policy explicit", [&] { tf.set_device_policy("explicit"); });
    program.step("policy now", [&] { return std::string(tf.get_device_policy()); });
    program.step("mirrored after start", [&] {
      return train::Strategy(train::mirrored(program.process.context)).num_replicas_in_sync();
    });
    program.step("MWMS after start", [&] {
      return train::Strategy(train::multi_worker_mirrored(program.process.context)).name();
    });
    program.step("policy wrong", [&] { tf.set_device_policy("loud"); });
    expect_all_compared(
        *recording, {"steps", "inter", "inter set", "intra set", "synchronous", "set synchronous", "jit",
                     "jit set", "run eagerly", "functions eager", "determinism", "printed MWMS after start"});
  }
}

// ---- Devices of strategies

using Devices = std::vector<strategy::GivenDevice>;
using Strings = std::vector<std::string>;

const std::map<std::string, Devices> mirrored_devices{
    {"default", {}},
    {"none", {}},
    {"empty", {}},
    {"short", {"/cpu:0", "/cpu:1"}},
    {"plain", {"CPU:0", "cpu:2"}},
    {"full", {"/job:localhost/replica:0/task:0/device:CPU:2"}},
    {"order", {"/cpu:2", "/cpu:0"}},
    {"tuple", {"/cpu:0", "/cpu:1"}},
    {"duplicates", {"/cpu:0", "/cpu:0"}},
    {"duplicates in other words", {"/cpu:1", "CPU:1"}},
    {"absent cpu", {"/cpu:0", "/cpu:9"}},
    {"gpus", {"/gpu:0", "/gpu:1"}},
    {"one gpu", {"/gpu:0"}},
    {"mixed", {"/cpu:0", "/gpu:0"}},
    {"one worker", {"/job:worker/task:0/cpu:0"}},
    {"worker jobs", {"/job:worker/task:0/cpu:0", "/job:worker/task:1/cpu:0"}},
    {"two jobs", {"/job:worker/task:0/cpu:0", "/job:localhost/cpu:0"}},
    {"nonsense", {"nonsense"}},
};

std::string class_of(strategy::CrossDeviceOps ops) {
  switch (ops) {
    case strategy::CrossDeviceOps::nccl:
      return "NcclAllReduce";
    case strategy::CrossDeviceOps::hierarchical_copy:
      return "HierarchicalCopyAllReduce";
    case strategy::CrossDeviceOps::reduction_to_one_device:
      return "ReductionToOneDevice";
    default:
      return "CollectiveAllReduce";
  }
}

// "ops" names two attributes of Python's object, of which the second one is None everywhere.
using Description = std::map<std::string, std::variant<std::int64_t, Strings>>;

Description described(const train::Strategy& strategy) {
  return {{"replicas", strategy.num_replicas_in_sync()},
          {"worker", strategy.extended().worker_devices()},
          {"parameter", strategy.extended().parameter_devices()},
          {"ops", Strings{class_of(strategy.traits().cross_device_ops), "NoneType"}}};
}

using Listed = std::tuple<std::int64_t, Strings, Strings>;

Listed listed(const train::Strategy& strategy) {
  return {strategy.num_replicas_in_sync(), strategy.extended().worker_devices(),
          strategy.extended().parameter_devices()};
}

std::set<std::string> printed_of(const Recording& recording) {
  std::set<std::string> printed;
  for (const std::string& key : keys_of(recording))
    if (key.starts_with("printed ")) printed.insert(key);
  return printed;
}

TEST(ST2_ST4_ST5_ST9_ST10, StrategiesHaveTheDevicesThatWereRecorded) {
  for (const Recording* recording : both("config_strategy_devices")) {
    Process process(3);
    device::Context& context = process.context;
    const auto mirrored = [&](const std::string& key, const train::MirroredArguments& arguments) {
      expect_recorded(*recording, key,
                      [&] { return described(train::Strategy(train::mirrored(context, arguments))); });
    };
    const auto central = [&](const std::string& key, const train::CentralStorageArguments& arguments) {
      expect_recorded(*recording, key,
                      [&] { return listed(train::Strategy(train::central_storage(context, arguments))); });
    };
    const auto one = [&](const std::string& key, const strategy::GivenDevice& device) {
      expect_recorded(*recording, key,
                      [&] { return listed(train::Strategy(train::one_device(context, device))); });
    };
    for (const auto& [key, devices] : mirrored_devices) mirrored(key, {.devices = devices});
    std::vector<LogicalDevice> all = context.list_logical_devices(Kind::cpu);
    mirrored("objects", {.devices = strategy::given({all[0], all[1]})});
    mirrored("nccl", {.cross_device_ops = train::nccl_all_reduce()});
    mirrored("hierarchical", {.cross_device_ops = train::hierarchical_copy_all_reduce()});
    mirrored("one device", {.cross_device_ops = strategy::CrossDeviceOps::reduction_to_one_device});
    central("central None None", {});
    central("central ['/cpu:1'] None", {.compute_devices = {"/cpu:1"}});
    for (const std::string name : {"/cpu:0", "/cpu:1", "CPU:2", "/gpu:0", "/cpu:9", "nonsense"})
      one("one " + name, name);
    one("one LogicalDevice(name='/device:CPU:1', device_type='CPU')", all[1]);

    // TensorFlow keeps a parameter device as it was written, "/device:CPU:0" and "/cpu:2", and ours is a full name.
    const auto central_in_full = [&](const std::string& key,
                                     const train::CentralStorageArguments& arguments) {
      const json::Value::Elements& wanted = recording->value(key)->elements();
      const auto [replicas, worker, parameter] =
          listed(train::Strategy(train::central_storage(context, arguments)));
      expect_value(key, Wanted{wanted.at(0)}, replicas);
      expect_value(key, Wanted{wanted.at(1)}, worker);
      const device::Name written = device::parse_name(wanted.at(2).elements().at(0).string());
      EXPECT_EQ(parameter, Strings{device::print(device::canonical(written))}) << key;
      compared()[recording].insert(key);
    };
    central_in_full("central ['/cpu:0', '/cpu:1'] None", {.compute_devices = {"/cpu:0", "/cpu:1"}});
    central_in_full("central ['/gpu:0', '/gpu:1'] None", {.compute_devices = {"/gpu:0", "/gpu:1"}});
    central_in_full("central ['/cpu:0', '/cpu:1'] /cpu:2",
                    {.compute_devices = {"/cpu:0", "/cpu:1"}, .parameter_device = "/cpu:2"});

    std::set<std::string> left_out = printed_of(*recording);  // our strategies don't log that they were made
    left_out.insert(
        {"steps", "text", "number", "physical", "wrong ops",
         // Two replicas on one device, and none, are refused here as devices of MirroredStrategy are.
         "central ['/cpu:0', '/cpu:0'] None", "central [] None"});
    expect_all_compared(*recording, left_out);
  }
}

}  // namespace
}  // namespace wt::test::placement
