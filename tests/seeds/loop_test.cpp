// Claims: the tutorial's custom loop trains, evaluates, prints, saves and restores as TensorFlow was recorded to, on 1, 2
// and 4 replicas, in each of the ways in which the tutorial iterates: as its lines are indented in the document (tests once,
// after all epochs), with tests in each epoch, with an iterator for a fixed number of steps, and with the epoch inside of a
// function.

#include "data/split.h"
#include "model/keras_json.h"
#include "model/layers/convolution.h"
#include "model/layers/pooling.h"
#include "model/layers/shaping.h"
#include "seeds/images.h"
#include "tensor/print_numpy.h"
#include "train/callbacks/file_name.h"
#include "train/checkpoint.h"

namespace wt::test::seeds {
namespace {

model::LayerPtr create_model() {
  return model::sequential(
      "sequential",
      {model::input_layer({28, 28, 1}),
       model::conv2d({.filters = 32, .kernel_size = {3, 3}, .activation = "relu"}), model::max_pooling2d(),
       model::conv2d({.filters = 64, .kernel_size = {3, 3}, .activation = "relu"}), model::max_pooling2d(),
       model::flatten(), model::dense({.units = 64, .activation = "relu"}),
       model::dense({.units = 10, .activation = "softmax"})});
}

std::vector<TensorSpec> specs_of(const model::Layer& layer) {
  std::vector<TensorSpec> specs;
  for (const model::Weight& weight : model::weights_of(layer)) specs.push_back(weight.spec);
  return specs;
}

// Rows of replicas, as numbers of images.
using Parts = std::vector<std::vector<std::vector<std::int64_t>>>;

Parts parts_in(const json::Value& value) {
  Parts steps;
  for (const json::Value& step : value.elements()) {
    steps.emplace_back();
    for (const json::Value& replica : step.elements()) {
      steps.back().emplace_back();
      for (const json::Value& row : replica.elements()) steps.back().back().push_back(row.integer());
    }
  }
  return steps;
}

// The tutorial's program. Members stand in the order of its sections.
class Tutorial {
 public:
  explicit Tutorial(const Recording& recording)
      : recording_(recording),
        train_images_(config_number(recording, "train"), 1),
        test_images_(config_number(recording, "test"), 2),
        epochs_(config_number(recording, "epochs")),
        semantics_(recording.semantics()),
        strategy_(mirrored(config_number(recording, "replicas"))),
        batch_(config_number(recording, "per replica") * strategy_.num_replicas_in_sync()),
        train_dataset_(strategy_.experimental_distribute_dataset(train_rows().batch(batch_))),
        test_dataset_(strategy_.experimental_distribute_dataset(test_images_.rows().batch(batch_))),
        train_step_(
            "train_step", state_, strategy_.resources(), train::Function::Mode::training,
            [this](Building& tape, const Symbols& inputs) { return train_on(tape, inputs); }, semantics_),
        test_step_(
            "test_step", state_, strategy_.resources(), train::Function::Mode::inference,
            [this](Building& tape, const Symbols& inputs) { return test_on(tape, inputs); }, semantics_),
        predict_(
            "predict", state_, strategy_.resources(), train::Function::Mode::inference,
            [this](Building& tape, const Symbols& inputs) { return Symbols{(*model_)(tape, inputs[0])}; }) {
    number_images();
    state_.preset(first_weights(*model_));
    auto first = train_dataset_.iterate();
    train_step_.create_variables(*first.next());
    auto first_test = test_dataset_.iterate();
    test_step_.create_variables(*first_test.next());
    print("replicas: {}", strategy_.num_replicas_in_sync());
  }

  void run() {
    compare_beginning();
    const std::string variant = config_text(recording_, "variant");
    const auto scope = strategy_.scope();
    if (variant == "as_indented") as_indented();
    if (variant == "each_epoch") each_epoch();
    if (variant == "iterator") with_an_iterator();
    if (variant == "function") in_a_function();
    compare_end();
    if (variant == "as_indented" || variant == "each_epoch") restore();
    expect_stdout(recording_, printed_);
  }

 private:
  // ---- The program's own functions

  data::Dataset train_rows() const {
    const data::Dataset rows = train_images_.rows();
    return config_flag(recording_, "shuffle")
               ? rows.shuffle(config_number(recording_, "train"), data::shuffle_seed(7))
               : rows;
  }

