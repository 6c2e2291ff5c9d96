#include "model/layers/masking.h"

#include "model/mask.h"

namespace wt::model {

namespace {

class Masking final : public Layer {
 public:
  explicit Masking(MaskingConfig config) : Layer(config.name), config_(std::move(config)) {}
  std::string_view class_name() const override { return "Masking"; }

 protected:
  std::vector<Symbol> call(Building& building, const std::vector<Symbol>& inputs) const override {
    const Symbol x = only(inputs);
    if (x.shape().rank() < 3)
      refuse(fmt::format("it is given {}", print(x.spec())), "it takes [batch, time, features]");
    const Symbol mask = any(not_equal(x, config_.mask_value), {x.shape().rank() - 1});
    const Symbol y = x * as_factors(mask, x);
    building.set_mask(y, mask);
    return {y};
  }

 private:
  MaskingConfig config_;
};

}  // namespace

LayerPtr masking(MaskingConfig config) { return std::make_shared<Masking>(std::move(config)); }

}  // namespace wt::model
