#include "model/optimizers/rules.h"

#include <algorithm>
#include <cmath>
#include <regex>

#include "model/operands.h"
#include "program/operations.h"

namespace wt::model {

bool is_for_adam(const Updating& one) {
  if (one.w.shape().rank() != 2) return true;
  const std::string& name = one.call().name_of(one.variable());
  if (one["exclude_embeddings"] != 0 && std::regex_search(name, std::regex("embedding", std::regex::icase)))
    return true;
  const std::vector<std::string>& others = one.call().optimizer.exclude_layers;
  return std::ranges::any_of(
      others, [&](const std::string& pattern) { return std::regex_search(name, std::regex(pattern)); });
}

// Robbins and Monro, 1951, with the momentum of Polyak, 1964, or Nesterov, 1983. The kernel covers every case.
Symbol sgd(Updating& one) { return one.w - one.g * one.rate; }

namespace {

// Kingma and Ba, 2015, Algorithm 1 in the form of the end of its section 2; AMSGrad by Reddi et al., 2018.
Symbol adam_step(Updating& one, double beta_1, double beta_2, Symbol rate, bool amsgrad) {
  const Symbol m = one.move("m", one.g, 1 - beta_1);
  Symbol v = one.move("v", one.squares(), 1 - beta_2);
  if (amsgrad) v = one.set("vhat", maximum(one.slot("vhat"), v));
  const Symbol alpha = rate * sqrt(one_minus(one.to_the_step(beta_2))) / one_minus(one.to_the_step(beta_1));
  return one.w - m * alpha / (sqrt(v) + one["epsilon"]);
}

}  // namespace

Symbol adam(Updating& one) {
  return adam_step(one, one["beta_1"], one["beta_2"], one.rate, one["amsgrad"] != 0);
}

// Section 7.1 of Kingma and Ba: the infinity norm.
Symbol adamax(Updating& one) {
  const Symbol m = one.move("m", one.g, 1 - one["beta_1"]);
  const Symbol u = one.set("u", maximum(one.slot("u") * one["beta_2"], one.magnitudes()));
  return one.w - one.rate * m / (one_minus(one.to_the_step(one["beta_1"])) * (u + one["epsilon"]));
}

// Dozat, 2016. `u_product` is shared by all variables.
Symbol nadam(Updating& one) {
  const double beta_1 = one["beta_1"];
  const auto momentum_at = [&](double ahead) {
    return one_minus(one.to_the_step(0.96, ahead) * 0.5) * beta_1;
  };
  const Symbol now = momentum_at(1), next = momentum_at(2);
  Building& building = one.call().building;
  const Symbol products = building.weight({.name = one.call().optimizer.name + "/u_product",
                                           .spec = {one.w.spec().type, {}},
                                           .initializer = ones,
                                           .options = {.trainable = false}});
  const Symbol product = products * now;
  building.update(products, product);
  const Symbol m = one.move("m", one.g, 1 - beta_1);
  const Symbol v = one.move("v", one.squares(), 1 - one["beta_2"]);
  const Symbol m_hat = next * m / one_minus(product * next) + one_minus(now) * one.g / one_minus(product);
  const Symbol v_hat = v / one_minus(one.to_the_step(one["beta_2"]));
  return one.w - m_hat * one.rate / (sqrt(v_hat) + one["epsilon"]);
}

// Duchi, Hazan and Singer, 2011.
Symbol adagrad(Updating& one) {
  const Initializer first{Constant{one["initial_accumulator_value"]}, {}};
  const Symbol sum = one.set("accumulator", one.slot("accumulator", first) + one.squares());
  return one.w - one.rate * one.g / sqrt(sum + one["epsilon"]);
}

// Zeiler, 2012.
Symbol adadelta(Updating& one) {
  const double rho = one["rho"], epsilon = one["epsilon"];
  const Symbol squares = one.squares();
  const Symbol gradients =
      one.set("accumulated_grad", one.slot("accumulated_grad") * rho + squares * (1 - rho));
  const Symbol deltas = one.slot("accumulated_delta_var");
  const Symbol ratio = sqrt(deltas + epsilon) / sqrt(gradients + epsilon);
  one.set("accumulated_delta_var", deltas * rho + square(ratio) * squares * (1 - rho));
  return one.w - one.rate * ratio * one.g;
}

namespace {

// The mean square of a matrix's gradient as the product of the means of its rows and columns.
Symbol factored_mean_square(Updating& one, Symbol squares, Symbol keep) {
  const Shape shape = one.w.shape();
  const int rank = shape.rank();
  Shape of_rows, of_columns, rows_again, columns_again;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != rank - 1) of_rows.append(shape[axis]);
    if (axis != rank - 2) of_columns.append(shape[axis]);
    rows_again.append(axis == rank - 1 ? 1 : shape[axis]);
    columns_again.append(axis == rank - 2 ? 1 : shape[axis]);
  }
  const auto mean_over = [&](std::string_view kind, int axis, const Shape& left) {
    const Symbol now = reduce_mean(squares, {axis});
    return one.set(kind, keep * one.slot(kind, zeros, left) + one_minus(keep) * now);
  };
  const Symbol r = mean_over("r", rank - 1, of_rows), c = mean_over("c", rank - 2, of_columns);
  const Symbol shares = r / reduce_mean(r, {rank - 2}, true);
  return reshape(shares, rows_again) * reshape(c, columns_again);
}

}  // namespace

