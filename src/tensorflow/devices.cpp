#include "tensorflow/devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/logical_device.h"

namespace wt::tensorflow {

namespace {

bool is_on_accelerators(const Subject& subject) {
  return subject.job.machine.device().name.kind != device::Kind::cpu;
}

// The logical CPUs that the devices of one process need in their place.
std::int64_t stand_ins(const Subject& subject) {
  std::int64_t count = 1;
  const int task = subject.job.machine.replicas.front().task;
  if (subject.job.machine.device().name.kind == device::Kind::tpu) return subject.replicas();
  for (const cluster::Replica& replica : subject.job.machine.replicas)
    if (replica.task == task)
      count = std::max<std::int64_t>(count, replica.device.name.index.value_or(0) + 1);
  return count;
}

Expression cut(const scenario::LogicalDevices& devices) {
  Expression pieces = list({});
  for (const scenario::LogicalDevice& device : devices.cut) {
    Expression piece = call("tf.config.LogicalDeviceConfiguration");
    if (device.memory_limit)
      piece.with("memory_limit", literal(device.memory_limit->bytes.count() / (std::int64_t{1} << 20)));
    pieces.with(piece);
  }
  return pieces;
}

// tf.config.list_physical_devices('GPU')[1], for "GPU:1".
std::string physical(std::string_view name) {
  const device::Name parsed =
      device::parse_name("/" + std::string(name.starts_with('/') ? name.substr(1) : name));
  return fmt::format("tf.config.list_physical_devices('{}')[{}]",
                     device::name(parsed.kind.value_or(device::Kind::cpu)), parsed.index.value_or(0));
}

void show_devices(const std::vector<std::string>& visible, Lines& lines) {
  std::string indices;
  for (const std::string& name : visible)
    if (name.starts_with("GPU:")) indices += (indices.empty() ? "" : ", ") + name.substr(4);
  if (indices.empty())
    lines.add("tf.config.set_visible_devices([], 'GPU')");
  else  // A process without GPUs, such as a parameter server, has none to show.
    lines.add(fmt::format(
        "shown = [gpu for i, gpu in enumerate(tf.config.list_physical_devices('GPU')) if i in [{}]]\n"
        "tf.config.set_visible_devices(shown, 'GPU')",
        indices));
}

void configure_described(const Subject& subject, Lines& lines) {
  const scenario::Devices& devices = subject.scenario.devices;
  if (devices.visible) show_devices(*devices.visible, lines);
  if (devices.memory_growth)
    lines.add(
        "for gpu in tf.config.list_physical_devices('GPU'):\n"
        "    tf.config.experimental.set_memory_growth(gpu, True)");
  for (const auto& [name, pieces] : devices.logical)
    lines.state(call("tf.config.set_logical_device_configuration").with(physical(name)).with(cut(pieces)));
}

// ---- Options

// An option that TensorFlow doesn't have, and that changes times alone.
struct Foreign {
  std::string_view key{};
  std::string_view meaning{};  // for the head of the program
};
constexpr Foreign foreign[] = {
    {"algorithm", "the all-reduce of the communication library, which the library chooses itself"},
    {"overlap", "whether gradients are reduced during the backward pass"},
    {"bucket_cap", "the size of buckets"},
};

// A word of the options as TensorFlow's class or constant.
struct Spelled {
  std::string_view word{};
  std::string_view python{};
};
std::string_view spelled(std::span<const Spelled> table, const json::Value& word) {
  const auto row = std::ranges::find(table, std::string_view(word.string()), &Spelled::word);
  WT_EXPECT(row != table.end(), "the option {} has no spelling in Python", word.string());
  return row->python;
}

constexpr Spelled reductions[] = {
    {"nccl", "tf.distribute.NcclAllReduce"},
    {"hierarchical_copy", "tf.distribute.HierarchicalCopyAllReduce"},
    {"reduction_to_one_device", "tf.distribute.ReductionToOneDevice"},
    {"collective_nccl", "NCCL"},
    {"collective_ring", "RING"},
};
constexpr Spelled implementations[] = {{"auto", "AUTO"}, {"ring", "RING"}, {"nccl", "NCCL"}};

// A device of the program's own process: device('/GPU:1'), which --cpus changes.
std::string local(const Subject& subject, const device::Name& name) {
  const std::string text = fmt::format("'/{}:{}'", device::name(*name.kind), name.index.value_or(0));
  return is_on_accelerators(subject) ? fmt::format("device({})", text) : text;
}

Expression local_devices(const Subject& subject) {
  Expression devices = list({});
  for (const cluster::Replica& replica : subject.job.machine.replicas)
    devices.with(local(subject, replica.device.name));
  return devices;
}

std::int64_t bytes_of(const json::Value& text) { return parse<Bytes>(text.string()).count(); }

// ---- A strategy each

void default_strategy(const Subject&, Lines& lines) { lines.add("strategy = tf.distribute.get_strategy()"); }

void one_device(const Subject& subject, Lines& lines) {
  lines.assign(
      "strategy",
      call("tf.distribute.OneDeviceStrategy").with(local(subject, subject.job.machine.device().name)));
}

// TensorFlow's reductions on CPUs: NCCL is for GPUs alone.
void with_reduction(const Subject& subject, const json::Value& ops, Lines& lines) {
  const std::string_view name = spelled(reductions, ops);
  const bool is_nccl = ops.string() == "nccl";
  if (ops.string().starts_with("collective")) {
    lines.comment("MirroredStrategy takes collectives by itself, and there is no option that names them.");
    lines.add("cross_device_ops = None");
    return;
  }
  Expression made = call(name);
  if (const json::Value* packs = subject.option("num_packs");
      packs != nullptr && packs->kind() == json::Kind::integer)
    made.with("num_packs", literal(packs->integer()));
  if (const auto& center = subject.job.machine.center)
    made.with("reduce_to_device", local(subject, center->name));
  lines.state(made, "cross_device_ops = ",
              is_nccl && is_on_accelerators(subject) ? " if not arguments.cpus else None" : "");
}

void mirrored(const Subject& subject, Lines& lines) {
  Expression made = call("tf.distribute.MirroredStrategy").with("devices", local_devices(subject));
  const json::Value* ops = subject.option("cross_device_ops");
  if (ops != nullptr && ops->kind() == json::Kind::object)
    subject.refuse("strategy.cross_device_ops",
                   "a schedule in a file adds gradients, which TensorFlow can't carry out",
                   "name one of its reductions, such as \"nccl\"");
  const json::Value* faithful = subject.option("faithful");
  if (faithful != nullptr && !faithful->boolean() && subject.replicas() % 2 == 1 && subject.replicas() > 1)
    subject.refuse("strategy.faithful",
                   "TensorFlow itself leaves the last of an odd number of devices out of the sum",
                   "leave \"faithful\" out, or choose another reduction");
  if (ops != nullptr) {
    with_reduction(subject, *ops, lines);
    made.with("cross_device_ops", "cross_device_ops");
  }
  lines.assign("strategy", made);
}

void central_storage(const Subject& subject, Lines& lines) {
  Expression made = call("tf.distribute.experimental.CentralStorageStrategy")
                        .with("compute_devices", local_devices(subject));
  if (subject.option("parameter_device") != nullptr && subject.job.machine.center)
    made.with("parameter_device", local(subject, subject.job.machine.center->name));
  lines.assign("strategy", made);
}

void multi_worker_mirrored(const Subject& subject, Lines& lines) {
  const json::Value& options = *subject.option("communication_options");
  const std::string implementation(spelled(implementations, *options.find("implementation")));
  Expression made = call("tf.distribute.experimental.CommunicationOptions");
  if (const std::int64_t bytes = bytes_of(*options.find("bytes_per_pack")); bytes > 0)
    made.with("bytes_per_pack", literal(bytes));
  if (const auto timeout = subject.scenario.strategy->collective_timeout())
    made.with("timeout_seconds", literal(timeout->count()));
  const bool is_nccl = implementation == "NCCL" && is_on_accelerators(subject);
  made.with("implementation", is_nccl ? "'RING' if arguments.cpus else 'NCCL'" : literal(implementation));
  lines.assign("communication", made);
  lines.add("strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=communication)");
}

void tpu(const Subject& subject, Lines& lines) {
  if (!subject.job.machine.assigned.empty())
    subject.refuse(
        "strategy.experimental_assign_to_logical_device",
        "layers are on several cores of a replica, for which a model made of Keras' layers has no argument",
        "leave it out for the export, and call strategy.experimental_assign_to_logical_device in layers of "
        "your own");
  if (!subject.processes.empty())
    subject.refuse("cluster", "a program for a TPU slice has a resolver in place of tasks",
                   "leave \"cluster\" out");
  lines.add(R"(if arguments.cpus:
    strategy = tf.distribute.MirroredStrategy()
else:
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu=os.environ.get('TPU_NAME', 'local'))
    tf.config.experimental_connect_to_cluster(resolver)
    topology = tf.tpu.experimental.initialize_tpu_system(resolver))");
  lines.indented([&] {
    const json::Value* shape = subject.option("computation_shape");
    Expression made = call("tf.distribute.TPUStrategy").with("resolver");
    if (shape != nullptr) {
      lines.assign("assignment", call("tf.tpu.experimental.DeviceAssignment.build")
                                     .with("topology")
                                     .with("computation_shape", literal(*shape))
                                     .with("num_replicas", literal(subject.replicas())));
      made.with("experimental_device_assignment", "assignment");
    }
    lines.assign("strategy", made);
  });
}

Expression partitioner_of(const json::Value& written) {
  const std::string module = "tf.distribute.experimental.partitioners.";
  Expression made = call(module + "FixedShardsPartitioner");
  if (const json::Value* fixed = written.find("fixed_shards"))
    return made.with("num_shards", literal(fixed->integer()));
  if (const json::Value* least = written.find("min_size"))
    made = call(module + "MinSizePartitioner").with("min_shard_bytes", literal(bytes_of(*least)));
  if (const json::Value* most = written.find("max_size"))
    made = call(module + "MaxSizePartitioner").with("max_shard_bytes", literal(bytes_of(*most)));
  if (const json::Value* shards = written.find("max_shards"))
    made.with("max_shards", literal(shards->integer()));
  return made;
}

void parameter_server(const Subject& subject, Lines& lines) {
  lines.add(R"(resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ('worker', 'ps'):
    server = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type,
                                  task_index=resolver.task_id, protocol='grpc')
    server.join()  # serves the coordinator until it is ended)");
  Expression made = call("tf.distribute.ParameterServerStrategy").with("resolver");
  if (const json::Value* partitioner = subject.option("variable_partitioner"))
    made.with("variable_partitioner", partitioner_of(*partitioner));
  lines.assign("strategy", made);
}

void parameter_server_v1(const Subject& subject, Lines&) {
  subject.refuse("strategy.type",
                 "parameter_server_v1 is TensorFlow 1's, which trains with tf.estimator alone, and "
                 "TensorFlow has had no "
                 "Estimator since 2.16",
                 "export \"parameter_server\"");
}

struct StrategyText {
  std::string_view name{};
  void (*write)(const Subject& subject, Lines& lines) = nullptr;
};
constexpr StrategyText strategies[] = {
    {"default", default_strategy},
    {"one_device", one_device},
    {"mirrored", mirrored},
    {"central_storage", central_storage},
    {"multi_worker_mirrored", multi_worker_mirrored},
    {"tpu", tpu},
    {"parameter_server", parameter_server},
    {"parameter_server_v1", parameter_server_v1},
};

}  // namespace

