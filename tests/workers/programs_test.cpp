// Claims: programs under MultiWorkerMirroredStrategy do in each worker what they were recorded to do under TensorFlow with
// real processes: who is chief, who saves where, what each reads, reduces and gathers, and what is refused.

#include <fmt/format.h>

#include "base/file.h"
#include "base/output_folder.h"
#include "base/temporary_folder.h"
#include "cluster/roles.h"
#include "model/metric.h"
#include "scenario/build.h"
#include "scenario/parse.h"
#include "session/training.h"
#include "study/recordings/numpy_draws.h"
#include "tensor/print_numpy.h"
#include "train/checkpoint.h"
#include "train/distributed/constructors.h"
#include "train/distributed/loss.h"
#include "train/distributed/variable.h"
#include "workers/recorded_workers.h"

namespace wt::test {
namespace {

using train::constant, train::EagerTensor, train::ReduceOp, train::Variable;

std::string python(bool value) { return value ? "True" : "False"; }

float own_number() {
  return static_cast<float>(train::get_replica_context().value().replica_id_in_sync_group());
}

std::vector<std::string> jobs_of(const cluster::ClusterResolver& resolver) {
  std::vector<std::string> jobs = resolver.cluster_spec().jobs();
  std::ranges::sort(jobs);
  return jobs;
}

std::string task_of(const cluster::ClusterResolver& resolver) {
  if (!resolver.task_type()) return "[null,null]";
  return fmt::format("[\"{}\",{}]", *resolver.task_type(), *resolver.task_id());
}

// The elements of a distributed dataset as each worker sees them: a list of steps, each with a list of its replicas' rows.
std::string rows_of(const train::Worker& worker, const std::vector<std::vector<data::Element>>& steps) {
  std::string text;
  for (const auto& step : steps) {
    std::string own;
    for (const data::Element& element : worker.experimental_local_results(step))
      own += (own.empty() ? "" : ",") + recordings::list_of(element[0]);
    text += fmt::format("{}[{}]", text.empty() ? "" : ",", own);
  }
  return "[" + text + "]";
}

std::vector<std::vector<data::Element>> all_steps(const data::DistributedDataset& dataset) {
  std::vector<std::vector<data::Element>> steps;
  auto elements = dataset.iterate();
  while (auto step = elements.next()) steps.push_back(std::move(*step));
  return steps;
}

data::Dataset range(std::int64_t count) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(i);
  return data::Dataset::from_tensor_slices({Tensor::of<std::int64_t>({count}, numbers)});
}

// ---- Start

TEST(ST10, AStrategyOfSeveralWorkersIsMadeBeforeTheFirstOperation) {
  repeat("after_ops", [](RecordedProgram& program) {
    for (std::size_t i = 0; i < program.workers.count(); ++i) {
      device::Context context;
      train::Eager tf(context);
      const EagerTensor one{Tensor::of<float>({}, {1}), {}};
      context.initialise();  // as the first operation does
      program.near(i, "op", one + constant(1.F));
      program.outcome(i, "late", [&] {
        return std::to_string(
            train::multi_worker_mirrored(context, {&program.workers.resolver(i)}).devices.size());
      });
      EXPECT_NO_THROW(train::multi_worker_mirrored(context)) << "a program alone may be late";
    }
  });
}

TEST(ST10_ST12, WithoutAClusterTheProgramIsAlone) {
  repeat("alone", [](RecordedProgram& program) {
    const distribute::Strategy& strategy = program.workers.strategy();
    const train::Worker& worker = program.workers.worker(0);
    program.same(0, "num_replicas_in_sync", std::to_string(strategy.num_replicas_in_sync()));
    program.texts(0, "worker_devices", worker.devices);
    program.same(0, "task", task_of(program.workers.resolver(0)));
    program.same(0, "multi", worker.in_multi_worker_mode() ? "true" : "false");
    program.near(0, "reduce", strategy.reduce(ReduceOp::sum, strategy.run([] { return constant(2.F); })));
    program.outcome(0, "old_argument", [] {
      return std::to_string(
          distribute::multi_worker_mirrored({.platform = "cpu_server", .communication = "RING"})
              .num_replicas_in_sync());
    });
  });
}

// ---- Roles

// One value for all workers: the chief's, as its process sends it to the others.
void compare_variables(RecordedProgram& program) {
  const distribute::Strategy& strategy = program.workers.strategy();
  const auto scope = strategy.scope();
  Variable v(constant<float>({0, 1}));
  Variable sum(constant(0.F), {.synchronization = Synchronization::on_read, .aggregation = Aggregation::sum});
  Variable mean(constant(0.F), {.aggregation = Aggregation::mean});
  strategy.run([&] {
    sum.assign_add(constant(own_number() + 1));
    mean.assign_add(constant(own_number() + 1));
  });
  for (std::size_t i = 0; i < program.workers.count(); ++i) {
    const std::size_t replica = program.workers.worker(i).replicas.front();
    program.near(i, "variable", v.copies().at(replica).value());
    program.text(i, "variable_name", v.copies().at(replica).name());
    program.text(i, "variable_device", device::print(v.copies().at(replica).device()));
    program.near(i, "sum_variable", sum.read_value());
    program.near(i, "mean_variable", mean.read_value());
  }
}

void compare_reductions(RecordedProgram& program) {
  const distribute::Strategy& strategy = program.workers.strategy();
  const auto x = strategy.run([] { return constant<float>({own_number(), 1}, {1, 2}); });
  const auto uneven = strategy.run([] {
    const auto rows = static_cast<std::int64_t>(own_number()) + 1;
    return train::ones({rows, 2}) * static_cast<double>(own_number());
  });
  const auto added = strategy.run(
      [](const EagerTensor& own) { return train::get_replica_context()->all_reduce(ReduceOp::sum, own); }, x);
  const auto gathered = strategy.run(
      [](const EagerTensor& own) { return train::get_replica_context()->all_gather(own, 0); }, x);
  for (std::size_t i = 0; i < program.workers.count(); ++i) {
    const train::Worker& worker = program.workers.worker(i);
    program.near(i, "reduce_sum", strategy.reduce(ReduceOp::sum, x));
    program.near(i, "reduce_mean", strategy.reduce(ReduceOp::mean, x));
    program.near(i, "reduce_mean_axis", strategy.reduce(ReduceOp::mean, uneven, 0));
    program.near(i, "gather", strategy.gather(uneven, 0));
    program.near(i, "all_reduce", worker.experimental_local_results(added).at(0));
    program.near(i, "all_gather", worker.experimental_local_results(gathered).at(0));
    const Tensor own = worker.experimental_local_results(x).at(0).numbers;
    program.text(i, "repr",
                 fmt::format("<tf.Tensor: shape={}, dtype={}, numpy={}>", print_tuple(own.shape()),
                             name(own.type()), repr_numpy(own)));
  }
}

void compare_role(RecordedProgram& program, std::size_t i) {
  const train::Worker& worker = program.workers.worker(i);
  const cluster::ClusterResolver& resolver = program.workers.resolver(i);
  program.workers.compare_log(i);
  program.same(i, "task", task_of(resolver));
  program.text(i, "master", recordings::without_ports(resolver.master()));
  program.same(i, "rpc_layer", resolver.rpc_layer() ? json::quote(*resolver.rpc_layer()) : "null");
  program.texts(i, "cluster", jobs_of(resolver));
  program.outcome(i, "should_checkpoint", [&] { return python(worker.should_checkpoint()); });
  program.outcome(i, "should_save_summary", [&] { return python(worker.should_save_summary()); });
  program.outcome(i, "_is_chief", [&] { return python(worker.is_chief); });
  program.outcome(i, "_num_workers", [&] { return std::to_string(worker.num_workers); });
  program.outcome(i, "_id_in_cluster", [&] { return std::to_string(worker.id_in_cluster); });
  program.outcome(i, "_in_multi_worker_mode", [&] { return python(worker.in_multi_worker_mode()); });
  program.texts(i, "parameter_devices", worker.devices);
  program.texts(i, "worker_devices", worker.devices);
  program.same(i, "num_replicas_in_sync", std::to_string(program.workers.strategy(i).num_replicas_in_sync()));
  const bool is_chief =
      cluster::is_chief(resolver.cluster_spec(), *resolver.task_type(), *resolver.task_id());
  program.same(i, "tutorial_is_chief", is_chief ? "true" : "false");
}

void compare_input(RecordedProgram& program) {
  const distribute::Strategy& strategy = program.workers.strategy();
  std::vector<data::InputContext> contexts;
  const auto steps =
      all_steps(strategy.distribute_datasets_from_function([&](const data::InputContext& context) {
        contexts.push_back(context);
        return range(4).batch(context.per_replica_batch_size(2 * strategy.num_replicas_in_sync()));
      }));
  const auto ids = strategy.run([] { return train::get_replica_context()->replica_id_in_sync_group(); });
  ASSERT_EQ(contexts.size(), program.workers.count());
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const train::Worker& worker = program.workers.worker(i);
    const data::InputContext own = worker.input_context();
    EXPECT_EQ(own.input_pipeline, contexts[i].input_pipeline);
    EXPECT_EQ(own.input_pipelines, contexts[i].input_pipelines);
    EXPECT_EQ(own.replicas_in_sync, contexts[i].replicas_in_sync);
    program.same(i, "input_context",
                 fmt::format("[[{},{},{}]]", own.input_pipelines, own.input_pipeline, own.replicas_in_sync));
    program.same(i, "rows", rows_of(worker, steps));
    program.same(i, "replica_ids", fmt::format("[{}]", worker.experimental_local_results(ids).at(0)));
  }
}

