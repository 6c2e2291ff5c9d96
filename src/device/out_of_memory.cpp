#include "device/out_of_memory.h"

#include <fmt/format.h>

namespace wt::device {

namespace {

// As TensorFlow's DataTypeString says them.
std::string_view tensorflow_name(Type type) {
  switch (type) {
    case Type::float32:
      return "float";
    case Type::float64:
      return "double";
    case Type::boolean:
      return "bool";
    case Type::int32:
    case Type::int64:
    case Type::uint8:
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

}  // namespace wt::device
