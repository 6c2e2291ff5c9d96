#include "kernel/element/resize.h"

#include "kernel/cpu/kernels.h"
#include "kernel/cpu/tiles.h"

namespace wt::cpu {

void resize_shares(const Numbers& numbers, device::Workers& workers) {
  const auto& resize = attributes_as<ResizeAttributes>(numbers.attributes);
  const element::ResizeShares shares{resize.method, resize.antialias, resize.given, resize.rows,
                                     numbers.outputs[0].as<float>()};
  run_rows(workers, resize.rows, resize.given, [&](std::int64_t begin, std::int64_t count) {
    for (std::int64_t row = begin; row < begin + count; ++row) shares(row);
  });
}

}  // namespace wt::cpu
