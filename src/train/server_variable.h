#pragma once
// The variables of a program with parameter servers. A variable is on one server, or it is a
// tf.ShardedVariable: several variables on several servers, which hold the rows of one. Reads, assignments
// and look-ups treat both alike:
//
//   ServerVariable table = strategy.create("table", {Type::float32, {12, 16}}, initializer);
//   table.parts()[1].device;              // "/job:ps/replica:0/task:1/device:CPU:0"
//   const Tensor rows = table.look_up({0, 7, 7});
//
// Copies of a ServerVariable are the same variable. Behaviour and error texts are those of TensorFlow 2.x,
// distribute/sharded_variable.py and ps_values.py.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace wt::train {

class ServerVariable {
 public:
  struct Part {
    std::string name{};  // "table/part_0:0"
    std::string device{};
    Tensor value{};
  };
  // How the rows of a look-up are combined (tf.nn.embedding_lookup_sparse): their sum, the sum divided by the
  // sum of the weights, or the sum divided by the root of the sum of the squared weights.
  enum class Combiner : std::uint8_t { sum, mean, sqrtn };

  ServerVariable(std::string name, TensorSpec spec, std::vector<Part> parts)
      : name_(std::move(name)), spec_(spec), parts_(std::make_shared<std::vector<Part>>(std::move(parts))) {}

  const std::string& name() const { return name_; }
  const TensorSpec& spec() const { return spec_; }
  const std::vector<Part>& parts() const { return *parts_; }
  bool is_sharded() const { return parts_->size() > 1; }

  Tensor value() const;  // all rows
  // Python's v[begin:end:step] with a positive step. Negative numbers count from the end.
  Tensor slice(std::int64_t begin, std::optional<std::int64_t> end = {}, std::int64_t step = 1) const;
  Tensor column(std::int64_t index) const;  // Python's v[:, index] of a matrix

  // The rows with these numbers. Throws InvalidArgumentError for a row that does not exist.
  Tensor look_up(const std::vector<std::int64_t>& ids) const;
  // One row for each list of ids. An empty list gives zeros. Without weights, each id has the weight 1.
  // Requires: the variable is a matrix of float32, and the lists of weights are as long as those of ids.
  Tensor look_up_sparse(const std::vector<std::vector<std::int64_t>>& ids, Combiner combiner = Combiner::mean,
                        const std::vector<std::vector<float>>& weights = {}) const;

  // These throw InputError if the value has another shape or type. A value with too few rows for the shards
  // is an InvalidArgumentError of `assign`, which has then assigned the shards before.
  void assign(const Tensor& value);
  void assign_add(const Tensor& value);
  void assign_sub(const Tensor& value);
  void scatter_add(const std::vector<std::int64_t>& ids, const Tensor& rows);

 private:
  struct Place {
    std::size_t part = 0;
    std::int64_t row = 0;
  };
  Place place(std::int64_t row) const;
  Tensor newest() const;
  void add(const Tensor& value, int sign);
  void check(const Tensor& value) const;

  std::string name_;
  TensorSpec spec_;
  std::shared_ptr<std::vector<Part>> parts_;
};

// TensorFlow's cache_variable_reads() (distribute/distribute_utils.py). Until the end of the scope, `value`,
// `slice` and `column` of a variable return what the first of them has read in the scope, whatever is
// assigned meanwhile, so that a worker pulls the variable only once. Look-ups are not cached. The steps of a
// Function need no such scope, because they pull each variable once in any case.
class CachedVariableReads {
 public:
  CachedVariableReads();  // throws device::ValueError inside another such scope
  ~CachedVariableReads();
  CachedVariableReads(const CachedVariableReads&) = delete;
  CachedVariableReads& operator=(const CachedVariableReads&) = delete;
};
[[nodiscard]] inline CachedVariableReads cache_variable_reads() { return CachedVariableReads(); }

}  // namespace wt::train
