#include "cli/recommend.h"

#include <fmt/format.h>

#include <charconv>
#include <ostream>

#include "cli/arguments.h"
#include "cli/processes.h"
#include "cli/report_place.h"
#include "recommend/recommend.h"
#include "recommend/write.h"
#include "scenario/parse.h"

namespace wt::cli {

namespace {

void set_global_batch(const std::string& text, recommend::Question& question) {
  if (text.empty()) return;
  if (text == "none") {
    question.any_global_batch = true;
    return;
  }
  std::int64_t rows = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rows);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("--max-global-batch is no number of rows: \"{}\"", text),
                     "write a number, as 8192, or none");
  question.most_global_batch = rows;
}

void write_report(const RecommendOptions& options, const recommend::Answer& answer, std::ostream& messages) {
  const std::string folder =
      options.out.empty() ? fmt::format("out/{}_recommendation", scenario::slug(answer.name)) : options.out;
  const report::Entry entry{answer.name, [&](json::Writer& out) { recommend::write_page(out, answer); }};
  write_report_folder(folder, {entry}, {}, messages);
}

}  // namespace

Exit recommend(const RecommendOptions& options, const Streams& streams) {
  recommend::Question question{.file = options.file,
                               .overrides = options.overrides,
                               .target = {.samples_per_second = options.target, .fit = options.fit},
                               .platforms = options.platforms,
                               .most_devices = options.max_devices,
                               .quantile = options.quantile,
                               .measured = options.measured,
                               .processes = processes_of(options.processes)};
  for (std::string& text : price_overrides(options.prices)) question.overrides.push_back(std::move(text));
  if (!options.epoch.empty()) question.target.epoch = parse<Seconds>(options.epoch);
  set_global_batch(options.max_global_batch, question);
  if (options.report && !options.out.empty()) require_report_folder(options.out);
  const recommend::Answer answer = recommend::recommend(question);
  streams.results << (options.json ? recommend::json(answer) : recommend::text(answer));
  if (options.report) write_report(options, answer, streams.messages);
  return answer.choices.empty() ? Exit::job_failed : Exit::done;
}

Command recommend_command(CLI::App& program) {
  return declare(
      program, "recommend",
      "Prints the smallest machine of each platform that meets a target, and how sure that is", recommend,
      [](CLI::App& command, RecommendOptions& options) {
        command.add_option("FILE", options.file, "The scenario")->required();
        add_overrides(command, options.overrides);
        add_prices(command, options.prices);
        command.add_option("--target", options.target, "Samples per second that are required");
        command.add_option("--epoch", options.epoch, "Time in which an epoch has to end, as in 10min");
        command.add_flag("--fit", options.fit, "Asks for the smallest machine into whose memory a step fits");
        command
            .add_option("--platforms", options.platforms,
                        "Names or files separated by commas; default: all of `list platforms`")
            ->delimiter(',');
        command.add_option(
            "--max-global-batch", options.max_global_batch,
            "The most rows of all devices in a step, or none; required where the scenario fixes "
            "only the batch of each device");
        command.add_option("--max-devices", options.max_devices,
                           "Larger machines are not considered; default: 256");
        command.add_option("--quantile", options.quantile,
                           "The share of published errors beyond each end of the interval; default: 0.1");
        command.add_option(
            "--measured", options.measured,
            "A CSV file of your own measurements, in the format of tests/measurements, by which "
            "the answer is tested and corrected");
        command.add_option("--processes", options.processes,
                           "Number of processes that share the platforms; default: one for each processor");
        command.add_flag("--json", options.json, "Prints the answer as JSON");
        CLI::Option* report = add_report_of_answer(command, options.report);
        command
            .add_option("--out", options.out,
                        "Folder of the report, which is replaced; default: out/<name>_recommendation")
            ->needs(report);
      });
}

}  // namespace wt::cli
