// Claim: the same model in the JSON of three versions of Keras yields the same step. A file with parts that
// are not implemented is refused with place, fact and remedy, and no file crashes the reader.
#include "model/keras_json.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "model/layers/catalog.h"
#include "model/weights.h"

namespace wt::model {
namespace {

const std::vector<std::string> eras{"keras2_old", "keras2_13", "keras3"};
const std::vector<std::string> models{"linear",      "fashion_cnn", "functional", "shared",
                                      "concatenate", "nested",      "training"};

std::string path_of(const std::string& model, const std::string& era) {
  return fmt::format("{}/model/keras/{}.{}.json", WT_TEST_DATA, model, era);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string step_of(const std::string& model, const std::string& era, bool training) {
  return print(forward(*model_from_json_file(path_of(model, era)), 4, training).step);
}

std::string refusal_of_layer(const std::string& layer) {
  try {
    model_from_json(json::parse(
        fmt::format(R"({{"class_name": "Sequential", "config": {{"layers": [{}]}}}})", layer), "model.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(KerasJson, GivesTheSameStepForEveryEra) {
  for (const std::string& model : models)
    for (const bool training : {false, true}) {
      const std::string oldest = step_of(model, eras[0], training);
      for (const std::string& era : eras) EXPECT_EQ(step_of(model, era, training), oldest) << model << era;
    }
}

// A layer that is written by hand may leave out what Keras always writes, and has Keras' defaults then.
TEST(KerasJson, TakesKerasDefaultsForWhatIsLeftOut) {
  struct Case {
    std::string_view short_form{}, whole{}, shape{};
  };
  static constexpr std::string_view gates = R"("activation": "tanh", "recurrent_activation": "sigmoid")";
  const std::vector<Case> cases{
      {R"("SimpleRNN", "config": {"units": 3)", R"("SimpleRNN", "config": {"units": 3, "activation": "tanh")",
       "[null, 5, 2]"},
      {R"("LSTM", "config": {"units": 3)", R"("LSTM", "config": {"units": 3, GATES)", "[null, 5, 2]"},
      {R"("GRU", "config": {"units": 3)", R"("GRU", "config": {"units": 3, GATES)", "[null, 5, 2]"},
      {R"("ConvLSTM1D", "config": {"filters": 3, "kernel_size": 2)",
       R"("ConvLSTM1D", "config": {"filters": 3, "kernel_size": 2, GATES)", "[null, 3, 5, 2]"},
      {R"("Bidirectional", "config": {"layer": {"class_name": "LSTM", "config": {"units": 3}})",
       R"("Bidirectional", "config": {"merge_mode": "concat", "layer": {"class_name": "LSTM", "config":
          {"name": "lstm", "units": 3, GATES}})",
       "[null, 5, 2]"},
      {R"("TimeDistributed", "config": {"layer": {"class_name": "Dense", "config": {"units": 3}})",
       R"("TimeDistributed", "config": {"layer": {"class_name": "Dense", "config":
          {"name": "dense", "units": 3, "activation": "linear"}})",
       "[null, 5, 2]"},
  };
  const auto step = [](std::string layer, std::string_view shape) {
    if (const std::size_t at = layer.find("GATES"); at != std::string::npos) layer.replace(at, 5, gates);
    const std::string text = fmt::format(
        R"({{"class_name": "Sequential", "config": {{"layers": [{{"class_name": {}, "batch_input_shape": {}}}}}]}}}})",
        layer, shape);
    return print(forward(*model_from_json(json::parse(text, "model.json")), 4).step);
  };
  for (const Case& each : cases)
    EXPECT_EQ(step(std::string(each.short_form), each.shape), step(std::string(each.whole), each.shape));
}

// As category_types.py has found out.
TEST(KerasJson, GivesCategoriesTheirTypesInEachVersion) {
  for (const Semantics semantics : {Semantics::keras2, Semantics::keras3}) {
    const json::Value recorded = json::parse_file(path_of("category_types", std::string(name(semantics))));
    for (const json::Value& each : recorded.find("cases")->elements()) {
      const LayerPtr model = model_from_json(*each.find("model"));
      const Forward result = forward(*model, 2, false, semantics);
      const TensorSpec& spec = result.outputs.at(0);
      EXPECT_EQ(name(spec.type), each.find("type")->string()) << model->parts().back()->name();
      ASSERT_EQ(spec.shape.rank(), std::ssize(each.find("shape")->elements()));
      for (int axis = 0; axis < spec.shape.rank(); ++axis)
        EXPECT_EQ(spec.shape[axis], each.find("shape")->elements()[static_cast<std::size_t>(axis)].integer());
    }
  }
}

TEST(KerasJson, RefusesCategoriesOfOtherTypes) {
  EXPECT_NE(refusal_of_layer(R"({"class_name": "Hashing", "config": {"num_bins": 3, "dtype": "uint8",
                             "batch_input_shape": [null, 2]}})")
                .find(R"("uint8" is not offered)"),
            std::string::npos);
}

