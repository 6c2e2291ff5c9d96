// Claims: an Estimator trains, evaluates and predicts as TensorFlow 2.15's did in each recording (tests/train/estimator):
// variables by their names, losses, metrics, checkpoints' names, input contexts, what a configuration says of its task, and
// refusals; under several replicas each takes whole batches; under any strategy two replicas with halves of the batches
// do what one does with whole ones; a training that is split in two calls is one training.

#include "train/estimator.h"

#include <gtest/gtest.h>

#include "scenario/schema_check.h"
#include "train/estimator/linear_regressor.h"
#include "train/server_recordings.h"

namespace wt::train {
namespace {

const fs::path estimator_cases = fs::path(WT_TEST_DATA) / "train" / "estimator";

std::vector<std::string> cases(const std::string& part) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(estimator_cases))
    if (entry.is_directory() && entry.path().filename().string().find(part) != std::string::npos)
      names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

class EstimatorCase : public testing::TestWithParam<std::string> {
 protected:
  Recording theirs_{"../estimator/" + GetParam()};
  test::TestFolder folder_{};
  test::Machine host_{};
  std::vector<std::string> log_{};

  void expect_result(std::string_view key, const EvaluationResult& ours) const {
    const json::Value& theirs = theirs_.value(key);
    ASSERT_EQ(ours.size(), theirs.members().size()) << key;
    for (const json::Member& member : theirs.members()) {
      ASSERT_TRUE(ours.contains(member.key)) << member.key;
      const double wanted = member.value.kind() == json::Kind::integer
                                ? static_cast<double>(member.value.integer())
                                : member.value.real();
      EXPECT_NEAR(ours.at(member.key), wanted, 1e-5 * std::max(1.0, std::abs(wanted)))
          << key << " " << member.key;
    }
  }
  void expect_variables(const std::string& when, const Estimator& estimator) const {
    std::size_t compared = 0;
    for (const auto& [name, theirs] : theirs_.tensors()) {
      if (!name.starts_with(when + "/")) continue;
      const Tensor ours = estimator.get_variable_value(name.substr(when.size() + 1));
      ASSERT_EQ(ours.type(), theirs.type()) << name;
      ASSERT_EQ(ours.shape(), theirs.shape()) << name;
      if (ours.type() == Type::int64)
        EXPECT_EQ(ours.values<std::int64_t>()[0], theirs.values<std::int64_t>()[0]) << name;
      else
        EXPECT_LE(relative_difference(ours, theirs), 1e-4) << name;
      ++compared;
    }
    EXPECT_GT(compared, 0U) << when;
  }
  static double relative_difference(const Tensor& ours, const Tensor& theirs) {
    double largest = 1e-12, difference = 0;
    for (std::size_t i = 0; i < theirs.values<float>().size(); ++i) {
      const auto a = static_cast<double>(ours.values<float>()[i]),
                 b = static_cast<double>(theirs.values<float>()[i]);
      largest = std::max(largest, std::abs(b));
      difference = std::max(difference, std::abs(a - b));
    }
    return difference / largest;
  }
};

// The strategies of the recordings, on two devices of this host.
struct Strategies {
  const Strategy one{"OneDeviceStrategy", 1};
  const Strategy mirrored{"MirroredStrategy", 1};
  const Strategy central{"CentralStorageStrategy", 2};
  test::Machine one_machine{};
  test::Machine central_machine{test::central_storage(2), {.replicas = 2}};