  Symbols train_on(Building& tape, const Symbols& inputs) const {
    const Symbol predictions = (*model_)(tape, inputs[0]);
    const Symbol loss =
        model::compute_average_loss(model::per_example_loss(loss_object_, inputs[1], predictions), batch_);
    const Symbols variables = tape.trainable();
    model::apply_gradients(tape, optimizer_, variables, tape.trace().gradient(loss, variables),
                           model::learning_rate(tape, optimizer_));
    model::update_metric(tape, train_accuracy_, inputs[1], predictions);
    return {loss};
  }

  Symbols test_on(Building& tape, const Symbols& inputs) const {
    const Symbol predictions = (*model_)(tape, inputs[0]);
    const Symbol losses = model::per_example_loss(loss_object_, inputs[1], predictions);
    model::update_mean(tape, test_loss_, losses);
    model::update_metric(tape, test_accuracy_, inputs[1], predictions);
    return {losses};
  }

  float result(const model::Metric& metric) const {
    const auto value = [&](const std::string& name) { return state_.read(name).values<float>()[0]; };
    return model::metric_result(value(model::total_name(metric)), value(model::count_name(metric)));
  }
  void reset(const model::Metric& metric) {
    for (const std::string& name : model::state_names(metric)) state_.reset(name);
  }

  float distributed_train_step(const train::PerReplica& batch) {
    if (rows_.size() < 30 && is_step_by_step_) rows_.push_back(rows_of(batch));
    const train::PerReplica losses = strategy_.run(train_step_, batch);
    const Tensor loss = strategy_.reduce(train::ReduceOp::sum, train::experimental_local_results(losses));
    if (is_step_by_step_) losses_.push_back(number(loss));
    return loss.values<float>()[0];
  }

  float train_epoch(std::int64_t epoch) {
    float total = 0;
    int steps = 0;
    auto batches = train_dataset_.iterate(static_cast<std::uint64_t>(epoch));
    for (; const auto batch = batches.next(); ++steps) total += distributed_train_step(*batch);
    return total / static_cast<float>(steps);
  }

  void test() {
    auto batches = test_dataset_.iterate();
    while (const auto batch = batches.next()) strategy_.run(test_step_, *batch);
  }

  void save(std::int64_t epoch) {
    if (epoch % 2 != 0) return;
    const auto path = train::Checkpoint(state_).save(folder_.path() / "ckpt");
    saved_.emplace_back(epoch + 1, path.filename().string());
  }

  // Python formats a tensor as the double of its number.
  template <class... Values>
  void print(fmt::format_string<Values...> text, Values&&... values) {
    printed_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }
  static std::string text(float number) { return train::print_as_python(static_cast<double>(number)); }

  void report(std::int64_t epoch, float loss) {
    const std::vector<float> row{loss, result(train_accuracy_) * 100, result(test_loss_),
                                 result(test_accuracy_) * 100};
    table_.push_back(static_cast<double>(epoch + 1));
    for (const float value : row) table_.push_back(static_cast<double>(value));
    print("epoch {}, loss: {}, accuracy: {}, test loss: {}, test accuracy: {}", epoch + 1, text(row[0]),
          text(row[1]), text(row[2]), text(row[3]));
    for (const model::Metric* metric : {&test_loss_, &train_accuracy_, &test_accuracy_}) reset(*metric);
  }
  void report_training(std::int64_t first, std::int64_t epoch, float loss) {
    const float accuracy = result(train_accuracy_) * 100;
    table_.insert(table_.end(),
                  {static_cast<double>(first), static_cast<double>(loss), static_cast<double>(accuracy)});
    print("epoch {}, loss: {}, accuracy: {}", epoch, text(loss), text(accuracy));
  }

  // ---- The ways of iterating

  void as_indented() {
    float loss = 0;
    for (std::int64_t epoch = 0; epoch < epochs_; ++epoch) loss = train_epoch(epoch);
    test();
    save(epochs_ - 1);
    report(epochs_ - 1, loss);
  }

  void each_epoch() {
    for (std::int64_t epoch = 0; epoch < epochs_; ++epoch) {
      const float loss = train_epoch(epoch);
      test();
      save(epoch);
      report(epoch, loss);
    }
  }

