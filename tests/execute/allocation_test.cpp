// A step allocates nothing: this program's operator new counts its calls.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "program/operations.h"
#include "support/step.h"

namespace {
std::atomic<long> allocations{0};
}

// Not inlined: g++ would see malloc meet delete and complain.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace wt {
namespace {

Step convolution_step() {
  return trace("t", [](Trace& trace) {
    const Symbol x = trace.input("x", {Type::float32, {8, 12, 12, 3}});
    const Symbol labels = trace.input("labels", {Type::int32, {8}});
    const Symbol rate = trace.input("rate", {Type::float32, {}});
    const Symbol filter = trace.variable("filter", {Type::float32, {3, 3, 3, 16}});
    const Symbol kernel = trace.variable("kernel", {Type::float32, {16, 10}});
    const Symbol features =
        reduce_mean(max_pool(relu(conv2d(x, filter)), {.size = {2, 2}, .strides = {2, 2}}), {1, 2});
    const Symbol loss = reduce_mean(sparse_softmax_cross_entropy(matmul(features, kernel), labels));
    const std::vector<Symbol> variables{filter, kernel};
    apply_sgd(variables, {}, trace.gradient(loss, variables), rate, {});
    trace.result("loss", loss);
  });
}

TEST(Execution, AllocatesNothingInAStep) {
  const plan::Plan plan = strategy::lower_default(convolution_step(), {"cpu:0"});
  device::Workers workers(1);
  device::CpuQueue queue(workers);
  execute::Execution execution(plan, queue);
  const long before = allocations;
  for (int step = 0; step < 3; ++step) execution.step();
  EXPECT_EQ(allocations, before);
  EXPECT_GT(before, 0);
}

}  // namespace
}  // namespace wt
