#include "model/layers/dense.h"

#include <fmt/format.h>

#include "model/activation.h"
#include "model/layers/written.h"
#include "model/operands.h"

namespace wt::model {

namespace {

class Dense final : public Layer, public WritesArguments {
 public:
  explicit Dense(DenseConfig config) : Layer(config.name, config.trainable), config_(std::move(config)) {
    require_positive("units", config_.units);
  }
  std::string_view class_name() const override { return "Dense"; }
  void write_arguments(json::Writer& out) const override {
    out.member("units", config_.units).member("activation", config_.activation);
    if (!config_.use_bias) out.member("use_bias", false);
  }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = as_float(only(inputs));
    if (x.shape().rank() < 2)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes a batch axis and at least one more");
    const Type type = x.spec().type;
    Symbol y = matmul(
        x, building.weight(name() + "/kernel", {type, {x.shape().last(), config_.units}}, config_.kernel));
    if (config_.use_bias)
      y = bias_add(y, building.weight(name() + "/bias", {type, {config_.units}}, config_.bias));
    return {activate(y, config_.activation, building.semantics())};
  }
  std::optional<Symbol> mask_of_outputs(Building& building, const std::vector<Symbol>&) const override {
    return building.mask();
  }

 private:
  DenseConfig config_;
};

}  // namespace

LayerPtr dense(DenseConfig config) { return std::make_shared<Dense>(std::move(config)); }

}  // namespace wt::model