  // Each epoch makes an iterator, of which only the last one is read.
  void with_an_iterator() {
    constexpr std::int64_t steps = 10;
    auto batches = train_dataset_.iterate(static_cast<std::uint64_t>(epochs_ - 1));
    float total = 0;
    std::int64_t done = 0;
    while (done < steps) {
      const auto batch = batches.next();
      if (!batch) break;
      total += distributed_train_step(*batch);
      ++done;
    }
    // An iterator that runs out is an empty optional, where Python raises StopIteration.
    if (const json::Value* error = recording_.error("iterator runs out")) {
      compared()[&recording_].insert("iterator runs out");
      EXPECT_EQ(error->find("type")->kind() != json::Kind::null, done < steps) << recording_.id;
    } else {
      EXPECT_EQ(done, steps);
    }
    report_training(done, epochs_, total / static_cast<float>(std::max<std::int64_t>(1, done)));
  }

  // TensorFlow's function doesn't return what single steps compute, and neither does this one. The accuracy goes on from
  // epoch to epoch.
  void in_a_function() {
    const train::InsideFunction function;
    is_step_by_step_ = false;
    for (std::int64_t epoch = 0; epoch < epochs_; ++epoch) {
      const float loss = train_epoch(epoch);
      report_training(epoch + 1, epoch + 1, loss);
    }
  }

  // The newest checkpoint in a new model, without a strategy. The document's program saves none with an even number of
  // epochs, and then evaluates random weights; the recording has fixed ones in their place.
  void restore() {
    const auto strategy = distribute::default_strategy("cpu_server");
    const auto latest = train::latest_checkpoint(folder_.path());
    compare_files(latest);
    train::State state(1);
    state.preset(first_weights(*model_));
    const model::Metric accuracy = model::metric_named("sparse_categorical_accuracy", "eval_accuracy");
    train::Function eval_step("eval_step", state, strategy.resources(), train::Function::Mode::inference,
                              [&](Building& tape, const Symbols& inputs) {
                                const Symbol predictions = (*model_)(tape, inputs[0]);
                                if (inputs.size() > 1)
                                  model::update_metric(tape, accuracy, inputs[1], predictions);
                                return Symbols{predictions};
                              });
    const Tensor first_four = test_images_.pixels.rows(0, 4);
    compared()[&recording_].insert("restore");  // of Keras 3: no error was raised
    if (latest) train::Checkpoint(state).restore(*latest);
    const data::Dataset rows = test_images_.rows().batch(batch_);
    data::Iterator batches = rows.iterate();
    while (const auto batch = batches.next()) eval_step(*batch);
    const auto value = [&](const std::string& name) { return state.read(name).values<float>()[0]; };
    const float percent =
        100 * model::metric_result(value(model::total_name(accuracy)), value(model::count_name(accuracy)));
    expect_numbers(recording_, "restored accuracy x 100", {static_cast<double>(percent)});
    print("restored without a strategy, accuracy: {}", text(percent));
    expect_fingerprint(recording_, "restored", weights_in(state, *model_));
    expect_tensor(recording_, "restored predictions", eval_step({first_four})[0]);
  }

  // ---- Comparing

  void compare_beginning() const {
    expect_strategy_log(recording_, strategy_.log());
    expect_tensor(recording_, "first images", train_images_.pixels.rows(0, 2));
    expect_tensor(recording_, "train labels", train_images_.labels, 0.5 / 9);
    expect_tensor(recording_, "test labels", test_images_.labels, 0.5 / 9);
    expect_fingerprint(recording_, "initial", weights_in(state_, *model_));
    EXPECT_EQ(config_number(recording_, "global batch"), batch_);
    compared()[&recording_].insert("texts: model.json");
    const auto read =
        model::model_from_json(json::parse(recording_.text("model.json")->string(), "model.json"));
    EXPECT_EQ(specs_of(*read), specs_of(*model_)) << recording_.id;
  }

