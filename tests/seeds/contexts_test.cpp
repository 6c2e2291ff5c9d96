// Claims: a program finds the strategy and the context that were recorded in each of its places, and means of scaled losses
// are those that were recorded: divided by the number of replicas once more.

#include "seeds/seeds_recorded.h"
#include "train/distributed/constructors.h"
#include "train/distributed/loss.h"

namespace wt::test::seeds {
namespace {

// What a place in a program sees.
struct Seen {
  std::string strategy = train::get_strategy().name();
  std::optional<train::ReplicaContext> context = train::get_replica_context();
  bool has = train::has_strategy(), cross = train::in_cross_replica_context();
  std::int64_t replicas = train::get_strategy().num_replicas_in_sync();
};

// Python's names of contexts are those of their strategies, and an integer here is a number in the recording's text of a
// tensor. Outside of scopes Python prints the devices of no strategy.
void expect_seen(const Recording& recording, const std::string& place, const Seen& found) {
  const json::Value& seen = *wanted(recording, "seen").find(place);
  const std::string where = at(recording, place);
  EXPECT_EQ(seen.find("strategy")->string(), found.strategy) << where;
  EXPECT_EQ(seen.find("context")->string() == "NoneType", !found.context) << where;
  EXPECT_EQ(seen.find("has")->boolean(), found.has) << where;
  EXPECT_EQ(seen.find("cross")->boolean(), found.cross) << where;
  EXPECT_EQ(seen.find("replicas")->integer(), found.replicas) << where;
  if (!found.context) return;
  const Line id(seen.find("id")->string());
  EXPECT_EQ(id.numbers.front(), static_cast<double>(found.context->replica_id_in_sync_group())) << where;
  if (!found.has) return;
  for (const std::string& device : found.context->devices())
    EXPECT_NE(seen.find("devices")->string().find(device), std::string::npos) << where << " " << device;
}

TEST(AP1_AP3_AP4_ST25, EachPlaceSeesTheRecordedContext) {
  for (const Recording* recording : family("contexts")) {
    device::Context context;
    context.set_logical_device_configuration(context.list_physical_devices()[0], {{}, {}});
    expect_seen(*recording, "outside", {});
    const train::Strategy strategy(train::mirrored(context));
    {
      const auto scope = strategy.scope();
      expect_seen(*recording, "scope", {});
    }
    const auto body = [&] {
      const train::ReplicaContext replica = train::get_replica_context().value();
      const std::int64_t id = replica.replica_id_in_sync_group();
      expect_seen(*recording, fmt::format("run {}", id), {});
      replica.merge_call([&](const train::Strategy&) { expect_seen(*recording, "merge 0", {}); });
      return replica_id();
    };
    const auto ids = strategy.run(body);
    expect_seen(*recording, "after", {});
    std::vector<double> numbers;
    for (const EagerTensor& id : experimental_local_results(ids)) numbers.push_back(number(id.numbers));
    expect_numbers(*recording, "ids", numbers, 0);
    expect_all_compared(*recording);
  }
}

// The means of losses that were scaled for a sum: 1.75 where the loss is 3.5.
TEST(L14, MeansOfScaledLossesAreThoseRecorded) {
  for (const Recording* recording : family("mean_pitfall")) {
    const auto strategy = mirrored(2);
    const auto scope = strategy.scope();
    const std::vector<model::Metric> metrics{model::metric_named("Mean", "scaled"),
                                             model::metric_named("Mean", "plain"),
                                             model::metric_named("Mean", "short")};
    train::State state(1);
    train::Function step = strategy.function("step", state, train::Function::Mode::inference,
                                             [&](Building& building, const Symbols& inputs) {
                                               const Symbol loss = model::compute_average_loss(inputs[0], 4);
                                               model::update_mean(building, metrics[0], loss);
                                               model::update_mean(building, metrics[1], inputs[0]);
                                               model::update_mean(building, metrics[2], loss);
                                               return Symbols{loss};
                                             });
    const train::PerReplica losses =
        strategy.run(step, {{Tensor::of<float>({2}, {2, 3})}, {Tensor::of<float>({2}, {4, 5})}});
    std::vector<double> each;
    for (const Tensor& loss : train::experimental_local_results(losses)) each.push_back(number(loss));
    expect_numbers(*recording, "per replica", each);
    expect_numbers(*recording, "sum", {number(strategy.reduce(train::ReduceOp::sum, losses, 0))});
    std::vector<std::string> printed;
    for (const model::Metric& metric : metrics) {
      const float total = state.read(model::total_name(metric)).values<float>()[0];
      const float count = state.read(model::count_name(metric)).values<float>()[0];
      const float result = model::metric_result(total, count);
      const json::Value& mean = wanted(*recording, metric.name);
      EXPECT_EQ(mean.find("total")->real(), static_cast<double>(total)) << metric.name;
      EXPECT_EQ(mean.find("count")->real(), static_cast<double>(count)) << metric.name;
      EXPECT_EQ(mean.find("result")->real(), static_cast<double>(result)) << metric.name;
      printed.push_back(
          fmt::format("{} {}", metric.name, print(EagerTensor{Tensor::of<float>({}, {result})})));
    }
    expect_stdout(*recording, printed);
    expect_all_compared(*recording);
  }
}

}  // namespace
}  // namespace wt::test::seeds
