#pragma once
// Every key of a scenario, once: its name, the member it fills (whose type says what the key may be and whose
// first value is the default), its range, and a line of meaning. Readers of this description are the parser,
// the JSON Schema and the resolved scenario. The keys of a strategy's options stand in strategy/rows/; the
// readers visit them through strategy/options.h.
//
//   visit(key, member)                 a key
//   visit.later(name, meaning)         a key of later versions: refused by name
//   visit.exactly_one({"a", "b"})      one of these keys must be there; at_most_one: may be there

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "scenario/callback_keys.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

using json::count;
using json::Key;
using json::optional;
using json::required;
using json::required_count;
using json::Together;

template <class Visit>
void keys_of(Visit& visit, SyntheticData& data) {
  visit(required_count("rows", "how many rows are made"), data.rows);
  visit(optional("seed", "draws the rows; the scenario's seed where absent"), data.seed);
  visit(Key{.name = "noise",
            .meaning = "how far rows stray from their class, or labels from the rule; each kind has its own "
                       "where absent",
            .at_least = 0,
            .at_most = 1},
        data.noise);
  visit(Key{.name = "zipf",
            .meaning = "the exponent of Zipf's law, by which ids that a model looks up are drawn: id k is "
                       "(k + 1)^-zipf as likely as id 0; absent: all are equally likely",
            .at_least = 0,
            .at_most = 10},
        data.zipf);
  visit(optional("popularity",
                 "a CSV file with how often each id was looked up, by which ids are drawn: \"id,count\", or "
                 "\"first,last,count\" for ranges of ids that are equally likely"),
        data.popularity);
  visit.at_most_one({"zipf", "popularity"});
  visit(optional("labels",
                 "what labels are: classes, one_hot (a distribution over the classes), binary, numbers, or "
                 "positive numbers; "
                 "a list has one word for each output of the model; what each loss compares where absent"),
        data.labels);
}

template <class Visit>
void keys_of(Visit& visit, IdxData& data) {
  visit(required("images", "an IDX file of images, plain or gzip; divided by 255, with a channel axis"),
        data.images);
  visit(required("labels", "an IDX file of labels, plain or gzip"), data.labels);
}

template <class Visit>
void keys_of(Visit& visit, FashionMnistData& data) {
  visit(required("folder", "the folder of Fashion-MNIST's four files, plain or gzip"), data.folder);
  visit(optional("part", "60000 rows to train on, or 10000 to test on"), data.part);
}

template <class Visit>
void keys_of(Visit& visit, SafetensorsData& data) {
  visit(required("file", "a safetensors file with a tensor of inputs and one of labels"), data.file);
  visit(optional("x",
                 "the name of the tensor of inputs, whose first axis are the rows; a list has one for each "
                 "input of the model"),
        data.x);
  visit(optional("y", "the name of the tensor of labels; a list has one for each output of the model"),
        data.y);
  visit(optional("sample_weight",
                 "the name of the tensor of weights, as Keras' fit has it: by how much a row counts in the "
                 "loss and in the weighted metrics; a list has "
                 "one for each output of the model"),
        data.sample_weight);
}

template <class Visit>
void keys_of(Visit& visit, CsvData& data) {
  visit(required("file",
                 "a CSV file, plain or gzip; or a list of them, or a pattern as \"part-*.csv\": each worker "
                 "then reads "
                 "files of its own"),
        data.file);
  visit(optional("x",
                 "the columns of the input: a list of names; a list of such lists has one for each input of "
                 "the model; all "
                 "columns but those of y where absent"),
        data.x);
  visit(optional("y",
                 "the column of the labels, or a list of them for one output; a list of lists has one for "
                 "each output of "
                 "the model; predict alone needs none"),
        data.y);
  visit(optional("sample_weight",
                 "the column of weights, as Keras' fit has it: by how much a row counts in the loss and in "
                 "the weighted metrics; a list has "
                 "one for each output of the model"),
        data.sample_weight);
  visit(optional("names", "the names of the columns of files without a first row of names"), data.names);
  visit(optional("delimiter", "the character between fields"), data.delimiter);
  visit(optional("classes",
                 "by column, the words that may stand in it; each is read as its position in the list: "
                 "{\"species\": "
                 "[\"setosa\", \"virginica\"]}"),
        data.classes);
}

