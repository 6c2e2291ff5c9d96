// Claims: every error of a coordinator, of parameter servers, of TF_CONFIG and of resolvers that a C++ program can meet has
// the type and the sentence that TensorFlow was recorded to raise (failures.tar.gz); every recorded call has its
// counterpart here, or stands below with the reason why it has none. The table is in README.md.

#include <numeric>
#include <set>

#include "cluster/roles.h"
#include "data/text_lines.h"
#include "device/cpu/workers.h"
#include "recordings/failures.h"
#include "tensor/print_numpy.h"
#include "train/coordinator.h"
#include "train/distributed/constructors.h"
#include "train/tensor_operations.h"

namespace wt::recordings {
namespace {

using cluster::ClusterSpec, cluster::Job, cluster::SimpleClusterResolver;
using train::ClusterCoordinator, train::ParameterServerStrategy;

Job job(std::string name, std::vector<std::string> addresses) {
  Job made{.name = std::move(name)};
  for (std::string& address : addresses)
    made.tasks.emplace(static_cast<int>(made.tasks.size()), std::move(address));
  return made;
}

// The calls of one process of a recording.
class Calls {
 public:
  Calls(const Recording& recording, std::size_t process)
      : name_(recording.version + " " + recording.id), all_(processes(recording).at(process)) {}
  Calls(const Calls&) = delete;
  ~Calls() {
    for (const json::Member& member : all_.members())
      EXPECT_TRUE(done_.contains(std::string(member.key))) << name_ << ": nothing here for " << member.key;
  }

  const json::Value& recorded(const std::string& key) {
    done_.insert(key);
    return at(all_, key);
  }

  template <class Call>
  void same(const std::string& key, const Call& call) {
    EXPECT_EQ(said_by(call), said_in(recorded(key))) << name_ << " " << key;
  }

  // The same sentence, as an InputError with the place in the text that is read, where Python has a TypeError.
  template <class Call>
  void same_with_place(const std::string& key, const Call& call) {
    const Said theirs = said_in(recorded(key));
    EXPECT_EQ(theirs.type, "TypeError") << name_ << " " << key;
    EXPECT_EQ(said_by(call), (Said{"InputError", theirs.sentence})) << name_ << " " << key;
  }

  // Python itself says it, or reads it so late: here it is an error of the same meaning, with a place.
  template <class Call>
  void refused(const std::string& key, const Call& call) {
    EXPECT_FALSE(said_in(recorded(key)).type.empty()) << name_ << " " << key;
    EXPECT_FALSE(said_by(call).type.empty()) << name_ << " " << key;
  }

  // The reason why a C++ program has no such call.
  void without_counterpart(std::initializer_list<const char*> keys, const char* /*reason*/) {
    for (const char* key : keys) recorded(key);
  }

 private:
  std::string name_;
  const json::Value& all_;
  std::set<std::string> done_{};
};

void for_both(const std::string& id, const std::function<void(Calls& calls)>& body) {
  for (const char* version : {"keras2", "keras3"}) {
    Calls calls(failures().named(version, id), 0);
    body(calls);
    calls.without_counterpart({"finished", "task", "run", "exit", "no_end_in_limit"},
                              "how the process ended");
  }
}

// ---- Coordinators and parameter servers

Tensor scalar(float number) { return Tensor::of<float>({}, {number}); }
// "7.0"
std::string number(const Tensor& tensor) {
  return fmt::format("{:.1f}",
                     std::accumulate(tensor.values<float>().begin(), tensor.values<float>().end(), 0.F));
}

// A worker on a CPU of this host, and two servers of its variables.
struct Coordinated {
  ParameterServerStrategy strategy{train::ServerCounts{.workers = 1, .servers = 1},
                                   model::partition_by(model::FixedShardsPartitioner{2})};
  ClusterCoordinator coordinator{strategy};
  device::Workers threads{1};
  device::CpuQueue queue{threads};
  train::Resources machine = strategy.resources(queue);
  train::State state{1};
  train::Function same{"same", state, machine, train::Function::Mode::training,
                       [](model::Building&, const std::vector<Symbol>& arguments) { return arguments; }};

