#include "model/layers/wrapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/layers/recurrent.h"
#include "model/layers/spatial.h"
#include "model/mask.h"

namespace wt::model {

namespace {

class Bidirectional final : public Layer, public Wrapper {
 public:
  explicit Bidirectional(BidirectionalConfig config)
      : Layer(config.name, config.trainable), config_(std::move(config)) {}
  std::string_view class_name() const override { return "Bidirectional"; }
  std::vector<Inner> inner() const override {
    return {{"forward_layer", config_.forward}, {"backward_layer", config_.backward}};
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    if (inputs.empty() || inputs.size() % 2 == 0)
      refuse(fmt::format("it is given {} inputs", inputs.size()),
             "it takes a sequence, and initial states of both");
    const std::size_t states = (inputs.size() - 1) / 2;
    const std::optional<Symbol> mask = mask_of_sequence(building, inputs);
    const auto read = [&](const LayerPtr& layer, std::size_t first) {
      std::vector<Symbol> own{inputs[0]};
      for (std::size_t i = 0; i < states; ++i) own.push_back(inputs[first + i]);
      CallOptions options;
      if (mask) {
        own.push_back(*mask);
        options.masked_inputs = {0};
      }
      return (*layer)(building, own, options);
    };
    const std::vector<Symbol> forward = read(config_.forward, 1);
    const std::vector<Symbol> backward = read(config_.backward, 1 + states);
    std::vector<Symbol> outputs =
        config_.return_sequences ? merged(kept(forward[0], mask), kept(spatial::reversed(backward[0]), mask))
                                 : merged(forward[0], backward[0]);
    if (config_.return_state) {
      outputs.insert(outputs.end(), forward.begin() + 1, forward.end());
      outputs.insert(outputs.end(), backward.begin() + 1, backward.end());
    }
    return outputs;
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    if (!config_.return_sequences) return std::nullopt;
    return building.mask();
  }

 private:
  // Sequences are 0 where the mask skips a step, whatever the layers inside return there.
  static Symbol kept(Symbol sequence, const std::optional<Symbol>& mask) {
    return mask ? sequence * as_factors(*mask, sequence) : sequence;
  }

  std::vector<Symbol> merged(Symbol a, Symbol b) const {
    switch (config_.merge_mode) {
      case MergeMode::concat:
        return {concat({a, b}, a.shape().rank() - 1)};
      case MergeMode::sum:
        return {a + b};
      case MergeMode::ave:
        return {(a + b) / 2};
      case MergeMode::mul:
        return {a * b};
      case MergeMode::none:
        break;
    }
    return {a, b};
  }

  BidirectionalConfig config_;
};

class TimeDistributed final : public Layer, public Wrapper {
 public:
  explicit TimeDistributed(TimeDistributedConfig config)
      : Layer(config.name, config.trainable), layer_(std::move(config.layer)) {}
  std::string_view class_name() const override { return "TimeDistributed"; }
  std::vector<Inner> inner() const override { return {{"layer", layer_}}; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 3)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes [batch, time, ...]");
    const std::int64_t rows = x.shape()[0], time = x.shape()[1];
    Shape steps{rows * time};
    for (int axis = 2; axis < x.shape().rank(); ++axis) steps.append(x.shape()[axis]);
    if (has_batch_statistics() && is_on(Switch::time_distributed_goes_step_by_step, building.semantics()))
      return {by_steps(building, x)};
    const Symbol y = (*layer_)(building, wt::reshape(x, steps));
    Shape sequence{rows, time};
    for (int axis = 1; axis < y.shape().rank(); ++axis) sequence.append(y.shape()[axis]);
    return {wt::reshape(y, sequence)};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  // Whether the numbers of a row may depend on the other rows, so that it matters which rows are computed at once.
  bool has_batch_statistics() const {
    return layer_->class_name() == "BatchNormalization" || !layer_->parts().empty();
  }

  Symbol by_steps(Building& building, Symbol x) const {
    Shape step;
    for (int axis = 0; axis < x.shape().rank(); ++axis)
      if (axis != 1) step.append(x.shape()[axis]);
    std::vector<Symbol> computed;
    for (const Symbol each : spatial::slices(x, 1)) {
      const Symbol y = (*layer_)(building, wt::reshape(each, step));
      Shape with_time{y.shape()[0], 1};
      for (int axis = 1; axis < y.shape().rank(); ++axis) with_time.append(y.shape()[axis]);
      computed.push_back(wt::reshape(y, with_time));
    }
    return computed.size() == 1 ? computed.front() : concat(computed, 1);
  }

  LayerPtr layer_;
};

class RnnOfCells final : public Layer, public Wrapper {
 public:
  explicit RnnOfCells(CellsConfig config)
      : Layer(config.name, config.trainable), layers_(std::move(config.layers)) {}
  std::string_view class_name() const override { return "RNN"; }
  std::vector<Inner> inner() const override {
    if (layers_.size() == 1) return {{"cell", layers_.front(), true}};
    std::vector<Inner> all;
    std::map<std::string, int> used;
    for (const LayerPtr& layer : layers_) {
      const std::string name = snake_case(fmt::format("{}Cell", layer->class_name()));
      const int number = used[name]++;
      all.push_back(
          {fmt::format("cell/cells/{}{}", name, number == 0 ? "" : fmt::format("_{}", number)), layer, true});
    }
    return all;
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    std::vector<Symbol> outputs{only(inputs)};
    for (const LayerPtr& layer : layers_) outputs = (*layer)(building, std::vector<Symbol>{outputs.front()});
    return outputs;
  }

 private:
  std::vector<LayerPtr> layers_;
};

}  // namespace

LayerPtr bidirectional(BidirectionalConfig config) {
  return std::make_shared<Bidirectional>(std::move(config));
}
LayerPtr time_distributed(TimeDistributedConfig config) {
  return std::make_shared<TimeDistributed>(std::move(config));
}
LayerPtr rnn_of_cells(CellsConfig config) { return std::make_shared<RnnOfCells>(std::move(config)); }

}  // namespace wt::model
