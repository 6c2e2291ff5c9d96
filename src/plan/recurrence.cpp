#include "plan/recurrence.h"

#include <variant>

namespace wt::plan {

namespace {

// Kernels that are launched for a time step, forward and backward.
struct Launches {
  double forward = 0, backward = 0;
  double of(std::string_view kernel) const { return kernel.ends_with("_gradient") ? backward : forward; }
};
// A product and a pass over the gates; backward a pass, and products for the state and the recurrent kernel.
constexpr Launches of_library{2, 3};
// Two products, two sums, an activation and the store of the state; backward their gradients, and the sums of the
// weights' gradients over the steps.
constexpr Launches of_loop{6, launches_of_loop_step - 6};

// The condition under which Keras calls cuDNN, as far as it shows in a kernel.
bool is_in_library(std::string_view kernel, const RecurrentAttributes& attributes) {
  return !kernel.starts_with("simple_rnn") && attributes.activation == CellActivation::tanh &&
         attributes.recurrent_activation == CellActivation::sigmoid && attributes.state_dropout == 0 &&
         (kernel.starts_with("lstm") || attributes.reset_after);
}

}  // namespace

std::optional<Recurrence> recurrence_of(const Run& run) {
  const auto* attributes = std::get_if<RecurrentAttributes>(&*run.attributes);
  if (attributes == nullptr) return std::nullopt;
  const Work work = work_of(run);
  const auto* product = std::get_if<ProductGeometry>(&work.geometry);
  const double steps = product != nullptr ? static_cast<double>(product->batch) : 0;
  const std::string_view kernel = run.kernel->name;
  const bool is_library = is_in_library(kernel, *attributes);
  return Recurrence{steps, is_library, (is_library ? of_library : of_loop).of(kernel)};
}

}  // namespace wt::plan
