#pragma once
// tf.lookup.StaticHashTable: a table from keys to numbers that never changes after it is made, for closures
// of a coordinator and for functions of a dataset. Under ParameterServerStrategy TensorFlow keeps a copy of
// the table on each worker, so a look-up sends nothing to the servers.
//
//   const StaticHashTable<std::string, std::int32_t> table({{"a", 1}, {"b", 2}}, -1);
//   table.look_up({"a", "z"});  // int32[2]: 1, -1

#include <map>
#include <vector>

#include "tensor/tensor.h"

namespace wt::train {

template <class Key, class Value>
class StaticHashTable {
 public:
  // `otherwise` is the value of keys that the table does not have.
  StaticHashTable(std::map<Key, Value> rows, Value otherwise)
      : rows_(std::move(rows)), otherwise_(otherwise) {}

  std::int64_t size() const { return std::ssize(rows_); }
  Tensor look_up(const std::vector<Key>& keys) const {
    std::vector<Value> values;
    for (const Key& key : keys) {
      const auto found = rows_.find(key);
      values.push_back(found == rows_.end() ? otherwise_ : found->second);
    }
    return Tensor::of<Value>({std::ssize(values)}, values);
  }

 private:
  std::map<Key, Value> rows_;
  Value otherwise_;
};

}  // namespace wt::train