TEST(P3, KerasJsonGivesTheLinearModel) {
  EXPECT_EQ(step_of("linear", "keras3", false), R"(step sequential
  input x float32[4,1]
  variable dense/kernel float32[1,1]
  variable dense/bias float32[1]
  %2 float32[4,1] = matmul(x, dense/kernel)  # sequential/dense
  %4 float32[4,1] = bias_add(%2, dense/bias)  # sequential/dense
  result y = %4
)");
}

TEST(P2, KerasJsonGivesFashionCnn) {
  for (const std::string& era : eras)
    EXPECT_EQ(count_parameters(*model_from_json_file(path_of("fashion_cnn", era))).trainable, 121930);
}

TEST(P4, KerasJsonGivesTheFunctionalModel) {
  const LayerPtr model = model_from_json_file(path_of("functional", "keras2_13"));
  EXPECT_EQ(model->class_name(), "Functional");
  EXPECT_EQ(count_parameters(*model).trainable, 2);
}

TEST(KerasJson, SharesALayerThatIsCalledTwice) {
  EXPECT_EQ(step_of("shared", "keras2_old", false), R"(step siamese
  input x float32[4,4]
  input x_1 float32[4,4]
  variable tower/kernel float32[4,3]
  variable tower/bias float32[3]
  variable head/kernel float32[3,1]
  variable head/bias float32[1]
  %3 float32[4,3] = matmul(x, tower/kernel)  # siamese/tower
  %5 float32[4,3] = bias_add(%3, tower/bias)  # siamese/tower
  %6 float32[4,3] = tanh(%5)  # siamese/tower
  %7 float32[4,3] = matmul(x_1, tower/kernel)  # siamese/tower
  %8 float32[4,3] = bias_add(%7, tower/bias)  # siamese/tower
  %9 float32[4,3] = tanh(%8)  # siamese/tower
  %10 float32[4,3] = subtract(%6, %9)  # siamese/subtract
  %12 float32[4,1] = matmul(%10, head/kernel)  # siamese/head
  %14 float32[4,1] = bias_add(%12, head/bias)  # siamese/head
  result y = %14
)");
}

TEST(KerasJson, CallsANestedModelInAScopeOfItsOwn) {
  const Forward model = forward(*model_from_json_file(path_of("nested", "keras3")), 4);
  EXPECT_EQ(model.step.program.nodes.front().scope, "outer/encoder/dense");
  EXPECT_EQ(model.step.program.nodes.back().scope, "outer/classifier/dense_3");
  EXPECT_EQ(model.weights.front().name, "dense/kernel");
}

TEST(P10, KerasJsonKeepsTheFlagOfACall) {
  std::vector<std::string_view> kernels;
  const LayerPtr model = model_from_json_file(path_of("training", "keras3"));
  for (const Node& node : forward(*model, 4, false, Semantics::keras2).step.program.nodes)
    kernels.push_back(name(node.operation));
  EXPECT_EQ(fmt::format("{}", fmt::join(kernels, " ")),
            "batch_norm_inference fill fill concat add update dropout matmul bias_add");
}

TEST(KerasJson, ReadsTensorFlowJs) {
  const std::string path = std::string(WT_TEST_DATA) + "/oracle/mlp_momentum/model.json";
  EXPECT_EQ(count_parameters(*model_from_json_file(path)).trainable,
            20 * 48 + 48 + 48 * 32 + 32 + 32 * 5 + 5);
  const std::string wrapped = fmt::format(
      R"({{"format": "layers-model", "modelTopology": {{"model_config": {}}}, "weightsManifest": []}})",
      text_of(path));
  EXPECT_EQ(model_from_json(json::parse(wrapped, "x"))->name(), "mlp");
}

