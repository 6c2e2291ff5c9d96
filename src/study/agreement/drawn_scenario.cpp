#include "study/agreement/drawn_scenario.h"

#include <fmt/format.h>

#include <vector>

#include "study/disturbed/drawn_scenario.h"
#include "study/drawn/site.h"

namespace wt::agreement {

namespace {

using drawn::Dice;
using drawn::Site;

// A model with the loss that its labels have. Dropout and batch normalization draw and keep values of their own.
struct Task {
  std::string_view model{};
  std::string_view loss{};
};
constexpr Task tasks[] = {
    {R"("linear")", "mse"},
    {R"({"zoo": "mlp", "features": 6, "layers": 2, "units": 5, "classes": 3})",
     "sparse_categorical_crossentropy"},
    {R"({"layers": [{"class_name": "Dense", "config": {"units": 5, "activation": "tanh", "batch_input_shape": [null, 4]}}, )"
     R"({"class_name": "Dropout", "config": {"rate": 0.25}}, {"class_name": "Dense", "config": {"units": 2}}]})",
     "mse"},
    {R"({"layers": [{"class_name": "Conv2D", "config": {"filters": 3, "kernel_size": [3, 3], "batch_input_shape": [null, 6, 6, 1]}}, )"
     R"({"class_name": "BatchNormalization", "config": {}}, {"class_name": "Flatten", "config": {}}, )"
     R"({"class_name": "Dense", "config": {"units": 4}}]})",
     "mse"}};

std::string optimizer(Dice& dice) {
  return dice.of<std::string>({R"("sgd")", R"("adam")",
                               R"({"class_name": "SGD", "config": {"learning_rate": 0.02, "momentum": 0.9}})",
                               R"({"class_name": "RMSprop", "config": {"learning_rate": 0.002}})"});
}

std::string time(Dice& dice) {
  return dice.of<std::string>({"{}", "{}", R"({"jitter": 0.02, "steps": 3})",
                               R"({"jitter": 0.2, "steps": 12})", R"({"launch": "mpi"})"});
}

std::string faults(Dice& dice, const Site& site, std::int64_t steps) {
  if (!site.has_network || dice.one_in(2)) return "[]";
  return fmt::format(R"([{{"slow": "worker:0", "factor": {}, "from_step": {}}}])", dice.between(2, 5),
                     dice.below(steps));
}

std::string dataset(Dice& dice, const Site& site, std::int64_t rows) {
  return fmt::format(R"({{"type": "synthetic", "rows": {}{}{}{}}})", rows,
                     dice.one_in(2) ? R"(, "shuffle": {})" : "", site.has_queue ? R"(, "repeat": -1)" : "",
                     dice.one_in(3) ? R"(, "drop_remainder": true)" : "");
}

std::string undisturbed(std::int64_t seed) {
  constexpr std::int64_t purpose = 28;
  Dice dice(seed, purpose);
  const Site site = drawn::draw_site(seed, dice);
  // Keras 3 doesn't say which replica's moving mean of a batch normalization counts where there is one place for it.
  const Task& task = tasks[dice.below(std::ssize(tasks) - (site.has_queue ? 1 : 0))];
  const bool is_normalized = task.model.find("BatchNormalization") != std::string_view::npos;
  const bool is_fit = !site.has_queue && dice.one_in(2);
  const std::int64_t batch = dice.of<std::int64_t>({12, 16, 24, 32}), steps = dice.between(1, 4);
  const std::int64_t rows = steps * batch + (dice.one_in(2) ? dice.below(batch) : 0);
  const std::string data = dataset(dice, site, rows), rule = optimizer(dice);
  return fmt::format(
      R"({{"name": "trial {}", {}, "model": {}, "dataset": {}, "training": {{"loop": "{}", "loss": "{}", "optimizer": {}, )"
      R"("{}": {}, "epochs": {}{}, "checkpointing": {{}}, "save_weights": "weights.safetensors"}}, "time": {}, "faults": {}, )"
      R"("semantics": "{}", "numerics": "cpu", "seed": {}}})",
      seed, site.keys, task.model, data, is_fit ? "fit" : "custom", task.loss, rule,
      site.has_queue ? "per_replica_batch" : "global_batch", batch, dice.between(2, 3),
      site.has_queue ? fmt::format(R"(, "steps_per_epoch": {})", steps) : "", time(dice),
      faults(dice, site, steps), is_normalized || dice.one_in(2) ? "keras2" : "keras3", seed);
}

}  // namespace

std::string draw_scenario(std::int64_t seed) {
  return seed % 4 == 3 ? disturbed::draw_scenario(seed / 4).text : undisturbed(seed / 4 * 3 + seed % 4);
}

}  // namespace wt::agreement
