#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

// The bytes are those of the ids and, for every number that is looked up, one read and one write. The
// gradient writes its whole table.
inline Rows embedding() {
  return {
      {"embedding", {i64({2}), f32({10, 3})}, {}, 0, 64},
      {"embedding", {i32({2, 2}), f64({5, 4})}, {}, 0, 272},
      {"embedding_gradient", {i64({2}), f32({2, 3})}, ShapeAttributes{{10, 3}}, 6, 160},
      {"embedding_gradient", {i32({2, 2}), f64({2, 2, 4})}, ShapeAttributes{{5, 4}}, 16, 304},
  };
}

}  // namespace wt::counted
