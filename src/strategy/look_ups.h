#pragma once
// Look-ups of an embedding where its table is. TensorFlow places a gather with the variable that it reads: so
// a replica sends ids to the server and receives only the rows with these ids, and its gradient is the ids
// and a row for each of them (tf.IndexedSlices), which several replicas of a worker put one behind the other.
// The server adds the rows of equal ids. Plain gradient descent touches only these rows; where an optimizer
// keeps anything beside the table, Keras updates all rows, and so does the plan.
//
// A table in shards is looked up in each shard (embedding_lookup.py with the "div" strategy, TensorFlow 2.x).
// TensorFlow divides the ids among the shards, whose number then depends on the ids. Here every shard is
// given all ids and has the rows of its own, so that shapes are fixed; Value::share says which part of them
// TensorFlow would have sent, and only that part takes time.

#include <functional>

#include "program/program.h"

namespace wt::strategy {

// The part of the look-ups whose id is in [first, first + rows) of a table with so many rows in all.
using RowShare = std::function<double(std::int64_t first, std::int64_t rows, std::int64_t all)>;

// The same step with such look-ups, for a worker of so many replicas. Without `share` all ids are equally
// likely. Requires: shards are concatenated where they are read (strategy/shards.h).
Step with_look_ups_at_tables(const Step& step, std::int64_t replicas, const RowShare& share = {});

// Whether the node looks up rows of a variable that has one place.
bool is_look_up_at_table(const Step& step, const Node& node);

}  // namespace wt::strategy