template <class Visit>
void keys_of(Visit& visit, RecordFeature& feature) {
  visit(Key{.name = "shape", .meaning = "of the feature in one record; [] is a number", .at_least = 1},
        feature.shape);
  visit(optional("dtype",
                 "of its numbers; absent: int64 of an int64_list, float32 of a float_list, uint8 of the raw "
                 "bytes of a "
                 "bytes_list"),
        feature.dtype);
}

template <class Visit>
void keys_of(Visit& visit, TfRecordData& data) {
  visit(required("file",
                 "a TFRecord file of tf.train.Example, plain or compressed (GZIP, ZLIB); or a list of them, "
                 "or a pattern as "
                 "\"train-*.tfrecord\": each worker then reads files of its own"),
        data.file);
  visit(required("features",
                 "the features that are read, by name, as tf.io.FixedLenFeature describes them: {\"image\": "
                 "{\"shape\": "
                 "[28, 28, 1], \"dtype\": \"uint8\"}, \"label\": {\"shape\": []}}"),
        data.features);
  visit(required("x", "the feature that is the input; a list has one for each input of the model"), data.x);
  visit(optional("y",
                 "the feature that is the label; a list has one for each output of the model; predict alone "
                 "needs none"),
        data.y);
  visit(optional("sample_weight",
                 "the feature that is the weight, as Keras' fit has it: by how much a row counts in the loss "
                 "and in the weighted metrics; a list has "
                 "one for each output of the model"),
        data.sample_weight);
}

template <class Visit>
void keys_of(Visit& visit, ConstantData& data) {
  visit(required("x", "one row of input: a number, or lists of numbers"), data.x);
  visit(required("y", "one row's label: a number, or lists of numbers"), data.y);
  visit(required_count("rows", "how often the row is repeated"), data.rows);
}

// The parameters of a model of the zoo. Requires: the choice has a model.
template <class Visit>
void keys_of(Visit& visit, model::ZooChoice& choice) {
  for (const model::ZooParameter& parameter : choice.model->parameters) {
    std::int64_t& value =
        choice.values.try_emplace(std::string(parameter.name), parameter.otherwise).first->second;
    if (parameter.is_flag) {
      bool flag = value != 0;
      visit(optional(parameter.name, parameter.summary), flag);
      value = flag ? 1 : 0;
    } else {
      visit(Key{.name = parameter.name,
                .meaning = parameter.summary,
                .at_least = parameter.at_least,
                .at_most = parameter.at_most},
            value);
    }
  }
}

// Rows of a replica in a step: as many as an axis of a layer has at most. Rows of all replicas: a batch for
// 64 of them.
inline constexpr std::int64_t most_rows_of_replica = 1 << 24;
inline constexpr std::int64_t most_rows_of_step = 1 << 30;

// Steps that are simulated one after the other, and batches that wait for them.
inline constexpr std::int64_t most_played_steps = 1'000'000;

// Of a bare number that limits memory: 2^50 bytes.
inline constexpr std::int64_t most_mebibytes = 1 << 30;

// More than any machine has.
inline constexpr std::int64_t most_threads = 4096;

inline constexpr Key saved_model =
    required("keras", "a .keras or .h5 file with a model and its weights, as model.save writes it");
inline constexpr Key initial_weights =
    optional("weights",
             "a file with the weights to begin with: safetensors by the variables' names, or .weights.h5, "
             ".h5 or .keras "
             "as Keras saves them; absent: those in the file of \"keras\", else as layers initialise them");

template <class Visit>
void keys_of(Visit& visit, Shuffle& shuffle) {
  visit(count("buffer", "rows that are drawn from at a time; all where absent"), shuffle.buffer);
  visit(optional("seed", "draws the order; the scenario's seed where absent"), shuffle.seed);
}

// Beside `type` and the keys of the source it names.
template <class Visit>
void keys_of(Visit& visit, Dataset& dataset) {
  visit(Key{.name = "skip",
            .meaning = "leave out so many of the first rows",
            .at_least = 0,
            .at_most = json::most},
        dataset.skip);
  visit(count("take", "only so many of the rows, those first of which are not left out"), dataset.take);
  visit(
      optional(
          "shard",
          "the program shards the rows itself, every n-th row for each of n workers: worker, by the index of "
          "the worker, or hint, for the autoshard policy hint"),
      dataset.shard);
  visit(optional("shuffle", "rows in random order, another one every epoch; in order where absent"),
        dataset.shuffle);
  visit(Key{.name = "repeat",
            .meaning = "how often an epoch goes through the rows; -1: without end",
            .at_least = -1,
            .at_most = json::most,
            .except = 0},
        dataset.repeat);
  visit(optional("drop_remainder", "leave out a last batch that is short"), dataset.drop_remainder);
  visit(
      optional(
          "autoshard",
          "how rows are divided among workers: by file, by row, by the program's own shard (hint), or not at "
          "all; auto: by file where there are files"),
      dataset.autoshard);
}

