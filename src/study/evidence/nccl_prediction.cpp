#include "study/evidence/nccl_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/rough.h"
#include "collective/library_settings.h"
#include "communication/collective_question.h"
#include "platform/load.h"

namespace wt::evidence {

namespace {

platform::Platform loaded(const NcclSystem& system) {
  platform::Parameters parameters;
  for (const std::string& text : system.overrides) parameters.push_back(platform::parse_parameter(text));
  return platform::load(system.platform, parameters).platform;
}

// All devices, or as many of each machine as make up the number of the rows.
communication::Group group_of(const platform::Platform& platform, const NcclSystem& system) {
  communication::Group all = communication::first_devices(platform, platform.devices());
  if (system.devices == 0 || system.devices == all.size()) return all;
  if (system.devices > all.size())
    throw InputError(fmt::format("{} has rows of {}, and {} has {}", system.system,
                                 counted(system.devices, "device"), system.platform, all.size()),
                     "give the number of machines in the column \"nodes\"");
  const int nodes = std::max(1, system.nodes), each = (system.devices + nodes - 1) / nodes;
  std::map<int, int> taken;
  std::erase_if(all.ranks,
                [&](platform::Endpoint rank) { return ++taken[platform.machine_of(rank)] > each; });
  all.ranks.resize(std::min(all.ranks.size(), static_cast<std::size_t>(system.devices)));
  return all;
}

}  // namespace

NcclPredictor::NcclPredictor(NcclSystem system, collective::Operation operation)
    : system_(std::move(system)),
      operation_(operation),
      platform_(loaded(system_)),
      group_(group_of(platform_, system_)) {}

communication::Group NcclPredictor::group_for(const NcclRow& row) const {
  if (row.devices == 0 || row.devices == group_.size()) return group_;
  NcclSystem system = system_;
  system.devices = row.devices;
  return group_of(platform_, system);
}

collective::Choice NcclPredictor::choice_for(const NcclRow& row, const communication::Group& group) const {
  const std::vector<collective::Choice> choices = communication::choices(group, operation_, row.bytes);
  const std::string& forced = row.forced.empty() ? system_.algorithm : row.forced;
  for (const collective::Choice& each : choices) {
    if (!system_.has_ll128 && each.protocol == collective::Protocol::ll128) continue;
    if (forced.empty() || collective::nccl_name(each.algorithm) == forced) return each;
  }
  return choices.front();
}

// Of the whole vector, as nccl-tests rounds it: every rank has an equal part where operations share it out.
std::int64_t NcclPredictor::elements(Bytes bytes, int ranks) const {
  const std::int64_t unit = communication::is_shared_out(operation_) ? ranks : 1;
  return std::max<std::int64_t>(1, bytes.count() / 4 / unit) * unit;
}

Seconds NcclPredictor::time(NcclRow& row, std::optional<Seconds> launch_time) const {
  const communication::Group group = group_for(row);
  const collective::Choice choice = choice_for(row, group);
  const communication::Call call = communication::call_of(
      group, collective::algorithm_named(operation_, choice.algorithm),
      {.ranks = group.size(), .elements = elements(row.bytes, group.size())},
      {.launch = system_.launch, .protocol = choice.protocol, .launch_time = launch_time});
  row.algorithm = choice.algorithm, row.protocol = call.protocol;
  return communication::time_of(call, group, Type::float32).time;
}

Seconds NcclPredictor::launch_time(const NcclRow& smallest) const {
  return communication::launch_time_from(smallest.published, smallest.bytes, group_, operation_);
}

}  // namespace wt::evidence
