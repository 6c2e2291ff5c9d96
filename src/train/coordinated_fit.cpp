#include "train/coordinated_fit.h"

#include <algorithm>

#include "train/errors.h"

namespace wt::train {

void require_no_refusal(const CoordinatedCall& call) {
  if (!model::is_on(model::Switch::fit_makes_a_coordinator, call.semantics))
    throw device::ValueError(std::string(model::refusal_outside_of_coordinator));
  if (call.has_batch_callback)
    throw device::ValueError(
        "Batch-level `Callback`s are not supported with `ParameterServerStrategy`. Found unsupported "
        "callbacks: [on_step]");
  if (call.run_eagerly)
    throw device::ValueError(
        "When using `Model` with `ParameterServerStrategy`, `run_eagerly` is not supported.");
}

void require_end(const data::Dataset& dataset, bool has_steps) {
  if (dataset.cardinality() != data::infinite_cardinality || has_steps) return;
  throw device::ValueError(
      "When providing an infinite dataset, you must specify the number of steps to run (if you did not "
      "intend to create an infinite dataset, make sure to not call `repeat()` on the dataset).");
}

void require_end(const DatasetCreator& creator, model::Semantics semantics, bool has_steps) {
  if (!creator.dataset_fn) throw InputError("a DatasetCreator has no function", "give it a dataset_fn");
  if (!model::is_on(model::Switch::fit_makes_a_coordinator, semantics))
    throw device::ValueError("module 'keras.utils' has no attribute 'experimental'");
  if (has_steps) return;
  throw device::ValueError(
      "When using a `tf.keras.utils.experimental.DatasetCreator`, `steps_per_epoch`, `validation_steps`, "
      "`steps`, or `pss_evaluation_shards` argument must be provided in `Model.fit`, `Model.evaluate`, or "
      "`Model.predict`.");
}

Batches::Batches(std::int64_t workers, std::uint64_t epoch, const Iterate& iterate)
    : is_coordinated_(workers > 0) {
  for (std::int64_t worker = 0; worker < std::max<std::int64_t>(1, workers); ++worker)
    iterators_.push_back(iterate(static_cast<std::uint64_t>(worker) << 32U | epoch));
}

std::optional<std::vector<data::Element>> Batches::next() {
  std::optional<std::vector<data::Element>> batch = iterators_[turn_].next();
  turn_ = (turn_ + 1) % iterators_.size();
  if (!batch && is_coordinated_) throw OutOfRangeError("End of sequence");
  return batch;
}

}  // namespace wt::train