  Distribute of(const std::string& name) {
    if (name == "one") return {&one, &static_cast<Resources&>(one_machine)};
    if (name == "mirrored") return {&mirrored, &static_cast<Resources&>(one_machine)};
    if (name == "central") return {&central, &static_cast<Resources&>(central_machine)};
    return {};
  }
};

RunConfigOptions options_of(const Distribute& distribute, const test::TestFolder& folder) {
  return {.model_dir = folder.path() / "model",
          .log_step_count_steps = 1,
          .train_distribute = distribute,
          .eval_distribute = distribute};
}

// ---- A model function

EstimatorSpec model_fn(model::Building& building, const Features& features,
                       const std::optional<Symbol>& labels, ModeKeys mode) {
  const Symbol w = building.weight("w", {Type::float32, {2, 1}}, {});
  const Symbol b = building.weight("b", {Type::float32, {1}}, {});
  const Symbol p = bias_add(matmul(features.at("x"), w), b);
  EstimatorSpec spec{.predictions = {{"p", p}},
                     .initial_values = {{"w", Tensor::of<float>({2, 1}, {.5F, -.25F})},
                                        {"b", Tensor::of<float>({1}, {.125F})}}};
  if (mode == ModeKeys::infer) return spec;
  spec.loss = reduce_mean(square(p - *labels));
  model::Optimizer descent = model::optimizer_named("sgd");
  descent.learning_rate = .1;
  spec.train_op = TrainOp{descent};
  spec.eval_metric_ops = {{.metric = model::metric_named("mae", "mae"), .values = p, .labels = labels}};
  return spec;
}

class CustomEstimator : public EstimatorCase {};
INSTANTIATE_TEST_SUITE_P(Recorded, CustomEstimator, testing::ValuesIn(cases("custom")));

std::vector<float> numbers_in(const std::string& text) {
  std::vector<float> numbers;
  std::string digits;
  for (const char letter : text + " ") {
    if (std::string_view("+-.e0123456789").find(letter) != std::string_view::npos) {
      digits += letter;
    } else if (!digits.empty()) {
      numbers.push_back(std::stof(digits));
      digits.clear();
    }
  }
  return numbers;
}

TEST_P(CustomEstimator, E1_E3_E4_DoesWhatTensorFlowDid) {
  Strategies strategies;
  const std::string how(theirs_.config("how").string());
  RunConfigOptions options =
      options_of(strategies.of(std::string(theirs_.config("strategy").string())), folder_);
  options.log = [&](const std::string& line) { log_.push_back("INFO:tensorflow:" + line); };
  Estimator estimator(model_fn, RunConfig(options), host_);
  const std::map<std::string, Tensor> rows = theirs_.tensors();
  const auto data = [&] { return data::Dataset::from_tensor_slices({rows.at("x"), rows.at("y")}).batch(4); };
  const auto once = [&](const data::InputContext*) { return EstimatorInput{{"x"}, data()}; };
  const auto endless = [&](const data::InputContext*) { return EstimatorInput{{"x"}, data().repeat()}; };
  std::vector<std::string> contexts;
  if (how == "train") {
    const auto with_context = [&](const data::InputContext* context) {
      contexts.push_back(context == nullptr
                             ? "null"
                             : fmt::format("[{},{},{}]", context->input_pipelines, context->input_pipeline,
                                           context->replicas_in_sync));
      return EstimatorInput{{"x"}, data()};
    };
    estimator.train(with_context);
    expect_variables("epoch", estimator);
    estimator.train(endless, {.steps = 5});
    expect_variables("more", estimator);
    estimator.train(endless, {.max_steps = 3});
    expect_variables("max_steps", estimator);
  } else {
    const auto result = train_and_evaluate(estimator, {endless, 6}, {once, 2, 0});
    ASSERT_TRUE(result.has_value());
    expect_variables("end", estimator);
    const json::Value& theirs = theirs_.value("result").elements()[0];
    for (const json::Member& member : theirs.members()) {
      if (member.value.kind() != json::Kind::real) continue;
      EXPECT_NEAR(result->at(member.key), member.value.real(), 1e-5) << member.key;
    }
  }
  expect_result("evaluate", estimator.evaluate(once));
  expect_result("evaluate_steps", estimator.evaluate(once, 1));
  std::string text;
  for (const json::Value& context : theirs_.value("contexts").elements()) text += wt::print(context);
  EXPECT_EQ(fmt::format("{}", fmt::join(contexts, "")), text);
  EXPECT_EQ(estimator.latest_checkpoint()->filename(), theirs_.value("latest").string());

  const std::vector<float> predicted = numbers_in(theirs_.returned("predict"));
  const std::vector<std::map<std::string, Tensor>> ours = estimator.predict(once);
  ASSERT_GE(predicted.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(ours[i].at("p").values<float>()[0], predicted[i], 1e-5) << i;
  EXPECT_EQ(ours.size(), 24U);
  EXPECT_EQ(theirs_.thrown("both_steps"),
            thrown_by([&] { estimator.train(once, {.steps = 1, .max_steps = 1}); }));
  EXPECT_EQ(theirs_.thrown("zero_steps"), thrown_by([&] { estimator.train(once, {.steps = 0}); }));
}

// "loss = 0.59351397, step = 0": what is logged, up to times.
TEST_P(CustomEstimator, E3_LogsTheLossesThatTensorFlowLogged) {
  Strategies strategies;
  const std::string strategy(theirs_.config("strategy").string());
  if (theirs_.config("how").string() != "train") return;
  RunConfigOptions options = options_of(strategies.of(strategy), folder_);
  std::vector<double> ours, wanted;
  const auto add = [](const std::string& line, std::vector<double>& losses) {
    const std::size_t at = line.find("loss = ");
    if (at != std::string::npos && line.find("step = ") != std::string::npos)
      losses.push_back(std::stod(line.substr(at + 7)));
  };
  options.log = [&](const std::string& line) { add(line, ours); };
  Estimator estimator(model_fn, RunConfig(options), host_);
  const std::map<std::string, Tensor> rows = theirs_.tensors();
  const auto data = [&](const data::InputContext*) {
    return EstimatorInput{{"x"}, data::Dataset::from_tensor_slices({rows.at("x"), rows.at("y")}).batch(4)};
  };
  estimator.train(data);
  for (const json::Value& line : theirs_.all().find("log")->elements())
    add(std::string(line.string()), wanted);
  ASSERT_FALSE(ours.empty());
  ASSERT_GE(wanted.size(), ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], wanted[i], 1e-5) << i;
}

// ---- LinearRegressor

class LinearEstimator : public EstimatorCase {};
INSTANTIATE_TEST_SUITE_P(Recorded, LinearEstimator, testing::ValuesIn(cases("linear")));

EstimatorInput feats(std::int64_t batch) {
  return {{"feats"},
          data::Dataset::from_tensors({Tensor::of<float>({1}, {1}), Tensor::of<float>({1}, {1})})
              .repeat(10000)
              .batch(batch)};
}

std::vector<std::string> texts_of(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& text : list.elements()) texts.emplace_back(text.string());
  return texts;
}

