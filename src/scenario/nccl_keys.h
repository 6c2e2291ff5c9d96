#pragma once
// The keys of "time" that say what is set for NCCL or RCCL.

#include <span>
#include <string>
#include <string_view>

#include "collective/library_settings.h"
#include "scenario/scenario.h"

namespace wt::scenario {

struct NcclKey {
  std::string_view name{};
  std::string_view example{};
  bool may_be_number = false;  // in JSON
  std::optional<NcclSetting> Time::*setting = nullptr;
  // Bars for all-reduces what the text doesn't allow. Throws InputError for a text that NCCL wouldn't understand.
  void (*set)(collective::LibrarySettings& settings, const std::string& text) = nullptr;
};

std::span<const NcclKey> nccl_keys();
const NcclKey& nccl_key(std::string_view name);  // Requires: there is one of this name.

// What all of them together bar.
collective::LibrarySettings library_settings(const Time& time);

}  // namespace wt::scenario