TEST(C1_C2_C5_ST11_AP8_AP9, EveryWorkerHasItsRole) {
  for (const char* id : {"roles_c_w", "roles_w_w", "roles_w", "roles_w_w_w"})
    repeat(id, [](RecordedProgram& program) {
      program.list({"experimental_should_init", "experimental_between_graph"},
                   "flags of TensorFlow's graphs and sessions, which don't exist here");
      for (std::size_t i = 0; i < program.workers.count(); ++i) compare_role(program, i);
      compare_input(program);
      compare_variables(program);
      compare_reductions(program);
    });
}

TEST(C2, TheEvaluatorComputesAloneBesideTheCluster) {
  repeat("with_evaluator", [](RecordedProgram& program) {
    for (std::size_t i = 0; i < program.workers.count(); ++i) {
      const cluster::ClusterResolver& resolver = program.workers.resolver(i);
      device::Context context;
      const train::Strategy strategy(train::multi_worker_mirrored(context, {&resolver}));
      const std::vector<train::Worker> workers = train::workers(strategy);
      const auto own = std::ranges::find_if(workers, [&](const train::Worker& worker) {
        return worker.task_type == resolver.task_type() && worker.task_id == resolver.task_id();
      });
      ASSERT_NE(own, workers.end());
      program.texts(i, "cluster", jobs_of(resolver));
      program.same(i, "task", task_of(resolver));
      program.same(i, "num_replicas_in_sync", std::to_string(strategy.num_replicas_in_sync()));
      program.texts(i, "worker_devices", own->devices);
      program.same(i, "should_checkpoint", own->should_checkpoint() ? "true" : "false");
      const auto process = static_cast<float>(i);
      const bool is_evaluator = resolver.task_type() == "evaluator";
      program.outcome(i, "run", [&] {
        program.near(i, "reduce", strategy.reduce(ReduceOp::sum, strategy.run([&] {
          return constant(is_evaluator ? process + 1 : own_number() + 1);
        })));
        return std::string("'ran'");
      });
      if (!is_evaluator) program.workers.compare_log(i);
    }
  });
}

