// Single layers, forward, and forward with the gradients of the input and of all weights.
//
//   bench_layers [--threads N] [--isa baseline|avx2|avx512] [--only WORDS]    one line per case
//   bench_layers --serve                                                      for against_pytorch.py
#include "device/cpu/workers.h"
#include "serve.h"

#include <memory>
#include <random>

#include "device/cpu/cpu_queue.h"
#include "execute/execution.h"
#include "model/layers/activation.h"
#include "model/layers/attention.h"
#include "model/layers/convolution.h"
#include "model/layers/dropout.h"
#include "model/layers/embedding.h"
#include "model/layers/normalization.h"
#include "model/layers/pooling.h"
#include "model/layers/recurrent.h"
#include "model/layers/resizing.h"
#include "strategy/default.h"

namespace wt::bench {
namespace {

// `words` is 0 where the rows are numbers. against_pytorch.py has PyTorch's layer of the same name.
struct Case {
  const char* name = "";
  Shape rows{};
  model::LayerPtr (*layer)() = nullptr;
  std::uint32_t words = 0;
};

const std::vector<Case>& cases() {
  using namespace model;
  static const std::vector<Case> all{
      {"SimpleRNN",
       {64, 100, 64},
       [] { return simple_rnn({.name = "layer", .units = 128, .return_sequences = true}); }},
      {"GRU", {64, 100, 64}, [] { return gru({.name = "layer", .units = 128, .return_sequences = true}); }},
      {"LSTM", {64, 100, 64}, [] { return lstm({.name = "layer", .units = 128, .return_sequences = true}); }},
      {"Conv1D", {32, 256, 64}, [] { return conv1d({.name = "layer", .filters = 128, .kernel_size = {5}}); }},
      {"Conv3D",
       {8, 16, 16, 16, 16},
       [] {
         return conv3d({.name = "layer", .filters = 32, .kernel_size = {3, 3, 3}});
       }},
      {"Conv2DTranspose",
       {32, 14, 14, 64},
       [] {
         return conv2d_transpose(
             {.base = {.name = "layer", .filters = 32, .kernel_size = {2, 2}, .strides = {2, 2}}});
       }},
      {"DepthwiseConv2D",
       {16, 56, 56, 64},
       [] {
         return depthwise_conv2d({.base = {.name = "layer", .kernel_size = {3, 3}}});
       }},
      {"SeparableConv2D",
       {16, 56, 56, 64},
       [] {
         return separable_conv2d({.base = {.name = "layer", .filters = 64, .kernel_size = {3, 3}}});
       }},
      {"MaxPooling2D", {32, 56, 56, 64}, [] { return max_pooling2d({.name = "layer"}); }},
      {"AveragePooling2D", {32, 56, 56, 64}, [] { return average_pooling2d({.name = "layer"}); }},
      {"GlobalAveragePooling2D",
       {32, 56, 56, 64},
       [] { return global_average_pooling2d({.name = "layer"}); }},
      {"UpSampling2D",
       {32, 28, 28, 64},
       [] {
         return up_sampling({.name = "layer", .size = {2, 2}});
       }},
      {"UpSampling2D bilinear",
       {32, 28, 28, 64},
       [] {
         return up_sampling({.name = "layer", .size = {2, 2}, .method = ResizeMethod::bilinear});
       }},
      {"BatchNormalization", {64, 28, 28, 64}, [] { return batch_normalization({.name = "layer"}); }},
      {"LayerNormalization", {16, 128, 512}, [] { return layer_normalization({.name = "layer"}); }},
      {"GroupNormalization",
       {64, 28, 28, 64},
       [] { return group_normalization({.name = "layer", .groups = 8}); }},
      {"Embedding",
       {64, 128},
       [] { return embedding({.name = "layer", .input_dim = 10000, .output_dim = 128}); },
       10000},
      {"MultiHeadAttention",
       {16, 128, 128},
       [] { return multi_head_attention({.name = "layer", .num_heads = 4, .key_dim = 32}); }},
      {"Softmax", {16, 4, 128, 128}, [] { return softmax({.name = "layer"}); }},
      {"GELU", {16, 128, 512}, [] { return activation("gelu", "layer"); }},
      {"ELU", {16, 128, 512}, [] { return activation("elu", "layer"); }},
      {"Tanh", {16, 128, 512}, [] { return activation("tanh", "layer"); }},
      {"PReLU",
       {64, 28, 28, 64},
       [] {
         return prelu({.name = "layer", .shared_axes = {1, 2}});
       }},
      {"Dropout", {16, 128, 512}, [] { return dropout({.name = "layer", .rate = 0.5}); }},
  };
  return all;
}

// The layer, or the gradients of sum(y * dy) by its input and its weights. Words have no gradient.
Step traced(const Case& what, bool backward) {
  return trace(what.name, [&](Trace& trace) {
    model::Building building(trace, true);
    const Symbol x = trace.input("x", {what.words ? Type::int32 : Type::float32, what.rows});
    const model::LayerPtr layer = what.layer();
    const std::vector<Symbol> inputs(std::string_view(what.name) == "MultiHeadAttention" ? 2 : 1, x);
    const Symbol y = (*layer)(building, inputs).front();
    trace.result("y", y);
    if (!backward) return;
    std::vector<Symbol> of;
    if (!what.words) of.push_back(x);
    for (const model::Weight& weight : building.weights())
      if (weight.options.trainable) of.push_back(building.symbol(weight.name));
    const std::vector<Symbol> gradients = trace.gradient(reduce_sum(y * trace.input("dy", y.spec())), of);
    for (std::size_t i = 0; i < gradients.size(); ++i) trace.result(fmt::format("d{}", i), gradients[i]);
  });
}

Tensor drawn(const TensorSpec& spec, std::uint32_t words) {
  Tensor values = Tensor::zeros(spec);
  std::mt19937 random(1);
  if (spec.type == Type::int32)
    for (std::int32_t& value : values.values<std::int32_t>())
      value = static_cast<std::int32_t>(random() % words);
  if (spec.type == Type::float32)
    for (float& value : values.values<float>()) value = static_cast<float>(random() % 1000) / 500.0f - 1.0f;
  return values;
}

class Bench {
 public:
  Bench(const Case& what, bool backward, device::Workers& workers)
      : queue_(workers),
        plan_(strategy::lower_default(traced(what, backward), {"cpu:0"})),
        execution_(plan_, queue_) {
    for (const plan::Port& port : plan_.inputs) inputs_.push_back(drawn(port.operand.spec, what.words));
    for (const plan::Port& port : plan_.variables) execution_.write(port.name, drawn(port.operand.spec, 0));
  }

