#pragma once
// The published ways of training on several devices, and how their rows are written as scenarios.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {

// When gradients are reduced. Errors of one regime say nothing about another.
enum class Regime : std::uint8_t {
  one_pack,       // all gradients together after the backward pass, as TensorFlow's strategies do by default
  overlapped,     // in buckets during the backward pass, as Horovod and PyTorch's DDP do
  on_one_device,  // gradients are gathered where the variables are, and added there
  one_by_one,  // an all-reduce for each gradient, one after the other, as TensorFlow 2.3 does between machines
};
std::string_view name(Regime regime);  // "one pack"

// How the rows of a group are written as scenarios.
struct Arrangement {
  std::string_view group{};
  Regime regime{};
  std::string_view system{};    // a part of the row's system
  std::string_view strategy{};  // a prefix of the row's strategy
  std::string_view source{};    // a part of the row's source
  // The scenario's "platform" and "strategy", as JSON.
  std::string (*platform_of)(int devices) = nullptr;
  std::string (*strategy_of)(const Measurement& row) = nullptr;
  // What meeting in collectives costs is fitted to overlapped rows, but for those with two digits, by which it is judged.
  bool is_only_judged = false;
};

std::span<const Arrangement> arrangements();
// The arrangement of the group with this name. Requires: there is one.
const Arrangement& arrangement_named(std::string_view group);
bool fits(const Measurement& row, const Arrangement& arrangement);
// Of a row whose gradients are reduced one by one: none is before all are there.
bool waits_for_backward(const Measurement& row);

// The scenario of a row. `alone` is the measured time of one device for its share of a step. Without it, the
// roofline gives that time.
std::string scenario_text(const Measurement& row, const Arrangement& arrangement,
                          std::optional<Seconds> alone = {});

}  // namespace wt::evidence
