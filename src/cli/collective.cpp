#include "cli/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "base/file.h"
#include "base/narrow.h"
#include "base/output/place.h"
#include "base/rough.h"
#include "cli/collective_groups.h"
#include "cli/collective_measured.h"
#include "cli/collective_question.h"
#include "cli/report_place.h"
#include "collective/print.h"
#include "communication/collective_clock.h"
#include "communication/collective_warnings.h"
#include "platform/load.h"
#include "report/collective_table.h"
#include "report/page/collective.h"
#include "report/trace.h"
#include "scenario/parse.h"

namespace wt::cli {

namespace {

using collective::Algorithm, collective::Operation;
using communication::Group;

// ---- Algorithms

bool are_all(const CollectiveOptions& options) {
  return options.algorithms == std::vector<std::string>{"all"};
}

communication::CollectiveChoice choice_named(const std::string& name, Operation operation) {
  if (name == "auto") return {.is_automatic = true};
  const bool is_file = name.find_first_of("./") != std::string::npos;
  if (is_file) return {.file = name, .text = read_text(name)};
  return {.algorithm = &collective::algorithm_named(operation, name)};
}

std::vector<communication::CollectiveChoice> choices_of(const CollectiveOptions& options,
                                                        Operation operation) {
  std::vector<communication::CollectiveChoice> wanted;
  if (are_all(options))
    for (const Algorithm* algorithm : collective::algorithms_of(operation))
      wanted.push_back({.algorithm = algorithm});
  else
    for (const std::string& name : options.algorithms) wanted.push_back(choice_named(name, operation));
  return wanted;
}

platform::Loaded load(const CollectiveOptions& options, std::ostream& messages) {
  platform::Parameters parameters;
  for (const std::string& text : options.overrides) parameters.push_back(platform::parse_parameter(text));
  platform::Loaded loaded = platform::load(options.platform, parameters);
  for (const Problem& warning : loaded.warnings) messages << "warning: " << print(warning) << "\n";
  for (const Problem& note : loaded.assumptions) messages << "note: " << print(note) << "\n";
  return loaded;
}

// ---- The table

report::CollectiveTable empty_table(const CollectiveOptions& options,
                                    const communication::CollectiveQuestion& question,
                                    const std::vector<Group>& groups) {
  const Group& group = groups.front();
  std::string launch = question.tiny_message ? fmt::format("tiny message {}", rough(*question.tiny_message))
                                             : question.call.launch;
  if (question.call.devices_per_process > 1)
    launch += fmt::format(" -g {}", question.call.devices_per_process);
  return {.platform = group.platform.name(),
          .operation = question.operation,
          .ranks = group.size(),
          .groups = narrow<int>(groups.size()),
          .machines = group.platform.machines(),
          .type = question.type.name,
          .reduction = communication::adds(question.operation) ? question.reduction : "none",
          .root = communication::has_root(question.operation) ? question.root : -1,
          .launch = communication::is_driven_by_nccl(group) ? launch : "",
          .order = options.rank_order.value_or(""),
          .links = options.links,
          .warnings = communication::warnings_of(question, group)};
}

// Measurements may begin with sizes that have less than one element for each rank, and move nothing.
void leave_out_small_sizes(communication::CollectiveQuestion& question, int ranks, std::ostream& messages) {
  const Bytes least =
      Bytes(question.type.bytes) * (communication::is_shared_out(question.operation) ? ranks : 1);
  const auto left = std::erase_if(question.sizes, [&](Bytes size) { return size < least; });
  if (left > 0)
    messages << fmt::format("left out: {} below {}\n", counted(std::int64_t(left), "size"), least);
  if (question.sizes.empty())
    throw InputError(fmt::format("all measured sizes are below {}", least), "give others with --sizes");
}

// Runs a function for each algorithm. If the user requested all algorithms, those that are not possible on
// this machine are left out with a message. An algorithm that the user named is an error instead.
class LeavingOut {
 public:
  LeavingOut(bool may, std::ostream& messages) : may_(may), messages_(messages) {}

  void attempt(const std::function<void()>& what) {
    try {
      what();
    } catch (const InputError& error) {
      if (!may_) throw;
      const std::string text = error.what();
      messages_ << "left out: " << text.substr(0, text.find('\n')) << "\n";
    }
  }

