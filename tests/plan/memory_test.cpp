// Plans on devices with limits: what fits, what doesn't, and how that is reported.
#include "plan/memory.h"

#include <gtest/gtest.h>

#include <random>

#include "base/quantity_literals.h"
#include "plan/memory_report.h"

namespace wt::plan {
namespace {

const std::string gpu = "/job:localhost/replica:0/task:0/device:GPU:0";

Device limited(Bytes limit, bool growth = false) {
  return {.name = gpu, .memory = device::MemoryOptions{.limit = limit, .growth = growth}};
}

// Moves and matmuls among buffers of one device. Nothing is ever run.
struct Sketch {
  Plan plan{.name = "sketch"};

  explicit Sketch(Device device) { plan.devices.push_back(std::move(device)); }

  BufferId buffer(const std::string& name, BufferKind kind, Bytes bytes) {
    return plan.add_buffer({.name = name, .bytes = bytes, .kind = kind});
  }
  Operand bytes_of(BufferId id) const { return {id, {Type::uint8, {plan.buffer(id).bytes.count()}}}; }
  void move(BufferId source, BufferId target) { plan.add_node(Move{bytes_of(source), bytes_of(target)}, ""); }
  void matmul(Operand a, Operand b, Operand out, std::optional<BufferId> workspace = {}) {
    plan.add_node(
        Run{.kernel = &kernel_named("matmul"), .inputs = {a, b}, .outputs = {out}, .workspace = workspace},
        "dense");
  }
  Plan& planned() {
    plan_memory(plan, order_accesses(plan));
    return plan;
  }
};

// The seed's example: two matrices of 256 MiB and no room for their product.
Sketch large_product(Bytes limit) {
  Sketch sketch(limited(limit));
  const TensorSpec square{Type::float32, {8192, 8192}};
  const Operand a{sketch.buffer("a", BufferKind::input, 256_MiB), square};
  const Operand b{sketch.buffer("dense/kernel", BufferKind::variable, 256_MiB), square};
  sketch.matmul(a, b, {sketch.buffer("dense/matmul#0", BufferKind::activation, 256_MiB), square});
  return sketch;
}

TEST(OutOfMemory, IsAResultInTensorFlowsWords) {
  Sketch sketch = large_product(600_MiB);
  const Plan& plan = sketch.planned();
  ASSERT_TRUE(plan.out_of_memory);
  EXPECT_EQ(plan.out_of_memory->node, NodeId{0});
  EXPECT_EQ(plan.out_of_memory->held, (std::vector<BufferId>{BufferId{0}, BufferId{1}}));
  // The second matrix got all that was left: 88 MiB more than it needs are less than the 128 MiB worth a
  // split.
  EXPECT_EQ(plan.out_of_memory->free, Bytes(0));
  EXPECT_EQ(plan.out_of_memory->largest_free, Bytes(0));
  EXPECT_EQ(plan.out_of_memory->slack, 88_MiB);
  EXPECT_EQ(plan.devices[0].arena, 512_MiB);
  const std::string& log = plan.out_of_memory->summary;
  EXPECT_EQ(log.substr(0, log.find('\n')),
            "Allocator (GPU_0_bfc) ran out of memory trying to allocate 256.00MiB (rounded to "
            "268435456)requested by "
            "op dense/MatMul");
  EXPECT_EQ(print(report_memory(plan)),
            "OOM when allocating tensor with shape[8192,8192] and type float on " + gpu +
                " by allocator GPU_0_bfc\n"
                "  activation dense/matmul#0, for matmul in dense, needs 256.0 MiB; 0 B free, 0 B in one "
                "piece, 88.0 MiB slack in held chunks\n"
                "  held then:\n"
                "    input 256.0 MiB, variable 256.0 MiB\n"
                "     256.0 MiB  input           a\n"
                "     256.0 MiB  variable        dense/kernel\n"
                "memory of " +
                gpu +
                ": does not fit; needs 512.0 MiB of a limit of 600.0 MiB\n"
                "  at the peak 512.0 MiB held, 0 B lost to fragmentation, 600.0 MiB taken from the device\n"
                "    input 256.0 MiB, variable 256.0 MiB\n"
                "     256.0 MiB  input           a\n"
                "     256.0 MiB  variable        dense/kernel\n");
  EXPECT_FALSE(large_product(768_MiB).planned().out_of_memory);
}

TEST(OutOfMemory, CountsWhatAKernelNeedsForItselfInBytes) {
  Sketch sketch(limited(1_MiB));
  const TensorSpec square{Type::float32, {8, 8}};
  const Operand a{sketch.buffer("a", BufferKind::input, Bytes(256)), square};
  const Operand out{sketch.buffer("out", BufferKind::result, Bytes(256)), square};
  sketch.matmul(a, a, out, sketch.buffer("matmul#0", BufferKind::workspace, 2_MiB));
  const MemoryReport report = report_memory(sketch.planned());
  ASSERT_TRUE(report.shortage);
  EXPECT_EQ(report.shortage->message,
            "OOM when allocating tensor with shape[2097152] and type uint8 on "
            "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc");
  EXPECT_EQ(report.shortage->kernel, "matmul");
  EXPECT_EQ(report.shortage->scope, "dense");
  EXPECT_FALSE(report.shortage->fragmented);
}

TEST(OutOfMemory, OfWhatOutlivesTheStepHasNoNode) {
  Sketch sketch(limited(1_MiB));
  const BufferId x = sketch.buffer("x", BufferKind::input, 1_MiB);
  const BufferId slot = sketch.buffer("momentum", BufferKind::optimizer_slot, Bytes(20));
  sketch.plan.variables.push_back({"momentum", {slot, {Type::float32, {5}}}});
  sketch.move(x, slot);
  const Plan& plan = sketch.planned();
  ASSERT_TRUE(plan.out_of_memory);
  EXPECT_EQ(plan.out_of_memory->node, std::nullopt);
  const MemoryReport report = report_memory(plan);
  EXPECT_EQ(report.shortage->message,
            "OOM when allocating tensor with shape[5] and type float on " + gpu + " by allocator GPU_0_bfc");
  EXPECT_EQ(report.devices[0].at_peak.by_kind, (std::map<BufferKind, Bytes>{{BufferKind::input, 1_MiB}}));
}

TEST(OutOfMemory, D9_ComesOfFragmentationThoughEnoughIsFreeInAll) {
  Sketch sketch(limited(4_MiB));
  const BufferId in = sketch.buffer("in", BufferKind::input, 1_MiB);
  const BufferId a = sketch.buffer("a", BufferKind::activation, 1_MiB);
  const BufferId b = sketch.buffer("b", BufferKind::activation, 1_MiB);
  const BufferId c = sketch.buffer("c", BufferKind::activation, 1_MiB);
  const BufferId large = sketch.buffer("large", BufferKind::activation, 2_MiB);
  sketch.move(in, a);
  sketch.move(in, b);
  sketch.move(in, c);
  sketch.move(a, c);      // a ends
  sketch.move(c, b);      // c ends: free on both sides of b
  sketch.move(b, large);  // 5
  const MemoryReport report = report_memory(sketch.planned());
  ASSERT_TRUE(report.shortage);
  EXPECT_EQ(report.shortage->buffer.name, "large");
  EXPECT_EQ(report.shortage->free, 2_MiB);
  EXPECT_EQ(report.shortage->largest_free, 1_MiB);
  EXPECT_TRUE(report.shortage->fragmented);
  EXPECT_NE(print(report).find("needs 2.0 MiB; 2.0 MiB free, 1.0 MiB in one piece, 0 B slack in held chunks: "
                               "enough in all, but fragmented"),
            std::string::npos);
}

TEST(OutOfMemory, OfOneDeviceLeavesTheOthersAsTheyWere) {
  Sketch sketch(limited(1_MiB));
  sketch.plan.devices.push_back({.name = "cpu:0"});
  const BufferId host = sketch.plan.add_buffer({"host", DeviceId{1}, 3_MiB, BufferKind::input, {}});
  const BufferId there = sketch.buffer("there", BufferKind::activation, 3_MiB);
  sketch.move(host, there);
  const MemoryReport report = report_memory(sketch.planned());
  ASSERT_TRUE(report.shortage);
  EXPECT_EQ(report.shortage->device, gpu);
  EXPECT_EQ(report.devices[0].verdict, Verdict::does_not_fit);
  EXPECT_EQ(report.devices[1].verdict, Verdict::fits);
  EXPECT_EQ(report.devices[1].arena, 3_MiB);
}

TEST(OutOfMemory, OfAbsurdSizesOverflowsNothing) {
  for (const bool is_limited : {true, false}) {
    Sketch sketch(is_limited ? limited(16_GiB) : Device{.name = "cpu:0"});
    const Bytes most(std::numeric_limits<std::int64_t>::max());
    const BufferId x = sketch.buffer("x", BufferKind::input, Bytes(1));
    for (int i = 0; i < 3; ++i)
      sketch.move(x, sketch.buffer("y" + std::to_string(i), BufferKind::activation, most));
    const MemoryReport report = report_memory(sketch.planned());
    ASSERT_TRUE(report.shortage);
    EXPECT_EQ(report.shortage->buffer.name, "y0");
    EXPECT_EQ(report.devices[0].held, Bytes(256));
    EXPECT_EQ(report.shortage->allocator, is_limited ? "GPU_0_bfc" : "cpu");
  }
}

TEST(Memory, PlanningAgainForgetsTheShortage) {
  Sketch sketch = large_product(600_MiB);
  ASSERT_TRUE(sketch.planned().out_of_memory);
  sketch.plan.devices[0].memory->limit = 1_GiB;
  EXPECT_FALSE(sketch.planned().out_of_memory);
}

TEST(Memory, D13_GrowingMemoryTakesNoMoreRegionsThanItNeeds) {
  Sketch sketch(limited(1_GiB, true));
  const BufferId x = sketch.buffer("x", BufferKind::input, 1_MiB);
  sketch.move(x, sketch.buffer("y", BufferKind::activation, 3_MiB));
  const MemoryReport report = report_memory(sketch.planned());
  EXPECT_EQ(report.devices[0].taken, 6_MiB);  // 2, then 4
  EXPECT_EQ(report.devices[0].arena, 5_MiB);  // of the second region's one chunk, y needs 3 MiB
}

// The same holds whatever the allocator's options are, as in plan_test.cpp without limit.
TEST(Memory, RandomPlansOnLimitedDevicesOverlapNowhereAndEndAtTheArena) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Sketch sketch(limited(1_GiB, seed % 2 == 0));
    std::vector<BufferId> written{sketch.buffer("in", BufferKind::input, 1_MiB)};
    for (int node = 0; node < 60; ++node) {
      const BufferId source =
          written[written.size() - 1 - random() % std::min<std::size_t>(written.size(), 6)];
      const auto bytes = Bytes(static_cast<std::int64_t>(1 + random() % 2'000'000));
      written.push_back(sketch.buffer("b" + std::to_string(node), BufferKind::activation, bytes));
      sketch.move(source, written.back());
    }
    const Plan& plan = sketch.planned();
    ASSERT_FALSE(plan.out_of_memory);
    Bytes end{};
    for (const Buffer& buffer : plan.buffers)
      end = std::max(end, buffer.address + device::rounded_to_granule(buffer.bytes));
    EXPECT_EQ(plan.devices[0].arena, end);
    EXPECT_GE(plan.devices[0].statistics.peak, live_bytes_bound(plan, DeviceId{0}));
    // A node that takes over addresses comes behind all that touched their earlier holders.
    std::vector<std::vector<bool>> behind(plan.nodes.size(), std::vector<bool>(plan.nodes.size()));
    for (std::size_t node = 0; node < plan.nodes.size(); ++node)
      for (const NodeId other : plan.nodes[node].after) {
        behind[node][index(other)] = true;
        for (std::size_t i = 0; i < node; ++i)
          if (behind[index(other)][i]) behind[node][i] = true;
      }
    const auto overlap = [&](BufferId a, BufferId b) {
      const Buffer &one = plan.buffer(a), &two = plan.buffer(b);
      return one.address < two.address + two.bytes && two.address < one.address + one.bytes;
    };
    for (std::size_t node = 0; node < plan.nodes.size(); ++node)
      for (std::size_t earlier = 0; earlier < node; ++earlier) {
        const auto& first = std::get<Move>(plan.nodes[earlier].action);
        const auto& second = std::get<Move>(plan.nodes[node].action);
        for (const BufferId touched : {first.source.buffer, first.target.buffer}) {
          if (touched == second.target.buffer || !overlap(touched, second.target.buffer)) continue;
          ASSERT_TRUE(behind[node][earlier]) << node << " may run before " << earlier;
        }
      }
  }
}

