#include "model/layers/conv_lstm.h"

#include <fmt/format.h>

#include <functional>

#include "model/activation.h"
#include "model/constants.h"
#include "model/layers/spatial.h"
#include "model/mask.h"

namespace wt::model {

namespace {

constexpr std::string_view conv_lstm_names[] = {"ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"};

class ConvLstm final : public Layer {
 public:
  ConvLstm(int rank, ConvLstmConfig config)
      : Layer(config.base.name, config.base.trainable), config_(std::move(config)), rank_(rank) {
    ConvolutionConfig& base = config_.base;
    require_positive("filters", base.filters);
    for (Shape* sizes : {&base.kernel_size, &base.strides, &base.dilation_rate}) {
      while (sizes->rank() == 0 || sizes->rank() < rank_) sizes->append(1);
      if (sizes->rank() != rank_)
        refuse(fmt::format("a size has {} numbers", sizes->rank()),
               fmt::format("write one number, or {}", rank_));
    }
    for (const double rate : {config_.dropout, config_.recurrent_dropout})
      if (!(rate >= 0 && rate < 1))
        refuse(fmt::format("the share {} is dropped", rate), "it must be at least 0 and less than 1");
  }
  std::string_view class_name() const override { return conv_lstm_names[rank_ - 1]; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    if (inputs.size() != 1 && inputs.size() != 3)
      refuse(fmt::format("it is given {} inputs", inputs.size()),
             "it takes a sequence, or a sequence and two initial states");
    const Symbol x = inputs[0];
    if (x.shape().rank() != rank_ + 3)
      refuse(fmt::format("it is given {}", print(x.spec())),
             fmt::format("it takes a batch axis, a time axis, {} spatial axes and channels", rank_));
    const std::int64_t rows = x.shape()[0], time = x.shape()[1];
    const std::vector<Symbol> steps = spatial::slices(of_input(building, x), 1);
    Shape state{rows};
    for (int axis = 2; axis <= rank_ + 1; ++axis) state.append(steps[0].shape()[axis]);
    state.append(config_.base.filters);
    const Symbol zeros_of_state = fill(building.trace(), {x.spec().type, state}, 0);
    Symbol h = inputs.size() == 3 ? inputs[1] : zeros_of_state;
    Symbol c = inputs.size() == 3 ? inputs[2] : zeros_of_state;
    Symbol shown = zeros_of_state;
    const std::vector<Symbol> shares =
        shares_of_gates(building, state, {name() + "/state_seed", config_.recurrent_dropout});
    std::vector<Symbol> sequence;
    for (std::int64_t i = 0; i < time; ++i) {
      const std::int64_t at = config_.go_backwards ? time - 1 - i : i;
      Shape gates = state;
      gates[rank_ + 1] *= gate_count;
      const auto [next_h, next_c] =
          next(building, wt::reshape(steps[static_cast<std::size_t>(at)], gates), {h, c}, shares);
      const auto kept = [&](Symbol before, Symbol after) {
        return unless_masked(building, at, before, after);
      };
      shown = kept(shown, next_h);
      h = kept(h, next_h);
      c = kept(c, next_c);
      Shape with_time{rows, 1};
      for (int axis = 1; axis < state.rank(); ++axis) with_time.append(state[axis]);
      if (config_.return_sequences) sequence.push_back(wt::reshape(shown, with_time));
    }
    std::vector<Symbol> results{!config_.return_sequences ? shown
                                : sequence.size() == 1    ? sequence.front()
                                                          : concat(sequence, 1)};
    if (config_.return_state) results.insert(results.end(), {h, c});
    return results;
  }

  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    if (!config_.return_sequences) return std::nullopt;
    return building.mask();
  }

 private:
  static constexpr std::int64_t gate_count = 4;  // in, forget, candidate, out

  struct Dropping {
    std::string stream{};
    double rate = 0;
  };
  // By what each gate multiplies a tensor before its product: 0 for what it drops. None where nothing is dropped.
  std::vector<Symbol> shares_of_gates(Building& building, const Shape& shape,
                                      const Dropping& dropping) const {
    if (!building.training() || dropping.rate == 0) return {};
    Shape all = shape, rows;
    all[0] *= gate_count;
    for (std::int64_t gate = 0; gate < gate_count; ++gate) rows.append(shape[0]);
    return split(wt::dropout(fill(building.trace(), {Type::float32, all}, 1),
                             building.random_stream(dropping.stream, config_.seed), {.rate = dropping.rate}),
                 0, rows);
  }

