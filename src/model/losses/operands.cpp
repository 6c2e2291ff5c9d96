#include <fmt/format.h>

#include "model/losses/losses.h"

namespace wt::model {

Symbol labels_of(const LossCall& call) { return as_type(call.labels, call.predictions.spec().type); }

Pair elements_of(const LossCall& call, bool predictions_first) {
  const Shape y = call.labels.shape(), p = call.predictions.shape();
  predictions_first ? require_broadcast(p, y, std::string(labels_remedy))
                    : require_broadcast(y, p, std::string(labels_remedy));
  return {labels_of(call), call.predictions};
}

Symbol mean_of_row(Symbol x) { return reduce_mean(x, last_axis_of(x)); }
Symbol sum_of_row(Symbol x) { return reduce_sum(x, last_axis_of(x)); }
Symbol at_least(Symbol x, double least) { return maximum(x, number_like(x, least)); }

void read_axis(LossOptions& options, Arguments& arguments) { arguments.integer("axis", options.axis); }

void refuse(const LossCall& call, std::string remedy) {
  throw InputError(fmt::format("[{}] labels are {}, predictions are {}", call.loss, print(call.labels.spec()),
                               print(call.predictions.spec())),
                   std::move(remedy));
}

}  // namespace wt::model