// Of TensorFlow's files, those of checkpoints by their number.
std::vector<std::string> checkpoints_in(const std::vector<std::string>& files) {
  std::set<std::string> names;
  for (const std::string& file : files)
    if (file.starts_with("model.ckpt")) names.insert(file.substr(0, file.find('.', 11)));
  return {names.begin(), names.end()};
}
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    files.push_back(entry.path().filename());
  return files;
}

TEST_P(LinearEstimator, E2_E3_E5_DoesWhatTensorFlowDid) {
  Strategies strategies;
  const std::int64_t batch = theirs_.config("batch").integer();
  const auto input = [&](const data::InputContext*) { return feats(batch); };
  const RunConfig config(
      options_of(strategies.of(std::string(theirs_.config("strategy").string())), folder_));
  Estimator regressor = linear_regressor({.feature_columns = {{"feats"}}, .optimizer = "SGD"}, config, host_);
  for (const std::int64_t steps : {2, 3}) {
    regressor.train(input, {.steps = steps});
    expect_variables(fmt::format("after{}", steps), regressor);
  }
  EXPECT_EQ(regressor.get_variable_names(), texts_of(theirs_.value("variables")));
  expect_result("evaluate", regressor.evaluate(input, 1));
  expect_result("evaluate3", regressor.evaluate(input, 3));
  EXPECT_EQ(checkpoints_in(files_in(regressor.model_dir())),
            checkpoints_in(texts_of(theirs_.value("files"))));
  const auto two = [](const data::InputContext*) {
    return EstimatorInput{{"feats"}, feats(1).dataset.take(2)};
  };
  const auto rows = regressor.predict(two);
  ASSERT_EQ(rows.size(), 2U);
  const std::vector<float> predicted = numbers_in(theirs_.returned("predict"));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(rows[i].at("predictions").values<float>()[0], predicted[i], 1e-5);
}

class ProgramOfSeeds : public EstimatorCase {};
INSTANTIATE_TEST_SUITE_P(Recorded, ProgramOfSeeds, testing::ValuesIn(cases("program")));