void configure_devices(const Subject& subject, Lines& lines) {
  if (!is_on_accelerators(subject)) {
    configure_described(subject, lines);
    return;
  }
  // MultiWorkerMirroredStrategy and the workers of parameter servers take one CPU each.
  if (!subject.processes.empty() && subject.replicas_of_process() > 1)
    lines.add(fmt::format(
        "if arguments.cpus:\n"
        "    sys.exit('--cpus: each worker has {} replicas, and TensorFlow takes one CPU of a worker')",
        subject.replicas_of_process()));
  else
    lines.add("if arguments.cpus:\n    tf.config.set_visible_devices([], 'GPU')").indented([&] {
      if (const std::int64_t count = stand_ins(subject); count > 1)
        lines.state(call("tf.config.set_logical_device_configuration")
                        .with("tf.config.list_physical_devices('CPU')[0]")
                        .with(fmt::format("[tf.config.LogicalDeviceConfiguration()] * {}", count)));
    });
  Lines described;
  configure_described(subject, described);
  if (!described.empty()) lines.add("else:").indented([&] { lines.append(described); });
  if (!subject.scenario.devices.soft_placement) lines.add("tf.config.set_soft_device_placement(False)");
  lines.blank().blank().add(R"(def device(name):
    """The device, or with --cpus the logical CPU of the same number."""
    return name.replace('GPU', 'CPU') if arguments.cpus else name

)");
}

void make_strategy(const Subject& subject, Lines& lines) {
  const auto row = std::ranges::find(strategies, subject.scenario.strategy->name(), &StrategyText::name);
  WT_EXPECT(row != std::end(strategies), "no program for the strategy {}", subject.scenario.strategy->name());
  if (!subject.has_role("evaluator")) return row->write(subject, lines);
  lines.add("if task()[0] == 'evaluator':\n    strategy = tf.distribute.get_strategy()\nelse:");
  lines.indented([&] { row->write(subject, lines); });
}

std::vector<std::string> options_left_out(const Subject& subject) {
  std::vector<std::string> left_out;
  for (const Foreign& option : foreign)
    if (subject.option(option.key) != nullptr)
      left_out.push_back(fmt::format("\"{}\" of the strategy: {}", option.key, option.meaning));
  return left_out;
}

}  // namespace wt::tensorflow
