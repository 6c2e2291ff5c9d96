#pragma once
// The keys of "dataset", of each source that rows may come from, and of "input".

#include "scenario/keys/words.h"
#include "scenario/names.h"
#include "scenario/scenario.h"

namespace wt::scenario {

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

}  // namespace wt::scenario