  void compare_end() {
    expect_numbers(recording_, "losses", losses_);
    EXPECT_EQ(parts_in(wanted(recording_, "rows of each replica, step by step")), rows_) << recording_.id;
    std::vector<double> table;
    for (const json::Value& row : wanted(recording_, "table").elements())
      for (const json::Member& member : row.members()) add_numbers(member.value, table);
    ASSERT_EQ(table.size(), table_.size()) << recording_.id;
    for (std::size_t i = 0; i < table.size(); ++i)
      EXPECT_NEAR(table[i], table_[i], 1e-5 * std::abs(table[i])) << at(recording_, "table");
    std::vector<std::pair<std::int64_t, std::string>> saved;
    for (const json::Value& row : wanted(recording_, "saved").elements())
      saved.emplace_back(row.find("epoch")->integer(), row.find("path")->string());
    EXPECT_EQ(saved, saved_) << recording_.id;
    expect_numbers(recording_, "iterations", {number(state_.read(model::iteration_name(optimizer_)))});
    expect_fingerprint(recording_, "final", weights_in(state_, *model_));
    const train::PerReplica same(static_cast<std::size_t>(strategy_.num_replicas_in_sync()),
                                 {test_images_.pixels.rows(0, 4)});
    expect_tensor(recording_, "predictions", predict_.run(same)[0][0]);
  }

  // TensorFlow writes two files for each checkpoint, and ours is a single one. Of the variables, those with axes are
  // compared: scalars are counters, of which each has its own.
  void compare_files(const std::optional<std::filesystem::path>& latest) {
    std::set<std::string> wanted_files, files;
    for (const json::Value& file : wanted(recording_, "files").elements())
      wanted_files.insert(file.string().substr(0, file.string().find('.')));
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      files.insert(entry.path().stem().string());
    EXPECT_EQ(wanted_files, files) << recording_.id;
    const json::Value& newest = wanted(recording_, "latest");
    EXPECT_EQ(newest.kind() == json::Kind::null ? "" : newest.string(),
              latest ? latest->filename().string() : "");
    EXPECT_EQ(wanted(recording_, "status").string() == "CheckpointLoadStatus", latest.has_value());
    if (!latest) return;
    std::multiset<std::string> wanted_shapes, shapes;
    for (const json::Value& variable : wanted(recording_, "variables").elements())
      if (const Shape shape = shape_of(variable.elements()[1]); shape.rank() > 0)
        wanted_shapes.insert(print_tuple(shape));
    for (const model::Weight& weight : state_.weights())
      if (weight.spec.shape.rank() > 0) shapes.insert(print_tuple(weight.spec.shape));
    EXPECT_EQ(wanted_shapes, shapes) << recording_.id;
  }

  std::vector<std::vector<std::int64_t>> rows_of(const train::PerReplica& batch) const {
    std::vector<std::vector<std::int64_t>> parts;
    for (const std::vector<Tensor>& own : batch) {
      parts.emplace_back();
      for (std::int64_t row = 0; row < own[0].shape()[0]; ++row)
        parts.back().push_back(numbers_.at(bytes_of(own[0], row)));
    }
    return parts;
  }
  void number_images() {
    for (std::int64_t row = 0; row < train_images_.pixels.shape()[0]; ++row)
      numbers_[bytes_of(train_images_.pixels, row)] = row;
  }
  static std::string bytes_of(const Tensor& images, std::int64_t row) {
    const auto bytes = images.rows(row, row + 1).bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const Recording& recording_;
  const Images train_images_, test_images_;
  const std::int64_t epochs_;
  const model::Semantics semantics_;
  const distribute::Strategy strategy_;
  const std::int64_t batch_;
  const data::DistributedDataset train_dataset_, test_dataset_;
  const model::LayerPtr model_ = create_model();
  const model::Loss loss_object_ =
      model::loss_named("sparse_categorical_crossentropy", {.reduction = model::LossReduction::none});
  const model::Metric test_loss_ = model::metric_named("Mean", "test_loss"),
                      train_accuracy_ = model::metric_named("sparse_categorical_accuracy", "train_accuracy"),
                      test_accuracy_ = model::metric_named("sparse_categorical_accuracy", "test_accuracy");
  const model::Optimizer optimizer_ = model::optimizer_named("adam");
  TemporaryFolder folder_{};
  train::State state_{1};
  train::Function train_step_, test_step_, predict_;

  std::map<std::string, std::int64_t> numbers_{};  // of the images, by their bytes
  bool is_step_by_step_ = true;
  std::vector<double> losses_{}, table_{};
  Parts rows_{};
  std::vector<std::pair<std::int64_t, std::string>> saved_{};
  std::vector<std::string> printed_{};
};

}  // namespace

TEST(P1_P2_P6_P12_P21_P22_P23, TheTutorialsLoopDoesWhatWasRecorded) {
  for (const Recording* recording : family("loop_")) {
    Tutorial(*recording).run();
    expect_all_compared(*recording);
  }
}

}  // namespace wt::test::seeds
