#include "device/out_of_memory.h"

#include <fmt/format.h>

namespace wt::device {

namespace {

// The names of types in TensorFlow's DataTypeString.
std::string_view tensorflow_name(Type type) {
  switch (type) {
    case Type::float32:
      return "float";
    case Type::float64:
      return "double";
    case Type::boolean:
      return "bool";
    case Type::float16:
      return "half";
    case Type::int32:
    case Type::int64:
    case Type::uint8:
    case Type::bfloat16:
      break;
  }
  return wt::name(type);
}

}  // namespace

std::string out_of_memory_text(const Shape& shape, Type type, std::string_view device,
                               std::string_view allocator) {
  return fmt::format("OOM when allocating tensor with shape{} and type {} on {} by allocator {}",
                     print(shape), tensorflow_name(type), device, allocator);
}

std::string human_readable(Bytes size) {
  std::int64_t count = size.count();
  if (count < 1024) return fmt::format("{}B", count);
  std::string_view units = "KMGTPE";
  for (; count >= 1024 * 1024; units.remove_prefix(1)) count /= 1024;
  const double shown = static_cast<double>(count) / 1024;
  return units.front() == 'K' ? fmt::format("{:.1f}KiB", shown)
                              : fmt::format("{:.2f}{}iB", shown, units.front());
}

}  // namespace wt::device
