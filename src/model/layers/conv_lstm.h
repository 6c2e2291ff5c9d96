#pragma once

#include "model/layers/convolution.h"

namespace wt::model {

// Keras' ConvLSTM1D, ConvLSTM2D and ConvLSTM3D (Shi et al., 2015): an LSTM whose products are convolutions. The input is
// [batch, time, spatial axes..., channels], the state [batch, spatial axes..., filters]. The convolution of the state is
// padded such that it keeps its size. There is no kernel of its own: the step has the convolutions of every time step.
//
// Further inputs of a call are the initial states h and c, zeros by default. In training each gate drops its own part of
// the input and of the state, the same in every step.
struct ConvLstmConfig {
  ConvolutionConfig base{};
  std::string recurrent_activation = "sigmoid";  // of the gates
  WeightRule recurrent_kernel{orthogonal, {}, {}};
  bool unit_forget_bias = true;
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  double dropout = 0;  // the shares of the input's and of the state's elements that are dropped
  double recurrent_dropout = 0;
  std::optional<std::int64_t> seed{};
};
LayerPtr conv_lstm1d(ConvLstmConfig config);
LayerPtr conv_lstm2d(ConvLstmConfig config);
LayerPtr conv_lstm3d(ConvLstmConfig config);

}  // namespace wt::model
