#pragma once

#include "model/layer.h"

namespace wt::model {

// A layer that calls layers which it holds. Keras saves their weights below the attributes that hold them.
class Wrapper {
 public:
  struct Inner {
    std::string attribute{};  // "forward_layer"
    LayerPtr layer{};
    bool is_cell = false;  // the layer stands for a cell, whose weights it holds itself
  };
  virtual ~Wrapper() = default;
  virtual std::vector<Inner> inner() const = 0;
};

// Keras' Bidirectional (Schuster and Paliwal, 1997): a recurrent layer that reads the sequence forwards, and one that
// reads it backwards. Their outputs are merged: concatenated, added, averaged, multiplied, or both returned.
enum class MergeMode : std::uint8_t { concat, sum, ave, mul, none };
struct BidirectionalConfig {
  std::string name{};
  LayerPtr forward{};
  LayerPtr backward{};  // goes backwards
  MergeMode merge_mode = MergeMode::concat;
  bool return_sequences = false;  // as both layers
  bool return_state = false;
  bool trainable = true;
};
LayerPtr bidirectional(BidirectionalConfig config);

// Keras' TimeDistributed: applies a layer to each step of [batch, time, ...].
struct TimeDistributedConfig {
  std::string name{};
  LayerPtr layer{};
  bool trainable = true;
};
LayerPtr time_distributed(TimeDistributedConfig config);

// Keras' RNN of cells: recurrent layers of which each reads the states of the one before it. Requires: all but the last
// return sequences.
struct CellsConfig {
  std::string name{};
  std::vector<LayerPtr> layers{};
  bool trainable = true;
};
LayerPtr rnn_of_cells(CellsConfig config);

}  // namespace wt::model
