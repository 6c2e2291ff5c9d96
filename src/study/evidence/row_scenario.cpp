#include "study/evidence/row_scenario.h"

#include <fmt/format.h>

#include "platform/device_types.h"

namespace wt::evidence {

// The published runs used synthetic data, which is on the devices from the start, or copied their rows ahead.
std::string row_scenario(const Measurement& row, std::string_view name, const RowPlace& place,
                         std::optional<Seconds> alone) {
  const Setup setup = setup_of(row).value();
  const Network& network = *network_of(row);
  const std::int64_t batch = batch_of(row, parts_of(row, setup));
  std::string time = fmt::format(R"("fusion": "{}")", setup.fusion);
  if (setup.updates_by_operations) time += R"(, "updates": "operations")";
  if (setup.is_channels_first) time += R"(, "image_data_format": "channels_first")";
  if (alone) time += fmt::format(R"(, "measured_step": "{} s")", alone->count());
  return fmt::format(
      R"({{
  "name": "{}",
  "platform": {},
  "strategy": {},
  "model": {{"zoo": "{}"{}}},
  "dataset": {{"type": "synthetic", "rows": {}}},
  "input": {{"on_device": true}},
  "training": {{
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {},
    "per_replica_batch": {},
    "precision": "{}"
  }},
  "numerics": "none",
  "semantics": "keras2",
  "time": {{{}}}
}}
)",
      name, place.platform, place.strategy, network.zoo, network.parameters, batch * place.replicas,
      setup.optimizer, batch, setup.policy, time);
}

RowPlace on_one_device(const Setup& setup) {
  const bool is_tpu = platform::device_type_named(setup.device).kind == device::Kind::tpu;
  return {.platform = fmt::format(R"({{"virtual": {{"devices": 1, "type": "{}"}}}})", setup.device),
          .strategy = is_tpu ? R"({"type": "one_device", "device": "TPU:0"})" : R"({"type": "default"})"};
}

}  // namespace wt::evidence
