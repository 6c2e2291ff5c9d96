#include "plan/traffic.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/overloaded.h"
#include "kernel/optimizer.h"
#include "plan/recurrence.h"

namespace wt::plan {

namespace {

// The number of passes over the first operand: for TensorFlow's separate operations, for kernels of a library or of
// a compiler that compute one layer at once, and for a program that is compiled as a whole, whose products and
// convolutions also compute what follows them. A normalization, for example, reads its tensor for the statistics and
// again for the result. TensorFlow without XLA composes gelu of eight operations (power, tanh, products and sums),
// dropout of random numbers, a comparison, a cast and two products, and a layer normalization of a normalization
// without weights, a product and a sum. Kernels that are not in the table move every operand once, as their Work
// states, and those with no passes cause no traffic.
struct Passes {
  std::string_view kernel{};
  double separate = 0;
  double fused = 0;
  double compiled = 0;

  double of(Fusion fusion) const {
    if (fusion == Fusion::none) return separate;
    return fusion == Fusion::program ? compiled : fused;
  }
};

constexpr std::array passes{
    Passes{"batch_norm", 3, 3, 2}, Passes{"batch_norm_gradient", 5, 5, 4},
    Passes{"layer_norm", 8, 3, 2}, Passes{"layer_norm_gradient", 12, 5, 4},
    Passes{"softmax", 3, 3, 2},    Passes{"softmax_gradient", 3, 3, 2},
    Passes{"dropout", 8, 2.5, 0},  Passes{"dropout_gradient", 5, 3, 0},
    Passes{"gelu", 17, 2.5, 1},    Passes{"gelu_gradient", 22, 3, 1},
};
// What a program that is compiled as a whole computes inside its products, or by reading an operand in another order.
constexpr std::array<std::string_view, 3> compiled_away{"bias_add", "transpose", "cast"};

// Weight decay in TensorFlow 1 is part of the loss: the weights are read, scaled and added to the gradient.
constexpr double separate_decay_bytes = 24;
constexpr double separate_decay_launches = 3;
// With 16-bit numbers, a 16-bit copy of the weights is written, and the 16-bit gradient is converted to
// float32.
constexpr double copy_bytes = 6;

bool is_narrow(device::Precision precision) {
  return precision == device::Precision::float16 || precision == device::Precision::bfloat16;
}

double bytes_of(const Operand& operand) { return static_cast<double>(operand.spec.bytes().count()); }

// An update that is written as operations: how often numbers of the variable's shape are read or written, and by how
// many kernels. Counted in the graphs that TensorFlow 2.21 traces of Keras 3.15's optimizers, where an operation reads
// its operands and writes its result, and an assignment takes over the memory of what it assigns. Adam, for example:
// m += (g - m) (1 - beta_1), v += (g^2 - v) (1 - beta_2), w -= alpha m / (sqrt(v) + epsilon).
struct UpdateOperations {
  double passes = 0;
  double launches = 0;

  UpdateOperations& operator+=(const UpdateOperations& other) {
    passes += other.passes;
    launches += other.launches;
    return *this;
  }
};
constexpr UpdateOperations decay_as_operations{7, 3};

UpdateOperations operations_of(const SgdAttributes& sgd) {
  if (sgd.momentum == 0) return {5, 2};
  return sgd.nesterov ? UpdateOperations{17, 7} : UpdateOperations{10, 4};
}

UpdateOperations operations_of(const AdamAttributes&) { return {30, 12}; }

UpdateOperations operations_of(const RmsPropAttributes& rms) {
  UpdateOperations all{21, 9};
  if (rms.momentum != 0) all += {5, 2};
  if (rms.centered) all += {12, 5};
  return all;
}

struct Update {
  OptimizerLayout layout{};
  bool has_decay = false;
  UpdateOperations operations{};
};

std::optional<Update> update_of(const Run& run) {
  const auto read = [](const auto& attributes) -> std::optional<Update> {
    if constexpr (requires { layout_of(attributes); }) {
      Update update{.layout = layout_of(attributes), .operations = operations_of(attributes)};
      if constexpr (requires { attributes.weight_decay; }) update.has_decay = attributes.weight_decay != 0;
      if (update.has_decay) update.operations += decay_as_operations;
      return update;
    } else {
      return std::nullopt;
    }
  };
  return std::visit(read, *run.attributes);
}

// Visits a plan in the order of its nodes, and records which node wrote each buffer last.
class Counting {
 public:
  Counting(const Plan& plan, Fusion fusion, device::Precision precision, Updates updates)
      : plan_(plan),
        fusion_(fusion),
        updates_(updates),
        is_narrow_(is_narrow(precision) && !half_precision(plan)),
        writer_(plan.buffers.size(), no_node) {}

