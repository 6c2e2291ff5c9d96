#pragma once
// Runs a function once for each replica, in a thread each, as TensorFlow does (python/distribute/mirrored_run.py): one
// thread at a time, in the order of the replicas. A replica that calls merge_call pauses. When all have paused, the
// calling thread runs the first replica's function with the arguments of all, and the replicas go on.
//
// Throws what the first failing replica or the function of a merge_call throws; the replicas that have not ended are
// stopped where they pause.

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <typeindex>
#include <vector>

#include "train/distributed/contexts.h"

namespace wt::train {

// A call of merge_call, which the calling thread executes for all replicas.
struct Meeting {
  std::type_index kind;   // of the function with its arguments: replicas that meet make the same call
  const void* arguments;  // of this replica
  void* result;           // of this replica
  // Takes the arguments of all replicas and writes the results of all.
  std::function<void(const std::vector<const Meeting*>& all)> merge;
};

class ReplicaThreads {
 public:
  using Body = std::function<void(std::size_t replica)>;

  static void run(const Strategy& strategy, const Body& body);

  // Called by a replica's thread: pauses until the meeting is over.
  void meet(std::size_t replica, const Meeting& meeting);

  // What the first replica makes all replicas share, the first one that each asks for, the second one, and so on
  // (python/distribute/shared_variable_creator.py). Throws device::RuntimeError if the first replica made fewer.
  std::shared_ptr<void> shared(std::size_t replica, const std::function<std::shared_ptr<void>()>& make);

 private:
  struct Replica {
    const Meeting* meeting = nullptr;  // while it pauses
    std::size_t asked = 0;             // things that are shared
    bool is_done = false;
    std::exception_ptr failure{};
  };
  static constexpr std::size_t caller = static_cast<std::size_t>(-1);

  ReplicaThreads(const Strategy& strategy, const Body& body);
  void live(std::size_t replica);
  void conduct();
  void merge();
  void pass_turn(std::size_t to);
  void await_turn(std::size_t of);

  const Strategy& strategy_;
  const Body& body_;
  const int functions_ = functions_here();
  std::vector<Replica> replicas_;
  std::vector<std::shared_ptr<void>> shared_{};
  std::mutex mutex_{};
  std::condition_variable turned_{};
  std::size_t turn_ = caller;  // whose turn it is
  bool stops_ = false;
};

}  // namespace wt::train
