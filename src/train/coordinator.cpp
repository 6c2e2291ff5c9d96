#include "train/coordinator.h"

#include <utility>

namespace wt::train {

const std::vector<Tensor>& RemoteValue::fetch() const {
  if (closure_->error) std::rethrow_exception(closure_->error);
  return closure_->results;
}

void PerWorkerIterator::next() const {
  throw device::OpError("Iterating over an `AsyncDistributedIterator` is not supported right now.");
}

PerWorkerIterator PerWorkerDataset::iterate() const {
  PerWorkerIterator iterator;
  for (const data::Dataset& dataset : of_workers_) iterator.of_workers_->push_back(dataset.iterate());
  return iterator;
}

void ClusterCoordinator::throw_pending() {
  if (pending_) std::rethrow_exception(std::exchange(pending_, nullptr));
}

RemoteValue ClusterCoordinator::schedule(const Closure& closure) {
  throw_pending();
  RemoteValue value;
  try {
    value.closure_->results = closure(scheduled_++ % strategy_.workers());
  } catch (...) {
    value.closure_->error = pending_ = std::current_exception();
  }
  return value;
}

RemoteValue ClusterCoordinator::schedule(Function& function, const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments)
    if (std::holds_alternative<RemoteValue>(argument))
      throw device::ValueError(
          "`tf.distribute.experimental.coordinator.RemoteValue` used as an input to scheduled function is "
          "not "
          "yet supported.");
  return schedule([&](std::int64_t worker) {
    std::vector<Tensor> tensors;
    for (const Argument& argument : arguments) {
      if (const auto* tensor = std::get_if<Tensor>(&argument)) {
        tensors.push_back(*tensor);
        continue;
      }
      data::Iterator& own =
          std::get<PerWorkerIterator>(argument).of_workers_->at(static_cast<std::size_t>(worker));
      const std::optional<data::Element> element = own.next();
      if (!element) throw OutOfRangeError("End of sequence");
      tensors.insert(tensors.end(), element->begin(), element->end());
    }
    return function(tensors);
  });
}

void ClusterCoordinator::join() { throw_pending(); }

PerWorkerDataset ClusterCoordinator::create_per_worker_dataset(
    const std::function<data::Dataset()>& dataset_fn) {
  struct Making {
    explicit Making(bool& flag_) : flag(flag_) { flag = true; }
    ~Making() { flag = false; }
    bool& flag;
  } const making(strategy_.makes_dataset_);
  PerWorkerDataset made;
  for (std::int64_t worker = 0; worker < strategy_.workers(); ++worker)
    made.of_workers_.push_back(dataset_fn());
  return made;
}

}  // namespace wt::train
