#pragma once
// tf.GradientTape for programs that compute operation by operation: it records what this thread computes, and goes back
// through it. Trainable variables that are read are watched; other tensors have to be given to `watch`. Gradients of rows
// that were looked up (train::gather) are IndexedSlices, as in TensorFlow; those through all_reduce and all_gather are
// collectives themselves, so that all replicas have to ask for them.
//
//   GradientTape tape;
//   const EagerTensor loss = reduce_sum(square(matmul(x, w) - y));
//   const std::vector<Gradient> gradients = tape.gradient(loss, {w});
//   w.assign_sub(dense(gradients[0]) * 0.1);

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "train/distributed/variable.h"

namespace wt::train {

using Gradient = std::optional<Addend>;  // none where the target doesn't depend on the source

// tf.convert_to_tensor: slices are added into zeros. Requires: there is a gradient.
EagerTensor dense(const Gradient& gradient);

class GradientTape {
 public:
  explicit GradientTape(bool persistent = false);
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  void watch(const EagerTensor& tensor);

  // The gradients of the sum of the target's elements. Throws device::RuntimeError at the second call, unless the tape is
  // persistent, and InputError for an operation without a gradient.
  using Source = std::variant<EagerTensor, Variable>;
  std::vector<Gradient> gradient(const EagerTensor& target, const std::vector<Source>& sources);
  template <class T>
  std::vector<Gradient> gradient(const EagerTensor& target, const std::vector<T>& sources) {
    return gradient(target, std::vector<Source>(sources.begin(), sources.end()));
  }

  // Copies of trainable variables that were read, by their names.
  std::vector<std::string> watched_variables() const;

  // ---- For the other files of this folder

  // An operation of one result, and the way back: from the gradient of the result to those of the inputs.
  using Backward = std::function<std::vector<Gradient>(const EagerTensor& of_output)>;
  static void record(const std::vector<EagerTensor>& inputs, const EagerTensor& output,
                     const Backward& backward);
  static void record_read(const Variable& copy, const EagerTensor& value);
  static bool is_recording();

 private:
  // Tensors that share their numbers are one: the address of the numbers and their count.
  using Identity = std::pair<const std::byte*, std::int64_t>;
  struct Node {
    std::vector<EagerTensor> inputs{};
    EagerTensor output{};
    Backward backward{};
  };
  struct Read {
    Variable copy;
    EagerTensor value{};
  };
  EagerTensor tensor_of(const Source& source) const;
  static Identity identity_of(const EagerTensor& tensor);
  bool knows(const EagerTensor& tensor) const { return known_.contains(identity_of(tensor)); }

  bool is_persistent_;
  bool is_used_ = false;
  bool is_paused_ = false;
  std::vector<Node> nodes_{};
  std::vector<EagerTensor> watched_{};  // keeps their addresses from being used again
  std::vector<Read> reads_{};
  std::map<Identity, bool> known_{};
};

}  // namespace wt::train