TEST(Verdict, IsTightWithinHalfTheReserve) {
  const Capacity card{.memory = 1000_MiB,
                      .reserve = {.context = 60_MiB, .libraries = 30_MiB, .communication = 10_MiB}};
  EXPECT_EQ(judge(850_MiB, card), Verdict::fits);
  EXPECT_EQ(judge(850_MiB + Bytes(1), card), Verdict::tight);
  EXPECT_EQ(judge(950_MiB, card), Verdict::tight);
  EXPECT_EQ(judge(950_MiB + Bytes(1), card), Verdict::does_not_fit);
  EXPECT_EQ(name(Verdict::does_not_fit), "does_not_fit");
}

TEST(MemoryReport, TellsKindsApartAndCountsWhatFragmentationCosts) {
  Sketch sketch({.name = "cpu:0"});
  const BufferId x = sketch.buffer("x", BufferKind::input, Bytes(100));
  const BufferId w = sketch.buffer("w", BufferKind::variable, Bytes(1000));
  const BufferId m = sketch.buffer("w/momentum", BufferKind::optimizer_slot, Bytes(1000));
  const BufferId loss = sketch.buffer("loss", BufferKind::result, Bytes(4));
  const BufferId a = sketch.buffer("a", BufferKind::activation, Bytes(3000));
  const BufferId g = sketch.buffer("g", BufferKind::gradient, Bytes(5000));
  const BufferId peer = sketch.buffer("peer", BufferKind::communication, Bytes(1000));
  sketch.move(x, a);
  sketch.move(a, g);
  sketch.move(g, peer);
  sketch.move(peer, w);
  sketch.move(w, m);
  sketch.move(w, loss);
  const std::optional<Capacity> room = Capacity{.memory = 1_MiB, .reserve = {.context = 100_KiB}};
  EXPECT_EQ(
      print(report_memory(sketch.planned(), std::span(&room, 1))),
      "memory of cpu:0: fits; needs 10.5 KiB, beside 100.0 KiB that libraries hold of 1.0 MiB\n"
      "  at the peak 10.5 KiB held, 0 B lost to fragmentation, 10.5 KiB taken from the device\n"
      "    input 256 B, variable 1.0 KiB, optimizer_slot 1.0 KiB, result 256 B, activation 3.0 KiB, gradient "
      "5.0 KiB\n"
      "       4.9 KiB  gradient        g\n"
      "       2.9 KiB  activation      a\n"
      "        1000 B  variable        w\n"
      "        1000 B  optimizer_slot  w/momentum\n"
      "         100 B  input           x\n"
      "           4 B  result          loss\n");
}

}  // namespace
}  // namespace wt::plan
