#include "device/type.h"

#include <array>

namespace wt::device {

std::string_view name(Precision precision) {
  static constexpr std::array<std::string_view, 4> names{"float32", "tf32", "float16", "bfloat16"};
  return names[static_cast<std::size_t>(precision)];
}

}  // namespace wt::device
