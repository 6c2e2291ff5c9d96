#pragma once
// tf.distribute.coordinator.ClusterCoordinator: hands functions out to the workers of a
// ParameterServerStrategy and brings back their results.
//
//   ClusterCoordinator coordinator(strategy);
//   PerWorkerDataset rows = coordinator.create_per_worker_dataset([] { return dataset(); });
//   const PerWorkerIterator batches = rows.iterate();
//   std::vector<RemoteValue> losses;
//   for (int i = 0; i < 100; ++i) losses.push_back(coordinator.schedule(step, {batches}));
//   coordinator.join();
//   const Tensor loss = losses.back().fetch().front();
//
// A closure runs in the scope of the strategy, and may run functions on the replicas of its worker and reduce what they
// return:
//
//   coordinator.schedule([&](std::int64_t) {
//     const auto losses = strategy.run(step, batch);
//     return std::vector{strategy.reduce(ReduceOp::mean, losses).numbers};
//   });
//
// This coordinator gives the numbers of one of the executions that TensorFlow may make: workers take the
// closures in turn, and each closure is done before the next begins, in this program's own thread. So the
// same program gives the same numbers. How long closures take, which of them overlap and how stale their
// updates are is simulated (distribute/parameter_server.h, timing/pool.h).
//
// As TensorFlow documents and the recordings `servers_*` show: an error that a closure raises reaches the
// program once, at the next `schedule`, `join` or `done`, and stays with the closure's own value; the coordinator
// then works again. An exception of the program's own becomes an UnknownError. Error texts are TensorFlow's. In TensorFlow
// closures that still wait when another one fails are cancelled (CancelledError). None waits here, since each is done when
// `schedule` returns: this is the execution in which the workers keep up with the program.

#include <functional>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "data/dataset.h"
#include "train/errors.h"
#include "train/parameter_servers.h"

namespace wt::train {

// The result of a closure, on the worker that computed it.
class RemoteValue {
 public:
  // Both throw what the closure threw.
  const std::vector<Tensor>& fetch() const;
  const std::vector<Tensor>& get() const { return fetch(); }

 private:
  friend class ClusterCoordinator;
  struct Closure {
    std::vector<Tensor> results{};
    std::exception_ptr error{};
  };
  std::shared_ptr<Closure> closure_ = std::make_shared<Closure>();
};

// What `fetch` returns for a value: the results of a RemoteValue, and the same for those in vectors and maps.
// Everything else stays as it is.
template <class T>
struct Fetched {
  using Type = T;
  static Type of(const T& value) { return value; }
};
template <>
struct Fetched<RemoteValue> {
  using Type = std::vector<Tensor>;
  static Type of(const RemoteValue& value) { return value.fetch(); }
};
template <class T>
struct Fetched<std::vector<T>> {
  using Type = std::vector<typename Fetched<T>::Type>;
  static Type of(const std::vector<T>& values) {
    Type fetched;
    for (const T& value : values) fetched.push_back(Fetched<T>::of(value));
    return fetched;
  }
};
template <class Key, class T>
struct Fetched<std::map<Key, T>> {
  using Type = std::map<Key, typename Fetched<T>::Type>;
  static Type of(const std::map<Key, T>& values) {
    Type fetched;
    for (const auto& [key, value] : values) fetched.emplace(key, Fetched<T>::of(value));
    return fetched;
  }
};
template <class... T>
struct Fetched<std::variant<T...>> {
  using Type = std::variant<typename Fetched<T>::Type...>;
  static Type of(const std::variant<T...>& value) {
    return std::visit([]<class U>(const U& held) { return Type(Fetched<U>::of(held)); }, value);
  }
};

// An iterator of each worker over its own dataset. The elements of a closure's worker become arguments of its
// function.
class PerWorkerIterator {
 public:
  // Outside of closures. Throws NotImplementedError, as TensorFlow refuses it.
  [[noreturn]] void next() const;

 private:
  friend class PerWorkerDataset;
  friend class ClusterCoordinator;
  // An error: the worker's dataset or iterator could not be made.
  using OfWorker = std::variant<data::Iterator, std::exception_ptr>;
  std::shared_ptr<std::vector<OfWorker>> of_workers_ = std::make_shared<std::vector<OfWorker>>();
};

class PerWorkerDataset {
 public:
  // Throws the error of the first worker, if its dataset could not be made.
  const std::vector<data::ComponentSpec>& element_spec() const;
  // Throws device::RuntimeError inside of a function. A worker whose iterator can't be made fails in its closures only.
  PerWorkerIterator iterate() const;

 private:
  friend class ClusterCoordinator;
  using OfWorker = std::variant<data::Dataset, std::exception_ptr>;
  std::vector<OfWorker> of_workers_{};
};

// As in TensorFlow, a strategy has one coordinator: several objects for it are the same one.
class ClusterCoordinator {
 public:
  using Argument = std::variant<Tensor, PerWorkerIterator, RemoteValue>;
  // A function of the program's own, which is called with the number of its worker.
  using Closure = std::function<std::vector<Tensor>(std::int64_t worker)>;

  // Requires: the strategy outlives the coordinator.
  explicit ClusterCoordinator(ParameterServerStrategy& strategy) : strategy_(strategy) {}
  ClusterCoordinator(const ClusterCoordinator&) = delete;
  ClusterCoordinator& operator=(const ClusterCoordinator&) = delete;

  ParameterServerStrategy& strategy() const { return strategy_; }

  // Throws the error of an earlier closure, if it has not been thrown yet; nothing is scheduled then. Throws
  // device::ValueError for a RemoteValue among the arguments, and InputError for a function where a worker has several
  // replicas, which a closure gives their arguments. Throws device::RuntimeError inside the scope of another strategy.
  RemoteValue schedule(Function& function, const std::vector<Argument>& arguments);
  RemoteValue schedule(const Closure& closure);
  // Waits for all closures, and throws as `schedule` does.
  void join();
  // Throws as `join` does, else true: each closure is done when `schedule` returns.
  bool done();

  // The results of the closures in a structure of vectors, maps and variants, in the same structure:
  //   std::vector<std::vector<Tensor>> losses = coordinator.fetch(remote_values);
  // Throws what the first closure threw that failed.
  template <class T>
  typename Fetched<T>::Type fetch(const T& values) const {
    return Fetched<T>::of(values);
  }

  // Every worker reads the whole dataset. The last form calls the function once for each worker. What the program throws
  // there passes through. An OpError is one of the worker's operations, as in TensorFlow, whose workers make their
  // datasets by themselves: closures with the worker's iterator end with a ClosureInputError, or with the NotFoundError of
  // a file.
  PerWorkerDataset create_per_worker_dataset(const data::Dataset& dataset) const;
  PerWorkerDataset create_per_worker_dataset(const data::DistributedDataset& dataset) const;
  PerWorkerDataset create_per_worker_dataset(const std::function<data::Dataset()>& dataset_fn);

 private:
  void throw_pending();

  ParameterServerStrategy& strategy_;
};

}  // namespace wt::train