// Shazeer and Stern, 2018.
Symbol adafactor(Updating& one) {
  const Symbol step = one.step();
  const Symbol slowest = one.number(1) / sqrt(step);
  const Symbol rho = minimum(one.rate, slowest);  // whatever relative_step says
  const Symbol alpha = maximum(one.number(one["epsilon_2"]), root_mean_square(one.w)) * rho;
  const Symbol keep = one_minus(exp(log(step) * one["beta_2_decay"]));
  const Symbol squares = one.squares();
  const Symbol regulated = squares + one["epsilon_1"];
  Symbol v = one.w;
  if (one.w.shape().rank() >= 2)
    v = factored_mean_square(one, regulated, keep);
  else
    v = keep * one.slot("v") + one_minus(keep) * regulated;
  one.set("v", v);
  const Symbol root_mean = sqrt(reduce_mean(squares / v));  // of the gradient divided by the root of v
  const Symbol clipped = one.g / sqrt(v) / maximum(one.number(1), root_mean / one["clip_threshold"]);
  return one.w - alpha * clipped;
}

// McMahan et al., "Ad click prediction", 2013.
Symbol ftrl(Updating& one) {
  const double exponent = -one["learning_rate_power"], l1 = one["l1_regularization_strength"];
  const Symbol l2 = one.number(one["beta"]) / (one.rate * 2.0) + one["l2_regularization_strength"];
  const Symbol shrunk = one.g + one.w * (2 * one["l2_shrinkage_regularization_strength"]);
  const Symbol before = one.slot("accumulator", {Constant{one["initial_accumulator_value"]}, {}});
  const Symbol after = one.set("accumulator", before + one.squares());
  const Symbol grown = power(after, exponent);
  const Symbol linear =
      one.set("linear", one.slot("linear") + shrunk - (grown - power(before, exponent)) / one.rate * one.w);
  const Symbol clipped = maximum(minimum(linear, one.number(l1)), one.number(-l1));
  return (clipped - linear) / (grown / one.rate + l2 * 2.0);
}

// Chen et al., "Symbolic discovery of optimization algorithms", 2023.
Symbol lion(Updating& one) {
  const double beta_1 = one["beta_1"], beta_2 = one["beta_2"];
  const Symbol m = one.slot("m");
  one.set("m", m * beta_2 + one.g * (1 - beta_2));
  return one.w - one.rate * sign(m * beta_1 + one.g * (1 - beta_1));
}