template <class Visit>
void keys_of(Visit& visit, Evaluation& evaluation) {
  visit(optional("dataset", "rows to evaluate on; the training's where absent"), evaluation.dataset);
  visit(count("every", "evaluate after so many epochs; once, after training, where absent"),
        evaluation.every);
  visit(optional("from_checkpoint", "evaluate a fresh model that is restored from the newest checkpoint"),
        evaluation.from_checkpoint);
}

template <class Visit>
void keys_of(Visit& visit, Checkpointing& checkpointing) {
  visit(optional("folder", "where checkpoints are written, in the folder of the results"),
        checkpointing.folder);
  visit(count("every", "save after so many epochs; after each where absent"), checkpointing.every);
  visit(count("every_steps", "save after so many steps, in place of epochs"), checkpointing.every_steps);
  visit.at_most_one({"every", "every_steps"});
  visit(
      count(
          "first",
          "the first epoch after which one is saved: 1 with \"every\": 2 saves after the epochs 1, 3, 5, as "
          "\"if epoch % 2 == 0\" does in a program that counts from 0; \"every\" where absent. The last "
          "epoch is "
          "always saved"),
      checkpointing.first);
  visit.at_most_one({"first", "every_steps"});
  visit(count("keep", "only so many of the newest are kept; all where absent"), checkpointing.keep);
  visit(optional(
            "before_preemption",
            "save also when a task is about to be preempted, as PreemptionCheckpointHandler does, within the "
            "\"grace\" of that fault"),
        checkpointing.before_preemption);
  visit(
      optional(
          "grace_period",
          "that of PreemptionCheckpointHandler's TerminationConfig: after a notice the state is saved, the "
          "training goes on for about so long, and the state is saved once more; where absent, the job ends "
          "with the first save"),
      checkpointing.grace_period);
  visit(optional(
            "asynchronous",
            "write a checkpoint while the training goes on, which waits only until its variables are in the "
            "hosts' memory and the checkpoint before is written, as tf.train.CheckpointOptions("
            "experimental_enable_async_checkpoint=True) does"),
        checkpointing.asynchronous);
  visit(optional("restore", "a folder: begin from its newest checkpoint"), checkpointing.restore);
}

inline constexpr json::Unless unless_inference{"loop", "predict"};

template <class Visit>
void keys_of(Visit& visit, Printing& printing) {
  visit(optional("begin", "a line before the first step, with the fields {replicas} and {global_batch}"),
        printing.begin);
  visit(optional("step",
                 "a line after each step, with {step} and {loss}; {loss!s} is the text of a tensor, as "
                 "print(loss) has it"),
        printing.step);
  visit(
      optional(
          "epoch",
          "a line after each epoch, with {epoch}, {loss} and the metrics' names, and val_ before those of an "
          "evaluation; {accuracy*100} is in percent, {loss:.3f} has 3 digits, and a field alone has all "
          "digits, "
          "as Python's str.format prints a tensor"),
      printing.epoch);
  visit(optional("end",
                 "a line after the training, with the fields of its last epoch and of the last evaluation"),
        printing.end);
}

