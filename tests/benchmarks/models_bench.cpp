// Training steps of models that Keras wrote as JSON, as train::Model does them: forward, backward, Adam, and the loss.
//
//   bench_models --serve FOLDER                     for against_frameworks.py, which makes the folder
//   bench_models --profile [--only NAME] FOLDER     where the time goes, by kernel
//
// FOLDER has a file "cases" with the name, the batch and the number of words of each case (0: its rows are numbers), and
// NAME.json for each name.
#include <fstream>

#include "model/keras_json.h"
#include "model/weights.h"
#include "train_step.h"

namespace wt::bench {
namespace {

struct Case {
  std::string name{};
  std::int64_t batch = 0;
  std::uint32_t words = 0;
};

std::vector<Case> cases_of(const std::string& folder) {
  std::vector<Case> cases;
  std::ifstream in(folder + "/cases");
  for (Case one; in >> one.name >> one.batch >> one.words;) cases.push_back(one);
  return cases;
}

Tensor drawn_rows(TensorSpec spec, const Case& one) {
  spec.shape = model::batched({spec}, one.batch)[0].shape;
  Tensor rows = Tensor::zeros(spec);
  std::mt19937 random(1);
  if (one.words > 0)
    for (std::int32_t& word : rows.values<std::int32_t>())
      word = static_cast<std::int32_t>(random() % one.words);
  else
    for (float& value : rows.values<float>()) value = static_cast<float>(random() % 256) / 255.0f;
  return rows;
}

class Prepared {
 public:
  Prepared(const std::string& folder, const Case& one, device::Queue& queue)
      : layer_(model::model_from_json_file(folder + "/" + one.name + ".json")),
        training_(layer_, {drawn_rows(layer_->input_specs()[0], one), drawn_labels(one.batch)}, queue) {
    training_.seconds();
  }

  Training& training() { return training_; }
  std::int64_t parameters() const { return model::count_parameters(model::weights_of(*layer_)).trainable; }

 private:
  model::LayerPtr layer_;
  Training training_;
};

// The other side's questions (frameworks/serve.py).
void serve_steps(const std::string& folder, device::Workers& workers) {
  device::CpuQueue queue(workers);
  std::vector<std::unique_ptr<Prepared>> prepared;
  for (const Case& one : cases_of(folder)) prepared.push_back(std::make_unique<Prepared>(folder, one, queue));
  for (const auto& one : prepared) fmt::print("{} ", one->parameters());
  fmt::print("\n");
  std::fflush(stdout);
  std::size_t index = 0;
  for (int steps = 0; std::cin >> index >> steps && index < prepared.size();) {
    for (int step = 0; step < steps; ++step) fmt::print("{:.9f} ", prepared[index]->training().seconds());
    fmt::print("\n");
    std::fflush(stdout);
  }
}

void profile_steps(const std::string& folder, const std::string& only, device::Workers& workers) {
  for (const Case& one : cases_of(folder)) {
    if (one.name.find(only) == std::string::npos) continue;
    fmt::print("\n{}", one.name);
    TimedQueue queue(workers);
    Prepared prepared(folder, one, queue);
    print_profile(queue, prepared.training(), one.batch);
  }
}

}  // namespace
}  // namespace wt::bench

int main(int argc, char** argv) {
  using namespace wt::bench;
  const Words words = read_words(argc, argv);
  wt::device::Workers workers(words.threads);
  const std::string folder = argc > 1 ? argv[argc - 1] : "";
  if (words.serve)
    serve_steps(folder, workers);
  else
    profile_steps(folder, words.only, workers);
}
