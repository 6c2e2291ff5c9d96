#pragma once
// What a node of a plan is for, as data that every reader of the plan can use: the clock treats copies of rows and
// messages of a reduction differently, traces and explanations group nodes by it. A scope is the same for people:
//
//   # conv2d                      Role{forward}
//   # gradient/conv2d             Role{gradient}
//   # replica_1/input             Role{input_copy, replica = 1}
//   # all_reduce/3                Role{reduction, number = 3, replica = everyone}
//   # replica_1/all_reduce/3/pack Role{packing, number = 3, replica = 1}

#include <compare>
#include <cstdint>
#include <string>

namespace wt::plan {

enum class Purpose : std::uint8_t {
  other,
  input_pipeline,  // a host reads and decodes a batch
  input_copy,      // the rows of a batch, from their host to the replica's device
  forward,
  gradient,
  packing,    // copies and scaling on a replica before and after reduction number k
  reduction,  // the messages and sums of reduction number k, or the whole of it
  reduce,     // a value of every replica is added on one device
  broadcast,
  gather,
  permute,
  transfer,         // a value, between the logical devices of a replica
  initial_value,    // a variable's first value, to the other devices of a task
  pull,             // a variable, from the device that keeps it
  push,             // gradient number k, to the device that keeps its variable
  update,           // new values of variables
  aggregation,      // values that replicas have computed for the same variable
  swap,             // an arena, into or out of memory that replicas use in turns
  synchronization,  // the end of a step in a process
};
std::string_view name(Purpose purpose);  // "input_copy"

struct Role {
  static constexpr std::int32_t everyone = -1;

  Purpose purpose = Purpose::other;
  std::int32_t number = -1;  // of the reduction or the pushed gradient, counted from 0
  std::int32_t replica = 0;  // whose work the node is; `everyone`: it serves several replicas

  auto operator<=>(const Role&) const = default;
};

// "all_reduce/3", "broadcast": nodes of one communication have the same name, whichever replica they belong to.
std::string name(const Role& role);

// A node's scope, for people, and its role.
struct Label {
  std::string scope{};
  Role role{};

  Label() = default;
  Label(std::string text) : scope(std::move(text)) {}
  Label(const char* text) : scope(text) {}
  Label(std::string text, Role of) : scope(std::move(text)), role(of) {}
};

}  // namespace wt::plan
