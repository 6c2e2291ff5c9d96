#pragma once
// tf.distribute.ReplicaContext: what a function that a strategy runs knows of its replica, and the points where it meets
// the others. A context is only good in the run, and on the thread, of which it is.

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "train/distributed/nest.h"
#include "train/distributed/replica_threads.h"
#include "train/distributed/values.h"

namespace wt::train {

class Variable;

enum class ReduceOp : std::uint8_t { sum, mean };

// "SUM", "mean": TensorFlow takes names of either case. Throws device::ValueError for others.
ReduceOp reduce_op_named(std::string_view name);

// tf.distribute.experimental.CommunicationOptions for a single call. They change the time of a step, not its numbers.
struct CallOptions {
  Bytes bytes_per_pack{};
};

class ReplicaContext {
 public:
  explicit ReplicaContext(const ThreadMode& mode) : mode_(mode) {}

  std::int64_t replica_id_in_sync_group() const { return static_cast<std::int64_t>(mode_.replica); }
  std::int64_t num_replicas_in_sync() const;
  const Strategy& strategy() const { return *mode_.strategy; }
  std::vector<std::string> devices() const;  // of this replica

  // Pauses until all replicas have come here, and calls merge(strategy, arguments of all replicas...) once, in
  // cross-replica context. Each replica is given its part of the result. Throws device::RuntimeError outside of the run
  // of this context.
  template <class Merge, class... Arguments>
  auto merge_call(const Merge& merge, const Arguments&... arguments) const;

  // The sum or the mean over all replicas, on each of them. Requires: all replicas have structures of the same form.
  template <class T>
  T all_reduce(ReduceOp op, const T& value, const CallOptions& options = {}) const;

  // Each copy counts. A variable that the replicas share is the same on all of them, and stays as it is.
  EagerTensor all_reduce(ReduceOp op, const Variable& value) const;

  // The values of all replicas, in their order, along an axis.
  template <class T>
  T all_gather(const T& value, int axis) const;

 private:
  void require_own_run() const;
  void meet(const Meeting& meeting) const;

  ThreadMode mode_;
};

// The tensors of one replica's structure.
using Leaves = std::vector<Addend>;

// From the tensors that each replica has, those that each has after a reduction or a concatenation over all. The sum of
// slices is their concatenation.
std::vector<Leaves> all_reduced(const Strategy& strategy, ReduceOp op, const std::vector<Leaves>& values);
std::vector<Leaves> all_gathered(const Strategy& strategy, const std::vector<Leaves>& values, int axis);

// ---- Templates

template <class Merge, class... Arguments>
auto ReplicaContext::merge_call(const Merge& merge, const Arguments&... arguments) const {
  using Own = std::tuple<Arguments...>;
  using Result = std::invoke_result_t<Merge, const Strategy&, DistributedValues<Arguments>...>;
  require_own_run();
  const Own own(arguments...);
  const auto call = [&](const std::vector<const Meeting*>& all) {
    const auto of_all = [&]<std::size_t... I>(std::index_sequence<I...>) {
      [[maybe_unused]] const auto values = [&]<class T>(std::type_identity<T>, auto index) {
        std::vector<T> each;
        for (const Meeting* meeting : all)
          each.push_back(std::get<index.value>(*static_cast<const Own*>(meeting->arguments)));
        return DistributedValues<T>(std::move(each));
      };
      return merge(strategy(), values(std::type_identity<std::tuple_element_t<I, Own>>{},
                                      std::integral_constant<std::size_t, I>{})...);
    };
    return of_all(std::index_sequence_for<Arguments...>{});
  };
  if constexpr (std::is_void_v<Result>) {
    meet({typeid(Merge), &own, nullptr, [&](const auto& all) { call(all); }});
  } else {
    std::optional<SelectedType<Result>> result;
    meet({typeid(Merge), &own, &result, [&](const std::vector<const Meeting*>& all) {
            const Result merged = call(all);
            for (std::size_t i = 0; i < all.size(); ++i)
              static_cast<std::optional<SelectedType<Result>>*>(all[i]->result)
                  ->emplace(select_replica(merged, i));
          }});
    return std::move(*result);
  }
}

// The ways back on the tapes of this replica: the sum of gradients over the replicas, or this replica's part of it.
void record_all_reduce(const ReplicaContext& context, ReduceOp op, const Leaves& given,
                       const Leaves& reduced);
void record_all_gather(const ReplicaContext& context, int axis, const Leaves& given, const Leaves& gathered);

template <class T>
T ReplicaContext::all_reduce(ReduceOp op, const T& value, const CallOptions&) const {
  const auto merge = [op](const Strategy& strategy, const DistributedValues<Leaves>& all) {
    return DistributedValues<Leaves>(all_reduced(strategy, op, all.values()));
  };
  const Leaves given = flatten(value);
  const Leaves reduced = merge_call(merge, given);
  record_all_reduce(*this, op, given, reduced);
  return pack(value, reduced);
}

template <class T>
T ReplicaContext::all_gather(const T& value, int axis) const {
  const auto merge = [axis](const Strategy& strategy, const DistributedValues<Leaves>& all) {
    return DistributedValues<Leaves>(all_gathered(strategy, all.values(), axis));
  };
  const Leaves given = flatten(value);
  const Leaves gathered = merge_call(merge, given);
  record_all_gather(*this, axis, given, gathered);
  return pack(value, gathered);
}

}  // namespace wt::train
