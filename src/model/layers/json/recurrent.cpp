#include "model/layers/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/layers/json/rows.h"
#include "model/layers/wrapper.h"

namespace wt::model {

namespace {

// The arguments of a cell.
RecurrentConfig read_cell(LayerReader& r) {
  return {.name = r.name(),
          .units = r.extent("units"),
          .activation = r.activation_name("activation", "tanh"),
          .recurrent_activation = r.activation_name("recurrent_activation", "sigmoid"),
          .use_bias = r.flag("use_bias", true),
          .kernel = r.rule("kernel", glorot_uniform),
          .recurrent_kernel = r.rule("recurrent", orthogonal),
          .bias = r.rule("bias", zeros),
          .unit_forget_bias = r.flag("unit_forget_bias", true),
          .reset_after = r.flag("reset_after", true),
          .dropout = r.number("dropout", 0),
          .recurrent_dropout = r.number("recurrent_dropout", 0),
          .gates_drop_apart = r.number("implementation", 2) == 1,
          .seed = r.seed(),
          .trainable = r.trainable()};
}

void read_sequence(LayerReader& r, RecurrentConfig& config) {
  if (r.flag("stateful", false))
    r.problem("stateful",
              "a stateful layer is not offered: a state that passes from one batch to the next belongs to "
              "one row of the batch, and replicas get other rows",
              "set \"stateful\" to false, or pass the states as initial states");
  r.not_offered("time_major", "set it to false");
  config.unroll = r.flag("unroll", false);
  config.return_sequences = r.flag("return_sequences", false);
  config.return_state = r.flag("return_state", false);
  config.go_backwards = r.flag("go_backwards", false);
  config.zero_output_for_mask = r.flag("zero_output_for_mask", false);
}

template <LayerPtr (*make)(RecurrentConfig)>
LayerPtr read_recurrent(LayerReader& r) {
  RecurrentConfig config = read_cell(r);
  read_sequence(r, config);
  return make(std::move(config));
}

struct CellClass {
  std::string_view class_name{};
  LayerPtr (*make)(RecurrentConfig config) = nullptr;
};
constexpr CellClass cells[] = {{"SimpleRNNCell", simple_rnn}, {"GRUCell", gru}, {"LSTMCell", lstm}};

// Null where there is no such member, and no object.
const json::Value* member_of(const json::Value* value, std::string_view key) {
  return value == nullptr || value->kind() != json::Kind::object ? nullptr : value->find(key);
}

std::vector<const json::Value*> cells_in(const json::Value& cell) {
  const json::Value* stacked = member_of(member_of(&cell, "config"), "cells");
  if (stacked == nullptr || stacked->kind() != json::Kind::array) return {&cell};
  std::vector<const json::Value*> all;
  for (const json::Value& each : stacked->elements()) all.push_back(&each);
  return all;
}

// A cell with the arguments of the RNN around it; null after a problem.
LayerPtr read_one_cell(LayerReader& r, const json::Value& cell, const RecurrentConfig& around) {
  const json::Value* class_name = member_of(&cell, "class_name");
  const json::Value* config = member_of(&cell, "config");
  const auto* row = class_name == nullptr || class_name->kind() != json::Kind::string
                        ? std::end(cells)
                        : std::ranges::find(cells, class_name->string(), &CellClass::class_name);
  if (row == std::end(cells) || config == nullptr) {
    r.problems().add(cell.place(), "a cell of this class is not offered",
                     "known: SimpleRNNCell, GRUCell, LSTMCell, StackedRNNCells of these");
    return nullptr;
  }
  LayerReader inner(*config, r.problems(), r.passed());
  inner.value("dtype");
  RecurrentConfig own = read_cell(inner);
  r.passed() == nullptr ? inner.finish() : inner.finish(*r.passed());
  own.return_sequences = around.return_sequences;
  own.return_state = around.return_state;
  own.go_backwards = around.go_backwards;
  own.is_of_cells = true;
  return row->make(std::move(own));
}

LayerPtr read_rnn(LayerReader& r) {
  RecurrentConfig around;
  read_sequence(r, around);
  const json::Value* cell = r.given("cell");
  const std::vector<const json::Value*> all =
      cell == nullptr ? std::vector<const json::Value*>{} : cells_in(*cell);
  if (all.empty()) {
    r.problem("cell", "this RNN has no cell", "add one");
    return nullptr;
  }
  CellsConfig config{.name = r.name(), .trainable = r.trainable()};
  if (all.size() > 1 && (around.return_state || around.go_backwards))
    r.problem("cell", "stacked cells that return their states or go backwards are not offered",
              "write one recurrent layer for each cell");
  for (std::size_t i = 0; i < all.size(); ++i) {
    RecurrentConfig own = around;
    own.return_sequences = own.return_sequences || i + 1 < all.size();
    LayerPtr layer = read_one_cell(r, *all[i], own);
    if (layer == nullptr) return nullptr;
    config.layers.push_back(std::move(layer));
  }
  return rnn_of_cells(std::move(config));
}

constexpr json::Named<MergeMode> merge_modes[] = {
    {"concat", MergeMode::concat}, {"sum", MergeMode::sum}, {"ave", MergeMode::ave}, {"mul", MergeMode::mul}};

const json::Value* text_in(const json::Value* object, std::string_view key) {
  const json::Value* found = member_of(object, key);
  return found == nullptr || found->kind() != json::Kind::string ? nullptr : found;
}

// A copy of a layer's entry with another name and, if it is given, another direction. A layer without a name is named
// after its class.
json::Value renamed(const json::Value& entry, std::string_view prefix, std::optional<bool> go_backwards) {
  const json::Value* config = member_of(&entry, "config");
  const json::Value* name = text_in(config, "name");
  const json::Value* class_name = text_in(&entry, "class_name");
  json::Value result = entry;
  if (config == nullptr || config->kind() != json::Kind::object || class_name == nullptr) return result;
  const std::string own = name == nullptr ? snake_case(class_name->string()) : name->string();
  if (!own.starts_with(prefix))
    result = json::replaced(result, std::vector<std::string>{"config", "name"},
                            json::text_at(name == nullptr ? *class_name : *name, std::string(prefix) + own));
  if (go_backwards)
    result = json::replaced(result, std::vector<std::string>{"config", "go_backwards"},
                            json::parse(*go_backwards ? "true" : "false", "go_backwards"));
  return result;
}

bool flag_of(const json::Value& entry, std::string_view key) {
  const json::Value* flag = member_of(member_of(&entry, "config"), key);
  return flag != nullptr && flag->kind() == json::Kind::boolean && flag->boolean();
}

// Without a backward layer Keras makes a copy of the forward layer that goes the other way. Both get names of their own.
LayerPtr read_bidirectional(LayerReader& r) {
  const json::Value* forward = r.given("layer");
  const json::Value* backward = r.given("backward_layer");
  if (forward == nullptr || forward->kind() != json::Kind::object) {
    r.problem("layer", "this wrapper has no layer", "add the layer that it wraps");
    return nullptr;
  }
  const json::Value* mode = r.value("merge_mode");
  const bool returns_both = mode != nullptr && mode->kind() == json::Kind::null;
  BidirectionalConfig config{
      .name = r.name(),
      .forward = r.layer(renamed(*forward, "forward_", std::nullopt)),
      .backward = backward == nullptr
                      ? r.layer(renamed(*forward, "backward_", !flag_of(*forward, "go_backwards")))
                      : r.layer(renamed(*backward, "backward_", std::nullopt)),
      .merge_mode = returns_both ? MergeMode::none : r.one_of("merge_mode", merge_modes, MergeMode::concat),
      .return_sequences = flag_of(*forward, "return_sequences"),
      .return_state = flag_of(*forward, "return_state"),
      .trainable = r.trainable()};
  return config.forward == nullptr || config.backward == nullptr ? nullptr : bidirectional(std::move(config));
}

LayerPtr read_time_distributed(LayerReader& r) {
  LayerPtr layer = r.layer("layer");
  if (r.given("layer") == nullptr)
    r.problem("layer", "this wrapper has no layer", "add the layer that it wraps");
  if (layer == nullptr) return nullptr;
  return time_distributed({r.name(), std::move(layer), r.trainable()});
}

}  // namespace

std::span<const LayerClass> recurrent_rows() {
  static constexpr LayerClass rows[] = {
      {"Bidirectional", "a recurrent layer forwards and one backwards, merged", read_bidirectional},
      {"GRU", "gated recurrent units", read_recurrent<gru>},
      {"LSTM", "long short-term memory", read_recurrent<lstm>},
      {"RNN", "recurrent cells, one on the states of the other", read_rnn},
      {"SimpleRNN", "activation(x W + h U + b), with the state h", read_recurrent<simple_rnn>},
      {"TimeDistributed", "a layer on each step of a sequence", read_time_distributed},
  };
  return rows;
}

}  // namespace wt::model