template <class Visit>
void keys_of(Visit& visit, Training& training) {
  visit(optional(
            "loop",
            "custom, a loop of one's own with tape and optimizer; Keras' fit; or Keras' predict: inference "
            "alone, which has no use for a loss or an optimizer and writes its predictions to "
            "predictions.safetensors; estimator is refused, since its model is a function of a program"),
        training.loop);
  visit(Key{.name = "loss",
            .meaning =
                "by name, or with its configuration; a list has one for each output of the model, and so "
                "has an object by the outputs' names; their sum is minimised",
            .required_unless = unless_inference,
            .names = loss_names},
        training.loss);
  visit(optional(
            "loss_weights",
            "a number for each output of the model, in a list or by the output's name, by which its loss is "
            "multiplied before the losses are added; 1 for each where absent"),
        training.loss_weights);
  visit(optional("class_weight",
                 "how much a row counts in the loss of a training step, by its class, as Keras' fit has it: "
                 "{\"0\": 1, \"1\": 5}; in Keras 3 a class that is absent counts 1"),
        training.class_weight);
  visit(Key{.name = "optimizer",
            .meaning = "by name, or with its configuration",
            .required_unless = unless_inference,
            .names = optimizer_names},
        training.optimizer);
  visit(Key{.name = "metrics",
            .meaning = "what is measured beside the loss: a list for all outputs; a list of lists has one "
                       "for each output of "
                       "the model, and so has an object by the outputs' names",
            .names = metric_names},
        training.metrics);
  visit(Key{.name = "weighted_metrics",
            .meaning = "metrics in which a row counts by its \"sample_weight\" or \"class_weight\", given "
                       "like \"metrics\"; "
                       "one that stands in both lists is shown as weighted_..., too",
            .names = metric_names},
        training.weighted_metrics);
  visit(count("per_replica_batch", "rows of one replica in one step", most_rows_of_replica),
        training.per_replica_batch);
  visit(count("global_batch", "rows of all replicas together in one step", most_rows_of_step),
        training.global_batch);
  visit.exactly_one({"per_replica_batch", "global_batch"});
  visit(count("epochs", "how often the dataset is gone through; 1 where `steps` is absent"), training.epochs);
  visit(count("steps", "how many steps are trained, instead of epochs"), training.steps);
  visit.at_most_one({"epochs", "steps"});
  visit(count("steps_per_epoch", "an epoch ends after so many steps; with the dataset where absent"),
        training.steps_per_epoch);
  visit.at_most_one({"steps", "steps_per_epoch"});
  visit(count("steps_per_execution",
              "steps that fit or predict runs in one call of its compiled function, as Keras' compile says: "
              "its own work "
              "on the host is then done once for all of them; steps in one program that a TPU's host starts, "
              "where \"dispatch\" in \"time\" is what starting costs; or steps that a coordinator dispatches "
              "together to a worker"),
        training.steps_per_execution);
  visit(optional(
            "build_optimizer",
            "the program's own loop calls optimizer.build(model.trainable_variables) before its first step, "
            "without which Keras 3 ends it where replicas mirror the optimizer's slots"),
        training.build_optimizer);
  visit(optional(
            "run_eagerly",
            "operation by operation, without tf.function, as Keras' compile says: the host's time for each "
            "operation bounds the step; numbers stay the same"),
        training.run_eagerly);
  visit(optional(
            "jit_compile",
            "XLA compiles the step, as Keras' compile says: \"fusion\" in \"time\" is activations; numbers "
            "stay the same"),
        training.jit_compile);
  visit(count("join_every",
              "the coordinator of parameter servers joins after so many steps: it schedules the next ones "
              "when these "
              "have ended; 1 lets the workers take turns, one at a time; where absent it joins when an epoch "
              "ends"),
        training.join_every);
  visit(optional("loss_scale",
                 "what the sum of the rows' losses is divided by: the rows really in the step, the nominal "
                 "batch, or as fit "
                 "does; global_batch for a custom loop, keras for fit"),
        training.loss_scale);
  visit(optional("target_loss",
                 "the first step whose loss is at most this is reported, with its simulated time"),
        training.target_loss);
  visit(
      optional(
          "precision",
          "float32 or tf32, of the products and convolutions of float32 numbers: tf32 where absent on GPUs "
          "that have it, else float32, for their time; a GPU's numbers are in tf32 where it says so, all "
          "others in float32. mixed_float16 or mixed_bfloat16, as Keras' set_global_policy before the model "
          "is made: layers compute with 16 bits, variables and what goes over the wire stay float32, and fit "
          "scales the loss of mixed_float16"),
      training.precision);
  visit(optional("gradient_compression",
                 "float16 or bfloat16: gradients are rounded before they are summed over the replicas, and "
                 "take half "
                 "the bytes on the wire, as with Horovod's Compression.fp16; TensorFlow has no such option"),
        training.gradient_compression);
  visit(optional("learning_rate_by_batch", "the optimizer's learning rate, looked up by the global batch"),
        training.learning_rate_by_batch);
  visit(optional("evaluation", "measure on other rows, or after training"), training.evaluation);
  visit(optional("checkpointing", "save what is trained from time to time"), training.checkpointing);
  visit(optional("reported_loss",
                 "what a custom loop reports of a step: the sum of the replicas' scaled losses "
                 "(strategy.reduce with SUM "
                 "and no axis), or the mean of the rows really in the step (MEAN along axis 0); the "
                 "gradients are the same"),
        training.reported_loss);
  visit(optional("print", "lines that the program itself prints"), training.print);
  visit(Key{.name = "verbose",
            .meaning =
                "as in Keras' fit: 2 prints a line with the results and the simulated time of each epoch",
            .at_least = 0,
            .at_most = 2},
        training.verbose);
  visit(optional("callbacks", "what fit does beside training, called in this order, as Keras' callbacks"),
        training.callbacks);
  visit(optional(
            "save_weights",
            "a file for the trained weights, in the folder of the results: Keras reads NAME.weights.h5, and "
            "NAME.keras with the model; any other name is a safetensors file"),
        training.save_weights);
  visit.later("regularizers", "penalties on all weights; a layer's own stand in its configuration");
}

