#include "tensorflow/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/json_writer.h"
#include "scenario/choices.h"
#include "tensorflow/data.h"
#include "tensorflow/objects.h"
#include "train/callback.h"

namespace wt::tensorflow {

namespace {

using scenario::LossScale;
using scenario::Training;

// ---- Losses, optimizer and metrics

template <class Write>
json::Value written(Write write) {
  json::Writer out(json::Layout::compact);
  write(out);
  return json::parse(out.text(), "an object of Keras");
}

Expression loss_of(const Subject& subject, std::size_t output) {
  return object("tf.keras.losses",
                written([&](json::Writer& out) { scenario::write_loss(out, subject.job.loss.of(output)); }),
                subject.keras());
}

// One for a model with one output, or a list.
Expression losses_of(const Subject& subject) {
  if (subject.outputs() == 1) return loss_of(subject, 0);
  Expression all = list({});
  for (std::size_t i = 0; i < subject.outputs(); ++i) all.with(loss_of(subject, i));
  return all;
}

Expression numbers(const std::vector<double>& values) {
  Expression all = list({});
  for (const double value : values) all.with(literal(value));
  return all;
}

Expression metric_of(const Subject& subject, const model::Metric& metric) {
  if (metric.type == nullptr) return literal(metric.name);  // "accuracy", which Keras resolves
  return object("tf.keras.metrics", written([&](json::Writer& out) { scenario::write_metric(out, metric); }),
                subject.keras());
}

// A list of metrics, or one for each output of the model.
Expression metrics_of(const Subject& subject, const model::Metrics& metrics) {
  const auto listed = [&](const std::vector<model::Metric>& some) {
    Expression all = list({});
    for (const model::Metric& metric : some) all.with(metric_of(subject, metric));
    return all;
  };
  if (subject.outputs() == 1 && metrics.of_each.empty()) return listed(metrics.of_all);
  Expression each = list({});
  for (std::size_t i = 0; i < subject.outputs(); ++i) {
    std::vector<model::Metric> own = metrics.of_all;
    if (i < metrics.of_each.size())
      own.insert(own.end(), metrics.of_each[i].begin(), metrics.of_each[i].end());
    each.with(listed(own));
  }
  return subject.outputs() == 1 ? listed(metrics.of_each.front()) : each;
}

bool has_metrics(const model::Metrics& metrics) {
  return !metrics.of_all.empty() ||
         std::ranges::any_of(metrics.of_each, [](const auto& own) { return !own.empty(); });
}

void make_optimizer(const Subject& subject, Lines& lines) {
  const model::Optimizer& optimizer = subject.job.optimizer;
  lines.assign("optimizer", object("tf.keras.optimizers", written([&](json::Writer& out) {
                                     scenario::write_optimizer(out, optimizer);
                                   }),
                                   subject.keras()));
  if (optimizer.undecayed_names.empty()) return;
  Expression names = list({});
  for (const std::string& name : optimizer.undecayed_names) names.with(literal(name));
  lines.state(call("optimizer.exclude_from_weight_decay").with("var_names", names));
}

// Without an optimizer for a model that is only evaluated.
Expression compile_call(const Subject& subject, std::string_view model) {
  const Training& training = subject.scenario.training;
  Expression made = call(fmt::format("{}.compile", model));
  if (model == "model") made.with("optimizer", "optimizer");
  made.with("loss", losses_of(subject));
  if (!subject.job.loss.weights.empty()) made.with("loss_weights", numbers(subject.job.loss.weights));
  if (has_metrics(subject.job.metrics)) made.with("metrics", metrics_of(subject, subject.job.metrics));
  if (has_metrics(subject.job.weighted_metrics))
    made.with("weighted_metrics", metrics_of(subject, subject.job.weighted_metrics));
  if (training.run_eagerly) made.with("run_eagerly", "True");
  // Without the argument jit_compile, Keras 3 decides by itself whether XLA compiles the step, so the program says it.
  if (training.jit_compile || subject.is_keras3()) made.with("jit_compile", literal(training.jit_compile));
  if (training.steps_per_execution > 1)
    made.with("steps_per_execution", literal(training.steps_per_execution));
  return made;
}

// ---- Checkpoints and callbacks

bool saves_checkpoints(const Subject& subject) { return subject.scenario.training.checkpointing.has_value(); }

// In a cluster every worker saves, and the chief's is the checkpoint that counts.
void make_checkpoints(const Subject& subject, Lines& lines) {
  if (!saves_checkpoints(subject)) return;
  const scenario::Checkpointing& checkpointing = *subject.scenario.training.checkpointing;
  lines.add(fmt::format("folder = os.path.join(HERE, {})", literal(checkpointing.folder.path)));
  if (subject.has_workers())
    lines.add(
        "if not is_chief() and task()[0] != 'evaluator':\n"
        "    folder += '-' + '-'.join(str(part) for part in task())");
  lines.assign("checkpoints",
               call("tf.train.CheckpointManager")
                   .with("tf.train.Checkpoint(model=model, optimizer=optimizer)")
                   .with("folder")
                   .with("max_to_keep", checkpointing.keep ? literal(*checkpointing.keep) : "None"));
}

// As scenario::saves_after has it: the last epoch is always saved.
std::string save_checkpoint(const Subject& subject) {
  const scenario::Checkpointing& checkpointing = *subject.scenario.training.checkpointing;
  const std::int64_t every = checkpointing.every.value_or(1), first = checkpointing.first.value_or(every);
  const std::string save =
      checkpointing.asynchronous
          ? "checkpoints.save(options=tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True))"
          : "checkpoints.save()";
  if (every == 1 && first == 1) return save;
  const std::int64_t all = scenario::epochs_of(subject.scenario);
  const bool has_last = all >= first && (all - first) % every == 0;
  return fmt::format("if epoch + 1 in range({}, {}, {}){}:\n    {}", first, all + 1, every,
                     has_last ? "" : fmt::format(" or epoch + 1 == {}", all), save);
}

// A file of weights as Keras writes it, in place of safetensors.
std::string weights_file(const std::string& name) {
  constexpr std::string_view ours = ".safetensors";
  if (!name.ends_with(ours)) return name;
  return name.substr(0, name.size() - ours.size()) + ".weights.h5";
}

Expression callback_of(const json::Value& written) {
  const std::string& type = written.find("type")->string();
  Expression made = call("tf.keras.callbacks." + type);
  if (type == "LearningRateScheduler")
    return made.with(fmt::format("lambda epoch: ({0})[min(epoch, {1})]",
                                 literal(*written.find("schedule")).print(0),
                                 written.find("schedule")->elements().size() - 1));
  for (const json::Member& member : written.members()) {
    if (member.key == "type" || member.value.kind() == json::Kind::null) continue;
    const bool is_file = member.key == "filepath" || member.key == "filename" || member.key == "log_dir";
    made.with(member.key, is_file ? Expression(fmt::format("os.path.join(HERE, {})",
                                                           literal(weights_file(member.value.string()))))
                                  : literal(member.value));
  }
  if (type == "ModelCheckpoint") made.with("save_weights_only", "True");
  return made;
}

Expression callbacks_of(const Subject& subject) {
  Expression all = list({"Report()"});
  if (const json::Value* callbacks = subject.find({"training", "callbacks"}))
    for (const json::Value& callback : callbacks->elements()) all.with(callback_of(callback));
  if (saves_checkpoints(subject)) all.with("SaveCheckpoints()");
  return all;
}

// ---- Evaluation

bool evaluates(const Subject& subject) { return subject.scenario.training.evaluation.has_value(); }
std::string evaluate_call(const Subject& subject, std::string_view model) {
  if (subject.is_fit())
    return fmt::format("{}.evaluate(evaluation_rows(), verbose=0, return_dict=True)", model);
  return fmt::format("evaluate({})", model);
}

// The cluster's evaluator, which evaluates checkpoints until there have been none for ten minutes.
void evaluate_beside(const Subject& subject, Lines& lines) {
  if (!subject.has_role("evaluator")) return;
  lines.add(
      "if task()[0] == 'evaluator':\n"
      "    for path in tf.train.checkpoints_iterator(folder, timeout=600):\n"
      "        tf.train.Checkpoint(model=model).restore(path).expect_partial()");
  lines.add(fmt::format("        report(checkpoint=os.path.basename(path), evaluation={})\n    sys.exit()",
                        evaluate_call(subject, "model")));
}

bool evaluates_epochs(const Subject& subject) {
  return evaluates(subject) && subject.scenario.training.evaluation->every && !subject.has_role("evaluator");
}
bool evaluates_at_end(const Subject& subject) {
  return evaluates(subject) && !subject.scenario.training.evaluation->every && !subject.has_role("evaluator");
}

// Evaluates a fresh model, restored from the newest checkpoint.
void evaluate_checkpoint(const Subject& subject, Lines& lines) {
  lines.add("with strategy.scope():").indented([&] {
    lines.add("fresh = make_model()");
    if (subject.is_fit()) lines.state(compile_call(subject, "fresh"));
  });
  lines.add("tf.train.Checkpoint(model=fresh).restore(checkpoints.latest_checkpoint).expect_partial()");
  lines.add(fmt::format("report(evaluation={})", evaluate_call(subject, "fresh")));
}

void finish(const Subject& subject, Lines& lines) {
  if (evaluates_at_end(subject)) {
    if (subject.scenario.training.evaluation->from_checkpoint)
      evaluate_checkpoint(subject, lines);
    else
      lines.add(fmt::format("report(evaluation={})", evaluate_call(subject, "model")));
  }
  const auto& file = subject.scenario.training.save_weights;
  if (!file) return;
  const std::string name = weights_file(file->path);
  const bool is_model = name.ends_with(".keras");
  const std::string save =
      fmt::format("model.save{}(os.path.join(HERE, {}))", is_model ? "" : "_weights", literal(name));
  lines.add(subject.has_workers() ? "if is_chief():\n    " + save : save);
}

// ---- fit

// steps_per_epoch, where an epoch isn't the dataset once.
std::optional<std::int64_t> given_steps(const Subject& subject) {
  const Training& training = subject.scenario.training;
  if (training.steps) return training.steps;
  if (training.steps_per_epoch) return training.steps_per_epoch;
  if (repeats_for_fit(subject) || subject.has_coordinator())
    return scenario::steps_per_epoch(subject.scenario, subject.job);
  return std::nullopt;
}

Expression fit_call(const Subject& subject) {
  const Training& training = subject.scenario.training;
  Expression fit = call("model.fit");
  fit.with(subject.has_coordinator()
               ? "tf.keras.utils.experimental.DatasetCreator(lambda context: training_rows().repeat())"
               : "training_rows()");
  fit.with("epochs", literal(scenario::epochs_of(subject.scenario)));
  if (const auto steps = given_steps(subject)) fit.with("steps_per_epoch", literal(*steps));
  if (evaluates_epochs(subject)) {
    fit.with("validation_data", "evaluation_rows()");
    if (*training.evaluation->every > 1) fit.with("validation_freq", literal(*training.evaluation->every));
  }
  if (!training.class_weight.of.empty()) {
    Expression weights = Expression::brackets("{", "}");
    for (const auto& [of, weight] : training.class_weight.of)
      weights.with(fmt::format("{}: {}", of, literal(weight)));
    fit.with("class_weight", weights);
  }
  return fit.with("callbacks", callbacks_of(subject)).with("verbose", "0");
}

void fit_functions(const Subject& subject, Lines& lines) {
  lines.add(R"(class Report(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        report(epoch=epoch, **{name: float(value) for name, value in logs.items()})


)");
  if (!saves_checkpoints(subject)) return;
  lines.add(
      "class SaveCheckpoints(tf.keras.callbacks.Callback):\n    def on_epoch_end(self, epoch, logs=None):");
  lines.indented([&] { lines.indented([&] { lines.add(save_checkpoint(subject)); }); });
  lines.blank().blank();
}

void fit(const Subject& subject, Lines& lines) {
  lines.add("with strategy.scope():").indented([&] {
    lines.add("model = make_model()");
    if (subject.has_numbers()) lines.add("load_weights(model)");
    make_optimizer(subject, lines);
    lines.state(compile_call(subject, "model"));
    make_checkpoints(subject, lines);
  });
  evaluate_beside(subject, lines);
  lines.state(fit_call(subject));
  finish(subject, lines);
}

// ---- A loop of one's own

// The loss of a replica, such that the sum over the replicas is the loss of the step.
Lines scaled_loss(const Subject& subject) {
  Lines lines;
  lines.add("def scaled(loss):");
  lines.indented([&] {
    switch (subject.scenario.training.loss_scale.value_or(LossScale::global_batch)) {
      case LossScale::global_batch:
        lines.comment("The rows' losses over the nominal batch, also where the last batch is shorter.");
        lines.add("return tf.nn.compute_average_loss(loss, global_batch_size=BATCH)");
        break;
      case LossScale::global_rows:
        lines.comment("The rows' losses over the rows that all replicas have in this step.");
        lines.add(
            "rows = tf.cast(tf.size(loss), loss.dtype)\n"
            "rows = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, rows)\n"
            "return tf.reduce_sum(loss) / rows");
        break;
      case LossScale::keras:
        lines.comment("The mean of the replica's own rows, as in fit.");
        lines.add("return loss / strategy.num_replicas_in_sync");
    }
  });
  return lines;
}

std::string parameters(const Subject& subject) {
  return subject.names.weights.empty() ? "inputs, labels" : "inputs, labels, weights";
}

// The statement that sets `loss` to the sum over the outputs.
void add_loss(const Subject& subject, Lines& lines, std::string_view scale) {
  const std::string weight = subject.names.weights.empty() ? "" : ", sample_weight=weights";
  const auto scaled = [&](const std::string& loss) {
    return scale.empty() ? loss : fmt::format("{}({})", scale, loss);
  };
  if (subject.outputs() == 1)
    return static_cast<void>(
        lines.add(fmt::format("loss = {}", scaled(fmt::format("loss_object(labels, outputs{})", weight)))));
  lines.add("loss = 0.0");
  const bool has_one_each = subject.names.weights.size() > 1;
  const std::string own = has_one_each ? ", sample_weight=weights[i]" : weight;
  lines.add(fmt::format("for i, loss_object in enumerate(loss_objects):\n    loss += loss_weights[i] * {}",
                        scaled(fmt::format("loss_object(labels[i], outputs[i]{})", own))));
}

void update_metrics(const Subject& subject, Lines& lines) {
  if (!has_metrics(subject.job.metrics)) return;
  if (subject.outputs() == 1)
    lines.add("for metric in metrics:\n    metric.update_state(labels, outputs)");
  else
    lines.add(
        "for i, own in enumerate(metrics):\n    for metric in own:\n        metric.update_state(labels[i], "
        "outputs[i])");
}

std::string all_metrics(const Subject& subject) {
  return subject.outputs() == 1 ? "metrics" : "sum(metrics, [])";
}

void replica_step(const Subject& subject, Lines& lines) {
  lines.append(scaled_loss(subject)).blank().blank();
  lines.add(fmt::format("def replica_step({}):", parameters(subject))).indented([&] {
    lines.add("with tf.GradientTape() as tape:").indented([&] {
      lines.add("outputs = model(inputs, training=True)");
      add_loss(subject, lines, "scaled");
      lines.add(
          "if model.losses:  # penalties of regularizers\n"
          "    loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))");
      if (subject.job.optimizer.scaled_loss)
        lines.add(subject.is_keras3() ? "scaled_loss = optimizer.scale_loss(loss)"
                                      : "scaled_loss = optimizer.get_scaled_loss(loss)");
    });
    const bool scales = subject.job.optimizer.scaled_loss.has_value();
    lines.add(fmt::format("gradients = tape.gradient({}, model.trainable_variables)",
                          scales ? "scaled_loss" : "loss"));
    if (scales && !subject.is_keras3()) lines.add("gradients = optimizer.get_unscaled_gradients(gradients)");
    lines.add("optimizer.apply_gradients(zip(gradients, model.trainable_variables))");
    update_metrics(subject, lines);
    lines.add("return loss");
  });
  lines.blank().blank();
}

void evaluation_functions(const Subject& subject, Lines& lines) {
  if (!evaluates(subject)) return;
  lines.add(fmt::format(
      "def evaluate(model):\n    \"\"\"The mean loss of the evaluation's rows, and the metrics.\"\"\"\n"
      "    reset_metrics()\n    evaluation_loss.reset_state()\n"));
  lines.indented([&] {
    lines.blank();
    lines.add(fmt::format("def replica_evaluation({}):", parameters(subject))).indented([&] {
      lines.add("outputs = model(inputs, training=False)");
      add_loss(subject, lines, "");
      lines.add("evaluation_loss.update_state(loss)");
      update_metrics(subject, lines);
    });
    // The coordinator of parameter servers computes an evaluation itself.
    if (subject.has_coordinator())
      lines.blank().add("for batch in evaluation_rows():\n    replica_evaluation(*batch)");
    else
      lines.blank().add(
          "@tf.function\ndef evaluation_step(batch):\n    strategy.run(replica_evaluation, args=batch)\n\n"
          "for batch in strategy.experimental_distribute_dataset(evaluation_rows()):\n"
          "    evaluation_step(batch)");
    lines.add("return {'loss': float(evaluation_loss.result()), **results()}");
  });
  lines.blank().blank();
}

void metric_functions(const Subject& subject, Lines& lines) {
  lines.add(
      fmt::format("def reset_metrics():\n    for metric in {0}:\n        metric.reset_state()\n\n\n"
                  "def results():\n    return {{metric.name: np.asarray(metric.result()).tolist() for metric "
                  "in {0}}}\n\n\n",
                  all_metrics(subject)));
}

void custom_functions(const Subject& subject, Lines& lines) {
  replica_step(subject, lines);
  metric_functions(subject, lines);
  const bool is_eager = subject.scenario.training.run_eagerly;
  const std::string traced = is_eager                                ? ""
                             : subject.scenario.training.jit_compile ? "@tf.function(jit_compile=True)\n"
                                                                     : "@tf.function\n";
  lines.add(traced +
            (subject.has_coordinator()
                 ? "def train_step(iterator):\n    losses = strategy.run(replica_step, args=next(iterator))\n"
                 : "def train_step(batch):\n    losses = strategy.run(replica_step, args=batch)\n") +
            "    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)\n\n\n");
  evaluation_functions(subject, lines);
}

void make_variables(const Subject& subject, Lines& lines) {
  lines.add("with strategy.scope():").indented([&] {
    lines.add("model = make_model()");
    if (subject.has_numbers()) lines.add("load_weights(model)");
    make_optimizer(subject, lines);
    lines.add("optimizer.build(model.trainable_variables)  # Keras 3 can't make variables in a step");
    if (subject.outputs() == 1) {
      lines.assign("loss_object", losses_of(subject));
    } else {
      lines.assign("loss_objects", losses_of(subject));
      std::vector<double> weights;
      for (std::size_t i = 0; i < subject.outputs(); ++i) weights.push_back(subject.job.loss.weight_of(i));
      lines.assign("loss_weights", numbers(weights));
    }
    lines.assign("metrics", metrics_of(subject, subject.job.metrics));
    if (evaluates(subject)) lines.add("evaluation_loss = tf.keras.metrics.Mean()");
    make_checkpoints(subject, lines);
  });
}

void end_epoch(const Subject& subject, Lines& lines) {
  lines.add("report(epoch=epoch, loss=float(np.mean(losses)), **results())");
  if (saves_checkpoints(subject)) lines.add(save_checkpoint(subject));
  if (!evaluates_epochs(subject)) return;
  const std::int64_t every = *subject.scenario.training.evaluation->every;
  const std::string evaluate = "report(epoch=epoch, evaluation=evaluate(model))";
  lines.add(every == 1 ? evaluate : fmt::format("if (epoch + 1) % {} == 0:\n    {}", every, evaluate));
}

void custom(const Subject& subject, Lines& lines) {
  make_variables(subject, lines);
  evaluate_beside(subject, lines);
  const scenario::Scenario& scenario = subject.scenario;
  const bool is_whole = scenario::starts_anew(scenario, subject.job);
  lines.add("rows = strategy.experimental_distribute_dataset(training_rows())");
  if (!is_whole) lines.add("iterator = iter(rows)  # an epoch goes on where the one before has ended");
  lines.add("step = 0").add(fmt::format("for epoch in range({}):", scenario::epochs_of(scenario)));
  lines.indented([&] {
    lines.add("losses = []\nreset_metrics()");
    lines.add(is_whole ? "for batch in rows:"
                       : fmt::format("for batch in itertools.islice(iterator, {}):",
                                     scenario.training.steps.value_or(
                                         scenario::steps_per_epoch(scenario, subject.job))));
    lines.indented([&] {
      lines.add("losses.append(float(train_step(batch)))\nreport(step=step, loss=losses[-1])\nstep += 1");
    });
    end_epoch(subject, lines);
  });
  finish(subject, lines);
}

// ---- A coordinator

void coordinator(const Subject& subject, Lines& lines) {
  make_variables(subject, lines);
  const Training& training = subject.scenario.training;
  const std::int64_t steps =
      training.steps.value_or(scenario::steps_per_epoch(subject.scenario, subject.job));
  lines.add(R"(coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)


@tf.function
def rows_of_worker():
    return strategy.distribute_datasets_from_function(lambda context: training_rows().repeat())


iterator = iter(coordinator.create_per_worker_dataset(rows_of_worker))
step = 0)");
  lines.add(fmt::format("for epoch in range({}):", scenario::epochs_of(subject.scenario))).indented([&] {
    lines.add("scheduled = []\nreset_metrics()");
    lines.add(fmt::format(
        "for i in range({}):\n    scheduled.append(coordinator.schedule(train_step, args=(iterator,)))",
        steps));
    if (training.join_every)
      lines.add(fmt::format("    if (i + 1) % {} == 0:\n        coordinator.join()", *training.join_every));
    lines.add(
        "coordinator.join()\nlosses = [float(loss.fetch()) for loss in scheduled]\n"
        "for loss in losses:\n    report(step=step, loss=loss)\n    step += 1");
    end_epoch(subject, lines);
  });
  finish(subject, lines);
}

// ---- Which loop

struct Loop {
  void (*functions)(const Subject& subject, Lines& lines) = nullptr;
  void (*train)(const Subject& subject, Lines& lines) = nullptr;
};
Loop loop_of(const Subject& subject) {
  if (subject.is_fit()) return {fit_functions, fit};
  return {custom_functions, subject.has_coordinator() ? coordinator : custom};
}

}  // namespace

void training_functions(const Subject& subject, Lines& lines) { loop_of(subject).functions(subject, lines); }
void train(const Subject& subject, Lines& lines) { loop_of(subject).train(subject, lines); }

}  // namespace wt::tensorflow
