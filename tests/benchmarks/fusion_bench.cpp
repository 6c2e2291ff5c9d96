// A bias and its activation in one launch (execute/fusion.h): what is won. The same plan with every node launched for
// itself, and as a step runs it, in turn. Prints launches and the median of the ratios.
//
//   bench_fusion [--threads N] [--isa baseline|avx2|avx512]
#include "device/cpu/workers.h"
#include "execute/fusion.h"
#include "plan/order.h"
#include "program/operations.h"
#include "train_step.h"

namespace wt::bench {
namespace {

plan::Plan bias_and_relu(const Shape& shape) {
  const Step step = trace("bias and relu", [&](Trace& trace) {
    const Symbol bias = trace.input("b", {Type::float32, {shape.last()}});
    trace.result("y", relu(bias_add(trace.input("x", {Type::float32, shape}), bias)));
  });
  return strategy::lower_default(step, {"cpu:0"});
}

void compare(std::string_view name, const plan::Plan& plan, device::Queue& queue) {
  execute::Execution execution(plan, queue);
  const std::vector<plan::NodeId> order = plan::canonical_order(plan);
  std::vector<double> alone, ratios;
  for (const double until = now() + 3; now() < until || ratios.size() < 15;) {
    const double start = now();
    execution.step(order);
    const double between = now();
    execution.step();
    alone.push_back(between - start);
    ratios.push_back((now() - between) / alone.back());
  }
  const std::size_t nodes = plan.nodes.size();
  fmt::print("{:36} {:3} launches instead of {:3}, {:.3f} of {:.4f} ms: median of {} pairs\n", name,
             nodes - execute::fusions_of(plan).size(), nodes, median(ratios), 1e3 * median(alone),
             ratios.size());
}

}  // namespace
}  // namespace wt::bench

int main(int argc, char** argv) {
  using namespace wt::bench;
  const Words words = read_words(argc, argv);
  wt::device::Workers workers(words.threads);
  wt::device::CpuQueue queue(workers);
  fmt::print("{} threads, {}\n", words.threads, name(wt::cpu::current_isa()));
  compare("bias and relu, [64,26,26,32]", bias_and_relu({64, 26, 26, 32}), queue);
  compare("bias and relu, [256,64]", bias_and_relu({256, 64}), queue);
  for (const std::int64_t batch : {16, 64})
    compare(fmt::format("a training step of fashion_cnn, {} rows", batch), Training(batch, queue).plan(),
            queue);
}
