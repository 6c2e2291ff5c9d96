#pragma once
// The part of a program that comes first: which devices it sees, and its strategy.

#include "tensorflow/python.h"
#include "tensorflow/subject.h"

namespace wt::tensorflow {

// The statements of tf.config, and --cpus, with which logical CPUs stand in for GPUs and TPU cores.
void configure_devices(const Subject& subject, Lines& lines);

// The statements that make `strategy`. Throws InputError for a strategy, or an option of one, that TensorFlow's program
// can't have.
void make_strategy(const Subject& subject, Lines& lines);

// Options of the strategy that change times and no numbers, and that TensorFlow doesn't have.
std::vector<std::string> options_left_out(const Subject& subject);

}  // namespace wt::tensorflow
