#pragma once
// Splits batches into one piece per replica. TensorFlow has two rules for it. For 10 rows and 3 replicas, the
// legacy rule gives pieces of 4, 4 and 2 rows, and the even rule gives 4, 3 and 3. Dataset::split_batches and
// Dataset::rebatch apply them, and distribute.h states which one.

#include <vector>

#include "data/dataset.h"

namespace wt::data {

enum class Rebatch : std::uint8_t {
  none,    // batches are not split
  legacy,  // each batch is split into pieces of ceil(rows / replicas); the last pieces are smaller or empty
  even     // the rows of all batches are split into pieces whose sizes differ by at most 1
};

// The pieces of one batch by the legacy rule, as views. Each component is split by its own number of rows.
// Requires: every component has an axis 0.
std::vector<Element> split_legacy(const Element& batch, std::int64_t replicas);

// The sizes of the pieces by the even rule, the larger ones first: 10 rows and 3 replicas give 4, 3, 3.
std::vector<std::int64_t> even_sizes(std::int64_t rows, std::int64_t replicas);

// The sizes of the pieces that the input pipeline of `worker` makes, in a cycle. They are even_sizes, rotated
// by the number of replicas of the workers before. In every step, the pieces of all workers together then
// have the size of the whole batch. Requires: the number of workers divides the number of replicas.
std::vector<std::int64_t> worker_sizes(std::int64_t rows, std::int64_t replicas, std::int64_t workers,
                                       std::int64_t worker);

}  // namespace wt::data
