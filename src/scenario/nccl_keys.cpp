#include "scenario/nccl_keys.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace wt::scenario {

namespace {

using collective::LibrarySettings, collective::Operation;

constexpr std::array keys{
    NcclKey{"nccl_algo", "Ring", false, &Time::nccl_algo,
            [](LibrarySettings& settings, const std::string& text) {
              collective::set_algorithms(settings, Operation::all_reduce, text);
            }},
    NcclKey{"nccl_proto", "Simple", false, &Time::nccl_proto,
            [](LibrarySettings& settings, const std::string& text) {
              collective::set_protocols(settings, Operation::all_reduce, text);
            }},
    NcclKey{"nccl_version", "2.21", true, &Time::nccl_version, collective::set_version}};

}  // namespace

std::span<const NcclKey> nccl_keys() { return keys; }

const NcclKey& nccl_key(std::string_view name) {
  const auto found = std::ranges::find(keys, name, &NcclKey::name);
  WT_EXPECT(found != keys.end(), "{} is no setting of NCCL", name);
  return *found;
}

collective::LibrarySettings library_settings(const Time& time) {
  LibrarySettings settings;
  for (const NcclKey& key : keys)
    if (const std::optional<NcclSetting>& setting = time.*key.setting) key.set(settings, setting->text);
  return settings;
}

}  // namespace wt::scenario
