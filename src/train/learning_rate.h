#pragma once

#include <cstdint>
#include <map>

namespace wt::train {

// Looks up the learning rate for a global batch size. More replicas make the global batch larger, which
// usually requires another learning rate (Goyal et al., "Accurate, large minibatch SGD", 2017), so
// TensorFlow's tutorials keep a table of rates by batch size. Throws InputError if the table has no row for
// the batch.
double learning_rate_for(const std::map<std::int64_t, double>& by_batch_size, std::int64_t global_batch);

}  // namespace wt::train