  // An input's memory may hold something else after a step, so it is written before each.
  double seconds() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) execution_.write(plan_.inputs[i].name, inputs_[i]);
    execution_.wait();
    const double start = now();
    execution_.step();
    execution_.wait();
    return now() - start;
  }

 private:
  device::CpuQueue queue_;
  plan::Plan plan_;
  execute::Execution execution_;
  std::vector<Tensor> inputs_{};
};

std::string name_of(const Case& what, bool backward) {
  return fmt::format("{} {}{}", what.name, print(what.rows), backward ? " and gradients" : "");
}

void print_all(device::Workers& workers, const std::string& only) {
  for (const Case& what : cases())
    for (const bool backward : {false, true}) {
      if (name_of(what, backward).find(only) == std::string::npos) continue;
      Bench bench(what, backward, workers);
      std::vector<double> seconds;
      const double until = now() + 0.3;
      while (seconds.size() < 5 || (now() < until && seconds.size() < 200))
        seconds.push_back(bench.seconds());
      fmt::print("{:56} {:9.3f} ms\n", name_of(what, backward), 1e3 * median(seconds));
      std::fflush(stdout);
    }
}

void serve_all(device::Workers& workers) {
  std::vector<Served> served;
  for (const Case& what : cases())
    for (const bool backward : {false, true}) {
      std::string fields = fmt::format("{}\t{}\t0\t{}", backward ? "layer and gradients" : "layer",
                                       name_of(what, backward), what.words);
      for (const std::int64_t extent : what.rows) fields += fmt::format("\t{}", extent);
      served.push_back({fields, [&what, backward, &workers] {
                          const auto bench = std::make_shared<Bench>(what, backward, workers);
                          return [bench] { return bench->seconds(); };
                        }});
    }
  serve(served, workers.threads());
}

}  // namespace
}  // namespace wt::bench

int main(int argc, char** argv) {
  using namespace wt::bench;
  const Words words = read_words(argc, argv);
  wt::device::Workers workers(words.threads);
  if (words.serve)
    serve_all(workers);
  else
    print_all(workers, words.only);
}