// ---- Unequal inputs

// The loop ends when the last worker's data end. Until then the others get elements without rows, and wait for no one.
void compare_fewer_batches(RecordedProgram& program, std::vector<std::int64_t> rows, bool drop_remainder) {
  const distribute::Strategy& strategy = program.workers.strategy();
  const auto dataset = strategy.distribute_datasets_from_function([&](const data::InputContext& context) {
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < rows.at(static_cast<std::size_t>(context.input_pipeline)); ++i)
      numbers.push_back(static_cast<float>(i));
    const std::int64_t count = std::ssize(numbers);
    return data::Dataset::from_tensor_slices({Tensor::of<float>({count}, numbers)}).batch(2, drop_remainder);
  });
  const auto steps = all_steps(dataset);
  std::vector<double> sums;
  for (const auto& step : steps) {
    const EagerTensor sum = strategy.reduce(
        ReduceOp::sum, strategy.run([](const EagerTensor& own) { return train::reduce_sum(own); },
                                    train::component(step, 0)));
    sums.push_back(static_cast<double>(train::item(sum)));
  }
  for (std::size_t i = 0; i < program.workers.count(); ++i) {
    program.outcome(i, "loop", [&] { return std::to_string(steps.size()); });
    const json::Value::Elements& recorded = program.workers.value(i, "steps").elements();
    ASSERT_EQ(recorded.size(), steps.size());
    for (std::size_t step = 0; step < steps.size(); ++step) {
      const json::Value::Elements& pair = recorded[step].elements();
      program.comparison.near("the sum of a step", sums[step], recordings::number_of(pair.at(0)));
      const auto own = program.workers.worker(i).experimental_local_results(steps[step]);
      program.comparison.near("the rows of a step", own.at(0).at(0),
                              recordings::tensor_of(pair.at(1).elements().at(0)), 0);
    }
  }
}

