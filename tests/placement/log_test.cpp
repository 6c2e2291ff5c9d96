// Claims: the operations of a program are executed on the devices where TensorFlow was recorded to execute them, alone,
// in scopes, on variables and under strategies.
//
// Compared are the operations that the programs call themselves, in their order. Where TensorFlow executes others for them,
// the test says which ones are compared. In particular, TensorFlow's axes are tensors, which it logs as _EagerConst, and a
// sum of several tensors is AddN, in whose place ours is a chain of AddV2.

#include "placement/placement_recorded.h"
#include "train/distributed/constructors.h"
#include "train/distributed/tape.h"

namespace wt::test::placement {
namespace {

using train::constant;
using train::Strategy;
using train::Variable;

// A process whose operations are logged, and compared with those of a step of the recording.
struct Logged {
  explicit Logged(const Recording& all)
      : recording(all), process(static_cast<std::size_t>(all.config("cpus")->integer())) {
    process.tf.set_log_device_placement(true);
  }

  // Operations of a strategy are logged together with those of the process.
  void log(const Strategy& strategy) {
    strategy.set_log_device_placement(true,
                                      [this](const std::string& line) { process.lines.push_back(line); });
  }

  // Runs a step, and keeps what it logged.
  template <class Call>
  auto step(const std::string& name, const Call& call) {
    process.lines.clear();
    step_name = name;
    return call();
  }
  Operations found(const std::set<std::string>& names = {}) const {
    return only(names, operations_in(process.lines));
  }
  Operations wanted(const std::set<std::string>& names = {}) const {
    return only(names, recorded_operations(recording, step_name));
  }
  void expect_same(const std::set<std::string>& names = {}) const {
    EXPECT_FALSE(wanted(names).empty()) << step_name;
    EXPECT_EQ(wanted(names), found(names)) << recording.version << " " << recording.id << " " << step_name;
  }

  void expect_devices(const std::string& key, const auto& devices) {
    expect_recorded(recording, key, [&] { return devices; });
  }

