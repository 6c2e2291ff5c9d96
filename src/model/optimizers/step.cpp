// One call of apply_gradients: gradients are unscaled, summed over the replicas, clipped and accumulated, and the
// variables are updated by them.

#include <fmt/format.h>

#include "model/constants.h"
#include "model/look_ups.h"
#include "model/optimizers/clipping.h"
#include "model/optimizers/kernels.h"
#include "model/optimizers/rules.h"
#include "model/optimizers/table.h"
#include "model/optimizers/variables.h"
#include "program/operations.h"

namespace wt::model {

namespace {

class GradientStep {
 public:
  GradientStep(Building& building, const Optimizer& optimizer, const std::vector<Symbol>& variables,
               const ApplyOptions& options)
      : building_(building),
        optimizer_(optimizer),
        variables_(variables),
        options_(options),
        iteration_(model::iteration(building, optimizer)) {}

  void apply(Gradients gradients, Symbol rate) {
    const bool sums_first = is_on(Switch::gradients_are_summed_before_clipping, options_.semantics);
    std::optional<Symbol> is_finite;
    if (sums_first) {
      gradients = summed(unscaled(std::move(gradients)));
      is_finite = finite(gradients, false);
    } else {
      is_finite = finite(gradients, true);
      gradients = unscaled(std::move(gradients));
    }
    if (options_.only_accumulates) {
      accumulate(gradients);
    } else {
      if (optimizer_.accumulation > 1) gradients = with_accumulated(gradients);
      gradients = clipped(std::move(gradients), optimizer_);
      if (!sums_first) gradients = summed(std::move(gradients));
      update(gradients, rate);
    }
    average();
    building_.complete_updates();
    if (is_finite) skip_unless(*is_finite);
  }

 private:
  Symbol latest(Symbol variable) const {
    return building_.trace().updated_value(variable).value_or(variable);
  }

  Gradients summed(Gradients gradients) const {
    if (options_.aggregate)
      for (Symbol& gradient : gradients) gradient = summed(gradient);
    return gradients;
  }

  Symbol summed(Symbol gradient) const {
    if (!optimizer_.compression) return all_reduce(gradient, Reduction::sum);
    const Type type = gradient.spec().type;
    return cast(all_reduce(cast(gradient, *optimizer_.compression), Reduction::sum), type);
  }

  Gradients unscaled(Gradients gradients) const {
    std::optional<Symbol> scale;
    if (optimizer_.scaled_loss)
      scale = loss_scale(building_, optimizer_);
    else if (optimizer_.loss_scale_factor)
      scale = number_like(gradients.front(), *optimizer_.loss_scale_factor);
    if (!scale) return gradients;
    for (Symbol& gradient : gradients)
      gradient =
          with_look_ups(gradient, [&](Symbol rows) { return rows / *scale; }).value_or(gradient / *scale);
    return gradients;
  }

  // Whether the step counts. The gradients of the first replica alone decide where they are not summed before.
  std::optional<Symbol> finite(const Gradients& gradients, bool are_apart) const {
    if (!optimizer_.scaled_loss || !optimizer_.scaled_loss->is_dynamic) return std::nullopt;
    const Symbol own = zero_if_finite(gradients), sum = are_apart ? broadcast(own) : own;
    return equal(sum, number_like(sum, 0));
  }

  // ---- Accumulation. Each replica adds its own gradients.

  Symbol accumulator(Symbol variable) const {
    const std::string& name = building_.trace().program().values[index(variable.value)].name;
    const VariableOptions options{.trainable = false,
                                  .synchronization = Synchronization::on_read,
                                  .aggregation = Aggregation::only_first_replica,
                                  .slot_of = name};
    return building_.weight(
        {slot_name(optimizer_, "gradient_accumulator", name), variable.spec(), zeros, options, {}});
  }

  void accumulate(const Gradients& gradients) {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      building_.update(accumulator(variables_[i]), accumulator(variables_[i]) + gradients[i]);
    count_step();
  }

  Gradients with_accumulated(Gradients gradients) {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const Symbol sum = accumulator(variables_[i]);
      gradients[i] = (gradients[i] + sum) / static_cast<double>(optimizer_.accumulation);
      building_.update(sum, fill(building_.trace(), sum.spec(), 0));
    }
    return gradients;
  }

  // ---- The update

  void count_step() {
    building_.update(iteration_, iteration_ + fill(building_.trace(), iteration_.spec(), 1));
  }

