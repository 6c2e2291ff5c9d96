#pragma once
// Structures of tensors, as TensorFlow's tf.nest: a tensor, slices, or vectors, maps, pairs and tuples of such structures.
// `flatten` lists the tensors in their order, and `pack` puts others in their places.

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "train/distributed/sparse.h"

namespace wt::train {

template <class T>
struct Nest;

template <class T>
std::vector<Addend> flatten(const T& structure) {
  std::vector<Addend> leaves;
  Nest<T>::flatten(structure, leaves);
  return leaves;
}

template <class T>
T pack(const T& like, std::span<const Addend> leaves) {
  return Nest<T>::pack(like, leaves);  // takes its copy of the span apart
}

namespace internal {

// Takes the first of the leaves that are left.
inline const Addend& next(std::span<const Addend>& leaves) {
  const Addend& leaf = leaves.front();
  leaves = leaves.subspan(1);
  return leaf;
}

}  // namespace internal

template <>
struct Nest<EagerTensor> {
  static void flatten(const EagerTensor& value, std::vector<Addend>& leaves) { leaves.emplace_back(value); }
  static EagerTensor pack(const EagerTensor&, std::span<const Addend>& leaves) {
    return std::get<EagerTensor>(internal::next(leaves));
  }
};

template <>
struct Nest<IndexedSlices> {
  static void flatten(const IndexedSlices& value, std::vector<Addend>& leaves) { leaves.emplace_back(value); }
  static IndexedSlices pack(const IndexedSlices&, std::span<const Addend>& leaves) {
    return std::get<IndexedSlices>(internal::next(leaves));
  }
};

template <>
struct Nest<Addend> {
  static void flatten(const Addend& value, std::vector<Addend>& leaves) { leaves.push_back(value); }
  static Addend pack(const Addend&, std::span<const Addend>& leaves) { return internal::next(leaves); }
};

template <class T>
struct Nest<std::vector<T>> {
  static void flatten(const std::vector<T>& value, std::vector<Addend>& leaves) {
    for (const T& element : value) Nest<T>::flatten(element, leaves);
  }
  static std::vector<T> pack(const std::vector<T>& like, std::span<const Addend>& leaves) {
    std::vector<T> packed;
    for (const T& element : like) packed.push_back(Nest<T>::pack(element, leaves));
    return packed;
  }
};

template <class T>
struct Nest<std::map<std::string, T>> {
  static void flatten(const std::map<std::string, T>& value, std::vector<Addend>& leaves) {
    for (const auto& [key, element] : value) Nest<T>::flatten(element, leaves);
  }
  static std::map<std::string, T> pack(const std::map<std::string, T>& like,
                                       std::span<const Addend>& leaves) {
    std::map<std::string, T> packed;
    for (const auto& [key, element] : like) packed.emplace(key, Nest<T>::pack(element, leaves));
    return packed;
  }
};

template <class A, class B>
struct Nest<std::pair<A, B>> {
  static void flatten(const std::pair<A, B>& value, std::vector<Addend>& leaves) {
    Nest<A>::flatten(value.first, leaves);
    Nest<B>::flatten(value.second, leaves);
  }
  static std::pair<A, B> pack(const std::pair<A, B>& like, std::span<const Addend>& leaves) {
    A first = Nest<A>::pack(like.first, leaves);
    return {std::move(first), Nest<B>::pack(like.second, leaves)};
  }
};

template <class... T>
struct Nest<std::tuple<T...>> {
  static void flatten(const std::tuple<T...>& value, std::vector<Addend>& leaves) {
    std::apply([&](const T&... element) { (Nest<T>::flatten(element, leaves), ...); }, value);
  }
  static std::tuple<T...> pack(const std::tuple<T...>& like, std::span<const Addend>& leaves) {
    // Braces keep the order of the elements.
    return std::apply(
        [&](const T&... element) { return std::tuple<T...>{Nest<T>::pack(element, leaves)...}; }, like);
  }
};

}  // namespace wt::train
