#pragma once
// The training of a program: what it is compiled from, and one of three loops.
//
//   fit          Keras' compile and fit
//   custom       a loop of one's own, with strategy.run, a tape and an optimizer
//   coordinator  the same step, scheduled on the workers of parameter servers
//
// Each loop prints its losses as the lines of JSON {"step": 0, "loss": 2.3} and {"epoch": 0, "loss": 2.1}. fit prints
// those of epochs alone, since Keras has no others.

#include "tensorflow/python.h"
#include "tensorflow/subject.h"

namespace wt::tensorflow {

// Functions of the program that its loop calls.
void training_functions(const Subject& subject, Lines& lines);

// The statements that train, evaluate and save, after the strategy was made.
void train(const Subject& subject, Lines& lines);

}  // namespace wt::tensorflow