TEST(AP5_AP12, AWorkerWithFewerBatchesGetsElementsWithoutRows) {
  repeat("fewer_batches", [](RecordedProgram& program) { compare_fewer_batches(program, {5, 3}, false); });
  repeat("fewer_batches_static", [](RecordedProgram& program) {
    compare_fewer_batches(program, {6, 4}, true);
  });
}

// ---- Checkpoints

// The weights that the recorded program makes before it saves: helpers/workers.py, fill.
std::map<std::string, Tensor> filled_weights() {
  recordings::NumpyDraws draws(3);
  std::map<std::string, Tensor> weights;
  const auto fill = [&](const std::string& name, const Shape& shape) {
    std::vector<float> numbers;
    for (const double number : draws.normal(shape.elements()))
      numbers.push_back(static_cast<float>(number / 2));
    weights.emplace(name, Tensor::of<float>(shape, numbers));
  };
  fill("hidden/kernel", {4, 5});
  fill("hidden/bias", {5});
  fill("scores/kernel", {5, 3});
  fill("scores/bias", {3});
  return weights;
}

// Every worker saves: the chief into the folder that remains, the others into one of their own.
TEST(P21_P22_C2, TheChiefSavesWhereItRemains) {
  repeat("saving", [](RecordedProgram& program) {
    if (program.is_keras3()) {
      program.list({"error"}, "Keras 3's metrics are no trackable objects; here metrics are plain data");
      program.is_not_applicable();
      return;
    }
    program.list({"variables"}, "names in TensorFlow's object graph");
    program.list({"files"}, "an index and a file of data in TensorFlow are one file in safetensors here");
    const distribute::Strategy& strategy = program.workers.strategy();
    const auto scope = strategy.scope();
    const TemporaryFolder folder;
    train::State state(1);
    state.preset(filled_weights());
    const auto mlp = recordings::recorded_mlp();
    const model::Metric mean = model::metric_named("Mean", "total");
    train::Function step = strategy.function("step", state, train::Function::Mode::training,
                                             [&](model::Building& tape, const std::vector<Symbol>& inputs) {
                                               model::update_mean(tape, mean, inputs[1]);
                                               return std::vector<Symbol>{(*mlp)(tape, inputs[0])};
                                             });
    train::PerReplica arguments;
    for (std::size_t i = 0; i < program.workers.count(); ++i)
      arguments.push_back(
          {Tensor::zeros({Type::float32, {2, 4}}), Tensor::of<float>({}, {static_cast<float>(i) + 1})});
    strategy.run(step, arguments);
    for (std::size_t i = 0; i < program.workers.count(); ++i) {
      const train::Worker& worker = program.workers.worker(i);
      const auto own = folder.path() /
                       (worker.should_checkpoint() ? "ckpt" : fmt::format("workertemp_{}", *worker.task_id));
      train::Checkpoint checkpoint(state, 1);
      const auto path = checkpoint.save(own / "ckpt");
      program.text(i, "path", path.filename().string());
      std::set<std::string> ours;
      for (const auto& file : std::filesystem::directory_iterator(own))
        ours.insert(file.path().filename().string());
      EXPECT_EQ(ours, (std::set<std::string>{"checkpoint", "ckpt-1.safetensors"}));
      const auto read = [&](const std::string& name) { return state.read(name).values<float>()[0]; };
      program.near(
          i, "total_before",
          constant(model::metric_result(read(model::total_name(mean)), read(model::count_name(mean)))));
      for (const model::Weight& weight : state.weights())
        state.write(weight.name, Tensor::zeros(weight.spec));
      checkpoint.restore(path);
      recordings::compare_weights(program.comparison, "restored", state,
                                  program.workers.value(i, "restored"));
      program.near(i, "total",
                   constant<float>({read(model::total_name(mean)), read(model::count_name(mean))}));
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "ckpt"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "workertemp_1"));
  });
}

