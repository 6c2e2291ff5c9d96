#pragma once

#include <cstddef>

namespace wt {

// Converts an id to an index into a vector. Ids are enum classes, `enum class NodeId : std::int32_t {}`, so
// that the compiler rejects the id of a buffer where the id of a node is required.
template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace wt
