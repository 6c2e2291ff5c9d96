// Compares the memory that nodes touch with the memory that was planned for them.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>

#include "device/cpu/workers.h"
#include "execute/checked_step.h"
#include "model/zoo.h"
#include "support/training_step.h"

namespace wt {
namespace {

using execute::Execution;

// Reserves addresses without memory behind them, since no kernel is run and the largest model needs
// gigabytes.
class ReservedAddresses final : public device::CpuMemory {
 public:
  std::shared_ptr<std::byte> allocate(Bytes size) override {
    const auto count = static_cast<std::size_t>(size.count());
    void* data = ::mmap(nullptr, count, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(data, MAP_FAILED);
    return {static_cast<std::byte*>(data), [count](std::byte* pointer) { ::munmap(pointer, count); }};
  }
};

TEST(TouchedMemory, EndsWhereThePlanSaysForEveryModelThatIsTrainedForReal) {
  for (const model::ZooModel& model : model::zoo()) {
    if (model.shape_only) continue;
    SCOPED_TRACE(model.name);
    const test::Training made = test::training(*model::zoo_model(model.name).build(), 1, "sgd");
    const plan::Plan plan = strategy::lower_default(made.step, {"cpu:0"});
    device::Workers workers(1);
    ReservedAddresses memory;
    device::CpuQueue queue(workers, memory);
    const Execution execution(plan, queue);
    EXPECT_EQ(device::rounded_to_granule(test::end_of_touches(plan, execution)), plan.devices[0].arena);
  }
}

// The device has a limit, so that the allocator's slack and regions matter.
TEST(TouchedMemory, IsAllThatANodeChangesAndAllThatItsAnswerDependsOn) {
  for (const bool growth : {false, true})
    for (const model::ZooChoice& choice : test::small_models()) {
      SCOPED_TRACE(fmt::format("{}{}", choice.model->name, growth ? " with growth" : ""));
      const test::Training made = test::training(*choice.build(), 2);
      const plan::Plan plan = strategy::lower_default(
          made.step,
          {.name = "gpu:0", .memory = device::MemoryOptions{.limit = Bytes(64 << 20), .growth = growth}});
      ASSERT_FALSE(plan.out_of_memory);
      device::Workers workers(1);
      device::CpuQueue queue(workers);
      Execution execution(plan, queue);
      for (const auto& [name, tensor] : test::starting_values(made)) execution.write(name, tensor);
      test::CheckedStep(plan, execution).run();
      EXPECT_EQ(device::rounded_to_granule(test::end_of_touches(plan, execution)), plan.devices[0].arena);
      EXPECT_TRUE(std::isfinite(execution.read("loss").values<float>()[0]));
    }
}

}  // namespace
}  // namespace wt
