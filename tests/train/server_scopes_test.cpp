// Claims: a variable that single operations use is on the servers if it is made in the scope of parameter servers, or in
// a run of theirs; reads, assignments, scatter updates and look-ups of it and of its shards, and what runs, reductions and
// scheduled closures do with it, are as recorded under TensorFlow 2.15 (keras2) and 2.21 (keras3) in tests/train/servers.
//
// Not compared: batch_scatter_update, whose handle has no shape in TensorFlow where a server has the variable, so that it
// always fails there, and non_slot_devices, which returns a variable.

#include <optional>

#include "train/distributed/constructors.h"
#include "train/distributed/extended.h"
#include "train/distributed/tape.h"
#include "train/server_recordings.h"
#include "train/tensor_operations.h"

namespace wt::train {
namespace {

Thrown only_kind(Thrown thrown) {  // TensorFlow prints the addresses of two strategies
  thrown.sentence.resize(std::min(thrown.sentence.size(), thrown.sentence.find(':')));
  return thrown;
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

class Scope : public Case {
 protected:
  Scope() {
    const auto scope = strategy_.scope();
    v_.emplace(a_, Variable::Settings{.name = "v"});
    scalar_.emplace(constant(1.f), Variable::Settings{.name = "scalar", .aggregation = Aggregation::sum});
    w_.emplace(a_ * 2, Variable::Settings{.name = "w"});
  }

  // The rows of the recorded programs' slices are those of `a`, with 3 added.
  IndexedSlices rows(const std::vector<std::int32_t>& ids) const {
    return {EagerTensor{a_.numbers.rows(0, std::ssize(ids)).copy()} + 3, constant(ids)};
  }
  void expect(const std::string& key, const EagerTensor& ours) const {
    ASSERT_TRUE(tensors_.contains(key)) << key;
    expect_same(ours.numbers, tensors_.at(key), key);
  }
  void expect_v(const std::string& key) const { expect(key, v_->read_value()); }
  void expect_number(std::string_view key, const EagerTensor& ours) const {
    EXPECT_NEAR(static_cast<double>(item(ours)), json::parse(theirs_.returned(key), "number").real(), 1e-6)
        << key;
  }
  void expect_numbers(std::string_view key, const EagerTensor& ours) const {
    std::vector<float> theirs;
    const json::Value all = json::parse(theirs_.returned(key), "numbers");
    for (const json::Value& number : all.elements()) theirs.push_back(static_cast<float>(number.real()));
    const auto numbers = ours.numbers.values<float>();
    EXPECT_EQ(std::vector<float>(numbers.begin(), numbers.end()), theirs) << key;
  }

  const std::map<std::string, Tensor> tensors_ = theirs_.tensors();
  const EagerTensor a_{tensors_.at("a")};
  const Shape shape_ = a_.numbers.shape();
  const std::int32_t last_ = static_cast<std::int32_t>(shape_[0] - 1);
  ParameterServerStrategy strategy_{{1, theirs_.config("ps").integer()},
                                    partition_of(theirs_.config("partitioner"))};
  std::optional<Variable> v_{}, scalar_{}, w_{};
};

std::vector<std::string> scopes() { return cases_of("scope_"); }
INSTANTIATE_TEST_SUITE_P(Servers, Scope, testing::ValuesIn(scopes()), name_of_case);

TEST_P(Scope, ST24_VariablesAreOnTheServersInTurn) {
  const auto& theirs = theirs_.value("variables").elements();
  const std::array ours{&*v_, &*scalar_, &*w_};
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i]->is_sharded() ? "ShardedVariable" : "CachingVariable", at(theirs[i], "type").string());
    EXPECT_EQ(ours[i]->shape(), shape_of(at(theirs[i], "shape")));
    const auto& parts = at(theirs[i], "parts").elements();
    const std::vector<Variable> own = ours[i]->copies();
    ASSERT_EQ(own.size(), parts.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      EXPECT_EQ(own[k].name(), parts[k].elements()[0].string());
      EXPECT_EQ(own[k].shape(), shape_of(parts[k].elements()[1]));
      EXPECT_EQ(device::print(own[k].device()), parts[k].elements()[2].string());
    }
  }
  EXPECT_EQ(quoted(v_->name()), theirs_.returned("v_name"));
  EXPECT_EQ(quoted(device::print(scalar_->device())), theirs_.returned("scalar_device"));
  const Variable made = strategy_.run([] { return Variable(constant(1.f), {.name = "made"}); })[0];
  EXPECT_NE(theirs_.returned("made_in_run").find(device::print(made.device())), std::string::npos);
  const StrategyExtended extended = strategy_.extended();
  EXPECT_EQ(fmt::format("[{}, {}]", extended.variable_created_in_scope(*scalar_) ? "True" : "False",
                        extended.variable_created_in_scope(Variable(constant(1.f))) ? "True" : "False"),
            theirs_.returned("in_scope"));
  expect_number("broadcast_to", extended.broadcast_to(constant(2.f), "/cpu:0")[0]);
}

