// Claim: the cluster of a Slurm job step is the one that TensorFlow's SlurmClusterResolver finds. The expected values are
// what TensorFlow 2.21 printed for the same environment variables and arguments.

#include "cluster/slurm_resolver.h"

#include <gtest/gtest.h>

#include "cluster/refusal.h"

namespace wt::cluster {
namespace {

using Environment = SlurmClusterResolver::Environment;
using Arguments = SlurmClusterResolver::Arguments;
using Hosts = std::vector<std::string>;

template <class Call>
std::string refused(Call call) {
  try {
    call();
  } catch (const device::RuntimeError& error) {
    return std::string("RuntimeError: ") + error.what();
  } catch (const InputError&) {
    return refusal(call);
  }
  return "accepted";
}

// Seven processes on four nodes with four GPUs each; this is the process of rank 2.
Environment step_of_seven(const Environment& changes = {}) {
  Environment environment{{"SLURM_PROCID", "2"},
                          {"SLURM_STEP_NUM_TASKS", "7"},
                          {"SLURM_STEP_NODELIST", "node[1-3,07]"},
                          {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                          {"CUDA_VISIBLE_DEVICES", "0,1,2,3"}};
  for (const auto& [name, value] : changes) environment[name] = value;
  return environment;
}

std::string refusal_of(const Environment& environment, const Arguments& arguments = {}) {
  return refused([&] { SlurmClusterResolver(environment, arguments); });
}
std::string spec_of(const Environment& environment, const Arguments& arguments = {}) {
  return print(SlurmClusterResolver(environment, arguments).cluster_spec());
}

TEST(SlurmHostlist, ExpandsRangesAndKeepsLeadingZeros) {
  const std::vector<std::pair<std::string, Hosts>> cases{
      {"n1", {"n1"}},
      {"n[1-2],m5,o[3-4,6,7-9]", {"n1", "n2", "m5", "o3", "o4", "o6", "o7", "o8", "o9"}},
      {"node[1-3,07]", {"node1", "node2", "node3", "node07"}},
      {"node[08-11]", {"node08", "node09", "node10", "node11"}},
      {"n[9-10]", {"n9", "n10"}},
      {"[1-2]", {"1", "2"}},
      {"node[3-1]", {}},
      {"", {}},
      {"a,", {"a"}},
      {"n[ 1-2]", {"n01", "n02"}},
      {"n[1_0]", {"n010"}},
      {"n[+1]", {"n01"}},
  };
  for (const auto& [hostlist, hosts] : cases) EXPECT_EQ(expand_hostlist(hostlist), hosts) << hostlist;
}

TEST(SlurmHostlist, RefusesWhatIsNoList) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a,,b", ""},
      {",", ""},
      {"n[[1]]", ""},
      {"n[1-2-3]", ""},
      {"n[1", "Invalid part: n[1"},
      {"n1]", "Invalid part: n1]"},
      {"n[1]x", "Invalid part: n[1]x"},
      {"n[0-1]-ib", "Invalid part: n[0-1]-ib"},
      {"n[]", "Invalid part: n[]"},
      {"n[1-2][3]", "Invalid part: n[1-2][3]"},
      {"n[1-]", "invalid literal for int() with base 10: ''"},
      {"n[1,]", "invalid literal for int() with base 10: ''"},
      {"n[a-b]", "invalid literal for int() with base 10: 'a'"},
      {"a'b[x]", "invalid literal for int() with base 10: 'x'"},
  };
  for (const auto& [hostlist, reason] : cases)
    EXPECT_EQ(refused([&, list = hostlist] { expand_hostlist(list); }),
              "ValueError: Invalid hostlist format \"" + hostlist + "\": " + reason);
  EXPECT_NE(refused([] { expand_hostlist("n[0-9999999999]"); }), "accepted")
      << "instead of filling the memory";
}

TEST(SlurmTasksPerNode, ExpandsRepetitions) {
  EXPECT_EQ(expand_tasks_per_node("3(x2),2,1"), (std::vector<std::int64_t>{3, 3, 2, 1}));
  EXPECT_EQ(expand_tasks_per_node("2(x3),1"), (std::vector<std::int64_t>{2, 2, 2, 1}));
  EXPECT_TRUE(expand_tasks_per_node("2(x0)").empty());
  for (const std::string wrong : {"", "2(3)", "a", "1,", "-1", "2(x3"})
    EXPECT_EQ(refused([&] { expand_tasks_per_node(wrong); }),
              "ValueError: Invalid tasks-per-node list format \"" + wrong + "\": ");
  EXPECT_NE(refused([] { expand_tasks_per_node("1(x9999999999)"); }), "accepted");
}

TEST(SlurmClusterResolver, HasAWorkerForEachTaskWithGpusInEqualParts) {
  const SlurmClusterResolver resolver(step_of_seven());
  EXPECT_EQ(print(resolver.cluster_spec()),
            "ClusterSpec({'worker': ['node07:8888', 'node1:8888', 'node1:8889', 'node2:8888', 'node2:8889', "
            "'node3:8888', 'node3:8889']})");
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 2);
  EXPECT_EQ(resolver.rpc_layer(), "grpc");
  EXPECT_EQ(resolver.environment(), "");
  EXPECT_EQ(resolver.num_accelerators(), (Accelerators{{device::Kind::gpu, 2}}));
  EXPECT_EQ(resolver.cuda_visible_devices(), "2,3");
  EXPECT_EQ(resolver.master(), "grpc://node1:8889");
  EXPECT_EQ(resolver.master({.task_type = "worker", .task_id = 6}), "grpc://node3:8889");
  EXPECT_EQ(resolver.master({.rpc_layer = "tcp"}), "tcp://node1:8889");
  EXPECT_EQ(resolver.master({.rpc_layer = ""}), "grpc://node1:8889");
  EXPECT_EQ(refused([&] { resolver.master({.task_type = "ps", .task_id = 0}); }),
            "ValueError: No such job in cluster: 'ps'");
  EXPECT_EQ(refused([&] { resolver.master({.task_type = "worker", .task_id = 7}); }),
            "ValueError: No task with index 7 in job 'worker'");
}

