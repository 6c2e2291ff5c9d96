#pragma once

#include "kernel/work/rows.h"

namespace wt::counted {

// A recurrent product counts as a matmul, once forward and twice backward. The steps of a unit beside it are
// 13 (lstm), 14 or 11 (gru with and without reset_after) and 2 (simple_rnn), backward 29, 22 or 20, and 6. Where gates drop parts of the state, a
// product for each of them and each unit comes to it, and two backward.
inline Rows recurrent() {
  const RecurrentAttributes plain{}, masked{.is_masked = true}, before{.reset_after = false},
      drops{.state_dropout = 0.5};
  return {
      {"simple_rnn", {f32({2, 3, 4}), f32({4, 4}), f32({2, 4})}, plain, 240, 512},
      {"simple_rnn", {f64({1, 2, 3}), f64({3, 3}), f64({1, 3}), boolean({1, 2})}, masked, 48, 314},
      {"simple_rnn_gradient", {f32({2, 3, 4}), f32({4, 4}), f32({2, 4}), f32({2, 3, 2, 4})}, plain, 528, 576},
      {"simple_rnn_gradient",
       {f64({1, 2, 3}), f64({3, 3}), f64({1, 3}), f64({2, 2, 1, 3}), boolean({1, 2})},
       masked,
       108,
       386},
      {"simple_rnn", {f32({2, 3, 4}), f32({4, 4}), f32({2, 4}), boolean({1, 2, 4})}, drops, 264, 520},
      {"gru_gradient",
       {f32({2, 3, 4}), f32({4, 12}), f32({2, 4}), f32({5, 3, 2, 4}), boolean({3, 2, 4})},
       drops,
       1824,
       1384},
      {"gru", {f32({2, 3, 12}), f32({4, 12}), f32({12}), f32({2, 4})}, plain, 912, 1168},
      {"gru", {f32({1, 2, 9}), f32({3, 9}), f32({1, 3})}, before, 174, 348},
      {"gru_gradient", {f32({2, 3, 4}), f32({4, 12}), f32({2, 4}), f32({5, 3, 2, 4})}, plain, 1680, 1360},
      {"gru_gradient", {f32({1, 2, 3}), f32({3, 9}), f32({1, 3}), f32({5, 2, 1, 3})}, before, 336, 456},
      {"lstm", {f32({2, 3, 16}), f32({4, 16}), f32({2, 4}), f32({2, 4})}, plain, 1080, 1440},
      {"lstm", {f64({1, 2, 12}), f64({3, 12}), f64({1, 3}), f64({1, 3})}, plain, 222, 912},
      {"lstm_gradient",
       {f32({2, 3, 4}), f32({4, 16}), f32({2, 4}), f32({2, 4}), f32({6, 3, 2, 4})},
       plain,
       2232,
       1696},
      {"lstm_gradient",
       {f64({1, 2, 3}), f64({3, 12}), f64({1, 3}), f64({1, 3}), f64({6, 2, 1, 3})},
       plain,
       462,
       1200},
  };
}

}  // namespace wt::counted