// In the recorded order: each call begins with what the one before has left.
TEST_P(Scope, ST20_AreReadAndChangedAsRecorded) {
  expect("read", v_->value() * 2);
  expect("run_read", strategy_.run([&] { return *v_ + 1; })[0]);
  expect("run_argument", strategy_.run([](const EagerTensor& q) { return q * 3; }, a_)[0]);
  strategy_.run([&] { v_->assign_add(ones(shape_)); });
  expect_v("run_assign_add");
  v_->assign_sub(a_);
  expect_v("assign_sub");
  strategy_.run([&] { scalar_->assign_add(2.0); });
  expect_number("run_scalar", scalar_->value());
  scalar_->assign_sub(0.5);
  expect_number("scope_scalar", scalar_->value());

  using Scatter = void (Variable::*)(const Operand&);
  const std::vector<std::pair<std::string, Scatter>> changes{
      {"scatter_add", &Variable::scatter_add},      {"scatter_sub", &Variable::scatter_sub},
      {"scatter_mul", &Variable::scatter_mul},      {"scatter_div", &Variable::scatter_div},
      {"scatter_min", &Variable::scatter_min},      {"scatter_max", &Variable::scatter_max},
      {"scatter_update", &Variable::scatter_update}};
  for (const auto& [name, change] : changes) {
    ((*v_).*change)(rows({0, last_}));
    expect_v(name);
  }
  strategy_.run([&] { v_->scatter_add(rows({last_, 0})); });
  expect_v("run_scatter");
  expect_as_recorded("scatter_outside", [&] { v_->scatter_add(rows({last_ + 1})); });
  expect("gather", gather(v_->value(), constant<std::int32_t>({last_, 0, 0})));
  expect("lookup", gather(*v_, constant<std::int32_t>({last_, 0, 0})));
  expect("sparse_read", v_->sparse_read(constant<std::int32_t>({0, last_})));
  const auto step = [&] {
    GradientTape tape;
    const EagerTensor loss = reduce_sum(square(*v_));
    return dense(tape.gradient(loss, {*v_})[0]);
  };
  expect("gradient", strategy_.run(step)[0]);

  const auto merge = [&](const Strategy& strategy, const DistributedValues<EagerTensor>& q) {
    const auto sum = strategy.extended().reduce_to(ReduceOp::sum, q, *scalar_);
    strategy.extended().update(
        *scalar_, [](Variable& y, const EagerTensor& d) { y.assign_add(d); }, sum);
  };
  strategy_.run([&] { get_replica_context()->merge_call(merge, constant(4.f)); });
  expect_number("merge_update", scalar_->value());
  const auto add_ones = [&] {
    strategy_.extended().update(*v_, [](Variable& y) { y.assign_add(ones(y.shape())); });
  };
  if (theirs_.thrown("update_v").type.empty())
    add_ones();
  else
    EXPECT_THROW(add_ones(), InputError);

  ClusterCoordinator coordinator(strategy_);
  const RemoteValue both = coordinator.schedule([&](std::int64_t) {
    const auto one = strategy_.run(
        [&](const EagerTensor& r) {
          v_->assign_sub(r * .5);
          return reduce_sum(r);
        },
        a_);
    return Values{strategy_.reduce(ReduceOp::sum, one).numbers,
                  strategy_.reduce(ReduceOp::mean, one).numbers};
  });
  coordinator.join();
  const json::Value scheduled = json::parse(theirs_.returned("scheduled"), "scheduled");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(static_cast<double>(both.fetch()[i].values<float>()[0]), scheduled.elements()[i].real(),
                1e-6);
  expect_v("scheduled_v");
}

