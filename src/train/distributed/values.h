#pragma once
// The values that replicas have, one each, as tf.distribute.DistributedValues. Arguments of a strategy's run may contain
// them at any depth of vectors, maps, pairs and tuples: every replica is given its own part of such an argument, and
// everything else as it is. TensorFlow's select_replica does the same (python/distribute/distribute_utils.py).

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"

namespace wt::train {

[[noreturn]] inline void refuse_replica(std::size_t replica, std::size_t values) {
  throw InputError("replica " + std::to_string(replica) + " has no value, because " + std::to_string(values) +
                       " are given for all replicas",
                   "give one for each replica of the strategy");
}

template <class T>
class DistributedValues {
 public:
  using Value = T;

  DistributedValues() = default;
  explicit DistributedValues(std::vector<T> values) : values_(std::move(values)) {}

  const std::vector<T>& values() const { return values_; }
  std::size_t size() const { return values_.size(); }
  // Throws InputError if there are fewer values than replicas.
  decltype(auto) operator[](std::size_t replica) const {
    if (replica >= values_.size()) refuse_replica(replica, values_.size());
    return values_[replica];
  }

 private:
  std::vector<T> values_{};
};

// tf.distribute.Strategy.experimental_local_results. A value that is the same on all replicas is its own only result.
template <class T>
std::vector<T> experimental_local_results(const DistributedValues<T>& values) {
  return values.values();
}

// What a replica is given of an argument of this type.
template <class T>
struct Selected {
  using Type = T;
  static const T& of(const T& value, std::size_t) { return value; }
};

template <class T>
using SelectedType = typename Selected<T>::Type;

template <class T>
struct Selected<DistributedValues<T>> {
  using Type = T;
  static Type of(const DistributedValues<T>& value, std::size_t replica) { return value[replica]; }
};

template <class T>
struct Selected<std::vector<T>> {
  using Type = std::vector<SelectedType<T>>;
  static Type of(const std::vector<T>& value, std::size_t replica) {
    Type own;
    for (const T& element : value) own.push_back(Selected<T>::of(element, replica));
    return own;
  }
};

template <class T>
struct Selected<std::map<std::string, T>> {
  using Type = std::map<std::string, SelectedType<T>>;
  static Type of(const std::map<std::string, T>& value, std::size_t replica) {
    Type own;
    for (const auto& [key, element] : value) own.emplace(key, Selected<T>::of(element, replica));
    return own;
  }
};

template <class A, class B>
struct Selected<std::pair<A, B>> {
  using Type = std::pair<SelectedType<A>, SelectedType<B>>;
  static Type of(const std::pair<A, B>& value, std::size_t replica) {
    return {Selected<A>::of(value.first, replica), Selected<B>::of(value.second, replica)};
  }
};

template <class... T>
struct Selected<std::tuple<T...>> {
  using Type = std::tuple<SelectedType<T>...>;
  static Type of(const std::tuple<T...>& value, std::size_t replica) {
    return std::apply([&](const T&... element) { return Type(Selected<T>::of(element, replica)...); }, value);
  }
};

template <class T>
SelectedType<T> select_replica(const T& value, std::size_t replica) {
  return Selected<T>::of(value, replica);
}

}  // namespace wt::train
