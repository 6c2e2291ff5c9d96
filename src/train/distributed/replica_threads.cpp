#include "train/distributed/replica_threads.h"

#include <algorithm>
#include <thread>

#include "device/error.h"
#include "train/strategy.h"

namespace wt::train {

namespace {

struct Stopped {};  // ends a replica that waits for others

}  // namespace

ReplicaThreads::ReplicaThreads(const Strategy& strategy, const Body& body)
    : strategy_(strategy),
      body_(body),
      replicas_(static_cast<std::size_t>(strategy.num_replicas_in_sync())) {}

void ReplicaThreads::run(const Strategy& strategy, const Body& body) {
  ReplicaThreads threads(strategy, body);
  std::vector<std::thread> started;
  for (std::size_t i = 0; i < threads.replicas_.size(); ++i)
    started.emplace_back([&threads, i] { threads.live(i); });
  std::exception_ptr failure;
  try {
    threads.conduct();
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(threads.mutex_);
    threads.stops_ = true;
  }
  threads.turned_.notify_all();
  for (std::thread& thread : started) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// The life of a replica's thread.
void ReplicaThreads::live(std::size_t replica) {
  try {
    await_turn(replica);
    take_over_functions(functions_);
    const Strategy::Device device(strategy_, replica);
    const Entered mode(
        {&strategy_, ThreadMode::Kind::replica, replica, this, &strategy_.eager(replica), functions_});
    body_(replica);
    replicas_[replica].is_done = true;
  } catch (const Stopped&) {
    return;
  } catch (...) {
    replicas_[replica].failure = std::current_exception();
  }
  pass_turn(caller);
}

void ReplicaThreads::conduct() {
  while (true) {
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
      pass_turn(i);
      await_turn(caller);
      if (replicas_[i].failure) std::rethrow_exception(replicas_[i].failure);
    }
    const auto is_done = [](const Replica& replica) { return replica.is_done; };
    if (std::ranges::all_of(replicas_, is_done)) return;
    if (std::ranges::any_of(replicas_, is_done))
      throw device::RuntimeError(
          "Some replicas made a different number of replica_context().merge_call() calls.");
    merge();
  }
}

void ReplicaThreads::merge() {
  std::vector<const Meeting*> all;
  for (const Replica& replica : replicas_) all.push_back(replica.meeting);
  for (const Meeting* meeting : all)
    if (meeting->kind != all.front()->kind)
      throw device::RuntimeError(
          "The replicas passed different functions to replica_context().merge_call().");
  const Entered mode({&strategy_, ThreadMode::Kind::cross_replica, 0, nullptr, &strategy_.eager()});
  all.front()->merge(all);
}

void ReplicaThreads::meet(std::size_t replica, const Meeting& meeting) {
  replicas_[replica].meeting = &meeting;
  pass_turn(caller);
  await_turn(replica);
  replicas_[replica].meeting = nullptr;
}

std::shared_ptr<void> ReplicaThreads::shared(std::size_t replica,
                                             const std::function<std::shared_ptr<void>()>& make) {
  const std::size_t number = replicas_[replica].asked++;
  if (replica == 0) shared_.push_back(make());
  if (number >= shared_.size())
    throw device::RuntimeError(
        "A replica creates a variable that the first replica has not created; all replicas must create the "
        "same.");
  return shared_[number];
}

void ReplicaThreads::pass_turn(std::size_t to) {
  {
    const std::lock_guard lock(mutex_);
    turn_ = to;
  }
  turned_.notify_all();
}

void ReplicaThreads::await_turn(std::size_t of) {
  std::unique_lock lock(mutex_);
  turned_.wait(lock, [&] { return turn_ == of || (stops_ && of != caller); });
  if (stops_ && of != caller) throw Stopped{};
}

}  // namespace wt::train
