#pragma once
// The way back through a single operation, by the rules that traced steps have (program/differentiate.h).

#include <span>

#include "train/distributed/tape.h"

namespace wt::train {

// Records a kernel's call on the tapes of this thread.
void record_operation(std::string_view kernel, const Attributes& attributes,
                      std::span<const EagerTensor> inputs, const EagerTensor& output);

}  // namespace wt::train