inline constexpr Key strategy_type = optional("type", "how the training is spread over devices");

template <class Visit>
void keys_of(Visit& visit, scenario::LogicalDevice& device) {
  visit(
      optional(
          "memory_limit",
          "of a GPU that is cut in pieces, or of this machine's memory: in MiB, or with a unit; a described "
          "CPU has none"),
      device.memory_limit);
}

template <class Visit>
void keys_of(Visit& visit, Devices& devices) {
  visit(optional("visible", "the physical devices that the program sees, as [\"GPU:0\"]; all where absent"),
        devices.visible);
  visit(optional("memory_growth", "GPUs begin small and grow, instead of taking all of their memory"),
        devices.memory_growth);
  visit(optional(
            "logical",
            "physical devices that are cut: {\"GPU:0\": [{\"memory_limit\": 1024}, ...]}; pieces of one card "
            "compute in turns"),
        devices.logical);
  visit(optional("soft_placement", "an operation without a kernel on the device asked for goes elsewhere"),
        devices.soft_placement);
}

template <class Visit>
void keys_of(Visit& visit, ProfileChoice& choice) {
  visit(required("profile", "a file that `calibrate` or a measured run wrote"), choice.profile);
  visit(
      optional("transfer",
               "its times may be another device's: they are multiplied by the ratio of rooflines, and marked "
               "as estimated"),
      choice.transfer);
}

template <class Visit>
void keys_of(Visit& visit, Time& time) {
  visit(optional(
            "compute",
            "how long kernels take: by the roofline, measured on this machine now (for devices of the type "
            "this_machine), or as a profile says"),
        time.compute);
  visit(optional("measured_step",
                 "how long one step really took on one such device, with this model and batch; scales what "
                 "is computed"),
        time.measured_step);
  visit(
      optional("fusion",
               "how far the framework joins operations: none (TensorFlow's own), activations (XLA: with the "
               "normalization before them), program (TPU); absent: what the device's usual framework does"),
      time.fusion);
  visit(optional("updates",
                 "how an optimizer's update of a variable runs: fused (one kernel), or operations (a kernel "
                 "for each operation); absent: operations in Keras 3 without XLA, else fused"),
        time.updates);
  visit(optional(
            "image_data_format",
            "how the framework keeps images between kernels: channels_last, to which TensorFlow's layout "
            "optimizer turns halves on GPUs by itself, or channels_first, PyTorch's default, from which each "
            "convolution of halves on matrix units turns its images"),
        time.image_data_format);
  visit(
      optional(
          "collectives",
          "how collectives are played: expanded plays every move of every replica; folded plays one task for "
          "all tasks that are alike, where a collective begins when the last replica is ready, and the "
          "step's "
          "error is smaller than the time that it waits for collectives; auto expands, and folds steps that "
          "are too large for it"),
      time.collectives);
  visit(optional("launch",
                 "what drives the devices: threads of one process on each machine, as in TensorFlow, or "
                 "a process for each device"),
        time.launch);
  visit(optional("tiny_message",
                 "how long an all-reduce of 8 bytes takes on the real system; says what launching "
                 "costs there"),
        time.tiny_message);
  visit(
      optional("nccl_algo",
               "the algorithms that NCCL may choose, as its variable NCCL_ALGO says it: \"Ring\", \"^NVLS\""),
      time.nccl_algo);
  visit(optional(
            "nccl_proto",
            "the protocols that NCCL may choose, as its variable NCCL_PROTO says it: \"Simple\", \"^LL128\""),
        time.nccl_proto);
  visit(optional("nccl_version",
                 "the version of NCCL, as \"2.21\": what came later isn't chosen; absent: 2.30"),
        time.nccl_version);
  visit(Key{.name = "jitter",
            .meaning =
                "how far each device's compute strays from step to step: the standard deviation over the "
                "mean, as 0.05; drawn by the scenario's seed",
            .at_least = 0,
            .at_most = 1},
        time.jitter);
  visit(
      count(
          "steps",
          "how many steps are played one after the other. Absent: with jitter 100; with input or faults "
          "until they repeat; with parameter servers as many as show their steady pace; else one, as all are "
          "alike",
          most_played_steps),
      time.steps);
  visit(
      optional(
          "compile",
          "how long a TPU's program is compiled, once for each number of rows that a step may have; reported "
          "beside the steps; absent: compile time not modelled"),
      time.compile);
  visit(
      optional(
          "dispatch",
          "how long a TPU's host takes to start a program, once for steps_per_execution steps; nothing where "
          "absent"),
      time.dispatch);
  visit(optional(
            "software",
            "whether TensorFlow's own software takes time on the hosts, as measured for its loops (see "
            "\"loop\", "
            "\"run_eagerly\"); true where absent; never counted for tpu and parameter servers, where nothing "
            "is measured"),
        time.software);
}

