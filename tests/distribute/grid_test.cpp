// Claim: what a program may do under which strategy (TensorFlow's support table, G25): each function of the interface is
// called under each of the eight strategies, and works, or is refused with TensorFlow's text.

#include <gtest/gtest.h>

#include "cluster/resolver.h"
#include "device/cpu/workers.h"
#include "device/error.h"
#include "distribute/strategy.h"
#include "model/layers/dense.h"
#include "model/loss.h"
#include "model/optimizer.h"
#include "model/sequential.h"
#include "support/folder.h"
#include "train/checkpoint.h"
#include "train/coordinator.h"
#include "train/distributed/extended.h"
#include "train/distributed/tape.h"
#include "train/errors.h"
#include "train/estimator/linear_regressor.h"
#include "train/parameter_servers.h"
#include "train/tensor_operations.h"

namespace wt::test {
namespace {

using namespace train;

// A strategy with what its Keras models and functions need.
struct Column {
  std::string name{};
  const Strategy* strategy = nullptr;
  Resources* resources = nullptr;
  Resources* host = nullptr;    // of one replica, for what no strategy does
  bool needs_function = false;  // a loop of its own runs inside of a tf.function only
};

struct Strategies {
  const distribute::Strategy default_ = distribute::default_strategy("workstation_2x4090");
  const distribute::Strategy one = distribute::one_device({.platform = "workstation_2x4090"});
  const distribute::Strategy mirrored = distribute::mirrored({.platform = "workstation_2x4090"});
  const distribute::Strategy central = distribute::central_storage({.platform = "workstation_2x4090"});
  const distribute::Strategy workers = distribute::multi_worker_mirrored(
      {.platform = R"({"file": "dgx_a100", "set": {"machines": 2, "devices": 1}})"});
  const distribute::Strategy tpu =
      distribute::tpu({.platform = R"({"file": "tpu_v3", "set": {"slice": "v3-8"}})"});
  const ParameterServerStrategy servers{ServerCounts{.workers = 2, .servers = 2}};
  const ParameterServerStrategyV1 servers_1{};
  device::Workers threads{1};
  device::CpuQueue queue{threads};
  Resources of_servers = servers.resources(queue);

  std::vector<Column> columns() {
    Resources* host = &default_.resources();
    return {{"Default", &default_, &default_.resources(), host},
            {"OneDevice", &one, &one.resources(), host},
            {"Mirrored", &mirrored, &mirrored.resources(), host},
            {"CentralStorage", &central, &central.resources(), host},
            {"MultiWorkerMirrored", &workers, &workers.resources(), host},
            {"TPU", &tpu, &tpu.resources(), host, true},
            {"ParameterServer", &servers, &of_servers, host},
            {"ParameterServer v1", &servers_1, nullptr, host}};
  }
};

// ---- The rows. Each returns if the call works.

model::LayerPtr linear() {
  return model::sequential("linear", {model::input_layer({1}), model::dense({.units = 1})});
}

data::Dataset rows() {
  std::vector<float> x(32), y(32);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i) / 32;
    y[i] = 2 * x[i];
  }
  return data::Dataset::from_tensor_slices({Tensor::of<float>({32, 1}, x), Tensor::of<float>({32, 1}, y)})
      .batch(32);
}

struct Keras {
  explicit Keras(const Column& column)
      : scope(column.strategy->scope()), model(linear(), state, *column.resources) {
    model.compile({.loss = model::loss_named("mse"),
                   .optimizer = model::optimizer_named("sgd"),
                   .semantics = model::Semantics::keras2});
  }
  Strategy::Scope scope;
  State state{1};
  Model model;
};

// Under parameter servers Keras takes a function that makes the dataset.
void fit(const Column& column) {
  Keras keras(column);
  if (column.resources->coordinated_workers > 0)
    keras.model.fit(DatasetCreator{[] { return rows().repeat(); }}, {.epochs = 1, .steps_per_epoch = 2});
  else
    keras.model.fit(rows(), {});
}

void evaluate(const Column& column) {
  Keras keras(column);
  if (column.resources->coordinated_workers > 0)
    keras.model.evaluate(DatasetCreator{[] { return rows().repeat(); }}, {.steps = 2});
  else
    keras.model.evaluate(rows());
}

void predict(const Column& column) {
  Keras keras(column);
  keras.model.predict(
      data::Dataset::from_tensor_slices({Tensor::of<float>({8, 1}, std::vector<float>(8, 1))}).batch(8));
}

void estimator(const Column& column) {
  const TestFolder folder;
  const Distribute distribute{column.strategy, column.resources};
  const RunConfig config(
      {.model_dir = folder.path(), .train_distribute = distribute, .eval_distribute = distribute});
  Estimator regressor = linear_regressor({.feature_columns = {{"x"}}}, config, *column.host);
  const auto input = [](const data::InputContext*) { return EstimatorInput{{"x"}, rows().repeat()}; };
  regressor.train(input, {.steps = 2});
  EXPECT_EQ(regressor.evaluate(input, 1).at("global_step"), 2) << column.name;
}