 private:
  const bool may_;
  std::ostream& messages_;
};

// A size that is refused is left out with a message, and the others keep their rows. If all are refused, the first
// one's error is thrown.
std::vector<communication::CollectiveRow> rows_of(communication::CollectiveClock& clock,
                                                  const communication::CollectiveChoice& choice,
                                                  std::ostream& messages) {
  std::vector<communication::CollectiveRow> rows;
  std::vector<InputError> refused;
  for (const Bytes size : clock.question().sizes) try {
      rows.push_back(clock.time(choice, size));
    } catch (const InputError& error) {
      refused.push_back(error);
    }
  if (rows.empty() && !refused.empty()) throw refused.front();
  for (const InputError& error : refused) messages << "left out: " << error.what() << "\n";
  return rows;
}

void add_rows(report::CollectiveTable& table, communication::CollectiveClock& clock,
              const communication::CollectiveChoice& choice, std::ostream& messages) {
  std::vector<communication::CollectiveRow> rows = rows_of(clock, choice, messages);
  for (communication::CollectiveRow& row : rows) {
    for (const std::string& warning : row.warnings)
      if (std::ranges::find(table.warnings, warning) == table.warnings.end())
        table.warnings.push_back(warning);
    table.rows.push_back(std::move(row));
  }
}

void check_pictures(const CollectiveOptions& options, std::size_t choices, std::size_t sizes) {
  if ((!options.trace && !options.dot) || (choices == 1 && sizes == 1 && !are_all(options))) return;
  throw InputError(
      fmt::format("a {} shows one collective, not {} and {}", options.trace ? "trace" : "drawing",
                  counted(std::int64_t(choices), "algorithm"), counted(std::int64_t(sizes), "size")),
      "use --sizes 64MiB and one --algorithm");
}

// ---- The report

std::string report_folder_of(const CollectiveOptions& options, const std::string& name) {
  return options.out.empty() ? "out/" + scenario::slug(name) : options.out;
}

// The row of the first series with the largest size whose moves are few enough for a drawing, in which the
// reader has to distinguish their arrows. Null: no size has so few.
const communication::CollectiveRow* drawn_row(const report::CollectiveTable& table) {
  constexpr std::int64_t most_moves = 300;
  const communication::CollectiveRow* found = nullptr;
  for (const communication::CollectiveRow& row : table.rows)
    if (row.series == table.rows.front().series && row.moves <= most_moves &&
        (found == nullptr || row.bytes > found->bytes))
      found = &row;
  return found;
}

void write_report(const CollectiveOptions& options, const report::CollectiveTable& table,
                  const communication::CollectiveClock& clock,
                  const communication::CollectiveChoice& first_choice, const platform::Platform& platform,
                  std::ostream& messages) {
  report::ShownCollective shown{.table = table, .platform = platform};
  if (const communication::CollectiveRow* row = drawn_row(table))
    shown.schedule = {.algorithm = row->algorithm,
                      .bytes = row->bytes,
                      .recording = clock.record(first_choice, row->bytes)};
  const std::string name = report::name_of(table);
  const report::Entry entry{name, [&](json::Writer& out) { write_collective(out, shown); }};
  write_report_folder(report_folder_of(options, name), {entry}, {}, messages);
}

}  // namespace

Exit run_collective(const CollectiveOptions& options, const Streams& streams) {
  communication::CollectiveQuestion question = question_of(options);
  const std::vector<communication::MeasuredTable> measured = read_measured(options.measured);
  if (!measured.empty() && !names_sizes(options)) question.sizes = sizes_of(measured);
  const std::vector<communication::CollectiveChoice> choices = choices_of(options, question.operation);
  check_pictures(options, choices.size(), question.sizes.size());
  if (options.trace) output::require_writable(*options.trace, "--trace");
  if (options.dot) output::require_writable(*options.dot, "--dot");
  if (options.report && !options.out.empty()) require_report_folder(options.out);
  const platform::Loaded loaded = load(options, streams.messages);
  const std::vector<Group> groups = groups_of(options, loaded.platform);
  require_same(measured, question, groups.front().size());
  if (!measured.empty() && !names_sizes(options))
    leave_out_small_sizes(question, groups.front().size(), streams.messages);
  communication::CollectiveClock clock(question, groups);
  LeavingOut leaving_out(are_all(options), streams.messages);
  report::CollectiveTable table = empty_table(options, question, groups);
  table.measured = measured;
  for (const communication::CollectiveChoice& choice : choices)
    leaving_out.attempt([&] {
      options.schedule
          ? void(streams.results << collective::print(clock.schedule(choice, question.sizes.front())))
          : add_rows(table, clock, choice, streams.messages);
    });
  if (options.schedule) return Exit::done;
  if (std::string text = communication::about_borrowed(table.rows); !text.empty())
    table.warnings.push_back(std::move(text));
  for (const std::string& warning : table.warnings) streams.messages << "warning: " << warning << "\n";
  if (table.rows.empty())
    throw InputError("none of the algorithms supports this number of ranks", "use another number of ranks");
  if (options.trace) {
    const communication::Recording made = clock.record(choices.front(), question.sizes.front());
    const timing::StepPicture picture = timing::picture_of(
        made.played.plan, made.timeline, {.end = made.timeline.end, .text = "one collective"},
        loaded.platform, made.played.where);
    write_text(*options.trace, report::chrome_trace(picture, loaded.platform.name(), made.played.plan.name));
  }
  if (options.dot)
    write_text(*options.dot, collective::print_dot(clock.schedule(choices.front(), question.sizes.front())));
  streams.results << (options.json  ? report::collective_json(table)
                      : options.csv ? report::collective_csv(table)
                                    : report::collective_text(table));
  if (options.report) write_report(options, table, clock, choices.front(), loaded.platform, streams.messages);
  return Exit::done;
}

}  // namespace wt::cli