TEST_P(ProgramOfSeeds, E1_E2_E3_DoesWhatTensorFlowDid) {
  Strategies strategies;
  const std::string kind(theirs_.config("kind").string());
  RunConfigOptions options = options_of(strategies.of(kind), folder_);
  options.log_step_count_steps = 100;
  const RunConfig config(options);
  Estimator regressor = linear_regressor({.feature_columns = {{"feats"}}, .optimizer = "SGD"}, config, host_);
  std::size_t calls = 0;
  const auto input = [&](const data::InputContext*) {
    ++calls;
    return feats(10);
  };
  regressor.train(input, {.steps = 2});
  EXPECT_EQ(regressor.get_variable_names(), texts_of(theirs_.value("names")));
  for (const json::Member& member : theirs_.value("variables").members()) {
    const Tensor ours = regressor.get_variable_value(member.key);
    const json::Value* theirs = &member.value;
    while (theirs->kind() == json::Kind::array) theirs = &theirs->elements()[0];
    const double wanted =
        theirs->kind() == json::Kind::integer ? static_cast<double>(theirs->integer()) : theirs->real();
    const double found = ours.type() == Type::int64 ? static_cast<double>(ours.values<std::int64_t>()[0])
                                                    : static_cast<double>(ours.values<float>()[0]);
    EXPECT_NEAR(found, wanted, 1e-5) << member.key;
  }
  expect_result("evaluate", regressor.evaluate(input, 1));
  EXPECT_EQ(calls, theirs_.value("input function calls").elements().size());
  const json::Value& facts = theirs_.value("run config");
  EXPECT_EQ(facts.find("task_type")->string(), config.task_type());
  EXPECT_EQ(facts.find("save_checkpoints_secs")->string(), std::to_string(*config.save_checkpoints_secs()));
  if (!theirs_.has("predict")) return;
  const auto rows = regressor.predict([](const data::InputContext*) {
    return EstimatorInput{{"feats"}, data::Dataset::from_tensors({Tensor::of<float>({2, 1}, {1, 2})})};
  });
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(rows.at(i).at("predictions").values<float>()[0],
                theirs_.value("predict").elements()[i].real(), 1e-5);
}

class OptimizerOfEstimator : public EstimatorCase {};
INSTANTIATE_TEST_SUITE_P(Recorded, OptimizerOfEstimator, testing::ValuesIn(cases("optimizer")));

TEST_P(OptimizerOfEstimator, E2_HasItsVariablesAndItsValues) {
  const std::map<std::string, Tensor> rows = theirs_.tensors();
  std::vector<float> first;
  for (std::size_t i = 0; i < 6; ++i) first.push_back(rows.at("x").values<float>()[2 * i]);
  const auto data =
      data::Dataset::from_tensor_slices({Tensor::of<float>({6, 1}, first), rows.at("x"), rows.at("y")})
          .batch(4);
  const auto once = [&](const data::InputContext*) { return EstimatorInput{{"a", "b"}, data}; };
  const auto endless = [&](const data::InputContext*) { return EstimatorInput{{"a", "b"}, data.repeat()}; };
  const std::string name(theirs_.config("optimizer").string());
  LinearRegressorOptions options{.feature_columns = {{"a"}, {"b", 2}}};
  if (name != "Ftrl") options.optimizer = name;  // which is the default
  Estimator regressor = linear_regressor(options, RunConfig(options_of({}, folder_)), host_);
  regressor.train(endless, {.steps = 3});
  EXPECT_EQ(regressor.get_variable_names(), texts_of(theirs_.value("variables")));
  expect_variables("after3", regressor);
  expect_result("evaluate", regressor.evaluate(once));
  const auto predicted = regressor.predict(once);
  const auto& theirs = theirs_.value("predict").elements();
  ASSERT_EQ(predicted.size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i)
    EXPECT_NEAR(predicted[i].at("predictions").values<float>()[0], theirs[i].elements()[0].real(), 1e-5);
}

// ---- RunConfig

std::string text_of(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::string:
      return std::string(value.string());
    case json::Kind::null:
      return "null";
    default:
      return wt::print(value);
  }
}

template <class Number>
std::string text_of(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "null";
}