// A step of gradient descent, operation by operation.
void descend(const Column& column) {
  Variable w = [&] {
    const auto scope = column.strategy->scope();
    return Variable(constant<float>({1, 2}), {.name = "w"});
  }();
  column.strategy->run([&] {
    GradientTape tape;
    const EagerTensor loss = reduce_sum(square(EagerTensor(w)));
    const EagerTensor own = dense(tape.gradient(loss, {w})[0]);
    const EagerTensor sum = get_replica_context()->all_reduce(ReduceOp::sum, own);
    get_replica_context()->merge_call(
        [&](const Strategy& strategy, const DistributedValues<EagerTensor>& each) {
          strategy.extended().update(
              w, [](Variable& copy, const EagerTensor& gradient) { copy.assign_sub(gradient * 0.1); }, each);
        },
        sum);
  });
  EXPECT_NE(w.copies()[0].value().numbers.values<float>()[0], 1) << column.name;
}

void eager_loop(const Column& column) { descend(column); }

void function_loop(const Column& column) {
  const InsideFunction function;
  descend(column);
}

void checkpoint(const Column& column) {
  const auto scope = column.strategy->scope();
  Variable v(constant<float>({1, 2}), {.name = "v"});
  const TestFolder folder;
  const auto path = Checkpoint(std::map<std::string, Variable>{{"v", v}}).save(folder.path() / "ckpt");
  v.assign(constant<float>({0, 0}));
  Checkpoint(std::map<std::string, Variable>{{"v", v}}).restore(path);
  EXPECT_EQ(v.copies()[0].value().numbers.values<float>()[1], 2) << column.name;
}

DistributedValues<EagerTensor> ones_of(const Column& column) {
  const InsideFunction function;
  return column.strategy->run([] { return constant<float>({1, 1}); });
}

void gather(const Column& column) {
  const EagerTensor all = column.strategy->gather(ones_of(column), 0);
  EXPECT_EQ(all.numbers.shape(), (Shape{2 * column.strategy->num_replicas_in_sync()})) << column.name;
}

void all_reduce(const Column& column) {
  const InsideFunction function;
  const auto sums =
      column.strategy->run([] { return get_replica_context()->all_reduce(ReduceOp::sum, constant(1.f)); });
  EXPECT_EQ(sums[0].numbers.values<float>()[0], column.strategy->num_replicas_in_sync()) << column.name;
}

void merge_call(const Column& column) {
  const InsideFunction function;
  int calls = 0;
  column.strategy->run([&] { get_replica_context()->merge_call([&](const Strategy&) { ++calls; }); });
  EXPECT_EQ(calls, 1) << column.name;
}

void values_from_function(const Column& column) {
  const auto values = column.strategy->experimental_distribute_values_from_function(
      [](const ReplicaContext& context) { return context.replica_id_in_sync_group(); });
  EXPECT_EQ(values[values.size() - 1], column.strategy->num_replicas_in_sync() - 1) << column.name;
}

void datasets(const Column& column, data::InputReplication replication) {
  const auto scope = column.strategy->scope();
  const auto made = data::DistributedDataset::from_function(
      [](const data::InputContext&) { return rows().repeat(); }, column.resources->input, replication);
  EXPECT_TRUE(made.iterate().next().has_value()) << column.name;
}

void datasets_from_function(const Column& column) { datasets(column, data::InputReplication::per_worker); }
void per_replica_input(const Column& column) { datasets(column, data::InputReplication::per_replica); }

using Row = std::pair<std::string, void (*)(const Column& column)>;
const std::vector<Row> api{{"Model.fit", fit},
                           {"Model.evaluate", evaluate},
                           {"Model.predict", predict},
                           {"Estimator", estimator},
                           {"custom loop, eager", eager_loop},
                           {"custom loop, tf.function", function_loop},
                           {"Checkpoint.save and restore", checkpoint},
                           {"gather", gather},
                           {"all_reduce", all_reduce},
                           {"merge_call", merge_call},
                           {"values from a function", values_from_function},
                           {"datasets from a function", datasets_from_function},
                           {"PER_REPLICA input", per_replica_input}};

// The cells that don't work, with the beginning of what TensorFlow says.
const std::map<std::pair<std::string, std::string>, std::string> refused{
    {{"Estimator", "TPU"}, "Estimator doesn't run under TPUStrategy"},
    {{"Estimator", "ParameterServer"},
     "Please use `tf.compat.v1.distribute.experimental.ParameterServerStrategy` for parameter server "
     "strategy "
     "with estimator."},
    {{"custom loop, eager", "TPU"}, "TPUStrategy.run(fn, ...) does not support pure eager execution."},
};

std::string outcome(const Row& row, const Column& column) {
  try {
    row.second(column);
    return "works";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(G25, EachFunctionWorksOrIsRefusedUnderEachStrategy) {
  Strategies strategies;
  for (const Row& row : api)
    for (const Column& column : strategies.columns()) {
      if (column.name == "ParameterServer v1" && row.first != "Estimator") {
        // Only tf.estimator runs it.
        const auto enters = [](const Column& each) { const auto scope = each.strategy->scope(); };
        EXPECT_NE(outcome({row.first, enters}, column), "works") << row.first;
        continue;
      }
      const auto cell = refused.find({row.first, column.name});
      const std::string found = outcome(row, column);
      if (cell == refused.end())
        EXPECT_EQ(found, "works") << row.first << " under " << column.name;
      else
        EXPECT_TRUE(found.starts_with(cell->second))
            << row.first << " under " << column.name << ": " << found;
    }
}

}  // namespace
}  // namespace wt::test
