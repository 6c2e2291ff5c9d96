#include "kernel/cpu/kernels.h"

#include "kernel/cpu/ids.h"
#include "kernel/cpu/tiles.h"
#include "kernel/cpu/types.h"

namespace wt::cpu {
namespace {

template <class T, class Id>
void look_up(const Numbers& numbers, device::Workers& workers) {
  const Shape& shape = numbers.inputs[1].spec.shape;
  const std::int64_t width = shape[1];
  const std::span<const Id> ids = numbers.inputs[0].values<Id>();
  require_ids("embedding", ids, shape[0]);
  const T* table = numbers.inputs[1].as<T>();
  T* y = numbers.outputs[0].as<T>();
  run_rows(workers, static_cast<std::int64_t>(ids.size()), width,
           [&](std::int64_t begin, std::int64_t count) {
             for (std::int64_t i = begin; i < begin + count; ++i)
               std::copy_n(table + ids[static_cast<std::size_t>(i)] * width, width, y + i * width);
           });
}

// A tile owns a band of rows of the table. It reads all ids in order and adds up the slopes of those in its
// band, so no two threads write to one row. Since every band reads all ids, there are at most `bands` of
// them.
constexpr std::int64_t bands = 64;

template <class T, class Id>
void add_up(const Numbers& numbers, device::Workers& workers) {
  const Shape& shape = numbers.outputs[0].spec.shape;
  const std::int64_t width = shape[1];
  const std::span<const Id> ids = numbers.inputs[0].values<Id>();
  require_ids("embedding_gradient", ids, shape[0]);
  const T* dy = numbers.inputs[1].as<T>();
  T* table = numbers.outputs[0].as<T>();
  const std::int64_t band = std::max(rows_per_tile(width), ceiling(shape[0], bands));
  workers.run(ceiling(shape[0], band), [&](std::int64_t tile, std::span<std::byte>) {
    const std::int64_t begin = tile * band;
    const std::int64_t end = std::min(begin + band, shape[0]);
    std::fill(table + begin * width, table + end * width, T{});
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < begin || ids[i] >= end) continue;
      const T* slope = dy + static_cast<std::int64_t>(i) * width;
      T* row = table + ids[i] * width;
      for (std::int64_t c = 0; c < width; ++c) row[c] += slope[c];
    }
  });
}

}  // namespace

void embedding(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) {
    with_index(numbers.inputs[0].spec.type,
               [&](auto id) { look_up<decltype(zero), decltype(id)>(numbers, workers); });
  });
}

void embedding_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) {
    with_index(numbers.inputs[0].spec.type,
               [&](auto id) { add_up<decltype(zero), decltype(id)>(numbers, workers); });
  });
}

}  // namespace wt::cpu
