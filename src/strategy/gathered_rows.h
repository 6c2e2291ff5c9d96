#pragma once
// Gradients of embeddings that TensorFlow gathers. A table that is read by look-ups alone has a gradient of one row for each
// id that was looked up (tf.IndexedSlices). Strategies don't add these rows: they and their ids travel from every replica,
// those of one replica behind those of the other. So the bytes grow with the replicas, where an all-reduce of the whole
// table would take about the same for any number of them.
//
// Plans add such a gradient as a table with all its rows, which has the same values, and in general not the same time. This
// file says what TensorFlow sends in its place, for a user whose step is slow. Parameter servers keep look-ups
// at their tables, which their plans have (look_ups.h).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "program/program.h"
#include "strategy/place.h"

namespace wt::strategy {

// The way of the rows.
struct RowGathering {
  std::optional<plan::Device>
      center{};            // where those of all replicas are put one behind the other; unset: an all-gather
  bool goes_back = false;  // from there to every replica
};

struct GatheredTable {
  std::string name{};  // of the variable; "table" where the look-ups read what is computed from it
  TensorSpec table{};
  Bytes rows{};  // of the look-ups of one replica, with their ids
};

// The tables of the step whose gradients consist of rows. Ids are 64 bits long, as in Keras' layers.
std::vector<GatheredTable> gathered_tables(const Step& step);

// So many bytes of each replica, gathered at the center. Requires: there is one.
plan::Plan lower_gathering(const RowGathering& way, Bytes each, std::span<const Place> places);

}  // namespace wt::strategy
