// A scenario describes one training in a JSON file. This folder turns the file into plain data (`Scenario`),
// and that into a model, datasets, an optimizer and a machine (`Job`), or into a list of everything that is
// wrong, each problem at its place in the file. Every key is described once: in scenario/keys.h, or for the
// options of a strategy in strategy/rows/. The parser, the JSON Schema and scenario.resolved.json are three
// readers of that description, so that a key which one of them knows is known to all:
//
//   "strategy": {"type": "mirrored"}  ->  Scenario::strategy  ->  resolved: "type": "mirrored"
//
// Training itself is in train/ and session/. Read on in scenario/parse.h, then scenario/build.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/quantity.h"
#include "cluster/tf_config.h"
#include "cost/price.h"
#include "data/distribute.h"
#include "device/type.h"
#include "model/semantics.h"
#include "model/zoo.h"
#include "plan/framework.h"
#include "strategy/strategy.h"
#include "timing/job_time.h"
#include "train/callback.h"

namespace wt::scenario {

using json::InputPath;

// A file or folder that is written: relative to the folder of the results.
struct OutputPath {
  std::string path{};
};

// A loss, an optimizer or a metric as Keras writes it: "adam", or {"class_name": "Adam", "config":
// {"learning_rate": 0.01}}. Always set after parsing.
struct Choice {
  std::optional<json::Value> written{};
};

// A choice for all outputs of a model; or one for each of them, in a list or by the output's name.
struct OutputChoice {
  std::optional<json::Value> written{};
  bool is_by_name() const;
  std::vector<json::Value> each() const;   // one for all outputs, or one for each, in the order of the file
  std::vector<std::string> names() const;  // of the outputs, in the same order; none if they are not named
};

// Metrics: a list for all outputs of a model; or one for each of them, in a list or by the output's name.
struct OutputMetrics {
  bool is_by_output = false;
  std::vector<std::vector<Choice>> lists{};
  std::vector<std::string> names{};  // none if outputs are not named
};

// A number, or lists of numbers nested to one shape: [[1, 2], [3, 4]].
struct Numbers {
  std::vector<std::int64_t> shape{};
  std::vector<double> values{};
};

// A number for each output of a model, in a list or by the output's name.
struct OutputNumbers {
  std::vector<double> values{};
  std::vector<std::string> names{};  // none if outputs are not named
};

// Numbers by the number of a class: {"0": 1, "1": 5}.
struct ClassWeights {
  std::map<std::int64_t, double> of{};
};

struct KerasModel {
  std::variant<InputPath, json::Value> keras_json{};  // a file, or written here
};

// A file with a model and its weights, as Keras saves them: .keras or .h5.
struct SavedKerasModel {
  InputPath keras{};
};

// A Sequential: a list of layers as Keras writes them, {"class_name": "Dense", "config": {"units": 10}}.
struct InlineModel {
  std::string name = "sequential";
  std::optional<json::Value> layers{};  // always set after parsing
};

struct Model {
  std::variant<model::ZooChoice, KerasModel, SavedKerasModel, InlineModel> form{};
  std::optional<InputPath>
      weights{};  // to begin with; where absent: the file's of a saved model, else as initialised
};

// A seed that is absent is the seed of the scenario. Parsing fills it in.

// What labels are (scenario/labels.h says which losses compare them).
enum class LabelKind : std::uint8_t {
  numbers,       // any, in the shape of the output
  positive,      // numbers that are not negative
  binary,        // 0 or 1, in the shape of the output
  distribution,  // numbers over the output's last axis that sum to 1, as one-hot rows do
  classes        // whole numbers, for each of which the last axis has an entry
};

// One for all outputs of a model, or one for each.
struct LabelKinds {
  std::vector<LabelKind> kinds{};
};

// Rows of the shapes that the model takes. Labels follow from them by a rule that a model can learn.
struct SyntheticData {
  std::int64_t rows = 0;
  std::optional<std::int64_t> seed{};
  std::optional<double> noise{};
  std::optional<double> zipf{};
  std::optional<InputPath> popularity{};  // a file of counts (data/counted_ids.h)
  std::optional<LabelKinds> labels{};     // absent: those that the losses compare
};

struct IdxData {
  InputPath images{};
  InputPath labels{};
};

// Fashion-MNIST's four files in one folder; MNIST's have the same names.
enum class Part : std::uint8_t { train, test };
struct FashionMnistData {
  InputPath folder{};
  Part part = Part::train;
};

// The names of tensors in a file: one, or a list of them.
struct TensorNames {
  std::vector<std::string> names{};
};

struct SafetensorsData {
  InputPath file{};
  TensorNames x{{"x"}};
  TensorNames y{{"y"}};
  std::optional<TensorNames> sample_weight{};
};

// Files that are read one after the other: one, a list, or all that a pattern with * matches, sorted by name.
struct InputFiles {
  std::vector<std::string> patterns{};
};

// The columns of tensors. In a file: a column, a list of columns for one tensor, or a list of these.
struct ColumnLists {
  std::vector<std::vector<std::string>> tensors{};
};

// By column, the words that may stand in it.
using ClassLists = std::map<std::string, std::vector<std::string>>;

struct CsvData {
  InputFiles file{};
  ColumnLists x{};  // none: one tensor of all columns that are no labels
  ColumnLists y{};
  std::optional<TensorNames> sample_weight{};  // columns
  std::vector<std::string> names{};            // of the columns; none: the first row has them
  std::string delimiter = ",";
  ClassLists classes{};
};

// A feature of every record: its shape, and its type where the list of the file has another one.
struct RecordFeature {
  std::vector<std::int64_t> shape{};
  std::optional<Type> dtype{};
};

struct TfRecordData {
  InputFiles file{};
  std::map<std::string, RecordFeature> features{};
  TensorNames x{};
  TensorNames y{};
  std::optional<TensorNames> sample_weight{};
};

// One row, again and again: tf.data.Dataset.from_tensors(([1.], [1.])).repeat(100).
struct ConstantData {
  Numbers x{};
  Numbers y{};
  std::int64_t rows = 0;
};

struct Shuffle {
  std::optional<std::int64_t> buffer{};  // absent: all rows
  std::optional<std::int64_t> seed{};
};

// Who says which rows a `shard` in the data leaves to each worker: the program in the worker, by the worker's index, or the
// strategy, for the autoshard policy "hint".
enum class Sharding : std::uint8_t { worker, hint };

// Applied in this order: skip, take, shard, shuffle, repeat, batch.
struct Dataset {
  std::variant<SyntheticData, IdxData, FashionMnistData, SafetensorsData, ConstantData, CsvData, TfRecordData>
      source{};
  std::int64_t skip = 0;               // of the first rows
  std::optional<std::int64_t> take{};  // of the rows that follow
  std::optional<Sharding> shard{};     // every n-th row for each of n workers
  std::optional<Shuffle> shuffle{};
  std::int64_t repeat = 1;  // -1: without end
  bool drop_remainder = false;
  data::AutoShardPolicy autoshard = data::AutoShardPolicy::automatic;  // among workers