  const Recording& recording;
  Process process;
  std::string step_name{};
};

using Devices = std::map<std::string, std::string>;

std::vector<std::string> devices_of(const std::vector<EagerTensor>& tensors) {
  std::vector<std::string> devices;
  for (const EagerTensor& tensor : tensors) devices.push_back(device_of(tensor));
  return devices;
}

void expect_tensor(const Recording& recording, const std::string& name, const Tensor& found) {
  EXPECT_LT(relative_difference(found, recording.tensors().at(name)), 1e-6)
      << recording.version << " " << name;
}

// ---- Single operations

TEST(D3_D5_D6_D18, AProductIsLoggedAsWasRecorded) {
  for (const Recording* recording : both("log_eager_matmul")) {
    Logged log(*recording);
    const EagerTensor a = log.step("a", [] { return constant<float>({1, 2, 3, 4, 5, 6}, {2, 3}); });
    log.expect_same();
    const EagerTensor b = log.step("b", [] { return constant<float>({1, 2, 3, 4, 5, 6}, {3, 2}); });
    log.expect_same();
    const EagerTensor c = log.step("product", [&] { return matmul(a, b); });
    log.expect_same();
    std::string printed;
    for (const json::Value& line : recording->value("log")->find("print")->find("out")->elements())
      printed += (printed.empty() ? "" : "\n") + line.string();
    EXPECT_EQ(printed, print(c));
    log.expect_devices("devices", devices_of({a, b, c}));
    expect_tensor(*recording, "c", c.numbers);
  }
}

TEST(D2_D7, OperationsInScopesAreLoggedAsWasRecorded) {
  for (const Recording* recording : both("log_eager_scope")) {
    Logged log(*recording);
    const auto [a, b] = log.step("constants in /CPU:1", [&] {
      const auto scope = log.process.tf.device("/CPU:1");
      return std::pair(constant<float>({1, 2, 3, 4}, {2, 2}), constant<float>({5, 6, 7, 8}, {2, 2}));
    });
    log.expect_same();
    const EagerTensor left = a, right = b;
    const EagerTensor c = log.step("product outside", [&] { return matmul(left, right); });
    log.expect_same();
    const EagerTensor d = log.step("product in CPU:2", [&] {
      const auto scope = log.process.tf.device("/device:CPU:2");
      return matmul(left, right);
    });
    log.expect_same();
    log.expect_devices("devices", devices_of({a, b, c, d}));
    std::vector<std::string> backing;
    for (const EagerTensor& each : {a, b, c, d}) backing.push_back(device::print(each.backing_device()));
    log.expect_devices("backing", backing);
    expect_all_compared(*recording, {"config", "steps", "log"});
  }
}

// Tensors have no methods cpu() and gpu() here: identity in the scope of a device is the way to copy one.
TEST(D7, InputsOnTwoDevicesAreCopiedAsWasRecorded) {
  for (const Recording* recording : both("log_eager_two_devices")) {
    Logged log(*recording);
    train::Eager& tf = log.process.tf;
    const auto made = [&](const char* device, const std::vector<float>& values) {
      const auto scope = tf.device(device);
      return constant<float>(values, {2, 2});
    };
    const EagerTensor a = made("/CPU:1", {1, 2, 3, 4}), b = made("/CPU:2", {1, 0, 0, 1});
    Devices seen;
    const auto compare = [&](const std::string& name, const std::set<std::string>& names, const auto& call) {
      seen[name] = device_of(log.step(name, call));
      log.expect_same(names);
    };
    compare("matmul", {}, [&] { return matmul(a, b); });
    compare("add", {}, [&] { return a + b; });
    compare("concat", {"ConcatV2"}, [&] { return train::concat(std::vector{b, a}, 0); });
    compare("identity", {}, [&] { return train::identity(a); });
    compare("identity in CPU:0", {}, [&] {
      const auto scope = tf.device("/CPU:0");
      return train::identity(b);
    });
    log.expect_devices("devices", seen);
  }
}

TEST(D7, OperationsOnAVariableAreLoggedAsWasRecorded) {
  for (const Recording* recording : both("log_eager_variable")) {
    Logged log(*recording);
    const auto in = [&](const char* device, const auto& call) {
      const auto scope = log.process.tf.device(device);
      return call();
    };
    Variable v = log.step("create in CPU:2", [&] {
      return in("/CPU:2", [] { return Variable(constant({1.f, 2.f}), {.name = "v"}); });
    });
    log.expect_same();
    Devices seen{{"variable", device::print(v.device())}};
    seen["read"] = device_of(log.step("read", [&] { return v.read_value(); }));
    log.expect_same();
    seen["value + 1"] = device_of(log.step("value + 1", [&] { return v + 1.; }));
    log.expect_same();
    log.step("assign_add", [&] { v.assign_add(constant({1.f, 1.f})); });
    log.expect_same();
    seen["in CPU:1"] = device_of(log.step("assign and product in CPU:1", [&] {
      return in("/CPU:1", [&] {
        v.assign(constant({5.f, 6.f}));
        return v * 2.;
      });
    }));
    log.expect_same();
    seen["handle"] = device::print(v.device());
    const Variable copy = log.step("another from it in CPU:1",
                                   [&] { return in("/CPU:1", [&] { return Variable(v.value(), {}); }); });
    log.expect_same();
    seen["copy"] = device::print(copy.device());
    log.expect_devices("devices", seen);
    expect_tensor(*recording, "v", v.value().numbers);
    expect_all_compared(*recording, {"config", "steps", "log"});
  }
}

// Of the way back, the product is compared: other operations of it are those of our own derivatives.
TEST(P8_D7, GradientsAreComputedOutsideOfTheScopeAsWasRecorded) {
  for (const Recording* recording : both("log_eager_gradient")) {
    Logged log(*recording);
    const auto made = [&] {
      const auto scope = log.process.tf.device("/CPU:1");
      return Variable(constant<float>({1, 2}, {2, 1}), {});
    };
    const Variable w = made();
    const EagerTensor x = constant<float>({3, 4}, {1, 2});
    train::GradientTape tape;
    const EagerTensor y = log.step("forward", [&] {
      const auto scope = log.process.tf.device("/CPU:2");
      return reduce_sum(square(matmul(x, w)));
    });
    log.expect_same({"ReadVariableOp", "MatMul", "Square", "Sum"});
    const EagerTensor gradient =
        log.step("gradient", [&] { return dense(tape.gradient(y, std::vector{w})[0]); });
    for (const auto& [operation, device] : log.found()) EXPECT_EQ(device, device_of(gradient)) << operation;
    log.expect_devices(
        "devices",
        Devices{{"y", device_of(y)}, {"gradient", device_of(gradient)}, {"w", device::print(w.device())}});
    expect_tensor(*recording, "gradient", gradient.numbers);
    expect_all_compared(*recording, {"config", "steps", "log"});
  }
}

// ---- Strategies

using DeviceLists = std::map<std::string, std::variant<std::string, std::vector<std::string>>>;

TEST(ST1_ST2_ST7_G12_G20, AMirroredStrategyIsLoggedAsWasRecorded) {
  for (const Recording* recording : both("log_mirrored_eager")) {
    Logged log(*recording);
    const Strategy strategy(train::mirrored(log.process.context));
    log.log(strategy);
    DeviceLists seen{{"worker_devices", strategy.extended().worker_devices()},
                     {"parameter_devices", strategy.extended().parameter_devices()}};
    Variable v = log.step("variable", [&] {
      const auto scope = strategy.scope();
      return Variable([] { return constant({1.f, 2.f}); }, {.name = "v"});
    });
    log.expect_same({"VarHandleOp", "AssignVariableOp", "ReadVariableOp", "Identity"});  // without NoOp
    std::vector<std::string> copies;
    for (const Variable& copy : v.copies()) copies.push_back(device::print(copy.device()));
    seen["copies"] = copies;
    log.step("assign", [&] { v.assign(constant({3.f, 4.f})); });
    log.expect_same({"AssignVariableOp"});  // TensorFlow reads the copies afterwards, as the result
    const auto r = log.step("run", [&] {
      return strategy.run([&] {
        const auto id = static_cast<std::int32_t>(train::get_replica_context()->replica_id_in_sync_group());
        const EagerTensor factor = cast(constant(id) + 1., Type::float32);
        return v * factor;
      });
    });
    log.expect_same({"AddV2", "Cast", "ReadVariableOp", "Mul"});
    seen["run"] = devices_of(r.values());
    seen["reduce sum"] =
        device_of(log.step("reduce", [&] { return strategy.reduce(train::ReduceOp::sum, r); }));
    log.expect_same({"Identity"});
    seen["reduce mean axis"] =
        device_of(log.step("reduce axis", [&] { return strategy.reduce(train::ReduceOp::mean, r, 0); }));
    const auto total = log.step("all_reduce", [&] {
      return strategy.run(
          [&] { return train::get_replica_context()->all_reduce(train::ReduceOp::sum, v + 1.); });
    });
    seen["all_reduce"] = devices_of(total.values());
    // Behind them is the reduction, which TensorFlow executes as CollectiveReduceV2.
    Operations own = log.found({"ReadVariableOp", "AddV2"});
    const Operations wanted = log.wanted({"ReadVariableOp", "AddV2"});
    ASSERT_GE(own.size(), wanted.size());
    own.resize(wanted.size());
    EXPECT_EQ(wanted, own);
    log.expect_devices("devices", seen);
    expect_all_compared(*recording, {"config", "steps", "log"});
  }
}

TEST(ST9_G12, CentralStorageIsLoggedAsWasRecorded) {
  for (const Recording* recording : both("log_central_variable")) {
    Logged log(*recording);
    const Strategy strategy(train::central_storage(
        log.process.context, {.compute_devices = {"/cpu:1", "/cpu:2"}, .parameter_device = "/cpu:0"}));
    log.log(strategy);
    Variable v = log.step("variable", [&] {
      const auto scope = strategy.scope();
      return Variable([] { return constant({1.f, 2.f}); }, {.name = "v", .aggregation = Aggregation::sum});
    });
    log.expect_same();
    EXPECT_EQ(recording->value("variable")->find("device")->string(), device::print(v.device()));
    const auto r = log.step("run", [&] { return strategy.run([&] { return v + 1.; }); });
    log.expect_same();
    log.expect_devices("run", devices_of(r.values()));
    log.step("assign_add in run", [&] { strategy.run([&] { v.assign_add(constant({1.f, 1.f})); }); });
    log.expect_same({"_EagerConst", "AssignAddVariableOp"});
    expect_tensor(*recording, "v", v.value().numbers);
    const EagerTensor sum = log.step("reduce", [&] { return strategy.reduce(train::ReduceOp::sum, r); });
    log.expect_same({"Identity"});
    log.expect_devices("reduce", device_of(sum));
    expect_all_compared(*recording, {"config", "steps", "log", "variable"});
  }
}

// ---- A training step

using Kinds = std::set<Operation>;

// Its operations, without their order and number, which are those of our own derivatives.
Kinds kinds(const Operations& operations) { return {operations.begin(), operations.end()}; }

// The devices of operations that change variables, which depend on the version of Keras.
std::set<std::string> changed_on(const Operations& operations) {
  std::set<std::string> devices;
  for (const auto& [operation, device] : operations)
    if (operation.starts_with("Assign")) devices.insert(device);
  return devices;
}

void compare_training_step(const Recording& recording, const Strategy::Traits& traits, Logged& log) {
  const Strategy strategy(traits);
  log.log(strategy);
  const std::int64_t replicas = strategy.num_replicas_in_sync();
  const auto made = [&](const std::vector<float>& values, const Shape& shape) {
    const auto scope = strategy.scope();
    return Variable([&] { return constant<float>(values, shape); }, {.aggregation = Aggregation::sum});
  };
  Variable kernel = made({.5f, -.25f}, {2, 1}), bias = made({.125f}, {1});
  const auto step = [&] {
    const EagerTensor x = constant<float>({1, 2}, {1, 2}), y = constant<float>({1}, {1, 1});
    train::GradientTape tape;
    const EagerTensor error = matmul(x, kernel) + bias - y;
    const EagerTensor loss = reduce_sum(square(error)) / static_cast<double>(replicas);
    const auto gradients = tape.gradient(loss, std::vector{kernel, bias});
    kernel.assign_sub(dense(gradients[0]) * .5);
    bias.assign_sub(dense(gradients[1]) * .5);
    return loss;
  };
  const std::set<std::string> own{"ReadVariableOp", "MatMul", "Sub", "Square", "Sum", "RealDiv"};
  const bool is_function = recording.id.ends_with("function");  // which is placed once, and returns the sum
  for (const std::string name : {"first step", "second step"}) {
    const auto losses = log.step(name, [&] { return strategy.run(step); });
    const bool is_first = name == "first step";
    const Operations wanted = is_function ? recorded_nodes(recording, "first step") : log.wanted();
    EXPECT_EQ(kinds(only(own, wanted)), kinds(log.found(own))) << recording.version << " " << recording.id;
    EXPECT_EQ(changed_on(wanted), changed_on(log.found())) << recording.version << " " << recording.id;
    if (!is_first) continue;
    if (is_function) {
      const EagerTensor sum = strategy.reduce(train::ReduceOp::sum, losses);
      expect_recorded(recording, "result", [&] { return std::vector{sum}; });
    } else {
      expect_recorded(recording, "result", [&] { return losses.values(); });
    }
  }
  for (const auto& [name, numbers] : recording.tensors()) {
    const Variable& variable = name.ends_with("kernel") ? kernel : bias;
    EXPECT_LT(relative_difference(variable.value().numbers, numbers), 1e-4) << name;
  }
}

TEST(ST7_ST9_G12_P9, ATrainingStepIsExecutedWhereItWasRecorded) {
  using Make = std::function<Strategy::Traits(device::Context&)>;
  const std::map<std::string, Make> strategies{
      {"mirrored", [](device::Context& context) { return train::mirrored(context); }},
      {"central",
       [](device::Context& context) {
         return train::central_storage(
             context, {.compute_devices = {"/cpu:1", "/cpu:2"}, .parameter_device = "/cpu:0"});
       }},
      {"one_device", [](device::Context& context) { return train::one_device(context, "/cpu:1"); }},
  };
  const auto compare = [&](const std::string& name, const Make& make) {
    for (const Recording* recording : both("log_step_" + name)) {
      Logged log(*recording);
      compare_training_step(*recording, make(log.process.context), log);
    }
  };
  for (const auto& [kind, make] : strategies) compare(kind + "_eager", make);
  compare("mirrored_function", strategies.at("mirrored"));
}

// ---- Functions, which C++ executes operation by operation: the same operations on the same devices

TEST(ST1_ST7_G22, AFunctionWithAReductionIsExecutedWhereItWasRecorded) {
  for (const Recording* recording : both("log_mirrored_function")) {
    Logged log(*recording);
    const Strategy strategy(train::mirrored(log.process.context));
    log.log(strategy);
    const auto made = [&] {
      const auto scope = strategy.scope();
      return Variable([] { return constant({1.f, 2.f}); }, {.name = "v"});
    };
    const Variable v = made();
    const auto total = [&] { return train::get_replica_context()->all_reduce(train::ReduceOp::sum, v * 2.); };
    const EagerTensor r =
        log.step("call", [&] { return strategy.reduce(train::ReduceOp::mean, strategy.run(total)); });
    const std::set<std::string> own{"ReadVariableOp", "Mul", "RealDiv"};
    EXPECT_EQ(kinds(only(own, recorded_nodes(*recording, "call"))), kinds(log.found(own)));
    log.expect_devices("device", device_of(r));
    expect_tensor(*recording, "r", r.numbers);
    expect_all_compared(*recording, {"config", "steps", "log"});
  }
}

// A loop and a condition are those of C++, so that no operation decides about them.
TEST(D5, ALoopInAFunctionIsExecutedWhereItWasRecorded) {
  for (const Recording* recording : both("log_function_control_flow")) {
    Logged log(*recording);
    const EagerTensor result = log.step("call", [&] {
      EagerTensor x = constant({1.f, 2.f});
      for (int i = 0; i < 3; ++i) {
        const auto scope = log.process.tf.device("/CPU:1");
        x = x * 2.;
      }
      return reduce_sum(x).numbers.values<float>()[0] > 10 ? x - 1. : x + 1.;
    });
    const std::set<std::string> own{"Mul", "Sub", "Sum"};
    EXPECT_EQ(kinds(only(own, recorded_nodes(*recording, "call"))), kinds(log.found(own)));
    expect_recorded(*recording, "result", [&] { return result; });
    log.expect_devices("device", device_of(result));
    expect_all_compared(*recording, {"config", "steps", "log"});
  }
}

// ---- Devices that a strategy is given and nobody has

// With soft placement TensorFlow makes the strategy, and places its variable on the host; its all-reduce never ends, so
// that only ours has a result. Without, TensorFlow refuses the strategy, whose collectives have variables on the devices:
// soft placement is a property of Eager here, which a strategy makes after it was made.
TEST(ST4_ST2, VariablesOfAbsentGpusAreWhereWasRecorded) {
  for (const Recording* recording : both("mirrored_absent_gpus")) {
    const json::Value::Elements& lines = recording->value("soft True")->find("out")->elements();
    Process process(1);
    const Strategy strategy(train::mirrored(process.context, {.devices = {"/gpu:0", "/gpu:1"}}));
    const auto scope = strategy.scope();
    const Variable v(constant({1.f, 2.f}), {});
    EXPECT_EQ(lines.at(1).string(), "variable ok: " + device::print(v.device()));
  }
}

}  // namespace
}  // namespace wt::test::placement
