#pragma once
// Turns the values of one feature into a row of a tensor.

#include <optional>
#include <string>

#include "data/example.h"
#include "data/tfrecord.h"
#include "tensor/tensor.h"

namespace wt::data {

// What is wrong with a feature, and the remedy.
struct FeatureFault {
  std::string fact{};
  std::string remedy{};
};

// The row that `tensor` makes of a feature, or a fault if no feature of this shape and type can give what is
// wanted.
TensorSpec row_of(const RecordTensor& tensor, const RecordFeature& feature,
                  std::optional<FeatureFault>& fault);

// Writes the feature's numbers to `row`, a row of what row_of returned.
std::optional<FeatureFault> write_feature(const Feature& values, const RecordFeature& feature,
                                          const RecordTensor& tensor, const View& row);

}  // namespace wt::data