// The required keys of all classes. Each class reads its own, and finish(), which refuses the others, is not called.
const std::string_view required_keys = R"({
    "name": "a", "units": 1, "filters": 1, "kernel_size": 1, "rate": 0, "input_dim": 1, "output_dim": 1, "num_heads": 1,
    "key_dim": 1, "target_shape": [1], "activation": "relu", "batch_shape": [null, 1], "n": 1, "axes": 1, "dims": [1],
    "height": 1, "width": 1, "factor": 0.5, "equation": "ab,bc->ac", "output_shape": [1], "output_size": 1, "stddev": 0,
    "num_tokens": 1, "bin_boundaries": [0], "min_value": 0, "value_range": [0, 1], "group_size": 1, "head_dim": 1,
    "num_query_heads": 1, "num_key_value_heads": 1, "lower": 0, "upper": 1, "num_bins": 1,
    "vocabulary": [1],
    "layer": {"class_name": "LSTM", "config": {"name": "l", "units": 1}},
    "cell": {"class_name": "LSTMCell", "config": {"name": "c", "units": 1}}})";

LayerPtr read_alone(const LayerClass& row, const json::Value& config, Problems& problems) {
  LayerReader reader(config, problems);
  reader.set_class_name(row.class_name);
  reader.read_inner_by([&](const json::Value& entry) {
    return read_alone(*find_layer_class(entry.find("class_name")->string()), *entry.find("config"), problems);
  });
  return row.from_json(reader);
}

TEST(LayerCatalog, IsSortedAndReadsEachClassFromItsName) {
  for (std::size_t i = 1; i < layer_classes().size(); ++i)
    EXPECT_LT(layer_classes()[i - 1].class_name, layer_classes()[i].class_name);
  const json::Value config = json::parse(std::string(required_keys), "x");
  for (const LayerClass& row : layer_classes()) {
    Problems problems;
    const LayerPtr layer = read_alone(row, config, problems);
    for (const Problem& problem : problems.found()) ADD_FAILURE() << row.class_name << ": " << problem.fact;
    ASSERT_NE(layer, nullptr) << row.class_name;
    EXPECT_EQ(layer->class_name(), row.class_name);
    EXPECT_EQ(layer->name(), "a");
    EXPECT_EQ(find_layer_class(row.class_name), &row);
  }
}

// Returns "line:column fact | remedy" for each problem.
std::string refused(const std::string& text) {
  try {
    model_from_json(json::parse(text, "m.json"));
  } catch (const InputError& error) {
    std::vector<std::string> lines;
    for (const Problem& problem : error.problems())
      lines.push_back(fmt::format("{}:{} {} | {}", problem.place.line, problem.place.column, problem.fact,
                                  problem.remedy));
    return fmt::format("{}", fmt::join(lines, "\n"));
  }
  return "no problem";
}

// Cuts off the list of known names.
std::string without_list(const std::string& text) { return text.substr(0, text.find(" known:")); }

// The JSON of a Sequential with an input of [4] and one layer, whose entry is in line 3.
std::string with_layer(const std::string& layer) {
  return R"({"class_name": "Sequential", "config": {"name": "m", "layers": [
{"class_name": "InputLayer", "config": {"name": "i", "batch_shape": [null, 4]}},
)" + layer +
         "]}}";
}

std::string with_dense(const std::string& more) {
  return with_layer(R"({"class_name": "Dense", "config": {"name": "d", "units": 2, )" + more + "}}");
}

// Every version of Keras writes further keys. Without a value they leave a layer as it was.
TEST(KerasJson, PassesOverUnknownKeysWithoutAValue) {
  json::PassedOver passed;
  const std::string keys = R"("a": null, "b": false, "c": "", "d": [], "e": {},
    "kernel_initializer": {"class_name": "GlorotUniform", "config": {"seed": null, "inner_axes": null}},
    "bias_regularizer": {"class_name": "L2", "config": {"l2": 0.5, "per_axis": false}})";
  model_from_json(json::parse(with_dense(keys), "m.json"), &passed);
  EXPECT_EQ(passed, (json::PassedOver{"a", "b", "c", "d", "e", "inner_axes", "per_axis"}));
}

TEST(KerasJsonErrors, NameUnknownKeysWithAValue) {
  for (const std::string value : {"0", "1", "true", "\"x\"", "[0]", R"({"x": null})", "0.5"}) {
    EXPECT_TRUE(refused(with_dense("\"later\": " + value))
                    .starts_with("3:61 layer \"d\" (Dense): unknown key \"later\" | known: "))
        << value;
    EXPECT_TRUE(refused(with_dense(R"("kernel_initializer": {"class_name": "GlorotUniform", "config": {)"
                                   R"("inner_axes": )" +
                                   value + "}}"))
                    .find("unknown key \"inner_axes\"") != std::string::npos)
        << value;
  }
}

