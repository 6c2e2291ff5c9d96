#include "kernel/element/hash.h"

#include "kernel/cpu/kernels.h"
#include "kernel/cpu/tiles.h"
#include "kernel/types.h"

namespace wt::cpu {

void hash_bucket(const Numbers& numbers, device::Workers& workers) {
  const auto& [buckets, is_salted, salt] = attributes_as<HashAttributes>(numbers.attributes);
  const element::HashBucket bucket{is_salted, static_cast<std::uint64_t>(salt[0]),
                                   static_cast<std::uint64_t>(salt[1]), static_cast<std::uint64_t>(buckets)};
  std::int64_t* y = numbers.outputs[0].as<std::int64_t>();
  with_number(numbers.inputs[0].spec.type, [&](auto zero) {
    const auto* x = numbers.inputs[0].as<decltype(zero)>();
    run_rows(workers, numbers.inputs[0].spec.elements(), 1, [&](std::int64_t begin, std::int64_t count) {
      for (std::int64_t i = begin; i < begin + count; ++i) y[i] = bucket(static_cast<std::int64_t>(x[i]));
    });
  });
}

}  // namespace wt::cpu
