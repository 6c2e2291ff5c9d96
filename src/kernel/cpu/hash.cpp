#include "kernel/element/hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "kernel/cpu/kernels.h"
#include "kernel/cpu/tiles.h"
#include "kernel/signature.h"
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

namespace {

// As TensorFlow prints a vector: three numbers at each end.
std::string print_ends(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t each = 3;
  const std::span<const std::int64_t> all(numbers);
  if (all.size() <= 2 * each) return fmt::format("[{}]", fmt::join(all, " "));
  return fmt::format("[{} ... {}]", fmt::join(all.first(each), " "), fmt::join(all.last(each), " "));
}

}  // namespace

void known_index(const Numbers& numbers, device::Workers& /*workers*/) {
  const std::span<const std::int64_t> index = numbers.inputs[0].values<std::int64_t>();
  const std::span<const std::int64_t> tokens = numbers.inputs[1].values<std::int64_t>();
  std::vector<std::int64_t> unknown;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] < 0) unknown.push_back(tokens[i]);
  if (!unknown.empty())
    refuse("known_index",
           fmt::format("When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values {}, "
                       "consider setting `num_oov_indices=1`.",
                       print_ends(unknown)));
  std::int64_t* y = numbers.outputs[0].as<std::int64_t>();
  if (y != index.data()) std::ranges::copy(index, y);
}

}  // namespace wt::cpu
