#include "study/recordings/half_nets.h"

#include "model/weights.h"

namespace wt::recordings {

double limit_of_halves(std::string_view policy, const model::Layer& net) {
  const auto layers = static_cast<double>(net.parts().size() - 1);  // without the InputLayer
  if (policy == "mixed_float16") return layers * 0x1p-10;
  return policy == "mixed_bfloat16" ? layers * 0x1p-7 : 0;
}

bool has_numbers_of_halves(std::string_view policy, const Recording& recording) {
  return policy == "float32" || recording.semantics() == model::Semantics::keras3;
}

Tensors recorded_weights(const std::string& when, const Tensors& tensors, const model::Layer& net,
                         model::Semantics semantics) {
  Tensors found;
  for (const model::Weight& own : model::weights_of(net, semantics))
    for (const auto& [recorded, tensor] : tensors)
      if (recorded.starts_with(when + "/") && recorded.ends_with("/" + own.name))
        found.emplace(own.name, tensor);
  return found;
}

}  // namespace wt::recordings