TEST(E1, RunConfigKnowsItsTaskAndRefusesWhatTensorFlowRefuses) {
  const Recording theirs("../estimator/further_configs");
  const cluster::ClusterSpec all({cluster::job_of("chief", {"localhost:1"}),
                                  cluster::job_of("worker", {"localhost:2", "localhost:3"}),
                                  cluster::job_of("ps", {"localhost:4"})});
  const auto task = [&](std::optional<std::string> type, std::optional<int> index) {
    return cluster::TfConfig{.cluster = all, .task_type = std::move(type), .task_index = index};
  };
  const std::map<std::string, cluster::TfConfig> configs{
      {"none", {}},
      {"chief", task("chief", 0)},
      {"worker", task("worker", 1)},
      {"ps", task("ps", 0)},
      {"evaluator", task("evaluator", 0)},
      {"evaluator1", task("evaluator", 1)},
      {"no_chief",
       {.cluster = cluster::ClusterSpec({cluster::job_of("worker", {"localhost:2"})}),
        .task_type = "worker",
        .task_index = 0}},
      {"no_type", task({}, 0)},
      {"no_index", task("worker", {})},
      {"too_large", task("worker", 9)},
      {"unknown", task("boss", 0)}};
  for (const auto& [name, written] : configs) {
    const cluster::TfConfig& config = written;
    std::optional<RunConfig> made;
    const Thrown ours = thrown_by([&] { made.emplace(RunConfigOptions{.tf_config = config}); });
    EXPECT_EQ(ours, theirs.thrown(name)) << name;
    if (!made) continue;
    const json::Value& facts = theirs.value("run_config/" + name);
    const std::map<std::string, std::string> found{
        {"task_type", made->task_type()},
        {"task_id", std::to_string(made->task_id())},
        {"is_chief", made->is_chief() ? "true" : "false"},
        {"master", made->master()},
        {"evaluation_master", made->evaluation_master()},
        {"num_worker_replicas", std::to_string(made->num_worker_replicas())},
        {"num_ps_replicas", std::to_string(made->num_ps_replicas())},
        {"global_id_in_cluster", text_of(made->global_id_in_cluster())},
        {"save_checkpoints_secs", text_of(made->save_checkpoints_secs())},
        {"save_checkpoints_steps", text_of(made->save_checkpoints_steps())},
        {"save_summary_steps", std::to_string(made->options().save_summary_steps)},
        {"keep_checkpoint_max", std::to_string(made->options().keep_checkpoint_max)},
        {"keep_checkpoint_every_n_hours", std::to_string(made->options().keep_checkpoint_every_n_hours)},
        {"log_step_count_steps", std::to_string(made->options().log_step_count_steps)}};
    for (const auto& [key, value] : found) EXPECT_EQ(value, text_of(*facts.find(key))) << name << " " << key;
  }
  EXPECT_EQ(theirs.thrown("wrong_both_saves"),
            thrown_by([] { RunConfig({.save_checkpoints_steps = 1, .save_checkpoints_secs = 1}); }));
  EXPECT_EQ(theirs.thrown("wrong_negative"), thrown_by([] { RunConfig({.save_summary_steps = -1}); }));
  EXPECT_EQ(theirs.thrown("wrong_keep"), thrown_by([] { RunConfig({.keep_checkpoint_max = -1}); }));
}

TEST(E6, RunConfigRefusesServersWithACoordinator) {
  const Recording theirs("../estimator/parameter_server_v2");
  const ParameterServerStrategy strategy(ServerCounts{.workers = 1, .servers = 1});
  EXPECT_EQ(theirs.thrown("made"), thrown_by([&] { RunConfig({.train_distribute = {&strategy, nullptr}}); }));
}

// ---- Properties

class AnyReplicas : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Replicas, AnyReplicas, testing::Values(1, 2, 3, 8));

// Replicas with batches of b rows do what one does with batches of all their rows.
TEST_P(AnyReplicas, E4_E5_EachTakesWholeBatches) {
  const std::int64_t replicas = GetParam();
  std::vector<float> x, y;
  for (int i = 0; i < 96; ++i) {
    x.push_back(static_cast<float>(i % 17) / 16);
    x.push_back(static_cast<float>(i % 5) / 4);
    y.push_back(static_cast<float>(i % 3));
  }
  const auto rows =
      data::Dataset::from_tensor_slices({Tensor::of<float>({96, 2}, x), Tensor::of<float>({96, 1}, y)});
  const auto input = [&](std::int64_t batch) {
    return [=](const data::InputContext*) { return EstimatorInput{{"x"}, rows.batch(batch)}; };
  };
  const auto trained = [&](test::Machine& machine, std::int64_t count, const Strategy& strategy) {
    const test::TestFolder folder;
    test::Machine host;
    RunConfigOptions options{.model_dir = folder.path() / "model"};
    options.train_distribute = options.eval_distribute = {&strategy, &static_cast<Resources&>(machine)};
    Estimator estimator(model_fn, RunConfig(options), host);
    estimator.train(input(24 / count));
    EvaluationResult result = estimator.evaluate(input(24 / count));
    result["w"] = static_cast<double>(estimator.get_variable_value("w").values<float>()[0]);
    return result;
  };
  test::Machine alone;
  const Strategy one("OneDeviceStrategy", 1), mirrored("MirroredStrategy", replicas);
  const EvaluationResult whole = trained(alone, 1, one);
  EXPECT_EQ(whole.at("global_step"), 4);
  for (const train::Lowering& lower :
       {test::mirrored(replicas), test::central_storage(replicas), test::multi_worker_mirrored(replicas)}) {
    test::Machine machine(lower, {.replicas = replicas});
    const EvaluationResult parts = trained(machine, replicas, mirrored);
    for (const auto& [name, value] : whole) EXPECT_NEAR(parts.at(name), value, 1e-5) << name;
  }
}

