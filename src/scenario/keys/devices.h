#pragma once
// The keys of "devices" and "host": what the program says of its devices, and what this machine computes with.

#include "scenario/keys/words.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// Of a bare number that limits memory: 2^50 bytes.
inline constexpr std::int64_t most_mebibytes = 1 << 30;

// More than any machine has.
inline constexpr std::int64_t most_threads = 4096;

inline constexpr Key strategy_type = optional("type", "how the training is spread over devices");

template <class Visit>
void keys_of(Visit& visit, scenario::LogicalDevice& device) {
  visit(
      optional(
          "memory_limit",
          "of a GPU that is cut in pieces, or of this machine's memory: in MiB, or with a unit; a described "
          "CPU has none"),
      device.memory_limit);
}

template <class Visit>
void keys_of(Visit& visit, Devices& devices) {
  visit(optional("visible", "the physical devices that the program sees, as [\"GPU:0\"]; all where absent"),
        devices.visible);
  visit(optional("memory_growth", "GPUs begin small and grow, instead of taking all of their memory"),
        devices.memory_growth);
  visit(optional(
            "logical",
            "physical devices that are cut: {\"GPU:0\": [{\"memory_limit\": 1024}, ...]}; pieces of one card "
            "compute in turns"),
        devices.logical);
  visit(optional("soft_placement", "an operation without a kernel on the device asked for goes elsewhere"),
        devices.soft_placement);
}

template <class Visit>
void keys_of(Visit& visit, Host& host) {
  visit(count("threads", "of this machine's CPU; all where absent. Results don't depend on it", most_threads),
        host.threads);
  visit(
      optional(
          "logical_devices",
          "pieces of the memory of this machine's CPU, or of its GPUs for the numerics cuda, "
          "[{\"memory_limit\": \"2 GiB\"}, ...]: replicas are dealt out to them in order; those that a piece "
          "can hold alone but not together take turns in it, what it can't hold at all is refused before it "
          "is allocated; all memory where absent, of which each GPU's is a piece"),
      host.logical_devices);
  visit(optional(
            "collectives",
            "who adds among this machine's GPUs: planned, the plan's moves and sums, with the bits of every "
            "machine; nccl, NCCL itself in an order of its own, where the strategy takes it"),
        host.collectives);
}

}  // namespace wt::scenario