  bool is_encoded() const {  // rows are text or records, which a host has to decode
    return std::holds_alternative<CsvData>(source) || std::holds_alternative<TfRecordData>(source);
  }
};

// How many tensors of weights a row has.
std::size_t sample_weights_of(const Dataset& dataset);

enum class Loop : std::uint8_t {
  custom,
  fit,
  predict,  // Keras' predict: inference alone (scenario/inference.h)
  estimator  // of tf.estimator, whose model is a function: refused (scenario/check.cpp), and train/estimator.h has it
};
// What the sum of a step's row losses is divided by.
enum class LossScale : std::uint8_t { global_rows, global_batch, keras };
// float32 and tf32: of the products and convolutions of float32 numbers. mixed_float16 and mixed_bfloat16: Keras' policy
// of all layers.
enum class Precision : std::uint8_t { float32, tf32, mixed_float16, mixed_bfloat16 };

// The type of gradients on the wire.
enum class Compression : std::uint8_t { float16, bfloat16 };

// The type in which layers compute under the policy; none if it is none.
std::optional<Type> mixed_type(std::optional<Precision> precision);

struct Evaluation {
  std::optional<Dataset> dataset{};     // the training's own rows where absent
  std::optional<std::int64_t> every{};  // epochs; absent: once, after training
  bool from_checkpoint = false;         // a fresh model, restored from the newest checkpoint
};

struct Checkpointing {
  OutputPath folder{"checkpoints"};
  std::optional<std::int64_t> every{};  // epochs; absent: 1
  std::optional<std::int64_t> first{};  // the first epoch that is saved, counted from 1; absent: `every`
  std::optional<std::int64_t> every_steps{};  // in place of epochs
  std::optional<std::int64_t> keep{};         // the newest ones; absent: all
  // tf.distribute.experimental.PreemptionCheckpointHandler: all workers save when one is about to be preempted.
  bool before_preemption = false;
  std::optional<Seconds> grace_period{};  // of its TerminationConfig
  // tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True): the training waits only while variables are
  // copied to the memory of hosts.
  bool asynchronous = false;
  std::optional<InputPath> restore{};  // a folder: begin from its newest checkpoint
};

// Whether a checkpoint is saved after so many of all epochs: after the first that is saved, each `every` epochs from
// there on, and after the last one, so that the training's result is not lost.
bool saves_after(const Checkpointing& checkpointing, std::int64_t epochs, std::int64_t all);

// What the program itself prints: templates with fields in braces, as Python's str.format fills them.
struct Printing {
  std::optional<std::string> begin{};  // before the first step
  std::optional<std::string> step{};   // after each step
  std::optional<std::string> epoch{};  // after each epoch
  std::optional<std::string> end{};    // after the training and the evaluation that follows it
};

// What a custom loop makes of the replicas' losses of a step.
enum class ReportedLoss : std::uint8_t {
  sum,   // strategy.reduce(SUM, losses, axis=None), of losses that each replica has scaled
  mean,  // strategy.reduce(MEAN, losses per row, axis=0): of the rows really in the step
};

struct Training {
  Loop loop = Loop::custom;
  bool is_inference() const { return loop == Loop::predict; }
  OutputChoice loss{};
  std::optional<OutputNumbers> loss_weights{};  // one for each output
  ClassWeights class_weight{};                  // empty: every row counts 1
  Choice optimizer{};
  OutputMetrics metrics{};
  OutputMetrics weighted_metrics{};
  // Exactly one of the two is given.
  std::optional<std::int64_t> per_replica_batch{};
  std::optional<std::int64_t> global_batch{};
  // Exactly one of the two is set after parsing; if the file gives none, it is one epoch.
  std::optional<std::int64_t> epochs{};
  std::optional<std::int64_t> steps{};  // of the whole training
  std::optional<std::int64_t> steps_per_epoch{};
  bool build_optimizer = false;  // a loop of one's own calls optimizer.build before its first step
  bool run_eagerly = false;      // step by step without tf.function
  bool jit_compile = false;      // XLA compiles the step
  // Of fit: in one call of the compiled function. Of a TPU: in one program that the host starts. Of workers: in one
  // dispatch of the coordinator.
  std::int64_t steps_per_execution = 1;
  // Closures after which the coordinator of parameter servers joins, beside the end of an epoch.
  std::optional<std::int64_t> join_every{};
  std::optional<double> target_loss{};    // of a step
  std::optional<LossScale> loss_scale{};  // global_batch in a custom loop, keras in fit; parsing fills it in
  std::optional<Precision> precision{};   // absent: what TensorFlow takes on such a device
  std::optional<Compression> gradient_compression{};
  std::map<std::int64_t, double> learning_rate_by_batch{};  // by global batch
  std::optional<Evaluation> evaluation{};
  std::optional<Checkpointing> checkpointing{};
  ReportedLoss reported_loss = ReportedLoss::sum;  // of a custom loop
  std::optional<Printing> print{};
  std::int64_t verbose = 0;                  // of fit: 2 prints a line for each epoch
  std::vector<train::Callback> callbacks{};  // of fit, in the order in which they are called
  std::optional<OutputPath> save_weights{};  // safetensors, or a file of Keras by its suffix
};

// The callback from whose saves the training is started again, in place of its own checkpoints; null: there is none.
const train::BackupAndRestore* backup_of(const Training& training);
// How often the state is saved from which the training can be started again, in so many epochs and steps.
std::int64_t saves_in(const Training& training, std::int64_t epochs, std::int64_t steps);

// Whether all workers save their state when one of them is about to be preempted.
bool saves_before_preemption(const Training& training);

// In a custom loop a loss that is only named is Keras' function: it gives a loss per row.
bool is_per_row(const json::Value& loss, Loop loop);

// The tasks of the cluster, in the form of TF_CONFIG. Absent: a worker on every machine, if the strategy has
// workers.
struct ClusterChoice {
  std::optional<json::Value> written{};
  cluster::TfConfig config{};
};

// The machine whose devices, memory and time are described, as platform/ reads it: a name, or an object.
// Absent: the CPU of this machine, and steps have no time unless it is measured.
struct PlatformChoice {
  std::optional<json::Value> written{};
  std::string folder{};  // of the scenario: paths begin there
  // The device type that "this_machine" stands for, if its rates were measured (scenario/this_machine.h).
  std::optional<device::DeviceType> this_machine{};
};

// A bare number is MiB, as in tf.config.LogicalDeviceConfiguration; text has a unit.
struct MemoryLimit {
  Bytes bytes{};
};
struct LogicalDevice {
  std::optional<MemoryLimit> memory_limit{};
};
struct LogicalDevices {
  std::vector<LogicalDevice> cut{};
};

// What a program sets with tf.config before anything runs. Physical devices have the same names: "GPU:0".
struct Devices {
  std::optional<std::vector<std::string>> visible{};
  bool memory_growth = false;
  std::map<std::string, LogicalDevices> logical{};  // by physical device
  bool soft_placement = true;
};

// Collectives in a step: all moves of all replicas, or those that are alike only once; automatic: where all
// are too many.
enum class Collectives : std::uint8_t { automatic, expanded, folded };

// How the processes that drive the devices are started: what a call of the communication library costs.
enum class Launch : std::uint8_t { threads, mpi, torch };

// What is set for NCCL or RCCL on the real machines, in the library's own syntax: the variable NCCL_ALGO or NCCL_PROTO,
// or the version (collective/library_settings.h).
struct NcclSetting {
  std::string text{};
};

// Where the times of kernels come from: the roofline, or measurements on this machine, now.
enum class Compute : std::uint8_t { roofline, measured };

// Or a profile of earlier measurements.
struct ProfileChoice {
  InputPath profile{};
  bool transfer = false;  // from another device: by the ratio of rooflines
};

struct ComputeChoice {
  std::variant<Compute, ProfileChoice> form{};