  train::RemoteValue good() {
    return coordinator.schedule([](std::int64_t) { return std::vector{scalar(1)}; });
  }
  train::RemoteValue bad() {
    return coordinator.schedule([](std::int64_t) -> std::vector<Tensor> {
      throw InvalidArgumentError("assertion failed: [loss is bad]");
    });
  }
  std::string next_of(const train::PerWorkerIterator& iterator) {
    const Tensor element = coordinator.schedule(same, {iterator}).fetch().front();
    return fmt::format("[{}]", element.values<std::int64_t>()[0]);
  }
};

TEST(ErrorRecordings, ST20_C2_ClustersArePartitionedOrRefusedAsRecorded) {
  for_both("errors_coordinator", [](Calls& calls) {
    const auto made_for = [](std::vector<Job> jobs) {
      return [jobs] { ParameterServerStrategy strategy{SimpleClusterResolver(ClusterSpec(jobs))}; };
    };
    const Job worker = job("worker", {"localhost:1"}), ps = job("ps", {"localhost:2"});
    calls.same("spec_empty", made_for({}));
    calls.same("no_ps", made_for({worker}));
    calls.same("no_worker", made_for({job("ps", {"localhost:1"})}));
    calls.same("other_job", made_for({worker, ps, job("boss", {"localhost:3"})}));
    calls.same("two_chiefs", made_for({job("chief", {"localhost:5", "localhost:6"}), worker, ps}));
    const auto partitioner = [](const model::Partitioner& how) {
      return [how] { model::partition_by(how); };
    };
    calls.same("partitioner_min0", partitioner(model::MinSizePartitioner{.min_shard_bytes = 0}));
    calls.same("partitioner_min_shards0", partitioner(model::MinSizePartitioner{.max_shards = 0}));
    calls.same("partitioner_min_string0", partitioner(model::MinSizePartitioner{.bytes_per_string = 0}));
    calls.same("partitioner_max0", partitioner(model::MaxSizePartitioner{.max_shard_bytes = 0}));
    calls.same("partitioner_max_shards_neg",
               partitioner(model::MaxSizePartitioner{.max_shard_bytes = 8, .max_shards = -1}));
    calls.same("partitioner_max_string0",
               partitioner(model::MaxSizePartitioner{.max_shard_bytes = 8, .bytes_per_string = 0}));
    calls.same("partitioner_fixed0", [] {
      return fmt::format("[{}]",
                         model::partition_by(model::FixedShardsPartitioner{0})({4}, Type::float32).front());
    });

    Coordinated job;
    ParameterServerStrategy& strategy = job.strategy;
    ClusterCoordinator& coordinator = job.coordinator;
    calls.same("no_initial_value", [&] {
      strategy.create("v", TensorSpec{Type::float32, {4}}, ParameterServerStrategy::InitialValue{});
    });
    const train::RemoteValue value = job.good();
    coordinator.join();
    calls.same("schedule_remote_value", [&] { coordinator.schedule(job.same, {value}); });
    calls.same("fetch_of_tensor", [&] { return number(coordinator.fetch(scalar(3))); });
    calls.same("fetch_nested", [&] {
      using Dictionary = std::map<std::string, train::RemoteValue>;
      using Item = std::variant<train::RemoteValue, Dictionary>;
      const auto fetched = coordinator.fetch(std::vector<Item>{value, Dictionary{{"a", value}}});
      return fmt::format("[{}, {{'a': {}}}]", number(std::get<0>(fetched[0]).front()),
                         number(std::get<1>(fetched[1]).at("a").front()));
    });
    calls.same("get", [&] { return number(value.get().front()); });

    // Datasets
    calls.same("dataset_fn_variable", [&] {
      coordinator.create_per_worker_dataset([&] {
        strategy.create("w", scalar(1));
        return data::Dataset::range(3);
      });
    });
    calls.same("dataset_fn_raises", [&] {
      coordinator.create_per_worker_dataset([]() -> data::Dataset { throw ValueError("no such file"); });
    });
    const train::PerWorkerDataset rows =
        coordinator.create_per_worker_dataset([] { return data::Dataset::range(2); });
    const train::PerWorkerIterator iterator = rows.iterate();
    calls.same("next_of_iterator", [&] { iterator.next(); });
    calls.same("element_spec",
               [&] { return fmt::format("'{}'", data::tensor_spec(rows.element_spec().front())); });
    calls.same("iter_inside_function", [&] {
      train::Function inside("inside", job.state, job.machine, train::Function::Mode::training,
                             [&](model::Building&, const std::vector<Symbol>& arguments) {
                               static_cast<void>(rows.iterate());
                               return arguments;
                             });
      inside({scalar(1)});
    });
    for (const char* take : {"take0", "take1", "take2"})
      calls.same(take, [&] { return job.next_of(iterator); });
    calls.same("join_after_end", [&] { coordinator.join(); });
    calls.same("join_again", [&] { coordinator.join(); });
    const train::PerWorkerDataset lines = coordinator.create_per_worker_dataset([] {
      const std::vector<std::string> files{"/no/such/file"};
      return data::Dataset::from_files(data::read_text_lines(files), files);
    });
    const train::PerWorkerIterator of_lines = lines.iterate();
    calls.same("take_missing_file", [&] { return job.next_of(of_lines); });
    calls.same("join_missing_file", [&] { coordinator.join(); });
    train::PerWorkerIterator failing;
    calls.same("make_failing", [&] {
      failing = coordinator
                    .create_per_worker_dataset(
                        []() -> data::Dataset { throw InvalidArgumentError("Integer division by zero"); })
                    .iterate();
      return "'made'";
    });
    // TensorFlow puts the frames of the failing operation between the parts of its sentence.
    for (const char* key : {"take_failing", "join_failing"}) {
      const Said theirs = said_in(calls.recorded(key));
      const Said ours = said_by([&]() -> std::string {
        if (std::string_view(key) == "take_failing") return job.next_of(failing);
        coordinator.join();
        return "";
      });
      const std::string reason = "Integer division by zero";
      EXPECT_EQ(ours.type, theirs.type) << key;
      ASSERT_TRUE(ours.sentence.ends_with(reason + ".")) << ours;
      const std::string begin = ours.sentence.substr(0, ours.sentence.size() - reason.size() - 1);
      EXPECT_EQ(theirs.sentence.substr(0, begin.size()), begin) << key;
      EXPECT_NE(theirs.sentence.find(reason), std::string::npos) << key;
    }

    // Errors of closures
    calls.same("join_many", [&] {
      job.bad();
      coordinator.join();
    });
    calls.same("done_after_error", [&] {
      job.bad();
      coordinator.done();
    });
    calls.same("done_again", [&] { return coordinator.done() ? "True" : "False"; });
    calls.same("join_after_done", [&] { coordinator.join(); });
    calls.same("schedule_after_error", [&] {
      job.bad();
      job.good();
    });
    calls.same("join_after_schedule", [&] { coordinator.join(); });
    calls.same("goes_on",
               [&] { return number(coordinator.schedule(job.same, {scalar(7)}).fetch().front()); });

    // Outside of closures
    calls.same("run_outside", [&] {
      const auto scope = strategy.scope();
      const auto ran = strategy.run([] { return train::constant(1.F); });
      return number(strategy.reduce(train::ReduceOp::sum, ran).numbers);
    });
    calls.same("distribute_outside",
               [&] { strategy.experimental_distribute_dataset(data::Dataset::range(4).batch(2)).iterate(); });
    calls.same("gather", [&] {
      return fmt::format("[{}]", number(strategy.gather({Tensor::of<float>({1}, {1})}, 0)));
    });

    calls.without_counterpart({"other_strategy", "default_strategy", "schedule_python", "schedule_number",
                               "dataset_number", "dataset_fn_number", "iterator_element_spec"},
                              "a compile error");
    calls.without_counterpart({"schedule_wrong_arguments"},
                              "the body of a function takes any number of arguments");
    calls.without_counterpart({"coordinator_again_is_same"},
                              "coordinator_test.cpp: several objects are one coordinator");
    calls.without_counterpart({"schedule_many", "fetch_many"},
                              "the coordinator runs a closure when it is scheduled, so that none waits that "
                              "could be cancelled, and the "
                              "next call of schedule raises the error");
    calls.without_counterpart({"values_outside"}, "Python prints an object");
    calls.without_counterpart({"server_task_type"}, "a function of TensorFlow's own");
  });
}

// A dataset that is distributed for parameter servers is a worker's own, as a dataset is.
TEST(ErrorRecordings, ST21_ADistributedDatasetBelongsToTheCoordinator) {
  Coordinated job;
  const data::DistributedDataset distributed =
      job.strategy.experimental_distribute_dataset(data::Dataset::range(4).batch(2));
  EXPECT_EQ(said_by([&] { distributed.iterate(); }).type, "ValueError");
  const train::PerWorkerIterator iterator = job.coordinator.create_per_worker_dataset(distributed).iterate();
  EXPECT_EQ(job.next_of(iterator), "[0]");
  EXPECT_EQ(job.next_of(iterator), "[2]");
  EXPECT_EQ(said_by([&] { return job.next_of(iterator); }), (Said{"OutOfRangeError", "End of sequence"}));
}

// ---- TF_CONFIG and resolvers

std::string without_type(const ClusterSpec& spec) {
  const std::string text = print(spec);  // "ClusterSpec({...})"
  constexpr std::string_view head = "ClusterSpec(";
  return text.substr(head.size(), text.size() - head.size() - 1);
}

TEST(ErrorRecordings, C1_C2_ST10_TfConfigsAndResolversAreRefusedAsRecorded) {
  for_both("errors_resolvers", [](Calls& calls) {
    const auto read = [](const std::string& text) {
      return [text] { return cluster::parse_tf_config_for_resolver(text); };
    };
    const auto in_task = [](const std::string& cluster, const std::string& task) {
      return fmt::format(R"({{"cluster": {}, "task": {}}})", cluster, task);
    };
    const std::string two_workers = R"({"worker": ["localhost:1", "localhost:2"]})",
                      first = R"({"type": "worker", "index": 0})";
    // Python's own errors: a text that is not JSON, a number in the place of a dictionary, a word in that of an index.
    for (const char* what : {"resolver", "type", "id"}) {
      calls.refused(fmt::format("{}_not_json", what), [&] { read(R"({"cluster": {)")(); });
      calls.refused(fmt::format("{}_number", what), [&] { read("5")(); });
    }
    calls.refused("strategy_not_json", [&] { read(R"({"cluster": {)")(); });
    for (const char* key : {"id_index_word", "strategy_index_word"})
      calls.refused(key, [&] {
        cluster::parse_tf_config(in_task(two_workers, R"({"type": "worker", "index": "first"})"));
      });
    calls.same_with_place("resolver_worker_not_list", [&]() -> std::string {
      read(in_task(R"({"worker": "localhost:1"})", first))();
      return "";
    });
    calls.same_with_place("resolver_worker_numbers", [&]() -> std::string {
      read(in_task(R"({"worker": [1, 2]})", first))();
      return "";
    });
    calls.without_counterpart(
        {"type_worker_not_list", "id_worker_not_list", "type_worker_numbers", "id_worker_numbers",
         "resolver_index_word", "type_index_word", "resolver_list", "type_list", "id_list",
         "resolver_task_list", "type_task_list", "id_task_list"},
        "a TF_CONFIG is read at once and as a whole, and what is wrong in it is an InputError at "
        "its place, also where TensorFlow never looks");

    // The roles
    struct Row {
      const char* name;
      std::vector<Job> jobs;
      const char* type;
      int id;
    };
    const Job two = job("worker", {"localhost:1", "localhost:2"});
    const std::vector<Row> rows{
        {"unknown_job", {job("boss", {"a:1"}), job("worker", {"a:1"})}, "worker", 0},
        {"unknown_type", {two}, "master", 0},
        {"not_found", {two}, "chief", 0},
        {"not_found_ps", {two}, "ps", 0},
        {"two_chiefs", {job("chief", {"a:1", "a:2"})}, "chief", 0},
        {"two_evaluators", {job("worker", {"a:1"}), job("evaluator", {"a:2", "a:3"})}, "worker", 0},
        {"too_large", {two}, "worker", 7},
        {"evaluator", {two}, "evaluator", 0},
    };
    for (const Row& row : rows) {
      const ClusterSpec spec(row.jobs);
      const auto key = [&](const char* call) { return fmt::format("{}_{}", call, row.name); };
      calls.same(key("validate"), [&] { cluster::validate(spec, row.type, row.id); });
      calls.same(key("is_chief"),
                 [&] { return cluster::is_chief(spec, row.type, row.id) ? "True" : "False"; });
      calls.same(key("id_in_cluster"),
                 [&] { return std::to_string(cluster::id_in_cluster(spec, row.type, row.id)); });
      calls.same(key("worker_count"), [&] { return std::to_string(cluster::worker_count(spec, row.type)); });
      if (std::string_view(row.name) == "evaluator") continue;
      calls.same(key("strategy"), [&] {
        const SimpleClusterResolver resolver(spec, {.task_type = row.type, .task_id = row.id});
        device::Context context;
        train::multi_worker_mirrored(context, {.cluster_resolver = &resolver});
      });
    }
    calls.without_counterpart({"strategy_evaluator"}, "the recorded program leaves it out");
    calls.same("no_type", [&] {
      const SimpleClusterResolver resolver{ClusterSpec({two})};
      device::Context context;
      train::multi_worker_mirrored(context, {.cluster_resolver = &resolver});
    });

    // Unions, specs and masters
    using cluster::UnionResolver;
    const auto simple = [](std::vector<Job> jobs) {
      return std::make_shared<SimpleClusterResolver>(ClusterSpec(std::move(jobs)));
    };
    calls.same("union_none", [] { UnionResolver({}); });
    const auto joined = [&](std::vector<std::string> others) {
      return [&, others] {
        const UnionResolver both({simple({job("worker", {"a:1"})}), simple({job("worker", others)})});
        return without_type(both.cluster_spec());
      };
    };
    calls.same("union_lists", joined({"a:2"}));
    calls.same("union_duplicate", joined({"a:2", "a:3"}));
    const ClusterSpec spec({two});
    calls.same("cs_no_job", [&] { spec.num_tasks("ps"); });
    calls.same("cs_job_tasks", [&] { spec.job_tasks("ps"); });
    calls.same("cs_no_task", [&] { spec.task_address("worker", 5); });
    calls.same("cs_task_indices", [&] { spec.task_indices("ps"); });
    const auto cluster_in = [&](const std::string& text) {
      return [&, text]() -> std::string {
        read(in_task(text, first))();
        return "";
      };
    };
    calls.same_with_place("cs_number", cluster_in("5"));
    calls.same_with_place("cs_list", cluster_in(R"({"worker": 5})"));
    calls.same_with_place("cs_address", cluster_in(R"({"worker": [5]})"));
    calls.refused("cs_keys", cluster_in(R"({"worker": {"a": "x:1"}})"));
    calls.same("master_no_task", [&] { return fmt::format("'{}'", SimpleClusterResolver(spec).master()); });
    calls.same("master_type_only", [&] {
      return fmt::format("'{}'", SimpleClusterResolver(spec, {.task_type = "worker"}).master());
    });
    calls.same("master_id", [&] {
      return fmt::format("'{}'", SimpleClusterResolver(spec, {.task_type = "worker", .task_id = 9}).master());
    });
    calls.same("master_one", [&] {
      return fmt::format(
          "'{}'",
          SimpleClusterResolver(spec, {.task_type = "worker", .task_id = 1, .rpc_layer = "grpc"}).master());
    });
    calls.without_counterpart({"spec_number", "union_kwargs", "union_number", "simple_dict", "simple_master"},
                              "a compile error");
    calls.without_counterpart({"cs_negative"}, "Python prints a protocol buffer");
    calls.without_counterpart({"cs_job_name"}, "the keys of JSON are texts");
  });
}

}  // namespace
}  // namespace wt::recordings