// What Keras computes itself when it builds a layer: the axes of attention over inputs of rank 3.
TEST(KerasJson, AcceptsWhatKerasComputesItself) {
  const auto attention = [](const std::string& axes) {
    return R"({"class_name": "Functional", "config": {"name": "m", "layers": [
{"class_name": "InputLayer", "name": "i", "config": {"name": "i", "batch_shape": [null, 3, 4]}, "inbound_nodes": []},
{"class_name": "MultiHeadAttention", "name": "a", "config": {"name": "a", "num_heads": 1, "key_dim": 2,
  "attention_axes": )" +
           axes + R"(}, "inbound_nodes": [[["i", 0, 0, {"value": ["i", 0, 0]}]]]}],
"input_layers": [["i", 0, 0]], "output_layers": [["a", 0, 0]]}})";
  };
  EXPECT_EQ(refused(attention("[1]")), "no problem");
  EXPECT_EQ(refused(attention("[\n1\n]")), "no problem");
  EXPECT_NE(
      refused(attention("[1, 2]")).find("attention over axis 2 of float32[1,3,4] | attention_axes may hold "),
      std::string::npos);
}

TEST(KerasJsonErrors, NameTheClassThatIsNotOffered) {
  EXPECT_EQ(without_list(refused(with_layer(R"({"class_name": "Dens", "config": {"name": "d"}})"))),
            "3:16 layer \"d\" is a Dens, which is not offered | did you mean \"Dense\"?");
  EXPECT_TRUE(
      refused(with_layer(R"({"class_name": "GraphConvolution", "config": {"name": "d"}})"))
          .starts_with("3:16 layer \"d\" is a GraphConvolution, which is not offered | known: Activation, "));
}

TEST(KerasJsonErrors, RefuseStrings) {
  EXPECT_EQ(
      refused(with_layer(R"({"class_name": "StringLookup", "config": {"name": "d"}})")),
      "3:16 layer \"d\" is a StringLookup, which reads strings | number the strings in the dataset, and "
      "write an IntegerLookup of the numbers");
  EXPECT_EQ(
      refused(with_layer(R"({"class_name": "TextVectorization", "config": {"name": "d"}})")),
      "3:16 layer \"d\" is a TextVectorization, which reads strings | split and number the texts in the "
      "dataset, and begin with the numbers");
  EXPECT_EQ(
      refused(with_layer(R"({"class_name": "InputLayer", "config": {"name": "s", "batch_shape": [null, 1],
"dtype": "string"}})")),
      "4:10 layer \"s\" (InputLayer): no tensor here holds strings | number them in the dataset, and "
      "write \"int64\"");
  EXPECT_EQ(refused(with_layer(R"({"class_name": "IntegerLookup", "config": {"name": "d",
"vocabulary": ["a", 2]}})"))
                .substr(0, 4),
            "4:16");
}

TEST(KerasJsonErrors, RefuseLookupsThatCannotBe) {
  const auto lookup = [](const std::string& more) {
    return refused(with_layer(R"({"class_name": "IntegerLookup", "config": {"name": "d", )" + more + "}}"));
  };
  EXPECT_EQ(lookup(R"("vocabulary": [1, 2])"), "no problem");
  EXPECT_EQ(lookup(R"("vocabulary": [-1, 1, 2])"), "no problem");  // with the token for unknown ones
  EXPECT_NE(lookup(R"("vocabulary": null)").find("it has no vocabulary | write it into the model"),
            std::string::npos);
  EXPECT_NE(lookup(R"("vocabulary": [1, 2, 1])").find("a token stands twice in its vocabulary"),
            std::string::npos);
  EXPECT_NE(lookup(R"("vocabulary": [1, 2], "mask_token": 2)").find("the mask token 2 is in its vocabulary"),
            std::string::npos);
  EXPECT_NE(lookup(R"("vocabulary": [1, 2], "output_mode": "tf_idf")")
                .find("\"tf_idf\" and \"idf_weights\" go together"),
            std::string::npos);
  EXPECT_NE(lookup(R"("vocabulary": [1, 2], "output_mode": "tf_idf", "idf_weights": [1, 2, 3, 4])")
                .find("there are 5 idf_weights for 3 indices"),
            std::string::npos);
  EXPECT_NE(lookup(R"("vocabulary": [1, 2], "salt": [1, 2, 3])").find("there are not two numbers"),
            std::string::npos);
}