TEST_P(Scope, ST20_RunsAndReducesAsRecorded) {
  const auto run = [&](const std::vector<float>& numbers) {
    return strategy_.run([&] { return constant(numbers); });
  };
  const auto three = strategy_.run([] { return constant(3.f); });
  expect_number("reduce_sum", strategy_.reduce(ReduceOp::sum, three));
  expect_number("reduce_mean_axis", strategy_.reduce(ReduceOp::mean, run({3, 4}), 0));
  expect_numbers("gathered", strategy_.gather(run({3, 4}), 0));
  EXPECT_EQ(fmt::format("[{:.1f}]", item(experimental_local_results(three).at(0))),
            theirs_.returned("results"));
  const auto seven = strategy_.experimental_distribute_values_from_function(
      [](const ReplicaContext&) { return constant(7.f); });
  EXPECT_EQ(fmt::format("[{:.1f}]", item(seven[0])), theirs_.returned("from_function"));
  const auto replica = strategy_.run([] {
    return fmt::format("[{}, {}, {}]", get_replica_context()->replica_id_in_sync_group(),
                       in_cross_replica_context() ? "True" : "False",
                       get_replica_context()->num_replicas_in_sync());
  });
  EXPECT_EQ(replica[0], theirs_.returned("replica"));
  expect_number("all_reduce", strategy_.run([] {
    return get_replica_context()->all_reduce(ReduceOp::sum, constant(5.f));
  })[0]);
  expect_numbers("all_gather", strategy_.run([] {
    return get_replica_context()->all_gather(constant<float>({5, 6}), 0);
  })[0]);
  const Tensor zero = Tensor::zeros({Type::float32, {}});
  EXPECT_EQ(fmt::format("{:.1f}", strategy_.reduce(ReduceOp::sum, zero).values<float>()[0]),
            theirs_.returned("reduce_in_scope"));
  const Strategy other("OneDeviceStrategy", 1);
  EXPECT_EQ(only_kind(thrown_by([&] {
              const auto scope = other.scope();
              strategy_.run([] {});
            })),
            only_kind(theirs_.thrown("other_scope")));
}

// What a checkpoint of the variable holds is restored into shards, and from them.
TEST_P(Scope, ST24_AValueWithTooFewRowsIsRefusedAndACheckpointRestores) {
  const Tensor before = v_->read_value().numbers.copy();
  EXPECT_THROW(v_->assign(EagerTensor{before.rows(0, 1).copy()}), InputError);
  v_->restore(before);
  expect_same(v_->read_across_replicas().numbers, before, "restored");
  ParameterServerStrategy uncut({1, 2});
  const auto scope = uncut.scope();
  Variable whole(zeros(shape_), {.name = "v"});
  EXPECT_FALSE(whole.is_sharded());
  whole.restore(before);
  expect_same(whole.read_value().numbers, before, "whole");
}

// ---- Version 1

class ProgramOfVersion1 : public Case {};
INSTANTIATE_TEST_SUITE_P(Servers, ProgramOfVersion1,
                         testing::Values("keras2/servers_v1_program", "keras3/servers_v1_program"),
                         name_of_case);

TEST_P(ProgramOfVersion1, ST19_ReducesAndRefusesTheRest) {
  const ParameterServerStrategyV1 strategy;
  EXPECT_EQ(fmt::format("{}", strategy.num_replicas_in_sync()), theirs_.returned("replicas"));
  EXPECT_EQ(fmt::format("['{}']", strategy.extended().worker_devices()[0]), theirs_.returned("workers"));
  EXPECT_EQ(fmt::format("['{}']", strategy.extended().parameter_devices()[0]),
            theirs_.returned("parameters"));
  const DistributedValues<EagerTensor> two({constant(2.f)});
  EXPECT_EQ(fmt::format("{:.1f}", item(strategy.reduce(ReduceOp::sum, two))), theirs_.returned("reduce"));
  EXPECT_EQ(fmt::format("[{:.1f}]", item(experimental_local_results(two)[0])), theirs_.returned("local"));
  const DistributedValues<EagerTensor> three({constant(3.f)});
  EXPECT_EQ(fmt::format("{:.1f}", item(strategy.extended().reduce_to(ReduceOp::sum, three, "/cpu:0")[0])),
            theirs_.returned("reduce_to"));
  const Variable v(constant(1.f));
  EXPECT_EQ(strategy.extended().variable_created_in_scope(v) ? "True" : "False",
            theirs_.returned("in_scope"));
  EXPECT_EQ(in_cross_replica_context() ? "True" : "False", theirs_.returned("cross"));
  expect_as_recorded("run", [&] { strategy.run([] { return 1; }); });
  expect_as_recorded("update",
                     [&] { strategy.extended().update(v, [](Variable& y) { y.assign_add(1.0); }); });
  expect_as_recorded("dataset", [&] { strategy.experimental_distribute_dataset(counted(3)); });
  expect_as_recorded("from_function",
                     [&] { strategy.distribute_datasets_from_function([] { return counted(3); }); });
  expect_as_recorded("set", [&] { experimental_set_strategy(&strategy); });
}

// ---- Central storage

class Central : public Case {};
INSTANTIATE_TEST_SUITE_P(Servers, Central, testing::ValuesIn(cases_of("central_")), name_of_case);

