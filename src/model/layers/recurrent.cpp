#include "model/layers/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "model/layers/spatial.h"
#include "model/mask.h"

namespace wt::model {

namespace {

// The three kinds of cells. A kind computes `gates` blocks of units from each step's input.
struct CellKind {
  std::string_view class_name{};
  std::string_view kernel{};  // of kernel/recurrent.h
  std::string_view cell{};    // the part of Keras' weight names
  std::int64_t gates = 1;
  std::size_t states = 1;
};
constexpr CellKind simple_rnn_kind{"SimpleRNN", "simple_rnn", "simple_rnn_cell", 1, 1};
constexpr CellKind gru_kind{"GRU", "gru", "gru_cell", 3, 1};
constexpr CellKind lstm_kind{"LSTM", "lstm", "lstm_cell", 4, 2};

struct NamedActivation {
  std::string_view name{};
  CellActivation keras2{};
  CellActivation keras3{};
};
constexpr NamedActivation cell_activations[] = {
    {"linear", CellActivation::linear, CellActivation::linear},
    {"tanh", CellActivation::tanh, CellActivation::tanh},
    {"sigmoid", CellActivation::sigmoid, CellActivation::sigmoid},
    {"relu", CellActivation::relu, CellActivation::relu},
    {"hard_sigmoid", CellActivation::hard_sigmoid_keras2, CellActivation::hard_sigmoid},
    {"softsign", CellActivation::softsign, CellActivation::softsign},
    {"softplus", CellActivation::softplus, CellActivation::softplus},
    {"elu", CellActivation::elu, CellActivation::elu},
    {"exponential", CellActivation::exponential, CellActivation::exponential},
};

class Recurrent final : public Layer {
 public:
  Recurrent(const CellKind& kind, RecurrentConfig config)
      : Layer(config.name, config.trainable), kind_(kind), config_(std::move(config)) {
    require_positive("units", config_.units);
    require_known(config_.activation);
    require_known(config_.recurrent_activation);
    for (const double rate : {config_.dropout, config_.recurrent_dropout})
      if (!(rate >= 0 && rate < 1))
        refuse(fmt::format("the share {} is dropped", rate), "it must be at least 0 and less than 1");
  }
  std::string_view class_name() const override { return kind_.class_name; }

 protected:
  WholeNumbers whole_numbers() const override { return WholeNumbers::converts; }
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    if (inputs.size() != 1 && inputs.size() != 1 + kind_.states)
      refuse(fmt::format("it is given {} inputs", inputs.size()),
             fmt::format("it takes a sequence, or a sequence and {} initial states", kind_.states));
    const Symbol x = inputs[0];
    if (x.shape().rank() != 3)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes [batch, time, features]");
    const std::optional<Symbol> mask = mask_of_sequence(building, inputs);
    const std::vector<Symbol> outputs = states_of(building, inputs, mask);
    const Symbol sequence = outputs[0];
    const bool restarts = inputs.size() > 1 && mask;
    std::vector<Symbol> results{config_.return_sequences ? shown(sequence, mask)
                                : restarts               ? last_step(sequence)
                                                         : outputs[1]};
    if (config_.return_state)
      results.insert(results.end(), outputs.begin() + 1,
                     outputs.begin() + 1 + static_cast<std::ptrdiff_t>(kind_.states));
    return results;
  }

  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    if (!config_.return_sequences) return std::nullopt;
    return building.mask();
  }

 private:
  // The outputs of the kernel: the state after every step, and the states after the last one.
  std::vector<Symbol> states_of(Building& building, const std::vector<Symbol>& inputs,
                                const std::optional<Symbol>& mask) const {
    const Symbol x = inputs[0];
    const Type type = x.spec().type;
    const std::int64_t width = kind_.gates * config_.units;
    const Symbol kernel =
        building.weight(weight_name("kernel"), {type, {x.shape().last(), width}}, config_.kernel);
    const Symbol recurrent = building.weight(weight_name("recurrent_kernel"), {type, {config_.units, width}},
                                             config_.recurrent_kernel);
    const std::vector<Symbol> biases = biases_of(building, type, width);
    const Symbol product = product_of(building, x, kernel);
    std::vector<Symbol> operands{biases.empty() ? product : bias_add(product, biases[0]), recurrent};
    if (has_recurrent_bias())
      operands.push_back(biases.size() > 1 ? biases[1] : fill(building.trace(), {type, {width}}, 0));
    for (std::size_t i = 0; i < kind_.states; ++i)
      operands.push_back(inputs.size() > 1
                             ? inputs[1 + i]
                             : fill(building.trace(), {type, {x.shape()[0], config_.units}}, 0));
    const double state_dropout = building.training() ? config_.recurrent_dropout : 0;
    if (state_dropout > 0) operands.push_back(kept_state(building, x.shape()[0]));
    if (mask) operands.push_back(*mask);
    const bool is_keras2 = is_on(Switch::hard_sigmoid_has_slope_a_fifth, building.semantics());
    return building.trace().apply(
        kind_.kernel, operands,
        RecurrentAttributes{.activation = cell_activation(config_.activation, is_keras2),
                            .recurrent_activation = cell_activation(config_.recurrent_activation, is_keras2),
                            .go_backwards = config_.go_backwards,
                            .reset_after = config_.reset_after,
                            .is_masked = mask.has_value(),
                            .state_dropout = state_dropout});
  }

