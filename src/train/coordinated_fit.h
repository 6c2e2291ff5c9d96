#pragma once
// Keras' fit, evaluate and predict under parameter servers (Keras 2.15, engine/training.py and
// data_adapter.py). fit and evaluate hand their steps to the workers of a coordinator, each of which reads
// the whole dataset for itself. So an epoch has no end of its own: it takes steps_per_epoch batches,
// whichever workers read them, and a worker whose dataset ends before that is an error. Keras 3 refuses all
// three.
//
// As in train/coordinator.h, the workers take their steps in turn.

#include <functional>
#include <vector>

#include "data/distribute.h"
#include "model/semantics.h"

namespace wt::train {

// tf.keras.utils.experimental.DatasetCreator of Keras 2: a function that each worker calls for its dataset.
struct DatasetCreator {
  std::function<data::Dataset()> dataset_fn{};
};

// A call of fit or evaluate under a coordinator.
struct CoordinatedCall {
  model::Semantics semantics{};
  bool has_batch_callback = false;
  bool run_eagerly = false;
};

// Throws device::ValueError, with Keras' sentence, for what Keras refuses under a coordinator.
void require_no_refusal(const CoordinatedCall& call);

// Throws device::ValueError with Keras' sentence if nothing ends the call: the dataset is endless, or a
// function makes it, and no number of steps is given.
void require_end(const data::Dataset& dataset, bool has_steps);
void require_end(const DatasetCreator& creator, model::Semantics semantics, bool has_steps);

// The batches of a call in the order of its steps. Without a coordinator that is one iteration over the
// dataset.
class Batches {
 public:
  using Iterate = std::function<data::DistributedIterator(std::uint64_t epoch)>;

  // `workers`: those of the coordinator, 0 without one. The first worker has the given epoch's order of rows,
  // and each other worker an order of its own.
  Batches(std::int64_t workers, std::uint64_t epoch, const Iterate& iterate);

  // Nothing at the end of the dataset. Under a coordinator the end throws OutOfRangeError.
  std::optional<std::vector<data::Element>> next();

 private:
  std::vector<data::DistributedIterator> iterators_{};
  std::size_t turn_ = 0;
  bool is_coordinated_;
};

}  // namespace wt::train
