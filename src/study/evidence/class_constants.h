#pragma once
// The constants of platforms/communication.json that were read off published tables of collectives. Each belongs to a
// class of hardware (a generation of GPUs, a kind of network). This says which tables a constant was read off, and which
// constant takes its place for a class of which no table is published.

#include <span>
#include <string_view>
#include <vector>

#include "communication/constants.h"

namespace wt::evidence {

struct ClassConstant {
  std::string_view name{};
  std::vector<std::string_view> read_off{};  // names of systems (nccl_systems.cpp)
  // Multiplies the constant by a factor. A share stays at most 1.
  void (*scale)(communication::Constants& constants, double factor) = nullptr;
  // Gives the constant the value of the nearest class, or takes the class out where the program then does so itself.
  void (*forget)(communication::Constants& constants) = nullptr;
  std::string_view nearest{};  // what `forget` takes instead
};

std::span<const ClassConstant> class_constants();

}  // namespace wt::evidence
