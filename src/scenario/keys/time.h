#pragma once
// The keys of "time".

#include "scenario/keys/words.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

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

}  // namespace wt::scenario
