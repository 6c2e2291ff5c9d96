// Recordings `data_shuffle_`: the orders of three epochs of shuffled numbers.

#include "base/operation_seed.h"
#include "study/recordings/datasets.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

const json::Value* set_in_config(const Recording& recording, std::string_view key) {
  const json::Value* value = recording.config(key);
  return value == nullptr || value->kind() == json::Kind::null ? nullptr : value;
}

constexpr std::uint64_t global_seed = 7;  // of the key "global seed 7"

Seed seed_of(const Recording& recording, bool has_global_seed) {
  const json::Value* own = set_in_config(recording, "seed");
  if (!has_global_seed) return data::shuffle_seed(own->integer());
  const std::int64_t seed = own != nullptr ? own->integer() : OperationSeeds(global_seed).next();
  return data::shuffle_seed(seed, global_seed);
}

data::Dataset shuffled(const Recording& recording, Seed seed) {
  const json::Value* again = set_in_config(recording, "reshuffle_each_iteration");
  return data::Dataset::range(recording.config("rows")->integer())
      .shuffle(recording.config("buffer")->integer(), seed, again == nullptr || again->boolean());
}

}  // namespace

void compare_shuffle(const Recording& recording, Comparison& comparison) {
  comparison.starts_to_compute();
  const json::Value* then_what = set_in_config(recording, "then");
  const std::string then = then_what == nullptr ? "" : then_what->string();
  const auto epochs = static_cast<std::uint64_t>(recording.config("epochs")->integer());
  for (const std::string& key : keys_of(recording))
    compare_call(recording, comparison, key, [&] {
      data::Dataset dataset = shuffled(recording, seed_of(recording, key == "global seed 7"));
      if (then == "repeat") return text_of(dataset.repeat(static_cast<std::int64_t>(epochs)), {.limit = 200});
      if (then == "batch") dataset = dataset.batch(3);
      if (then == "cache") dataset = dataset.cache();
      if (then == "take") dataset = dataset.take(4);
      return text_of(dataset, {.count = epochs, .limit = 200});
    });
}

}  // namespace wt::recordings
