// Claims: rows of TensorFlow's guides that ask for a program of one's own: where strategies compute and keep their
// variables, what replicas share and what they don't, loops inside of functions and scopes, and the pitfall of a mean of
// scaled losses with the guide's numbers.

#include <gtest/gtest.h>

#include "device/error.h"
#include "distribute/strategy.h"
#include "model/layers/dense.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/sequential.h"
#include "train/distributed/extended.h"
#include "train/distributed/loss.h"
#include "train/distributed/loss_audit.h"
#include "train/distributed/tape.h"
#include "train/errors.h"
#include "train/parameter_servers.h"

namespace wt::test {
namespace {

using namespace train;
using Names = std::vector<std::string>;

const std::string workstation = "workstation_2x4090";
const std::string two_workers = R"({"file": "dgx_a100", "set": {"machines": 2, "devices": 1}})";

Names full(const std::string& task, std::initializer_list<std::string_view> devices) {
  Names names;
  for (const std::string_view device : devices) names.push_back(fmt::format("{}/device:{}", task, device));
  return names;
}

constexpr const char* local = "/job:localhost/replica:0/task:0";

// ---- Devices

struct Placed {
  std::string name{};
  std::shared_ptr<const distribute::Strategy> strategy{};
  Names workers{};
  Names parameters{};
};

template <class Make>
std::shared_ptr<const distribute::Strategy> shared(const Make& make) {
  return std::shared_ptr<const distribute::Strategy>(new distribute::Strategy(make()));
}

std::vector<Placed> placed() {
  const Names gpus = full(local, {"GPU:0", "GPU:1"});
  return {{"one device",
           shared([] { return distribute::one_device({.platform = workstation, .device = "GPU:1"}); }),
           full(local, {"GPU:1"}), full(local, {"GPU:1"})},
          {"mirrored", shared([] { return distribute::mirrored({.platform = workstation}); }), gpus, gpus},
          {"central storage", shared([] { return distribute::central_storage({.platform = workstation}); }),
           gpus, full(local, {"CPU:0"})},
          {"central storage, given", shared([] {
             return distribute::central_storage({.platform = workstation, .parameter_device = "GPU:0"});
           }),
           gpus, full(local, {"GPU:0"})}};
}

TEST(G11_G12_D7, EachStrategyComputesAndKeepsVariablesWhereItsGuideSays) {
  for (const Placed& each : placed()) {
    EXPECT_EQ(each.strategy->extended().worker_devices(), each.workers) << each.name;
    EXPECT_EQ(each.strategy->extended().parameter_devices(), each.parameters) << each.name;
    const auto scope = each.strategy->scope();
    const Variable v(constant(1.f), {.name = "v"});
    Names devices;
    for (const Variable& copy : v.copies()) devices.push_back(device::print(copy.device()));
    EXPECT_EQ(devices, each.parameters) << each.name;
  }
  EXPECT_THROW(get_strategy().extended().worker_devices(), device::RuntimeError);
  EXPECT_THROW(get_strategy().extended().parameter_devices(), device::RuntimeError);
  const auto workers = distribute::multi_worker_mirrored({.platform = two_workers});
  const Names of_workers{"/job:worker/replica:0/task:0/device:GPU:0",
                         "/job:worker/replica:0/task:1/device:GPU:0"};
  EXPECT_EQ(workers.extended().worker_devices(), of_workers);
  EXPECT_EQ(workers.extended().parameter_devices(), of_workers);
  const auto tpu = distribute::tpu({.platform = R"({"file": "tpu_v3", "set": {"slice": "v3-8"}})"});
  EXPECT_EQ(tpu.extended().worker_devices().size(), 8u);
  EXPECT_EQ(tpu.extended().parameter_devices(), tpu.extended().worker_devices());
}

// The servers keep the variables, in turn.
TEST(G8_G12, ParameterServersKeepTheVariables) {
  ParameterServerStrategy strategy({.workers = 2, .servers = 2});
  Names devices;
  for (const char* name : {"a", "b", "c"}) {
    const ServerVariable variable = strategy.create(name, Tensor::of<float>({}, {1}));
    for (const ServerVariable::Part& part : variable.parts()) devices.push_back(part.device);
  }
  EXPECT_EQ(devices, (Names{"/job:ps/replica:0/task:0/device:CPU:0", "/job:ps/replica:0/task:1/device:CPU:0",
                            "/job:ps/replica:0/task:0/device:CPU:0"}));
}

TEST(G13, ReplicasAreNumberedOverAllWorkers) {
  const auto strategy = distribute::multi_worker_mirrored(
      {.platform = R"({"file": "dgx_a100", "set": {"machines": 2, "devices": 2}})"});
  ASSERT_EQ(strategy.num_replicas_in_sync(), 4);
  Names seen;
  strategy.run([&] {
    const ReplicaContext context = get_replica_context().value();
    seen.push_back(fmt::format("{} of {} on {}", context.replica_id_in_sync_group(),
                               context.num_replicas_in_sync(), context.devices()[0]));
  });
  EXPECT_EQ(seen, (Names{"0 of 4 on /job:worker/replica:0/task:0/device:GPU:0",
                         "1 of 4 on /job:worker/replica:0/task:0/device:GPU:1",
                         "2 of 4 on /job:worker/replica:0/task:1/device:GPU:0",
                         "3 of 4 on /job:worker/replica:0/task:1/device:GPU:1"}));
}

// ---- Metrics and losses

// A Keras metric's two variables.
struct Mean {
  Mean() : total(zero()), count(zero()) {}
  static Variable zero() {
    return Variable(
        constant(0.f),
        {.trainable = false, .synchronization = Synchronization::on_read, .aggregation = Aggregation::sum});
  }
  void update_state(const EagerTensor& value) {
    total.assign_add(value);
    count.assign_add(1.0);
  }
  double result() const { return static_cast<double>(item(total.read_value() / count.read_value())); }
  Variable total, count;
};

double number(const EagerTensor& scalar) { return static_cast<double>(item(scalar)); }

// Two devices, two examples each, with the losses [2, 3] and [4, 5], and a global batch of 4.
TEST(L14, AMeanOfScaledLossesIsOffByTheNumberOfReplicas) {
  const auto strategy = distribute::mirrored({.platform = workstation});
  const auto scope = strategy.scope();
  Mean mean;
  const auto losses =
      strategy.experimental_distribute_values_from_function([](const ReplicaContext& context) {
        const auto first = static_cast<float>(2 + 2 * context.replica_id_in_sync_group());
        return constant<float>({first, first + 1});
      });
  const auto scaled = strategy.run(
      [&](const EagerTensor& own) {
        const EagerTensor loss = compute_average_loss(own, 4);
        mean.update_state(loss);
        return loss;
      },
      losses);
  EXPECT_EQ(number(scaled[0]), 1.25);  // the guide's text misprints 1.24
  EXPECT_EQ(number(scaled[1]), 2.25);
  EXPECT_EQ(number(strategy.reduce(ReduceOp::sum, scaled)), 3.5);
  EXPECT_EQ(number(mean.total.read_value()), 3.5);
  EXPECT_EQ(mean.result(), 1.75);
}

TEST(L13_L12, EachReplicaCountsByItselfAndReadingAddsUp) {
  for (const int replicas : {1, 2, 3, 8}) {
    const auto strategy = distribute::mirrored(
        {.platform = fmt::format(R"({{"file": "dgx_a100", "set": {{"devices": {}}}}})", replicas)});
    const auto scope = strategy.scope();
    Mean mean;
    strategy.run([&] {
      for (std::int64_t i = 0; i <= get_replica_context()->replica_id_in_sync_group(); ++i)
        mean.update_state(constant(2.f));
      // A replica sees what it has counted, and nothing of the others.
      EXPECT_EQ(number(mean.count.read_value()), get_replica_context()->replica_id_in_sync_group() + 1);
    });
    EXPECT_EQ(number(mean.count.read_value()), replicas * (replicas + 1) / 2);
    EXPECT_EQ(mean.result(), 2);
  }
}

// The rows of a batch of 10 over 2, 3 and 8 replicas, as a dataset deals them out, and a whole one of 24.
TEST(L1_L3_L5, TheAuditFindsLossesThatWeighExamplesUnequally) {
  const auto by_global_batch = [](const EagerTensor& losses) { return compute_average_loss(losses, 10); };
  const auto by_mean = [](const EagerTensor& losses) {
    return reduce_mean(losses) / static_cast<double>(get_strategy().num_replicas_in_sync());
  };
  const auto by_local_size = [](const EagerTensor& losses) { return compute_average_loss(losses); };
  const auto by_sum = [](const EagerTensor& losses) { return reduce_sum(losses); };
  for (const auto& [replicas, sizes] : std::map<int, std::vector<std::int64_t>>{
           {1, {10}}, {2, {5, 5}}, {3, {4, 4, 2}}, {8, {2, 2, 2, 2, 2, 0, 0, 0}}}) {
    const auto strategy = distribute::mirrored(
        {.platform = fmt::format(R"({{"file": "dgx_a100", "set": {{"devices": {}}}}})", replicas)});
    EXPECT_TRUE(audited(strategy, sizes, by_global_batch).is_even()) << replicas;
    const bool is_dealt_evenly = sizes.front() == sizes.back();
    EXPECT_EQ(audited(strategy, sizes, by_mean).is_even(), is_dealt_evenly) << replicas;
    EXPECT_EQ(audited(strategy, sizes, by_local_size).is_even(), is_dealt_evenly) << replicas;
    EXPECT_FALSE(audited(strategy, sizes, by_sum).is_even()) << replicas;
  }
  const auto strategy = distribute::mirrored({.platform = workstation});
  EXPECT_EQ(print(audited(strategy, {3, 1}, by_mean)),
            "replica  examples  weight of each  of a single device's\n"
            "      0         3        0.166667               66.7 %\n"
            "      1         1        0.500000              200.0 %\n");
}

// ---- Loops

TEST(AP12_AP13_AP14, AnEpochMayBeOneFunctionAndEverythingMayBeInsideOfTheScope) {
  const auto strategy = distribute::mirrored({.platform = workstation});
  const auto scope = strategy.scope();
  const auto dataset = strategy.experimental_distribute_dataset(
      data::Dataset::from_tensor_slices({Tensor::of<float>({8}, {1, 2, 3, 4, 5, 6, 7, 8})}).batch(4));
  const auto step = [](const EagerTensor& x) { return reduce_sum(x); };
  const auto epoch = [&] {
    const InsideFunction function;
    double total = 0, batches = 0;
    auto iterator = dataset.iterate();
    while (const auto elements = iterator.next()) {
      total += number(strategy.reduce(ReduceOp::sum, strategy.run(step, component(*elements, 0))));
      ++batches;
    }
    return total / batches;
  };
  EXPECT_EQ(epoch(), 18);  // (1 + ... + 8) / 2
}

// The time of a loop that computes at once, which the host launches operation by operation, and of the same inside of a
// function.
TEST(G22_AP7, EagerStepsAreTimedLikeCompiledOnes) {
  for (const Placed& each : placed()) {
    const distribute::Strategy& strategy = *each.strategy;
    const auto x = strategy.experimental_distribute_values_from_function([](const ReplicaContext&) {
      return EagerTensor{Tensor::zeros({Type::float32, {256, 512}})};
    });
    std::optional<Variable> made;
    {
      const auto scope = strategy.scope();
      made.emplace(zeros({512, 512}), Variable::Settings{.name = "w", .aggregation = Aggregation::sum});
    }
    const auto step = [&](const EagerTensor& rows) {
      GradientTape tape;
      const EagerTensor loss = reduce_sum(square(matmul(rows, *made)));
      const EagerTensor gradient = dense(tape.gradient(loss, {*made})[0]);
      return get_replica_context()->all_reduce(ReduceOp::sum, gradient);
    };
    const timing::Simulated eager = strategy.simulate(step, x);
    timing::Simulated compiled;
    {
      const InsideFunction function;
      compiled = strategy.simulate(step, x);
    }
    EXPECT_GT(compiled.step, Seconds(0)) << each.name;
    EXPECT_GT(eager.step, compiled.step) << each.name;
  }
}

// The same forward pass, written for numbers and written for symbols.
TEST(G22, AStepTakesTheSameTimeHoweverItIsWritten) {
  for (const Placed& each : placed()) {
    const distribute::Strategy& strategy = *each.strategy;
    const Tensor rows = Tensor::zeros({Type::float32, {256, 512}});
    std::optional<Variable> w;
    {
      const auto scope = strategy.scope();
      w.emplace(zeros({512, 1024}), Variable::Settings{.name = "w"});
    }
    State state(1);
    Function function = strategy.function(
        "step", state, Function::Mode::inference,
        [](model::Building& building, const std::vector<Symbol>& x) {
          const Symbol weight = building.weight({.name = "w", .spec = {Type::float32, {512, 1024}}});
          return std::vector{reduce_sum(square(matmul(x[0], weight)))};
        });
    const PerReplica arguments(static_cast<std::size_t>(strategy.num_replicas_in_sync()), {rows});
    for (const auto execution : {distribute::Execution::function, distribute::Execution::eager}) {
      const timing::Simulated symbols = strategy.simulate(function, arguments, execution);
      std::optional<InsideFunction> inside;
      if (execution == distribute::Execution::function) inside.emplace();
      const timing::Simulated numbers = strategy.simulate(
          [&](const EagerTensor& x) { return reduce_sum(square(matmul(x, *w))); }, component(arguments, 0));
      EXPECT_EQ(numbers.step, symbols.step) << each.name;
    }
  }
}

// Slices of a few rows travel instead of the whole table.
TEST(G6_G22, SlicesTakeLessTimeThanTheirTable) {
  for (const int replicas : {2, 3, 8}) {
    const auto strategy = distribute::mirrored(
        {.platform = fmt::format(R"({{"file": "dgx_a100", "set": {{"devices": {}}}}})", replicas)});
    std::optional<Variable> table;
    {
      const auto scope = strategy.scope();
      table.emplace(zeros({1 << 16, 128}), Variable::Settings{.name = "table"});
    }
    const auto seconds = [&](const std::function<void(const Gradient&)>& reduce) {
      const InsideFunction function;
      return strategy
          .simulate([&] {
            GradientTape tape;
            const EagerTensor found = gather(*table, constant<std::int32_t>({1, 5, 7, 11}));
            reduce(tape.gradient(reduce_sum(square(found)), {*table})[0]);
          })
          .step;
    };
    const Seconds sparse = seconds([](const Gradient& gradient) {
      get_replica_context()->all_reduce(ReduceOp::sum, std::get<IndexedSlices>(*gradient));
    });
    const Seconds whole = seconds([](const Gradient&) {
      get_replica_context()->all_reduce(ReduceOp::sum, zeros({1 << 16, 128}));
    });
    EXPECT_LT(sparse, whole) << replicas;
    EXPECT_GT(sparse, Seconds(0)) << replicas;
  }
}

TEST(P20, CompileWorksInsideAndOutsideOfTheScopeOfTheModel) {
  const auto strategy = distribute::mirrored({.platform = workstation});
  std::vector<double> losses;
  for (const bool is_inside : {true, false}) {
    State state(1);
    std::optional<Model> model;
    const auto compile = [&] {
      model->compile({.loss = model::loss_named("mse"),
                      .optimizer = model::optimizer_named("sgd"),
                      .semantics = model::Semantics::keras2});
    };
    {
      const auto scope = strategy.scope();
      model.emplace(model::sequential("linear", {model::input_layer({1}), model::dense({.units = 1})}), state,
                    strategy.resources());
      if (is_inside) compile();
    }
    if (!is_inside) compile();
    const Tensor x = Tensor::of<float>({4, 1}, {1, 2, 3, 4});
    const auto history = model->fit(data::Dataset::from_tensor_slices({x, x}).batch(4), {.epochs = 2});
    losses.push_back(history.back().loss);
    // In the scope of another strategy, neither compiling nor fitting is possible.
    const auto other = distribute::one_device({.platform = workstation});
    const auto scope = other.scope();
    EXPECT_THROW(compile(), device::RuntimeError);
  }
  EXPECT_EQ(losses[0], losses[1]);
}

}  // namespace
}  // namespace wt::test
