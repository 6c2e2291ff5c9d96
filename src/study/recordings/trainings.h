#pragma once
// A recorded training of the kind `layers`, repeated on mirrored replicas.

#include "study/recordings/recording.h"

namespace wt::recordings {

struct Training {
  std::vector<double> losses{};             // of each step
  std::map<std::string, Tensor> weights{};  // after the last step, by their names here
};

// Trains the recorded model from the recorded weights. Each replica gets an equal part of a batch, which has the recorded
// rows `copies` times, one copy behind the other. Throws InputError for what is not offered.
Training repeat_training(const Recording& recording, std::int64_t replicas, std::int64_t copies = 1);

}  // namespace wt::recordings