  std::vector<Traffic> count() {
    before_.assign(plan_.nodes.size(), no_node);
    std::vector<Traffic> all;
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
      const Action& action = plan_.nodes[i].action;
      if (const auto* run = std::get_if<Run>(&action); run != nullptr && !run->inputs.empty())
        before_[i] = writer_[index(run->inputs.front().buffer)];
      all.push_back(std::visit(overloaded{[&](const Run& run) { return of_run(run, i); },
                                          [&](const Move& move) { return of_move(move); },
                                          [&](const Sum& sum) { return of_sum(sum); },
                                          [](const Collective&) { return Traffic{.launches = 0}; }},
                               action));
      for (const BufferId buffer : writes(action)) writer_[index(buffer)] = i;
    }
    return all;
  }

 private:
  static constexpr std::size_t no_node = static_cast<std::size_t>(-1);

  std::string_view kernel_of(std::size_t node) const {
    const auto* run = node == no_node ? nullptr : std::get_if<Run>(&plan_.nodes[node].action);
    return run == nullptr ? std::string_view{} : run->kernel->name;
  }

  // The node that wrote an operand, and the node that wrote the first operand of that node.
  std::size_t writer(const Operand& operand) const { return writer_[index(operand.buffer)]; }

  Traffic of_run(const Run& run, std::size_t node) const {
    if (const auto update = update_of(run)) return of_update(run, *update);
    const double width = is_narrow_ ? narrowed(run) : 1;
    Traffic traffic;
    traffic.element_bytes = is_narrow_ || half_precision(run) ? 2 : 4;
    traffic.operands = width * static_cast<double>(work_of(run).bytes.count());
    traffic.bytes = traffic.operands;
    const auto row = std::find_if(passes.begin(), passes.end(),
                                  [&](const Passes& each) { return each.kernel == run.kernel->name; });
    if (row != passes.end())
      traffic.bytes = width * bytes_of(run.inputs.front()) * row->of(fusion_) * widening(run);
    if (fusion_ == Fusion::none)
      if (const auto recurrence = recurrence_of(run)) traffic.launches = recurrence->launches();
    if (extends_a_sum(run, node)) {
      traffic.bytes = bytes_of(run.outputs.front()) * share_of_float32();
      traffic.launches = 0;
    }
    if (fusion_ == Fusion::program && is_compiled_away(run)) traffic = absorbed(traffic);
    if (fusion_ != Fusion::none) fuse(run, node, traffic);
    traffic.operands = std::min(traffic.operands, traffic.bytes);
    return traffic;
  }

  // Keras normalizes halves in float32. Separate operations then pass over tensors of float32 numbers.
  double widening(const Run& run) const {
    const bool is_wide = fusion_ == Fusion::none && run.kernel->name.starts_with("layer_norm");
    return is_wide && half_precision(run) ? 2 : 1;
  }

  static bool is_compiled_away(const Run& run) {
    return std::ranges::find(compiled_away, run.kernel->name) != compiled_away.end();
  }

  // One kernel sums the gradients of a value with several readers, whatever their number. It reads each of
  // them once.
  bool extends_a_sum(const Run& run, std::size_t node) const {
    const auto is_sum = [&](std::size_t each) {
      return kernel_of(each) == "add" && plan_.nodes[each].role.purpose == Purpose::gradient;
    };
    return is_sum(node) && (is_sum(writer(run.inputs[0])) || is_sum(writer(run.inputs[1])));
  }

