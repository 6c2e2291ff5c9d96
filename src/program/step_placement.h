#pragma once
// Places a whole step as TensorFlow's graph placer does (common_runtime/placer.cc, colocation_graph.cc). The
// result has a row for every variable, read, node and result of the step:
//
//   node                              operation       requested      given          why
//   dense/kernel                      VarHandleOp     /device:GPU:1  /device:GPU:1  variable, requested
//   dense/kernel/Read/ReadVariableOp  ReadVariableOp  -              /device:GPU:1  colocated with ...
//   dense/MatMul                      MatMul          /device:GPU:1  /device:GPU:1  requested

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/placement.h"
#include "program/program.h"

namespace wt {

// A tf.device block around everything in a scope such as "conv2d" or "gradient/conv2d"; "" is the whole step.
// An inner scope overrides the parts that its device name sets and keeps the others. A variable belongs to
// the scope with which its name begins.
struct DeviceScope {
  std::string scope{};
  device::Name device{};
};

struct PlacedNode {
  std::string name{};  // "conv2d/Conv2D_1", unique as TensorFlow makes names unique
  std::string operation{};
  device::Name requested{};
  device::Name given{};
  std::string why{};
  std::optional<std::size_t> node{};  // of the program; an optimizer's node has one row per parameter
};

// A tensor that is copied because one device computes it and another one reads it. There is one copy for each
// device that reads it.
struct DeviceCopy {
  std::string name{};  // of the row that computes the tensor
  TensorSpec spec{};
  device::Name from{};
  device::Name to{};
};

struct StepPlacement {
  std::vector<PlacedNode> nodes{};
  std::vector<DeviceCopy> copies{};
};

// The slots of an optimizer, and all reads and updates of a variable, are colocated with the variable. Inputs
// come from the host. An operation without inputs goes to the device that reads its result. Every other
// operation goes to the requested device or, without a request, to the best one. Throws InvalidArgumentError
// with TensorFlow's text.
StepPlacement place(const Step& step, const PlacementRules& rules, std::span<const DeviceScope> scopes = {});

// "conv2d/Conv2D: (Conv2D): /job:...", as tf.debugging.set_log_device_placement logs it.
std::vector<std::string> log_lines(const StepPlacement& placement);
// The table above, and the copies below it.
std::string print(const StepPlacement& placement);

}  // namespace wt