template <class Visit>
void keys_of(Visit& visit, Input& input) {
  visit(optional("sample", "bytes of a row as it is stored; the row's own where absent"), input.sample);
  visit(
      optional("decode",
               "what a host decodes: \"1500 samples/s\", or bytes as they are stored, \"300 MB/s\"; at once "
               "where absent"),
      input.decode);
  visit(optional("storage", "how fast a host reads what is stored; at once where absent"), input.storage);
  visit(Key{.name = "prefetch",
            .meaning = "batches of a host that are ready before they are wanted, as tf.data's prefetch(2)",
            .at_least = 0,
            .at_most = most_played_steps},
        input.prefetch);
  visit(optional(
            "on_device",
            "the rows are on the devices from the start, as in benchmarks on synthetic data: a step copies "
            "none"),
        input.on_device);
}

template <class Visit>
void keys_of(Visit& visit, Fault& fault) {
  visit(optional("slow", "what computes slower: a device, \"GPU:1\", or all of a worker, \"worker:1\""),
        fault.slow);
  visit(
      optional("degrade",
               "what carries fewer bytes per second: the network of a worker, \"worker:1\", or a link of the "
               "platform, \"machine 0/gpu 0 -> nvswitch\""),
      fault.degrade);
  visit(Key{.name = "factor",
            .meaning = "of slow and degrade: how many times as long it takes",
            .at_least = 1,
            .at_most = 1'000'000},
        fault.factor);
  visit(Key{.name = "from_step",
            .meaning = "of slow and degrade: the first such step, counted from 0",
            .at_least = 0,
            .at_most = json::most},
        fault.from_step);
  visit(count("until_step", "of slow and degrade: the first step that is as before; none where absent"),
        fault.until_step);
  visit(optional("kill", "the task whose process ends: \"worker:1\", \"ps:0\", \"chief\""), fault.kill);
  visit(optional("preempt", "the task whose machine is taken away after a notice"), fault.preempt);
  visit(
      optional(
          "cut",
          "what carries nothing until \"back_after\": the network of a task, \"worker:1\", or a link of the "
          "platform by its name"),
      fault.cut);
  visit(Key{.name = "step",
            .meaning = "of kill, preempt and cut: the step that it doesn't reach, counted from 0",
            .at_least = 0,
            .at_most = json::most},
        fault.step);
  visit(optional("at", "in place of \"step\": the time since the first step began, as \"90 s\""), fault.at);
  visit(optional("grace", "of preempt: the time from the notice to the end of the process, as \"30 s\""),
        fault.grace);
  visit(optional("random", "what fails at random, drawn by the scenario's seed"), fault.random);
  visit(
      optional("mean_time",
               "of random: the mean time between two failures of one device, machine or link, as \"3000 h\""),
      fault.mean_time);
  visit(optional(
            "log",
            "a CSV file with the failures of a real cluster: its columns node, start and end are a machine's "
            "number and two dates or numbers of seconds"),
        fault.log);
  visit(optional("back_after",
                 "until the machine, or the network, can be used again, as \"5 min\"; at once where absent"),
        fault.back_after);
  visit.exactly_one({"slow", "degrade", "kill", "preempt", "cut", "random", "log"});
  visit.at_most_one({"step", "at"});
}