TEST(SlurmClusterResolver, FillsJobsInTheOrderOfTheirNames) {
  const SlurmClusterResolver worker(step_of_seven({{"SLURM_PROCID", "5"}}),
                                    {.jobs = {{{"worker", 5}, {"ps", 2}}}});
  EXPECT_EQ(print(worker.cluster_spec()),
            "ClusterSpec({'ps': ['node07:8888', 'node1:8888'], 'worker': ['node1:8889', 'node2:8888', "
            "'node2:8889', 'node3:8888', 'node3:8889']})");
  EXPECT_EQ(worker.task_type(), "worker");
  EXPECT_EQ(worker.task_id(), 3);
  EXPECT_EQ(worker.cuda_visible_devices(), "0,1");

  const SlurmClusterResolver ps(
      step_of_seven({{"SLURM_PROCID", "1"}}),
      {.jobs = {{{"worker", 5}, {"ps", 2}}}, .port_base = 9000, .rpc_layer = std::nullopt});
  EXPECT_EQ(ps.master(), "node1:9000");
  EXPECT_EQ(ps.task_type(), "ps");
  EXPECT_EQ(ps.task_id(), 1);

  EXPECT_EQ(spec_of(step_of_seven(), {.jobs = {{{"worker", 7}, {"ps", 0}}}}),
            "ClusterSpec({'ps': {}, 'worker': ['node07:8888', 'node1:8888', 'node1:8889', 'node2:8888', "
            "'node2:8889', 'node3:8888', 'node3:8889']})");
}

TEST(SlurmClusterResolver, TakesTheNumbersOfTasksFromTheProgram) {
  EXPECT_EQ(spec_of(step_of_seven({{"SLURM_STEP_NUM_TASKS", "8"}}),
                    {.gpus_per_node = 4, .gpus_per_task = 1, .tasks_per_node = 2}),
            "ClusterSpec({'worker': ['node07:8888', 'node07:8889', 'node1:8888', 'node1:8889', 'node2:8888', "
            "'node2:8889', 'node3:8888', 'node3:8889']})");
  const SlurmClusterResolver by_host(
      {{"SLURM_PROCID", "3"}},
      {.jobs = {{{"worker", 4}}},
       .gpus_per_node = 2,
       .gpus_per_task = 1,
       .tasks_per_node = SlurmClusterResolver::TasksOfHosts{{"t02n49", 1}, {"t02n13", 2}, {"t02n41", 1}}});
  EXPECT_EQ(print(by_host.cluster_spec()),
            "ClusterSpec({'worker': ['t02n13:8888', 't02n13:8889', 't02n41:8888', 't02n49:8888']})");
  EXPECT_EQ(by_host.cuda_visible_devices(), "0");
}

TEST(SlurmClusterResolver, SharesTheGpusOfANodeOutToItsTasks) {
  Environment uneven{{"SLURM_PROCID", "2"},
                     {"SLURM_STEP_NUM_TASKS", "5"},
                     {"SLURM_STEP_NODELIST", "a,b"},
                     {"SLURM_STEP_TASKS_PER_NODE", "3,2"}};
  const SlurmClusterResolver listed(uneven, {.gpus_of_machine = 8});
  EXPECT_EQ(listed.num_accelerators(), (Accelerators{{device::Kind::gpu, 2}}));
  EXPECT_EQ(listed.cuda_visible_devices(), "4,5");
  EXPECT_EQ(
      SlurmClusterResolver(uneven, {.auto_set_gpu = false, .gpus_of_machine = 8}).cuda_visible_devices(),
      std::nullopt);

  const SlurmClusterResolver one({{"SLURM_PROCID", "0"},
                                  {"SLURM_STEP_NUM_TASKS", "1"},
                                  {"SLURM_STEP_NODELIST", "a"},
                                  {"SLURM_STEP_TASKS_PER_NODE", "1"},
                                  {"CUDA_VISIBLE_DEVICES", ""}});
  EXPECT_EQ(one.num_accelerators(), (Accelerators{{device::Kind::gpu, 1}})) << "as TensorFlow counts";
  EXPECT_EQ(one.cuda_visible_devices(), "0");
}

