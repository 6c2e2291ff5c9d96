#pragma once
// The purpose of a node of a plan, as data. timing/ treats copies of rows and messages of a reduction
// differently, and traces and explanations group nodes by their role. A scope is the same information as text
// for people:
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
  output_copy,     // predictions, from the replica's device to its host
  forward,
  gradient,
  packing,    // copies and scaling on a replica before and after reduction number k
  reduction,  // the messages and sums of reduction number k, or the whole reduction as one node
  reduce,     // the values of all replicas are added on one device
  broadcast,
  gather,
  permute,
  transfer,         // a copy of a value between the logical devices of a replica
  initial_value,    // copies of a variable's first value to the other devices of a task
  pull,             // a copy of a variable from the device that keeps it
  push,             // a copy of gradient number k to the device that keeps its variable
  update,           // computes new values of variables
  aggregation,      // combines the values that replicas computed for the same variable
  swap,             // copies an arena into or out of memory that replicas use in turns (plan/turns.h)
  synchronization,  // the end of a step in a process
};
std::string_view name(Purpose purpose);  // "input_copy"

// A purpose with the communication and the replica to which the node belongs.
struct Role {
  static constexpr std::int32_t everyone = -1;

  Purpose purpose = Purpose::other;
  std::int32_t number =
      -1;  // of the reduction or the pushed gradient, counted from 0; -1: the purpose has no number
  std::int32_t replica = 0;  // the replica that needs the node; `everyone`: several replicas do

  auto operator<=>(const Role&) const = default;
};

// The name of the communication that a node belongs to: "all_reduce/3", "broadcast". It is the same for all
// replicas.
std::string name(const Role& role);

// The scope of a node, for people, together with its role.
struct Label {
  std::string scope{};
  Role role{};

  Label() = default;
  Label(std::string text) : scope(std::move(text)) {}
  Label(const char* text) : scope(text) {}
  Label(std::string text, Role of) : scope(std::move(text)), role(of) {}
};

}  // namespace wt::plan