// Replicas that share a device compute one after the other, each with a number of its own.
TEST_P(Central, ST5_TakesADeviceTwice) {
  device::Context context;
  context.set_logical_device_configuration(context.list_physical_devices()[0], {{}, {}, {}, {}});
  CentralStorageArguments arguments;
  for (const json::Value& name : theirs_.config("compute_devices").elements())
    arguments.compute_devices.emplace_back(std::string(name.string()));
  const json::Value& parameter = theirs_.config("parameter_device");
  if (parameter.kind() == json::Kind::string)
    arguments.parameter_device = strategy::GivenDevice(std::string(parameter.string()));
  const Strategy strategy(central_storage(context, arguments));
  const auto texts = [](const auto& items, std::string_view format) {
    std::string all;
    for (const auto& each : items) all += fmt::format(fmt::runtime(format), all.empty() ? "" : ", ", each);
    return "[" + all + "]";
  };
  const auto numbers = [&](const std::vector<EagerTensor>& values) {
    std::vector<float> all;
    for (const EagerTensor& value : values) all.push_back(item(value));
    return texts(all, "{}{:.1f}");
  };
  EXPECT_EQ(fmt::format("{}", strategy.num_replicas_in_sync()), theirs_.returned("replicas"));
  EXPECT_EQ(texts(strategy.extended().worker_devices(), "{}'{}'"), theirs_.returned("workers"));
  const auto one = [] {
    return constant(static_cast<float>(get_replica_context()->replica_id_in_sync_group() + 1));
  };
  EXPECT_EQ(fmt::format("{:.1f}", item(strategy.reduce(ReduceOp::sum, strategy.run(one)))),
            theirs_.returned("sum"));
  std::optional<Variable> v;
  {
    const auto scope = strategy.scope();
    v.emplace(constant(1.f), Variable::Settings{.aggregation = Aggregation::sum});
  }
  EXPECT_EQ(quoted(device::print(v->device())), theirs_.returned("device"));
  strategy.run([&] { v->assign_add(one()); });
  EXPECT_EQ(fmt::format("{:.1f}", item(v->value())), theirs_.returned("assigned"));
  const auto sum = strategy.run([&] { return get_replica_context()->all_reduce(ReduceOp::sum, one()); });
  EXPECT_EQ(numbers(experimental_local_results(sum)), theirs_.returned("all_reduce"));
  std::vector<float> gathered;
  const EagerTensor rows = strategy.gather(strategy.run([&] { return stack(std::array{one()}); }), 0);
  for (const float number : rows.numbers.values<float>()) gathered.push_back(number);
  EXPECT_EQ(texts(gathered, "{}{:.1f}"), theirs_.returned("gather"));
  // Mirrored strategies refuse that.
  EXPECT_THROW(mirrored(context, {.devices = {"CPU:1", "CPU:1"}}), device::ValueError);
}

// ---- Workers with several GPUs

// TensorFlow runs a closure's function on all GPUs of its worker, and adds up what they assign
// (parameter_server_strategy_v2.py). The recordings have CPUs only.
TEST(ServersAndGpus, ST20_ReplicasOfAWorkerAggregateBeforeTheyAssign) {
  for (const int replicas : {1, 2, 3, 8}) {
    std::vector<device::LogicalDevice> gpus;
    for (int i = 0; i < replicas; ++i)
      gpus.push_back(
          {.name = device::parse_name(fmt::format("/job:worker/replica:0/task:0/device:GPU:{}", i))});
    ParameterServerStrategy strategy({2, 2}, model::partition_by(model::FixedShardsPartitioner{2}), gpus);
    ASSERT_EQ(strategy.num_replicas_in_sync(), replicas);
    EXPECT_EQ(strategy.extended().worker_devices().back(), fmt::format("/device:GPU:{}", replicas - 1));
    const auto scope = strategy.scope();
    Variable v(zeros({3, 2}), {.name = "v", .aggregation = Aggregation::sum});
    ClusterCoordinator coordinator(strategy);
    coordinator.schedule([&](std::int64_t) {
      strategy.run([&] {
        const auto id = static_cast<float>(get_replica_context()->replica_id_in_sync_group());
        v.assign_add(ones({3, 2}) * static_cast<double>(id + 1));
      });
      return Values{};
    });
    coordinator.join();
    EXPECT_EQ(v.value().numbers.values<float>()[5], static_cast<float>(replicas * (replicas + 1) / 2));
    EXPECT_EQ(device::print(v.copies()[1].device()), "/job:ps/replica:0/task:1/device:CPU:0");
    if (replicas == 1) continue;
    State state(1);
    test::Machine machine;
    Function function("f", state, machine, Function::Mode::inference,
                      [](Building&, const Symbols& x) { return Symbols{x[0]}; });
    EXPECT_THROW(coordinator.schedule(function, {Tensor::zeros({Type::float32, {}})}), InputError);
    EXPECT_THROW(strategy.reduce(ReduceOp::sum, DistributedValues<EagerTensor>({constant(1.f)})), InputError);
    EXPECT_THROW(strategy.run([](const EagerTensor&) {}, DistributedValues<EagerTensor>({constant(1.f)})),
                 InputError);
  }
}

}  // namespace
}  // namespace wt::train