  bool is_roofline() const {
    const Compute* word = std::get_if<Compute>(&form);
    return word != nullptr && *word == Compute::roofline;
  }
};

// Where simulated times come from.
struct Time {
  ComputeChoice compute{};
  std::optional<Seconds> measured_step{};  // of one device, this model and batch: scales what is computed
  std::optional<plan::Fusion>
      fusion{};  // absent: program on a TPU, whose compiler is always there, else none
  std::optional<plan::Updates>
      updates{};  // absent: operations in Keras 3 unless operations are joined, else fused
  plan::Images image_data_format = plan::Images::channels_last;
  Collectives collectives = Collectives::automatic;
  Launch launch = Launch::threads;        // TensorFlow drives all devices of a machine from one process
  std::optional<Seconds> tiny_message{};  // of an all-reduce of 8 bytes on the real system: instead of launch
  std::optional<NcclSetting> nccl_algo{}, nccl_proto{}, nccl_version{};
  double jitter = 0;                    // standard deviation of each device's compute, over its mean
  std::optional<std::int64_t> steps{};  // that are played one after the other
  std::optional<Seconds> compile{};     // of a TPU's program, for one shape
  std::optional<Seconds> dispatch{};    // of a TPU's program, by its host
  bool software = true;                 // TensorFlow's own software on hosts takes its time
};

// Rows per second, or bytes of rows per second.
struct DecodeRate {
  std::variant<double, BytesPerSecond> rate{};
};

// What reading and decoding rows costs each host. Absent: they take no time.
struct Input {
  std::optional<Bytes> sample{};  // as it is stored; the row's own bytes where absent
  std::optional<DecodeRate> decode{};
  std::optional<BytesPerSecond> storage{};
  std::int64_t prefetch = 2;  // tf.data's AUTOTUNE would find the number by measurement
  bool on_device = false;     // rows are on the devices from the start