TEST(KerasJsonErrors, RefuseCode) {
  EXPECT_EQ(
      refused(with_layer(R"({"class_name": "Lambda", "config": {"name": "d", "function": ["4wEA", null]}})")),
      "3:16 layer \"d\" is a Lambda, which holds Python code | replace it by layers of Keras that compute "
      "the "
      "same");
  EXPECT_EQ(refused(with_dense(R"("activation": {"class_name": "__lambda__", "config": {"value": "4wEA"}})")),
            "3:75 layer \"d\" (Dense): \"activation\" is an object that does not name a function | write the "
            "name of "
            "an activation");
}

TEST(KerasJsonErrors, RefuseAUsersOwnClass) {
  EXPECT_EQ(
      refused(with_layer(
          R"({"class_name": "Dense", "registered_name": "mine>Dense", "config": {"name": "d", "units": 1}})")),
      "3:16 layer \"d\" is a Dense, a class of the user's own (\"mine>Dense\") | replace it by layers of "
      "Keras that "
      "compute the same");
}

TEST(KerasJsonErrors, RefuseWhatWouldChangeNumbers) {
  EXPECT_EQ(refused(with_dense(R"("lora_rank": 4)")),
            "3:74 layer \"d\" (Dense): \"lora_rank\" 4 is not offered | set it to null");
  EXPECT_EQ(
      refused(with_dense(R"("dtype": "float16")")),
      "3:70 layer \"d\" (Dense): \"float16\" is not offered | variables are float32: write \"float32\", "
      "\"mixed_float16\" or \"mixed_bfloat16\"");
}

TEST(KerasJsonErrors, NameUnknownKeys) {
  const std::string refusal = refused(with_dense(R"("use_bais": false)"));
  EXPECT_TRUE(
      refusal.starts_with("3:61 layer \"d\" (Dense): unknown key \"use_bais\" | did you mean \"use_bias\"?"))
      << refusal;
}

TEST(KerasJsonErrors, NameWrongValues) {
  EXPECT_EQ(refused(with_layer(R"({"class_name": "Dense", "config": {"name": "d"}})")),
            "3:35 layer \"d\" (Dense): this object has no \"units\" | add \"units\": it has no default");
  EXPECT_EQ(refused(with_layer(R"({"class_name": "Dense", "config": {"name": "d", "units": 0}})")),
            "3:58 layer \"d\" (Dense): 0 is out of range | it must be at least 1");
  EXPECT_EQ(without_list(refused(with_dense(R"("kernel_initializer": "glorot_unifrom")"))),
            "3:83 layer \"d\" (Dense): unknown initializer \"glorot_unifrom\" | did you mean "
            "\"glorot_uniform\"?");
}