  // The input, or what is left of it in training, times the kernel.
  Symbol product_of(Building& building, Symbol x, Symbol kernel) const {
    if (!building.training() || config_.dropout == 0) return matmul(x, kernel);
    const DropoutAttributes rate{.rate = config_.dropout};
    const Symbol seed = building.random_stream(name() + "/seed", config_.seed);
    const bool is_fused =
        is_one_kernel() && is_on(Switch::fused_recurrent_layers_drop_by_step, building.semantics());
    if (is_fused) return matmul(dropout(x, seed, rate), kernel);
    const bool apart = kind_.gates > 1 && (config_.gates_drop_apart || config_.recurrent_dropout > 0);
    const std::int64_t count = apart ? kind_.gates : 1, rows = x.shape()[0], features = x.shape()[2];
    const Symbol ones = fill(building.trace(), {x.spec().type, {count, rows, 1, features}}, 1);
    const Symbol shares = dropout(ones, seed, rate);
    if (!apart) return matmul(x * reshape(shares, {rows, 1, features}), kernel);
    Shape gates, ones_of_gates;
    for (std::int64_t gate = 0; gate < count; ++gate) {
      gates.append(config_.units);
      ones_of_gates.append(1);
    }
    const std::vector<Symbol> kernels = split(kernel, 1, gates), own = split(shares, 0, ones_of_gates);
    std::vector<Symbol> products;
    for (std::size_t gate = 0; gate < kernels.size(); ++gate)
      products.push_back(matmul(x * reshape(own[gate], {rows, 1, features}), kernels[gate]));
    return concat(products, 2);
  }

  // Which elements of the state each gate's product keeps, boolean[gates, rows, units].
  Symbol kept_state(Building& building, std::int64_t rows) const {
    const Symbol ones = fill(building.trace(), {Type::float32, {kind_.gates, rows, config_.units}}, 1);
    const Symbol seed = building.random_stream(name() + "/state_seed", config_.seed);
    return building.trace().apply("dropout", std::vector{ones, seed},
                                  DropoutAttributes{.rate = config_.recurrent_dropout})[1];
  }

  // Whether Keras 2 computes all steps by one kernel, the one that cuDNN also has.
  bool is_one_kernel() const {
    return kind_.gates > 1 && !config_.is_of_cells && !config_.unroll && config_.use_bias &&
           config_.activation == "tanh" && config_.recurrent_activation == "sigmoid" &&
           config_.recurrent_dropout == 0 && (kind_.kernel == "lstm" || config_.reset_after);
  }

  bool has_recurrent_bias() const { return kind_.kernel == "gru" && config_.reset_after; }

  // The bias of the inputs' product, and with reset_after that of the recurrent product, which are the two rows of one
  // weight.
  std::vector<Symbol> biases_of(Building& building, Type type, std::int64_t width) const {
    if (!config_.use_bias) return {};
    WeightRule rule = config_.bias;
    if (kind_.kernel == "lstm" && config_.unit_forget_bias) rule.initializer = {UnitForgetBias{}, {}};
    if (!has_recurrent_bias()) return {building.weight(weight_name("bias"), {type, {width}}, rule)};
    const Symbol both_rows = building.weight(weight_name("bias"), {type, {2, width}}, rule);
    std::vector<Symbol> rows = split(both_rows, 0, {1, 1});
    for (Symbol& row : rows) row = reshape(row, {width});
    return rows;
  }

  Symbol shown(Symbol sequence, const std::optional<Symbol>& mask) const {
    if (!config_.zero_output_for_mask || !mask) return sequence;
    const Symbol factors = as_factors(*mask, sequence);
    return sequence * (config_.go_backwards ? spatial::reversed(factors) : factors);
  }

  static Symbol last_step(Symbol sequence) {
    const std::int64_t time = sequence.shape()[1];
    const Symbol last = time == 1 ? sequence : split(sequence, 1, {time - 1, 1})[1];
    return reshape(last, {sequence.shape()[0], sequence.shape()[2]});
  }

  static CellActivation cell_activation(std::string_view name, bool is_keras2) {
    const auto* row = std::ranges::find(cell_activations, name, &NamedActivation::name);
    return is_keras2 ? row->keras2 : row->keras3;
  }

  void require_known(std::string_view name) const {
    if (std::ranges::count(cell_activations, name, &NamedActivation::name) > 0) return;
    std::vector<std::string_view> known;
    for (const NamedActivation& other : cell_activations) known.push_back(other.name);
    refuse(fmt::format("the activation \"{}\" is not offered in a recurrent layer", name),
           did_you_mean(name, known));
  }

  std::string weight_name(std::string_view own) const {
    return fmt::format("{}/{}/{}", name(), kind_.cell, own);
  }

  const CellKind& kind_;
  RecurrentConfig config_;
};

}  // namespace

std::optional<Symbol> mask_of_sequence(Building& building, const std::vector<Symbol>& inputs) {
  const bool is_dropped = inputs.size() > 1 && building.options().masked_inputs.empty() &&
                          is_on(Switch::initial_states_drop_masks, building.semantics());
  return is_dropped ? std::nullopt : building.mask();
}

LayerPtr simple_rnn(RecurrentConfig config) {
  return std::make_shared<Recurrent>(simple_rnn_kind, std::move(config));
}
LayerPtr gru(RecurrentConfig config) { return std::make_shared<Recurrent>(gru_kind, std::move(config)); }
LayerPtr lstm(RecurrentConfig config) { return std::make_shared<Recurrent>(lstm_kind, std::move(config)); }

}  // namespace wt::model
