// Claims: the nodes of a traced function are placed, or refused, where TensorFlow's placer was recorded to place them, in
// scopes inside of the function and around its call, and in a session of TensorFlow 1.
//
// TensorFlow's nodes _Arg, Const, Identity, NoOp and _Retval are those of its own calls, and aren't compared. Functions with
// loops and with replicas are in log_test.cpp.

#include "device/spec.h"
#include "placement/placement_recorded.h"
#include "program/operations.h"
#include "program/step_placement.h"

namespace wt::test::placement {
namespace {

using device::DeviceSpec;

DeviceScope scope(const std::string& name, const std::string& device) {
  return {name, DeviceSpec::from_string(device).name()};
}

PlacementRules rules_of(int count) {
  PlacementRules rules;
  for (const device::LogicalDevice& cpu : cpus(0, count)) rules.devices.push_back(cpu.name);
  return rules;
}

const std::set<std::string> own_names{"MatMul", "AddV2", "Square", "Exp", "Mul", "ReadVariableOp"};

Operations sorted(Operations operations) {
  std::sort(operations.begin(), operations.end());
  return operations;
}

// The operations that a step calls, and their devices.
Operations own(const StepPlacement& placement) {
  Operations found;
  for (const PlacedNode& node : placement.nodes)
    found.emplace_back(node.operation, device::print(node.given));
  return sorted(only(own_names, found));
}

Operations own_in(const Recording& recording, const std::string& step) {
  const Operations found = sorted(only(own_names, recorded_nodes(recording, step)));
  EXPECT_FALSE(found.empty()) << step;
  return found;
}

Symbol product_of(Trace& trace, const Symbol& a, const Symbol& b) {
  return trace.in_scope("product", [&] { return matmul(a, b); });
}

Step product_step(const Shape& left, const Shape& right) {
  return trace("step", [&](Trace& trace) {
    const Symbol a = trace.input("a", {Type::float32, left}), b = trace.input("b", {Type::float32, right});
    trace.result("product", product_of(trace, a, b));
  });
}

// TensorFlow's sentence has no nodes, and its node has the name of the product itself.
std::string as_recorded(std::string sentence) {
  sentence = std::regex_replace(sentence, std::regex("\\{\\{node [^}]*\\}\\} "), "");
  return std::regex_replace(sentence, std::regex("product/MatMul"), "product");
}

// The device of a function's result is that of its caller, wherever its nodes are.
std::string device_of_result(const Step& step, const PlacementRules& rules, const std::string& device) {
  try {
    const DeviceScope inside = scope("product", device);
    place(step, rules, {&inside, 1});
  } catch (const InvalidArgumentError& error) {
    throw InvalidArgumentError(as_recorded(error.what()));
  }
  return device::print(device::canonical({}));
}

TEST(D4_D7, AbsentDevicesInsideAFunctionArePlacedAsWasRecorded) {
  const Step step = product_step({2, 2}, {2, 2});
  for (const Recording* recording : both("soft_on_function_inside")) {
    for (const json::Value& device : recording->config("devices")->elements())
      expect_recorded(*recording, device.string(),
                      [&] { return device_of_result(step, rules_of(2), device.string()); });
    expect_all_compared(*recording, {"config", "soft before", "soft after"});
  }
}

// Without soft placement TensorFlow refuses a function's device before its placer does, and says so in other words:
// "Unable to find any devices for spec /device:CPU:9". Ours are those of the placer.
TEST(D4_D7, AbsentDevicesInsideAFunctionAreRefusedAsWasRecorded) {
  const Step step = product_step({2, 2}, {2, 2});
  PlacementRules rules = rules_of(2);
  rules.soft_placement = false;
  for (const Recording* recording : both("soft_off_function_inside"))
    for (const json::Value& device : recording->config("devices")->elements()) {
      const auto call = [&] { return device_of_result(step, rules, device.string()); };
      if (recording->value(device.string()) != nullptr) {
        expect_recorded(*recording, device.string(), call);
      } else {
        EXPECT_EQ(recording->error(device.string())->find("type")->string(), "InvalidArgumentError");
        EXPECT_THROW(call(), InvalidArgumentError) << device.string();
      }
    }
}

// In eager mode a function of C++ is executed operation by operation, and those are in the scope of its call.
TEST(D4_D7, AbsentDevicesAroundAFunctionArePlacedAsWasRecorded) {
  for (const std::string soft : {"on", "off"})
    for (const Recording* recording : both("soft_" + soft + "_function_around")) {
      Process process(2);
      process.tf.set_soft_device_placement(recording->config("soft")->boolean());
      const auto function = [](const EagerTensor& y) { return matmul(y, y); };
      for (const json::Value& device : recording->config("devices")->elements())
        expect_recorded(*recording, device.string(), [&] {
          const EagerTensor x = train::constant<float>({1, 2, 3, 4}, {2, 2});
          const auto around = process.tf.device(device.string());
          return device_of(function(x));
        });
      expect_all_compared(*recording, {"config", "soft before", "soft after"});
    }
}

using OperationAndValue = std::map<std::string, std::variant<std::string, EagerTensor>>;

// Where TensorFlow refuses the device of another job, it says "Graph execution error:" and its stack.
TEST(D4_D5, ASessionPlacesItsGraphAsWasRecorded) {
  const Step step = product_step({1, 2}, {2, 1});
  for (const Recording* recording : both("session_soft_on")) {
    Process process(3);
    for (const std::string name : {"/CPU:0", "/cpu:2", "/CPU:9", "/GPU:0", "/device:FOO:0"}) {
      const DeviceScope all = scope("", name);
      const StepPlacement placement = place(step, rules_of(3), {&all, 1});
      EXPECT_EQ(sorted(only(own_names, nodes_in(*recording->value("log " + name)))), own(placement)) << name;
      expect_recorded(*recording, name, [&] {
        const EagerTensor product =
            matmul(train::constant<float>({3, 4}, {1, 2}), train::constant<float>({1, 2}, {2, 1}));
        return OperationAndValue{{"op device", DeviceSpec::from_string(name).to_string()},
                                 {"value", product}};
      });
    }
    const DeviceScope elsewhere = scope("", "/job:worker/task:0/CPU:0");
    EXPECT_EQ(recording->error("/job:worker/task:0/CPU:0")->find("type")->string(), "InvalidArgumentError");
    EXPECT_THROW(place(step, rules_of(3), {&elsewhere, 1}), InvalidArgumentError);
  }
}

// ---- Logs of the placer

TEST(D5_G22, AFunctionIsPlacedAsWasRecorded) {
  const auto function = [](const Shape& left, const Shape& right) {
    return trace("f", [&](Trace& trace) {
      const Symbol a = trace.input("a", {Type::float32, left}), b = trace.input("b", {Type::float32, right});
      trace.result("sum", product_of(trace, a, b) + 1.);
    });
  };
  for (const Recording* recording : both("log_function")) {
    EXPECT_EQ(own_in(*recording, "first call"), own(place(function({1, 2}, {2, 1}), rules_of(1))));
    EXPECT_EQ(own_in(*recording, "other shape"), own(place(function({2, 1}, {1, 2}), rules_of(1))));
    EXPECT_EQ(recorded_nodes(*recording, "second call"), Operations{}) << "a step is placed once";
  }
}

TEST(D5_D7, ScopesInsideAndAroundAFunctionArePlacedAsWasRecorded) {
  const Step inside = trace("inside", [](Trace& trace) {
    const Symbol x = trace.input("x", {Type::float32, {2}});
    const Symbol y = trace.in_scope("in_one", [&] { return square(x); });
    const Symbol z = trace.in_scope("in_two", [&] { return exp(y); });
    trace.result("y", y);
    trace.result("z", z);
    trace.result("nowhere", y + z);
  });
  const Step plain = trace("plain", [](Trace& trace) {
    trace.result("square", square(trace.input("x", {Type::float32, {2}})));
  });
  const DeviceScope one = scope("in_one", "/CPU:1"), two = scope("in_two", "/CPU:2");
  for (const Recording* recording : both("log_function_scopes")) {
    const auto compare = [&](const std::string& key, const Step& step,
                             const std::vector<DeviceScope>& scopes) {
      EXPECT_EQ(own_in(*recording, key), own(place(step, rules_of(3), scopes))) << key;
    };
    compare("scopes inside", inside, {one, two});
    compare("scope around", plain, {scope("", "/CPU:2")});
    compare("inside and around", inside, {scope("", "/CPU:1"), one, two});
    compare("plain", plain, {});
  }
}

// A traced step has no assign_add of its own, but those of an optimizer.
TEST(D7_G22, AVariableOfAFunctionIsReadWhereWasRecorded) {
  const Step step = trace("f", [](Trace& trace) {
    const Symbol x = trace.input("x", {Type::float32, {}});
    const Symbol v = trace.variable("v", {Type::float32, {}});
    trace.result("product", trace.in_scope("product", [&] { return x * v; }));
  });
  for (const Recording* recording : both("log_function_variable")) {
    const std::vector<DeviceScope> captured{scope("v", "/CPU:2")};
    EXPECT_EQ(own_in(*recording, "call"), own(place(step, rules_of(3), captured)));
    const std::vector<DeviceScope> given{scope("v", "/CPU:2"), scope("product", "/CPU:1")};
    EXPECT_EQ(own_in(*recording, "variable as argument"), own(place(step, rules_of(3), given)));
  }
}

}  // namespace
}  // namespace wt::test::placement
