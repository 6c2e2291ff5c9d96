#include <fmt/format.h>

#include "model/metrics/metrics.h"

namespace wt::model {

void refuse(const MetricCall& call, std::string remedy) {
  throw InputError(fmt::format("[{}] labels are {}, predictions are {}", call.name, print(call.labels.spec()),
                               print(call.predictions.spec())),
                   std::move(remedy));
}

Pair same_rank(const MetricCall& call) {
  const Symbol predictions = as_wide_float(call.predictions);
  return aligned(as_type(call.labels, predictions.spec().type), predictions,
                 is_on(Switch::labels_expand, call.semantics));
}

Pair same_shape(const MetricCall& call) {
  const Pair pair = same_rank(call);
  if (pair.labels.shape() != pair.predictions.shape())
    refuse(call, fmt::format("labels must have shape {}, one number per prediction",
                             print(call.predictions.shape())));
  return pair;
}

void read_axis(MetricOptions& options, Arguments& arguments) { arguments.integer("axis", options.axis); }

float ratio_or_zero(float a, float b) { return b == 0 ? 0 : a / b; }
Tensor scalar(float value) { return Tensor::of<float>({}, {value}); }
std::span<const float> floats(const MetricRead& read, std::size_t state) {
  return read.states[state].values<float>();
}

}  // namespace wt::model