  // The product of every gate: one product of x, or one of what each gate keeps of it.
  Symbol by_gates(Symbol x, Symbol kernel, const std::vector<Symbol>& shares,
                  const std::function<Symbol(Symbol x, Symbol kernel)>& product) const {
    if (shares.empty()) return product(x, kernel);
    const std::vector<Symbol> kernels = split(kernel, rank_ + 1, filters_of_gates());
    std::vector<Symbol> products;
    for (std::size_t gate = 0; gate < kernels.size(); ++gate)
      products.push_back(product(x * shares[gate], kernels[gate]));
    return concat(products, products.front().shape().rank() - 1);
  }
  Shape filters_of_gates() const {
    Shape filters;
    for (std::int64_t gate = 0; gate < gate_count; ++gate) filters.append(config_.base.filters);
    return filters;
  }

  // What the input adds to the gates, for all time steps at once: [batch, time, spatial axes..., 4 filters].
  Symbol of_input(Building& building, Symbol x) const {
    const ConvolutionConfig& base = config_.base;
    const std::int64_t rows = x.shape()[0], time = x.shape()[1], width = gate_count * base.filters;
    Shape images{rows * time}, one_step = x.shape();
    for (int axis = 2; axis < x.shape().rank(); ++axis) images.append(x.shape()[axis]);
    one_step[1] = 1;
    const Symbol kernel = weight(building, "kernel", x.shape().last(), base.kernel);
    const std::vector<Symbol> shares =
        shares_of_gates(building, one_step, {name() + "/seed", config_.dropout});
    Symbol y = by_gates(x, kernel, shares, [&](Symbol kept, Symbol own) {
      return spatial::convolve(wt::reshape(kept, images), own,
                               {.size = base.kernel_size,
                                .strides = base.strides,
                                .dilation = base.dilation_rate,
                                .padding = base.padding});
    });
    if (base.use_bias) {
      WeightRule rule = base.bias;
      if (config_.unit_forget_bias) rule.initializer = {UnitForgetBias{}, {}};
      y = bias_add(y, building.weight(name() + "/bias", {x.spec().type, {width}}, rule));
    }
    Shape sequence{rows, time};
    for (int axis = 1; axis < y.shape().rank(); ++axis) sequence.append(y.shape()[axis]);
    return wt::reshape(y, sequence);
  }

  struct States {
    Symbol h{};
    Symbol c{};
  };
  States next(Building& building, Symbol of_x, const States& before,
              const std::vector<Symbol>& shares) const {
    const Symbol kernel =
        weight(building, "recurrent_kernel", config_.base.filters, config_.recurrent_kernel);
    Shape ones;
    for (int i = 0; i < rank_; ++i) ones.append(1);
    const Symbol of_h = by_gates(before.h, kernel, shares, [&](Symbol kept, Symbol own) {
      return spatial::convolve(
          kept, own,
          {.size = config_.base.kernel_size, .strides = ones, .dilation = ones, .padding = Padding::same});
    });
    const std::vector<Symbol> z = split(of_x + of_h, rank_ + 1, filters_of_gates());
    const auto gate = [&](std::size_t i) {
      return activate(z[i], config_.recurrent_activation, building.semantics());
    };
    const auto value = [&](Symbol y) { return activate(y, config_.base.activation, building.semantics()); };
    const Symbol cell = gate(1) * before.c + gate(0) * value(z[2]);
    return {gate(3) * value(cell), cell};
  }

  Symbol weight(Building& building, std::string_view own, std::int64_t channels,
                const WeightRule& rule) const {
    Shape shape = config_.base.kernel_size;
    shape.append(channels);
    shape.append(gate_count * config_.base.filters);
    return building.weight(fmt::format("{}/{}", name(), own), {Type::float32, shape}, rule);
  }

  static Symbol unless_masked(Building& building, std::int64_t at, Symbol before, Symbol after) {
    if (!building.mask()) return after;
    // A Masking in front of images keeps their spatial axes in its mask.
    const Symbol mask = *building.mask();
    const Symbol step = spatial::cropped(mask, 1, at, mask.shape()[1] - at - 1);
    const Symbol factors = as_factors(wt::reshape(step, mask.shape().without(1)), after);
    return after * factors + before * (-factors + 1);
  }

  ConvLstmConfig config_;
  int rank_;
};

}  // namespace

LayerPtr conv_lstm1d(ConvLstmConfig config) { return std::make_shared<ConvLstm>(1, std::move(config)); }
LayerPtr conv_lstm2d(ConvLstmConfig config) { return std::make_shared<ConvLstm>(2, std::move(config)); }
LayerPtr conv_lstm3d(ConvLstmConfig config) { return std::make_shared<ConvLstm>(3, std::move(config)); }

}  // namespace wt::model