TEST(E3, ATrainingContinuesFromItsFolder) {
  const test::TestFolder folder;
  test::Machine host;
  const auto input = [](const data::InputContext*) { return feats(4); };
  const auto made = [&](const std::string& name, std::optional<std::int64_t> every) {
    return linear_regressor(
        {.feature_columns = {{"feats"}}, .optimizer = "Adam"},
        RunConfig(
            {.model_dir = folder.path() / name, .save_checkpoints_steps = every, .keep_checkpoint_max = 2}),
        host);
  };
  made("whole", 2).train(input, {.steps = 6});
  made("parts", {}).train(input, {.steps = 4});
  made("parts", {}).train(input, {.max_steps = 6});  // another object, as another process would have
  for (const std::string& name : made("whole", 2).get_variable_names()) {
    const Tensor whole = made("whole", 2).get_variable_value(name),
                 parts = made("parts", {}).get_variable_value(name);
    ASSERT_EQ(whole.spec(), parts.spec()) << name;
    EXPECT_TRUE(std::ranges::equal(whole.bytes(), parts.bytes())) << name;
  }
  EXPECT_EQ(checkpoints_in(files_in(folder.path() / "whole")),
            (std::vector<std::string>{"model.ckpt-4", "model.ckpt-6"}));
}

TEST(C2, AnEvaluatorEvaluatesTheNewestCheckpoint) {
  const test::TestFolder folder;
  test::Machine host;
  const auto input = [](const data::InputContext*) { return feats(4); };
  const auto of_task = [&](const std::string& type, int index) {
    const cluster::ClusterSpec spec({cluster::job_of("chief", {"a:1"}), cluster::job_of("worker", {"b:1"}),
                                     cluster::job_of("ps", {"c:1"})});
    return linear_regressor(
        {.feature_columns = {{"feats"}}},
        RunConfig({.model_dir = folder.path(),
                   .tf_config = {.cluster = spec, .task_type = type, .task_index = index}}),
        host);
  };
  Estimator evaluator = of_task("evaluator", 0);
  Estimator chief = of_task("chief", 0);
  Estimator server = of_task("ps", 0);
  const TrainSpec train{input, 3};
  const EvalSpec eval{input, 2};
  EXPECT_FALSE(train_and_evaluate(evaluator, train, eval).has_value());  // nothing is trained yet
  EXPECT_FALSE(train_and_evaluate(server, train, eval).has_value());
  EXPECT_FALSE(train_and_evaluate(chief, train, eval).has_value());
  const auto result = train_and_evaluate(evaluator, train, eval);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->at("global_step"), 3);
  Estimator second = of_task("evaluator", 1);
  EXPECT_THROW(train_and_evaluate(second, train, eval), device::ValueError);
}

TEST(E2, AnOptimizerOfAnotherNameIsRefused) {
  const test::TestFolder folder;
  test::Machine host;
  Estimator regressor = linear_regressor({.feature_columns = {{"feats"}}, .optimizer = "Nadam"},
                                         RunConfig({.model_dir = folder.path()}), host);
  const auto input = [](const data::InputContext*) { return feats(4); };
  EXPECT_EQ(thrown_by([&] { regressor.train(input, {.steps = 1}); }).sentence,
            "Unsupported optimizer name: Nadam. Supported names are: ('Adagrad', 'Adam', 'Ftrl', 'RMSProp', "
            "'SGD')");
}

}  // namespace
}  // namespace wt::train