  // A relu that is fused into a normalization causes no traffic, neither forward nor backward. A fused
  // residual sum reads its second operand, and in the backward pass writes another gradient.
  void fuse(const Run& run, std::size_t node, Traffic& traffic) const {
    const double tensor = run.outputs.empty() ? 0 : share_of_float32() * bytes_of(run.outputs.front());
    const auto follows = [&](std::size_t writer) {
      return kernel_of(writer) == "batch_norm" || kernel_of(writer) == "add";
    };
    if (run.kernel->name == "add" && run.outputs.front().spec.shape.rank() > 1) traffic.bytes = tensor;
    if (run.kernel->name == "relu" && follows(before_[node])) traffic = absorbed(traffic);
    if (run.kernel->name == "relu_gradient") {
      const std::size_t relu = writer(run.inputs[1]);
      if (relu == no_node || !follows(before_[relu])) return;
      if (kernel_of(before_[relu]) == "add")
        traffic.bytes = tensor;
      else
        traffic = absorbed(traffic);
    }
  }

  double share_of_float32() const { return is_narrow_ ? 0.5 : 1; }

  static Traffic absorbed(const Traffic& traffic) {
    return {.bytes = 0, .operands = 0, .launches = 0, .element_bytes = traffic.element_bytes};
  }

  Traffic of_update(const Run& run, const Update& update) const {
    const std::size_t parameters = update.layout.parameters(run.inputs.size());
    Traffic traffic;
    for (const Operand& operand : run.inputs) traffic.operands += bytes_of(operand);
    for (const Operand& operand : run.outputs) traffic.operands += bytes_of(operand);
    double elements = 0;
    for (std::size_t i = 0; i < parameters; ++i)
      elements += static_cast<double>(run.inputs[i].spec.elements());
    traffic.bytes = traffic.operands + (is_narrow_ ? copy_bytes * elements : 0);
    if (updates_ == Updates::operations && fusion_ != Fusion::program) {
      traffic.launches = static_cast<double>(parameters) * update.operations.launches;
      traffic.bytes = (4 * update.operations.passes + (is_narrow_ ? copy_bytes : 0)) * elements;
    } else if (fusion_ == Fusion::none) {
      traffic.launches = static_cast<double>(parameters);
      if (update.has_decay) {
        traffic.launches *= 1 + separate_decay_launches;
        traffic.bytes += separate_decay_bytes * elements;
      }
    }
    return traffic;
  }

  // The share of bytes that remains when float32 operands become half as wide.
  static double narrowed(const Run& run) {
    double wide = 0, narrow = 0;
    const auto count = [&](const Operand& operand) {
      const double bytes = bytes_of(operand);
      wide += bytes;
      narrow += operand.spec.type == Type::float32 ? bytes / 2 : bytes;
    };
    std::for_each(run.inputs.begin(), run.inputs.end(), count);
    std::for_each(run.outputs.begin(), run.outputs.end(), count);
    return wide > 0 ? narrow / wide : 1;
  }

  // A move between devices causes no traffic here, since links determine its time. A move within a device is
  // a kernel that reads and writes.
  Traffic of_move(const Move& move) const {
    if (plan_.buffer(move.source.buffer).device != plan_.buffer(move.target.buffer).device)
      return {.launches = 0};
    const double bytes = 2 * static_cast<double>(payload(move).count());
    return {.bytes = bytes, .operands = bytes};
  }

  Traffic of_sum(const Sum& sum) const {
    double bytes = bytes_of(sum.output);
    for (const Operand& slot : sum.slots) bytes += bytes_of(slot);
    return {.bytes = bytes, .operands = bytes};
  }

  const Plan& plan_;
  Fusion fusion_;
  Updates updates_;
  bool is_narrow_;
  std::vector<std::size_t> writer_;    // by buffer, the node that wrote it last
  std::vector<std::size_t> before_{};  // by node, the node that had written its first operand
};

}  // namespace

std::optional<device::Precision> half_precision(const Run& run) {
  for (const auto* operands : {&run.inputs, &run.outputs})
    for (const Operand& operand : *operands) {
      if (operand.spec.type == Type::float16) return device::Precision::float16;
      if (operand.spec.type == Type::bfloat16) return device::Precision::bfloat16;
    }
  return std::nullopt;
}

std::optional<device::Precision> half_precision(const Plan& plan) {
  for (const Node& node : plan.nodes)
    if (const auto* run = std::get_if<Run>(&node.action))
      if (const auto half = half_precision(*run)) return half;
  return std::nullopt;
}

std::vector<Traffic> traffic_of(const Plan& plan, Fusion fusion, device::Precision precision,
                                Updates updates) {
  return Counting(plan, fusion, precision, updates).count();
}

}  // namespace wt::plan
