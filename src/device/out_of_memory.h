#pragma once
// TensorFlow's messages about memory.

#include <string>
#include <string_view>

#include "base/quantity.h"
#include "tensor/shape.h"
#include "tensor/type.h"

namespace wt::device {

// "OOM when allocating tensor with shape[8192,8192] and type float on /job:... by allocator GPU_0_bfc".
std::string out_of_memory_text(const Shape& shape, Type type, std::string_view device,
                               std::string_view allocator);

// "512B", "8.0KiB", "13.25GiB": sizes in TensorFlow's messages (HumanReadableNumBytes).
std::string human_readable(Bytes size);

}  // namespace wt::device
