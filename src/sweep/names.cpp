#include "sweep/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json_writer.h"

namespace wt::sweep {

namespace {

constexpr std::array names{
    ShortName{"all_reduce", "strategy.algorithm", "",
              "NCCL's algorithm for gradients: ring, tree, nvls, ..."},
    ShortName{"batch", "training.per_replica_batch", "training.global_batch",
              "rows of each replica in a step"},
    ShortName{"devices", "", "", "number of replicas, as for `run --replicas`: devices, machines or a slice"},
    ShortName{"epochs", "training.epochs", "training.steps", "how often the dataset is gone through"},
    ShortName{"global_batch", "training.global_batch", "training.per_replica_batch",
              "rows of all replicas together in a step"},
    ShortName{"link_bandwidth", "platform.set.machine.nics.bandwidth", "", "of each NIC, as in 100Gb/s"},
    ShortName{"machines", "platform.set.machines", "", "number of machines of the platform"},
    ShortName{"model", "model", "", "a name of `list models`, or an object"},
    ShortName{"platform", "platform", "", "a name of `list platforms`, a file or an object"},
    ShortName{"precision", "training.precision", "", "float32, tf32, mixed_float16, mixed_bfloat16"},
    ShortName{"slice", "platform.set.slice", "", "of a TPU platform, as in 4x4x8 or v4-128"},
    ShortName{"strategy", "strategy", "", "a name of `list strategies`, or an object with options"},
};

const ShortName* find(std::string_view key) {
  const auto found = std::ranges::find(names, key, &ShortName::name);
  return found == names.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ShortName> short_names() { return names; }

bool is_replicas(std::string_view key) {
  const ShortName* name = find(key);
  return name != nullptr && name->key.empty();
}

std::vector<std::string> overrides_of(const std::string& key, const Setting& setting) {
  const ShortName* name = find(key);
  if (name == nullptr) return {fmt::format("{}={}", key, json::compact(setting.value))};
  if (name->key.empty()) return {};
  std::vector<std::string> overrides;
  if (!name->unset.empty()) overrides.push_back(fmt::format("{}=null", name->unset));
  overrides.push_back(fmt::format("{}={}", name->key, json::compact(setting.value)));
  return overrides;
}

}  // namespace wt::sweep
