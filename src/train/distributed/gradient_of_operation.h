#pragma once
// The way back through a single operation, by the rules that traced steps have (program/differentiate.h).

#include <span>

#include "train/distributed/tape.h"

namespace wt::train {

// Runs a kernel where this thread is, and writes it down if the step of this thread's replica is recorded.
std::vector<EagerTensor> executed(std::string_view kernel, const Attributes& attributes,
                                  std::span<const EagerTensor> inputs);

// Records a kernel's call on the tapes of this thread.
void record_operation(std::string_view kernel, const Attributes& attributes,
                      std::span<const EagerTensor> inputs, const EagerTensor& output);

}  // namespace wt::train