// Tieleman and Hinton, 2012.
Symbol rmsprop(Updating& one) {
  const double rho = one["rho"];
  const Symbol velocity = one.set("velocity", one.slot("velocity") * rho + one.squares() * (1 - rho));
  Symbol denominator = velocity + one["epsilon"];
  if (one["centered"] != 0) {
    const Symbol mean = one.set("average_gradient", one.slot("average_gradient") * rho + one.g * (1 - rho));
    denominator = velocity - square(mean) + one["epsilon"];
  }
  const Symbol increment = one.rate * one.g / sqrt(denominator);
  if (one["momentum"] == 0) return one.w - increment;
  return one.w - one.set("momentum", one.slot("momentum") * one["momentum"] + increment);
}

// You et al., "Large batch optimization for deep learning", 2020.
Symbol lamb(Updating& one) {
  const Symbol m = one.move("m", one.g, 1 - one["beta_1"]);
  const Symbol v = one.move("v", one.squares(), 1 - one["beta_2"]);
  const Symbol m_hat = m / one_minus(one.to_the_step(one["beta_1"]));
  const Symbol v_hat = v / one_minus(one.to_the_step(one["beta_2"]));
  const Symbol direction = m_hat / (sqrt(v_hat) + one["epsilon"]);
  const auto norm_of = [](Symbol x) { return sqrt(reduce_sum(square(x))); };
  const Symbol own = norm_of(one.w), its = norm_of(direction), zero = one.number(0), whole = one.number(1);
  const Symbol ratio = select(greater(own, zero), select(greater(its, zero), own / its, whole), whole);
  return one.w - ratio * one.rate * direction;
}

namespace {

// The orthogonal matrix next to x, nearly, by iterations of Newton and Schulz.
Symbol orthogonalized(Updating& one, Symbol x) {
  const bool is_tall = x.shape()[0] > x.shape()[1];
  if (is_tall) x = transpose(x, {1, 0});
  x = x / (sqrt(reduce_sum(square(x))) + 1e-7);
  for (double i = 0; i < one["ns_steps"]; ++i) {
    const Symbol gram = matmul(x, transpose(x, {1, 0}));
    const Symbol mixed = gram * one["muon_b"] + matmul(gram * one["muon_c"], gram);
    x = x * one["muon_a"] + matmul(mixed, x);
  }
  return is_tall ? transpose(x, {1, 0}) : x;
}

}  // namespace

// Jordan et al., 2024: matrices move along the orthogonal matrix next to their momentum, and all others by Adam.
Symbol muon(Updating& one) {
  if (is_for_adam(one))
    return adam_step(one, one["adam_beta_1"], one["adam_beta_2"], one.rate * one["adam_lr_ratio"], false);
  const double momentum = one["momentum"];
  const Symbol m = one.set("m", one.slot("m") * momentum + one.g);
  const Symbol direction = orthogonalized(one, one["nesterov"] != 0 ? one.g + m * momentum : m);
  const Shape shape = one.w.shape();
  const double longest = std::sqrt(static_cast<double>(std::max(shape[0], shape[1])));
  return one.w - direction * one.rate * (one["rms_rate"] == 0 ? 1 : longest * one["rms_rate"]);
}

// Defazio et al., "The road less scheduled", 2024.
Symbol schedule_free(Updating& one) {
  const double beta_1 = one["beta_1"], beta_2 = one["beta_2"];
  const Symbol step = one.step();
  Symbol rate = one.rate;
  if (one["warmup_steps"] > 0) rate = rate * minimum(step / one["warmup_steps"], one.number(1));
  const Symbol v = one.move("v", one.squares(), 1 - beta_2);
  const Symbol denominator = sqrt(v / one_minus(one.to_the_step(beta_2))) + one["epsilon"];
  const Symbol before = one.slot("m", copy_of_variable);
  const Symbol z = one.set("m", before - rate * one.g / denominator);
  const Symbol share = one.number(1) / step;
  const Symbol x = (one.w - before * (1 - beta_1)) / one.number(beta_1);
  return z * (1 - beta_1) + (one_minus(share) * x + share * z) * beta_1;
}

}  // namespace wt::model
