#include "train/learning_rate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/error.h"

namespace wt::train {

double learning_rate_for(const std::map<std::int64_t, double>& by_batch_size, std::int64_t global_batch) {
  if (const auto found = by_batch_size.find(global_batch); found != by_batch_size.end()) return found->second;
  std::vector<std::int64_t> known;
  for (const auto& [batch, rate] : by_batch_size) known.push_back(batch);
  throw InputError(
      fmt::format("[learning_rate] no learning rate is given for a global batch of {}", global_batch),
      fmt::format("the table has rows for {}; add one, or change the number of replicas or their batch",
                  fmt::join(known, ", ")));
}

}  // namespace wt::train
