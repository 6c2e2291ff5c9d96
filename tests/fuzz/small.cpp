#include "fuzz/small.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "base/utf8.h"
#include "cli/plain_text.h"
#include "scenario/build.h"
#include "scenario/parse.h"

namespace wt::fuzz {

namespace {

constexpr std::int64_t most_rows = 10'000, most_steps = 64;
constexpr std::int32_t most_devices = 16;
constexpr std::int64_t most_parameters = 200'000;

// Before anything is built.
bool reads_little(const scenario::Scenario& scenario) {
  const auto* synthetic = std::get_if<scenario::SyntheticData>(&scenario.dataset.source);
  const auto* constant = std::get_if<scenario::ConstantData>(&scenario.dataset.source);
  const std::int64_t rows = synthetic != nullptr  ? synthetic->rows
                            : constant != nullptr ? constant->rows
                                                  : most_rows;
  const auto* zoo = std::get_if<model::ZooChoice>(&scenario.model.form);
  return rows <= most_rows && (zoo == nullptr || zoo->model->name == "linear" || zoo->model->name == "mlp" ||
                               zoo->model->name == "logistic");
}

bool is_small(const scenario::Scenario& scenario, const scenario::Job& job) {
  std::int64_t parameters = 0;
  for (const model::Weight& weight : job.weights) parameters += weight.spec.shape.elements();
  return parameters <= most_parameters && job.machine.replicas.size() <= most_devices &&
         scenario::steps_of(scenario, job) <= most_steps;
}

}  // namespace

bool is_small(const std::string& file) {
  try {
    const scenario::Scenario scenario = scenario::parse_file(file, {"numerics=none"});
    return reads_little(scenario) && is_small(scenario, scenario::build(scenario));
  } catch (const InputError&) {
    return true;
  }
}

Said call(const std::function<cli::Exit(const cli::Streams&)>& command) {
  std::ostringstream results, messages;
  cli::PlainText plain_results(results), plain_messages(messages);
  std::ostream to_results(&plain_results), to_messages(&plain_messages);
  const cli::Exit exit = cli::guard([&] { return command({to_results, to_messages}); }, to_messages);
  to_results.flush(), to_messages.flush();
  Said said{exit, results.str(), messages.str()};
  for (const std::string& text : {said.results, said.messages})
    if (printable_lines(text) != text) throw std::logic_error("a control character is printed: " + text);
  return said;
}

}  // namespace wt::fuzz