template <class Visit>
void keys_of(Visit& visit, timing::GivenTimes& given) {
  visit(optional("start", "how long processes and communicators take to start, as \"40 s\" or \"2 min\""),
        given.start);
  visit(optional(
            "first_values",
            "how long the first values of all variables take from the first replica to all others; simulated "
            "where absent"),
        given.first_values);
  visit(optional("tracing",
                 "how long one function is traced: the training step, in a custom loop again for a partial "
                 "batch, and the evaluation"),
        given.tracing);
  visit(optional("shuffle", "how long a shuffle buffer takes to fill; by \"input\" where absent"),
        given.shuffle);
  visit(optional("first_input",
                 "how much longer the first step after each start of the input is; simulated with \"input\" "
                 "where absent"),
        given.first_input);
  visit(optional("step", "how long a step of a whole batch takes on all devices; simulated where absent"),
        given.step);
  visit(optional("partial_step", "how long a step of a partial batch takes; simulated where absent"),
        given.partial_step);
  visit(optional("evaluation", "how long one evaluation takes; simulated where absent"), given.evaluation);
  visit(optional("checkpoint", "how long it takes to save one checkpoint"), given.checkpoint);
  visit(
      optional("checkpoint_size",
               "how large a checkpoint is, as \"100 GB\"; where absent, as large as all variables, those of "
               "the optimizer included"),
      given.checkpoint_size);
  visit(
      optional("storage", "how fast a checkpoint is written, by all that write it together, as \"20 GB/s\""),
      given.storage);
  visit.at_most_one({"checkpoint", "storage"});
  visit(
      optional("holds_rows",
               "the rows are read from that storage, too: hosts share its speed with each other, and with a "
               "checkpoint that is written meanwhile"),
      given.holds_rows);
  visit(optional("time_between_failures",
                 "the mean time between two failures of one machine, as \"5000 h\"; for GPUs a published "
                 "rate where absent"),
        given.time_between_failures);
  visit(optional("time_between_device_failures",
                 "the mean time between two failures of one device, as \"3000 h\", beside those of machines"),
        given.time_between_device_failures);
  visit(optional("restart",
                 "the time from a failure to the next step; where absent, what starting takes is repeated"),
        given.restart);
  visit(Key{.name = "restarts",
            .meaning = "how often the job is started again after a failure, from its newest checkpoint; "
                       "never where absent",
            .at_least = 0,
            .at_most = json::most},
        given.restarts);
}

template <class Visit>
void keys_of(Visit& visit, cost::Price& price) {
  visit(optional("rent",
                 "the price of an hour of a machine, \"98.32 USD/h\", of a chip, "
                 "\"4.10 USD/chip-hour\", or of a TPU slice, \"80 USD/slice-hour\""),
        price.rent);
  visit(optional("terms", "of the rent: on_demand, committed or spot"), price.terms);
  visit(optional("purchase", "what a machine costs to buy, as \"250000 USD\""), price.purchase);
  visit.exactly_one({"rent", "purchase"});
  visit(optional("per", "what the purchase buys: a machine, a chip or a slice"), price.per);
  visit(optional("lifetime",
                 "of a purchase: how long it is used, as \"4 years\" of 365 days; required with it"),
        price.lifetime);
  visit(Key{.name = "utilization",
            .meaning = "of a purchase: the share of its lifetime in which jobs run, above 0",
            .at_least = 0,
            .at_most = 1},
        price.utilization);
  visit(Key{.name = "pue",
            .meaning = "of a purchase: power usage effectiveness, all power of the data centre over that of "
                       "its computers",
            .at_least = 1,
            .at_most = 10},
        price.overhead);
  visit(optional("electricity",
                 "of a purchase: the price of a kilowatt hour, \"0.12 USD/kWh\"; electricity is not counted "
                 "where absent"),
        price.energy);
  visit(
      optional("power",
               "of a purchase: what it draws under load, as \"10.2 kW\"; the published power of its devices "
               "and CPUs where absent"),
      price.power);
  visit(optional("date", "the day on which the price was valid, as \"2026-11-23\""), price.date);
  visit(optional("source", "where the price is from"), price.source);
}

