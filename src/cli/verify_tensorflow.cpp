#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <set>

#include "base/json_writer.h"
#include "base/rough.h"
#include "base/table.h"
#include "base/temporary_folder.h"
#include "cli/arguments.h"
#include "cli/verify.h"
#include "study/recordings/judge.h"

namespace wt::cli {

namespace {

using recordings::Judgement;
using recordings::Recording;
using recordings::Verdict;
using recordings::verdict_names;

struct Judged {
  const Recording* recording = nullptr;
  Judgement judgement{};
};

using Counts = std::array<std::int64_t, std::size(verdict_names)>;

// By version and kind.
std::map<std::pair<std::string, std::string>, Counts> counted_by_kind(const std::vector<Judged>& all) {
  std::map<std::pair<std::string, std::string>, Counts> kinds;
  for (const Judged& one : all)
    ++kinds[{one.recording->version, one.recording->kind}][static_cast<std::size_t>(one.judgement.verdict)];
  return kinds;
}

std::string table_of(const std::vector<Judged>& all) {
  std::vector<TableRow> rows{{"version", "kind", "passed", "refused", "not applicable", "failed", "empty"}};
  for (const auto& [kind, counts] : counted_by_kind(all)) {
    TableRow& row = rows.emplace_back(TableRow{kind.first, kind.second});
    for (const std::int64_t count : counts) row.push_back(std::to_string(count));
  }
  return print_table(rows, "ll");
}

// The reasons of one verdict, each once, with the recordings that it is the reason of.
std::string reasons_of(const std::vector<Judged>& all, Verdict verdict, std::string_view heading) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const Judged& one : all)
    if (one.judgement.verdict == verdict)
      by_reason[one.judgement.why].push_back(fmt::format("{}/{}", one.recording->version, one.recording->id));
  if (by_reason.empty()) return {};
  std::string text = fmt::format("\n{}:\n", heading);
  for (const auto& [reason, ids] : by_reason) {
    const std::string more = ids.size() > 2 ? fmt::format(", and {} more", ids.size() - 2) : "";
    text += fmt::format("  {}\n    {}{}{}\n", reason, ids[0], ids.size() > 1 ? ", " + ids[1] : "", more);
  }
  return text;
}

std::string as_json(const std::vector<Judged>& all) {
  json::Writer out;
  out.begin_object().key("kinds").begin_array();
  for (const auto& [kind, counts] : counted_by_kind(all)) {
    out.begin_object().member("version", kind.first).member("kind", kind.second);
    for (std::size_t i = 0; i < counts.size(); ++i) out.member(verdict_names[i], counts[i]);
    out.end_object();
  }
  out.end_array().key("cases").begin_array();
  for (const Judged& one : all)
    out.begin_object()
        .member("id", one.recording->id)
        .member("version", one.recording->version)
        .member("verdict", name(one.judgement.verdict))
        .member("why", one.judgement.why)
        .end_object();
  out.end_array().end_object();
  return out.text();
}

}  // namespace

Exit verify_tensorflow(const VerifyTensorflowOptions& options, const Streams& streams) {
  const TemporaryFolder scratch;
  const std::vector<Recording> found = recordings::read_recordings(options.folders, scratch.path());
  std::vector<Judged> all;
  for (const Recording& recording : found)
    if (recording.id.find(options.only) != std::string::npos)
      all.push_back({&recording, recordings::judge(recording)});
  if (all.empty())
    throw InputError(fmt::format("no recording has \"{}\" in its name", options.only), "leave --only out");
  if (options.json) {
    streams.results << as_json(all);
  } else {
    streams.results << table_of(all) << reasons_of(all, Verdict::refused, "refused")
                    << reasons_of(all, Verdict::not_applicable, "not applicable")
                    << reasons_of(all, Verdict::empty, "empty") << reasons_of(all, Verdict::failed, "FAILED");
  }
  const bool is_right = std::ranges::none_of(all, [](const Judged& one) {
    return one.judgement.verdict == Verdict::failed || one.judgement.verdict == Verdict::empty;
  });
  return is_right ? Exit::done : Exit::job_failed;
}

Command verify_tensorflow_command(CLI::App& verify) {
  return declare(
      verify, "tensorflow", "Repeats recorded programs of TensorFlow and compares what they computed",
      verify_tensorflow, [](CLI::App& command, VerifyTensorflowOptions& options) {
        command
            .add_option("FOLDER", options.folders,
                        "Folders of recordings, or archives of them: tests/recordings")
            ->required();
        command.add_option("--only", options.only, "Only recordings with this word in their name");
        command.add_flag("--json", options.json, "Prints the counts and every recording's verdict as JSON");
      });
}

}  // namespace wt::cli
