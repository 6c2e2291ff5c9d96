#include "study/evidence/scaling_prediction.h"

#include <algorithm>
#include <map>

#include "study/evidence/scaling_bases.h"
#include "study/evidence/setups.h"

namespace wt::evidence {

namespace {

ScalingPrediction predict(const Measurement& row, const Arrangement& arrangement, Bases& bases) {
  ScalingPrediction made{.row = &row,
                         .base = bases.base_of(row),
                         .arrangement = &arrangement,
                         .network = std::string(network_of(row)->zoo),
                         .batch = own_batch(row)};
  made.absolute = play(row, arrangement, {}, {}).throughput();
  if (made.base != nullptr) made.scaled = bases.scaled(row, arrangement).throughput();
  return made;
}

}  // namespace

ScalingPredictions predict_scaling(const std::vector<Measurement>& rows) {
  ScalingPredictions predictions;
  std::map<std::string_view, std::int64_t> left_out;
  for (const Measurement& row : rows)
    if (const std::string_view reason = reason_to_leave_out(row); !reason.empty()) ++left_out[reason];
  Bases bases(rows);
  for (const Arrangement& arrangement : arrangements())
    for (const Measurement& row : rows)
      if (fits(row, arrangement) && reason_to_leave_out(row).empty())
        predictions.made.push_back(predict(row, arrangement, bases));
  for (const auto& [reason, count] : left_out) predictions.left_out.push_back(count_of_rows(count, reason));
  return predictions;
}

}  // namespace wt::evidence