  bool takes_time() const { return decode || storage; }
};

// What fails at random: devices, machines, or the links of machines to the network.
enum class FailingPart : std::uint8_t { device, machine, link };

// One of: something is slow for some steps; a process is lost, once, at random or as a log says.
struct Fault {
  std::optional<std::string> slow{};        // a device, or a worker
  std::optional<std::string> degrade{};     // a worker's network, or a link of the platform
  std::optional<double> factor{};           // of both; absent: 1
  std::optional<std::int64_t> from_step{};  // of both; absent: 0
  std::optional<std::int64_t> until_step{};
  std::optional<std::string> kill{};     // a task: "worker:1", "ps:0", "chief"
  std::optional<std::string> preempt{};  // a task
  std::optional<std::string> cut{};      // a task, whose network carries nothing for `back_after`
  std::optional<std::int64_t> step{};    // of these three: before this step; absent: 0
  std::optional<Seconds> at{};           // or at this time
  std::optional<Seconds> grace{};        // of preempt
  std::optional<FailingPart> random{};
  std::optional<Seconds> mean_time{};  // between two failures of one of these parts
  std::optional<InputPath> log{};      // failures of a real cluster
  std::optional<Seconds> back_after{};
};

// Hosts beside the machines of the platform, for parameter servers, a coordinator or evaluators.
struct FurtherHosts {
  std::int64_t count = 0;
  cost::HourlyRate price{};
};

// Prices by platform, as the file names it: an id, an alias, or the beginning of one. scenario/expenses.h
// finds the price of the scenario's platform.
struct Expenses {
  std::map<std::string, cost::Price> prices{};
  std::int64_t spares = 0;  // machines, or slices of a TPU
  std::optional<FurtherHosts> hosts{};
};

enum class Numerics : std::uint8_t { cpu, cuda, none };

// What adds values among the GPUs of this machine: the moves and sums of the plan, or NCCL.
enum class HostCollectives : std::uint8_t { planned, nccl };

struct Host {
  std::optional<std::int64_t> threads{};  // of the CPU; absent: all. Results don't depend on it
  std::optional<LogicalDevices> logical_devices{};
  HostCollectives collectives = HostCollectives::planned;
};

// A rule that the scenario names in place of a strategy, and why it chose the strategy.
struct StrategyRule {
  std::string name{};  // "auto"
  std::string why{};
};

struct Scenario {
  std::string name{};
  std::string description{};
  PlatformChoice platform{};
  ClusterChoice cluster{};
  Devices devices{};
  strategy::AnyStrategy strategy{};
  std::optional<StrategyRule> strategy_rule{};  // absent: the scenario names the strategy itself
  Model model{};
  Dataset dataset{};
  Training training{};
  Numerics numerics = Numerics::cpu;
  Time time{};
  std::optional<Input> input{};
  std::vector<Fault> faults{};
  std::optional<timing::GivenTimes> job{};  // Set if the scenario asks for the time of the whole training.
  std::optional<Expenses> cost{};
  Host host{};
  std::int64_t seed = 0;
  model::Semantics semantics = model::default_semantics;
  // Whether faults of TensorFlow and Keras are repeated (train/keras_faults.h). Parsing fills it in: a scenario that names
  // its semantics wants what this version does.
  std::optional<bool> faithful{};
  std::string
      semantics_rule{};  // why, if the scenario doesn't name its semantics: "the default", or the model's file

  // The place of each key of the file, by its dotted path; "" is the first bracket of the file. The place of
  // a key that is absent is the place of the nearest object around it.
  std::map<std::string, Place, std::less<>> places{};
  Place place(std::string_view path) const;

  std::int64_t global_batch(std::int64_t replicas = 1) const;
  // "strategy auto: mirrored, since the machine is one with 8 devices"; empty without a rule.
  std::string chosen_strategy() const;
  // "keras2 (TensorFlow 2.x with Keras 2.15): model.json was written by Keras 2.15.0".
  std::string chosen_semantics() const;
};

}  // namespace wt::scenario
