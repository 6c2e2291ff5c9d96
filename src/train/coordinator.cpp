#include "train/coordinator.h"

#include <fmt/format.h>

#include <utility>

#include "train/distributed/contexts.h"

namespace wt::train {

const std::vector<Tensor>& RemoteValue::fetch() const {
  if (closure_->error) std::rethrow_exception(closure_->error);
  return closure_->results;
}

void PerWorkerIterator::next() const {
  throw NotImplementedError("Iterating over an `AsyncDistributedIterator` is not supported right now.");
}

namespace {

// What `make` returns, or the error of a worker whose operations fail. TensorFlow opens a file when an element is read, so
// a file that is missing is the error of the closure itself.
template <class Result, class Make>
std::variant<Result, std::exception_ptr> made_on_worker(const Make& make) {
  try {
    return make();
  } catch (const NotFoundError&) {
    return std::current_exception();
  } catch (const OpError& error) {
    return std::make_exception_ptr(ClosureInputError(error));
  }
}

auto& value_or_throw(auto& made) {
  if (const auto* error = std::get_if<std::exception_ptr>(&made)) std::rethrow_exception(*error);
  return std::get<0>(made);
}

}  // namespace

ClosureInputError::ClosureInputError(const OpError& original)
    : InputError(fmt::format("Input has an error, the original exception is {}(), error message is {}.",
                             original.type(), original.what())) {}

const std::vector<data::ComponentSpec>& PerWorkerDataset::element_spec() const {
  return value_or_throw(of_workers_.front()).specs();
}

PerWorkerIterator PerWorkerDataset::iterate() const {
  if (functions_here() > 0)
    throw device::RuntimeError("__iter__() is not supported inside of tf.function or in graph mode.");
  PerWorkerIterator iterator;
  for (const OfWorker& own : of_workers_) {
    if (const auto* error = std::get_if<std::exception_ptr>(&own))
      iterator.of_workers_->emplace_back(*error);
    else
      iterator.of_workers_->push_back(
          made_on_worker<data::Iterator>([&] { return std::get<data::Dataset>(own).iterate(); }));
  }
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
  const InsideFunction inside;
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
      auto& own = std::get<PerWorkerIterator>(argument).of_workers_->at(static_cast<std::size_t>(worker));
      const std::optional<data::Element> element = value_or_throw(own).next();
      if (!element) throw OutOfRangeError("End of sequence");
      tensors.insert(tensors.end(), element->begin(), element->end());
    }
    return function(tensors);
  });
}

void ClusterCoordinator::join() { throw_pending(); }

bool ClusterCoordinator::done() {
  throw_pending();
  return true;
}

PerWorkerDataset ClusterCoordinator::create_per_worker_dataset(const data::Dataset& dataset) const {
  PerWorkerDataset made;
  made.of_workers_.assign(static_cast<std::size_t>(strategy_.workers()), dataset);
  return made;
}

PerWorkerDataset ClusterCoordinator::create_per_worker_dataset(
    const data::DistributedDataset& dataset) const {
  if (strategy_.num_replicas_in_sync() > 1)
    throw InputError(
        fmt::format("a worker has {} replicas, and the elements of its iterator are given to one",
                    strategy_.num_replicas_in_sync()),
        "schedule a C++ function that calls strategy.run with the arguments of all");
  data::DistributedDataset on_worker = dataset;
  on_worker.check_before_iterations({});
  return create_per_worker_dataset(data::Dataset::from_generator(dataset.specs(), [on_worker] {
    auto steps = std::make_shared<data::DistributedIterator>(on_worker.iterate());
    return [steps]() -> std::optional<data::Element> {
      auto step = steps->next();
      if (!step) return std::nullopt;
      return std::move(step->front());
    };
  }));
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
    made.of_workers_.push_back(made_on_worker<data::Dataset>(dataset_fn));
  return made;
}

}  // namespace wt::train
