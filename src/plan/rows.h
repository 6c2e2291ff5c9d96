#pragma once
// How the rows of a step reach the devices. TensorFlow's strategies iterate over a dataset with a
// MultiDeviceIterator, which copies the rows of the next step to the devices while they compute the current one
// (tensorflow/python/data/ops/multi_device_iterator_ops.py, whose prefetch_buffer_size is one batch of each device). The
// default strategy hands out the dataset itself: each of its steps copies its own rows first.

#include <cstdint>
#include <string_view>

#include "plan/plan.h"

namespace wt::plan {

enum class RowCopies : std::uint8_t {
  in_the_step,  // a step copies its rows and computes then
  ahead,        // while a step computes, the rows of the next one are copied; their devices hold both
  none,         // the rows are on the devices from the start, as in benchmarks on synthetic data
};
std::string_view name(RowCopies copies);  // "ahead"

// Whether the node copies rows from the memory of a host to a device.
bool is_copy_of_rows(const Plan& plan, const Node& node);

// The plan of a step among equal ones whose copies are made ahead, or that copies nothing. Its kernels wait for no
// copy of rows, since the copies that they run beside bring the rows of the next step. It can be timed and not
// executed.
Plan with_rows_ahead(const Plan& plan);

}  // namespace wt::plan
