#pragma once

#include "model/layer.h"

namespace wt::model {

// Keras' SimpleRNN, GRU (Cho et al., 2014) and LSTM (Hochreiter and Schmidhuber, 1997): a state that is updated for
// each step of a sequence [batch, time, features]. The result is the state after the last step, [batch, units], or
// after every step, [batch, time, units]. Where the input carries a mask, a step that it skips leaves the state as it
// was.
//
// Further inputs of a call are the initial states, zeros by default: h, and c for an LSTM.
struct RecurrentConfig {
  std::string name{};
  std::int64_t units = 0;
  std::string activation = "tanh";
  std::string recurrent_activation = "sigmoid";  // of the gates; a SimpleRNN has none
  bool use_bias = true;
  WeightRule kernel{glorot_uniform, {}, {}};
  WeightRule recurrent_kernel{orthogonal, {}, {}};
  WeightRule bias{zeros, {}, {}};
  bool unit_forget_bias = true;  // an LSTM's forget gate begins with a bias of 1
  bool reset_after = true;       // a GRU's reset gate is applied after the recurrent product
  bool return_sequences = false;
  bool return_state = false;          // the states after the last step are further outputs
  bool go_backwards = false;          // from the last step to the first; sequences are returned in this order
  bool zero_output_for_mask = false;  // a returned sequence is 0 where the mask skips a step
  // The shares of the input's and of the state's elements that are dropped in training. What is dropped is the same in every
  // step. With a share of the state each gate drops its own part, and so it does of the input.
  double dropout = 0;
  double recurrent_dropout = 0;
  bool gates_drop_apart = false;  // each gate drops its own part of the input (Keras' implementation 1)
  bool is_of_cells = false;       // Keras' RNN around a cell: its steps are not one kernel of Keras 2
  bool unroll = false;            // likewise
  std::optional<std::int64_t> seed{};
  bool trainable = true;
};
// The mask of such a call: a given one, or that of the sequence, which Keras 3 drops if there are initial states.
std::optional<Symbol> mask_of_sequence(Building& building, const std::vector<Symbol>& inputs);

LayerPtr simple_rnn(RecurrentConfig config);
LayerPtr gru(RecurrentConfig config);
LayerPtr lstm(RecurrentConfig config);

}  // namespace wt::model