template <class Visit>
void keys_of(Visit& visit, FurtherHosts& hosts) {
  visit(Key{.name = "count",
            .meaning = "how many hosts",
            .required = true,
            .at_least = 1,
            .at_most = json::most},
        hosts.count);
  visit(required("price", "the price of an hour of one host, \"0.80 USD/h\""), hosts.price);
}

template <class Visit>
void keys_of(Visit& visit, Expenses& cost) {
  visit(
      optional("prices",
               "by platform, its price in one line, \"98.32 USD/h, spot, 2026-11-23, where it is from\", or "
               "an object; no price is shipped"),
      cost.prices);
  visit(Key{.name = "spares",
            .meaning = "machines that are paid for and wait for a failure; slices of a TPU",
            .at_least = 0,
            .at_most = 1'000'000},
        cost.spares);
  visit(optional("hosts",
                 "hosts beside the machines of the platform, for parameter servers, a coordinator or "
                 "evaluators"),
        cost.hosts);
}

template <class Visit>
void keys_of(Visit& visit, Host& host) {
  visit(count("threads", "of this machine's CPU; all where absent. Results don't depend on it", most_threads),
        host.threads);
  visit(
      optional(
          "logical_devices",
          "pieces of the memory of this machine's CPU, or of its GPUs for the numerics cuda, "
          "[{\"memory_limit\": \"2 GiB\"}, ...]: replicas are dealt out to them in order; those that a piece "
          "can hold alone but not together take turns in it, what it can't hold at all is refused before it "
          "is allocated; all memory where absent, of which each GPU's is a piece"),
      host.logical_devices);
  visit(optional(
            "collectives",
            "who adds among this machine's GPUs: planned, the plan's moves and sums, with the bits of every "
            "machine; nccl, NCCL itself in an order of its own, where the strategy takes it"),
        host.collectives);
}

template <class Visit>
void keys_of(Visit& visit, Scenario& scenario) {
  visit(required("name", "the run's name; the results go to out/ and this name in plain letters"),
        scenario.name);
  visit(
      optional("platform",
               "the machine whose devices and time are described: a name of `list platforms`, or an object; "
               "absent: the CPU at hand, timed where it is measured"),
      scenario.platform);
  visit(optional("cluster",
                 "which tasks there are, as TF_CONFIG says it or counted: {\"chief\": 1, \"worker\": 3}; "
                 "they drive the machines in order. Absent: a worker on every machine"),
        scenario.cluster);
  visit(optional("devices", "what the program says of its devices before anything runs (tf.config)"),
        scenario.devices);
  visit(optional("strategy", "how the training is spread over devices"), scenario.strategy);
  visit(required("model", "what is trained: one of the zoo, a Keras model, or layers"), scenario.model);
  visit(required("dataset", "what it is trained on"), scenario.dataset);
  visit(required("training", "how it is trained"), scenario.training);
  visit(optional("numerics", "what computes: this machine's CPU, its first GPU, or nothing (shapes only)"),
        scenario.numerics);
  visit(optional("time", "how simulated time is counted"), scenario.time);
  visit(optional("host", "this machine"), scenario.host);
  visit(optional("seed", "of everything random that has no seed of its own"), scenario.seed);
  visit(optional("semantics",
                 "whose formulas hold where versions of TensorFlow differ; absent: those of the version that "
                 "wrote the "
                 "model's file, or keras3"),
        scenario.semantics);
  visit(
      optional("faithful",
               "a run also repeats those faults of TensorFlow and Keras that end a program, or change its "
               "numbers, without being meant so, such as Keras 3's under tf.distribute; false: it trains on. "
               "Absent: true where the scenario names its semantics"),
      scenario.faithful);
  visit(
      optional("input",
               "what reading and decoding rows costs each worker's host, whose pipeline feeds all of its "
               "replicas. Where absent or {}: nothing; each device gets its rows from the memory of its own "
               "socket, ahead of the step but under \"default\" and parameter servers"),
      scenario.input);
  visit(optional("faults", "what becomes slow, and what fails: once, at random, or as a log says"),
        scenario.faults);
  visit(optional("job",
                 "the time of the whole training is itemised, as with --job; its keys are times that were "
                 "measured elsewhere"),
        scenario.job);
  visit(optional("cost", "prices of machines, from which the job's cost follows"), scenario.cost);
}

}  // namespace wt::scenario
