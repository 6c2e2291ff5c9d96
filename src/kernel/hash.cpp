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

// Integer work counts nothing.
constexpr Kernel rows_of_hash_kernels[] = {
    {.name = "hash_bucket",
     .summary = "y = the hash of x's decimal digits modulo the number of buckets",
     .outputs = hash_outputs,
     .work = [](const Call& call) { return work_per_output(call, 0); },
     .examples = hash_examples,
     .apply = cpu::hash_bucket},
};

}  // namespace

std::span<const Kernel> hash_kernels() { return rows_of_hash_kernels; }

}  // namespace wt