TEST(SlurmClusterResolver, RefusesMoreThanThereIs) {
  EXPECT_EQ(refusal_of(step_of_seven(), {.gpus_per_task = 3}),
            "RuntimeError: Requested more GPUs per node than available.");
  EXPECT_EQ(refusal_of(step_of_seven(), {.jobs = {{{"worker", 9}}}}),
            "RuntimeError: Requested 9 tasks but only 7 were assigned.");
  Environment without_gpus = step_of_seven();
  without_gpus.erase("CUDA_VISIBLE_DEVICES");
  // TensorFlow has this sentence for a nvidia-smi that fails. Without the program it lets Python's FileNotFoundError pass.
  EXPECT_EQ(refusal_of(without_gpus),
            "RuntimeError: Could not get number of GPUs from nvidia-smi. Maybe it is missing?\nOutput: ");
}

TEST(SlurmClusterResolver, RefusesTasksWithoutGpusOnlyWhenTheClusterIsAskedFor) {
  for (const Arguments& arguments : {Arguments{.gpus_per_node = 0}, Arguments{.gpus_per_task = 0}}) {
    const SlurmClusterResolver resolver(step_of_seven(), arguments);
    EXPECT_EQ(resolver.num_accelerators(), (Accelerators{{device::Kind::gpu, 0}}));
    EXPECT_EQ(refused([&] { resolver.cluster_spec(); }), "ValueError: range() arg 3 must not be zero");
  }
}

TEST(SlurmClusterResolver, NamesTheFirstVariableThatIsMissing) {
  Environment environment;
  for (const std::pair<std::string, std::string>& next : std::vector<std::pair<std::string, std::string>>{
           {"PROCID", "0"}, {"STEP_NUM_TASKS", "1"}, {"STEP_NODELIST", "a"}, {"STEP_TASKS_PER_NODE", "1"}}) {
    EXPECT_EQ(refusal_of(environment), "RuntimeError: SLURM_" + next.first +
                                           " not found in environment. Not running inside a SLURM step?");
    environment["SLURM_" + next.first] = next.second;
  }
}

TEST(SlurmClusterResolver, RefusesVariablesThatCannotBeRead) {
  EXPECT_EQ(refusal_of(step_of_seven({{"SLURM_PROCID", "x"}})),
            "ValueError: invalid literal for int() with base 10: 'x'");
  EXPECT_EQ(refusal_of(step_of_seven({{"SLURM_STEP_NUM_TASKS", ""}})),
            "ValueError: invalid literal for int() with base 10: ''");
  EXPECT_EQ(refusal_of(step_of_seven({{"SLURM_STEP_NODELIST", "n[1"}})),
            "ValueError: Invalid hostlist format \"n[1\": Invalid part: n[1");
  EXPECT_EQ(refusal_of(step_of_seven({{"SLURM_STEP_NODELIST", ""}})),
            "ValueError: max() arg is an empty sequence");
  // Python's ZeroDivisionError and IndexError.
  EXPECT_EQ(refusal_of(step_of_seven({{"SLURM_STEP_TASKS_PER_NODE", "0"}, {"SLURM_STEP_NUM_TASKS", "0"}})),
            "InputError: integer division or modulo by zero");
  const SlurmClusterResolver beyond(step_of_seven({{"SLURM_PROCID", "7"}}));
  EXPECT_EQ(refused([&] { beyond.cluster_spec(); }), "InputError: list index out of range");
  const SlurmClusterResolver unset(step_of_seven({{"SLURM_PROCID", "7"}}), {.auto_set_gpu = false});
  EXPECT_EQ(unset.cluster_spec().num_tasks("worker"), 7);
  EXPECT_EQ(unset.task_type(), std::nullopt);
  EXPECT_EQ(unset.master(), "");
}

TEST(SlurmClusterResolver, CountsAHostOnceAndIgnoresHostsWithoutANumber) {
  const Environment twice = step_of_seven({{"SLURM_STEP_NODELIST", "a,a,b"},
                                           {"SLURM_STEP_TASKS_PER_NODE", "2,1,1"},
                                           {"SLURM_STEP_NUM_TASKS", "2"}});
  EXPECT_EQ(SlurmClusterResolver(twice).num_accelerators(), (Accelerators{{device::Kind::gpu, 4}}));
  EXPECT_EQ(refused([&] { spec_of(twice); }), "InputError: list index out of range");
  EXPECT_EQ(spec_of(step_of_seven({{"SLURM_STEP_NODELIST", "a,b,c"},
                                   {"SLURM_STEP_TASKS_PER_NODE", "2,1"},
                                   {"SLURM_STEP_NUM_TASKS", "3"}})),
            "ClusterSpec({'worker': ['a:8888', 'a:8889', 'b:8888']})");
}

}  // namespace
}  // namespace wt::cluster
