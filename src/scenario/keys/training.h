#pragma once
// The keys of "training".

#include "scenario/callback_keys.h"
#include "scenario/keys/words.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// Rows of a replica in a step: as many as an axis of a layer has at most. Rows of all replicas: a batch for
// 64 of them.
inline constexpr std::int64_t most_rows_of_replica = 1 << 24;
inline constexpr std::int64_t most_rows_of_step = 1 << 30;

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

}  // namespace wt::scenario
