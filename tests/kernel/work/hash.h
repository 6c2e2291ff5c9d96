#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

// Integer work counts nothing.
inline Rows hash() {
  return {
      {"hash_bucket", {i64({2, 3})}, HashAttributes{.buckets = 5}, 0, 96},
      {"hash_bucket", {i32({4})}, HashAttributes{.is_salted = true}, 0, 48},
      {"known_index", {i64({2, 3}), i64({2, 3})}, {}, 0, 144},
      {"known_index", {i64({4}), i64({4})}, {}, 0, 96},
  };
}

}  // namespace wt::counted