TEST(KerasJsonErrors, AreReportedAllAtOnce) {
  EXPECT_EQ(without_list(refused(with_layer(
                R"({"class_name": "Dense", "config": {"name": "d", "units": -1, "activation": "rulu"}},
{"class_name": "Dropout", "config": {"name": "x", "rate": 2}})"))),
            "3:58 layer \"d\" (Dense): -1 is out of range | it must be at least 1\n"
            "3:76 layer \"d\" (Dense): unknown activation \"rulu\" | did you mean \"relu\"?");
  EXPECT_EQ(refused(with_layer(R"({"class_name": "Dense", "config": {"name": "d", "units": -1}},
{"class_name": "Dropout", "config": {"name": "x", "rate": 2}})")),
            "3:58 layer \"d\" (Dense): -1 is out of range | it must be at least 1\n"
            "4:37 [Dropout] layer \"x\": the rate is 2 | it must be at least 0 and "
            "less than 1");
}

TEST(KerasJsonErrors, PointAtALayerWhoseInputDoesNotFit) {
  EXPECT_EQ(refused(with_layer(
                R"({"class_name": "Conv2D", "config": {"name": "c", "filters": 2, "kernel_size": [3, 3]}})")),
            "3:1 [Conv2D] layer \"c\": it takes an input of rank 4 and is given float32[1,4] | the rank "
            "includes the batch axis");
}

// The JSON of a functional model with an input "i" and a dense layer "d". `call` is the call of the layer in
// line 4.
std::string functional_with(const std::string& call, const std::string& outputs = R"([["d", 0, 0]])") {
  return R"({"class_name": "Functional", "config": {"name": "m", "layers": [
{"class_name": "InputLayer", "config": {"name": "i", "batch_input_shape": [null, 4]}, "name": "i", "inbound_nodes": []},
{"class_name": "Dense", "config": {"name": "d", "units": 4}, "name": "d", "inbound_nodes": [
)" + call +
         R"(]}], "input_layers": [["i", 0, 0]],
"output_layers": )" +
         outputs + "}}";
}

TEST(KerasJsonErrors, NameACallThatLeadsNowhere) {
  EXPECT_EQ(refused(functional_with(R"([["i", 0, 0, {}]])")), "no problem");
  EXPECT_EQ(refused(functional_with(R"([["j", 0, 0, {}]])")),
            "4:2 there is no layer named \"j\" | known: d, i");
  EXPECT_EQ(refused(functional_with(R"([["i", 3, 0, {}]])")),
            "4:2 call 3, output 0 of layer \"i\" does not exist | number of its calls: 1, counted from 0");
  EXPECT_EQ(
      refused(functional_with(R"([["i", 0, 0, {}]])", R"([["d", 0, 2]])")),
      "1:1 [Functional] model \"m\": output 2 of layer \"d\" does not exist | number of its outputs: 1, "
      "counted from 0");
  EXPECT_EQ(refused(functional_with(R"([["d", 0, 0, {}]])")),
            "4:1 layer \"d\" depends on a cycle of calls | remove the cycle: no call may depend on its own "
            "output");
}

TEST(KerasJsonErrors, RefuseArgumentsThatAreNoTensors) {
  EXPECT_EQ(refused(functional_with(R"([["_CONSTANT_VALUE", -1, 2.0, {}]])")),
            "4:2 an argument that is not the output of a layer is not offered | layers may be called on "
            "other layers' "
            "outputs only");
  EXPECT_EQ(refused(functional_with(R"([["i", 0, 0, {"state": ["i", 0, 0]}]])")),
            "4:15 a call with the argument \"state\" is not offered | known: training, mask, initial_state, "
            "and the "
            "arguments of an attention");
}

TEST(KerasJsonErrors, SayWhenItIsNoModel) {
  EXPECT_EQ(refused(R"({"class_name": "Dense", "config": {}})"),
            "1:16 this is a \"Dense\", not a model | known: Sequential, Functional");
  EXPECT_EQ(refused("[]"), "1:1 expected an object, found a list | ");
  EXPECT_EQ(refused(R"({"class_name": "Sequential", "config": {"layers": []}})"),
            "1:40 [Sequential] layer \"\": it has no layers | add at least one");
}

// Damages a text at one to three random places: a piece between separators is replaced by another token,
// repeated or deleted, or one character is replaced.
std::string mutated(const std::string& text, std::mt19937& random) {
  static const std::vector<std::string> tokens{"null", "-1", "0",         "1e300", "99999999999",
                                               "[]",   "{}", "\"dense\"", "true"};
  const auto any = [&](std::size_t below) { return random() % std::max<std::size_t>(below, 1); };
  std::string result = text;
  for (std::size_t rounds = 1 + any(3); rounds > 0; --rounds) {
    const std::size_t at = any(result.size());
    const std::size_t from = result.find_first_of(":,[", at);
    if (from == std::string::npos) continue;
    const std::size_t to = result.find_first_of(",]}", from + 1);
    if (to == std::string::npos) continue;
    const std::string piece = result.substr(from + 1, to - from - 1);
    switch (any(4)) {
      case 0:
        result.replace(from + 1, piece.size(), tokens[any(tokens.size())]);
        break;
      case 1:
        result.insert(to, "," + piece);
        break;
      case 2:
        result.erase(from, to - from);
        break;
      default:
        result[at] = static_cast<char>(32 + any(95));
    }
  }
  return result;
}

TEST(KerasJson, IsAModelOrAnErrorWhateverAFileSays) {
  std::mt19937 random(20);
  int accepted = 0, refused_ones = 0;
  for (const std::string& model : models)
    for (const std::string& era : eras) {
      const std::string text = text_of(path_of(model, era));
      for (int i = 0; i < 150; ++i) {
        try {
          model_from_json(json::parse(mutated(text, random), "m.json"));
          ++accepted;
        } catch (const InputError& error) {
          ++refused_ones;
          for (const Problem& problem : error.problems()) EXPECT_GT(problem.place.line, 0) << problem.fact;
        }
      }
    }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused_ones, 1000);
}

}  // namespace
}  // namespace wt::model
