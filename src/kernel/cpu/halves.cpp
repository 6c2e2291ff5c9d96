#include "kernel/cpu/halves.h"

#include <algorithm>

#include "kernel/cpu/kernels.h"
#include "kernel/halves.h"

namespace wt::cpu {

namespace {

void convert(const View& from, const View& to, device::Workers& workers) {
  static const Attributes none{};
  apply_cast({{&from, 1}, {&to, 1}, {}, none}, workers);
}

}  // namespace

void apply_with_copies(const Kernel& kernel, const Numbers& numbers, std::span<std::byte> copies,
                       device::Workers& workers) {
  const halves::Copies copied(numbers, copies);
  copied.each_input([&](const View& half, const View& copy) { convert(half, copy, workers); });
  kernel.apply(copied.numbers(), workers);
  copied.each_output([&](const View& half, const View& copy) { convert(copy, half, workers); });
}

}  // namespace wt::cpu
