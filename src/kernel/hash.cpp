#include "kernel/cpu/kernels.h"
#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {
namespace {

std::vector<TensorSpec> hash_outputs(Specs inputs, const Attributes& attributes) {
  require_count("hash_bucket", inputs, 1);
  const TensorSpec& x = inputs[0];
  if (x.type != Type::int32 && x.type != Type::int64)
    refuse("hash_bucket", fmt::format("x is {}", print(x)), "it must be of int32 or int64");
  if (const auto& hash = attributes_as<HashAttributes>(attributes); hash.buckets < 1)
    refuse("hash_bucket", fmt::format("there are {} buckets", hash.buckets), "at least one is needed");
  return {{Type::int64, x.shape}};
}

std::vector<Example> hash_examples() {
  return {{{{{Type::int64, {5, 7}}, -1e18, 1e18}}, HashAttributes{.buckets = 1000}},
          {{{{Type::int32, {9}}, -1e4, 1e4}}, HashAttributes{.buckets = 3}},
          {{{{Type::int64, {17}}, -1e9, 1e9}},
           HashAttributes{.buckets = 1000, .is_salted = true, .salt = {133, 137}}}};
}

std::vector<TensorSpec> known_index_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count("known_index", inputs, 2);
  require_type("known_index", "index", inputs[0], Type::int64);
  require_same("known_index", "index", inputs[0], "token", inputs[1]);
  return {inputs[0]};
}

std::vector<Example> known_index_examples() {
  const auto of = [](const Shape& shape) {
    return Example{{{{Type::int64, shape}, 0, 1e6}, {{Type::int64, shape}, -1e18, 1e18}}, {}};
  };
  return {of({5, 7}), of({9})};
}

// Integer work counts nothing.
constexpr Kernel rows_of_hash_kernels[] = {
    {.name = "hash_bucket",
     .summary = "y = the hash of x's decimal digits modulo the number of buckets",
     .outputs = hash_outputs,
     .work = [](const Call& call) { return work_per_output(call, 0); },
     .examples = hash_examples,
     .apply = cpu::hash_bucket},
    {.name = "known_index",
     .summary = "index, token -> index: refuses tokens without one, whose index is below 0",
     .outputs = known_index_outputs,
     .work = [](const Call& call) { return work_per_output(call, 0); },
     .examples = known_index_examples,
     .apply = cpu::known_index,
     .in_place = true},
};

}  // namespace

std::span<const Kernel> hash_kernels() { return rows_of_hash_kernels; }

}  // namespace wt