  void update(const Gradients& gradients, Symbol rate) {
    const Applying call{building_, optimizer_, variables_, gradients, rate, iteration_, options_.semantics};
    if (apply_kernels(call)) return;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      Updating one(call, variables_[i], variables_[i], gradients[i]);
      const double decay = decay_of(call, one);
      if (decay != 0) one.w = one.w - one.w * decay * one.rate;
      building_.update(variables_[i], optimizer_.type->update(one));
    }
    count_step();
  }

  // Muon has a weight decay of its own for the weights that it updates as Adam does.
  double decay_of(const Applying& call, const Updating& one) const {
    if (!call.decays(one.variable())) return 0;
    const bool is_muons_adam = optimizer_.arguments.contains("adam_weight_decay") && is_for_adam(one);
    return is_muons_adam ? optimizer_["adam_weight_decay"] : optimizer_.weight_decay.value_or(0);
  }

  // ---- Moving averages

  // In Keras 2 the averages begin as copies of the variables; in Keras 3 they take their values in the first step.
  void average() {
    if (!optimizer_.averages) return;
    const bool begin_as_copies = is_on(Switch::averages_begin_as_copies, options_.semantics);
    const Applying call{building_, optimizer_, variables_, variables_, {}, iteration_, options_.semantics};
    const Symbol updates = call.updates(), zero = fill(building_.trace(), updates.spec(), 0);
    for (const Symbol& variable : variables_) {
      const Symbol average = call.slot("average", variable, begin_as_copies ? copy_of_variable : zeros);
      const Symbol now = latest(variable);
      Symbol share = number_like(now, 1 - optimizer_.averages->momentum);
      if (!begin_as_copies) share = select(equal(updates, zero), number_like(now, 1), share);
      building_.update(average, average * one_minus(share) + now * share);
      if (optimizer_.averages->overwrite_every)
        building_.update(variable, select(is_multiple(updates, *optimizer_.averages->overwrite_every),
                                          latest(average), now));
    }
  }

  // Whether the number of updates, this one included, is a multiple.
  Symbol is_multiple(Symbol updates, std::int64_t of) const {
    const auto whole = [&](double value) { return fill(building_.trace(), updates.spec(), value); };
    const Symbol number_now = updates + whole(1), divisor = whole(static_cast<double>(of));
    return equal(number_now / divisor * divisor, number_now);
  }

  // ---- Loss scaling

  // Where the gradients are not finite, the model's variables and the optimizer's own keep their values.
  void skip_unless(Symbol is_finite) {
    const bool counts_all = is_on(Switch::skipped_steps_are_counted, options_.semantics);
    for (const Weight& weight : building_.weights()) {
      const bool is_own = weight.name.starts_with(optimizer_.name + "/");
      if (!is_own && !weight.options.trainable) continue;
      if (counts_all && weight.name == iteration_name(optimizer_)) continue;
      const Symbol variable = building_.symbol(weight.name);
      if (const auto value = building_.trace().updated_value(variable))
        building_.update(variable, select(is_finite, *value, variable));
    }
    adapt_scale(is_finite);
  }

  void adapt_scale(Symbol is_finite) {
    const ScaledLoss& scaled = *optimizer_.scaled_loss;
    const Symbol scale = loss_scale(building_, optimizer_);
    const Symbol steps = building_.weight(
        {.name = finite_steps_name(optimizer_), .spec = {Type::int64, {}}, .options = {.trainable = false}});
    const auto whole = [&](std::int64_t value) {
      return fill(building_.trace(), steps.spec(), static_cast<double>(value));
    };
    const Symbol grows = greater(steps + whole(1), whole(scaled.growth_steps - 1));
    Symbol halved = scale * 0.5;
    if (is_on(Switch::loss_scale_stays_above_one, options_.semantics))
      halved = maximum(halved, number_like(halved, 1));
    building_.update(scale, select(is_finite, select(grows, scale * 2.0, scale), halved));
    building_.update(steps, select(is_finite, select(grows, whole(0), steps + whole(1)), whole(0)));
  }

  Building& building_;
  const Optimizer& optimizer_;
  const std::vector<Symbol>& variables_;
  const ApplyOptions& options_;
  Symbol iteration_;
};

}  // namespace

void apply_gradients(Building& building, const Optimizer& optimizer, const std::vector<Symbol>& variables,
                     const std::vector<Symbol>& gradients, Symbol learning_rate,
                     const ApplyOptions& options) {
  if (variables.empty() || variables.size() != gradients.size())
    throw InputError(
        fmt::format("[apply_gradients] {} variables and {} gradients", variables.size(), gradients.size()),
        "there must be one gradient per variable, and at least one");
  require_offered(optimizer, options.semantics);
  building.trace().in_scope(optimizer.name, [&] {
    GradientStep(building, optimizer, variables, options).apply(gradients, learning_rate);
  });
}

}  // namespace wt::model
