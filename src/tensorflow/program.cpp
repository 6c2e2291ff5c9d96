#include "tensorflow/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "tensorflow/cluster.h"
#include "tensorflow/data.h"
#include "tensorflow/devices.h"
#include "tensorflow/model.h"
#include "tensorflow/python.h"
#include "tensorflow/subject.h"
#include "tensorflow/training.h"

namespace wt::tensorflow {

namespace {

// ---- What a program can't express

void refuse_what_cannot_run(const Subject& subject) {
  const scenario::Training& training = subject.scenario.training;
  if (training.is_inference())
    subject.refuse("training.loop", "a program that only predicts isn't written",
                   R"(export a scenario that trains)");
  if (subject.scenario.semantics == model::Semantics::tf20)
    subject.refuse("semantics",
                   "the program would run on a TensorFlow that this version of Keras is no part of",
                   "export with --set semantics=keras2, or keras3");
  if (training.gradient_compression)
    subject.refuse("training.gradient_compression", "TensorFlow has no compression of gradients",
                   "leave it out");
  if (training.checkpointing && training.checkpointing->before_preemption)
    subject.refuse("training.checkpointing.before_preemption",
                   "a program that saves before it is preempted isn't written",
                   "leave it out, or take BackupAndRestore's \"save_before_preemption\"");
  if (training.checkpointing && training.checkpointing->every_steps)
    subject.refuse("training.checkpointing.every_steps", "a program that saves within an epoch isn't written",
                   R"(save after epochs, with "every")");
  if (training.checkpointing && training.checkpointing->restore)
    subject.refuse("training.checkpointing.restore",
                   "the checkpoint is windtunnel's, whose optimizer TensorFlow can't read",
                   "leave it out for the export");
  if (subject.has_coordinator() && subject.is_fit() && subject.scenario.semantics == model::Semantics::keras3)
    subject.refuse("semantics", "Keras 3 has no fit with parameter servers",
                   "export with --set semantics=keras2");
  if (subject.has_workers() && subject.is_fit() && subject.is_keras3())
    subject.refuse(
        "training.loop",
        "Keras 3's fit ends in ValueError with several workers (TensorFlow 2.21): it can't convert a "
        "PerReplica to a tensor",
        "export with --set semantics=keras2, or take the loop \"custom\"");
  if (!subject.job.optimizer.undecayed_variables.empty())
    subject.refuse("training.optimizer",
                   "variables without weight decay are named one by one, which no JSON of Keras can",
                   "leave them out by \"exclude_from_weight_decay\"");
  if (!subject.is_fit() && !subject.job.weighted_metrics.of_all.empty())
    subject.refuse("training.weighted_metrics", "a loop of one's own has no argument weighted_metrics",
                   R"(write "loop": "fit", or leave them out)");
}

// ---- What it doesn't say

std::vector<std::string> left_out(const Subject& subject) {
  std::vector<std::string> all = options_left_out(subject);
  const scenario::Scenario& scenario = subject.scenario;
  if (scenario.semantics == model::Semantics::keras3 && !subject.is_keras3())
    all.push_back("the semantics keras3: TensorFlow has parameter servers with Keras 2 alone");
  if (!scenario.faults.empty()) all.push_back("\"faults\": what slows down or is lost");
  if (scenario.training.target_loss) all.push_back("\"target_loss\"");
  if (!subject.has_numbers())
    all.push_back(
        "the weights and the rows, since \"numerics\" is none: weights begin as Keras draws them, and the "
        "rows are "
        "one random row, repeated");
  return all;
}

// ---- The head

// How a user starts the program.
std::string how_to_start(const Subject& subject) {
  const bool is_tpu = subject.job.machine.device().name.kind == device::Kind::tpu;
  const bool is_on_cpus = subject.job.machine.device().name.kind == device::Kind::cpu;
  std::string text;
  if (!subject.processes.empty())
    text = fmt::format(
        "One process for each file of tf_config/, which is the value of the variable TF_CONFIG:\n\n"
        "    TF_CONFIG=\"$(cat tf_config/{0}-0.json)\" python program.py\n\n"
        "kubernetes.json and job.sbatch start all of them: kubectl apply -f kubernetes.json, sbatch "
        "job.sbatch.\n",
        subject.processes.front().role);
  else if (is_tpu)
    text = "On a TPU VM, or with the TPU's name in the variable TPU_NAME:\n\n    python program.py\n";
  else
    text = "    python program.py\n";
  if (!is_on_cpus)
    text += fmt::format("\nWith --cpus it runs without {}s: logical CPUs stand in for them.\n",
                        is_tpu ? "TPU" : "GPU");
  return text;
}

std::string requirements(const Subject& subject) {
  if (!subject.is_keras3())
    return "Needs TensorFlow with Keras 2: up to TensorFlow 2.15, or later with tf_keras of the same "
           "version:\n"
           "pip install tensorflow==2.21.0 tf_keras==2.21.0";
  return "Needs TensorFlow 2.16 or later, with Keras 3: pip install tensorflow==2.21.0";
}

void head(const Subject& subject, const std::string& file, const std::string& version, Lines& lines) {
  const std::vector<std::string> without = left_out(subject);
  std::string text = fmt::format("{}, as windtunnel {} wrote it from {}.\n\n{}\n{}\n", subject.scenario.name,
                                 version, file, how_to_start(subject), requirements(subject));
  if (!without.empty()) {
    text += "\nThe program has nothing for:\n";
    for (const std::string& each : without) text += wrapped("- " + each, "", 98);
  }
  std::string safe;  // a docstring ends with three quotation marks, and has backslashes of its own
  for (const char c : text)
    safe += c == '\\' ? std::string("\\\\") : c == '"' ? std::string("'") : std::string(1, c);
  lines.add("\"\"\"" + safe + "\"\"\"");
  lines.add("import argparse");
  if (!subject.is_keras3()) lines.add("import importlib.util");
  lines.add("import itertools\nimport json\nimport os\nimport sys").blank();
  if (!subject.is_keras3())
    lines.add(
        "# tf.keras is Keras 2: that of tf_keras, where it is installed, and else TensorFlow's up to 2.15.\n"
        "if importlib.util.find_spec('tf_keras'):\n    os.environ['TF_USE_LEGACY_KERAS'] = '1'");
  lines.add("import numpy as np\nimport tensorflow as tf").blank();
  if (!subject.is_keras3())
    lines.add(
        "if tf.keras.Model.__module__.startswith('keras.src.models'):\n"
        "    sys.exit('This program needs Keras 2: pip install tf_keras')\n");
  else
    lines.add(
        "if not tf.keras.Model.__module__.startswith('keras.src.models'):\n"
        "    sys.exit('This program needs Keras 3: TensorFlow 2.16 or later')\n");
  lines.add("HERE = os.path.dirname(os.path.abspath(__file__))");
}

void parse_arguments(const Subject& subject, Lines& lines) {
  const std::int64_t replicas = subject.replicas(), batch = subject.job.global_batch;
  const std::int64_t own = subject.has_coordinator() ? batch / replicas : batch;
  lines.add(fmt::format("BATCH = {}", own) +
            (subject.has_coordinator() ? "  # rows of a replica in a step"
             : replicas == 1           ? "  # rows in a step"
                                       : fmt::format("  # rows of all {} replicas in a step", replicas)));
  lines.blank().add("parser = argparse.ArgumentParser()");
  if (subject.job.machine.device().name.kind != device::Kind::cpu)
    lines.add(
        "parser.add_argument('--cpus', action='store_true', help='logical CPUs in place of GPUs and TPUs')");
  lines.add("arguments = parser.parse_args()");
}

void precision(const Subject& subject, Lines& lines) {
  using scenario::Precision;
  const auto& chosen = subject.scenario.training.precision;
  if (!chosen) return;
  if (*chosen == Precision::mixed_float16 || *chosen == Precision::mixed_bfloat16)
    lines.add(fmt::format("tf.keras.mixed_precision.set_global_policy('{}')",
                          *chosen == Precision::mixed_float16 ? "mixed_float16" : "mixed_bfloat16"));
  else
    lines.add(fmt::format("tf.config.experimental.enable_tensor_float_32_execution({})",
                          literal(*chosen == Precision::tf32)));
}

void helpers(const Subject& subject, Lines& lines) {
  lines.add(R"(def report(**values):
    print(json.dumps(values), flush=True)


)");
  if (!subject.has_workers()) return;
  lines.add(R"(def task():
    """The role of this process, and its number."""
    task = json.loads(os.environ.get('TF_CONFIG', '{}')).get('task', {})
    return task.get('type', 'worker'), task.get('index', 0)


def is_chief():
    cluster = json.loads(os.environ.get('TF_CONFIG', '{}')).get('cluster', {})
    return task()[0] == 'chief' or 'chief' not in cluster and task() == ('worker', 0)


)");
}

std::string text_of(const Subject& subject, const std::string& file, const std::string& version) {
  refuse_what_cannot_run(subject);
  Lines lines;
  head(subject, file, version, lines);
  parse_arguments(subject, lines);
  lines.blank().blank();
  helpers(subject, lines);
  configure_devices(subject, lines);
  precision(subject, lines);
  make_strategy(subject, lines);
  lines.blank().blank();
  dataset_functions(subject, lines);
  lines.append(model_function(subject)).blank().blank();
  weight_function(subject, lines);
  training_functions(subject, lines);
  train(subject, lines);
  return lines.text();
}

}  // namespace

std::string program(const scenario::Scenario& scenario, const scenario::Job& job, const std::string& file,
                    const std::string& version) {
  return text_of(Subject(scenario, job), file, version);
}

std::vector<std::string> write_program(const scenario::Scenario& scenario, const scenario::Job& job,
                                       const std::string& file, const std::string& version,
                                       OutputFolder& folder) {
  const Subject subject(scenario, job);
  std::vector<std::string> names{"program.py"};
  folder.write("program.py", text_of(subject, file, version));
  if (subject.has_numbers()) {
    write_npz(folder.inside("weights.npz"), weights_of(subject));
    write_npz(folder.inside("data.npz"), rows_of(subject));
    names.insert(names.end(), {"weights.npz", "data.npz"});
  }
  for (const auto& [name, text] : cluster_files(subject)) {
    write_text(folder.inside(name), text);
    names.push_back(name);
  }
  return names;
}

}  // namespace wt::tensorflow
