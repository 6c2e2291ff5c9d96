// Training steps as train::Model does them, of the Fashion-MNIST CNN or of any model, and what their plans say they cost.
#pragma once

#include "serve.h"

#include <map>
#include <random>

#include "device/cpu/cpu_queue.h"
#include "execute/fusion.h"
#include "model/zoo.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "train/model.h"

namespace wt::bench {

// Runs what it is given and looks at the clock around each task. Executions capture a plan's nodes in their
// order, two as one task where they are fused.
class TimedQueue final : public device::Queue {
 public:
  explicit TimedQueue(device::Workers& workers) : queue_(workers) {}

  device::Backend backend() const override { return queue_.backend(); }
  device::Memory& memory() override { return queue_.memory(); }
  void enqueue(device::Task task) override { queue_.enqueue(task); }
  device::Event record() override { return queue_.record(); }
  void wait(const device::Event& event) override { queue_.wait(event); }
  void synchronize() override { queue_.synchronize(); }
  void begin_capture() override { queue_.begin_capture(); }
  device::Captured end_capture() override { return queue_.end_capture(); }
  void replay(const device::Captured& captured) override {
    seconds_.resize(captured.tasks.size());
    for (std::size_t i = 0; i < captured.tasks.size(); ++i) {
      const double start = now();
      queue_.enqueue(captured.tasks[i]);
      seconds_[i].push_back(now() - start);
    }
  }

  void forget() { seconds_.clear(); }
  double seconds_of(std::size_t task) const { return median(seconds_[task]); }

 private:
  device::CpuQueue queue_;
  std::vector<std::vector<double>> seconds_{};  // by task, of every replay
};

inline Tensor drawn_images(std::int64_t batch) {
  Tensor images = Tensor::zeros({Type::float32, {batch, 28, 28, 1}});
  std::mt19937 random(1);
  for (float& value : images.values<float>()) value = static_cast<float>(random() % 256) / 255.0f;
  return images;
}

inline Tensor drawn_labels(std::int64_t batch) {
  Tensor labels = Tensor::zeros({Type::int64, {batch}});
  std::mt19937 random(2);
  for (std::int64_t& value : labels.values<std::int64_t>()) value = random() % 10;
  return labels;
}

// A model under Adam.
class Training {
 public:
  // Fashion-MNIST's CNN with accuracy: on one device, or mirrored over replicas that all compute here.
  Training(std::int64_t batch, device::Queue& queue, std::int64_t replicas = 1)
      : machine_{replicas == 1 ? on_one_device() : mirrored(replicas), queue, {.replicas = replicas}},
        model_(model::zoo_model("fashion_cnn").build(), state_, machine_),
        batch_{drawn_images(batch), drawn_labels(batch)} {
    model_.compile({.loss = model::loss_named("sparse_categorical_crossentropy"),
                    .optimizer = model::optimizer_named("adam"),
                    .metrics = {{model::metric_named("accuracy")}}});
  }

  // A model that predicts the logits of classes, on one device.
  Training(model::LayerPtr layer, std::vector<Tensor> batch, device::Queue& queue)
      : machine_{on_one_device(), queue, {}},
        model_(std::move(layer), state_, machine_),
        batch_(std::move(batch)) {
    model_.compile({.loss = model::loss_named("sparse_categorical_crossentropy", {.from_logits = true}),
                    .optimizer = model::optimizer_named("adam")});
  }

  double seconds() {
    const double start = now();
    model_.train_on_batch(batch_);
    return now() - start;
  }
  const plan::Plan& plan() { return model_.training_plan(batch_); }

 private:
  static train::Lowering on_one_device() {
    return [](strategy::Steps steps) { return strategy::lower_default(*steps.front(), {"cpu:0"}); };
  }
  static train::Lowering mirrored(std::int64_t replicas) {
    std::vector<strategy::Place> places;
    for (std::int64_t i = 0; i < replicas; ++i)
      places.push_back({.device = {.name = fmt::format("GPU:{}", i)}, .host = plan::Device{.name = "CPU:0"}});
    return [places](strategy::Steps steps) { return strategy::lower_mirrored(steps, places); };
  }

  train::Resources machine_;
  train::State state_{1};
  train::Model model_;
  std::vector<Tensor> batch_;
};

// ---- What the plan says it costs ----

struct Cost {
  std::string kernel{};
  double flops = 0;
  double bytes = 0;
};

inline Cost cost_of(const plan::Node& node) {
  const auto* run = std::get_if<plan::Run>(&node.action);
  if (run == nullptr) return {.kernel = std::string(plan::kernel_name(node))};
  std::vector<TensorSpec> inputs, outputs;
  for (const plan::Operand& operand : run->inputs) inputs.push_back(operand.spec);
  for (const plan::Operand& operand : run->outputs) outputs.push_back(operand.spec);
  const Work work = run->kernel->work({inputs, outputs, run->attributes});
  return {std::string(run->kernel->name), work.flops.count(), static_cast<double>(work.bytes.count())};
}

inline double flops_of(const plan::Plan& plan) {
  double flops = 0;
  for (const plan::Node& node : plan.nodes) flops += cost_of(node).flops;
  return flops;
}

// ---- Where the time goes ----

struct Share {
  int count = 0;
  double seconds = 0, flops = 0, bytes = 0;
};

inline void print_profile(TimedQueue& queue, Training& training, std::int64_t batch) {
  training.seconds();
  queue.forget();
  std::vector<double> steps;
  for (int step = 0; step < 100; ++step) steps.push_back(training.seconds());
  std::map<std::string, Share> shares;
  double inside = 0;
  const auto& nodes = training.plan().nodes;
  const execute::Fusions fusions = execute::fusions_of(training.plan());
  std::size_t task = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i, ++task) {
    const auto both = fusions.find(static_cast<plan::NodeId>(i));
    const Cost cost = cost_of(both == fusions.end() ? nodes[i] : plan::Node{.action = both->second});
    if (both != fusions.end()) ++i;
    Share& share = shares[cost.kernel];
    ++share.count;
    share.seconds += queue.seconds_of(task), share.flops += cost.flops, share.bytes += cost.bytes;
    inside += queue.seconds_of(task);
  }
  std::vector<std::pair<std::string, Share>> rows(shares.begin(), shares.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  fmt::print("\nbatch {}: {:.3f} ms a step, {:.3f} ms of it in {} tasks\n", batch, 1e3 * median(steps),
             1e3 * inside, task);
  fmt::print("{:36} {:>5} {:>9} {:>7} {:>8} {:>7}\n", "kernel", "count", "ms", "share", "GFLOP/s", "GB/s");
  for (const auto& [kernel, share] : rows)
    fmt::print("{:36} {:5} {:9.4f} {:5.1f} % {:8.1f} {:7.1f}\n", kernel, share.count, 1e3 * share.seconds,
               100 * share.seconds / inside, share.flops / share.seconds / 1e9,
               share.bytes / share.seconds / 1e9);
}

inline void print_profile(std::int64_t batch, device::Workers& workers, std::int64_t replicas = 1) {
  TimedQueue queue(workers);
  Training training(batch, queue, replicas);
  print_profile(queue, training, batch);
}

}  // namespace wt::bench
