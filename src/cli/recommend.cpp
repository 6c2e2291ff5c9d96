#include "cli/recommend.h"

#include <fmt/format.h>

#include <charconv>
#include <ostream>

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

}  // namespace wt::cli
