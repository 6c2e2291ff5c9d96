#include "distribute/input_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/tensorflow_error.h"
#include "train/errors.h"
#include "train/strategy.h"

namespace wt::distribute {
namespace {

using enum data::InputReplication;

// What a strategy says of PER_REPLICA behind "InputReplicationMode.PER_REPLICA is only supported in "; empty: it takes it.
struct Refusals {
  std::string_view strategy{};
  std::string_view of_dataset{};
  std::string_view of_function{};
};

constexpr std::string_view only_mirrored =
    "`experimental_distribute_datasets_from_function` of tf.distribute.MirroredStrategy";
constexpr Refusals refusals[] = {
    {"MirroredStrategy", "`distribute_datasets_from_function`.", ""},
    {"MultiWorkerMirroredStrategy", "`distribute_datasets_from_function` of tf.distribute.MirroredStrategy",
     "`distribute_datasets_from_function` of tf.distribute.MirroredStrategy"},
    {"OneDeviceStrategy", " `experimental_distribute_datasets_from_function`.", only_mirrored},
    {"TPUStrategy", "`experimental_distribute_datasets_from_function`.", ""},
};

void require_replication(std::string_view strategy, const data::InputOptions& options,
                         std::string_view Refusals::*refusal) {
  const auto* row = std::ranges::find(refusals, strategy, &Refusals::strategy);
  if (options.replication_mode == per_worker || row == std::end(refusals) || (row->*refusal).empty()) return;
  throw train::NotImplementedError(
      fmt::format("InputReplicationMode.PER_REPLICA is only supported in {}", row->*refusal));
}

}  // namespace

// TensorFlow's central storage misspells the name of an option, so that no options are accepted.
void require_options_of_dataset(std::string_view strategy, const data::InputOptions& options) {
  if (strategy == "CentralStorageStrategy")
    throw InputError("'InputOptions' object has no attribute 'experimental_replication_moden'",
                     "TensorFlow's CentralStorageStrategy takes no options here: leave them out");
  require_replication(strategy, options, &Refusals::of_dataset);
}

// The default strategy calls the function, and looks at no options.
void require_options_of_function(std::string_view strategy, const data::InputOptions& options) {
  const bool has_refusals = strategy == "CentralStorageStrategy" ||
                            std::ranges::find(refusals, strategy, &Refusals::strategy) != std::end(refusals);
  if (has_refusals && options.place_dataset_on_device) {
    if (options.replication_mode == per_worker)
      throw ValueError(
          "When `experimental_place_dataset_on_device` is set for dataset placement, you must also specify "
          "`PER_REPLICA` for the replication mode");
    if (options.fetch_to_device)
      throw ValueError(
          "`experimental_place_dataset_on_device` can not be set to True when experimental_fetch_to_device "
          "is True "
          "with replication mode set to `PER_REPLICA`");
  }
  require_replication(strategy, options, &Refusals::of_function);
}

data::InputReplication replication(std::string_view strategy, const data::InputOptions& options) {
  return strategy == "MirroredStrategy" ? options.replication_mode : per_worker;
}

void require_outside_of_replicas() {
  if (train::has_strategy() && !train::in_cross_replica_context())
    throw ValueError(
        "next(iterator) should be called from outside of replica_fn. e.g. strategy.run(replica_fn, "
        "args=(next(iterator),))");
}

}  // namespace wt::distribute
