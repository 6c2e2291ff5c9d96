#include "train/coordinator.h"

#include <fmt/format.h>

#include <utility>

namespace wt::train {

const std::vector<Tensor>& RemoteValue::fetch() const {
  if (closure_->error) std::rethrow_exception(closure_->error);
  return closure_->results;
}

void PerWorkerIterator::next() const {
  throw NotImplementedError("Iterating over an `AsyncDistributedIterator` is not supported right now.");
}

PerWorkerIterator PerWorkerDataset::iterate() const {
  PerWorkerIterator iterator;
  for (const data::Dataset& dataset : of_workers_) iterator.of_workers_->push_back(dataset.iterate());
  return iterator;
}

void ClusterCoordinator::throw_pending() {
  std::exception_ptr& pending = strategy_.coordination_.pending;
  if (pending) std::rethrow_exception(std::exchange(pending, nullptr));
}

namespace {

// Errors of the program's input and of this library keep their type.
std::exception_ptr error_of_closure() {
  try {
    throw;
  } catch (const InputError&) {
    return std::current_exception();
  } catch (const MachineError&) {
    return std::current_exception();
  } catch (const InternalError&) {
    return std::current_exception();
  } catch (const std::exception& error) {
    return std::make_exception_ptr(UnknownError(error.what()));
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

RemoteValue ClusterCoordinator::schedule(const Closure& closure) {
  throw_pending();
  const Strategy::Scope scope = strategy_.scope();
  RemoteValue value;
  try {
    value.closure_->results = closure(strategy_.coordination_.scheduled++ % strategy_.workers());
  } catch (...) {
    value.closure_->error = strategy_.coordination_.pending = error_of_closure();
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
  if (strategy_.num_replicas_in_sync() > 1)
    throw InputError(fmt::format("a worker has {} replicas, and the function is given arguments for one",
                                 strategy_.num_replicas_in_sync()),
                     "schedule a C++ function that calls strategy.run with the arguments of all");
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

PerWorkerDataset ClusterCoordinator::create_per_worker_dataset(const data::Dataset& dataset) const {
  PerWorkerDataset made;
  made.of_workers_.assign(static_cast<std::size_t>(strategy_.workers()), dataset);
  return made;
}

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
