#include "kernel/cpu/kernels.h"

#include "base/random.h"
#include "kernel/cpu/tiles.h"
#include "kernel/cpu/types.h"
#include "kernel/element/dropout.h"

namespace wt::cpu {
namespace {

// y = x / (1 - rate) where the mask is true.
template <class T>
void apply_mask(const T* x, const bool* mask, T* y, std::int64_t count, double rate) {
  const T scale = static_cast<T>(1 / (1 - rate));
  for (std::int64_t i = 0; i < count; ++i) y[i] = mask[i] ? x[i] * scale : T{};
}

// Draws the mask of some elements. Element i takes word i % 4 of block i / 4 of the random stream, so the
// mask does not depend on the tiles. Requires: begin is a multiple of 4.
void draw_mask(const PhiloxStream& stream, bool* mask, std::int64_t begin, std::int64_t count, double rate) {
  const std::uint32_t least = element::least_kept(rate);
  for (std::int64_t i = 0; i < count; i += 4) {
    const PhiloxCounter words = stream.block(static_cast<std::uint64_t>((begin + i) / 4));
    for (std::int64_t word = 0; word < std::min<std::int64_t>(4, count - i); ++word)
      mask[begin + i + word] = element::is_kept(words[static_cast<std::size_t>(word)], least);
  }
}

// Draws some numbers, by words as a mask. Requires: begin is a multiple of 4.
template <class T>
void draw(const PhiloxStream& stream, T* y, std::int64_t begin, std::int64_t count, double value) {
  for (std::int64_t i = 0; i < count; i += 4) {
    const PhiloxCounter words = stream.block(static_cast<std::uint64_t>((begin + i) / 4));
    for (std::int64_t word = 0; word < std::min<std::int64_t>(4, count - i); ++word)
      y[begin + i + word] =
          element::uniform_of<T>(words[static_cast<std::size_t>(word)]) * static_cast<T>(value);
  }
}

static_assert(tile_elements % 4 == 0);

}  // namespace

void dropout(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const double rate = attributes_as<DropoutAttributes>(numbers.attributes).rate;
    const std::int64_t* seed = numbers.inputs[1].as<std::int64_t>();
    const PhiloxStream stream = stream_of({seed[0], seed[1]});
    const T* x = numbers.inputs[0].as<T>();
    T* y = numbers.outputs[0].as<T>();
    bool* mask = numbers.outputs[1].as<bool>();
    run_rows(workers, numbers.inputs[0].spec.elements(), 1, [&](std::int64_t begin, std::int64_t count) {
      draw_mask(stream, mask, begin, count, rate);
      apply_mask(x + begin, mask + begin, y + begin, count, rate);
    });
  });
}

void dropout_gradient(const Numbers& numbers, device::Workers& workers) {
  with_floating(numbers.inputs[0].spec.type, [&](auto zero) {
    using T = decltype(zero);
    const double rate = attributes_as<DropoutAttributes>(numbers.attributes).rate;
    const T* dy = numbers.inputs[0].as<T>();
    const bool* mask = numbers.inputs[1].as<bool>();
    T* dx = numbers.outputs[0].as<T>();
    run_rows(workers, numbers.inputs[0].spec.elements(), 1, [&](std::int64_t begin, std::int64_t count) {
      apply_mask(dy + begin, mask + begin, dx + begin, count, rate);
    });
  });
}

void uniform(const Numbers& numbers, device::Workers& workers) {
  const auto& fill = attributes_as<FillAttributes>(numbers.attributes);
  with_floating(numbers.outputs[0].spec.type, [&](auto zero) {
    const std::int64_t* seed = numbers.inputs[0].as<std::int64_t>();
    const PhiloxStream stream = stream_of({seed[0], seed[1]});
    auto* y = numbers.outputs[0].as<decltype(zero)>();
    run_rows(workers, fill.spec.elements(), 1,
             [&](std::int64_t begin, std::int64_t count) { draw(stream, y, begin, count, fill.value); });
  });
}

}  // namespace wt::cpu