// ---- A worker that is killed

// The others wait for it in their collective, and end with UNAVAILABLE when the runtime finds out.
TEST(ST10_C1, AKilledWorkerEndsTheOtherOnesCollective) {
  repeat("killed", [](RecordedProgram& program) {
    program.list({"again", "dying"},
                 "a second collective, which fails at once with the same text, and a mark of the program");
    const distribute::Strategy& strategy = program.workers.strategy();
    const EagerTensor sum = strategy.reduce(ReduceOp::sum, strategy.run([] { return constant(1.F); }));
    for (std::size_t i = 0; i < program.workers.count(); ++i)
      for (const char* key : {"step0", "step1", "step2"}) program.near(i, key, sum);
    const json::Value& after = program.workers.value(0, "after");
    const std::string scenario = R"({
      "name": "killed",
      "platform": {"file": "cpu_cluster_10gbe", "set": {"machines": 2}},
      "strategy": {"type": "multi_worker_mirrored", "communication": "ring"},
      "model": "linear",
      "dataset": {"type": "synthetic", "rows": 64, "repeat": -1},
      "training": {"loop": "custom", "loss": "mse", "optimizer": "sgd", "per_replica_batch": 4, "steps": 6},
      "numerics": "cpu",
      "faults": [{"kill": "worker:1", "step": 3}]
    })";
    const std::string semantics = program.is_keras3() ? "semantics=keras3" : "semantics=keras2";
    const scenario::Scenario parsed = scenario::parse(scenario, "killed.json", {semantics, "faithful=false"});
    const scenario::Job job = scenario::build(parsed);
    session::Training training(parsed, job, {.computes = true});
    const TemporaryFolder folder;
    OutputFolder output(folder.path() / "out");
    output.begin("a killed worker");
    const session::Results results = training.run(output);
    ASSERT_TRUE(results.lost.has_value());
    EXPECT_EQ(results.lost->step, 3);
    EXPECT_EQ(results.lost->arrived, std::vector<std::string>{"/job:worker/replica:0/task:0/device:CPU:0"});
    EXPECT_EQ(results.lost->missing, std::vector<std::string>{"/job:worker/replica:0/task:1/device:CPU:0"});
    program.comparison.same("the error of the worker that waits",
                            results.lost->status == "UNAVAILABLE" ? "UnavailableError" : results.lost->status,
                            after.find("type")->string());
    program.comparison.same("its text", results.lost->message, after.find("sentence")->string());
    const double seconds = (results.lost->end - results.lost->arrival).count();
    program.same(0, "seconds_about", std::to_string(std::lround(seconds / 10) * 10));
  });
}

}  // namespace
}  // namespace wt::test
