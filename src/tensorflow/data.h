#pragma once
// Rows and weights: the files in which a program finds them, and the statements that read them.
//
// data.npz has the rows in the order of the dataset, after "skip" and "take": x, y and weight, or x0, x1, ... where there
// are several, and evaluation_x, ... of an evaluation's own dataset. Shuffling is left to tf.data, whose orders the
// scenario's are. weights.npz has the weights that the training begins with, by the names that Keras 2 gives them.

#include <filesystem>
#include <map>
#include <string>

#include "tensorflow/python.h"
#include "tensorflow/subject.h"

namespace wt::tensorflow {

// Rows are held in memory here and in the program.
inline constexpr Bytes largest_data{std::int64_t{1} << 30};

// The tensors of data.npz. Throws InputError if they are larger than largest_data. Requires: the scenario has numbers.
std::map<std::string, Tensor> rows_of(const Subject& subject);
// Those of weights.npz. Requires: the scenario has numbers.
std::map<std::string, Tensor> weights_of(const Subject& subject);
void write_npz(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors);

// The functions training_rows() and evaluation_rows(), which return a tf.data.Dataset of batches.
void dataset_functions(const Subject& subject, Lines& lines);
// The function load_weights(model).
void weight_function(const Subject& subject, Lines& lines);

// Whether fit goes through the rows by a dataset without end, so that each epoch is one pass of the shuffle: for an epoch
// Keras makes one iterator or two, and each draws a new order.
bool repeats_for_fit(const Subject& subject);

}  // namespace wt::tensorflow
