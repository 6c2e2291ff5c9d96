// Claims: the gradients that TensorFlow gathers are those of tables that are read by look-ups alone; what travels to the
// center and back is counted by a pencil.

#include "strategy/gathered_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "several_replicas.h"

namespace wt::strategy {
namespace {

using test::floats;

constexpr std::int64_t rows = 32, ids = 7, width = 64, words = 1000;

// One table is looked up twice, one also multiplies. The squares of rows are those that Keras 3 adds for Adam.
Step two_tables() {
  return trace("train", [](Trace& trace) {
    const Symbol a = trace.input("a", {Type::int32, {rows, ids}}),
                 b = trace.input("b", {Type::int32, {rows}});
    const std::vector<Symbol> tables{trace.variable("tied", floats({words, 2 * width})),
                                     trace.variable("twice", floats({words, width}))};
    const Symbol of_tied = embedding(b, tables[0]), of_twice = embedding(b, tables[1]);
    const Symbol loss = reduce_sum(square(embedding(a, tables[1]))) + reduce_sum(square(of_twice)) +
                        reduce_sum(matmul(of_tied, transpose(tables[0], {1, 0})));
    std::vector<Symbol> gradients = trace.gradient(loss, tables);
    for (Symbol& gradient : gradients) gradient = all_reduce(gradient, Reduction::sum);
    const Symbol looked_up[] = {b, square(of_twice)};
    const Symbol squares = trace.apply("embedding_gradient", looked_up, ShapeAttributes{{words, width}})[0];
    trace.result("squares", all_reduce(squares, Reduction::sum));
    apply_sgd(tables, {}, gradients, fill(trace, floats({}), 0.5), {});
    trace.result("loss", loss);
  });
}

TEST(GatheredRows, AreThoseOfTablesThatAreOnlyLookedUp) {
  const std::vector<GatheredTable> tables = gathered_tables(two_tables());
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].name, "twice");
  EXPECT_EQ(tables[0].rows, Bytes((rows * ids + rows) * (4 * width + 8)));
  EXPECT_EQ(tables[0].table.bytes(), Bytes(4 * words * width));
}

std::int64_t bytes_between_devices(const plan::Plan& plan) {
  std::int64_t all = 0;
  for (const plan::Node& node : plan.nodes)
    if (const auto* move = std::get_if<plan::Move>(&node.action))
      if (plan.buffer(move->source.buffer).device != plan.buffer(move->target.buffer).device)
        all += payload(node).count();
  return all;
}

TEST(GatheredRows, TravelToTheCenterAndBack) {
  constexpr std::int64_t each = 1000;
  for (const std::int64_t n : {2, 3, 8}) {
    const std::vector<Place> places = test::places(static_cast<std::size_t>(n));
    const plan::Device first = places[0].device, host{.name = "the host"};
    EXPECT_EQ(bytes_between_devices(lower_gathering({.center = first}, Bytes(each), places)), (n - 1) * each);
    EXPECT_EQ(
        bytes_between_devices(lower_gathering({.center = first, .goes_back = true}, Bytes(each), places)),
        (n - 1) * each + (n - 1) * n * each);
    EXPECT_EQ(bytes_between_devices(lower_gathering({.center = host}, Bytes(each), places)), n * each);
  }
}

}  // namespace
}  // namespace wt::strategy
