#pragma once
// A whole step placed as TensorFlow's graph placer does it (common_runtime/placer.cc, colocation_graph.cc):
// every variable, read, node and result with the device it asks for, the one it is given, and why.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/placement.h"
#include "program/program.h"

namespace wt {

// tf.device around all that is made in a scope: "conv2d", "gradient/conv2d"; "" is the whole step. Scopes
// that lie inside others override what they name and keep the rest. Variables belong to the scope their name
// begins with.
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
  std::optional<std::size_t> node{};  // of the program; an optimizer's node has a row per parameter
};

// Numbers that are sent because one device makes them and another reads them; once per device that reads.
struct DeviceCopy {
  std::string name{};  // of the row that makes them
  TensorSpec spec{};
  device::Name from{};
  device::Name to{};
};

struct StepPlacement {
  std::vector<PlacedNode> nodes{};
  std::vector<DeviceCopy> copies{};
};

// Optimizers' slots and all updates are colocated with the variable, and so are reads of it; inputs come from
// the host; what has no inputs goes where its result is wanted; everything else to the device that is asked
// for or the best one. Throws InvalidArgumentError with TensorFlow's text.
StepPlacement place(const Step& step, const PlacementRules& rules, std::span<const DeviceScope> scopes = {});

std::vector<std::string> log_lines(const StepPlacement& placement);  // "conv2d/Conv2D: (Conv2D): /job:..."
std::string print(const StepPlacement& placement);                   // a table, and below it the copies

}  // namespace wt
